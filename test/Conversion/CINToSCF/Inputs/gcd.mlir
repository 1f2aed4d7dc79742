// The greatest common divisor, with bodies for an operand that is 0.
cin.function @gcd(%x: i64, %y: i64) -> i64
    attributes {associative, commutative, 
                iteration = #cin.iteration<"0 | 1">} {
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
