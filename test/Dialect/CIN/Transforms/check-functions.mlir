// What is declared of functions is refuted by the numbers in the error.
// RUN: ember-opt %s --cin-check-functions --split-input-file --verify-diagnostics

// expected-error @below {{is declared commutative, but minus(0, 1) is -1, and minus(1, 0) is 1}}
cin.function @minus(%x: i64, %y: i64) -> i64 attributes {commutative} {
  %z = arith.subi %x, %y : i64
  cin.return %z : i64
}

// -----

// expected-error @below {{is declared associative, but mean(mean(0, 0), 1) is 0.5, and mean(0, mean(0, 1)) is 0.25}}
cin.function @mean(%x: f32, %y: f32) -> f32 attributes {associative} {
  %half = arith.constant 0.5 : f32
  %s = arith.addf %x, %y : f32
  %z = arith.mulf %s, %half : f32
  cin.return %z : f32
}

// -----

// expected-error @below {{is declared idempotent, but total(1, 1) is 2, not 1}}
cin.function @total(%x: i64, %y: i64) -> i64 attributes {idempotent} {
  %z = arith.addi %x, %y : i64
  cin.return %z : i64
}

// -----

// expected-error @below {{is declared with annihilator 1, but product(1, 0) is 0, not 1}}
cin.function @product(%x: i64, %y: i64) -> i64 attributes {annihilators = [#cin.special<1>]} {
  %z = arith.muli %x, %y : i64
  cin.return %z : i64
}

// -----

// expected-error @below {{is declared with identity 0, but distance(0, -1) is 1, not -1}}
cin.function @distance(%x: i64, %y: i64) -> i64 attributes {identities = [#cin.special<0>]} {
  %d = arith.subi %x, %y : i64
  %z = math.absi %d : i64
  cin.return %z : i64
}

// -----

// expected-error @below {{is declared with iteration 0 & 1, but either(true, false) is true, not false}}
cin.function @either(%x: i1, %y: i1) -> i1 attributes {iteration = #cin.iteration<"0 & 1">} {
  %z = arith.ori %x, %y : i1
  cin.return %z : i1
}

// -----

// expected-error @below {{has a case that makes -1 of plus(-1, 1), which its body makes 0 of}}
cin.function @plus(%x: i64, %y: i64) -> i64 {
  %z = arith.addi %x, %y : i64
  cin.return %z : i64
} case (%x, 1) {
  %m = cin.call max(%x, %x) : (i64, i64) -> i64
  %n = arith.constant 1 : i64
  %is = arith.cmpi slt, %m, %n : i64
  %zero = arith.constant 0 : i64
  %some = scf.if %is -> i64 {
    %neg = arith.cmpi slt, %m, %zero : i64
    %z = arith.select %neg, %m, %n : i64
    scf.yield %z : i64
  } else {
    %z = arith.addi %m, %n : i64
    scf.yield %z : i64
  }
  cin.return %some : i64
}

// -----

// What does not end is believed, and so is what cannot be computed.
cin.function @endless(%x: i64, %y: i64) -> i64 attributes {commutative} {
  %true = arith.constant true
  %z = scf.while (%a = %x) : (i64) -> i64 {
    scf.condition(%true) %a : i64
  } do {
  ^bb0(%a: i64):
    %b = arith.addi %a, %y : i64
    scf.yield %b : i64
  }
  cin.return %z : i64
}
cin.function @quotient(%x: i64, %y: i64) -> i64 attributes {annihilators = [#cin.special<0 at 0>]} {
  %z = arith.divsi %x, %y : i64
  cin.return %z : i64
}
// 0 / 0 is no number.
cin.function @ratio(%x: f32, %y: f32) -> f32 attributes {annihilators = [#cin.special<0.0 : f32 at 0>]} {
  %z = arith.divf %x, %y : f32
  cin.return %z : f32
}
