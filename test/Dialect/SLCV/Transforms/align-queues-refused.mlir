// What cannot be aligned stays a scalar, and the program stays right.
// RUN: ember-opt %s --align-queues=strategy=pad --verify-diagnostics --split-input-file | FileCheck %s --check-prefix=PAD
// RUN: ember-opt %s --align-queues=strategy=addresses --split-input-file 2>/dev/null | FileCheck %s --check-prefix=ADDRESS

// No vector of 12 bytes holds an index. Nothing keeps the second id below the
// size of its dimension, so that a position might lie in another row.
// PAD-LABEL: @odd_vectors(
// PAD: slc.str_to_val %{{.*}} : !slc.stream<index> -> index
// ADDRESS-LABEL: @odd_vectors(
// ADDRESS-NOT: reinterpret_cast
// ADDRESS: return
func.func @odd_vectors(%a: memref<?xf32>, %out: memref<?x?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<3> {
      %v = slcv.vec_mem_str %a[%e] : memref<?xf32>[!slc.stream<vector<3xindex>>] -> !slc.stream<vector<3xf32>>
      slc.callback ite {
        // expected-remark @+1 {{queue not aligned: no vector of 12 bytes can hold an operand of type 'index'}}
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<vector<3xf32>> -> vector<3xf32>
        vector.store %x, %out[%c0, %bag, %c0] : memref<?x?x4xf32>, vector<3xf32>
      }
    }
  }
  return
}

// -----

// An id that is used for more than finding rows crosses anyway.
// PAD-LABEL: @other_use(
// ADDRESS-LABEL: @other_use(
// ADDRESS-NOT: reinterpret_cast
// ADDRESS: return
func.func @other_use(%a: memref<?xf32>, %out: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
      %v = slcv.vec_mem_str %a[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slc.callback ite {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        vector.store %x, %out[%bag, %bag] : memref<?x?xf32>, vector<4xf32>
      }
    }
  }
  return
}

// -----

// No vectors, nothing to align.
// PAD-LABEL: @scalars(
// PAD-NOT: vector
// PAD: return
func.func @scalars(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// The size of the second dimension is not known to be more than every %h.
// ADDRESS-LABEL: @unknown_size(
// ADDRESS-NOT: reinterpret_cast
// ADDRESS: return
// ADDRESS-LABEL: @known_size(
// ADDRESS: reinterpret_cast
// PAD-LABEL: @unknown_size(
func.func @unknown_size(%a: memref<?xf32>, %out: memref<?x?x?xf32>, %n: index, %heads: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %h = %c0 to %heads step %c1 {
    slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
      %v = slcv.vec_mem_str %a[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slc.callback ite {
        %bag = slc.str_to_val %h : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        vector.store %x, %out[%c0, %bag, %c0] : memref<?x?x?xf32>, vector<4xf32>
      }
    }
  }
  return
}

// PAD-LABEL: @known_size(
func.func @known_size(%a: memref<?xf32>, %out: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %out, %c1 : memref<?x?x?xf32>
  slc.for %b = %c0 to %n step %c1 {
    slc.for %h = %c0 to %heads step %c1 {
      slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
        %v = slcv.vec_mem_str %a[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
        slc.callback ite {
          %bag = slc.str_to_val %b : !slc.stream<index> -> index
          %head = slc.str_to_val %h : !slc.stream<index> -> index
          %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
          vector.store %x, %out[%bag, %head, %c0] : memref<?x?x?xf32>, vector<4xf32>
        }
      }
    }
  }
  return
}
