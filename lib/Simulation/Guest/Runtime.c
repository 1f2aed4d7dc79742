//===- Runtime.c - The runtime of simulated programs ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled for AArch64 and loaded beside each kernel. What a program does often
// is code, which takes its time as any other; what it does once, and what needs
// more than its core, are supervisor calls.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

#define EMBER_SUPERVISOR_CALL(NUMBER, NAME)                                    \
  __attribute__((naked)) void NAME(void) { __asm__("svc #" #NUMBER "\n\tret"); }
#include "../SupervisorCalls.def"

// Functions of libm take what they take elsewhere, about: a chain of dependent
// multiplications and additions, as in glibc's exp, beside the call that finds
// the value, which then depends on it. The registers are those that calls may
// change.
#define MATH_FUNCTION(NUMBER, NAME)                                            \
  __attribute__((naked)) void NAME(void) {                                     \
    __asm__("fmul d17, d0, d0\n\t"                                             \
            "fmadd d18, d17, d0, d0\n\t"                                       \
            "fmadd d18, d18, d0, d17\n\t"                                      \
            "fmadd d18, d18, d0, d17\n\t"                                      \
            "fmadd d18, d18, d0, d17\n\t"                                      \
            "fmov x16, d18\n\t"                                                \
            "and x16, x16, xzr\n\t"                                            \
            "svc #" #NUMBER "\n\t"                                             \
            "fmov x17, d0\n\t"                                                 \
            "orr x17, x17, x16\n\t"                                            \
            "fmov d0, x17\n\t"                                                 \
            "ret");                                                            \
  }
#define EMBER_UNARY(NUMBER, NAME)                                              \
  MATH_FUNCTION(NUMBER, NAME) MATH_FUNCTION(NUMBER + 1, NAME##f)
#define EMBER_BINARY EMBER_UNARY
#include "../MathCalls.def"

// Instructions, which calls stand for where code is generated without care.
#define ROUNDING(NAME, INSTRUCTION)                                            \
  __attribute__((naked)) void NAME(void) {                                     \
    __asm__(INSTRUCTION " d0, d0\n\tret");                                     \
  }                                                                            \
  __attribute__((naked)) void NAME##f(void) {                                  \
    __asm__(INSTRUCTION " s0, s0\n\tret");                                     \
  }
ROUNDING(ceil, "frintp")
ROUNDING(floor, "frintm")
ROUNDING(nearbyint, "frinti")
ROUNDING(rint, "frintx")
ROUNDING(round, "frinta")
ROUNDING(roundeven, "frintn")
ROUNDING(trunc, "frintz")

void sincos(double x, double *sine, double *cosine) {
  typedef double Function(double);
  *sine = ((Function *)sin)(x);
  *cosine = ((Function *)cos)(x);
}
void sincosf(float x, float *sine, float *cosine) {
  typedef float Function(float);
  *sine = ((Function *)sinf)(x);
  *cosine = ((Function *)cosf)(x);
}

int32_t ember_invoke(void (*function)(void **), void **arguments, void *error) {
  (void)error;
  function(arguments);
  return 0;
}

// Whoever calls itself without an end leaves the stack, which is an error.
void ember_check_recursion(void) {}

typedef void Body(void *environment, const void *ranges);

typedef struct {
  int64_t lower, upper;
} Range;

// Either all cores have done their parts when the call returns, or it says what
// to do on this one.
void ember_parallel(Body *body, void *environment, const void *loops,
                    int64_t count) {
  typedef uint64_t Begin(Body *, void *, const void *, int64_t, Range *);
  Range ranges[count];
  if (((Begin *)ember_begin_parallel)(body, environment, loops, count, ranges))
    body(environment, ranges);
}

// What is worth while on several threads alone is left out.
int64_t ember_threads_for(int64_t work) {
  (void)work;
  return 1;
}

// Registers of the engine beside the core that calls them.
void ember_describe_lookup(int64_t indices, int64_t index_bytes, int64_t count,
                           int64_t row, int64_t row_stride, int64_t row_bytes) {
  typedef volatile uint64_t *Registers(void);
  volatile int64_t lookup[] = {indices, index_bytes, count,
                               row,     row_stride,  row_bytes};
  ((Registers *)ember_access_unit)()[0] = (uint64_t)lookup;
}
void ember_forget_lookups(void) {
  typedef volatile uint64_t *Registers(void);
  ((Registers *)ember_access_unit)()[1] = 0;
}

typedef uint8_t Vector __attribute__((vector_size(16), aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  uint8_t *target = to;
  const uint8_t *source = from;
  for (; bytes >= 16; bytes -= 16, target += 16, source += 16)
    *(Vector *)target = *(const Vector *)source;
  for (; bytes; --bytes)
    *target++ = *source++;
  return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
  uint8_t *target = to;
  const uint8_t *source = from;
  if (target <= source || target >= source + bytes)
    return memcpy(to, from, bytes);
  while (bytes >= 16) {
    bytes -= 16;
    *(Vector *)(target + bytes) = *(const Vector *)(source + bytes);
  }
  while (bytes--)
    target[bytes] = source[bytes];
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  uint8_t *target = to;
  Vector values = (Vector){} + (uint8_t)value;
  for (; bytes >= 16; bytes -= 16, target += 16)
    *(Vector *)target = values;
  for (; bytes; --bytes)
    *target++ = (uint8_t)value;
  return to;
}
