// Each rule of functions that users define.
// RUN: ember-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has the name of a function of statements: 'max'}}
cin.function @max(%x: f32, %y: f32) -> f32 {
  cin.return %x : f32
}

// -----

// expected-error @below {{has the name of a function of statements: 'sum'}}
cin.function @sum(%x: f32, %y: f32) -> f32 {
  cin.return %x : f32
}

// -----

cin.function @writes(%x: f32) -> f32 {
  // expected-error @below {{stands in a cin.function, which computes a scalar of scalars by arith, math, scf.if, scf.for, scf.while and cin.call alone}}
  %m = memref.alloc() : memref<1xf32>
  cin.return %x : f32
}

// -----

// expected-error @below {{has an operand or a result that is no integer, index or float}}
cin.function @vector(%x: vector<4xf32>) -> f32 {
  %0 = arith.constant 0.0 : f32
  cin.return %0 : f32
}

// -----

// expected-error @below {{is not one value of some operands}}
cin.function @constant() -> f32 {
  %0 = arith.constant 0.0 : f32
  cin.return %0 : f32
}

// -----

cin.function @type(%x: f32) -> f64 {
  // expected-error @below {{gives a value of type 'f32', and the function is of type 'f64'}}
  cin.return %x : f32
}

// -----

// expected-error @below {{has a body that does not end with cin.return}}
cin.function @endless(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
}

// -----

// expected-error @below {{is commutative, and has not several operands and a result of one type}}
cin.function @mixed(%x: f32, %y: i32) -> f32 attributes {commutative} {
  cin.return %x : f32
}

// -----

// expected-error @below {{is associative, and not of two operands}}
cin.function @three(%x: f32, %y: f32, %z: f32) -> f32 attributes {associative} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an annihilator at operand 2 of 2}}
cin.function @place(%x: f32, %y: f32) -> f32 attributes {annihilators = [#cin.special<0.0 : f32 at 2>]} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an annihilator of type 'i64', which its operands are not of}}
cin.function @typed(%x: f32, %y: f32) -> f32 attributes {annihilators = [#cin.special<0>]} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an annihilator that gives a value of type 'f32', and is of type 'i1'}}
cin.function @less(%x: f32, %y: f32) -> i1 attributes {annihilators = [#cin.special<0.0 : f32>]} {
  %0 = arith.cmpf olt, %x, %y : f32
  cin.return %0 : i1
}

// -----

// expected-error @below {{has an identity and 3 operands: there is not one other}}
cin.function @others(%x: f32, %y: f32, %z: f32) -> f32 attributes {identities = [#cin.special<0.0 : f32>]} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an identity that gives a value, and not the other operand}}
cin.function @gives(%x: f32, %y: f32) -> f32 attributes {identities = [#cin.special<0.0 : f32 gives 1.0 : f32>]} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an identity, and the other operand is not of the result's type}}
cin.function @counts(%x: f32, %n: i32) -> f32 attributes {identities = [#cin.special<1.0 : f32 at 0>]} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an iteration of more than its 2 operands}}
cin.function @many(%x: f32, %y: f32) -> f32 attributes {iteration = #cin.iteration<"0 | 2">} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has an iteration with what no operand is part of: say what the function is elsewhere}}
cin.function @open(%x: i1, %y: i1) -> i1 attributes {iteration = #cin.iteration<"~0 | 1">} {
  cin.return %x : i1
}

// -----

// expected-error @below {{has fills that are not a value of its type for each operand}}
cin.function @fills(%x: f32, %y: f32) -> f32 attributes {iteration = #cin.iteration<"0 | 1">, fills = [0.0 : f32, 0]} {
  cin.return %x : f32
}

// -----

// expected-error @below {{says what it is outside of an iteration, and has none}}
cin.function @outside(%x: f32, %y: f32) -> f32 attributes {elsewhere = 0.0 : f32} {
  cin.return %x : f32
}

// -----

// expected-error @below {{is elsewhere a value of another type than its own}}
cin.function @elsewhere(%x: f32, %y: f32) -> f32 attributes {iteration = #cin.iteration<"0 | 1">, elsewhere = 0} {
  cin.return %x : f32
}

// -----

// expected-error @below {{has a case that does not say of each operand that it is an argument or a value of its type}}
cin.function @case(%x: f32, %y: f32) -> f32 {
  cin.return %x : f32
} case (%x, 0) {
  cin.return %x : f32
}

// -----

// expected-error @below {{has a case in which not some operands are arguments and others values}}
cin.function @every(%x: f32, %y: f32) -> f32 {
  cin.return %x : f32
} case (%x, %y) {
  cin.return %x : f32
}

// -----

// expected-error @below {{has two cases for the same values}}
cin.function @twice(%x: f32, %y: f32) -> f32 {
  cin.return %x : f32
} case (%x, 0.0 : f32) {
  cin.return %x : f32
} case (%x, 0.0 : f32) {
  cin.return %x : f32
}

// -----

// expected-error @below {{calls itself, or a function that calls it}}
cin.function @even(%x: i64) -> i64 {
  %y = cin.call @odd(%x) : (i64) -> i64
  cin.return %y : i64
}
cin.function @odd(%x: i64) -> i64 {
  %y = cin.call @even(%x) : (i64) -> i64
  cin.return %y : i64
}

// -----

func.func @unknown(%x: memref<?xf32>) {
  cin.evaluate outs(%y = %x : memref<?xf32>) {
    cin.forall (%i) {
      %0 = cin.access %y[%i] : memref<?xf32>
      // expected-error @below {{calls @nothing, and there is no cin.function of that name}}
      %1 = cin.call @nothing(%0) : (f32) -> f32
      cin.assign %1 to %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

cin.function @half(%x: f32) -> f32 {
  cin.return %x : f32
}
func.func @types(%x: memref<?xf64>) {
  cin.evaluate outs(%y = %x : memref<?xf64>) {
    cin.forall (%i) {
      %0 = cin.access %y[%i] : memref<?xf64>
      // expected-error @below {{of 'half' has the types (f32) -> f32, not ('f64') -> 'f64'}}
      %1 = cin.call @half(%0) : (f64) -> f64
      cin.assign %1 to %y[%i] : memref<?xf64>
    }
  }
  return
}

// -----

cin.function @first(%x: f32, %y: f32) -> f32 attributes {associative} {
  cin.return %x : f32
}
func.func @order(%x: memref<?xf32>) {
  cin.evaluate outs(%y = %x : memref<?xf32>) {
    cin.forall (%i) {
      %0 = cin.access %y[%i] : memref<?xf32>
      // expected-error @below {{combines values with 'first', which is not commutative: what it makes of them would depend on their order}}
      cin.assign @first %0 to %y[%i] : memref<?xf32>
    }
  }
  return
}
