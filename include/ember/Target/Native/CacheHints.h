//===- CacheHints.h - What loads say about caches ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_CACHEHINTS_H
#define EMBER_TARGET_NATIVE_CACHEHINTS_H

#include "llvm/ADT/StringRef.h"

namespace ember::native {

/// On a load, the `slc::CacheLevelAttr` of the stream it was made from: which
/// cache should keep the row, where rows are prefetched.
inline constexpr llvm::StringLiteral cacheLevelAttr = "ember.cache_level";

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_CACHEHINTS_H
