// Flags that are kept in a register over a comparison that changes them.
.globl keptFlags
keptFlags:
  cmp x0, x1
  mrs x2, nzcv
  cmp x1, x0
  msr nzcv, x2
  cset x3, lo
  cset x4, lt
  cset x5, eq
  cset x6, vs
  ret

.globl threadPointer
threadPointer:
  mrs x0, tpidr_el0
  ret
