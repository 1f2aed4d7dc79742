// RUN: emberc --emit=cin --notation 'out[b,e] = sum[p in pos[b]:pos[b+1]](W[I[p],e] * w[p])' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=DIRECT
// The sum of rows is the result's own row; what a term's row needs is there once.
// DIRECT:      cin.forall (%b)
// DIRECT-NEXT:   %[[ZERO:.*]] = cin.literal 0.000000e+00
// DIRECT-NEXT:   cin.forall (%e)
// DIRECT-NEXT:     cin.assign %[[ZERO]] to %out[%b, %e]
// DIRECT:        %[[BEGIN:.*]] = cin.access %pos[%b]
// DIRECT:        %[[END:.*]] = cin.access %pos[%{{.*}}]
// DIRECT-NEXT:   cin.forall (%p in %[[BEGIN]] to %[[END]] : i64)
// DIRECT-NEXT:     %[[ROW:.*]] = cin.access %I[%p]
// DIRECT-NEXT:     %[[WEIGHT:.*]] = cin.access %w[%p]
// DIRECT-NEXT:     cin.forall (%e)
// DIRECT-NEXT:       %[[X:.*]] = cin.access %W[%[[ROW]], %e]
// DIRECT-NEXT:       %[[TERM:.*]] = cin.call mul(%[[X]], %[[WEIGHT]])
// DIRECT-NEXT:       cin.assign add %[[TERM]] to %out[%b, %e]

// RUN: emberc --emit=cin --notation 'out[b,e] = sum[p in pos[b]:pos[b+1]](W[I[p],e]) / (pos[b+1] - pos[b])' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=PLACE
// What is done with the sum stands where that stood, too.
// PLACE:      cin.forall (%b)
// PLACE:        cin.forall (%p in
// PLACE:          cin.forall (%e)
// PLACE:            cin.assign add %{{.*}} to %out[%b, %e]
// PLACE:        %[[COUNT:.*]] = cin.call sub
// PLACE:        cin.forall (%e)
// PLACE:          %[[SUM:.*]] = cin.access %out[%b, %e]
// PLACE:          %[[MEAN:.*]] = cin.call div(%[[SUM]],
// PLACE:          cin.assign %[[MEAN]] to %out[%b, %e]

// RUN: emberc --emit=cin --type out:f16 --notation 'out[b,e] = sum[p in pos[b]:pos[b+1]](W[I[p],e]) / (pos[b+1] - pos[b])' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=WORKSPACE
// One of another type is in a workspace, and what is done with it behind it.
// WORKSPACE:      cin.forall (%b)
// WORKSPACE:        %[[N:.*]] = cin.extent %W, 1
// WORKSPACE-NOT:    cin.call sub
// WORKSPACE:        cin.where (%[[T:.*]] : memref<?xf32>, %[[N]]) {
// WORKSPACE:          %[[COUNT:.*]] = cin.call sub
// WORKSPACE:          cin.forall (%e)
// WORKSPACE-NEXT:       %[[SUM:.*]] = cin.access %[[T]][%e]
// WORKSPACE:            cin.assign %{{.*}} to %out[%b, %e]
// WORKSPACE:        } produced {
// WORKSPACE:          cin.forall (%p in
// WORKSPACE:              cin.assign add %{{.*}} to %[[T]][%e]

// RUN: emberc --emit=cin --notation 's[q] = sum[d](E[h[q],d] * E[t[q],d])' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=GATHERED
// Rows do not lie along a variable that chooses them.
// GATHERED:      cin.forall (%q)
// GATHERED-NEXT:   %[[HEAD:.*]] = cin.access %h[%q]
// GATHERED-NEXT:   %[[TAIL:.*]] = cin.access %t[%q]
// GATHERED-NEXT:   %[[SUM:.*]] = cin.reduce add (%d)
// GATHERED:        cin.assign %[[SUM]] to %s[%q]

// RUN: emberc --emit=cin --notation 'y[i] = sum[j](A[i,j] * x[j])' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=VALUE
// A sum of no rows is a value.
// VALUE:      cin.forall (%i)
// VALUE-NEXT:   %[[SUM:.*]] = cin.reduce add (%j)
// VALUE:        cin.assign %[[SUM]] to %y[%i]
// VALUE-NOT:  cin.where

// RUN: emberc --emit=cin --notation 'out[b,e] = sum[p in pos[b]:pos[b+1] if I[p] != -1](W[I[p],e])' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=GUARD
// Nothing is looked up where the condition does not hold.
// GUARD:      %[[NONE:.*]] = cin.literal -1 : i64
// GUARD:      cin.forall (%p in
// GUARD-NEXT:   %[[ID:.*]] = cin.access %I[%p]
// GUARD-NEXT:   %[[KEPT:.*]] = cin.call ne(%[[ID]], %[[NONE]])
// GUARD-NEXT:   cin.if %[[KEPT]] {
// GUARD-NEXT:     %[[ROW:.*]] = cin.access %I[%p]
// GUARD-NEXT:     cin.forall (%e)
// GUARD-NEXT:       cin.access %W[%[[ROW]], %e]

// RUN: emberc --emit=cin --notation 'C[i,j] = A[i,k] * B[k,j]' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=AGAIN
// What is concrete stays.
// AGAIN:      cin.forall (%i)
// AGAIN-NEXT:   cin.literal
// AGAIN-NEXT:   cin.forall (%j)
// AGAIN:          cin.assign %{{.*}} to %C[%i, %j]
// AGAIN:        cin.forall (%k)
// AGAIN-NEXT:     %[[A:.*]] = cin.access %A[%i, %k]
// AGAIN-NEXT:     cin.forall (%j)
// AGAIN:            cin.assign add %{{.*}} to %C[%i, %j]

// RUN: ember-opt %s --cin-concretize | FileCheck %s --check-prefix=BEFORE
// Of several assignments, what one reads is read before another one changes it.
// BEFORE-LABEL: func.func @shift(
// BEFORE:         cin.forall (%[[I:.*]]) {
// BEFORE:           %[[OLD:.*]] = cin.access %y[%[[I]]]
// BEFORE:           cin.assign %{{.*}} to %y[%[[I]]]
// BEFORE:           %[[SUM:.*]] = cin.reduce add
// BEFORE:           cin.forall (%[[J:.*]]) {
// BEFORE-NEXT:        cin.assign add %[[OLD]] to %z[%[[I]], %[[J]]]
// BEFORE-NEXT:      }
// BEFORE:           %[[NEW:.*]] = cin.access %y[%[[I]]]
// BEFORE-NEXT:      cin.call sub(%[[SUM]], %[[NEW]])
// BEFORE:           cin.forall (%[[K:.*]]) {
// BEFORE:             cin.assign add %{{.*}} to %z[%[[I]], %[[K]]]
func.func @shift(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?x?xf32>) {
  cin.evaluate ins(%X = %x : memref<?xf32>) outs(%Y = %y, %Z = %z : memref<?xf32>, memref<?x?xf32>) attributes {names = ["x", "y", "z"]} {
    cin.forall (%i) {
      %old = cin.access %Y[%i] : memref<?xf32>
      %sum = cin.reduce add (%j) -> f32 {
        %w = cin.access %Z[%i, %j] : memref<?x?xf32>
        cin.yield %w : f32
      }
      %a = cin.access %X[%i] : memref<?xf32>
      cin.assign %a to %Y[%i] : memref<?xf32>
      %new = cin.access %Y[%i] : memref<?xf32>
      cin.forall (%j) {
        cin.assign add %old to %Z[%i, %j] : memref<?x?xf32>
      }
      cin.forall (%k) {
        %both = cin.call sub(%sum, %new) : (f32, f32) -> f32
        cin.assign add %both to %Z[%i, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// RUN: emberc --emit=cin --notation 'r[i,k] = a[i,x] + 1 for k in s[i]:s[i+1]' --format a:csc | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=RANGED
// What a sum becomes is where the result's element is, and not where the sum was.
// RANGED:      cin.assign add
// RANGED:      cin.forall (%k in
// RANGED-NEXT:   %[[SUM:.*]] = cin.access %r[%i, %k]
// RANGED-NEXT:   %[[MORE:.*]] = cin.call add(%[[SUM]],
// RANGED-NEXT:   cin.assign %[[MORE]] to %r[%i, %k]

// RUN: emberc --emit=cin --notation 'let t[i] = a[x, x] * b[i] - c[z]; r[o] = t[n[o]]' | ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize | FileCheck %s --check-prefix=STEPS
// A temporary is read behind the first step that assigns to it.
// STEPS:       cin.assign %{{.*}} to %t[%i]
// STEPS:       cin.assign add %{{.*}} to %t[%i]
// STEPS:       cin.access %t[%i]
// STEPS:       cin.assign %{{.*}} to %t[%i]

// What is read of an array that the same loop assigns to stays behind that, and other values move out.
// BEFORE-LABEL: func.func @accumulates
// BEFORE:         cin.forall (%[[I:.*]]) {
// BEFORE-NEXT:      %[[ROW:.*]] = cin.access %{{.*}}[%[[I]]] : memref<?xi64>
// BEFORE-NEXT:      cin.forall (%[[J:.*]]) {
// BEFORE-NEXT:        %[[A:.*]] = cin.access %{{.*}}[%[[I]], %[[J]]]
// BEFORE-NEXT:        cin.assign add %[[A]] to %[[Y:.*]][%[[ROW]]]
// BEFORE-NEXT:        %[[SUM:.*]] = cin.access %[[Y]][%[[I]]]
// BEFORE-NEXT:        %[[SQUARE:.*]] = cin.call mul(%[[SUM]], %[[SUM]])
// BEFORE-NEXT:        cin.assign max %[[SQUARE]] to %[[Y]][%[[I]]]
func.func @accumulates(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: memref<?xi64>) {
  cin.evaluate ins(%X = %x, %N = %n : memref<?x?xf32>, memref<?xi64>) outs(%Y = %y : memref<?xf32>) {
    cin.forall (%i) {
      cin.forall (%j) {
        %row = cin.access %N[%i] : memref<?xi64>
        %a = cin.access %X[%i, %j] : memref<?x?xf32>
        cin.assign add %a to %Y[%row] : memref<?xf32> (i64)
        %sum = cin.access %Y[%i] : memref<?xf32>
        %square = cin.call mul(%sum, %sum) : (f32, f32) -> f32
        cin.assign max %square to %Y[%i] : memref<?xf32>
      }
    }
  }
  return
}
