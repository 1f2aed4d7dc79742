//===- HostCaches.cpp - What the caches of this machine hold --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCaches.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <unistd.h>

using namespace llvm;

namespace ember {

/// What Linux says about a cache of the first processor; "" for nothing.
static std::string readOfCache(unsigned number, StringRef what) {
  auto file = MemoryBuffer::getFileAsStream(
      "/sys/devices/system/cpu/cpu0/cache/index" + Twine(number) + "/" + what);
  return file ? (*file)->getBuffer().trim().str() : "";
}

/// The second level as Linux's files describe it; 0 if they do not.
static int64_t readSecondCache() {
  for (unsigned number = 0;; ++number) {
    std::string level = readOfCache(number, "level");
    if (level.empty())
      return 0;
    std::string size = readOfCache(number, "size");
    int64_t kilobytes = 0;
    if (level == "2" && readOfCache(number, "type") != "Instruction" &&
        StringRef(size).consume_back("K") &&
        !StringRef(size).drop_back().getAsInteger(10, kilobytes))
      return kilobytes * 1024;
  }
}

std::optional<int64_t> hostSecondCacheBytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  // Asks the processor itself on x86, also where there are no such files.
  int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0)
    return bytes;
#endif
  int64_t read = readSecondCache();
  return read > 0 ? std::optional(read) : std::nullopt;
}

} // namespace ember
