// Functions that tests call.
cin.function @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  cin.return %y : f32
}
cin.function @quad(%x: f32) -> f32 {
  %y = cin.call @twice(%x) : (f32) -> f32
  %z = cin.call @twice(%y) : (f32) -> f32
  cin.return %z : f32
}
// Associative and commutative without an identity.
cin.function @least(%x: f32, %y: f32) -> f32 attributes {associative, commutative, idempotent} {
  %l = arith.cmpf olt, %x, %y : f32
  %m = scf.if %l -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  cin.return %m : f32
}
