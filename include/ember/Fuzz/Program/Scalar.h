//===- Scalar.h - Element types ---------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_SCALAR_H
#define EMBER_FUZZ_PROGRAM_SCALAR_H

#include "ember/Runtime/ScalarTypes.h"

namespace ember::fuzz {

/// A row of the table of element types.
using Scalar = ScalarId;

inline bool isFloat(Scalar type) { return scalarType(type).isFloat(); }
/// Integers include index.
inline bool isInteger(Scalar type) { return !isFloat(type); }
/// Whether sums of such floats are wider.
inline bool isHalf(Scalar type) {
  return isFloat(type) && scalarType(type).bits < 32;
}
inline unsigned bitWidth(Scalar type) {
  return static_cast<unsigned>(scalarType(type).bits);
}
/// Size of an element of a memref.
inline unsigned byteSize(Scalar type) {
  return static_cast<unsigned>(scalarType(type).bytes());
}
inline const char *spelling(Scalar type) {
  return scalarType(type).name.data();
}

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_SCALAR_H
