// Which cache keeps what, from what addresses depend on.

// RUN: ember-opt %s --choose-cache-hints | FileCheck %s
// RUN: ember-opt %s --choose-cache-hints="lookup-level=l1" | FileCheck %s --check-prefix=L1
// RUN: ember-opt %s --choose-cache-hints="lookup-level=none" | FileCheck %s --check-prefix=NONE
// RUN: ember-opt %s --choose-cache-hints="l2-bytes=2047" | FileCheck %s --check-prefix=SMALL

// NONE-NOT: level {{(l1|llc)}}

// CHECK-LABEL: func.func @bag(
// L1-LABEL: func.func @bag(
func.func @bag(%table: memref<?x64xf32>, %ids: memref<?xindex>, %offsets: memref<?xindex>, %weights: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  slc.for %b = %c0 to %n step %c1 {
    %b1 = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.mem_str %arg2[%{{.*}}] nontemporal :
    %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = slc.mem_str %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
      // Positions of a segment are loaded, but each is visited once.
      // CHECK: slc.mem_str %arg1[%{{.*}}] nontemporal :
      %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      slc.for %e = %c0 to %c64 step %c1 {
        // CHECK: slc.mem_str %arg0[%{{.*}}, %{{.*}}] level llc :
        // L1: slc.mem_str %arg0[%{{.*}}, %{{.*}}] level l1 :
        %v = slc.mem_str %table[%i, %e] : memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        // The same weight for each element.
        // CHECK: slc.mem_str %arg3[%{{.*}}] level l1 :
        %w = slc.mem_str %weights[%p] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      }
    }
  }
  return
}

// Vectors are as single elements are.

// CHECK-LABEL: func.func @vectors(
// L1-LABEL: func.func @vectors(
func.func @vectors(%table: memref<?x64xf32>, %ids: memref<?xindex>, %out: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slcv.vec_for (%e, %m) = %c0 to %c64 step %c1 vector<8> {
      // CHECK: slcv.vec_mem_str %arg0[%{{.*}}, %{{.*}}] mask %{{.*}} level llc :
      // L1: slcv.vec_mem_str %arg0[%{{.*}}, %{{.*}}] mask %{{.*}} level l1 :
      %v = slcv.vec_mem_str %table[%i, %e] mask %m : memref<?x64xf32>[!slc.stream<index>, !slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
      // CHECK: slcv.vec_store_str %{{.*}}, %arg2[%{{.*}}, %{{.*}}] mask %{{.*}} nontemporal :
      slcv.vec_store_str %v, %out[%p, %e] mask %m : !slc.stream<vector<8xf32>>, memref<?x64xf32>[!slc.stream<index>, !slc.stream<vector<8xindex>>]
    }
  }
  return
}

// CHECK-LABEL: func.func @small_table(
// CHECK: slc.mem_str %arg0[%{{.*}}] level l2 :
// SMALL-LABEL: func.func @small_table(
// SMALL: slc.mem_str %arg0[%{{.*}}] level llc :
func.func @small_table(%table: memref<256xf64>, %ids: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %v = slc.mem_str %table[%i] : memref<256xf64>[!slc.stream<index>] -> !slc.stream<f64>
  }
  return
}

// CHECK-LABEL: func.func @blocks(
func.func @blocks(%keys: memref<?x64xf32>, %ids: memref<?xindex>, %out: memref<?x4x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %first = slc.alu_str mul %i, %c4 : !slc.stream<index>, index -> !slc.stream<index>
    slc.for %t = %c0 to %c4 step %c1 {
      %row = slc.alu_str add %first, %t : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
      slc.for %e = %c0 to %c64 step %c1 {
        // CHECK: %[[V:.*]] = slc.mem_str %arg0[%{{.*}}, %{{.*}}] level l2 :
        %v = slc.mem_str %keys[%row, %e] : memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        // CHECK: slc.store_str %[[V]], %arg2[%{{.*}}] nontemporal :
        slc.store_str %v, %out[%p, %t, %e] : !slc.stream<f32>, memref<?x4x64xf32>[!slc.stream<index>, !slc.stream<index>, !slc.stream<index>]
        // What is said already stays.
        // CHECK: slc.mem_str %arg0[%c0, %{{.*}}] level l2 nontemporal :
        %w = slc.mem_str %keys[%c0, %e] level l2 nontemporal : memref<?x64xf32>[index, !slc.stream<index>] -> !slc.stream<f32>
      }
    }
  }
  return
}

// Where segments begin is summed up; that is nothing looked up.
// CHECK-LABEL: func.func @lengths(
// CHECK: slc.mem_str %arg0[%{{.*}}] nontemporal :
// CHECK: slc.mem_str %arg1[%{{.*}}] nontemporal :
func.func @lengths(%lengths: memref<?xindex>, %x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    %length = slc.mem_str %lengths[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %begin = slc.acc_str %length from %c0 : !slc.stream<index>, index
    %v = slc.mem_str %x[%begin] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  return
}

// The same block, whose rows are a dimension of their own, or one position.
// CHECK-LABEL: func.func @blocks_of_rows(
// CHECK: slc.mem_str %arg0[%{{.*}}, %{{.*}}, %{{.*}}] level l2 :
// CHECK: slc.mem_str %arg1[%{{.*}}] level l2 :
func.func @blocks_of_rows(%keys: memref<?x4x64xf32>, %flat: memref<?xf32>, %ids: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %t = %c0 to %c4 step %c1 {
      slc.for %e = %c0 to %c64 step %c1 {
        %v = slc.mem_str %keys[%i, %t, %e] : memref<?x4x64xf32>[!slc.stream<index>, !slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        %first = slc.alu_str mul %i, %c4 : !slc.stream<index>, index -> !slc.stream<index>
        %row = slc.alu_str add %first, %t : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
        %start = slc.alu_str mul %row, %c64 : !slc.stream<index>, index -> !slc.stream<index>
        %at = slc.alu_str add %start, %e : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
        %w = slc.mem_str %flat[%at] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      }
    }
  }
  return
}

// A row that one id selects is no block, whichever way it is addressed.
// CHECK-LABEL: func.func @flat_rows(
// CHECK: slc.mem_str %arg0[%{{.*}}] level llc :
func.func @flat_rows(%flat: memref<?xf32>, %ids: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %e = %c0 to %c64 step %c1 {
      %start = slc.alu_str mul %i, %c64 : !slc.stream<index>, index -> !slc.stream<index>
      %at = slc.alu_str add %start, %e : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
      %w = slc.mem_str %flat[%at] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    }
  }
  return
}
