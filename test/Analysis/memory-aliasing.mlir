// What is read-only in a nest: only what nothing in it may store to. Callbacks
// hold the loads of everything else.

// RUN: ember-opt %s --choose-decoupling 2>/dev/null | FileCheck %s
// RUN: ember-opt %s --choose-decoupling=may-alias 2>/dev/null | FileCheck %s --check-prefix=ALIAS

// CHECK-LABEL: func.func @arguments(
// CHECK: memref.load %arg0
// CHECK-NEXT: slc.callback ite
// ALIAS-LABEL: func.func @arguments(
// ALIAS-NOT: slc.callback
func.func @arguments(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @views_of_one_buffer(
// CHECK-NOT: slc.callback
// ALIAS-LABEL: func.func @views_of_one_buffer(
// ALIAS-NOT: slc.callback
func.func @views_of_one_buffer(%a: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %d = memref.cast %a : memref<64xf32> to memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %s[%i] : memref<32xf32, strided<[1]>>
    memref.store %v, %d[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @element_types(
// CHECK: slc.callback ite
// ALIAS-LABEL: func.func @element_types(
// ALIAS-NOT: slc.callback
func.func @element_types(%a: memref<?xi32>, %b: memref<i1>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %f = arith.sitofp %v : i32 to f32
    memref.store %f, %o[%i] : memref<?xf32>
  }
  return
}

// Stated by the program, distinctness holds whatever the option says.
// CHECK-LABEL: func.func @distinct_objects(
// CHECK: slc.callback ite
// ALIAS-LABEL: func.func @distinct_objects(
// ALIAS: slc.callback ite
func.func @distinct_objects(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x, %y = memref.distinct_objects %a, %o : memref<?xf32>, memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @local_buffer(
// CHECK: slc.callback ite
// ALIAS-LABEL: func.func @local_buffer(
// ALIAS: slc.callback ite
func.func @local_buffer(%a: memref<8xf32>, %n: index) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %o[%i] : memref<8xf32>
  }
  return %o : memref<8xf32>
}

// Called with one buffer for both arguments.
// CHECK-LABEL: func.func private @called(
// CHECK-NOT: slc.callback
// CHECK-LABEL: func.func @caller(
func.func private @called(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}
func.func @caller(%a: memref<?xf32>, %n: index) {
  func.call @called(%a, %a, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  return
}

// Called with views of one buffer, as different types.
// CHECK-LABEL: func.func private @called_with_views(
// CHECK-NOT: slc.callback
// CHECK-LABEL: func.func @views(
func.func private @called_with_views(%a: memref<16xi32>, %o: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<16xi32>
    %f = arith.sitofp %v : i32 to f32
    memref.store %f, %o[%i] : memref<16xf32>
  }
  return
}
func.func @views(%n: index) {
  %c0 = arith.constant 0 : index
  %bytes = memref.alloc() : memref<64xi8>
  %a = memref.view %bytes[%c0][] : memref<64xi8> to memref<16xi32>
  %o = memref.view %bytes[%c0][] : memref<64xi8> to memref<16xf32>
  func.call @called_with_views(%a, %o, %n) : (memref<16xi32>, memref<16xf32>, index) -> ()
  memref.dealloc %bytes : memref<64xi8>
  return
}

// Called with a buffer and what may be that buffer.
// CHECK-LABEL: func.func private @called_with_either(
// CHECK-NOT: slc.callback
// CHECK-LABEL: func.func @either(
func.func private @called_with_either(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}
func.func @either(%a: memref<?xf32>, %c: i1, %n: index) {
  %b = memref.alloc(%n) : memref<?xf32>
  %s = arith.select %c, %a, %b : memref<?xf32>
  func.call @called_with_either(%b, %s, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  memref.dealloc %b : memref<?xf32>
  return
}

// Called with nobody knows what.
// CHECK-LABEL: func.func private @called_indirectly(
// CHECK-NOT: slc.callback
// CHECK-LABEL: func.func @indirect(
func.func private @called_indirectly(%a: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}
func.func @indirect(%a: memref<?xf32>, %c: i1, %n: index) {
  %f = func.constant @called_indirectly : (memref<?xf32>, memref<?xf32>, index) -> ()
  func.call_indirect %f(%a, %a, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  return
}

// The arguments of a block that is branched to are no function's arguments.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT: slc.callback
// CHECK: return
func.func @branch(%a: memref<?xf32>, %b: memref<?xf32>, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.cond_br %c, ^body(%a, %b : memref<?xf32>, memref<?xf32>), ^body(%b, %b : memref<?xf32>, memref<?xf32>)
^body(%x: memref<?xf32>, %y: memref<?xf32>):
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}

// A store through a pointer may be to any memref.
// CHECK-LABEL: func.func @pointer(
// CHECK-NOT: slc.callback
// CHECK: return
func.func @pointer(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %base = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
  %address = arith.index_cast %base : index to i64
  %p = llvm.inttoptr %address : i64 to !llvm.ptr
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    llvm.store %v, %p : f32, !llvm.ptr
  }
  return
}

// A constant table is written by nobody; globals are apart from each other, and
// from arguments where nothing else of the module gets hold of them.

memref.global "private" constant @table : memref<8x4xf32> = dense<1.0>
memref.global "private" @sums : memref<4xf32> = dense<1.0>
memref.global "private" @handed : memref<4xf32> = dense<1.0>
memref.global @known : memref<4xf32> = dense<1.0>

// CHECK-LABEL: func.func @globals(
// CHECK: %[[TABLE:.*]] = memref.get_global @table
// CHECK: memref.load %[[TABLE]]
// CHECK-NEXT: slc.callback ite
// ALIAS-LABEL: func.func @globals(
// ALIAS: %[[TABLE:.*]] = memref.get_global @table
// ALIAS: memref.load %[[TABLE]]
// ALIAS-NEXT: slc.callback ite
func.func @globals(%o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.get_global @table : memref<8x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %t[%i, %c0] : memref<8x4xf32>
    %s = memref.get_global @sums : memref<4xf32>
    %a = memref.load %s[%i] : memref<4xf32>
    %w = arith.addf %a, %v : f32
    memref.store %w, %s[%i] : memref<4xf32>
    memref.store %w, %o[%i] : memref<?xf32>
  }
  return
}

// Written through another use of its name.
// CHECK-LABEL: func.func @one_global(
// CHECK-NOT: slc.callback
func.func @one_global(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.get_global @sums : memref<4xf32>
  %b = memref.get_global @sums : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %b[%c0] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @global_and_argument(
// CHECK: slc.callback ite
func.func @global_and_argument(%o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.get_global @sums : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}

// The argument may be the global: it was returned, or others know its name.
// CHECK-LABEL: func.func @handed_out(
// CHECK-NOT: slc.callback
func.func @handed_out(%o: memref<?xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.get_global @handed : memref<4xf32>
  %b = memref.get_global @known : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<4xf32>
    %w = memref.load %b[%i] : memref<4xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %o[%i] : memref<?xf32>
  }
  return %a : memref<4xf32>
}

// A transposed view is one of its memref, and of no other.
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[VIEW:.*]] = memref.transpose
// CHECK: scf.for
// CHECK: memref.load %[[VIEW]]
// CHECK-NEXT: slc.callback ite
// CHECK-LABEL: func.func @transposed_in_place(
// CHECK-NOT: slc.callback
func.func @transposed(%t: memref<?x?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.transpose %t (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %v[%i, %c0] : memref<?x?xf32, strided<[1, ?]>>
    memref.store %x, %o[%i] : memref<?xf32>
  }
  return
}
func.func @transposed_in_place(%t: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.transpose %t (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %v[%i, %c0] : memref<?x?xf32, strided<[1, ?]>>
    memref.store %x, %t[%i, %c0] : memref<?x?xf32>
  }
  return
}
