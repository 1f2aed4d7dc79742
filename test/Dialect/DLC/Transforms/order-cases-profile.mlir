// Cases in the order of a profile, which ember-run --stats writes.

// RUN: ember-run %s --entry=two 3 7 --stats=%t.json
// RUN: ember-opt %s --order-cases=profile=%t.json -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// REMARK: order-cases-profile.mlir:{{[0-9]+}}:3: remark: the profile has no counts for 'other.0': its cases are ordered by estimates

// More iterations of the outer unit than of the inner one, in which a unit with
// a name is at depth 1; an event that did not happen. Two callbacks at one event,
// of which one is toggled.

// CHECK-LABEL: func.func @two(
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 0 weight 3 {
// CHECK: case 1 weight 1 {
// CHECK: case 2 weight 0 {
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 9 weight 7 {
// CHECK: case 7 weight 4 {
// CHECK: case 8 weight 1 {
func.func @two(%n: index, %m: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %b = dlc.new_tu %c1 to %i step %c2 in %a {ember.name = "inner"} : index, !slc.stream<index>
    %d = dlc.new_tu %c2 to %i step %c2 in %b : index, !slc.stream<index>
    dlc.register_callback %d, ite, 2
    dlc.register_callback %b, ite, 1
    dlc.register_callback %a, ite, 0
  }
  compute {
    dlc.compute_loop
    case 2 {
    }
    case 1 {
    }
    case 0 {
    }
  }
  dlc.program captures(%m = %m : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = dlc.new_tu %c0 to %m step %c1
    %j = dlc.get_ind_var %a : !slc.stream<index>
    %half = dlc.alu_str %a, divs %j, %c2 : !slc.stream<index>, index -> !slc.stream<index>
    dlc.register_callback %a, end, 8
    dlc.register_callback %a, ite, 7 on %half : !slc.stream<index>
    dlc.register_callback %a, ite, 9
  }
  compute {
    dlc.compute_loop
    case 8 {
    }
    case 7 {
    }
    case 9 {
    }
  }
  return
}

// What is wrong with a file is one error.

// DEFINE: %{profile} =
// DEFINE: %{fails} = not ember-opt %s --order-cases=profile=%t.bad.json -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error: --check-prefix

// RUN: rm -f %t.bad.json
// RUN: %{fails}=MISSING
// MISSING: error: profile '{{.*}}.bad.json' cannot be read: No such file or directory
// RUN: echo '{"control_queue": {' > %t.bad.json
// RUN: %{fails}=BROKEN
// BROKEN: error: profile '{{.*}}.bad.json' is no JSON: [2:{{.*}}
// RUN: echo '{"control_queue": {"tokens": 1}}' > %t.bad.json
// RUN: %{fails}=SHAPE
// SHAPE: error: profile '{{.*}}.bad.json' holds no 'control_queue.by_program'; 'ember-run --stats' writes such a file
// RUN: echo '{"control_queue": {"by_program": {"two.0": 3}}}' > %t.bad.json
// RUN: %{fails}=COUNTS
// COUNTS: error: profile '{{.*}}.bad.json' has no counts for 'two.0'
// RUN: echo '{"control_queue": {"by_program": {"two.0": {"tu0.ite": -1}}}}' > %t.bad.json
// RUN: %{fails}=NEGATIVE
// NEGATIVE: error: profile '{{.*}}.bad.json' has no count for 'tu0.ite' of 'two.0'
// RUN: echo '{"control_queue": {"by_program": {"two.1": {"tu0.beg": 4}}}}' > %t.bad.json
// RUN: %{fails}=MISMATCH
// MISMATCH: order-cases-profile.mlir:{{[0-9]+}}:3: error: profile '{{.*}}.bad.json' counts tokens at 'tu0.beg' of 'two.1', where the program has no callback: it is of another program, or of other options

func.func @other(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %a, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
  }
  return
}
