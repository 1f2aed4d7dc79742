// RUN: ember-opt %s --bufferize-compound-types --verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// CHECK-NOT: buf_str

func.func @outermost(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{row not bufferised: the loop is outermost, and no loop around it hands rows over}}
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

func.func @nothing_loaded(%w: memref<?xf32>, %out: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    %v = slc.mem_str %w[%b] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // expected-remark @+1 {{row not bufferised: its callbacks read no stream that it loads}}
    slc.for %e = %c0 to %n step %c1 {
      slc.callback ite {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %i = slc.str_to_val %e : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        memref.store %x, %out[%bag, %i] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @one_element(%a: memref<?x1xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    // expected-remark @+1 {{row not bufferised: its few elements need no more queue entries than the row as a whole}}
    slc.for %e = %c0 to %c1 step %c1 {
      %v = slc.mem_str %a[%b, %e] : memref<?x1xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      slc.callback ite {
        %i = slc.str_to_val %b : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        memref.store %x, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}

func.func @lockstep(%ends: memref<?xindex>, %a: memref<?xf32>, %out: memref<?xvector<4xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%b, %lanes) = %c0 to %n step %c1 vector<4> {
    %ub = slcv.vec_mem_str %ends[%b] mask %lanes : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    // expected-remark @+1 {{row not bufferised: the lanes do not share one range}}
    slcv.vec_for (%e, %mask) = %c0 to %ub step %c1 vector<4> mask %lanes : index, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>> {
      %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slc.callback ite {
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        memref.store %x, %out[%c0] : memref<?xvector<4xf32>>
      }
    }
  }
  return
}

func.func @read_outside(%a: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    // expected-remark @+1 {{row not bufferised: it reads streams outside of callbacks; move-to-val-ops comes first}}
    slc.for %e = %c0 to %n step %c1 {
      %v = slc.mem_str %a[%b, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      slc.callback ite {
        memref.store %x, %out[%c0] : memref<?xf32>
      }
    }
  }
  return
}
