// What a loop of the execute unit asserts does not keep the loops around from
// being decoupled: it stops the program. What is asserted of all that a loop
// reads would send all of it.

// RUN: ember-opt %s --scf-to-slc | FileCheck %s
// RUN: ember-opt %s --scf-to-slc --slc-to-dlc | FileCheck %s --check-prefix=DLC

// CHECK-LABEL: func.func @stops(
// CHECK:      slc.for
// CHECK:        slc.mem_str
// CHECK:        slc.callback ite {
// CHECK:          scf.while
// CHECK:            cf.assert %{{.*}}, "values decrease"
// DLC-LABEL: func.func @stops(
// DLC:         cf.assert %{{.*}}, "values decrease"
func.func @stops(%begins: memref<?xindex>, %values: memref<?xi64>, %out: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  scf.for %i = %c0 to %n step %c1 {
    %begin = memref.load %begins[%i] : memref<?xindex>
    %r:2 = scf.while (%q = %begin, %last = %zero) : (index, i64) -> (index, i64) {
      %x = memref.load %values[%q] : memref<?xi64>
      %more = arith.cmpi ne, %x, %zero : i64
      scf.condition(%more) %q, %x : index, i64
    } do {
    ^bb0(%q: index, %x: i64):
      %next = arith.addi %q, %c1 : index
      %y = memref.load %values[%next] : memref<?xi64>
      %grows = arith.cmpi sge, %y, %x : i64
      cf.assert %grows, "values decrease"
      scf.yield %next, %y : index, i64
    }
    memref.store %r#1, %out[%i] : memref<?xi64>
  }
  return
}

// CHECK-LABEL: func.func @lengths(
// CHECK-NOT:   slc.for
// CHECK:       return
func.func @lengths(%lengths: memref<?xindex>, %offsets: memref<?xindex>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%begin = %c0) -> (index) {
    memref.store %begin, %offsets[%i] : memref<?xindex>
    %x = memref.load %lengths[%i] : memref<?xindex>
    %good = arith.cmpi sge, %x, %c0 : index
    cf.assert %good, "a length is negative"
    %next = arith.addi %begin, %x : index
    scf.yield %next : index
  }
  return %sum : index
}
