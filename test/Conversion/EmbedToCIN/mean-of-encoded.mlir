// The division of a mean takes sums and what their biases add up to at once.

// RUN: ember-opt --embed-to-cin --cin-schedule --cin-insert-workspaces --cin-concretize --cin-derive-iteration --cin-expand-encodings %s | FileCheck %s

// CHECK-LABEL: func.func @in_result(
// CHECK:      cin.where (%[[SHIFT:.*]] : memref<1xf32>) {
// CHECK:        %[[ALL:.*]] = cin.access %[[SHIFT]]
// CHECK-NEXT:   cin.forall (%[[E:.*]]) attributes
// CHECK-NEXT:     %[[SUM:.*]] = cin.access %out[%{{.*}}, %[[E]]]
// CHECK-NEXT:     %[[TOTAL:.*]] = cin.call add(%[[SUM]], %[[ALL]])
// CHECK-NEXT:     %[[MEAN:.*]] = cin.call div(%[[TOTAL]],
// CHECK-NEXT:     cin.assign %[[MEAN]] to %out
// CHECK:      } produced {
// CHECK:        cin.assign add %{{.*}} to %out
// CHECK-NOT:  cin.call div
func.func @in_result(%t: memref<?x72xi8>, %i: memref<?xi64>, %s: memref<?xi64>, %o: memref<?x64xf32>) {
  embed.bag mean tables(%t : memref<?x72xi8>) indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>) outs(%o : memref<?x64xf32>) format <int8, f32>
  return
}

// A workspace of sums holds the biases' beside it while it is filled.

// CHECK-LABEL: func.func @in_workspace(
// CHECK:      cin.where (%[[SHIFT:.*]] : memref<1xf32>) {
// CHECK-NEXT:   cin.where (%[[SUMS:.*]] : memref<64xf32>) {
// CHECK:          %[[ALL:.*]] = cin.access %[[SHIFT]]
// CHECK-NEXT:     cin.forall (%[[E:.*]]) attributes
// CHECK-NEXT:       %[[SUM:.*]] = cin.access %[[SUMS]][%[[E]]]
// CHECK-NEXT:       cin.call add(%[[SUM]], %[[ALL]])
// CHECK:            cin.assign %{{.*}} to %out{{.*}} : memref<?x64xf16>
// CHECK:        } produced {
// CHECK:          cin.assign add %{{.*}} to %[[SHIFT]]
func.func @in_workspace(%t: memref<?x72xi8>, %i: memref<?xi64>, %s: memref<?xi64>, %o: memref<?x64xf16>) {
  embed.bag mean tables(%t : memref<?x72xi8>) indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>) outs(%o : memref<?x64xf16>) format <int8, f32>
  return
}

// Of two elements a byte, even and odd sums take the place of the workspace.

// CHECK-LABEL: func.func @of_pairs(
// CHECK:      cin.where (%[[EVEN:.*]] : memref<64xf32>) {
// CHECK-NEXT:   cin.where (%[[ODD:.*]] : memref<64xf32>) {
// CHECK-NEXT:     cin.where (%{{.*}} : memref<1xf32>) {
// CHECK:            cin.access %[[EVEN]]
// CHECK:            cin.call div
// CHECK:            cin.assign %{{.*}} to %out
// CHECK:            cin.access %[[ODD]]
// CHECK:            cin.call div
// CHECK:            cin.assign %{{.*}} to %out
// CHECK-NOT:  memref<64xf32>) {
func.func @of_pairs(%t: memref<?x36xi8>, %i: memref<?xi64>, %s: memref<?xi64>, %o: memref<?x64xf16>) {
  embed.bag mean tables(%t : memref<?x36xi8>) indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>) outs(%o : memref<?x64xf16>) format <int4, f16>
  return
}

// How many rows count is known behind their sum alone: the division stays there.

// CHECK-LABEL: func.func @with_padding(
// CHECK:      cin.where (%[[NUMBER:.*]] : memref<1xindex>) {
// CHECK:        cin.assign add %{{.*}} to %[[NUMBER]]
// CHECK:        cin.access %[[NUMBER]]
// CHECK:        cin.call div
func.func @with_padding(%t: memref<?x72xi8>, %i: memref<?xi64>, %s: memref<?xi64>, %p: index, %o: memref<?x64xf32>) {
  embed.bag mean tables(%t : memref<?x72xi8>) indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>) padding(%p) outs(%o : memref<?x64xf32>) format <int8, f32>
  return
}
