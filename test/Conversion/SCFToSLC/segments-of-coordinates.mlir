// Rows in coordinate format are loops that look for where the next row begins:
// the access unit goes over them, as one program and not as one a row. Each
// level computes the same.

// RUN: ember-opt %s --scf-to-slc | FileCheck %s
// RUN: ember-opt %s --scf-to-slc --slc-to-dlc | FileCheck %s --check-prefix=DLC
// RUN: ember-opt %s --scf-to-slc --convert-slc-to-scf | FileCheck %s --check-prefix=SCF

// RUN: %npy make %t.rows.npy i64 "[0, 0, 2, 3, 3, 3]"
// RUN: %npy make %t.cols.npy i64 "[4, 1, 0, 0, 2, 3]"
// RUN: %npy make %t.x.npy f32 "[1, 10, 100, 1000, 10000]"
// RUN: %npy make %t.y.npy f32 "np.ones(4)"
// RUN: %npy make %t.expected.npy f32 "np.array([10011, 1, 2, 1102])"
// RUN: ember-run %s --entry=rows @%t.rows.npy @%t.cols.npy @%t.x.npy @%t.y.npy --save=3:%t.0.npy
// RUN: %npy compare %t.0.npy %t.expected.npy
// RUN: ember-run %s --entry=rows @%t.rows.npy @%t.cols.npy @%t.x.npy @%t.y.npy --save=3:%t.1.npy --target=cpu
// RUN: %npy compare %t.1.npy %t.expected.npy
// RUN: ember-run %s --entry=rows @%t.rows.npy @%t.cols.npy @%t.x.npy @%t.y.npy --save=3:%t.2.npy --target=dae-threads --queue-capacity=1
// RUN: %npy compare %t.2.npy %t.expected.npy
// RUN: ember-opt %s --scf-to-slc --optimize=vector-length=4 | ember-run - --entry=rows @%t.rows.npy @%t.cols.npy @%t.x.npy @%t.y.npy --save=3:%t.3.npy
// RUN: %npy compare %t.3.npy %t.expected.npy
// RUN: %npy make %t.none.npy i64 "np.zeros(0)"
// RUN: ember-run %s --entry=rows @%t.none.npy @%t.none.npy @%t.x.npy @%t.y.npy --save=3:%t.4.npy --target=dae-threads
// RUN: %npy compare %t.4.npy %t.y.npy

// CHECK-LABEL: func.func @rows
// CHECK: %[[COUNT:.*]] = slc.segment_count %arg0 from %c0 to %[[N:.*]] : memref<?xi64>, index, index -> index
// CHECK: slc.for %{{.*}} = %c0 to %[[COUNT]] step %c1 {
// CHECK: %[[BEGIN:.*]], %[[END:.*]] = slc.segment_str %arg0 from %c0 to %[[N]]
// CHECK: slc.mem_str %arg0[%[[BEGIN]]]
// CHECK: slc.for %{{.*}} = %[[BEGIN]] to %[[END]]

// One program, whose outer unit goes over the rows; nothing counts them.
// DLC-LABEL: func.func @rows
// DLC-NOT: scf.while
// DLC: dlc.program
// DLC: %[[ROW:.*]] = dlc.new_tu %{{.*}} to %[[N:.*]] step %{{.*}} segments(%arg0 : memref<?xi64>)
// DLC-DAG: %[[B:.*]] = dlc.get_ind_var %[[ROW]]
// DLC-DAG: %[[E:.*]] = dlc.get_segment_end %[[ROW]]
// DLC: dlc.new_tu %[[B]] to %[[E]] step %c1 in %[[ROW]]
// DLC-NOT: dlc.program
// DLC: return

// SCF-LABEL: func.func @rows
// SCF: scf.while (%[[P:.*]] = %c0, %{{.*}}) : (index, index) -> (index, index)
// SCF: arith.cmpi ult, %[[P]]
// SCF: scf.while
// SCF-NOT: slc.
// SCF: return
func.func @rows(%rows: memref<?xi64>, %columns: memref<?xi64>, %x: memref<?xf32>, %y: memref<?xf32>) {
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
    %old = memref.load %y[%row] : memref<?xf32>
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%so_far = %old) -> (f32) {
      %c = memref.load %columns[%p] : memref<?xi64>
      %column = arith.index_cast %c : i64 to index
      %v = memref.load %x[%column] : memref<?xf32>
      %new = arith.addf %so_far, %v : f32
      scf.yield %new : f32
    }
    memref.store %sum, %y[%row] : memref<?xf32>
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

// Coordinates that the loop stores to are looked at when it comes to them.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: slc.segment
// CHECK: scf.while
// CHECK: scf.while
// CHECK: return
func.func @stored(%rows: memref<?xindex>, %n: index, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %before = scf.while (%q = %c0) : (index) -> index {
    %in = arith.cmpi ult, %q, %n : index
    %same = scf.if %in -> (i1) {
      %a = memref.load %rows[%c0] : memref<?xindex>
      %b = memref.load %rows[%q] : memref<?xindex>
      %eq = arith.cmpi eq, %a, %b : index
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
  scf.while (%begin = %c0, %end = %before) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %begin, %n : index
    scf.condition(%more) %begin, %end : index, index
  } do {
  ^bb0(%begin: index, %end: index):
    memref.store %c1, %rows[%begin] : memref<?xindex>
    %last = scf.while (%q = %end) : (index) -> index {
      %in = arith.cmpi ult, %q, %n : index
      %same = scf.if %in -> (i1) {
        %a = memref.load %rows[%end] : memref<?xindex>
        %b = memref.load %rows[%q] : memref<?xindex>
        %eq = arith.cmpi eq, %a, %b : index
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

