//===- HostCaches.h - What the caches of this machine hold ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_PROCESSOR_HOSTCACHES_H
#define EMBER_LIB_TARGET_PROCESSOR_HOSTCACHES_H

#include <cstdint>
#include <optional>

namespace ember {

/// The bytes of the second cache of this machine's first processor; nothing
/// where the system does not say.
std::optional<int64_t> hostSecondCacheBytes();

} // namespace ember

#endif // EMBER_LIB_TARGET_PROCESSOR_HOSTCACHES_H
