// RUN: ember-opt --embed-to-cin --cin-schedule --cin-insert-workspaces --cin-concretize --convert-cin-to-scf --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: func.func @given_tails(
// CHECK-SAME: %[[E:.*]]: memref<?x8xf32>, %[[R:.*]]: memref<?x8xf32>, %[[H:.*]]: memref<?xi64>, %[[K:.*]]: memref<?xi64>, %[[L:.*]]: memref<?xi64>, %[[O:.*]]: memref<?xf32>)
// CHECK: scf.for %[[T:.*]] = %c0
// CHECK-DAG: memref.load %[[H]][%[[T]]]
// CHECK-DAG: memref.load %[[K]][%[[T]]]
// CHECK-DAG: memref.load %[[L]][%[[T]]]
// CHECK: %[[SUM:.*]] = scf.for %[[D:.*]] = %c0 to %c8
// CHECK: memref.load %[[E]]
// CHECK: memref.load %[[R]]
// CHECK: arith.addf
// CHECK: memref.load %[[E]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf
// CHECK: arith.mulf %[[DIFFERENCE]], %[[DIFFERENCE]]
// CHECK: %[[NORM:.*]] = math.sqrt %[[SUM]]
// CHECK: %[[SCORE:.*]] = arith.negf %[[NORM]]
// CHECK: memref.store %[[SCORE]], %[[O]][%[[T]]]
func.func @given_tails(%e: memref<?x8xf32>, %r: memref<?x8xf32>,
                       %h: memref<?xi64>, %k: memref<?xi64>, %t: memref<?xi64>,
                       %o: memref<?xf32>) {
  embed.score transe norm 2 entities(%e : memref<?x8xf32>)
      relations(%r : memref<?x8xf32>) heads(%h : memref<?xi64>)
      types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// CHECK-LABEL: func.func @all_tails(
// CHECK-SAME: %[[E:[a-z0-9]+]]: memref<?x8xf32>, {{.*}} %[[O:[a-z0-9]+]]: memref<?x?xf32>)
// CHECK: scf.for %[[T:.*]] = %c0
// CHECK: scf.for %[[TAIL:.*]] = %c0
// CHECK: memref.load %[[E]][%[[TAIL]],
// CHECK: memref.store %{{.*}}, %[[O]][%[[T]], %[[TAIL]]]
func.func @all_tails(%e: memref<?x8xf32>, %r: memref<?x8xf32>, %i: memref<?xi64>, %o: memref<?x?xf32>) {
  embed.score distmult entities(%e : memref<?x8xf32>)
      relations(%r : memref<?x8xf32>) heads(%i : memref<?xi64>)
      types(%i : memref<?xi64>) outs(%o : memref<?x?xf32>)
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: memref<?x4xf16>, %[[B:.*]]: memref<?x3xi32>, %[[O:.*]]: memref<?x6x4xf16>)
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: scf.for %[[J:.*]] = %c0 to %c3
// CHECK: memref.load %[[B]][%[[I]], %[[J]]]
// CHECK: scf.for %[[T:.*]] = %c0 to %c2
// CHECK: scf.for %[[D:.*]] = %c0 to %c4
// CHECK-NEXT: %[[V:.*]] = memref.load %[[X]][%{{.*}}, %[[D]]] : memref<?x4xf16>
// CHECK-NEXT: memref.store %[[V]], %[[O]][%[[I]], %{{.*}}, %[[D]]]
func.func @gather(%x: memref<?x4xf16>, %b: memref<?x3xi32>, %o: memref<?x6x4xf16>) {
  embed.gather block_size 2 rows(%x : memref<?x4xf16>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x6x4xf16>)
  return
}

// The product of a wide number may wrap around and lead anywhere.

// CHECK-LABEL: func.func @gather_wide(
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[LOW:.*]] = arith.maxsi %[[NUMBER]], %c-2305843009213693952
// CHECK: %[[BLOCK:.*]] = arith.minsi %[[LOW]], %c2305843009213693952
// CHECK: arith.muli %[[BLOCK]], %c2
func.func @gather_wide(%x: memref<?x4xf16>, %b: memref<?x3xi64>, %o: memref<?x6x4xf16>) {
  embed.gather block_size 2 rows(%x : memref<?x4xf16>)
      blocks(%b : memref<?x3xi64>) outs(%o : memref<?x6x4xf16>)
  return
}

// Blocks of keys are read once for all queries of a block.

// CHECK-LABEL: func.func @block_scores(
// CHECK: scf.for %[[BLOCK:.*]] =
// CHECK: scf.for %[[CHOSEN:.*]] =
// CHECK: memref.load %{{.*}}[%[[BLOCK]], %[[CHOSEN]]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: arith.addf %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.mulf %[[SUM]], %{{.*}}
// CHECK: memref.store
func.func @block_scores(%x: memref<?x4xf32>, %b: memref<?x3xi32>, %s: f32, %o: memref<?x6xf32>) {
  embed.block_scores block_size 2 queries(%x : memref<?x4xf32>)
      keys(%x : memref<?x4xf32>) blocks(%b : memref<?x3xi32>) scale(%s : f32)
      outs(%o : memref<?x6xf32>)
  return
}
