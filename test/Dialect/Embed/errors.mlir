// One error a rule of the verifiers. Sizes that only a run knows are checked in
// python/tests/test_embed_errors.py.

// RUN: ember-opt %s -split-input-file -verify-diagnostics

// Formats of stored rows.

// expected-error @below {{unknown encoding of rows 'int7', expected int8, int4, e4m3 or e5m2}}
func.func private @format0() attributes {test.format = #cin.row_format<int7>}

// -----

// expected-error @below {{rows of int8 need the type of their scale and bias, f32 or f16}}
func.func private @format1() attributes {test.format = #cin.row_format<int8>}

// -----

// expected-error @below {{rows of int4 need the type of their scale and bias, f32 or f16}}
func.func private @format2() attributes {test.format = #cin.row_format<int4, f64>}

// -----

// expected-error @below {{rows of e4m3 have no scale and bias; scales of blocks are f8E8M0FNU}}
func.func private @format3() attributes {test.format = #cin.row_format<e4m3, f32>}

// -----

// expected-error @below {{rows of e4m3 have no scale and bias; scales of blocks are f8E8M0FNU}}
func.func private @format4() attributes {test.format = #cin.row_format<e4m3, f8E5M2>}

// -----

// expected-error @below {{rows of int8 need the type of their scale and bias, f32 or f16}}
func.func private @format5() attributes {test.format = #cin.row_format<int8, f8E8M0FNU>}

// -----

// A row of 33 bytes holds 32 elements and their scale, one of 34 has no meaning.
func.func @blocks(%t: memref<?x34xi8>, %i: memref<?xi64>, %s: memref<?xi64>,
                  %o: memref<?x32xf32>) {
  // expected-error @below {{'embed.bag' op the row of the table is 34 but what a row of outs needs is 33}}
  embed.bag sum tables(%t : memref<?x34xi8>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>) outs(%o : memref<?x32xf32>) format <e4m3, f8E8M0FNU>
  return
}

// -----

// Tensors and memrefs.

func.func @case4(%t0: tensor<?x4xf32>, %i: memref<?xi64>, %s: memref<?xi64>,
                 %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op mixes tensors and memrefs; all must be the one or the other}}
  embed.bag sum tables(%t0 : tensor<?x4xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case5(%t0: tensor<?x4xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                 %o: tensor<?x4xf32>) {
  // expected-error @below {{'embed.bag' op on tensors has a result, of the type of outs}}
  embed.bag sum tables(%t0 : tensor<?x4xf32>) indices(%i : tensor<?xi64>)
      offsets(%s : tensor<?xi64>)
      outs(%o : tensor<?x4xf32>)
  return
}

// -----

func.func @case6(%t0: memref<?x4xf32>, %i: memref<?xi64>, %s: memref<?xi64>,
                 %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op on memrefs has no result}}
  %0 = embed.bag sum tables(%t0 : memref<?x4xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// Types of elements.

func.func @case7(%t0: memref<?x4xf32>, %i: memref<?xf32>, %s: memref<?xi64>,
                 %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op operand #1 must be}}
  embed.bag sum tables(%t0 : memref<?x4xf32>) indices(%i : memref<?xf32>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case8(%t0: memref<?x4xi32>, %i: memref<?xi64>, %s: memref<?xi64>,
                 %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op operand #0 must be}}
  embed.bag sum tables(%t0 : memref<?x4xi32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

// Bags.

func.func @case9(%t0: memref<?x4xf32>, %i: memref<?xi64>, %s: memref<?xi64>,
                 %w: memref<?xf32>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op has weights, which scale the terms of a sum or mean, but its reduction is max}}
  embed.bag max tables(%t0 : memref<?x4xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>) weights(%w : memref<?xf32>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case10(%t0: memref<?x2xf32>, %t1: memref<?x2xf32>, %i: memref<?xi64>,
                  %s: memref<?xi64>, %p: index, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op has 1 padding rows for 2 tables; it takes none or one a table}}
  embed.bag sum tables(%t0, %t1 : memref<?x2xf32>, memref<?x2xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>) padding(%p)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case11(%t0: memref<?x12xi8>, %i: memref<?xi64>, %s: memref<?xi64>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op has rows of bytes but no format that says what they encode, such as #cin.row_format<int8, f32>}}
  embed.bag sum tables(%t0 : memref<?x12xi8>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case12(%t0: memref<?x4xf32>, %i: memref<?xi64>, %s: memref<?xi64>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op has a format, so the table's elements must be bytes (i8), not 'f32'}}
  embed.bag sum tables(%t0 : memref<?x4xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>) format <int8, f32>
  return
}

// -----

func.func @case13(%t0: memref<?x4xf32>, %t1: memref<?x?xf32>, %i: memref<?xi64>,
                  %s: memref<?xi64>, %o: memref<?x8xf32>) {
  // expected-error @below {{'embed.bag' op has several tables, so their rows must be of fixed length: it says where in a row of outs each begins}}
  embed.bag sum tables(%t0, %t1 : memref<?x4xf32>, memref<?x?xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @case14(%t0: memref<?x8xf32>, %i: memref<?xi64>, %s: memref<?xi64>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op the row of the table is 8 but what a row of outs needs is 4}}
  embed.bag sum tables(%t0 : memref<?x8xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case15(%t0: memref<?x11xi8>, %i: memref<?xi64>, %s: memref<?xi64>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op the row of the table is 11 but what a row of outs needs is 12}}
  embed.bag sum tables(%t0 : memref<?x11xi8>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>) format <int8, f32>
  return
}

// -----

func.func @case16(%t0: memref<?x4xf32>, %t1: memref<?x1xf32>, %i: memref<?xi64>,
                  %s: memref<?xi64>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op the row of outs is 4 but the sum of the tables' rows is 5}}
  embed.bag sum tables(%t0, %t1 : memref<?x4xf32>, memref<?x1xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case17(%t0: memref<?x4xf32>, %i: memref<6xi64>, %s: memref<?xi64>,
                  %w: memref<5xf32>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.bag' op the number of weights is 5 but that of indices is 6}}
  embed.bag sum tables(%t0 : memref<?x4xf32>) indices(%i : memref<6xi64>)
      offsets(%s : memref<?xi64>) weights(%w : memref<5xf32>)
      outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case18(%t0: memref<?x4xf32>, %i: memref<?xi64>, %s: memref<3xi64>,
                  %o: memref<3x4xf32>) {
  // expected-error @below {{'embed.bag' op the number of offsets is 3 but that the bags need is 4}}
  embed.bag sum tables(%t0 : memref<?x4xf32>) indices(%i : memref<?xi64>)
      offsets(%s : memref<3xi64>)
      outs(%o : memref<3x4xf32>)
  return
}

// -----

func.func @case19(%t0: memref<?x4xf32>, %i: memref<?xi64>, %s: memref<4xi64>,
                  %o: memref<3x4xf32>) {
  // expected-error @below {{'embed.bag' op the number of open_offsets is 4 but that the bags need is 3}}
  embed.bag sum tables(%t0 : memref<?x4xf32>) indices(%i : memref<?xi64>)
      open_offsets(%s : memref<4xi64>)
      outs(%o : memref<3x4xf32>)
  return
}

// -----

func.func @case20(%t0: memref<?x2xf32>, %t1: memref<?x2xf32>, %i: memref<?xi64>,
                  %s: memref<3xi64>, %o: memref<3x4xf32>) {
  // expected-error @below {{'embed.bag' op the number of lengths is 3 but that the bags need is 6}}
  embed.bag sum tables(%t0, %t1 : memref<?x2xf32>, memref<?x2xf32>) indices(%i : memref<?xi64>)
      lengths(%s : memref<3xi64>)
      outs(%o : memref<3x4xf32>)
  return
}

// -----

// Graphs.

func.func @case21(%r: memref<?xi32>, %c: memref<6xi32>, %v: memref<5xf32>,
                  %x: memref<?x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.spmm' op the number of values is 5 but that of edges is 6}}
  embed.spmm sum csr(%r, %c : memref<?xi32>, memref<6xi32>) values(%v : memref<5xf32>)
      dense(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case22(%r: memref<5xi32>, %c: memref<6xi32>, %x: memref<?x4xf32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.spmm' op the number of rows of edges is 5 but that of columns is 6}}
  embed.spmm sum coo(%r, %c : memref<5xi32>, memref<6xi32>)
      dense(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case23(%r: memref<3xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %o: memref<3x4xf32>) {
  // expected-error @below {{'embed.spmm' op the number of positions is 3 but that of rows, plus 1, is 4}}
  embed.spmm sum csr(%r, %c : memref<3xi32>, memref<?xi32>)
      dense(%x : memref<?x4xf32>) outs(%o : memref<3x4xf32>)
  return
}

// -----

func.func @case24(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.spmm' op the row of the table is 8 but what a row of outs needs is 4}}
  embed.spmm sum csr(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x8xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case25(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xi8>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.spmm' op has rows of bytes but no format that says what they encode, such as #cin.row_format<int8, f32>}}
  embed.spmm sum csr(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x8xi8>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case26(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %y: memref<?x5xf32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op the length of the left rows is 4 but that of the right rows is 5}}
  embed.sddmm edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<?x5xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case27(%r: memref<3xi32>, %c: memref<?xi32>, %x: memref<3x4xf32>,
                  %y: memref<?x4xf32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op the number of positions is 3 but that of rows, plus 1, is 4}}
  embed.sddmm edge(mul) csr(%r, %c : memref<3xi32>, memref<?xi32>)
      rows(%x, %y : memref<3x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case28(%r: memref<?xi32>, %c: memref<6xi32>, %x: memref<?x4xf32>,
                  %y: memref<?x4xf32>, %o: memref<5xf32>) {
  // expected-error @below {{'embed.sddmm' op the size of outs is 5 but the number of edges is 6}}
  embed.sddmm edge(mul) csr(%r, %c : memref<?xi32>, memref<6xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<5xf32>)
  return
}

// -----

func.func @case29(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %y: memref<?x5xf32>, %m: memref<?x4xf32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.message' op the length of the left rows is 4 but that of the right rows is 5}}
  embed.message add edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<?x5xf32>) messages(%m : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case30(%r: memref<3xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %y: memref<?x4xf32>, %m: memref<?x4xf32>,
                  %o: memref<3x4xf32>) {
  // expected-error @below {{'embed.message' op the number of positions is 3 but that of rows, plus 1, is 4}}
  embed.message add edge(mul) csr(%r, %c : memref<3xi32>, memref<?xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<?x4xf32>) messages(%m : memref<?x4xf32>) outs(%o : memref<3x4xf32>)
  return
}

// -----

func.func @case31(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<2x4xf32>,
                  %y: memref<?x4xf32>, %m: memref<?x4xf32>,
                  %o: memref<3x4xf32>) {
  // expected-error @below {{'embed.message' op the number of left rows is 2 but that of rows of outs is 3}}
  embed.message add edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %y : memref<2x4xf32>, memref<?x4xf32>) messages(%m : memref<?x4xf32>) outs(%o : memref<3x4xf32>)
  return
}

// -----

func.func @case32(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %y: memref<2x4xf32>, %m: memref<3x4xf32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.message' op the number of right rows is 2 but that of messages is 3}}
  embed.message add edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<2x4xf32>) messages(%m : memref<3x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case33(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %y: memref<?x4xf32>, %m: memref<?x6xf32>,
                  %o: memref<?x6xf32>) {
  // expected-error @below {{'embed.message' op the length of the left rows is 4 but that of the messages is 6}}
  embed.message add edge(mul) vector csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<?x4xf32>) messages(%m : memref<?x6xf32>) outs(%o : memref<?x6xf32>)
  return
}

// -----

func.func @case34(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x4xf32>,
                  %y: memref<?x4xf32>, %m: memref<?x6xf32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.message' op the row of outs is 4 but the row of messages is 6}}
  embed.message add edge(mul) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %y : memref<?x4xf32>, memref<?x4xf32>) messages(%m : memref<?x6xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

// Knowledge graphs.

func.func @case35(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op transe needs a norm, 1 or 2}}
  embed.score transe entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case36(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op distmult has no norm}}
  embed.score distmult norm 1 entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case37(%e: memref<?x4xf32>, %r: memref<?x2xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op attribute 'norm' failed to satisfy constraint}}
  embed.score rotate norm 3 entities(%e : memref<?x4xf32>) relations(%r : memref<?x2xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case38(%e: memref<?x5xf32>, %r: memref<?x5xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op rows of complex numbers hold real and imaginary parts, but have the odd length 5}}
  embed.score complex entities(%e : memref<?x5xf32>) relations(%r : memref<?x5xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case39(%e: memref<?x4xf32>, %r: memref<?x5xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op the length of the relations is 5 but what the entities ask for is 4}}
  embed.score distmult entities(%e : memref<?x4xf32>) relations(%r : memref<?x5xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case40(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op the length of the relations is 4 but what the entities ask for is 2}}
  embed.score rotate norm 2 entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case41(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<3xi64>,
                  %k: memref<2xi64>, %t: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op the number of types is 2 but that of heads is 3}}
  embed.score complex entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<3xi64>) types(%k : memref<2xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case42(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<3xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<2xf32>) {
  // expected-error @below {{'embed.score' op the number of scores is 2 but that of heads is 3}}
  embed.score complex entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<3xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<2xf32>)
  return
}

// -----

func.func @case43(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<3xi64>,
                  %k: memref<?xi64>, %t: memref<2xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op the number of tails is 2 but that of heads is 3}}
  embed.score complex entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<3xi64>) types(%k : memref<?xi64>) tails(%t : memref<2xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case44(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %t: memref<?xi64>, %o: memref<?x?xf32>) {
  // expected-error @below {{'embed.score' op outs must have one dimension, a score a triple}}
  embed.score complex entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>) tails(%t : memref<?xi64>)
      outs(%o : memref<?x?xf32>)
  return
}

// -----

func.func @case45(%e: memref<?x4xf32>, %r: memref<?x4xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.score' op without tails, outs must have two dimensions, a score a triple and entity}}
  embed.score complex entities(%e : memref<?x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>)
      outs(%o : memref<?xf32>)
  return
}

// -----

func.func @case46(%e: memref<9x4xf32>, %r: memref<?x4xf32>, %h: memref<?xi64>,
                  %k: memref<?xi64>, %o: memref<?x8xf32>) {
  // expected-error @below {{'embed.score' op the number of columns of outs is 8 but that of entities is 9}}
  embed.score complex entities(%e : memref<9x4xf32>) relations(%r : memref<?x4xf32>)
      heads(%h : memref<?xi64>) types(%k : memref<?xi64>)
      outs(%o : memref<?x8xf32>)
  return
}

// -----

// Blocks.

func.func @case47(%s: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x6x4xf32>) {
  // expected-error @below {{'embed.gather' op attribute 'block_size' failed to satisfy constraint}}
  embed.gather block_size 0 rows(%s : memref<?x4xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x6x4xf32>)
  return
}

// -----

func.func @case48(%s: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x6x4xf32>) {
  // expected-error @below {{'embed.gather' op has a format, so the table's elements must be bytes (i8), not 'f32'}}
  embed.gather block_size 2 rows(%s : memref<?x4xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x6x4xf32>) format <e4m3>
  return
}

// -----

func.func @case49(%s: memref<?x5xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x6x4xf32>) {
  // expected-error @below {{'embed.gather' op the row of the table is 5 but what a row of outs needs is 4}}
  embed.gather block_size 2 rows(%s : memref<?x5xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x6x4xf32>)
  return
}

// -----

func.func @case50(%s: memref<?x4xf32>, %b: memref<5x3xi32>,
                  %o: memref<4x6x4xf32>) {
  // expected-error @below {{'embed.gather' op the first size of outs is 4 but that of blocks is 5}}
  embed.gather block_size 2 rows(%s : memref<?x4xf32>) blocks(%b : memref<5x3xi32>)
      outs(%o : memref<4x6x4xf32>)
  return
}

// -----

func.func @case51(%s: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x7x4xf32>) {
  // expected-error @below {{'embed.gather' op the second size of outs is 7 but the number of rows in its blocks is 6}}
  embed.gather block_size 2 rows(%s : memref<?x4xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x7x4xf32>)
  return
}

// -----

func.func @case52(%q: memref<?x4xf32>, %k: memref<?x5xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x6xf32>) {
  // expected-error @below {{'embed.block_scores' op the length of the queries is 4 but that of the keys is 5}}
  embed.block_scores block_size 2 queries(%q : memref<?x4xf32>) keys(%k : memref<?x5xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x6xf32>)
  return
}

// -----

func.func @case53(%q: memref<6x4xf32>, %k: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<4x6xf32>) {
  // expected-error @below {{'embed.block_scores' op the number of rows of outs is 4 but that of queries is 6}}
  embed.block_scores block_size 2 queries(%q : memref<6x4xf32>) keys(%k : memref<?x4xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<4x6xf32>)
  return
}

// -----

func.func @case54(%q: memref<5x4xf32>, %k: memref<?x4xf32>, %b: memref<3x3xi32>,
                  %o: memref<?x6xf32>) {
  // expected-error @below {{'embed.block_scores' op the number of queries is 5 but the number of rows in its blocks is 6}}
  embed.block_scores block_size 2 queries(%q : memref<5x4xf32>) keys(%k : memref<?x4xf32>)
      blocks(%b : memref<3x3xi32>) outs(%o : memref<?x6xf32>)
  return
}

// -----

func.func @case55(%q: memref<?x4xf32>, %k: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x5xf32>) {
  // expected-error @below {{'embed.block_scores' op the row of outs is 5 but the number of rows in its blocks is 6}}
  embed.block_scores block_size 2 queries(%q : memref<?x4xf32>) keys(%k : memref<?x4xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x5xf32>)
  return
}

// -----

func.func @case56(%s: memref<?x6xf32>, %v: memref<?x5xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.block_values' op the row of outs is 4 but the row of values is 5}}
  embed.block_values block_size 2 scores(%s : memref<?x6xf32>) values(%v : memref<?x5xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case57(%s: memref<6x6xf32>, %v: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<4x4xf32>) {
  // expected-error @below {{'embed.block_values' op the number of rows of outs is 4 but that of scores is 6}}
  embed.block_values block_size 2 scores(%s : memref<6x6xf32>) values(%v : memref<?x4xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<4x4xf32>)
  return
}

// -----

func.func @case58(%s: memref<5x6xf32>, %v: memref<?x4xf32>, %b: memref<3x3xi32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.block_values' op the number of rows of scores is 5 but the number of rows in its blocks is 6}}
  embed.block_values block_size 2 scores(%s : memref<5x6xf32>) values(%v : memref<?x4xf32>)
      blocks(%b : memref<3x3xi32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @case59(%s: memref<?x5xf32>, %v: memref<?x4xf32>, %b: memref<?x3xi32>,
                  %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.block_values' op the row of scores is 5 but the number of rows in its blocks is 6}}
  embed.block_values block_size 2 scores(%s : memref<?x5xf32>) values(%v : memref<?x4xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @blocks_beyond_counting(%x: memref<?x4xf32>, %b: memref<?x3xi32>, %o: memref<?x?x4xf32>) {
  // expected-error @below {{'embed.gather' op has 3 blocks of 4611686018427387904 rows, which are more than can be counted}}
  embed.gather block_size 4611686018427387904 rows(%x : memref<?x4xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x?x4xf32>)
  return
}

// -----

func.func @short_rows(%t: memref<?x3xi8>, %i: memref<?xi64>, %o: memref<?x?xf32>) {
  // expected-error @below {{'embed.bag' op has rows of 3 bytes, but scale and bias take 8}}
  embed.bag sum tables(%t : memref<?x3xi8>) indices(%i : memref<?xi64>)
      offsets(%i : memref<?xi64>) outs(%o : memref<?x?xf32>) format <int8, f32>
  return
}

// -----

// What loops could not load.

#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @sparse(%x: tensor<?x4xf32, #csr>, %b: tensor<?x3xi32>, %o: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  // expected-error @below {{is not dense; convert it to a tensor without encoding first}}
  %0 = embed.gather block_size 1 rows(%x : tensor<?x4xf32, #csr>)
      blocks(%b : tensor<?x3xi32>) outs(%o : tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// -----

#tiles = affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>

func.func @tiled(%x: memref<?x4xf32, #tiles>, %b: memref<?x3xi32>, %o: memref<?x3x4xf32>) {
  // expected-error @below {{has a layout without strides; copy it to one with strides}}
  embed.gather block_size 1 rows(%x : memref<?x4xf32, #tiles>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x3x4xf32>)
  return
}

// -----

func.func @read_and_written(%x: memref<?x4xf32>, %r: memref<?xi32>, %c: memref<?xi32>) {
  // expected-error @below {{'embed.spmm' op operand #2 is also outs, which would be overwritten while it is read}}
  embed.spmm sum csr(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x4xf32>) outs(%x : memref<?x4xf32>)
  return
}

// -----

// Words.

func.func @reduction(%x: memref<?x4xf32>, %r: memref<?xi32>, %c: memref<?xi32>) {
  // expected-error @below {{expected a reduction: sum, mean or max}}
  embed.spmm min csr(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x4xf32>) outs(%x : memref<?x4xf32>)
  return
}

// -----

func.func @graph(%x: memref<?x4xf32>, %r: memref<?xi32>, %c: memref<?xi32>) {
  // expected-error @below {{expected how edges are given: csr or coo}}
  embed.spmm sum csc(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x4xf32>) outs(%x : memref<?x4xf32>)
  return
}

// -----

func.func @segments(%x: memref<?x4xf32>, %i: memref<?xi32>, %o: memref<?x4xf32>) {
  // expected-error @+2 {{expected how segments are given: offsets, open_offsets or lengths}}
  embed.bag sum tables(%x : memref<?x4xf32>) indices(%i : memref<?xi32>)
      ends(%i : memref<?xi32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

// Steps of message passing.

func.func @edge_unknown(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{there is no function 'times'}}
  embed.sddmm edge(times) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @edge_symbol(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op calls @times, and there is no cin.function of that name}}
  embed.sddmm edge(@times) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func private @times(f32, f32) -> f32
func.func @edge_function(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op calls @times, and there is no cin.function of that name}}
  embed.sddmm edge(@times) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @edge_arity(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op gives 'sqrt' 2 operands, and it takes 1}}
  embed.sddmm edge(sqrt) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @edge_result(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op of 'lt' has operands of one type and an i1 as its result, not ('f32', 'f32') -> 'f32'}}
  embed.sddmm edge(lt) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @edge_type(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op gives 'xor' values of type 'f32', which it does not take}}
  embed.sddmm edge(xor) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @total_arity(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op gives 'fma' 2 operands, and it takes 3}}
  embed.sddmm edge(mul) total(fma) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

func.func @activation_arity(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op gives 'add' 1 operands, and it takes 2}}
  embed.sddmm edge(mul) activation(add) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

// Functions are of the type that is computed in.

cin.function @half(%v: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %result = arith.mulf %v, %half : f64
  cin.return %result : f64
}
func.func @activation_type(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{'embed.sddmm' op of 'half' has the types (f64) -> f64, not ('f32') -> 'f32'}}
  embed.sddmm edge(mul) activation(@half) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%o : memref<?xf32>)
  return
}

// -----

cin.function @half(%v: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %result = arith.mulf %v, %half : f64
  cin.return %result : f64
}
func.func @weighting_arity(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.message' op gives 'half' 2 operands, and it takes 1}}
  embed.message add edge(mul) weighting(@half) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      messages(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @reduction_unknown(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?x4xf32>) {
  // expected-error @below {{there is no function 'sum'}}
  embed.message sum edge(mul) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      messages(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

cin.function @half(%v: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %result = arith.mulf %v, %half : f64
  cin.return %result : f64
}
func.func @reduction_arity(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.message' op gives 'half' 2 operands, and it takes 1}}
  embed.message @half edge(mul) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      messages(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @vector_total(%x: memref<?x4xf32>, %r: memref<?xi32>, %o: memref<?x4xf32>) {
  // expected-error @below {{'embed.message' op has a total of the elements of an edge, which vector keeps apart}}
  embed.message add edge(mul) vector total(max) csr(%r, %r : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      messages(%x : memref<?x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @model(%x: memref<?x4xf32>, %h: memref<?xi32>, %o: memref<?xf32>) {
  // expected-error @below {{expected a model: transe, distmult, complex or rotate}}
  embed.score transh norm 1 entities(%x : memref<?x4xf32>) relations(%x : memref<?x4xf32>)
      heads(%h : memref<?xi32>) types(%h : memref<?xi32>) tails(%h : memref<?xi32>)
      outs(%o : memref<?xf32>)
  return
}
