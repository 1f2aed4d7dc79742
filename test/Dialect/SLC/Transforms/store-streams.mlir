// What a callback only passes on to memory, the access unit stores itself.

// RUN: ember-opt %s --store-streams | FileCheck %s
// RUN: ember-opt %s --store-streams=mode=never | FileCheck %s --check-prefix=NEVER
// RUN: ember-opt %s --store-streams=may-alias=true 2>/dev/null | FileCheck %s --check-prefix=ALIAS

// NEVER-NOT: slc.store_str
// ALIAS-NOT: slc.store_str

// The callback goes away; arithmetic of the address moves out as far as it can.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x4xf32>, %[[IDS:[a-z0-9]+]]: memref<?xi32>, %[[OUT:[a-z0-9]+]]: memref<?x4xf32>,
// CHECK:       slc.for %[[I:.*]] = %c0
// CHECK:         slc.mem_str %[[IDS]]
// CHECK:         %[[AT:.*]] = slc.alu_str mul %[[I]], %c2
// CHECK-NEXT:    slc.for %[[T:.*]] = %c0
// CHECK:           %[[ROW:.*]] = slc.alu_str add %[[AT]], %[[T]]
// CHECK-NEXT:      slc.for %[[E:.*]] = %c0
// CHECK-NEXT:        %[[V:.*]] = slc.mem_str %[[X]]
// CHECK-NEXT:        slc.store_str %[[V]], %[[OUT]][%[[ROW]], %[[E]]] : !slc.stream<f32>, memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>]
// CHECK-NEXT:      }
func.func @gather(%x: memref<?x4xf32>, %ids: memref<?xi32>, %out: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  slc.for %i = %c0 to %n step %c1 {
    %id = slc.mem_str %ids[%i] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    %b = slc.cast_str %id : !slc.stream<i32> to !slc.stream<index>
    slc.for %t = %c0 to %c2 step %c1 {
      %r = slc.alu_str add %b, %t : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
      slc.for %e = %c0 to %c4 step %c1 {
        %v = slc.mem_str %x[%r, %e] : memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        slc.callback ite {
          %iv = slc.str_to_val %i : !slc.stream<index> -> index
          %tv = slc.str_to_val %t : !slc.stream<index> -> index
          %ev = slc.str_to_val %e : !slc.stream<index> -> index
          %w = slc.str_to_val %v : !slc.stream<f32> -> f32
          %first = arith.muli %iv, %c2 : index
          %row = arith.addi %first, %tv : index
          memref.store %w, %out[%row, %ev] : memref<?x4xf32>
        }
      }
    }
  }
  return
}

// What else the callback does stays, with what it reads.
// CHECK-LABEL: func.func @shared_callback(
// CHECK:         %[[V:.*]] = slc.mem_str %arg0
// CHECK:         %[[W:.*]] = slc.mem_str %arg1
// CHECK-NEXT:    slc.store_str %[[V]], %arg2
// CHECK-NEXT:    slc.callback ite {
// CHECK-NEXT:      slc.str_to_val %[[W]]
// CHECK-NOT:       slc.str_to_val %[[V]]
// CHECK:           memref.store %{{.*}}, %arg3
func.func @shared_callback(%x: memref<?xf32>, %y: memref<?xi64>, %out: memref<?xf32>, %sum: memref<i64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %w = slc.mem_str %y[%i] : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
    slc.callback ite {
      %b = slc.str_to_val %w : !slc.stream<i64> -> i64
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %i : !slc.stream<index> -> index
      memref.store %a, %out[%at] : memref<?xf32>
      %old = memref.load %sum[] : memref<i64>
      %new = arith.addi %old, %b : i64
      memref.store %new, %sum[] : memref<i64>
    }
  }
  return
}

// A division by what may be zero where its loop does not run stays inside.
// CHECK-LABEL: func.func @division(
// CHECK-NOT:     slc.store_str
// NEVER-LABEL: func.func @division(
func.func @division(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %i : !slc.stream<index> -> index
      %q = arith.divui %n, %at : index
      memref.store %a, %out[%q] : memref<?xf32>
    }
  }
  return
}
