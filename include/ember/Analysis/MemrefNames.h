//===- MemrefNames.h - What memrefs are called in messages -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_MEMREFNAMES_H
#define EMBER_ANALYSIS_MEMREFNAMES_H

#include "mlir/IR/Value.h"

#include <string>

namespace ember {

/// The buffer `memref` is a view of: follows subviews, casts and other views to
/// the value that owns the memory as far as the function shows.
mlir::Value getViewSource(mlir::Value memref);

/// A name for the buffer behind `memref`: the attribute `ember.name` of a
/// function argument, `argK` for an argument without one, `local` for a buffer
/// of the function.
std::string getMemrefName(mlir::Value memref);

} // namespace ember

#endif // EMBER_ANALYSIS_MEMREFNAMES_H
