//===- ScratchBuffer.h - Buffers that carry nothing along -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_SCRATCHBUFFER_H
#define EMBER_ANALYSIS_SCRATCHBUFFER_H

#include "llvm/ADT/StringRef.h"

namespace ember {

/// On an allocation outside of loops: whatever an iteration of an outermost
/// loop reads from the buffer, it has stored there before. So each thread that
/// runs iterations may have a buffer of its own.
constexpr llvm::StringLiteral kScratchAttr = "ember.scratch";

} // namespace ember

#endif // EMBER_ANALYSIS_SCRATCHBUFFER_H
