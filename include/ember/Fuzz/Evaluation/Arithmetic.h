//===- Arithmetic.h - What operations on scalars yield ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semantics of arith and math on bit patterns: integers wrap, floats round
// once per operation to nearest even. A pattern holds a value in its low bits,
// the rest is zero.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EVALUATION_ARITHMETIC_H
#define EMBER_FUZZ_EVALUATION_ARITHMETIC_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

struct Computed {
  enum Status : uint8_t {
    Fine,
    /// The operation has no result: division by zero, a shift too far.
    Trap,
    /// Correct machines may differ in the result.
    Unspecified
  };
  uint64_t bits = 0;
  Status status = Fine;
};

uint64_t truncateBits(Scalar type, uint64_t bits);
int64_t signedValue(Scalar type, uint64_t bits);

/// The value of a float of any type, exactly.
double decodeFloat(Scalar type, uint64_t bits);
/// The pattern of the value of `type` nearest to `value`.
uint64_t encodeFloat(Scalar type, double value);
bool isNaN(Scalar type, uint64_t bits);

Computed computeIntegerBinary(Opcode opcode, Scalar type, uint64_t lhs,
                              uint64_t rhs);
Computed computeFloatBinary(Opcode opcode, Scalar type, uint64_t lhs,
                            uint64_t rhs);
Computed computeFloatUnary(Opcode opcode, Scalar type, uint64_t value);
Computed computeFma(Scalar type, uint64_t a, uint64_t b, uint64_t c);
bool compareIntegers(uint64_t predicate, Scalar type, uint64_t lhs,
                     uint64_t rhs);
bool compareFloats(uint64_t predicate, Scalar type, uint64_t lhs, uint64_t rhs);
Computed computeCast(Opcode opcode, Scalar from, Scalar to, uint64_t value);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EVALUATION_ARITHMETIC_H
