//===- MemorySize.h - Bytes of elements, rows and memrefs -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types may name sizes whose product no 64 bits hold, though no memory does:
// products that do not fit are not known here, or the largest number there is.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_MEMORYSIZE_H
#define EMBER_ANALYSIS_MEMORYSIZE_H

#include "mlir/IR/BuiltinTypes.h"

namespace ember {

/// The bytes that an element of `type` takes in memory, an index, integer or
/// float; nullopt for others.
std::optional<int64_t> getElementBytes(mlir::Type type);

/// The bytes that the dimensions of `type` from `first` on take together:
/// nullopt if a size, or their product, is not known. No size counts as less
/// than one: strides do not, either.
std::optional<int64_t> getStaticBytes(mlir::MemRefType type,
                                      unsigned first = 0);

/// `a` times `b`, none of them negative, or the largest number.
int64_t multiplyClamped(int64_t a, int64_t b);

} // namespace ember

#endif // EMBER_ANALYSIS_MEMORYSIZE_H
