// Programs for whole machines. x0: how often; x1 on: memory and others.
.macro function name
.globl \name
.p2align 6
\name:
.endm
.macro again label
  subs x0, x0, #1
  b.ne \label
  ret
.endm

// Each word holds the address of the next one. Returns the last.
function chase
1: ldr x1, [x1]
  again 1b
// A line of x2 to x1, vectors of 16 bytes.
function copy
1: ldp q0, q1, [x2], #32
  ldp q2, q3, [x2], #32
  stp q0, q1, [x1], #32
  stp q2, q3, [x1], #32
  again 1b
// x3 += x1[x2[i]], for indices of 8 bytes.
function gather
1: ldr x4, [x2], #8
  ldr x5, [x1, x4, lsl #3]
  add x3, x3, x5
  again 1b
// The same for rows of 64 bytes, of which each begins once the one before is
// there. x5, if it is not 0, is a register to be stored x6 to before, and the
// next one is stored to behind.
function rows
  cbz x5, 1f
  str x6, [x5]
1: ldr x4, [x2], #8
  lsl x4, x4, #6
  ldr x7, [x1, x4]
  add x3, x3, x7
  and x7, x7, xzr
  add x2, x2, x7
  subs x0, x0, #1
  b.ne 1b
  cbz x5, 2f
  str xzr, [x5, #8]
2: ret
function compute
1: fmadd d0, d1, d2, d0
  fmadd d3, d1, d2, d3
  add x3, x3, #3
  eor x4, x4, x3
  add x5, x4, x3, lsl #2
  again 1b
// Adds one to each of the words of x1 at a distance of x2, over x3 words.
function increments
1: mov x4, x3
  mov x5, x1
2: ldr x6, [x5]
  add x6, x6, #1
  str x6, [x5]
  add x5, x5, x2
  subs x4, x4, #1
  b.ne 2b
  again 1b
// Mixes x3 with words of x1 that a generator chooses among x2 (a mask of
// bytes), and writes some.
function mix
  mov x6, #25173
  mov x7, #13849
  mov x9, x3
1: madd x9, x9, x6, x7
  and x5, x2, x9, lsr #3
  ldr x8, [x1, x5]
  eor x3, x3, x8
  add x3, x3, x9
  tbz x9, #13, 2f
  str x3, [x1, x5]
2: again 1b
// Stores x2 to a device at x1, and loads from it.
function device
1: str x2, [x1]
  ldr x3, [x1]
  add x2, x3, #64
  again 1b
