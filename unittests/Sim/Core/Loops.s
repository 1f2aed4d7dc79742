// Loops of known timing. x0: how often; x1, x2: memory.
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

function independent
1:.rept 100
  add x3, x4, #1
  add x5, x4, #1
  .endr
  again 1b
function chain
1:.rept 200
  add x3, x3, #1
  .endr
  again 1b
function multiplyChain
1:.rept 200
  madd x3, x3, x4, x5
  .endr
  again 1b
function chase
1: ldr x1, [x1]
  again 1b
function stream
1:.rept 16
  ldr x3, [x1], #64
  .endr
  again 1b
function forward
1: ldr x3, [x1]
  add x3, x3, #1
  str x3, [x1]
  again 1b
function vectors
1:.rept 100
  fadd v0.4s, v1.4s, v2.4s
  fadd v3.4s, v1.4s, v2.4s
  .endr
  again 1b
function random
  // Bits of a linear congruential generator choose the way.
  mov x6, #25173
  mov x7, #13849
1: madd x3, x3, x6, x7
  tbz x3, #13, 2f
  add x4, x4, #1
2: again 1b
function device
1: ldr x3, [x1]
  add x4, x4, x3
  str x4, [x1, #64]
  again 1b
function split
1: ldr x3, [x1, #60]
  again 1b
