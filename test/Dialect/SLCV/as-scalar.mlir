// RUN: ember-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @round_trip(
// CHECK:         slcv.as_scalar %{{.*}} : !slc.stream<vector<4xindex>> to !slc.stream<index>
// CHECK:         slcv.as_scalar %{{.*}} : vector<4xf32> to f32
func.func @round_trip(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %s = slcv.as_scalar %e : !slc.stream<vector<4xindex>> to !slc.stream<index>
    slc.callback ite {
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
    }
  }
  return
}

// -----

func.func @not_a_vector(%x: f32) {
  // expected-error @+1 {{takes a vector of rank 1 or a stream of such, not 'f32'}}
  %y = slcv.as_scalar %x : f32 to f32
  return
}

// -----

func.func @other_element(%x: vector<4xf32>) {
  // expected-error @+1 {{shows 'vector<4xf32>' as 'f32', not 'f64'}}
  %y = slcv.as_scalar %x : vector<4xf32> to f64
  return
}
