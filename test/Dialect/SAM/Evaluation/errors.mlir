// What only shows when a graph is evaluated: one error that names the block.

// RUN: %python -c "import numpy; numpy.save(r'%t.npy', numpy.float32([3, 0, 5])); numpy.save(r'%t.wide.npy', numpy.zeros(3))"
// RUN: not ember-run %s --entry=past @%t.npy 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: 'sam.load' op takes the reference 7 to 'a', which has 2 there
// RUN: not ember-run %s --entry=above @%t.npy 2>&1 | FileCheck %s --check-prefix=ABOVE
// ABOVE: 'sam.scan' op takes the reference 1 to 'a', which has 1 there
// RUN: not ember-run %s --entry=step @%t.npy 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: 'sam.graph' op writes 1 values of 'x' at 2 positions: they are out of step
// RUN: not ember-run %s --entry=unwritten @%t.npy 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: 'sam.graph' op writes no level 0 of 'x'
// RUN: not ember-run %s --entry=outside @%t.npy 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: 'sam.write_level' op writes the coordinate 3 to 'x', whose level 0 has 3
// RUN: not ember-run %s --entry=lists 2>&1 | FileCheck %s --check-prefix=LISTS
// LISTS: 'sam.alu' op has operands in unlike lists
// RUN: not ember-run %s --entry=sides 2>&1 | FileCheck %s --check-prefix=SIDES
// SIDES: 'sam.intersect' op side 1 has other outer lists than side 0
// RUN: not ember-run %s --entry=zero 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: 'sam.alu' op cannot compute div of 1 : i32, 0 : i32

// RUN: not ember-run %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: choose a function with --entry=NAME, one of: past, above,
// RUN: not ember-run %s --entry=past 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 'past' takes 1 arguments, and 0 are given
// RUN: not ember-run %s --entry=past @%t.wide.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: argument 0: '{{.*}}' has elements of float64, and tensor<3xf32, {{.*}}> those of float32
// RUN: not ember-run %s --entry=past 3 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: argument 0: expected a file, .npy, .mtx or .tns, for tensor<3xf32
// RUN: not ember-run %s --entry=past @%t.npy --stats=- 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: --stats is for programs, and 'past' is a graph of blocks

#vector = #cin.format<compressed fill 0.0 : f32>

func.func @past(%A: tensor<3xf32, #vector>) {
  sam.graph ins(%a = %A : tensor<3xf32, #vector>) attributes {names = ["a"]} {
    %r = sam.stream "0 7 S0 D" : !sam.ref<1>
    %v = sam.load %a at %r : tensor<3xf32, #vector>, !sam.ref<1>
  }
  return
}

func.func @above(%A: tensor<3xf32, #vector>) {
  sam.graph ins(%a = %A : tensor<3xf32, #vector>) attributes {names = ["a"]} {
    %r = sam.stream "0 1 S0 D" : !sam.ref<1>
    %i, %s = sam.scan %a[0] at %r : tensor<3xf32, #vector>, !sam.ref<1>
  }
  return
}

func.func @step(%A: tensor<3xf32, #vector>) -> tensor<3xf32, #vector> {
  %0 = sam.graph outs(%x = %A : tensor<3xf32, #vector>) -> tensor<3xf32, #vector> attributes {names = ["x"]} {
    %i = sam.stream "0 2 S0 D" : !sam.crd<1>
    %v = sam.stream "1.5 S0 D" : !sam.val<f32, 1>
    sam.write_level %i to %x[0] : !sam.crd<1>, tensor<3xf32, #vector>
    sam.write_values %v to %x : !sam.val<f32, 1>, tensor<3xf32, #vector>
  }
  return %0 : tensor<3xf32, #vector>
}

func.func @unwritten(%A: tensor<3xf32, #vector>) -> tensor<3xf32, #vector> {
  %0 = sam.graph outs(%x = %A : tensor<3xf32, #vector>) -> tensor<3xf32, #vector> attributes {names = ["x"]} {
    %v = sam.stream "1.5 S0 D" : !sam.val<f32, 1>
    sam.write_values %v to %x : !sam.val<f32, 1>, tensor<3xf32, #vector>
  }
  return %0 : tensor<3xf32, #vector>
}

func.func @outside(%A: tensor<3xf32, #vector>) -> tensor<3xf32, #vector> {
  %0 = sam.graph outs(%x = %A : tensor<3xf32, #vector>) -> tensor<3xf32, #vector> attributes {names = ["x"]} {
    %i = sam.stream "0 3 S0 D" : !sam.crd<1>
    sam.write_level %i to %x[0] : !sam.crd<1>, tensor<3xf32, #vector>
  }
  return %0 : tensor<3xf32, #vector>
}

func.func @lists() {
  sam.graph {
    %a = sam.stream "1 S0 D" : !sam.val<i32, 1>
    %b = sam.stream "1 2 S0 D" : !sam.val<i32, 1>
    %c = sam.alu add(%a, %b) : (!sam.val<i32, 1>, !sam.val<i32, 1>) -> !sam.val<i32, 1>
  }
  return
}

func.func @sides() {
  sam.graph {
    %a = sam.stream "0 S0 1 S1 D" : !sam.crd<2>
    %b = sam.stream "0 S1 D" : !sam.crd<2>
    %c = sam.intersect (%a), (%b) : (!sam.crd<2>), (!sam.crd<2>)
  }
  return
}

func.func @zero() {
  sam.graph {
    %a = sam.stream "1 S0 D" : !sam.val<i32, 1>
    %b = sam.stream "0 S0 D" : !sam.val<i32, 1>
    %c = sam.alu div(%a, %b) : (!sam.val<i32, 1>, !sam.val<i32, 1>) -> !sam.val<i32, 1>
  }
  return
}

// Dimensions with the same index are of one size.
// RUN: %python -c "import numpy; numpy.save(r'%t.two.npy', numpy.float32([1, 2]))"
// RUN: emberc --emit=sam --notation 'x[i] = b[i] + c[i]' > %t.sum.mlir
// RUN: not ember-run %t.sum.mlir @%t.npy @%t.two.npy 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: i: dimension 0 of 'b' and dimension 0 of 'c' are not of one size
