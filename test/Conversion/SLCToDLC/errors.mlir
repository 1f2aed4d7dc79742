// What cannot be separated into two programs is refused.

// RUN: ember-opt %s --convert-slc-to-dlc --split-input-file --verify-diagnostics

func.func @outside_callback(%a: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.0 : f32
  %r = slc.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (f32) {
    %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // expected-error @+1 {{is read outside of a callback}}
    %w = slc.str_to_val %v : !slc.stream<f32> -> f32
    slc.yield %w : f32
  }
  return %r : f32
}

// -----

func.func @not_moved(%a: memref<?xf32>, %o: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // expected-error @+1 {{'move-to-val-ops' moves it into the callbacks that use it}}
    %w = slc.str_to_val %v : !slc.stream<f32> -> f32
    slc.callback ite {
      memref.store %w, %o[] : memref<f32>
    }
  }
  return
}

// -----

// The loop that fills the buffer has a callback: tokens would come between the
// elements.
func.func @callback_between(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %t = %c0 to %n step %c1 {
    %buf = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %n step %c1 {
      %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %buf : !slc.stream<f32>, !slc.buffer<f32>
      slc.callback ite {
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        memref.store %x, %o[%c0] : memref<?xf32>
      }
    }
    // expected-error @+1 {{reads a buffer that was not filled by a loop of streams only right before it}}
    slc.callback end {
      %row = slc.str_to_val %buf : !slc.buffer<f32> -> memref<?xf32>
      %x = memref.load %row[%c0] : memref<?xf32>
      memref.store %x, %o[%c1] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @lockstep(%a: memref<?xf32>, %offsets: memref<?xindex>, %o: memref<?xvector<4xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%b, %m) = %c0 to %n step %c1 vector<4> {
    %lo = slcv.vec_mem_str %offsets[%b] mask %m : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    %buf = slcv.buf_str : !slc.buffer<vector<4xf32>>
    slcv.vec_for (%p, %m1) = %c0 to %lo step %c1 vector<4> mask %m : index, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>> {
      %v = slcv.vec_mem_str %a[%p] mask %m1 : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slcv.push %v, %buf : !slc.stream<vector<4xf32>>, !slc.buffer<vector<4xf32>>
    }
    // expected-error @+1 {{reads a buffer that a loop with a range a lane fills; its length is not known to compute code}}
    slc.callback end {
      %row = slc.str_to_val %buf : !slc.buffer<vector<4xf32>> -> memref<?xvector<4xf32>>
      %x = memref.load %row[%c0] : memref<?xvector<4xf32>>
      memref.store %x, %o[%c1] : memref<?xvector<4xf32>>
    }
  }
  return
}
