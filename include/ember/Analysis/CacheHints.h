//===- CacheHints.h - What loads say about caches ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_CACHEHINTS_H
#define EMBER_ANALYSIS_CACHEHINTS_H

#include "llvm/ADT/StringRef.h"

namespace ember {

/// On a load, the `slc::CacheLevelAttr` of the stream it was made from: which
/// cache should keep the row, where rows are prefetched.
inline constexpr llvm::StringLiteral cacheLevelAttr = "ember.cache_level";

} // namespace ember

#endif // EMBER_ANALYSIS_CACHEHINTS_H
