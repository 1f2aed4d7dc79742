// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func @checks
// CHECK-NEXT: ember.check fails_if %{{.*}} {
// CHECK-NEXT: ember.fail "division by zero"
// CHECK-NEXT: }
// CHECK: ember.fail_index "dimension 0 of 'table'", %{{.*}} of %{{.*}} from "'indices'" at %{{.*}} : i64, index, index
// CHECK: ember.fail_index "dimension 0 of 'table'", %{{.*}} of %{{.*}} : i64, index
// CHECK: ember.fail_segment "'offsets'" at %{{.*}}, %{{.*}} to %{{.*}} : index, i64, index
func.func @checks(%bad: i1, %value: i64, %at: index) {
  ember.check fails_if %bad {
    ember.fail "division by zero"
  }
  ember.check fails_if %bad {
    ember.fail_index "dimension 0 of 'table'", %value of %at from "'indices'" at %at : i64, index, index
  }
  ember.check fails_if %bad {
    scf.if %bad {
      ember.fail_index "dimension 0 of 'table'", %value of %at : i64, index
    }
  }
  ember.check fails_if %bad {
    ember.fail_segment "'offsets'" at %at, %value to %at : index, i64, index
  }
  return
}

// CHECK-LABEL: func.func private @bag_part
// CHECK-SAME: ember.message_name = "'offsets'"
func.func private @bag_part(%lower: index, %upper: index, %offsets: memref<?xi64> {ember.message_name = "'offsets'"}, %first: index) {
  return
}

// CHECK-LABEL: func.func private @parts
// CHECK-SAME: memref<?xi64> {ember.rows = "dimension 0 of 'A'"}, memref<?xf32> {ember.bounds = "dimension 1 of 'A'"}
func.func private @parts(memref<?xi64> {ember.rows = "dimension 0 of 'A'"}, memref<?xf32> {ember.bounds = "dimension 1 of 'A'"})

// CHECK-LABEL: func.func @bag(
// CHECK-SAME: ember.name = "offsets", ember.noalias
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 1>}
func.func @bag(%n: index, %offsets: memref<?xi64> {ember.name = "offsets", ember.noalias}) attributes {ember.written_arguments = array<i64: 1>} {
  // CHECK: ember.parallel_call @bag_part(%{{.*}}) loops [#ember.loop_cost<cost = 9, segment_cost = 87, offsets = 2, first_offset = 3>] : index, index, memref<?xi64>, index
  ember.parallel_call @bag_part(%n, %n, %offsets, %n) loops [#ember.loop_cost<first_offset = 3, offsets = 2, cost = 9, segment_cost = 87>] : index, index, memref<?xi64>, index
  // CHECK: ember.parallel_call @bag_part(%{{.*}}) loops [#ember.loop_cost<cost = 9>] : index, index, memref<?xi64>, index
  ember.parallel_call @bag_part(%n, %n, %offsets, %n) loops [#ember.loop_cost<cost = 9>] : index, index, memref<?xi64>, index
  // CHECK: {ember.name = "sums", ember.scratch}
  %sums = memref.alloc() {ember.name = "sums", ember.scratch} : memref<4xf32>
  // CHECK: {ember.scratch} : memref<index>
  %count = memref.alloca() {ember.scratch} : memref<index>
  // CHECK: ember.threads_for %{{.*}}
  %threads = ember.threads_for %n
  %inside = arith.cmpi ult, %n, %threads : index
  // CHECK: cf.assert %{{.*}}, "too far" {ember.bounds = "dimension 0 of 'x'"}
  cf.assert %inside, "too far" {ember.bounds = "dimension 0 of 'x'"}
  // CHECK: memref.alloc(%{{.*}}) {ember.bounds = "dimension 0 of 'x'"}
  %workspace = memref.alloc(%n) {ember.bounds = "dimension 0 of 'x'"} : memref<?xf32>
  scf.for %i = %n to %n step %n {
    // CHECK: {ember.group = 4 : index, ember.independent, ember.pieces = 64 : index, ember.segment = "'offsets'"}
  } {ember.independent, ember.group = 4 : index, ember.pieces = 64 : index, ember.segment = "'offsets'"}
  return
}
