// One error a rule of the verifiers.

// RUN: ember-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{coordinates are in a fiber: their depth is at least 1}}
func.func private @depth(!sam.crd<0>)

// -----

// expected-error @below {{a stream is nested 65 deep, and at most 64 is possible}}
func.func private @deep(!sam.ref<65>)

// -----

// expected-error @below {{has values of type 'none', expected integers or floats}}
func.func private @element(!sam.val<none, 1>)

// -----

// expected-error @below {{has words of 65 bits, expected 1 to 64}}
func.func private @width(!sam.bv<65, 1>)

// -----

func.func @rank(%a: tensor<?xf32, #cin.format<dense, compressed fill 0.0 : f32>>) {
  // expected-error @below {{has the operand 'A', which has 1 dimensions and a format of 2 levels}}
  sam.graph ins(%x = %a : tensor<?xf32, #cin.format<dense, compressed fill 0.0 : f32>>) attributes {names = ["A"]} {
  }
  return
}

// -----

func.func @missing(%a: tensor<?xf32, #cin.format<compressed fill missing>>) {
  // expected-error @below {{has the operand '#0', which has no value where nothing is stored}}
  sam.graph ins(%x = %a : tensor<?xf32, #cin.format<compressed fill missing>>) {
  }
  return
}

// -----

func.func @foreign(%a: tensor<?xf32>) {
  sam.graph ins(%x = %a : tensor<?xf32>) {
    // expected-error @below {{'arith.constant' op is no block of a sam.graph}}
    %0 = arith.constant 0 : index
  }
  return
}

// -----

func.func @cycle() {
  sam.graph {
    %0 = sam.alu add(%1, %2) : (!sam.val<f32, 0>, !sam.val<f32, 0>) -> !sam.val<f32, 0>
    %1 = sam.reduce add keep %3 : !sam.val<f32, 1>
    %2 = sam.stream "1.0 D" : !sam.val<f32, 0>
    // expected-error @below {{waits for itself: a cycle without a stream that skips coordinates, [repeat, reduce, alu, repeat]}}
    %3 = sam.repeat %0 by %5 : !sam.val<f32, 0>
    %4 = sam.stream "0 S0 D" : !sam.crd<1>
    %5 = sam.repeat_signal %4 : !sam.crd<1>
  }
  return
}

// -----

func.func @tokens() {
  sam.graph {
    // expected-error @below {{has tokens that are no '!sam.crd<1>': the coordinate 1 follows 2}}
    %0 = sam.stream "0 2 1 S0 D" : !sam.crd<1>
  }
  return
}

// -----

func.func @stop() {
  sam.graph {
    // expected-error @below {{has tokens that are no '!sam.crd<2>': S2 ends more lists than the 2 that there are}}
    %0 = sam.stream "0 S2 D" : !sam.crd<2>
  }
  return
}

// -----

func.func @done() {
  sam.graph {
    // expected-error @below {{has tokens that are no '!sam.ref<1>': D is missing at the end}}
    %0 = sam.stream "0 N S0" : !sam.ref<1>
  }
  return
}

// -----

func.func @early() {
  sam.graph {
    // expected-error @below {{has tokens that are no '!sam.ref<2>': D comes before the end of the lists}}
    %0 = sam.stream "0 S0 D" : !sam.ref<2>
  }
  return
}

// -----

func.func @nothing() {
  sam.graph {
    // expected-error @below {{has tokens that are no '!sam.crd<1>': a coordinate is never N}}
    %0 = sam.stream "0 N S0 D" : !sam.crd<1>
  }
  return
}

// -----

func.func @word() {
  sam.graph {
    // expected-error @below {{has tokens that are no '!sam.val<i8, 1>': '300' is no value}}
    %0 = sam.stream "300 S0 D" : !sam.val<i8, 1>
  }
  return
}

// -----

func.func @level(%a: tensor<?xf32>) {
  sam.graph ins(%x = %a : tensor<?xf32>) attributes {names = ["A"]} {
    %root = sam.root
    // expected-error @below {{is of level 1 of 'A', which has 1}}
    %0, %1 = sam.scan %x[1] at %root : tensor<?xf32>, !sam.ref<0>
  }
  return
}

// -----

#coo = #cin.format<compressed(unordered, nonunique), singleton fill 0.0 : f32>

func.func @unordered(%a: tensor<?x?xf32, #coo>) {
  sam.graph ins(%x = %a : tensor<?x?xf32, #coo>) attributes {names = ["A"]} {
    %root = sam.root
    // expected-error @below {{scans level 0 of 'A', whose coordinates are not in order}}
    %0, %1 = sam.scan %x[0] at %root : tensor<?x?xf32, #coo>, !sam.ref<0>
  }
  return
}

// -----

#points = #sparse_tensor.encoding<{map = (i) -> (i : compressed(nonunique))}>

func.func @nonunique(%a: tensor<?xf32, #points>) {
  sam.graph ins(%x = %a : tensor<?xf32, #points>) attributes {names = ["A"]} {
    %root = sam.root
    // expected-error @below {{scans level 0 of 'A', whose coordinates are not different, and there is no singleton below it}}
    %0, %1 = sam.scan %x[0] at %root : tensor<?xf32, #points>, !sam.ref<0>
  }
  return
}

// -----

func.func @skipped_level(%a: tensor<?x?xf32>) {
  sam.graph ins(%x = %a : tensor<?x?xf32>) attributes {names = ["A"]} {
    %root = sam.root
    %i, %r = sam.scan %x[0] at %root : tensor<?x?xf32>, !sam.ref<0>
    // expected-error @below {{needs positions of 'A' at level 1 and is given those of 'A' at level 0, of [root, scan A[0]]}}
    %v = sam.load %x at %r : tensor<?x?xf32>, !sam.ref<1>
  }
  return
}

// -----

func.func @other_tensor(%a: tensor<?x?xf32>, %b: tensor<?xf32>) {
  sam.graph ins(%x = %a, %y = %b : tensor<?x?xf32>, tensor<?xf32>) attributes {names = ["A", "b"]} {
    %root = sam.root
    %i, %r = sam.scan %y[0] at %root : tensor<?xf32>, !sam.ref<0>
    // expected-error @below {{needs positions of 'A' at level 0 and is given those of 'b' at level 0, of [root, scan b[0]]}}
    %j, %s = sam.scan %x[1] at %r : tensor<?x?xf32>, !sam.ref<1>
  }
  return
}

// -----

#vector = #cin.format<compressed fill 0.0 : f32>

func.func @locate(%a: tensor<?xf32, #vector>) {
  sam.graph ins(%x = %a : tensor<?xf32, #vector>) attributes {names = ["A"]} {
    %c = sam.stream "0 S0 D" : !sam.crd<1>
    %r = sam.stream "0 S0 D" : !sam.ref<1>
    // expected-error @below {{locates in level 0 of 'A', which is compressed}}
    %0 = sam.locate %x[0] of %r by %c : tensor<?xf32, #vector>, !sam.ref<1>, !sam.crd<1>
  }
  return
}

// -----

#csc = #cin.format<compressed, dense fill 0.0 : f32>

func.func @strided(%a: tensor<?x?xf32, #csc>) {
  sam.graph ins(%x = %a : tensor<?x?xf32, #csc>) attributes {names = ["A"]} {
    %c = sam.stream "0 S0 D" : !sam.crd<1>
    %r = sam.stream "0 S0 D" : !sam.ref<1>
    // expected-error @below {{is strided, and level 1 of 'A' is not among its outermost dense levels}}
    %0 = sam.locate %x[1] of %r by %c strided : tensor<?x?xf32, #csc>, !sam.ref<1>, !sam.crd<1>
  }
  return
}

// -----

func.func @repeat() {
  sam.graph {
    %root = sam.root
    %c = sam.stream "0 S1 D" : !sam.crd<2>
    %s = sam.repeat_signal %c : !sam.crd<2>
    // expected-error @below {{has an inner stream that is not one level deeper: '!sam.ref<0>' of [root] and '!sam.crd<2>' of [stream]}}
    %0 = sam.repeat %root by %s : !sam.ref<0>
  }
  return
}

// -----

func.func @unlike(%a: tensor<?x?xf32>) {
  sam.graph ins(%x = %a : tensor<?x?xf32>) attributes {names = ["A"]} {
    %root = sam.root
    %i, %r = sam.scan %x[0] at %root : tensor<?x?xf32>, !sam.ref<0>
    %j, %s = sam.scan %x[1] at %r : tensor<?x?xf32>, !sam.ref<1>
    // expected-error @below {{joins streams of unlike depth: '!sam.crd<1>' of [root, scan A[0]] and '!sam.crd<2>' of [root, scan A[0], scan A[1]]}}
    %k = sam.intersect (%i), (%j) : (!sam.crd<1>), (!sam.crd<2>)
  }
  return
}

// -----

func.func @one_side() {
  sam.graph {
    %c = sam.stream "0 S0 D" : !sam.crd<1>
    // expected-error @below {{has fewer than two sides to join}}
    %k = sam.union (%c) : (!sam.crd<1>)
  }
  return
}

// -----

func.func @no_coordinates() {
  sam.graph {
    %r = sam.stream "0 S0 D" : !sam.ref<1>
    // expected-error @below {{has a side that begins with '!sam.ref<1>', expected coordinates}}
    %k = "sam.union"(%r, %r) {sizes = array<i32: 1, 1>} : (!sam.ref<1>, !sam.ref<1>) -> (!sam.crd<1>)
  }
  return
}

// -----

func.func @alu() {
  sam.graph {
    %a = sam.stream "1.0 S0 D" : !sam.val<f32, 1>
    %b = sam.stream "1.0 D" : !sam.val<f32, 0>
    // expected-error @below {{has streams of unlike depth: '!sam.val<f32, 1>' of [stream] and '!sam.val<f32, 0>' of [stream]}}
    %c = sam.alu add(%a, %b) : (!sam.val<f32, 1>, !sam.val<f32, 0>) -> !sam.val<f32, 1>
  }
  return
}

// -----

func.func @reduce() {
  sam.graph {
    %v = sam.stream "1.0 S2 D" : !sam.val<f32, 3>
    %c = sam.stream "1 S1 D" : !sam.crd<2>
    // expected-error @below {{has coordinates that are not those of the innermost levels, outermost first: '!sam.val<f32, 3>' of [stream] and '!sam.crd<2>' of [stream]}}
    %0, %1 = sam.reduce add keep %v along %c : !sam.val<f32, 3>, !sam.crd<2>
  }
  return
}

// -----

func.func @combination() {
  sam.graph {
    %v = sam.stream "1.0 S0 D" : !sam.val<f32, 1>
    // expected-error @below {{sub}}
    %0 = sam.reduce sub keep %v : !sam.val<f32, 1>
  }
  return
}

// -----

func.func @input(%a: tensor<?xf32>) {
  sam.graph ins(%x = %a : tensor<?xf32>) attributes {names = ["A"]} {
    %v = sam.stream "1.0 S0 D" : !sam.val<f32, 1>
    // expected-error @below {{writes to 'A', which is not among the outs of the graph}}
    sam.write_values %v to %x : !sam.val<f32, 1>, tensor<?xf32>
  }
  return
}

// -----

func.func @elements(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = sam.graph outs(%x = %a : tensor<?xf64>) -> tensor<?xf64> attributes {names = ["A"]} {
    %v = sam.stream "1.0 S0 D" : !sam.val<f32, 1>
    // expected-error @below {{writes values of type 'f32' to 'A', whose elements are of 'f64'}}
    sam.write_values %v to %x : !sam.val<f32, 1>, tensor<?xf64>
  }
  return %0 : tensor<?xf64>
}

// -----

func.func @depth_of_level(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = sam.graph outs(%x = %a : tensor<?xf64>) -> tensor<?xf64> attributes {names = ["A"]} {
    %c = sam.stream "1 S1 D" : !sam.crd<2>
    // expected-error @below {{writes level 0 of 'A' from '!sam.crd<2>' of [stream], expected a depth of 1}}
    sam.write_level %c to %x[0] : !sam.crd<2>, tensor<?xf64>
  }
  return %0 : tensor<?xf64>
}

// -----

#bits = #cin.format<bitmap fill 0.0 : f64>

func.func @written_kind(%a: tensor<?xf64, #bits>) -> tensor<?xf64, #bits> {
  %0 = sam.graph outs(%x = %a : tensor<?xf64, #bits>) -> tensor<?xf64, #bits> attributes {names = ["A"]} {
    %c = sam.stream "1 S0 D" : !sam.crd<1>
    // expected-error @below {{writes level 0 of 'A', which is bitmap: writers make dense and compressed ones, and singletons}}
    sam.write_level %c to %x[0] : !sam.crd<1>, tensor<?xf64, #bits>
  }
  return %0 : tensor<?xf64, #bits>
}

// -----

#vector = #cin.format<compressed fill 0.0 : f64>

func.func @scatter(%a: tensor<?xf64, #vector>) -> tensor<?xf64, #vector> {
  %0 = sam.graph outs(%x = %a : tensor<?xf64, #vector>) -> tensor<?xf64, #vector> attributes {names = ["A"]} {
    %v = sam.stream "1.0 S0 D" : !sam.val<f64, 1>
    %r = sam.stream "0 S0 D" : !sam.ref<1>
    // expected-error @below {{stores to 'A', which has levels that are not dense}}
    sam.store %v at %r to %x : !sam.val<f64, 1>, !sam.ref<1>, tensor<?xf64, #vector>
  }
  return %0 : tensor<?xf64, #vector>
}

// -----

func.func @split_beside() {
  sam.graph {
    %i = sam.stream "0 S0 D" : !sam.crd<1>
    %r = sam.stream "0 D" : !sam.ref<0>
    // expected-error @below {{has streams of unlike depth: '!sam.crd<1>' of [stream] and '!sam.ref<0>' of [stream]}}
    %0, %1, %2 = sam.split %i by 2 beside %r : !sam.crd<1>, !sam.ref<0>
  }
  return
}

// -----

func.func @flatten_depth() {
  sam.graph {
    %i = sam.stream "0 S0 D" : !sam.crd<1>
    // expected-error @below {{has an inner stream that is not one level deeper}}
    %0 = sam.flatten %i, %i by 2 : !sam.crd<1>, !sam.crd<1>
  }
  return
}

// -----

func.func @flatten_beside() {
  sam.graph {
    %i = sam.stream "0 S0 D" : !sam.crd<1>
    %j = sam.stream "0 S1 D" : !sam.crd<2>
    // expected-error @below {{has streams of unlike depth}}
    %0, %1 = "sam.flatten"(%i, %j, %i) <{factor = 2 : i64}> : (!sam.crd<1>, !sam.crd<2>, !sam.crd<1>) -> (!sam.crd<1>, !sam.crd<1>)
  }
  return
}

// -----

func.func @stop_drop() {
  sam.graph {
    %r = sam.root
    // expected-error @below {{drops the stops of one token, which has none}}
    %0 = sam.stop_drop %r : !sam.ref<0>
  }
  return
}

// -----

func.func @accumulate() {
  sam.graph {
    %v = sam.stream "1 S1 D" : !sam.val<f32, 2>
    %i = sam.stream "0 S0 D" : !sam.crd<1>
    // expected-error @below {{takes points, in one list, and is given '!sam.val<f32, 2>' of [stream]: drop its stops before}}
    %0, %1 = sam.accumulate add %v at %i : !sam.val<f32, 2>, !sam.crd<1>
  }
  return
}

// -----

func.func @seldom_sorted() {
  sam.graph {
    %v = sam.stream "1 S0 D" : !sam.val<f32, 1>
    // expected-error @below {{has no coordinates to tell points apart by}}
    %0 = "sam.accumulate"(%v) <{callee = #cin.builtin<add>}> : (!sam.val<f32, 1>) -> !sam.val<f32, 0>
  }
  return
}

// -----

func.func @deal() {
  sam.graph {
    %r = sam.root
    // expected-error @below {{deals one token, which has no elements}}
    %0 = sam.parallelize %r to 1 : !sam.ref<0>
  }
  return
}

// -----

func.func @lanes() {
  sam.graph {
    %i = sam.stream "0 S0 D" : !sam.crd<1>
    %j = sam.stream "0 S1 D" : !sam.crd<2>
    // expected-error @below {{has lanes of unlike type}}
    %0 = sam.serialize %i, %j : !sam.crd<1>, !sam.crd<2>
  }
  return
}

// -----

func.func @bits_of_dense(%a: tensor<?xf32>) {
  sam.graph ins(%A = %a : tensor<?xf32>) {
    %root = sam.root
    // expected-error @below {{scans level 0 of '#0' as bits, which is not compressed}}
    %0, %1 = sam.bv_scan %A[0] at %root by 64 : tensor<?xf32>, !sam.ref<0>
  }
  return
}

// -----

func.func @words() {
  sam.graph {
    %a = sam.stream "1 S0 D" : !sam.bv<4, 1>
    %b = sam.stream "1 S0 D" : !sam.bv<8, 1>
    // expected-error @below {{has words of unlike type}}
    %0 = sam.bv_union %a, %b : !sam.bv<4, 1>, !sam.bv<8, 1>
  }
  return
}

// -----

func.func @word() {
  sam.graph {
    // expected-error @below {{'16' is no word of 4 bits}}
    %a = sam.stream "16 S0 D" : !sam.bv<4, 1>
  }
  return
}

// -----

func.func @expand() {
  sam.graph {
    %a = sam.stream "1 S0 D" : !sam.bv<4, 1>
    // expected-error @below {{has words of 1 sides and positions of 0}}
    %0 = "sam.bv_expand"(%a, %a) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!sam.bv<4, 1>, !sam.bv<4, 1>) -> !sam.crd<1>
  }
  return
}

// -----

func.func @elements(%a: tensor<?xf32>) {
  // expected-error @below {{changes more than the format of a tensor}}
  %0 = sam.convert %a : tensor<?xf32> to tensor<?xf64>
  return
}

// -----

func.func @within(%a: tensor<?xf32>) {
  sam.graph ins(%A = %a : tensor<?xf32>) {
    // expected-error @below {{stands within a graph}}
    %0 = sam.convert %A : tensor<?xf32> to tensor<?xf32>
  }
  return
}
