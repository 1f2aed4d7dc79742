//===- TransposedArrays.h - Levels in the order of loops --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSAM_TRANSPOSEDARRAYS_H
#define EMBER_LIB_CONVERSION_CINTOSAM_TRANSPOSEDARRAYS_H

#include "StatementPaths.h"

#include "llvm/ADT/MapVector.h"

namespace ember {

/// The tensor that each array with other levels is made of, or becomes.
using TransposedArrays = llvm::MapVector<mlir::Value, mlir::Type>;

/// Gives arrays of the statement, and the result, that the order of variables
/// does not suit, levels that it does. The paths have to be collected again.
TransposedArrays transposeArrays(StatementPaths &paths);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_CINTOSAM_TRANSPOSEDARRAYS_H
