// Functions of the statements in differentiate-functions.test.

cin.function @bent(%x: f32, %y: f32) -> f32
    attributes {iteration = #cin.iteration<"0 & 1">, annihilators = [#cin.special<0.0 : f32>]} {
  %one = arith.constant 1.0 : f32
  %d = arith.mulf %x, %y : f32
  %is = arith.cmpf olt, %d, %one : f32
  %z = scf.if %is -> f32 {
    %s = arith.mulf %d, %d : f32
    scf.yield %s : f32
  } else {
    scf.yield %d : f32
  }
  cin.return %z : f32
} case (%x, 1.0 : f32) {
  %one = arith.constant 1.0 : f32
  %is = arith.cmpf olt, %x, %one : f32
  %s = arith.mulf %x, %x : f32
  %z = arith.select %is, %s, %x : f32
  cin.return %z : f32
} case (1.0 : f32, %y) {
  cin.return %y : f32
}

cin.function @twice(%x: f16) -> f16 {
  %y = arith.addf %x, %x : f16
  cin.return %y : f16
}

cin.function @rounded(%x: f32) -> f32 {
  %n = arith.fptosi %x : f32 to i32
  %y = arith.sitofp %n : i32 to f32
  cin.return %y : f32
}

cin.function @power(%x: f32, %n: i64) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %unit = arith.constant 1.0 : f32
  %z = scf.for %i = %zero to %n step %one iter_args(%p = %unit) -> (f32) : i64 {
    %q = arith.mulf %p, %x : f32
    scf.yield %q : f32
  }
  cin.return %z : f32
}

cin.function @bits(%x: f32) -> f32 {
  %n = arith.bitcast %x : f32 to i32
  %y = arith.bitcast %n : i32 to f32
  cin.return %y : f32
}

cin.function @outer(%x: f32, %y: f32) -> f32 {
  %b = cin.call @bits(%y) : (f32) -> f32
  %z = arith.addf %x, %b : f32
  cin.return %z : f32
}

cin.function @many(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %h: f32,
                   %i: f32, %j: f32, %k: f32, %l: f32) -> f32 {
  cin.return %a : f32
}
