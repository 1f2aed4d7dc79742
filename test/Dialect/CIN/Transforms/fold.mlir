// RUN: ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize %s | FileCheck %s
// RUN: ember-opt --cin-schedule --cin-insert-workspaces --cin-concretize --convert-cin-to-scf --canonicalize --cse %s | FileCheck %s --check-prefix=LOOPS

// A reduction that begins with its first term knows it by its variable. What it
// is of no terms is there before.

// CHECK-LABEL: func.func @rows(
// CHECK:      cin.forall (%[[B:.*]])
// CHECK:        %[[NONE:.*]] = cin.literal 0.000000e+00
// CHECK:        cin.assign %[[NONE]] to %{{.*}}[%[[B]],
// CHECK:        %[[LOW:.*]] = cin.call convert(%[[BEGIN:.*]]) :
// CHECK:        cin.forall (%[[P:.*]] in %[[BEGIN]] to %{{.*}} : i64)
// CHECK:          %[[FIRST:.*]] = cin.call eq(%[[P]], %[[LOW]])
// CHECK:          cin.forall
// CHECK:            cin.assign larger %{{.*}} to %{{.*}}[%[[B]], %{{.*}}] first %[[FIRST]]

// LOOPS-LABEL: func.func @rows(
// LOOPS:         %[[FIRST:.*]] = arith.cmpi eq
// LOOPS:         scf.for
// LOOPS:           %[[GREATER:.*]] = arith.cmpf ogt, %[[X:.*]], %[[OLD:.*]] : f32
// LOOPS:           %[[TAKEN:.*]] = arith.ori %[[GREATER]], %[[FIRST]]
// LOOPS:           arith.select %[[TAKEN]], %[[X]], %[[OLD]]
func.func @rows(%table: memref<?x8xf32>, %indices: memref<?xi64>, %offsets: memref<?xi64>,
                %result: memref<?x8xf32>) {
  cin.evaluate ins(%W = %table, %I = %indices, %at = %offsets :
                   memref<?x8xf32>, memref<?xi64>, memref<?xi64>)
      outs(%out = %result : memref<?x8xf32>) {
    cin.forall (%b, %e) {
      %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%b)
      %begin = cin.access %at[%b] : memref<?xi64>
      %end = cin.access %at[%next] : memref<?xi64>
      %largest = cin.reduce larger (%p in %begin to %end : i64) -> f32
          attributes {otherwise = 0.0 : f32} {
        %row = cin.access %I[%p] : memref<?xi64>
        %x = cin.access %W[%row, %e] : memref<?x8xf32> (i64, index)
        cin.yield %x : f32
      }
      cin.assign %largest to %out[%b, %e] : memref<?x8xf32>
    }
  }
  return
}

// As a value, and under a condition, it takes note of whether there was a term.

// LOOPS-LABEL: func.func @value(
// LOOPS:       %[[ALL:.*]]:2 = scf.for %{{.*}} iter_args(%[[OLD:.*]] = %cst, %[[IS_ANY:.*]] = %false) -> (f32, i1) {
// LOOPS:         scf.if
// LOOPS:           %[[GREATER:.*]] = arith.cmpf ogt, %[[X:.*]], %[[OLD]] : f32
// LOOPS:           %[[LARGER:.*]] = arith.select %[[GREATER]], %[[X]], %[[OLD]]
// LOOPS:           %[[NOW:.*]] = arith.select %[[IS_ANY]], %[[LARGER]], %[[X]]
// LOOPS:           scf.yield %[[NOW]]
// LOOPS:         } else {
// LOOPS:           scf.yield %[[OLD]]
// LOOPS:       memref.store %[[ALL]]#0
func.func @value(%matrix: memref<?x?xf32>, %mask: memref<?xi1>, %result: memref<?xf32>) {
  cin.evaluate ins(%A = %matrix, %m = %mask : memref<?x?xf32>, memref<?xi1>)
      outs(%y = %result : memref<?xf32>) {
    cin.forall (%i) {
      %largest = cin.reduce larger (%j) -> f32 attributes {otherwise = -1.0 : f32} {
        %x = cin.access %A[%i, %j] : memref<?x?xf32>
        %kept = cin.access %m[%j] : memref<?xi1>
        cin.yield %x where %kept : f32
      }
      cin.assign %largest to %y[%i] : memref<?xf32>
    }
  }
  return
}
