// RUN: ember-opt %s -split-input-file -verify-diagnostics

// Programs.

func.func @not_access(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    // expected-error @below {{'arith.addi' op cannot stand in the access region of a program, which holds traversal units, streams, registrations and constants}}
    %m = arith.addi %n, %n : index
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @constant_stream() {
  dlc.program
  access {
    // expected-error @below {{'ub.poison' op cannot stand in the access region of a program, which holds traversal units, streams, registrations and constants}}
    %s = ub.poison : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @access_in_compute(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
  }
  compute {
    // expected-error @below {{'dlc.new_tu' op cannot stand in the compute region of a program}}
    %tu = dlc.new_tu %n to %n step %n
    dlc.compute_loop
  }
  return
}

// -----

func.func @loop_in_access() {
  dlc.program
  access {
    // expected-error @below {{'dlc.compute_loop' op cannot stand in the access region of a program, which holds traversal units, streams, registrations and constants}}
    dlc.compute_loop
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @no_compute() {
  // expected-error @below {{'dlc.program' op needs a 'dlc.compute_loop' in its compute region}}
  dlc.program
  access {
  }
  compute {
  }
  return
}

// -----

func.func @two_loops() {
  dlc.program
  access {
  }
  compute {
    dlc.compute_loop
    // expected-error @below {{'dlc.compute_loop' op is the second one in its program}}
    dlc.compute_loop
  }
  return
}

// -----

func.func @outside(%n: index) {
  // expected-error @below {{'dlc.new_tu' op expects parent op 'dlc.program'}}
  %tu = dlc.new_tu %n to %n step %n
  return
}

// -----

func.func @loop_outside() {
  // expected-error @below {{'dlc.compute_loop' op expects parent op 'dlc.program'}}
  dlc.compute_loop
  return
}

// -----

func.func @not_captured(%n: index) {
  dlc.program
  access {
  }
  compute {
    // expected-error @below {{use of undeclared SSA value name}}
    %m = arith.addi %n, %n : index
    dlc.compute_loop
  }
  return
}

// -----

func.func @captured_unit(%tu: !dlc.tu) {
  // expected-error @below {{'dlc.program' op operand #0 must be variadic of a value that exists before the program runs, but got '!dlc.tu'}}
  dlc.program captures(%tu = %tu : !dlc.tu)
  access {
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @captured_stream(%s: !slc.stream<index>) {
  // expected-error @below {{'dlc.program' op operand #0 must be variadic of a value that exists before the program runs, but got '!slc.stream<index>'}}
  dlc.program captures(%s = %s : !slc.stream<index>)
  access {
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @capture_of_access(%n: index) {
  // expected-error @below {{'dlc.program' op captures ('index'), but its access region takes ()}}
  "dlc.program"(%n) ({
    "dlc.yield"() : () -> ()
  }, {
  ^bb0(%m: index):
    "dlc.compute_loop"() <{cases = array<i64>}> : () -> ()
    "dlc.yield"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @capture_of_compute(%n: index) {
  // expected-error @below {{'dlc.program' op captures ('index'), but its compute region takes ('i64')}}
  "dlc.program"(%n) ({
  ^bb0(%m: index):
    "dlc.yield"() : () -> ()
  }, {
  ^bb0(%m: i64):
    "dlc.compute_loop"() <{cases = array<i64>}> : () -> ()
    "dlc.yield"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @access_yields(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    // expected-error @below {{'dlc.yield' op yields a value of the access program; results come from the compute program}}
    dlc.yield %n : index
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @other_results(%n: index) {
  // expected-error @below {{'dlc.program' op returns ('i64') but its compute region yields ('index')}}
  %r = dlc.program captures(%n = %n : index) -> (i64)
  access {
  }
  compute {
    dlc.compute_loop
    dlc.yield %n : index
  }
  return
}

// -----

// Traversal units.

func.func @case1(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'dlc.new_tu' op step must be positive, but is 0}}
    %tu = dlc.new_tu %c0 to %n step %c0
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case2(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op has a mask or a configuration for lanes, but no lanes}}
    %tu = "dlc.new_tu"(%c0, %n, %c1) {config = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (index, index, index) -> !dlc.tu
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case3(%n: index, %m: vector<4xi1>) {
  dlc.program captures(%n = %n : index, %m = %m : vector<4xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op has a mask or a configuration for lanes, but no lanes}}
    %tu = dlc.new_tu %c0 to %n step %c1 mask %m : index, index, vector<4xi1>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case4(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{vector length must be in [1, 1024], not 0}}
    %tu = dlc.new_tu %c0 to %n step %c1 vector<0>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case5(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op vector length must be in [1, 1024], not 1025}}
    %tu = "dlc.new_tu"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, vectorLength = 1025 : i64}> : (index, index, index) -> !dlc.tu
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case6(%n: index, %x: f32) {
  dlc.program captures(%n = %n : index, %x = %x : f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %f = dlc.fwd_str %tu, %x : f32 -> !slc.stream<f32>
    // expected-error @below {{'dlc.new_tu' op bound must be an index or a stream of indices, not '!slc.stream<f32>'}}
    %in = dlc.new_tu %f to %n step %c1 in %tu : !slc.stream<f32>, index
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case7(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    // expected-error @below {{'dlc.new_tu' op bound has 4 lanes, the unit has 8}}
    %in = dlc.new_tu %i to %n step %c1 in %tu vector<8> : !slc.stream<vector<4xindex>>, index
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case8(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    // expected-error @below {{'dlc.new_tu' op with a range a lane must have the configuration 'vector', not 'bcast'}}
    %in = dlc.new_tu %c0 to %i step %c1 in %tu vector<4> bcast : index, !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case9(%n: index, %m: vector<8xi1>) {
  dlc.program captures(%n = %n : index, %m = %m : vector<8xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op mask must be 4 lanes of i1, not 'vector<8xi1>'}}
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4> mask %m : index, index, vector<8xi1>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case10(%n: index, %m: vector<4xi1>) {
  dlc.program captures(%n = %n : index, %m = %m : vector<4xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4> mask %m
    // expected-error @below {{expected ':' and the types of bounds and mask}}
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case11(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.new_tu' op is the second unit without a parent; units form one chain}}
    %other = dlc.new_tu %c0 to %n step %c1
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case12(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-note @below {{the first}}
    %one = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-error @below {{'dlc.new_tu' op is the second unit in its parent; units form one chain}}
    %two = dlc.new_tu %c0 to %n step %c1 in %tu
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Streams of a unit.

func.func @case15(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.get_ind_var' op of this traversal unit is '!slc.stream<index>', not '!slc.stream<i32>'}}
    %i = dlc.get_ind_var %tu : !slc.stream<i32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case16(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    // expected-error @below {{'dlc.get_ind_var' op of this traversal unit is '!slc.stream<vector<4xindex>>', not '!slc.stream<index>'}}
    %i = dlc.get_ind_var %tu : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case17(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    // expected-error @below {{'dlc.get_iter_count' op of this traversal unit is '!slc.stream<index>', not '!slc.stream<vector<4xindex>>'}}
    %i = dlc.get_iter_count %tu : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case18(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.get_mask' op needs a traversal unit with lanes}}
    %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case19(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    // expected-error @below {{'dlc.get_mask' op of this traversal unit is '!slc.stream<vector<4xi1>>', not '!slc.stream<vector<8xi1>>'}}
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case20(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-note @below {{the stream}}
    %i = dlc.get_ind_var %in : !slc.stream<index>
    // expected-error @below {{'dlc.alu_str' op reads a stream that has elements only in a unit nested in the one it belongs to}}
    %j = dlc.alu_str %tu, add %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Loads.

func.func @case21(%n: index, %in: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op loads 'f32', not '!slc.stream<f64>'}}
    %v = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f64>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case22(%n: index, %in: memref<?x?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?x?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op has 1 indices for 'memref<?x?xf32>' of rank 2}}
    %v = dlc.mem_str %tu, %in[%i] : memref<?x?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case23(%n: index, %in: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    // expected-error @below {{'dlc.mem_str' op index of type '!slc.stream<vector<4xindex>>' does not fit a stream of type '!slc.stream<f32>'}}
    %v = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case24(%n: index, %in: memref<?xvector<4xf32>>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xvector<4xf32>>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    // One vector is loaded, not one a lane.
    // expected-error @below {{'dlc.mem_str' op index of type '!slc.stream<vector<4xindex>>' does not fit a stream of type '!slc.stream<vector<4xf32>>'}}
    %v = dlc.mem_str %tu, %in[%i] : memref<?xvector<4xf32>>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case25(%n: index, %in: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op loads single elements and cannot be 'contiguous'}}
    %v = dlc.mem_str %tu, %in[%i] contiguous : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case26(%n: index, %in: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
    %i = dlc.fwd_str %tu, %c0 : index -> !slc.stream<vector<8xindex>>
    // expected-error @below {{'dlc.mem_str' op mask must be 8 lanes of i1, not '!slc.stream<vector<4xi1>>'}}
    %v = "dlc.mem_str"(%tu, %in, %i, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (!dlc.tu, memref<?xf32>, !slc.stream<vector<8xindex>>, !slc.stream<vector<4xi1>>) -> !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case27(%n: index, %in: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-note @below {{prior use here}}
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{use of value '%i' expects different type than prior uses: '!slc.stream<i1>' vs '!slc.stream<index>'}}
    %v = dlc.mem_str %tu, %in[%i] mask %i : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case28(%n: index, %in: memref<f32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<f32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    // expected-error @below {{'dlc.mem_str' op is contiguous in a memref of rank 0}}
    %v = dlc.mem_str %tu, %in[] contiguous : memref<f32>[] -> !slc.stream<vector<4xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Arithmetic.

func.func @case29(%n: index, %x: f32) {
  dlc.program captures(%n = %n : index, %x = %x : f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %f = dlc.fwd_str %tu, %x : f32 -> !slc.stream<f32>
    // expected-error @below {{'dlc.alu_str' op computes integers, not 'f32'}}
    %s = dlc.alu_str %tu, add %f, %f : !slc.stream<f32>, !slc.stream<f32> -> !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case30(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.alu_str' op computes 'i32' from an operand of type '!slc.stream<index>'}}
    %s = dlc.alu_str %tu, add %i, %c1 : !slc.stream<index>, index -> !slc.stream<i32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case31(%n: index, %x: f32) {
  dlc.program captures(%n = %n : index, %x = %x : f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %f = dlc.fwd_str %tu, %x : f32 -> !slc.stream<f32>
    // expected-error @below {{'dlc.cast_str' op converts integers and indices of one shape, not 'f32' to 'index'}}
    %s = dlc.cast_str %tu, %f : !slc.stream<f32> to !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case32(%n: index, %x: f32) {
  dlc.program captures(%n = %n : index, %x = %x : f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.fwd_str' op forwards 'f32' as 'f64'; the result must have the element type of the input or a vector of it}}
    %f = dlc.fwd_str %tu, %x : f32 -> !slc.stream<f64>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Registrations.

func.func @case33(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.register_callback' op announces a callback of event 'ite'; only the end of a traversal can be announced}}
    dlc.register_callback %tu, ite, 0 announced
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case34(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.register_callback' op has the token -1; tokens are 31-bit numbers}}
    dlc.register_callback %tu, ite, -1
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case35(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.register_operand' op has the token 9223372036854775807; tokens are 31-bit numbers}}
    dlc.register_operand %tu, ite, %i for 9223372036854775807 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case36(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    // expected-error @below {{'dlc.register_operand' op has no lane 4 in '!slc.stream<vector<4xindex>>'}}
    dlc.register_operand %tu, ite, %i[4] for 0 : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case37(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-note @below {{the stream}}
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    // expected-error @below {{'dlc.register_operand' op reads a stream that has elements only during the traversal}}
    dlc.register_operand %tu, end, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case38(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_callback' op registers token 0 a second time}}
    dlc.register_callback %tu, end, 0
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case39(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.register_operand' op belongs to token 3, which nothing registers}}
    dlc.register_operand %tu, ite, %i for 3 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case40(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op is pushed at another event or in another unit than its callback is triggered}}
    dlc.register_operand %in, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case41(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-note @below {{the callback}}
    dlc.register_callback %in, beg, 0
    // expected-error @below {{'dlc.register_operand' op is pushed at another event or in another unit than its callback is triggered}}
    dlc.register_operand %in, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case42(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    dlc.register_callback %in, end, 0
    dlc.register_operand %in, ite, %i for 0 : !slc.stream<index>
    // expected-error @below {{'dlc.register_operand' op at event 'beg' stands behind an operand of event 'ite', but is pushed and popped before it}}
    dlc.register_operand %in, beg, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case43(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    dlc.register_callback %tu, ite, 1
    // expected-error @below {{'dlc.register_operand' op of token 0 is separated from the others of that token at this event}}
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case44(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    dlc.register_callback %tu, ite, 1
    // expected-error @below {{'dlc.register_operand' op is pushed while the operands of token 0 are; the execute unit cannot tell them apart}}
    dlc.register_operand %tu, ite, %i for 1 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case45(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-note @below {{the callback}}
    dlc.register_callback %in, end, 0
    dlc.register_operand %in, beg, %i for 0 : !slc.stream<index>
    dlc.register_callback %in, beg, 1
    // expected-error @below {{'dlc.register_operand' op is pushed while the operands of token 0 are; the execute unit cannot tell them apart}}
    dlc.register_operand %in, beg, %i for 1 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case46(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, end, 0 announced
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    // expected-error @below {{'dlc.register_callback' op is pushed while the operands of token 0 are; the execute unit cannot tell them apart}}
    dlc.register_callback %in, ite, 1
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Cases.

func.func @case47(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    // expected-error @below {{'dlc.register_callback' op registers token 0, for which the compute program has no case}}
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @case48(%n: index) {
  dlc.program
  access {
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op case 0 is never triggered: no callback registers token 0}}
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @case49(%n: index) {
  dlc.program
  access {
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op case 9223372036854775807 is never triggered: no callback registers token 9223372036854775807}}
    dlc.compute_loop
    case 9223372036854775807 {
    }
  }
  return
}

// -----

func.func @case50(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op has two cases for token 0}}
    dlc.compute_loop
    case 0 {
    }
    case 0 {
    }
  }
  return
}

// -----

func.func @case51(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op has 2 case values for 1 regions}}
    "dlc.compute_loop"() <{cases = array<i64: 0, 1>}> ({
      "dlc.yield"() : () -> ()
    }) : () -> ()
  }
  return
}

// -----

func.func @case52(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op returns ('index') but the iter_args are ()}}
    %r = "dlc.compute_loop"() <{cases = array<i64: 0>}> ({
      "dlc.yield"() : () -> ()
    }) : () -> index
  }
  return
}

// -----

func.func @case53(%n: index) {
  %r = dlc.program captures(%n = %n : index) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op case 0 takes () but the iter_args are ('index')}}
    %r = dlc.compute_loop iter_args(%n) -> (index)
    case 0 {
      dlc.yield %n : index
    }
    dlc.yield %r : index
  }
  return
}

// -----

func.func @case54(%n: index) {
  %r = dlc.program captures(%n = %n : index) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op case 0 yields () but the iter_args are ('index')}}
    %r = dlc.compute_loop iter_args(%n) -> (index)
    case 0 {
    ^bb0(%i: index):
      dlc.yield
    }
    dlc.yield %r : index
  }
  return
}

// -----

func.func @case55(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op expects regions to end with 'dlc.yield', found 'llvm.unreachable'}}
    // expected-note @below {{in custom textual format, the absence of terminator implies 'dlc.yield'}}
    "dlc.compute_loop"() <{cases = array<i64: 0>}> ({
      "llvm.unreachable"() : () -> ()
    }) : () -> ()
  }
  return
}

// -----

// Operands.

func.func @case56(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op has no operand to pop: case 0 gets 0}}
      %v = dlc.pop_operand : index
    }
  }
  return
}

// -----

func.func @case57(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    // expected-note @below {{pushed here}}
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op pops 'f32' where the access program pushes 'index'}}
      %v = dlc.pop_operand : f32
    }
  }
  return
}

// -----

func.func @case58(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op is never popped by case 0}}
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @case59(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    // expected-note @below {{pushed here}}
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op pops a buffer where the access program pushes a single operand}}
      %v = dlc.pop_operand size %n : memref<?xindex>
    }
  }
  return
}

// -----

func.func @case60(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    // expected-note @below {{pushed here}}
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op pops a buffer whose elements another operand's come between}}
      %v = dlc.pop_operand size %n : memref<?xindex>
      %w = dlc.pop_operand size %n : memref<?xindex>
    }
  }
  return
}

// -----

func.func @case61(%n: index, %keep: memref<?xindex>) {
  %r = dlc.program captures(%n = %n : index, %keep = %keep : memref<?xindex>) -> (memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    %r = dlc.compute_loop iter_args(%keep) -> (memref<?xindex>)
    case 0 {
    ^bb0(%old: memref<?xindex>):
      %v = dlc.pop_operand size %n : memref<?xindex>
      %cast = memref.cast %v : memref<?xindex> to memref<4xindex>
      %back = memref.cast %cast : memref<4xindex> to memref<?xindex>
      // expected-error @below {{'dlc.yield' op hands on a popped buffer, which ends with its case}}
      dlc.yield %back : memref<?xindex>
    }
    dlc.yield %r : memref<?xindex>
  }
  return
}

// -----

func.func @case62(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op pops a buffer as a contiguous memref of rank 1 and dynamic size, not 'memref<4xindex>'}}
      %v = dlc.pop_operand size %n : memref<4xindex>
    }
  }
  return
}

// -----

func.func @case63(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op pops a buffer as a contiguous memref of rank 1 and dynamic size, not 'memref<?xindex, strided<[?]>>'}}
      %v = dlc.pop_operand size %n : memref<?xindex, strided<[?]>>
    }
  }
  return
}

// -----

func.func @case64(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op needs the 'size' of the buffer}}
      %v = dlc.pop_operand : memref<?xindex>
    }
  }
  return
}

// -----

func.func @case65(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.pop_operand' op takes no 'size' for a single operand}}
      %v = dlc.pop_operand size %n : index
    }
  }
  return
}

// -----

func.func @pop_outside() {
  // expected-error @below {{'dlc.pop_operand' op must stand in a case of a 'dlc.compute_loop'}}
  %v = dlc.pop_operand : index
  return
}

// -----

func.func @yield_outside() {
  // expected-error @below {{'dlc.yield' op expects parent op to be one of 'dlc.compute_loop, dlc.program'}}
  dlc.yield
}

// -----

func.func @sums_other_type(%n: index, %x: i32) {
  dlc.program captures(%n = %n : index, %x = %x : i32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.acc_str' op sums up '!slc.stream<index>' from an initial value of type 'i32'}}
    %s = dlc.acc_str %tu, %i from %x : !slc.stream<index>, i32
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @sums_other_unit(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-error @below {{'dlc.acc_str' op sums up a stream of another traversal unit}}
    %s = dlc.acc_str %in, %i from %c0 : !slc.stream<index>, index
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @sums_from_itself(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.acc_str' op starts from a stream of its own traversal unit, which has no element before the traversal begins}}
    %s = dlc.acc_str %tu, %i from %i : !slc.stream<index>, !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @sums_in_lanes(%n: index, %in: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %v = dlc.mem_str %tu, %in[%c0] : memref<?xindex>[index] -> !slc.stream<index>
    // expected-error @below {{'dlc.acc_str' op needs a traversal unit without lanes}}
    %s = dlc.acc_str %tu, %v from %c0 : !slc.stream<index>, index
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Values of tokens.

func.func @value_vector(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %e = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    // expected-error @below {{'dlc.register_callback' op carries a 'vector<4xindex>'; the value of a token is an index, an integer or a float of at most 64 bits}}
    dlc.register_callback %tu, ite, 0 value %e : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @value_wide(%n: index, %x: i65) {
  dlc.program captures(%n = %n : index, %x = %x : i65)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.fwd_str %tu, %x : i65 -> !slc.stream<i65>
    // expected-error @below {{'dlc.register_callback' op carries a 'i65'; the value of a token is an index, an integer or a float of at most 64 bits}}
    dlc.register_callback %tu, ite, 0 value %v : !slc.stream<i65>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @value_lane(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.register_callback' op has no lane 0 in '!slc.stream<index>'}}
    dlc.register_callback %tu, ite, 0 value %i[0] : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @lane_of_nothing(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.register_callback' op has a lane of no value}}
    "dlc.register_callback"(%tu) <{event = 1 : i32, id = 0 : i64, lane = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!dlc.tu) -> ()
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @value_ended(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-note @above {{the stream}}
    // expected-error @below {{'dlc.register_callback' op reads a stream that has elements only during the traversal}}
    dlc.register_callback %tu, end, 0 value %i : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.token_value : index
    }
  }
  return
}

// -----

func.func @value_unread(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.register_callback' op carries a value that case 0 does not read}}
    dlc.register_callback %tu, ite, 0 value %i : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @value_missing(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.token_value' op reads 'index' where the token carries no value}}
      %v = dlc.token_value : index
    }
  }
  return
}

// -----

func.func @value_type(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, ite, 0 value %i : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.token_value' op reads 'i64' where the token carries 'index'}}
      %v = dlc.token_value : i64
    }
  }
  return
}

// -----

func.func @value_twice(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0 value %i : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.token_value : index
      // expected-error @below {{'dlc.token_value' op is the second one in its case}}
      %w = dlc.token_value : index
    }
  }
  return
}

// -----

// What precedes the token would be popped after its value.

func.func @value_late(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %outer = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %outer : !slc.stream<index>
    %tu = dlc.new_tu %c0 to %n step %c1 in %outer
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, end, 0 value %i : !slc.stream<index>
    // expected-error @below {{'dlc.register_operand' op is pushed before the token, whose value comes first}}
    dlc.register_operand %tu, beg, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.token_value : index
      %w = dlc.pop_operand : index
    }
  }
  return
}

// -----

// A value may follow its token as an operand.

func.func @value_between(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %inner = dlc.new_tu %c0 to %n step %c1 in %tu
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    // expected-error @below {{'dlc.register_callback' op is pushed while the operands of token 0 are; the execute unit cannot tell them apart}}
    dlc.register_callback %inner, beg, 1 value %i : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %row = dlc.pop_operand size %n : memref<?xindex>
    }
    case 1 {
      %v = dlc.token_value : index
    }
  }
  return
}

// -----

func.func @stored_type(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.store_str' op stores 'f32', not '!slc.stream<index>'}}
    dlc.store_str %tu, %e, %a[%e] : !slc.stream<index>, memref<?xf32>[!slc.stream<index>]
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @stored_mask(%n: index, %a: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.store_str' op stores single elements and cannot be 'contiguous'}}
    dlc.store_str %tu, %e, %a[%e] contiguous : !slc.stream<index>, memref<?xindex>[!slc.stream<index>]
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Streams of a nested unit have no element where an outer one stores.
func.func @stored_depth(%n: index, %a: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %outer = dlc.new_tu %c0 to %n step %c1
    %inner = dlc.new_tu %c0 to %n step %c1 in %outer
    // expected-note @below {{the stream}}
    %e = dlc.get_ind_var %inner : !slc.stream<index>
    // expected-error @below {{'dlc.store_str' op reads a stream that has elements only in a unit nested in the one it belongs to}}
    dlc.store_str %outer, %e, %a[%c0] : !slc.stream<index>, memref<?xindex>[index]
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @toggle_event(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %outer = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %outer : !slc.stream<index>
    %tu = dlc.new_tu %c0 to %n step %c1 in %outer
    // expected-error @below {{'dlc.register_callback' op toggles a callback of event 'beg'; elements of a stream are compared from iteration to iteration}}
    dlc.register_callback %tu, beg, 0 on %p : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

// No unit around it iterates.
func.func @toggle_outermost(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.register_callback' op toggles a callback of event 'end'; elements of a stream are compared from iteration to iteration}}
    dlc.register_callback %tu, end, 0 on %p : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

// The tokens of both may be pushed at once, and their rows be mixed.
func.func @toggles_of_two_streams(%n: index, %x: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %x = %x : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %outer = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %outer : !slc.stream<index>
    %q = dlc.alu_str %outer, add %p, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %tu = dlc.new_tu %c0 to %n step %c1 in %outer
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %x[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // expected-note @below {{the callback}}
    dlc.register_callback %tu, end, 0 announced on %p : !slc.stream<index>
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
    dlc.register_callback %tu, end, 1 announced on same %q : !slc.stream<index>
    // expected-error @below {{'dlc.register_operand' op is pushed while the operands of token 0 are; the execute unit cannot tell them apart}}
    dlc.register_operand %tu, ite, %v for 1 : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %r = dlc.pop_operand size %n : memref<?xf32>
    }
    case 1 {
      %r = dlc.pop_operand size %n : memref<?xf32>
    }
  }
  return
}

// -----

func.func @toggle_type(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %a[%p] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // expected-error @below {{'dlc.register_callback' op is toggled by a stream of 'f32'; only an index or an integer toggles}}
    dlc.register_callback %tu, ite, 0 on %v : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

// Weights of cases.

func.func @some_weights(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
    dlc.register_callback %tu, end, 1
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
    // expected-error @below {{either every case has a weight or none}}
    case 1 weight 3 {
    }
  }
  return
}

// -----

func.func @other_weights(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
    dlc.register_callback %tu, end, 1
  }
  compute {
    dlc.compute_loop
    case 0 weight 3 {
    }
    // expected-error @below {{either every case has a weight or none}}
    case 1 {
    }
  }
  return
}

// -----

func.func @negative_weight(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op case 0 has the weight -1; weights are counts}}
    dlc.compute_loop
    case 0 weight -1 {
    }
  }
  return
}

// -----

func.func @many_weights(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
  }
  compute {
    // expected-error @below {{'dlc.compute_loop' op has 2 weights for 1 cases}}
    "dlc.compute_loop"() <{cases = array<i64: 0>, weights = array<i64: 1, 2>}> ({
      "dlc.yield"() : () -> ()
    }) : () -> ()
  }
  return
}

// -----

func.func @compared_types(%n: index, %m: i32) {
  dlc.program captures(%n = %n : index, %m = %m : i32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.cmp_str' op compares integers of one type, not '!slc.stream<index>' with 'i32'}}
    %v = dlc.cmp_str %tu, slt %i, %m : !slc.stream<index>, i32 -> !slc.stream<i1>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @choice_condition(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.sel_str' op chooses by i1 or vectors of it, not by '!slc.stream<index>'}}
    %v = dlc.sel_str %tu, %i, %i, %n : !slc.stream<index>, !slc.stream<index>, index -> !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @segments_by_step(%n: index, %rows: memref<?xi64>) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xi64>)
  access {
    %c2 = arith.constant 2 : index
    // expected-error @below {{'dlc.new_tu' op goes over segments, which it finds one after the other, and needs a step of 1 and no lanes}}
    %row = dlc.new_tu %n to %n step %c2 segments(%rows : memref<?xi64>)
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @segments_in_lanes(%n: index, %rows: memref<?xi64>) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xi64>)
  access {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op goes over segments, which it finds one after the other, and needs a step of 1 and no lanes}}
    %row = dlc.new_tu %n to %n step %c1 vector<4> segments(%rows : memref<?xi64>)
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @end_of_range(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c1 = arith.constant 1 : index
    %row = dlc.new_tu %n to %n step %c1
    // expected-error @below {{'dlc.get_segment_end' op needs a traversal unit that goes over segments}}
    %end = dlc.get_segment_end %row : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @value_outside() {
  dlc.program
  access {
  }
  compute {
    dlc.compute_loop
    // expected-error @below {{'dlc.token_value' op expects parent op 'dlc.compute_loop'}}
    %v = dlc.token_value : index
  }
  return
}

// -----

func.func @masked_store(%n: index, %a: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    %ok = dlc.cmp_str %tu, sge %e, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    // expected-error @below {{'dlc.store_str' op stores single elements and cannot have a mask}}
    dlc.store_str %tu, %e, %a[%e] mask %ok : !slc.stream<index>, memref<?xindex>[!slc.stream<index>]
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @else_without_mask(%n: index, %a: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op has an 'else' without a mask}}
    %v = dlc.mem_str %tu, %a[%e] else %c0 : memref<?xindex>[!slc.stream<index>], index -> !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @else_of_other_type(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    %ok = dlc.cmp_str %tu, sge %e, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    // expected-error @below {{'dlc.mem_str' op loads 'f32' and has 'index' where the mask is false}}
    %v = dlc.mem_str %tu, %a[%e] mask %ok else %c0 : memref<?xf32>[!slc.stream<index>], index -> !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @toggled_and_masked(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    %ok = dlc.cmp_str %tu, sge %e, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    // expected-error @below {{'dlc.register_callback' op is toggled and has a mask: which iteration would be the first is not defined}}
    dlc.register_callback %tu, ite, 0 mask %ok : !slc.stream<i1> on %e : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// -----

func.func @mask_of_its_own_traversal(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %e = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-note @below {{the stream}}
    %ok = dlc.cmp_str %tu, sge %e, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    // expected-error @below {{'dlc.register_callback' op reads a stream that has elements only during the traversal}}
    dlc.register_callback %tu, end, 0 mask %ok : !slc.stream<i1>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}
