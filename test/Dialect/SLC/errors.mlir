// RUN: ember-opt %s -split-input-file -verify-diagnostics

// Types.

// expected-error @below {{element type must be index, a signless integer, a float or a vector of these, but is 'tensor<4xf32>'}}
func.func private @tensor_stream(!slc.stream<tensor<4xf32>>)

// -----

// expected-error @below {{element type must be index, a signless integer, a float or a vector of these, but is 'si32'}}
func.func private @signed_buffer(!slc.buffer<si32>)

// -----

// expected-error @below {{element 'vector<2x2xf32>' must be a fixed-length vector of rank 1}}
func.func private @matrix_stream(!slc.stream<vector<2x2xf32>>)

// -----

// expected-error @below {{element 'vector<[4]xf32>' must be a fixed-length vector of rank 1}}
func.func private @scalable_stream(!slc.stream<vector<[4]xf32>>)

// -----

// Loops.

func.func @case0(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'slc.for' op step must be positive, but is 0}}
  slc.for %i = %n to %n step %c0 {
  }
  return
}

// -----

func.func @case1(%n: index, %s: !slc.stream<index>) {
  // expected-error @below {{'slc.for' op operand #1 is a stream from outside of the nest}}
  slc.for %i = %n to %s step %n : index, !slc.stream<index> {
  }
  return
}

// -----

func.func @case2(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-note @below {{defined here}}
    %m = slc.callback ite -> index {
      slc.yield %n : index
    }
    // expected-error @below {{'slc.for' op operand #1 is a value of the execute unit, which the access unit cannot read; it must be a stream or be defined outside the nest}}
    slc.for %j = %c0 to %m step %c1 {
    }
  }
  return
}

// -----

func.func @case3(%n: index) {
  // expected-error @below {{'slc.for' op has a body that takes ('!slc.stream<index>') and not, first of all, ('!slc.stream<index>', '!slc.stream<index>')}}
  "slc.for"(%n, %n, %n) ({
  ^bb0(%i: !slc.stream<index>):
    slc.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @case4(%n: index) {
  // expected-error @below {{'slc.for' op has a body that takes ('!slc.stream<index>', '!slc.stream<i32>') and not, first of all, ('!slc.stream<index>', '!slc.stream<index>')}}
  "slc.for"(%n, %n, %n) ({
  ^bb0(%i: !slc.stream<index>, %count: !slc.stream<i32>):
    slc.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @case5(%n: index) {
  // expected-error @below {{'slc.for' op has 1 iter_args, 1 loop-carried block arguments, 0 yielded values and 1 results; all must be as many}}
  %r = slc.for %i = %n to %n step %n iter_args(%a = %n) -> (index) {
    slc.yield
  }
  return
}

// -----

func.func @case6(%n: index, %s: !slc.stream<index>) {
  // expected-error @below {{'slc.for' op iter_arg #0 is a stream; loop-carried values belong to the execute unit}}
  %r = slc.for %i = %n to %n step %n iter_args(%a = %s) -> (!slc.stream<index>) {
    slc.yield %a : !slc.stream<index>
  }
  return
}

// -----

func.func @case7(%n: index, %x: f32) {
  // expected-error @below {{'slc.for' op iter_arg #0 of type 'index' is carried as 'index', yielded as 'f32' and returned as 'index'}}
  %r = slc.for %i = %n to %n step %n iter_args(%a = %n) -> (index) {
    slc.yield %x : f32
  }
  return
}

// -----

func.func @case8(%n: index) {
  %r = slc.for %i = %n to %n step %n
      // expected-error @below {{1 iter_args but 2 result types}}
      iter_args(%a = %n) -> (index, index) {
    slc.yield %a : index
  }
  return
}

// -----

func.func @case9(%n: index) {
  // expected-note @below {{the loop}}
  slc.for %i = %n to %n step %n {
    // expected-error @below {{'arith.addi' op cannot stand in the body of a loop of the access unit; compute code belongs in an 'slc.callback', values that do not change during the nest before it}}
    %m = arith.addi %n, %n : index
  }
  return
}

// -----

func.func @case10(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-note @below {{the first}}
    slc.for %j = %c0 to %n step %c1 {
    }
    // expected-error @below {{'slc.for' op is the second loop at this level; a nest has one loop a level}}
    slc.for %k = %c0 to %n step %c1 {
    }
  }
  return
}

// -----

func.func @case11(%n: index) {
  // expected-error @below {{'slc.for' op expects regions to end with 'slc.yield', found 'llvm.unreachable'}}
  // expected-note @below {{in custom textual format, the absence of terminator implies 'slc.yield'}}
  slc.for %i = %n to %n step %n {
    llvm.unreachable
  }
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{'slc.yield' op ends a loop of the access unit or an 'slc.callback'}}
  slc.yield
}

// -----

// Streams.

func.func @case12(%n: index) {
  // expected-error @below {{'slc.fwd_str' op belongs to the access unit and must stand in the body of a loop of the access unit, not in 'func.func'}}
  %s = slc.fwd_str %n : index -> !slc.stream<index>
  return
}

// -----

func.func @case13(%n: index, %in: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.mem_str' op has 1 indices for 'memref<?x?xf32>' of rank 2}}
    %v = slc.mem_str %in[%i] : memref<?x?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  return
}

// -----

func.func @case14(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.mem_str' op loads 'f32' but its result is '!slc.stream<f64>'}}
    %v = slc.mem_str %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f64>
  }
  return
}

// -----

func.func @case15(%n: index, %in: memref<?xf32>, %s: !slc.stream<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.mem_str' op operand #1 is a stream from outside of the nest}}
    %v = slc.mem_str %in[%s] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  return
}

// -----

func.func @case16(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-note @below {{defined here}}
    %m = slc.callback ite -> index {
      slc.yield %n : index
    }
    // expected-error @below {{'slc.mem_str' op operand #1 is a value of the execute unit, which the access unit cannot read; it must be a stream or be defined outside the nest}}
    %v = slc.mem_str %in[%m] : memref<?xf32>[index] -> !slc.stream<f32>
  }
  return
}

// -----

func.func @case17(%n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.alu_str' op computes 'index' from an operand of type 'i32'}}
    %s = slc.alu_str add %i, %x : !slc.stream<index>, i32 -> !slc.stream<index>
  }
  return
}

// -----

func.func @case18(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.alu_str' op needs a stream among its operands}}
    %s = slc.alu_str add %n, %n : index, index -> !slc.stream<index>
  }
  return
}

// -----

func.func @case19(%n: index, %in: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // expected-error @below {{'slc.cast_str' op converts integers and indices of one shape, not 'f32' to 'index'}}
    %s = slc.cast_str %v : !slc.stream<f32> to !slc.stream<index>
  }
  return
}

// -----

func.func @case20(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.cast_str' op converts integers and indices of one shape, not 'index' to 'vector<4xi32>'}}
    %s = slc.cast_str %i : !slc.stream<index> to !slc.stream<vector<4xi32>>
  }
  return
}

// -----

func.func @case21(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.fwd_str' op forwards 'index' as 'i32'; the result must have the element type of the input or a vector of it}}
    %s = slc.fwd_str %i : !slc.stream<index> -> !slc.stream<i32>
  }
  return
}

// -----

// Compute.

func.func @case22(%n: index, %s: !slc.stream<index>) {
  // expected-error @below {{'slc.str_to_val' op stands outside of any nest}}
  %v = slc.str_to_val %s : !slc.stream<index> -> index
  return
}

// -----

func.func @case23(%n: index, %s: !slc.stream<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.str_to_val' op reads a stream from outside of the nest}}
      %v = slc.str_to_val %s : !slc.stream<index> -> index
    }
  }
  return
}

// -----

func.func @case24(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.str_to_val' op reads 'index' but its result is 'i64'}}
      %v = slc.str_to_val %i : !slc.stream<index> -> i64
    }
  }
  return
}

// -----

func.func @case25(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.str_to_val' op has no lane 0 in '!slc.stream<index>'}}
      %v = slc.str_to_val %i[0] : !slc.stream<index> -> index
    }
  }
  return
}

// -----

func.func @case26(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %w = slc.fwd_str %i : !slc.stream<index> -> !slc.stream<vector<4xindex>>
    slc.callback ite {
      // expected-error @below {{'slc.str_to_val' op has no lane 4 in '!slc.stream<vector<4xindex>>'}}
      %v = slc.str_to_val %w[4] : !slc.stream<vector<4xindex>> -> index
    }
  }
  return
}

// -----

func.func @case27(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      %v = slc.str_to_val %i : !slc.stream<index> -> index
      // expected-error @below {{'slc.str_to_val' op reads a stream or a buffer, not 'index'}}
      %w = slc.str_to_val %v : index -> index
    }
  }
  return
}

// -----

func.func @case28(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %buf = slcv.buf_str : !slc.buffer<index>
    slc.for %j = %c0 to %n step %c1 {
      slcv.push %j, %buf : !slc.stream<index>, !slc.buffer<index>
    }
    slc.callback end {
      // expected-error @below {{'slc.str_to_val' op cannot take one lane of a buffer}}
      %row = slc.str_to_val %buf[0] : !slc.buffer<index> -> index
    }
  }
  return
}

// -----

func.func @case29(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %buf = slcv.buf_str : !slc.buffer<index>
    slc.for %j = %c0 to %n step %c1 {
      slcv.push %j, %buf : !slc.stream<index>, !slc.buffer<index>
    }
    slc.callback end {
      // expected-error @below {{'slc.str_to_val' op gives the elements of a buffer as 'memref<?xindex>', not 'memref<4xindex>'}}
      %row = slc.str_to_val %buf : !slc.buffer<index> -> memref<4xindex>
    }
  }
  return
}

// -----

func.func @case30(%n: index) {
  // expected-error @below {{'slc.callback' op must stand in the body of a loop of the access unit, not in 'func.func'}}
  slc.callback ite {
  }
  return
}

// -----

func.func @case31(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{expected an event: beg, ite or end, not 'each'}}
    slc.callback each {
    }
  }
  return
}

// -----

func.func @case32(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.callback' op with event 'beg' must stand before the loop nested in the same body}}
    slc.callback beg {
    }
  }
  return
}

// -----

func.func @case33(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.for %j = %c0 to %n step %c1 {
    }
    // expected-error @below {{'slc.callback' op with event 'beg' must stand before the loop nested in the same body}}
    slc.callback beg {
    }
  }
  return
}

// -----

func.func @case34(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.callback' op with event 'end' must stand after the loop nested in the same body}}
    slc.callback end {
    }
    slc.for %j = %c0 to %n step %c1 {
    }
  }
  return
}

// -----

func.func @case35(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.callback' op along control flow edge from Operation slc.yield to parent: successor operand type #0 'index' should match successor input type #0 'f32'}}
    %r = slc.callback ite -> f32 {
      // expected-note @below {{region branch point}}
      slc.yield %n : index
    }
  }
  return
}

// -----

func.func @case36(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.alu_str' op belongs to the access unit and must stand in the body of a loop of the access unit, not in 'slc.callback'}}
      %j = slc.alu_str add %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    }
  }
  return
}

// -----

func.func @case37(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.for' op belongs to the access unit and cannot stand in an 'slc.callback'}}
      slc.for %j = %c0 to %n step %c1 {
      }
    }
  }
  return
}

// -----

func.func @case38(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'builtin.unrealized_conversion_cast' op in an 'slc.callback' reads a stream; take its element with 'slc.str_to_val' first}}
      %v = builtin.unrealized_conversion_cast %i : !slc.stream<index> to index
    }
  }
  return
}

// -----

func.func @bound_from_inside(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{operand is unlinked}}
  slc.for %e = %c0 to %n step %c1 {
    slc.callback ite {
      %c0 = arith.constant 0 : index
    }
  }
  return
}

// -----

func.func @sums_other_type(%n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.acc_str' op sums up '!slc.stream<index>' from an initial value of type 'i32'}}
    %s = slc.acc_str %i from %x : !slc.stream<index>, i32
  }
  return
}

// -----

func.func @sums_in_lanes(%n: index, %in: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%i, %mask) = %c0 to %n step %c1 vector<4> {
    %v = slc.mem_str %in[%c0] : memref<?xindex>[index] -> !slc.stream<index>
    // expected-error @below {{'slc.acc_str' op stands in a loop with lanes, which have no order to sum up in}}
    %s = slc.acc_str %v from %c0 : !slc.stream<index>, index
  }
  return
}

// -----

func.func @sums_outer(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.for %j = %c0 to %n step %c1 {
      // expected-error @below {{'slc.acc_str' op sums up a stream of another loop than the one it stands in}}
      %s = slc.acc_str %i from %c0 : !slc.stream<index>, index
    }
  }
  return
}

// -----

func.func @sums_from_itself(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.acc_str' op starts from a stream of its own loop, which has no element before the loop begins}}
    %s = slc.acc_str %i from %i : !slc.stream<index>, !slc.stream<index>
  }
  return
}

// -----

func.func @stored_type(%n: index, %a: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.store_str' op stores 'f64', not '!slc.stream<index>'}}
    slc.store_str %i, %a[%i] : !slc.stream<index>, memref<?xf64>[!slc.stream<index>]
  }
  return
}

// -----

func.func @store_rank(%n: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.store_str' op has 2 indices for 'memref<?xindex>' of rank 1}}
    slc.store_str %i, %a[%i, %i] : !slc.stream<index>, memref<?xindex>[!slc.stream<index>, !slc.stream<index>]
  }
  return
}

// -----

func.func @store_after_nested(%n: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.for %j = %c0 to %n step %c1 {
    }
    // expected-error @below {{'slc.store_str' op must stand before the loop nested in the same body: the access unit does not come back to it}}
    slc.store_str %i, %a[%i] : !slc.stream<index>, memref<?xindex>[!slc.stream<index>]
  }
  return
}

// -----

func.func @store_in_callback(%n: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.store_str' op belongs to the access unit and must stand in the body of a loop of the access unit, not in 'slc.callback'}}
      slc.store_str %i, %a[%i] : !slc.stream<index>, memref<?xindex>[!slc.stream<index>]
    }
  }
  return
}

// -----

func.func @compared_types(%n: index, %m: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.cmp_str' op compares integers of one type, not '!slc.stream<index>' with 'i32'}}
    %v = slc.cmp_str slt %i, %m : !slc.stream<index>, i32 -> !slc.stream<i1>
  }
  return
}

// -----

func.func @comparison_result(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.cmp_str' op gives i1 or vectors of it, not '!slc.stream<index>'}}
    %v = slc.cmp_str slt %i, %n : !slc.stream<index>, index -> !slc.stream<index>
  }
  return
}

// -----

func.func @comparison_of_fixed(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.cmp_str' op needs a stream among its operands}}
    %v = slc.cmp_str slt %c0, %n : index, index -> !slc.stream<i1>
  }
  return
}

// -----

func.func @comparison_lanes(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%i, %mask) = %c0 to %n step %c1 vector<4> {
    // expected-error @below {{'slc.cmp_str' op has an operand of 4 lanes for a result of type '!slc.stream<vector<8xi1>>'}}
    %v = slc.cmp_str slt %i, %n : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<8xi1>>
  }
  return
}

// -----

func.func @comparison_without_lanes(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.cmp_str' op needs a stream of vectors among its operands}}
    %v = slc.cmp_str slt %i, %n : !slc.stream<index>, index -> !slc.stream<vector<4xi1>>
  }
  return
}

// -----

func.func @choice_condition(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.sel_str' op chooses by i1 or vectors of it, not by '!slc.stream<index>'}}
    %v = slc.sel_str %i, %i, %n : !slc.stream<index>, !slc.stream<index>, index -> !slc.stream<index>
  }
  return
}

// -----

func.func @choice_types(%n: index, %m: i32, %if: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.sel_str' op chooses between integers of the result's type, '!slc.stream<index>', not 'i32'}}
    %v = slc.sel_str %if, %i, %m : i1, !slc.stream<index>, i32 -> !slc.stream<index>
  }
  return
}

// -----

func.func @choice_of_execute_unit(%n: index, %if: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-note @below {{defined here}}
    %c = slc.callback ite -> i1 {
      slc.yield %if : i1
    }
    // expected-error @below {{'slc.sel_str' op operand #0 is a value of the execute unit, which the access unit cannot read; it must be a stream or be defined outside the nest}}
    %v = slc.sel_str %c, %i, %n : i1, !slc.stream<index>, index -> !slc.stream<index>
  }
  return
}

// -----

func.func @unknown_cache(%n: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{containing one of the following enum values for attribute 'cacheLevel' [l1, l2, llc]}}
    %v = slc.mem_str %a[%i] level l4 : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
  }
  return
}

// -----

// Segments of coordinates.

func.func @count_in_nest(%n: index, %rows: memref<?xi64>) {
  %c1 = arith.constant 1 : index
  slc.for %i = %n to %n step %c1 {
    // expected-error @below {{'slc.segment_count' op in a nest is a stream, not 'index'}}
    %count = slc.segment_count %rows from %n to %n : memref<?xi64>, index, index -> index
  }
  return
}

// -----

func.func @count_outside(%n: index, %rows: memref<?xi64>) {
  // expected-error @below {{'slc.segment_count' op outside of a nest counts and returns values, not streams}}
  %count = slc.segment_count %rows from %n to %n : memref<?xi64>, index, index -> !slc.stream<index>
  return
}

// -----

func.func @count_in_callback(%n: index, %rows: memref<?xi64>) {
  %c1 = arith.constant 1 : index
  slc.for %i = %n to %n step %c1 {
    slc.callback ite {
      // expected-error @below {{'slc.segment_count' op belongs to the access unit and must stand in the body of a loop of the access unit, not in 'slc.callback'}}
      %count = slc.segment_count %rows from %n to %n : memref<?xi64>, index, index -> !slc.stream<index>
    }
  }
  return
}

// -----

func.func @segments_of_other_loop(%n: index, %rows: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{the loop}}
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.segment_str' op needs a loop from 0 in steps of 1 to the 'slc.segment_count' of the same range}}
    %b, %e = slc.segment_str %rows from %c0 to %n : memref<?xi64>, index, index -> !slc.stream<index>, !slc.stream<index>
  }
  return
}

// -----

func.func @segments_of_other_range(%n: index, %rows: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = slc.segment_count %rows from %c1 to %n : memref<?xi64>, index, index -> index
  // expected-note @below {{the loop}}
  slc.for %i = %c0 to %count step %c1 {
    // expected-error @below {{'slc.segment_str' op needs a loop from 0 in steps of 1 to the 'slc.segment_count' of the same range}}
    %b, %e = slc.segment_str %rows from %c0 to %n : memref<?xi64>, index, index -> !slc.stream<index>, !slc.stream<index>
  }
  return
}

// -----

func.func @segments_outside(%n: index, %rows: memref<?xi64>) {
  // expected-error @below {{'slc.segment_str' op must stand in the body of an 'slc.for', whose iterations are the segments}}
  %b, %e = slc.segment_str %rows from %n to %n : memref<?xi64>, index, index -> !slc.stream<index>, !slc.stream<index>
  return
}

// -----

func.func @results_without_else(%n: index, %flags: memref<?xi1>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = slc.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %ok = slc.mem_str %flags[%i] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    // expected-error @below {{'slc.callback' op has 0 values for 'else', but 1 results that a mask leaves without one}}
    %next = slc.callback ite mask %ok : !slc.stream<i1> -> index {
      slc.yield %a : index
    }
    slc.yield %next : index
  }
  return %r : index
}

// -----

func.func @else_without_mask(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = slc.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    // expected-error @below {{'slc.callback' op has 1 values for 'else', but 0 results that a mask leaves without one}}
    %next = slc.callback ite else(%a) -> index {
      slc.yield %a : index
    }
    slc.yield %next : index
  }
  return %r : index
}

// -----

func.func @mask_of_numbers(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.callback' op operand #0 must be stream of i1 or vector of i1, but got '!slc.stream<index>'}}
    slc.callback ite mask %i : !slc.stream<index> {
    }
  }
  return
}

// -----

func.func @load_else_without_mask(%n: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'slc.mem_str' op has an 'else' without a mask}}
    %v = slc.mem_str %a[%i] else %c0 : memref<?xindex>[!slc.stream<index>], index -> !slc.stream<index>
  }
  return
}

// -----

func.func @load_else_of_other_type(%n: index, %a: memref<?xf32>, %flags: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %ok = slc.mem_str %flags[%i] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    // expected-error @below {{'slc.mem_str' op loads 'f32' and has 'index' where the mask is false}}
    %v = slc.mem_str %a[%i] mask %ok else %c0 : memref<?xf32>[!slc.stream<index>], index -> !slc.stream<f32>
  }
  return
}
