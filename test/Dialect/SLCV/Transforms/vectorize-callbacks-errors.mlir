// What slc-vectorize never hands over, the pass refuses instead of leaving half.
// RUN: ember-opt %s --vectorize-callbacks --split-input-file --verify-diagnostics

func.func @hands_on(%a: memref<?xf32>, %n: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> iter_args(%s = %z) -> (f32) {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    // expected-error @+1 {{cannot be vectorised: it hands a value on that differs from lane to lane}}
    %s1 = slc.callback ite -> f32 {
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
      slc.yield %x : f32
    }
    slc.yield %s1 : f32
  }
  return %r : f32
}

// -----

func.func @column(%a: memref<?xf32>, %out: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    slc.callback ite {
      %es = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %i = slcv.as_scalar %es : vector<4xindex> to index
      // expected-error @+1 {{cannot be vectorised: only its last index may differ from lane to lane}}
      %x = memref.load %out[%i, %c0] : memref<?x?xf32>
      memref.store %x, %out[%c0, %i] : memref<?x?xf32>
    }
  }
  return
}

// -----

func.func @region(%a: memref<?xf32>, %out: memref<?xf32>, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    slc.callback ite {
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      // expected-error @+1 {{cannot be vectorised: code with regions uses it}}
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
      scf.if %p {
        memref.store %x, %out[%c0] : memref<?xf32>
      }
    }
  }
  return
}
