// RUN: ember-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{there is no kind of level 'packed': expected one of dense, compressed, singleton and bitmap}}
func.func private @kind(!cin.array<?xf32, #cin.format<packed fill 0.0 : f32>>)

// -----

// expected-error @below {{expected 'unordered' or 'nonunique'}}
func.func private @mark(!cin.array<?xf32, #cin.format<compressed(sorted) fill 0.0 : f32>>)

// -----

// expected-error @below {{the order of a format with 2 levels names each dimension from 0 to 1 once}}
func.func private @order(!cin.array<?x?xf32, #cin.format<dense, dense order 1, 1 fill 0.0 : f32>>)

// -----

// expected-error @below {{level 1 is compressed: below a level of coordinates that are not unique there is a singleton}}
func.func private @nonunique(!cin.array<?x?xf32, #cin.format<compressed(nonunique), compressed fill 0.0 : f32>>)

// -----

// expected-error @below {{a bitmap level is ordered, and its coordinates are different}}
func.func private @bitmap(!cin.array<?xf32, #cin.format<bitmap(unordered) fill 0.0 : f32>>)

// -----

// expected-error @below {{an array of 'f32' has a fill of type 'f64'}}
func.func private @fill(!cin.array<?xf32, #cin.format<dense fill 0.0 : f64>>)

// -----

// expected-error @below {{a format whose last level is dense stores all of its elements, and none is missing}}
func.func private @missing(!cin.array<?xf32, #cin.format<dense fill missing>>)

// -----

// expected-error @below {{an array of 2 dimensions has a format of 1 levels}}
func.func private @rank(!cin.array<?x?xf32, #cin.format<dense fill 0.0 : f32>>)

// -----

// expected-error @below {{'0 |' is no set of coordinates, such as '(0 | 1) & ~2', of at most 12 operands}}
func.func private @set() attributes {set = #cin.iteration<"0 |">}

// -----

#sv = #cin.format<compressed fill 0.0 : f32>
func.func @levels(%n: index, %p: memref<?xf32>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %P = %p, %V = %v : index, memref<?xf32>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{stores level 0, which is compressed, in an array of 'f32'}}
    %a = cin.assemble %V levels(%P, %P) sizes(%N) : memref<?xf32>, memref<?xf32>, memref<?xf32> -> !cin.array<?xf32, #sv>
  }
  return
}

// -----

#sv = #cin.format<compressed fill 0.0 : f32>
func.func @iteration(%n: index, %p: memref<?xi32>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %P = %p, %V = %v : index, memref<?xi32>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %P) sizes(%N) : memref<?xf32>, memref<?xi32>, memref<?xi32> -> !cin.array<?xf32, #sv>
    // expected-error @below {{visits what operands store of which it has 1: 0 & 1}}
    cin.forall (%i) attributes {iteration = #cin.iteration<"0 & 1">} {
      %x = cin.access %a[%i] : !cin.array<?xf32, #sv>
      cin.assign add %x to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @nothing(%x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%X = %x : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{says which coordinates it visits, and walks nothing that is in a format}}
    cin.forall (%i) attributes {iteration = #cin.iteration<"all">} {
      %a = cin.access %X[%i] : memref<?xf32>
      cin.assign %a to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @sizes(%x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%X = %x : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{asks for dimension 1 of 'memref<?xf32>'}}
    cin.same_size %X, 1 and %out, 0 {variable = "i"} : memref<?xf32> and memref<?xf32>
  }
  return
}

// -----

#sv = #cin.format<compressed fill 0.0 : f32>
func.func @counts(%n: index, %x: memref<?xf32>, %c: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %X = %x : index, memref<?xf32>) outs(%C = %c : memref<?xf32>) {
    // expected-error @below {{counts in 'f32' instead of index or i64}}
    %a = cin.assemble counting %C sizes(%N) : memref<?xf32> -> !cin.array<?xf32, #sv>
  }
  return
}

// -----

#sv = #cin.format<compressed fill 0.0 : f32>
func.func @counted_levels(%n: index, %x: memref<?xf32>, %c: memref<?xi64>) {
  cin.evaluate ins(%N = %n, %X = %x : index, memref<?xf32>) outs(%C = %c : memref<?xi64>) {
    // expected-error @below {{counts what levels have, and has some}}
    %a = cin.assemble counting %C levels(%C, %C) sizes(%N) : memref<?xi64>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #sv>
  }
  return
}

// -----

#sv = #cin.format<compressed fill 0.0 : f32>
func.func @read_of_counts(%n: index, %y: memref<?xf32>, %c: memref<?xi64>) {
  cin.evaluate ins(%N = %n : index) outs(%C = %c, %out = %y : memref<?xi64>, memref<?xf32>) {
    %a = cin.assemble counting %C sizes(%N) : memref<?xi64> -> !cin.array<?xf32, #sv>
    cin.forall (%i) {
      // expected-error @below {{reads an array that is counted only}}
      %x = cin.access %a[%i] : !cin.array<?xf32, #sv>
      cin.assign %x to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// expected-error @below {{encoded elements are decoded to f32 or f64, not to 'f16'}}
func.func private @encoded(!cin.array<?x?xf16, #cin.format<dense, dense encoding <e4m3> fill 0.0 : f16>>)

// -----

// expected-error @below {{rows of int8 need the type of their scale and bias, f32 or f16}}
func.func private @parameters(!cin.array<?x?xf32, #cin.format<dense, dense encoding <int8> fill 0.0 : f32>>)

// -----

func.func @rows(%a: memref<?xi8>, %n: index, %y: memref<?xf32>) {
  cin.evaluate ins(%b = %a, %k = %n : memref<?xi8>, index) outs(%z = %y : memref<?xf32>) {
    // expected-error @below {{has values of type 'memref<?xi8>' in place of rows of bytes, which are a 2-d array of i8}}
    %T = cin.assemble %b sizes(%k, %k) : memref<?xi8>
      -> !cin.array<?x?xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
  }
  return
}

// -----

func.func @unencoded(%a: memref<?x?xi8>, %n: index, %y: memref<?xf32>) {
  cin.evaluate ins(%b = %a, %k = %n : memref<?x?xi8>, index) outs(%z = %y : memref<?xf32>) {
    // expected-error @below {{has values of type 'memref<?x?xi8>', which are rows of bytes, for a format without an encoding}}
    %T = cin.assemble %b sizes(%k, %k) : memref<?x?xi8>
      -> !cin.array<?x?xi8, #cin.format<dense, dense fill 0 : i8>>
  }
  return
}

// -----

func.func @locating(%a: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  cin.evaluate ins(%b = %a, %k = %n : memref<?xf32>, index) outs(%z = %y : memref<?xf32>) {
    // expected-error @below {{locates elements, which are then of type index, with a fill of -1}}
    %T = cin.assemble locating %b sizes(%k) : memref<?xf32>
      -> !cin.array<?xindex, #cin.format<dense fill 0 : index>>
  }
  return
}

// -----

func.func @assigned(%a: memref<?x?xi8>, %n: index, %x: memref<?xf32>) {
  cin.evaluate ins(%k = %n, %v = %x : index, memref<?xf32>) outs(%b = %a : memref<?x?xi8>)
      attributes {names = ["n", "x", "bytes"]} {
    %T = cin.assemble %b sizes(%k, %k) {name = "T"} : memref<?x?xi8>
      -> !cin.array<?x?xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
    cin.forall (%i, %j) {
      %e = cin.access %v[%j] : memref<?xf32>
      // expected-error @below {{assigns to T, whose elements are encoded, which is done row by row: assign to an array of floats, and encode that}}
      cin.assign %e to %T[%i, %j] : !cin.array<?x?xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
    }
  }
  return
}

// -----

func.func @located(%a: memref<?xf32>, %n: index) {
  cin.evaluate ins(%k = %n : index) outs(%b = %a : memref<?xf32>)
      attributes {names = ["n", "values"]} {
    %T = cin.assemble locating %b sizes(%k) {name = "T"} : memref<?xf32>
      -> !cin.array<?xindex, #cin.format<dense fill -1 : index>>
    cin.forall (%i) {
      // expected-error @below {{assigns to what says where elements of T are}}
      cin.assign %i to %T[%i] : !cin.array<?xindex, #cin.format<dense fill -1 : index>>
    }
  }
  return
}

// -----

func.func @stored(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %one = cin.literal 1.0 : f32
      // expected-error @below {{is of something else than an element of an array or a reduction}}
      %is_stored = cin.stored %one : f32
      cin.assign %one to %out[%i] where %is_stored : memref<?xf32>
    }
  }
  return
}
