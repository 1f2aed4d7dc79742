// Functions of the statements in test_user_functions.py.

cin.function @gcd(%x: i64, %y: i64) -> i64
    attributes {associative, commutative, iteration = #cin.iteration<"0 | 1">} {
  %a = math.absi %x : i64
  %b = math.absi %y : i64
  %zero = arith.constant 0 : i64
  %rest:2 = scf.while (%p = %a, %q = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %p, %zero : i64
    scf.condition(%more) %p, %q : i64, i64
  } do {
  ^bb0(%p: i64, %q: i64):
    %next = arith.remsi %q, %p : i64
    scf.yield %next, %p : i64, i64
  }
  cin.return %rest#1 : i64
} case (%x, 0 : i64) {
  %a = math.absi %x : i64
  cin.return %a : i64
} case (0 : i64, %y) {
  %a = math.absi %y : i64
  cin.return %a : i64
}

cin.function @bitwise_and(%x: i64, %y: i64) -> i64
    attributes {commutative, annihilators = [#cin.special<0 : i64>]} {
  %z = arith.andi %x, %y : i64
  cin.return %z : i64
}

cin.function @exclusive(%x: i1, %y: i1) -> i1
    attributes {iteration = #cin.iteration<"(0 & ~1) | (~0 & 1)">} {
  %z = arith.xori %x, %y : i1
  cin.return %z : i1
}

cin.function @either(%x: i1, %y: i1) -> i1
    attributes {iteration = #cin.iteration<"0 | 1">} {
  %z = arith.ori %x, %y : i1
  cin.return %z : i1
}

cin.function @both(%x: i1, %y: i1) -> i1
    attributes {iteration = #cin.iteration<"0 & 1">} {
  %z = arith.andi %x, %y : i1
  cin.return %z : i1
}

// True where no operand is, and where the second one is.
cin.function @implies(%x: i1, %y: i1) -> i1
    attributes {iteration = #cin.iteration<"~0 | 1">, elsewhere = false,
                annihilators = [#cin.special<false at 0 gives true>]} {
  %true = arith.constant true
  %n = arith.xori %x, %true : i1
  %z = arith.ori %n, %y : i1
  cin.return %z : i1
}

cin.function @least(%x: f32, %y: f32) -> f32
    attributes {associative, commutative, idempotent,
                identities = [#cin.special<0x7F800000 : f32>],
                annihilators = [#cin.special<0xFF800000 : f32>]} {
  %is = arith.cmpf olt, %x, %y : f32
  %z = scf.if %is -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  cin.return %z : f32
}

cin.function @largest(%x: f32, %y: f32) -> f32
    attributes {associative, commutative, idempotent,
                identities = [#cin.special<0xFF800000 : f32>],
                annihilators = [#cin.special<0x7F800000 : f32>]} {
  %z = arith.maximumf %x, %y : f32
  cin.return %z : f32
}

cin.function @largest_of_three(%x: f32, %y: f32, %z: f32) -> f32
    attributes {commutative, idempotent, annihilators = [#cin.special<0x7F800000 : f32>]} {
  %a = cin.call @largest(%x, %y) : (f32, f32) -> f32
  %b = cin.call @largest(%a, %z) : (f32, f32) -> f32
  cin.return %b : f32
}

cin.function @quotient(%x: f32, %y: f32) -> f32
    attributes {annihilators = [#cin.special<0.0 : f32 at 0>],
                identities = [#cin.special<1.0 : f32 at 1>]} {
  %z = arith.divf %x, %y : f32
  cin.return %z : f32
}

// The power by repeated products, without any property.
cin.function @integer_power(%x: f32, %n: i64) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %unit = arith.constant 1.0 : f32
  %z = scf.for %i = %zero to %n step %one iter_args(%p = %unit) -> (f32) : i64 {
    %q = arith.mulf %p, %x : f32
    scf.yield %q : f32
  }
  cin.return %z : f32
}

cin.function @nonnegative(%x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %z = arith.cmpf oge, %x, %zero : f32
  cin.return %z : i1
}

// Without an identity.
cin.function @nearest_to_zero(%x: f32, %y: f32) -> f32 attributes {associative, commutative} {
  %a = math.absf %x : f32
  %b = math.absf %y : f32
  %z = arith.minimumf %a, %b : f32
  cin.return %z : f32
}
