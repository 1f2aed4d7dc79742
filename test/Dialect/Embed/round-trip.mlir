// Every operation and every form of its assembly.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func @bags(
func.func @bags(%a: tensor<?x16xf32>, %b: tensor<?x8xf32>, %i: tensor<?xi64>,
                %s: tensor<?xi32>, %w: tensor<?xf32>, %p: index,
                %one: tensor<?x16xf32>, %both: tensor<?x24xf32>)
    -> tensor<?x24xf32> {
  // CHECK: embed.bag sum tables(%[[A:.*]] : tensor<?x16xf32>) indices(%[[I:.*]] : tensor<?xi64>) offsets(%[[S:.*]] : tensor<?xi32>) outs(%[[ONE:.*]] : tensor<?x16xf32>) -> tensor<?x16xf32>
  %0 = embed.bag sum tables(%a : tensor<?x16xf32>) indices(%i : tensor<?xi64>)
      offsets(%s : tensor<?xi32>) outs(%one : tensor<?x16xf32>) -> tensor<?x16xf32>
  // CHECK: embed.bag max tables(%[[A]] : {{.*}}) indices({{.*}}) open_offsets(%[[S]] : tensor<?xi32>) padding(%[[P:.*]]) outs({{.*}}) {note} -> tensor<?x16xf32>
  %1 = embed.bag max tables(%a : tensor<?x16xf32>) indices(%i : tensor<?xi64>)
      open_offsets(%s : tensor<?xi32>) padding(%p)
      outs(%one : tensor<?x16xf32>) {note} -> tensor<?x16xf32>
  // CHECK: embed.bag mean tables(%[[A]], %[[B:.*]] : tensor<?x16xf32>, tensor<?x8xf32>) indices({{.*}}) lengths(%[[S]] : tensor<?xi32>) weights(%{{.*}} : tensor<?xf32>) padding(%[[P]], %[[P]]) outs(
  %2 = embed.bag mean tables(%a, %b : tensor<?x16xf32>, tensor<?x8xf32>)
      indices(%i : tensor<?xi64>) lengths(%s : tensor<?xi32>)
      weights(%w : tensor<?xf32>) padding(%p, %p)
      outs(%both : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %2 : tensor<?x24xf32>
}

// CHECK-LABEL: func.func @encoded_rows(
func.func @encoded_rows(%t: memref<?x?xi8>, %i: memref<?xindex>,
                        %s: memref<?xindex>, %b: memref<?x1xi32>,
                        %o: memref<?x?xf16>, %g: memref<?x2x?xf32>) {
  // CHECK: embed.bag {{.*}} outs({{.*}}) format <int8, f32>
  embed.bag sum tables(%t : memref<?x?xi8>) indices(%i : memref<?xindex>)
      offsets(%s : memref<?xindex>) outs(%o : memref<?x?xf16>) format <int8, f32>
  // CHECK: embed.bag {{.*}} outs({{.*}}) format <int4, f16, leading>
  embed.bag sum tables(%t : memref<?x?xi8>) indices(%i : memref<?xindex>)
      offsets(%s : memref<?xindex>) outs(%o : memref<?x?xf16>) format <int4, f16, leading>
  // CHECK: embed.spmm {{.*}} outs({{.*}}) format <e4m3>
  embed.spmm sum csr(%s, %i : memref<?xindex>, memref<?xindex>)
      dense(%t : memref<?x?xi8>) outs(%o : memref<?x?xf16>) format <e4m3>
  // CHECK: embed.gather {{.*}} outs({{.*}}) format <e5m2>
  embed.gather block_size 2 rows(%t : memref<?x?xi8>) blocks(%b : memref<?x1xi32>)
      outs(%g : memref<?x2x?xf32>) format <e5m2>
  // CHECK: embed.gather {{.*}} outs({{.*}}) format <e5m2, f8E8M0FNU>
  embed.gather block_size 2 rows(%t : memref<?x?xi8>) blocks(%b : memref<?x1xi32>)
      outs(%g : memref<?x2x?xf32>) format <e5m2, f8E8M0FNU>
  // CHECK: embed.gather {{.*}} outs({{.*}}) format <e4m3, f8E8M0FNU, leading>
  embed.gather block_size 2 rows(%t : memref<?x?xi8>) blocks(%b : memref<?x1xi32>)
      outs(%g : memref<?x2x?xf32>) format <e4m3, f8E8M0FNU, leading>
  return
}

// CHECK-LABEL: func.func @graphs(
func.func @graphs(%r: memref<?xi32>, %c: memref<?xi64>, %v: memref<?xf64>,
                  %x: memref<?x?xf32>, %y: memref<?x?xbf16>, %s: f16,
                  %e: memref<?xf32>, %o: memref<?x?xf32>) {
  // CHECK: embed.spmm max csr(%[[R:.*]], %[[C:.*]] : memref<?xi32>, memref<?xi64>) dense(%[[X:.*]] : memref<?x?xf32>) outs(
  embed.spmm max csr(%r, %c : memref<?xi32>, memref<?xi64>)
      dense(%x : memref<?x?xf32>) outs(%o : memref<?x?xf32>)
  // CHECK: embed.spmm mean coo(%[[R]], %[[C]] : memref<?xi32>, memref<?xi64>) values(%[[V:.*]] : memref<?xf64>) dense(
  embed.spmm mean coo(%r, %c : memref<?xi32>, memref<?xi64>)
      values(%v : memref<?xf64>) dense(%y : memref<?x?xbf16>)
      outs(%o : memref<?x?xf32>)
  // CHECK: embed.sddmm edge(mul) csr(%[[R]], %[[C]] : memref<?xi32>, memref<?xi64>) rows(%[[X]], %[[Y:.*]] : memref<?x?xf32>, memref<?x?xbf16>) outs(
  embed.sddmm edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi64>)
      rows(%x, %y : memref<?x?xf32>, memref<?x?xbf16>) outs(%e : memref<?xf32>)
  // CHECK: embed.sddmm edge(sub) activation(exp) coo({{.*}}) values(%[[V]] : memref<?xf64>) rows({{.*}}) scale(%{{.*}} : f16) outs(
  embed.sddmm edge(sub) activation(exp) coo(%r, %c : memref<?xi32>, memref<?xi64>)
      values(%v : memref<?xf64>) rows(%x, %y : memref<?x?xf32>, memref<?x?xbf16>)
      scale(%s : f16) outs(%e : memref<?xf32>)
  // CHECK: embed.message add edge(mul) csr({{.*}}) rows({{.*}}) messages(%[[Y]] : memref<?x?xbf16>) outs(
  embed.message add edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi64>)
      rows(%x, %y : memref<?x?xf32>, memref<?x?xbf16>)
      messages(%y : memref<?x?xbf16>) outs(%o : memref<?x?xf32>)
  // CHECK: embed.message larger edge(add) vector activation(relu) coo({{.*}}) values({{.*}}) rows({{.*}}) messages({{.*}}) scale({{.*}}) outs(
  embed.message larger edge(add) vector activation(relu)
      coo(%r, %c : memref<?xi32>, memref<?xi64>) values(%v : memref<?xf64>)
      rows(%x, %y : memref<?x?xf32>, memref<?x?xbf16>)
      messages(%y : memref<?x?xbf16>) scale(%s : f16) outs(%o : memref<?x?xf32>)
  return
}

cin.function @distance(%x: f32, %y: f32) -> f32 attributes {commutative} {
  %difference = arith.subf %x, %y : f32
  %distance = math.absf %difference : f32
  cin.return %distance : f32
}
cin.function @halve(%x: f32) -> f32 {
  %half = arith.constant 5.0e-01 : f32
  %halved = arith.mulf %x, %half : f32
  cin.return %halved : f32
}

// CHECK-LABEL: func.func @steps(
func.func @steps(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                 %e: memref<?xf32>, %o: memref<?x4xf32>) {
  // CHECK: embed.sddmm edge(@distance) total(max) activation(@halve) csr(
  embed.sddmm edge(@distance) total(max) activation(@halve)
      csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%e : memref<?xf32>)
  // CHECK: embed.message @distance edge(min) total(@distance) weighting(sub) coo(
  embed.message @distance edge(min) total(@distance) weighting(sub)
      coo(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      messages(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  // CHECK: embed.message mean edge(@distance) vector activation(tanh) weighting(@distance) csr(
  embed.message mean edge(@distance) vector activation(tanh) weighting(@distance)
      csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      messages(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// CHECK-LABEL: func.func @knowledge_graphs(
func.func @knowledge_graphs(%e: tensor<?x8xf32>, %r: tensor<?x8xf32>,
                            %a: tensor<?x4xf32>, %i: tensor<?xi64>,
                            %one: tensor<?xf32>, %all: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  // CHECK: embed.score transe norm 2 entities(%[[E:.*]] : tensor<?x8xf32>) relations(%[[R:.*]] : tensor<?x8xf32>) heads(%[[I:.*]] : tensor<?xi64>) types(%[[I]] : tensor<?xi64>) tails(%[[I]] : tensor<?xi64>) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %0 = embed.score transe norm 2 entities(%e : tensor<?x8xf32>)
      relations(%r : tensor<?x8xf32>) heads(%i : tensor<?xi64>)
      types(%i : tensor<?xi64>) tails(%i : tensor<?xi64>)
      outs(%one : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: embed.score distmult entities({{.*}}) relations({{.*}}) heads({{.*}}) types({{.*}}) outs(%{{.*}} : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = embed.score distmult entities(%e : tensor<?x8xf32>)
      relations(%r : tensor<?x8xf32>) heads(%i : tensor<?xi64>)
      types(%i : tensor<?xi64>) outs(%all : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: embed.score complex entities
  %2 = embed.score complex entities(%e : tensor<?x8xf32>)
      relations(%r : tensor<?x8xf32>) heads(%i : tensor<?xi64>)
      types(%i : tensor<?xi64>) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: embed.score rotate norm 1 entities
  %3 = embed.score rotate norm 1 entities(%e : tensor<?x8xf32>)
      relations(%a : tensor<?x4xf32>) heads(%i : tensor<?xi64>)
      types(%i : tensor<?xi64>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @blocks(
func.func @blocks(%k: memref<?x64xf32>, %q: memref<?x64xf32>,
                  %b: memref<?x3xi32>, %s: f32, %g: memref<?x24x64xf32>,
                  %p: memref<?x24xf32>, %o: memref<?x64xf32>) {
  // CHECK: embed.gather block_size 8 rows(%[[K:.*]] : memref<?x64xf32>) blocks(%[[B:.*]] : memref<?x3xi32>) outs(%{{.*}} : memref<?x24x64xf32>){{$}}
  embed.gather block_size 8 rows(%k : memref<?x64xf32>)
      blocks(%b : memref<?x3xi32>) outs(%g : memref<?x24x64xf32>)
  // CHECK: embed.block_scores block_size 8 queries(%[[Q:.*]] : memref<?x64xf32>) keys(%[[K]] : memref<?x64xf32>) blocks(%[[B]] : memref<?x3xi32>) outs(%[[P:.*]] : memref<?x24xf32>){{$}}
  embed.block_scores block_size 8 queries(%q : memref<?x64xf32>)
      keys(%k : memref<?x64xf32>) blocks(%b : memref<?x3xi32>)
      outs(%p : memref<?x24xf32>)
  // CHECK: embed.block_scores {{.*}} scale(%{{.*}} : f32) outs(
  embed.block_scores block_size 8 queries(%q : memref<?x64xf32>)
      keys(%k : memref<?x64xf32>) blocks(%b : memref<?x3xi32>)
      scale(%s : f32) outs(%p : memref<?x24xf32>)
  // CHECK: embed.block_values block_size 8 scores(%[[P]] : memref<?x24xf32>) values(%[[K]] : memref<?x64xf32>) blocks(%[[B]] : memref<?x3xi32>) outs(%{{.*}} : memref<?x64xf32>){{$}}
  embed.block_values block_size 8 scores(%p : memref<?x24xf32>)
      values(%k : memref<?x64xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x64xf32>)
  return
}
