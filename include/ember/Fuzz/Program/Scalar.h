//===- Scalar.h - Element types ---------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_SCALAR_H
#define EMBER_FUZZ_PROGRAM_SCALAR_H

#include <cstdint>

namespace ember::fuzz {

enum class Scalar : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  F16,
  BF16,
  F32,
  F64
};

inline bool isFloat(Scalar type) { return type >= Scalar::F16; }
/// Integers include index.
inline bool isInteger(Scalar type) { return !isFloat(type); }
unsigned bitWidth(Scalar type);
/// Size of an element of a memref.
unsigned byteSize(Scalar type);
const char *spelling(Scalar type);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_SCALAR_H
