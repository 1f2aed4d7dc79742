//===- RowLayouts.h - Rows of bytes of random programs ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_ROWLAYOUTS_H
#define EMBER_FUZZ_PROGRAM_ROWLAYOUTS_H

#include "ember/Dialect/CIN/IR/RowEncodings.h"
#include "ember/Fuzz/Program/Random.h"
#include "ember/Fuzz/Program/Scalar.h"

namespace ember::fuzz {

/// How rows of bytes encode rows of values.
using RowLayout = cin::RowLayout;

/// Any of the table of encodings with what may be beside it.
RowLayout drawRowLayout(Random &random);

/// The type of the scale and the bias of a row that has them.
inline Scalar parameterType(const RowLayout &layout) {
  return findScalarType(layout.parameters->name)->id;
}

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_ROWLAYOUTS_H
