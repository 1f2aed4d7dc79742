// RUN: ember-opt %s -split-input-file -verify-diagnostics

// Loops.

func.func @case0(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'slcv.vec_for' op step must be positive, but is 0}}
  slcv.vec_for (%e, %m) = %n to %n step %c0 vector<4> {
  }
  return
}

// -----

func.func @case1(%n: index) {
  // expected-error @below {{vector length must be in [1, 1024], not 0}}
  slcv.vec_for (%e, %m) = %n to %n step %n vector<0> {
  }
  return
}

// -----

func.func @case2(%n: index) {
  // expected-error @below {{'slcv.vec_for' op vector length must be in [1, 1024], not -4}}
  "slcv.vec_for"(%n, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, vectorLength = -4 : i64}> ({
  ^bb0(%e: !slc.stream<vector<4xindex>>, %count: !slc.stream<index>, %m: !slc.stream<vector<4xi1>>):
    slc.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @case3(%n: index) {
  // expected-error @below {{'slcv.vec_for' op has a body that takes ('!slc.stream<vector<4xindex>>') and not, first of all, ('!slc.stream<vector<4xindex>>', '!slc.stream<index>', '!slc.stream<vector<4xi1>>')}}
  "slcv.vec_for"(%n, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, vectorLength = 4 : i64}> ({
  ^bb0(%e: !slc.stream<vector<4xindex>>):
    slc.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @case4(%n: index) {
  // expected-error @below {{'slcv.vec_for' op expects regions to end with 'slc.yield', found 'llvm.unreachable'}}
  // expected-note @below {{in custom textual format, the absence of terminator implies 'slc.yield'}}
  slcv.vec_for (%e, %m) = %n to %n step %n vector<4> {
    llvm.unreachable
  }
  return
}

// -----

func.func @case5(%n: index) {
  %r = slcv.vec_for (%e, %m) = %n to %n step %n vector<4>
      // expected-error @below {{1 iter_args but 2 result types}}
      iter_args(%a = %n) -> (index, index) {
    slc.yield %a : index
  }
  return
}

// -----

func.func @case6(%n: index, %in: vector<4xi1>) {
  slcv.vec_for (%e, %m) = %n to %n step %n vector<4> mask %in
      // expected-error @below {{expected ':' and the types of bounds and mask}}
      {
  }
  return
}

// -----

func.func @case7(%n: index, %in: vector<8xi1>) {
  // expected-error @below {{'slcv.vec_for' op operand #3 has 8 lanes where 4 are expected}}
  slcv.vec_for (%e, %m) = %n to %n step %n vector<4> mask %in : index, index, vector<8xi1> {
  }
  return
}

// -----

func.func @case8(%n: index, %in: vector<2x2xi1>) {
  // expected-error @below {{'slcv.vec_for' op operand #3 must be}}
  slcv.vec_for (%e, %m) = %n to %n step %n vector<4> mask %in : index, index, vector<2x2xi1> {
  }
  return
}

// -----

func.func @case9(%n: index, %ends: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    %end = slcv.vec_mem_str %ends[%e] mask %m : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    // expected-error @below {{'slcv.vec_for' op with a range a lane must have the configuration 'vector', not 'bcast'}}
    slcv.vec_for (%f, %k) = %c0 to %end step %c1 vector<4> bcast : index, !slc.stream<vector<4xindex>> {
    }
  }
  return
}

// -----

func.func @case10(%n: index, %ends: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    %end = slcv.vec_mem_str %ends[%e] mask %m : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    // expected-error @below {{'slcv.vec_for' op operand #1 has 4 lanes where 8 are expected}}
    slcv.vec_for (%f, %k) = %c0 to %end step %c1 vector<8> : index, !slc.stream<vector<4xindex>> {
    }
  }
  return
}

// -----

// Loads.

func.func @case11(%n: index, %in: memref<?xf32>) {
  // expected-error @below {{'slcv.vec_mem_str' op belongs to the access unit and must stand in the body of a loop of the access unit, not in 'func.func'}}
  %v = slcv.vec_mem_str %in[%n] : memref<?xf32>[index] -> !slc.stream<vector<4xf32>>
  return
}

// -----

func.func @case12(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_mem_str' op loads vectors of 'f32', not '!slc.stream<vector<4xf64>>'}}
    %v = slcv.vec_mem_str %in[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf64>>
  }
  return
}

// -----

func.func @case13(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_mem_str' op loads vectors of 'f32', not '!slc.stream<f32>'}}
    %v = slcv.vec_mem_str %in[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<f32>
  }
  return
}

// -----

func.func @case14(%n: index, %in: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_mem_str' op has 1 indices for 'memref<?x?xf32>' of rank 2}}
    %v = slcv.vec_mem_str %in[%e] : memref<?x?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
  }
  return
}

// -----

func.func @case15(%n: index, %in: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_mem_str' op is contiguous in a memref of rank 0}}
    %v = slcv.vec_mem_str %in[] contiguous : memref<f32>[] -> !slc.stream<vector<4xf32>>
  }
  return
}

// -----

func.func @case16(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_mem_str' op operand #1 has 4 lanes where 8 are expected}}
    %v = slcv.vec_mem_str %in[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<8xf32>>
  }
  return
}

// -----

func.func @case17(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{prior use here}}
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{use of value '%m' expects different type than prior uses: '!slc.stream<i1>' vs '!slc.stream<vector<4xi1>>'}}
    %v = slcv.vec_mem_str %in[%e] mask %m : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<f32>
  }
  return
}

// -----

// Arithmetic.

func.func @case18(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    %v = slcv.vec_mem_str %in[%e] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    // expected-error @below {{'slcv.vec_alu_str' op computes vectors of integers, not '!slc.stream<vector<4xf32>>'}}
    %s = slcv.vec_alu_str add %v, %v : !slc.stream<vector<4xf32>>, !slc.stream<vector<4xf32>> -> !slc.stream<vector<4xf32>>
  }
  return
}

// -----

func.func @case19(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_alu_str' op computes 'vector<4xi32>' from an operand of type '!slc.stream<vector<4xindex>>'}}
    %s = slcv.vec_alu_str add %e, %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xi32>>
  }
  return
}

// -----

func.func @case20(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_alu_str' op needs a stream of vectors among its operands}}
    %s = slcv.vec_alu_str add %c1, %c1 : index, index -> !slc.stream<vector<4xindex>>
  }
  return
}

// -----

func.func @case21(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_alu_str' op operand #0 has 4 lanes where 8 are expected}}
    %s = slcv.vec_alu_str add %e, %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<8xindex>>
  }
  return
}

// -----

// Vectors as scalar code sees them.

func.func @case22(%n: index) {
  // expected-error @below {{'slcv.as_scalar' op takes a vector of rank 1 or a stream of such, not 'index'}}
  %s = slcv.as_scalar %n : index to index
  return
}

// -----

func.func @case23(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.as_scalar' op shows '!slc.stream<vector<4xindex>>' as '!slc.stream<index>', not '!slc.stream<i32>'}}
    %s = slcv.as_scalar %e : !slc.stream<vector<4xindex>> to !slc.stream<i32>
  }
  return
}

// -----

func.func @case24(%n: index, %e: !slc.stream<vector<4xindex>>) {
  // expected-error @below {{'slcv.as_scalar' op of a stream must stand in the body of a loop of the access unit, not in 'func.func'}}
  %s = slcv.as_scalar %e : !slc.stream<vector<4xindex>> to !slc.stream<index>
  return
}

// -----

// Buffers.

func.func @case25(%n: index) {
  // expected-error @below {{'slcv.buf_str' op belongs to the access unit and must stand in the body of a loop of the access unit, not in 'func.func'}}
  %buf = slcv.buf_str : !slc.buffer<vector<4xf32>>
  return
}

// -----

func.func @case26(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %buf = slcv.buf_str : !slc.buffer<vector<4xindex>>
    slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<8> {
      // expected-error @below {{'slcv.push' op pushes '!slc.stream<vector<8xindex>>' into '!slc.buffer<vector<4xindex>>'}}
      slcv.push %e, %buf : !slc.stream<vector<8xindex>>, !slc.buffer<vector<4xindex>>
    }
  }
  return
}

// -----

func.func @case27(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %buf = slcv.buf_str : !slc.buffer<index>
    // expected-error @below {{'slcv.push' op must stand in the loop nested beside the buffer's declaration}}
    slcv.push %i, %buf : !slc.stream<index>, !slc.buffer<index>
  }
  return
}

// -----

func.func @case28(%n: index, %buf: !slc.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slcv.push' op must stand in the loop nested beside the buffer's declaration}}
    slcv.push %i, %buf : !slc.stream<index>, !slc.buffer<index>
  }
  return
}

// -----

func.func @stored_type(%n: index, %a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slcv.vec_store_str' op stores vectors of 'f32', not '!slc.stream<vector<4xindex>>'}}
    slcv.vec_store_str %e, %a[%e] : !slc.stream<vector<4xindex>>, memref<?xf32>[!slc.stream<vector<4xindex>>]
  }
  return
}

// -----

func.func @stored_lanes(%n: index, %a: memref<?xindex>, %b: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %w = slc.fwd_str %i : !slc.stream<index> -> !slc.stream<vector<8xindex>>
    slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
      // expected-error @below {{'slcv.vec_store_str' op operand #2 has 4 lanes where 8 are expected}}
      slcv.vec_store_str %w, %a[%e] : !slc.stream<vector<8xindex>>, memref<?xindex>[!slc.stream<vector<4xindex>>]
    }
  }
  return
}

// -----

func.func @unknown_cache(%n: index, %a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{expected a cache: l1, l2 or llc, not 'dram'}}
    %v = slcv.vec_mem_str %a[%e] level dram : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
  }
  return
}

// -----

func.func @store_after_nested(%n: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %m) = %c0 to %n step %c1 vector<4> {
    slc.for %j = %c0 to %n step %c1 {
    }
    // expected-error @below {{'slcv.vec_store_str' op must stand before the loop nested in the same body: the access unit does not come back to it}}
    slcv.vec_store_str %e, %a[%e] : !slc.stream<vector<4xindex>>, memref<?xindex>[!slc.stream<vector<4xindex>>]
  }
  return
}
