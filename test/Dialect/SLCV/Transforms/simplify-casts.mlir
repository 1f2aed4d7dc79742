// RUN: ember-opt %s --simplify-casts | FileCheck %s

// Vectors enter the callback and are seen as scalars there; a stream is read
// once, and the vectorised lane 0 stays a read of its own.
// CHECK-LABEL: @casts(
// CHECK:       slcv.vec_for (%[[E:.*]], %{{.*}}) =
// CHECK-NEXT:    %[[V:.*]] = slcv.vec_mem_str
// CHECK-NEXT:    slc.callback ite {
// CHECK-NEXT:      %[[ES:.*]] = slc.str_to_val %[[E]] : !slc.stream<vector<4xindex>> -> vector<4xindex>
// CHECK-NEXT:      %[[EL:.*]] = slcv.as_scalar %[[ES]] : vector<4xindex> to index
// CHECK-NEXT:      %[[XS:.*]] = slc.str_to_val %[[V]] : !slc.stream<vector<4xf32>> -> vector<4xf32>
// CHECK-NEXT:      %[[X:.*]] = slcv.as_scalar %[[XS]] : vector<4xf32> to f32
// CHECK-NEXT:      slc.str_to_val %[[E]][0]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT:      memref.store %[[S]], %{{.*}}[%[[EL]]]
func.func @casts(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %se = slcv.as_scalar %e : !slc.stream<vector<4xindex>> to !slc.stream<index>
    %sv = slcv.as_scalar %v : !slc.stream<vector<4xf32>> to !slc.stream<f32>
    %unused = slcv.as_scalar %v : !slc.stream<vector<4xf32>> to !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %se : !slc.stream<index> -> index
      %x = slc.str_to_val %sv : !slc.stream<f32> -> f32
      %e0 = slc.str_to_val %e[0] : !slc.stream<vector<4xindex>> -> index
      %y = slc.str_to_val %sv : !slc.stream<f32> -> f32
      %s = arith.addf %x, %y : f32
      memref.store %s, %out[%i] : memref<?xf32>
      memref.store %s, %out[%e0] : memref<?xf32>
    }
  }
  return
}
