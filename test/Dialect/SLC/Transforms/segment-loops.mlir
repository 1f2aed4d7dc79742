// Loops over segments of equal coordinates are counted loops only where nothing
// stores to the coordinates, the search for the first segment's end included;
// what says that they stay is said of the program's own loops.

// RUN: ember-opt %s --choose-decoupling 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// RUN: %npy make %t.rows.npy i64 "[0, 0, 2, 2, 2, 3]"
// RUN: %npy make %t.lengths.npy i64 "np.zeros(6)"
// RUN: %npy make %t.expected.npy i64 "[2, 0, 3, 1, 0, 0]"
// RUN: ember-run %s --entry=stored_between @%t.rows.npy @%t.lengths.npy --save=1:%t.0.npy --target=cpu
// RUN: %npy compare %t.0.npy %t.expected.npy

// CHECK-LABEL: func.func @stored_between
// CHECK-NOT: slc.segment
// CHECK: return
func.func @stored_between(%rows: memref<?xi64>, %lengths: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %n = memref.dim %rows, %c0 : memref<?xi64>
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %a = memref.load %rows[%c0] : memref<?xi64>
      %b = memref.load %rows[%q] : memref<?xi64>
      %eq = arith.cmpi eq, %a, %b : i64
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  %five = arith.constant 5 : i64
  memref.store %five, %rows[%c1] : memref<?xi64>
  scf.while (%begin = %c0, %end = %first) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %begin, %n : index
    scf.condition(%more) %begin, %end : index, index
  } do {
  ^bb0(%begin: index, %end: index):
    %raw = memref.load %rows[%begin] : memref<?xi64>
    %row = arith.index_cast %raw : i64 to index
    %length = arith.subi %end, %begin : index
    memref.store %length, %lengths[%row] : memref<?xindex>
    %last = scf.while (%q = %end) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %a = memref.load %rows[%end] : memref<?xi64>
        %b = memref.load %rows[%q] : memref<?xi64>
        %eq = arith.cmpi eq, %a, %b : i64
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %end, %last : index, index
  }
  return
}

// CHECK-LABEL: func.func @loaded_before
// CHECK-NOT: slc.segment
// CHECK: return
func.func @loaded_before(%rows: memref<?xi64>, %lengths: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %n = memref.dim %rows, %c0 : memref<?xi64>
  %old = memref.load %rows[%c0] : memref<?xi64>
  %five = arith.constant 5 : i64
  memref.store %five, %rows[%c0] : memref<?xi64>
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %b = memref.load %rows[%q] : memref<?xi64>
      %eq = arith.cmpi eq, %old, %b : i64
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%begin = %c0, %end = %first) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %begin, %n : index
    scf.condition(%more) %begin, %end : index, index
  } do {
  ^bb0(%begin: index, %end: index):
    %raw = memref.load %rows[%begin] : memref<?xi64>
    %row = arith.index_cast %raw : i64 to index
    %length = arith.subi %end, %begin : index
    memref.store %length, %lengths[%row] : memref<?xindex>
    %last = scf.while (%q = %end) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %a = memref.load %rows[%end] : memref<?xi64>
        %b = memref.load %rows[%q] : memref<?xi64>
        %eq = arith.cmpi eq, %a, %b : i64
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %end, %last : index, index
  }
  return
}

func.func private @fill(%n: index, %lengths: memref<?xindex>) attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %n, %lengths[%i] : memref<?xindex>
  }
  return
}

// CHECK-LABEL: func.func @refused
// CHECK-NOT: slc.segment
// CHECK: return
// REMARK: segment-loops.mlir:[[# @LINE + 22]]:3: remark: loop is not offloaded: the call of 'fill' in it runs loops of its own
func.func @refused(%rows: memref<?xi64>, %lengths: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %n = memref.dim %rows, %c0 : memref<?xi64>
  %first = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %a = memref.load %rows[%c0] : memref<?xi64>
      %b = memref.load %rows[%q] : memref<?xi64>
      %eq = arith.cmpi eq, %a, %b : i64
      scf.yield %eq : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%same) %q : index
  } do {
  ^bb0(%q: index):
    %next = arith.addi %q, %c1 : index
    scf.yield %next : index
  }
  scf.while (%begin = %c0, %end = %first) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %begin, %n : index
    scf.condition(%more) %begin, %end : index, index
  } do {
  ^bb0(%begin: index, %end: index):
    %raw = memref.load %rows[%begin] : memref<?xi64>
    %row = arith.index_cast %raw : i64 to index
    func.call @fill(%row, %lengths) : (index, memref<?xindex>) -> ()
    %last = scf.while (%q = %end) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %a = memref.load %rows[%end] : memref<?xi64>
        %b = memref.load %rows[%q] : memref<?xi64>
        %eq = arith.cmpi eq, %a, %b : i64
        scf.yield %eq : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%same) %q : index
    } do {
    ^bb0(%q: index):
      %next = arith.addi %q, %c1 : index
      scf.yield %next : index
    }
    scf.yield %end, %last : index, index
  }
  return
}
