// Marked nests become slc nests: what the access unit computes becomes streams,
// what callbacks read of it is converted in front of them, and move-to-val-ops
// takes the conversions into the callbacks that read them.

// RUN: ember-opt %s --convert-scf-to-slc --split-input-file | FileCheck %s
// RUN: ember-opt %s --convert-scf-to-slc --move-to-val-ops --split-input-file | FileCheck %s --check-prefix=MOVED

// CHECK-LABEL: func.func @lookup(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<?x8xf32>, %[[I:[a-z0-9]+]]: memref<?xi32>, %[[O:[a-z0-9]+]]: memref<?x8xf32>
// CHECK: slc.for %[[S:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NEXT: %[[RAW:.+]] = slc.mem_str %[[I]][%[[S]]] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
// CHECK-NEXT: %[[ROW:.+]] = slc.cast_str %[[RAW]] : !slc.stream<i32> to !slc.stream<index>
// CHECK-NEXT: slc.for %[[E:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NEXT: %[[V:.+]] = slc.mem_str %[[T]][%[[ROW]], %[[E]]]
// CHECK-DAG: %{{.+}} = slc.str_to_val %[[S]] : !slc.stream<index> -> index
// CHECK-DAG: %{{.+}} = slc.str_to_val %[[E]] : !slc.stream<index> -> index
// CHECK-DAG: %{{.+}} = slc.str_to_val %[[V]] : !slc.stream<f32> -> f32
// CHECK: slc.callback ite {
// CHECK-NOT: slc.str_to_val
// CHECK: memref.store
// CHECK: return

// MOVED-LABEL: func.func @lookup(
// MOVED: slc.for
// MOVED-NOT: slc.str_to_val
// MOVED: slc.callback ite {
// MOVED-COUNT-3: slc.str_to_val
// MOVED: memref.store
func.func @lookup(%t: memref<?x8xf32>, %idx: memref<?xi32>, %o: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %p = %c0 to %n step %c1 {
    %raw = memref.load %idx[%p] : memref<?xi32>
    %i = arith.index_cast %raw : i32 to index
    scf.for %e = %c0 to %c8 step %c1 {
      %v = memref.load %t[%i, %e] : memref<?x8xf32>
      slc.callback ite {
        memref.store %v, %o[%p, %e] : memref<?x8xf32>
      }
    } {slc.decouple}
  } {slc.decouple}
  return
}

// -----

// A division that is fixed during the nest stays in it, where it does not run
// if the loop does not; a multiplication moves out.

// CHECK-LABEL: func.func @fixed(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<?xf32>, %[[X:[a-z0-9]+]]: index, %[[Y:[a-z0-9]+]]: index
// CHECK: %[[P:.+]] = arith.muli %[[X]], %[[Y]] : index
// CHECK-NOT: arith.divsi
// CHECK: slc.for
// CHECK-NEXT: %[[FIXED:.+]] = slc.fwd_str %[[X]] : index -> !slc.stream<index>
// CHECK-NEXT: %[[D:.+]] = slc.alu_str divs %[[FIXED]], %[[Y]]
// CHECK-NEXT: slc.alu_str add %[[D]], %[[P]]
func.func @fixed(%a: memref<?xf32>, %x: index, %y: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %d = arith.divsi %x, %y : index
    %p = arith.muli %x, %y : index
    %s = arith.addi %d, %p : index
    %v = memref.load %a[%s] : memref<?xf32>
    slc.callback ite {
      memref.store %v, %a[%i] : memref<?xf32>
    }
  } {slc.decouple}
  return
}

// -----

// Loop-carried values and results of callbacks stay values; one callback reads
// a stream twice but is handed its element once, and two callbacks are each
// handed their own.

// CHECK-LABEL: func.func @carried(
// CHECK: %[[R:.+]] = slc.for %[[S:.+]] = %{{.+}} iter_args(%[[X:.+]] = %{{.+}}) -> (f32) {
// CHECK: %[[NEXT:.+]] = slc.callback ite -> f32 {
// CHECK: arith.addf %[[X]]
// CHECK: slc.yield %[[NEXT]] : f32
// CHECK: return %[[R]] : f32

// MOVED-LABEL: func.func @carried(
// MOVED: slc.callback ite -> f32 {
// MOVED-COUNT-1: slc.str_to_val
// MOVED-NOT: slc.str_to_val
// MOVED: slc.yield
// MOVED: slc.callback ite {
// MOVED-COUNT-2: slc.str_to_val
// MOVED-NOT: slc.str_to_val
// MOVED: return
func.func @carried(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> f32 {
    %v = memref.load %a[%i] : memref<?xf32>
    %next = slc.callback ite -> f32 {
      %q = arith.mulf %v, %v : f32
      %s = arith.addf %x, %q : f32
      slc.yield %s : f32
    }
    slc.callback ite {
      memref.store %v, %o[%i] : memref<?xf32>
    }
    scf.yield %next : f32
  } {slc.decouple}
  return %r : f32
}
