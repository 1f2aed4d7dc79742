//===- Cache.h - Kernels on disk, found by their content --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of compiled kernels that any number of processes share:
//
//   <folder>/<key>/kernel.so, kernel.json   the kernel and its manifest
//   <folder>/<key>/complete.json            size and hash of both
//   <folder>/incomplete/<unique>/           entries being written
//
// An entry appears by one rename of a complete folder, so a reader sees all of
// it or nothing, and of two processes that write one entry the first one wins.
// An entry that does not match its sizes and hashes is removed and made anew.
// What a killed process left in incomplete/ is removed when it is an hour old.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_CACHE_H
#define EMBER_DRIVER_CACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace ember {

/// Where the two files of a kernel are.
struct CacheEntry {
  std::string library;
  std::string manifest;
};

class KernelCache {
public:
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}

  /// $EMBER_CACHE_DIR, or "ember" in $XDG_CACHE_HOME or ~/.cache; nothing when
  /// there is no home folder either.
  static std::optional<std::string> getDefaultFolder();

  /// The key of everything a kernel depends on, in this order.
  static std::string computeKey(llvm::ArrayRef<llvm::StringRef> parts);

  /// The entry, when it is there and intact.
  std::optional<CacheEntry> lookup(llvm::StringRef key) const;

  /// Adds an entry: `write` puts kernel.so and kernel.json into the folder it
  /// is given. Fails when `write` does or the cache cannot be written to; a
  /// failure leaves no trace.
  llvm::Expected<CacheEntry>
  insert(llvm::StringRef key,
         llvm::function_ref<llvm::Error(llvm::StringRef folder)> write) const;

  llvm::StringRef getFolder() const { return folder; }

private:
  CacheEntry getEntry(llvm::StringRef key) const;
  void removeStale() const;

  std::string folder;
};

} // namespace ember

#endif // EMBER_DRIVER_CACHE_H
