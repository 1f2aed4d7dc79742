// Programs that cannot go on are diagnosed, in any schedule: never a hang.

// RUN: not ember-run %s --entry=step 4 0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not ember-run %s --entry=step 4 -1 --schedule=threads 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not ember-run %s --entry=lockstep 4 0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: ember-run %s --entry=step 4 1
// STEP: error: the step of a loop is not positive at failures.mlir
func.func @step(%n: index, %step: index) {
  dlc.program captures(%n = %n : index, %step = %step : index)
  access {
    %c0 = arith.constant 0 : index
    %tu = dlc.new_tu %c0 to %n step %step
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

func.func @lockstep(%n: index, %step: index) {
  dlc.program captures(%n = %n : index, %step = %step : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %e = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    %in = dlc.new_tu %c0 to %e step %step in %tu vector<4> : index, !slc.stream<vector<4xindex>>
    dlc.register_callback %in, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}

// The row is longer than the compute program takes.

// RUN: not ember-run %s --entry=row 4 3 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not ember-run %s --entry=row 4 3 --schedule=threads 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: error: decoupled program 'row': 8 bytes of operands and 0 tokens were pushed but never popped

// The row is shorter.

// RUN: not ember-run %s --entry=row 4 5 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not ember-run %s --entry=row 4 5 --schedule=threads 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: decoupled program 'row': the compute side pops an operand of 8 bytes after the access side has ended

// The token comes after the row, for which the queue has to have room.

// RUN: ember-run %s --entry=row 4 4 --queue-capacity=4
// RUN: not ember-run %s --entry=row 4 4 --queue-capacity=3 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: not ember-run %s --entry=row 4 4 --queue-capacity=3 --schedule=threads 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: error: decoupled program 'row': deadlock: the access side waits for room in the data queue while the compute side waits for a token
func.func @row(%pushed: index, %popped: index) {
  dlc.program captures(%pushed = %pushed : index, %popped = %popped : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %pushed step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, end, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      scf.for %k = %c0 to %popped step %c1 {
        %v = dlc.pop_operand : index
      }
    }
  }
  return
}

// A failure of either side names what it was handed as the function does.

// RUN: %npy make %t.npy f32 "[1, 2]"
// RUN: not ember-run %s --entry=names 3 1 @%t.npy @%t.npy 2>&1 | FileCheck %s --check-prefix=ACCESS
// RUN: not ember-run %s --entry=names 2 5 @%t.npy @%t.npy 2>&1 | FileCheck %s --check-prefix=COMPUTE
// ACCESS: error: index 2 is out of range for dimension 0 of 'in' of size 2
// COMPUTE: error: index 5 is out of range for dimension 0 of argument 3 of size 2
func.func @names(%n: index, %at: index, %in: memref<?xf32> {ember.name = "in"}, %out: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>, %out = %out : memref<?xf32>, %at = %at : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : f32
      memref.store %v, %out[%at] : memref<?xf32>
    }
  }
  return
}
