// RUN: ember-opt %s --stream-stores="second-cache-bytes=1048576 line-bytes=64 fence=llvm.x86.sse.sfence" | FileCheck %s
// RUN: ember-opt %s --stream-stores="min-output-bytes=4096 line-bytes=64 fence=" | FileCheck %s --check-prefix=SET
// RUN: ember-opt %s --stream-stores="min-output-bytes=0 line-bytes=64" | FileCheck %s --check-prefix=NONE
// RUN: ember-opt %s --stream-stores="second-cache-bytes=1048576 line-bytes=64 may-alias" | FileCheck %s --check-prefix=ALIAS

// NONE-NOT: nontemporal
// SET-NOT: sfence

// 16 MB are 4194304 elements.

// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<?x32xf32>, %[[T:[a-z0-9]+]]: memref<?x32xf32>
// CHECK: %[[LEAST:.*]] = arith.constant 4194304 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %[[LEAST]]
// CHECK: memref.extract_aligned_pointer_as_index %[[O]]
// CHECK: %[[MASK:.*]] = arith.constant 63 : index
// CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %[[MASK]]
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: %[[PAST:.*]] = arith.andi %[[LARGE]], %[[ALIGNED]]
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK-NEXT: scf.if %[[PAST]] {
// CHECK-NEXT: vector.store %{{.*}}, %[[O]][%{{.*}}, %c0] {alignment = 64 : i64, nontemporal = true}
// CHECK-NEXT: vector.store %{{.*}}, %[[O]][%{{.*}}, %c16] {alignment = 64 : i64, nontemporal = true}
// CHECK-NEXT: } else {
// CHECK-NEXT: vector.store %{{.*}}, %[[O]][%{{.*}}, %c0] : memref
// CHECK-NEXT: vector.store %{{.*}}, %[[O]][%{{.*}}, %c16] : memref
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: scf.if %[[PAST]] {
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// SET-LABEL: func.func @sums
// SET: arith.constant 1024 : index
// SET: nontemporal
// ALIAS-LABEL: func.func @sums
// ALIAS-NOT: nontemporal
// ALIAS: return
func.func @sums(%o: memref<?x32xf32>, %t: memref<?x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %b = %c0 to %n step %c1 {
    %x = vector.load %t[%b, %c0] : memref<?x32xf32>, vector<16xf32>
    %y = vector.load %t[%b, %c16] : memref<?x32xf32>, vector<16xf32>
    %s = arith.addf %x, %y : vector<16xf32>
    vector.store %s, %o[%b, %c0] : memref<?x32xf32>, vector<16xf32>
    %d = arith.addf %s, %y : vector<16xf32>
    vector.store %d, %o[%b, %c16] : memref<?x32xf32>, vector<16xf32>
  } {ember.independent}
  return
}

// A loop over a row is copied.

// CHECK-LABEL: func.func @row
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.for
// CHECK: vector.store {{.*}}nontemporal = true
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NOT: nontemporal
// CHECK: llvm.call_intrinsic
func.func @row(%o: memref<?x512xf32>, %t: memref<?x512xf32>, %i: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  scf.for %b = %c0 to %n step %c1 {
    %r = memref.load %i[%b] : memref<?xindex>
    scf.for %e = %c0 to %c512 step %c8 {
      %x = vector.load %t[%r, %e] : memref<?x512xf32>, vector<8xf32>
      vector.store %x, %o[%b, %e] : memref<?x512xf32>, vector<8xf32>
    }
  } {ember.independent}
  return
}

// Of strided memory, where it begins and how far rows are apart is seen.

// CHECK-LABEL: func.func @strided
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata
// CHECK: arith.muli %[[OFFSET]]
// CHECK: arith.muli %[[STRIDES]]#0
// CHECK: nontemporal
func.func @strided(%o: memref<?x16xf32, strided<[?, 1], offset: ?>>, %v: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    vector.store %v, %o[%b, %c0] : memref<?x16xf32, strided<[?, 1], offset: ?>>, vector<16xf32>
  } {ember.independent}
  return
}

// Half lines, rows that begin amid a line, and rows that are stored to again.

// CHECK-LABEL: func.func @half
// CHECK-NOT: nontemporal
// CHECK: return
func.func @half(%o: memref<?x8xf32>, %v: vector<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    vector.store %v, %o[%b, %c0] : memref<?x8xf32>, vector<8xf32>
  } {ember.independent}
  return
}

// CHECK-LABEL: func.func @amid
// CHECK-NOT: nontemporal
// CHECK: return
func.func @amid(%o: memref<?x64xf32>, %v: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %n step %c1 {
    vector.store %v, %o[%b, %c8] : memref<?x64xf32>, vector<16xf32>
  } {ember.independent}
  return
}

// CHECK-LABEL: func.func @again
// CHECK-NOT: nontemporal
// CHECK: return
func.func @again(%o: memref<?x16xf32>, %v: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      vector.store %v, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
    }
  } {ember.independent}
  return
}

// What is read, masked, or not known.

// CHECK-LABEL: func.func @read
// CHECK-NOT: nontemporal
// CHECK: return
func.func @read(%o: memref<?x16xf32>, %v: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    %x = vector.load %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
    %s = arith.addf %x, %v : vector<16xf32>
    vector.store %s, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  } {ember.independent}
  return
}

// CHECK-LABEL: func.func @masked
// CHECK-NOT: nontemporal
// CHECK: return
func.func @masked(%o: memref<?x24xf32>, %v: vector<16xf32>, %m: vector<16xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %b = %c0 to %n step %c1 {
    vector.store %v, %o[%b, %c0] : memref<?x24xf32>, vector<16xf32>
    vector.maskedstore %o[%b, %c16], %m, %v : memref<?x24xf32>, vector<16xi1>, vector<16xf32>
  } {ember.independent}
  return
}

// CHECK-LABEL: func.func @call
// CHECK-NOT: nontemporal
// CHECK: return
func.func @call(%o: memref<?x16xf32>, %v: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    vector.store %v, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
    func.call @unknown() : () -> ()
  } {ember.independent}
  return
}
func.func private @unknown()

// A loop whose iterations may not run in any order.

// CHECK-LABEL: func.func @ordered
// CHECK-NOT: nontemporal
// CHECK: return
func.func @ordered(%o: memref<?x16xf32>, %v: vector<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    vector.store %v, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  }
  return
}
