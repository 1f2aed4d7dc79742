// RUN: ember-opt --embed-to-cin %s | FileCheck %s
// RUN: ember-opt --embed-to-cin %s | ember-opt | FileCheck %s

// On tensors, too. Sizes are compared with the words of the operation.

// CHECK-LABEL: func.func @spmm(
// CHECK:      cf.assert %{{.*}}, "embed.spmm: there is not one position more than there are rows"
// CHECK:      %[[RESULT:.*]] = cin.evaluate ins(%rows = %{{.*}}, %columns = %{{.*}}, %values = %{{.*}}, %dense = %{{.*}}) outs(%out =
// CHECK:      cin.same_size %columns, 0 and %values, 0 {message = "embed.spmm: there are not as many values as edges"}
// CHECK:      cin.forall (%i, %e)
// CHECK:        %[[BEGIN:.*]] = cin.access %rows[%i]
// CHECK:        %[[END:.*]] = cin.access %rows[%{{.*}}]
// CHECK:        %[[SUM:.*]] = cin.reduce add (%p in %[[BEGIN]] to %[[END]] : i64) -> f32
// CHECK:          %[[COLUMN:.*]] = cin.access %columns[%p]
// CHECK:          %[[WEIGHT:.*]] = cin.access %values[%p]
// CHECK:          %[[X:.*]] = cin.access %dense[%[[COLUMN]], %e]
// CHECK:          %[[TERM:.*]] = cin.call mul(%[[X]], %[[WEIGHT]])
// CHECK:          cin.yield %[[TERM]]
// CHECK:        %[[COUNT:.*]] = cin.call sub(
// CHECK:        cin.call max(%[[COUNT]],
// CHECK:        %[[MEAN:.*]] = cin.call div(%[[SUM]],
// CHECK:        cin.assign %[[MEAN]] to %out[%i, %e]
// CHECK:      return %[[RESULT]]
func.func @spmm(%p: tensor<?xi64>, %c: tensor<?xi64>, %v: tensor<?xf32>, %x: tensor<?x8xf32>,
                %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = embed.spmm mean csr(%p, %c : tensor<?xi64>, tensor<?xi64>) values(%v : tensor<?xf32>)
      dense(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// The largest begins with the first term.

// CHECK-LABEL: func.func @largest(
// CHECK: cin.reduce larger (%p in %{{.*}} to %{{.*}} : i64) -> f32 attributes {names = ["p"], otherwise = 0.000000e+00 : f32}
func.func @largest(%p: memref<?xi64>, %c: memref<?xi64>, %x: memref<?x8xf16>, %o: memref<?x8xf16>) {
  embed.spmm max csr(%p, %c : memref<?xi64>, memref<?xi64>)
      dense(%x : memref<?x8xf16>) outs(%o : memref<?x8xf16>)
  return
}

// Steps of messages are functions of statements.

// CHECK-LABEL: func.func @message(
// CHECK: cin.reduce add (%p in
// CHECK:   cin.reduce add (%d) -> f32
// CHECK:     cin.call sub(
// CHECK:   cin.call sigmoid(
// CHECK:   cin.access %left[
// CHECK:   cin.call mul(
func.func @message(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.message add edge(sub) activation(sigmoid) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      messages(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// Functions of one's own are called as those of the table. Of a total that is
// no sum, terms are in order.

cin.function @distance(%x: f32, %y: f32) -> f32 attributes {commutative} {
  %difference = arith.subf %x, %y : f32
  %distance = math.absf %difference : f32
  cin.return %distance : f32
}
cin.function @plus(%x: f32, %y: f32) -> f32
    attributes {associative, commutative, identities = [#cin.special<0.0 : f32>]} {
  %sum = arith.addf %x, %y : f32
  cin.return %sum : f32
}

// CHECK-LABEL: func.func @own_steps(
// CHECK: cin.reduce @plus (%p in %{{.*}} to %{{.*}} : i32) -> f32 attributes {names = ["p"]} {
// CHECK:   cin.reduce max (%d) -> f32 attributes {names = ["d"], otherwise = 0.000000e+00 : f32} {
// CHECK:     %[[D:.*]] = cin.call @distance(
// CHECK:     cin.yield %[[D]]
// CHECK:   %[[VALUE:.*]] = cin.call tanh(
// CHECK:   %[[ROW:.*]] = cin.access %left[
// CHECK:   cin.call sub(%[[ROW]], %[[VALUE]])
func.func @own_steps(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.message @plus edge(@distance) total(max) activation(tanh) weighting(sub)
      csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      messages(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// Edges in any order add to the result by any sum; otherwise the first of a row
// takes the place of what is there.

// CHECK-LABEL: func.func @own_sum(
// CHECK: cin.assign @plus %{{.*}} to %out[
// CHECK-LABEL: func.func @own_fold(
// CHECK: %[[FIRST:.*]] = cin.call eq(
// CHECK: cin.assign @distance %{{.*}} to %out[{{.*}}] first %[[FIRST]]
func.func @own_sum(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.message @plus edge(mul) coo(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      messages(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}
func.func @own_fold(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.message @distance edge(mul) coo(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      messages(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// Edges in coordinates add to the result.

// CHECK-LABEL: func.func @coordinates(
// CHECK: cin.forall (%i, %e)
// CHECK:   cin.assign %{{.*}} to %out[%i, %e]
// CHECK: cin.forall (%p, %e)
// CHECK:   %[[ROW:.*]] = cin.access %rows[%p]
// CHECK:   cin.assign add %{{.*}} to %out[%[[ROW]], %e]
func.func @coordinates(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.spmm sum coo(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// CHECK-LABEL: func.func @rotate(
// CHECK: cin.call cos(%{{.*}}) {approximate}
func.func @rotate(%e: memref<?x8xf32>, %r: memref<?x4xf32>, %i: memref<?xi64>, %o: memref<?xf32>) {
  embed.score rotate norm 2 entities(%e : memref<?x8xf32>) relations(%r : memref<?x4xf32>)
      heads(%i : memref<?xi64>) types(%i : memref<?xi64>) tails(%i : memref<?xi64>) outs(%o : memref<?xf32>)
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK: cin.forall (%i, %j)
// CHECK:   %[[BLOCK:.*]] = cin.access %blocks[%i, %j]
// CHECK:   cin.forall (%t in %{{.*}} to %{{.*}}, %e)
// CHECK:     %[[ROW:.*]] = cin.apply {{.*}}(%[[BLOCK]], %t : i32, index)
// CHECK:     %[[PLACE:.*]] = cin.apply {{.*}}(%j, %t)
// CHECK:     cin.access %source[%[[ROW]], %e]
// CHECK:     cin.assign %{{.*}} to %out[%i, %[[PLACE]], %e]
func.func @gather(%x: memref<?x4xf16>, %b: memref<?x3xi32>, %o: memref<?x6x4xf16>) {
  embed.gather block_size 2 rows(%x : memref<?x4xf16>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x6x4xf16>)
  return
}

// Rows of bytes are elements in a format.

// CHECK-LABEL: func.func @encoded(
// CHECK: %[[X:.*]] = cin.assemble %dense sizes(%stored_rows) : memref<?x16xi8> -> !cin.array<?x8xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.000000e+00 : f32>>
// CHECK: cin.access %[[X]][%{{.*}}, %e]
func.func @encoded(%p: memref<?xi64>, %c: memref<?xi64>, %x: memref<?x16xi8>, %o: memref<?x8xf32>) {
  embed.spmm sum csr(%p, %c : memref<?xi64>, memref<?xi64>) dense(%x : memref<?x16xi8>)
      outs(%o : memref<?x8xf32>) format <int8, f32>
  return
}

// The last bag of open offsets ends behind the last index.

// CHECK-LABEL: func.func @open(
// CHECK: %[[ALL:.*]] = cin.temporary sizes(%{{.*}}) initial 0 : index {name = "offsets"} : memref<?xindex>
// CHECK: cin.forall (%s in
// CHECK:   cin.assign %{{.*}} to %[[ALL]][%s]
// CHECK: cin.forall ()
// CHECK:   cin.assign %{{.*}} to %[[ALL]][
// CHECK: cin.forall (%b, %e)
// CHECK:   %[[BEGIN:.*]] = cin.access %[[ALL]][%b]
// CHECK:   %[[END:.*]] = cin.access %[[ALL]][
// CHECK:   cin.reduce larger (%p in %[[BEGIN]] to %[[END]]) -> f32 attributes {names = ["p"], otherwise = 0.000000e+00 : f32}
func.func @open(%x: memref<?x8xf32>, %i: memref<?xi64>, %s: memref<?xi32>, %o: memref<?x8xf32>) {
  embed.bag max tables(%x : memref<?x8xf32>) indices(%i : memref<?xi64>)
      open_offsets(%s : memref<?xi32>) outs(%o : memref<?x8xf32>)
  return
}

// Bags of lengths, with padding, of a table by columns, and means with biases.

// CHECK-LABEL: func.func @other_bags(
// CHECK-NOT: embed.bag sum
// CHECK: cin.scan %{{.*}} within %{{.*}} : memref<?xi32>, memref<?xi64> -> memref<?xi64>
// CHECK: cin.call select(
// CHECK: schedule = #cin.schedule<split(r, r0, r1, 32), reorder(r0, c, r1)>
// CHECK: cin.call div(
// CHECK-NOT: embed.bag sum
// CHECK: return
func.func @other_bags(%x: memref<?x8xf32>, %b: memref<?x16xi8>, %i: memref<?xi64>, %s: memref<?xi32>, %pad: index,
                      %strided: memref<?x8xf32, strided<[1, ?]>>, %o: memref<?x8xf32>) {
  embed.bag sum tables(%x : memref<?x8xf32>) indices(%i : memref<?xi64>)
      lengths(%s : memref<?xi32>) outs(%o : memref<?x8xf32>)
  embed.bag sum tables(%x : memref<?x8xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi32>) padding(%pad) outs(%o : memref<?x8xf32>)
  embed.bag sum tables(%strided : memref<?x8xf32, strided<[1, ?]>>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi32>) outs(%o : memref<?x8xf32>)
  embed.bag mean tables(%b : memref<?x16xi8>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi32>) outs(%o : memref<?x8xf32>) format <int8, f32>
  return
}
