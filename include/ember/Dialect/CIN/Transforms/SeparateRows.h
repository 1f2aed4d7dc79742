//===- SeparateRows.h - Results that are filled row by row ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_SEPARATEROWS_H
#define EMBER_DIALECT_CIN_TRANSFORMS_SEPARATEROWS_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// Whether each coordinate of the outermost level has a segment of its own, at
/// a place that is known once all of them are counted: as `csr` does.
bool hasSeparateRows(FormatAttr format);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_SEPARATEROWS_H
