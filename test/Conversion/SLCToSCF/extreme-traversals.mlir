// Steps and ranges near the limits of an index, in lanes of all configurations,
// executed after recoupling and as decoupled programs: out[k] gets the visited
// values of iteration k, with -1 in lanes the mask switches off.

// DEFINE: %{args} =
// DEFINE: %{expect} =
// DEFINE: %{both} = ember-run %s %{args} --print=0 | FileCheck %s --check-prefix=%{expect} \
// DEFINE:   && ember-opt %s --slc-to-dlc | ember-run - %{args} --print=0 --queue-capacity=1 | FileCheck %s --check-prefix=%{expect}
// RUN: %npy make %t.out.npy i64 "np.full((3, 4), -9)"

// A step that lanes multiply over the end of the index type.
// REDEFINE: %{expect} = ONE
// REDEFINE: %{args} = --entry=far_step @%t.out.npy 0 4
// RUN: %{both}
// REDEFINE: %{args} = --entry=step @%t.out.npy 0 4 4611686018427387904
// RUN: %{both}
// REDEFINE: %{args} = --entry=step @%t.out.npy 0 4 9223372036854775807
// RUN: %{both}
// ONE: {{\[}}[0, -1, -1, -1], [-9, -9, -9, -9], [-9, -9, -9, -9]]

// REDEFINE: %{expect} = THREE
// REDEFINE: %{args} = --entry=far_step @%t.out.npy -9223372036854775808 4611686018427387900
// RUN: %{both}
// REDEFINE: %{args} = --entry=step @%t.out.npy -9223372036854775808 4611686018427387900 4611686018427387904
// RUN: %{both}
// THREE: {{\[}}[-9223372036854775808, -4611686018427387904, 0, -1], [-9, -9, -9, -9], [-9, -9, -9, -9]]

// The whole range of the index type, in two vectors.
// REDEFINE: %{expect} = WHOLE
// REDEFINE: %{args} = --entry=step @%t.out.npy -9223372036854775808 9223372036854775804 3074457345618258602
// RUN: %{both}
// WHOLE: {{\[}}[-9223372036854775808, -6148914691236517206, -3074457345618258604, -2], [3074457345618258600, 6148914691236517202, -1, -1], [-9, -9, -9, -9]]

// REDEFINE: %{expect} = END
// REDEFINE: %{args} = --entry=vector @%t.out.npy 9223372036854775801 9223372036854775807
// RUN: %{both}
// REDEFINE: %{args} = --entry=step @%t.out.npy 9223372036854775801 9223372036854775807 1
// RUN: %{both}
// END: {{\[}}[9223372036854775801, 9223372036854775802, 9223372036854775803, 9223372036854775804], [9223372036854775805, 9223372036854775806, -1, -1], [-9, -9, -9, -9]]

// REDEFINE: %{expect} = NONE
// REDEFINE: %{args} = --entry=vector @%t.out.npy 9223372036854775807 -9223372036854775808
// RUN: %{both}
// REDEFINE: %{args} = --entry=step @%t.out.npy 9223372036854775807 -9223372036854775808 9223372036854775807
// RUN: %{both}
// NONE: {{\[}}[-9, -9, -9, -9], [-9, -9, -9, -9], [-9, -9, -9, -9]]

// Lanes with ranges of their own, all over the index type.
// RUN: %npy make %t.lower.npy i64 "[2**63-4, -2**63, 2**63-1, -1]"
// RUN: %npy make %t.upper.npy i64 "[2**63-2, -2**63+1, -2**63, 2]"
// REDEFINE: %{expect} = LOCKSTEP
// REDEFINE: %{args} = --entry=lockstep @%t.out.npy @%t.lower.npy @%t.upper.npy
// RUN: %{both}
// LOCKSTEP: {{\[}}[9223372036854775804, -9223372036854775808, -1, -1], [9223372036854775805, -1, -1, 0], [-1, -1, -1, 1]]

// A step that leads nowhere, or over the end.
// DEFINE: %{fails} = not ember-run %s %{args} 2>&1 | FileCheck %s --check-prefix=%{expect} \
// DEFINE:   && ember-opt %s --slc-to-dlc | not ember-run - %{args} 2>&1 | FileCheck %s --check-prefix=%{expect}
// REDEFINE: %{expect} = NOT-POSITIVE
// REDEFINE: %{args} = --entry=step @%t.out.npy 0 4 0
// RUN: %{fails}
// REDEFINE: %{args} = --entry=step @%t.out.npy 0 4 -9223372036854775808
// RUN: %{fails}
// NOT-POSITIVE: error: the step of a loop is not positive at
// REDEFINE: %{expect} = TOO-LARGE
// REDEFINE: %{args} = --entry=far_step @%t.out.npy 4611686018427387904 9223372036854775807
// RUN: %{fails}
// REDEFINE: %{args} = --entry=step @%t.out.npy 5 9223372036854775807 9223372036854775803
// RUN: %{fails}
// TOO-LARGE: error: the bound of a loop is too large for its step at

func.func private @store(%out: memref<3x4xi64>, %row: index, %visited: vector<4xindex>, %mask: vector<4xi1>) {
  %off = arith.constant dense<-1> : vector<4xi64>
  %c0 = arith.constant 0 : index
  %values = arith.index_cast %visited : vector<4xindex> to vector<4xi64>
  %shown = arith.select %mask, %values, %off : vector<4xi1>, vector<4xi64>
  vector.store %shown, %out[%row, %c0] : memref<3x4xi64>, vector<4xi64>
  return
}

func.func @vector(%out: memref<3x4xi64>, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  slcv.vec_for (%s, %mask, %n) = %from to %to step %c1 vector<4> {
    slc.callback ite {
      %k = slc.str_to_val %n : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      func.call @store(%out, %k, %v, %m) : (memref<3x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
    }
  }
  return
}

func.func @step(%out: memref<3x4xi64>, %from: index, %to: index, %step: index) {
  slcv.vec_for (%s, %mask, %n) = %from to %to step %step vector<4> {
    slc.callback ite {
      %k = slc.str_to_val %n : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      func.call @store(%out, %k, %v, %m) : (memref<3x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
    }
  }
  return
}

func.func @far_step(%out: memref<3x4xi64>, %from: index, %to: index) {
  %far = arith.constant 4611686018427387904 : index
  slcv.vec_for (%s, %mask, %n) = %from to %to step %far vector<4> {
    slc.callback ite {
      %k = slc.str_to_val %n : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      func.call @store(%out, %k, %v, %m) : (memref<3x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
    }
  }
  return
}

func.func @lockstep(%out: memref<3x4xi64>, %lower: memref<4xi64>, %upper: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  slcv.vec_for (%lane, %all) = %c0 to %c4 step %c1 vector<4> {
    %b = slcv.vec_mem_str %lower[%lane] mask %all : memref<4xi64>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi64>>
    %e = slcv.vec_mem_str %upper[%lane] mask %all : memref<4xi64>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi64>>
    %beg = slc.cast_str %b : !slc.stream<vector<4xi64>> to !slc.stream<vector<4xindex>>
    %end = slc.cast_str %e : !slc.stream<vector<4xi64>> to !slc.stream<vector<4xindex>>
    slcv.vec_for (%s, %mask, %n) = %beg to %end step %c1 vector<4> mask %all : !slc.stream<vector<4xindex>>, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>> {
      slc.callback ite {
        %k = slc.str_to_val %n : !slc.stream<index> -> index
        %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
        %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
        func.call @store(%out, %k, %v, %m) : (memref<3x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
      }
    }
  }
  return
}
