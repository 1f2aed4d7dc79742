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
// What a killed process left in incomplete/ is removed by the next one that
// writes. complete.json is as old as the last use of its entry: once all of
// them take more than the bound, those not used for the longest time go, but
// none that was used in the last ten minutes. A library that is loaded stays
// usable when its file is removed.
//
// Kernels are code, so a folder is for its owner alone. One that other users
// own or may write to, or replace, is not used, unless it is shared on purpose.
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
  /// A cache of at most `sizeBound` bytes; 0 for no bound. Of one that is
  /// `shared`, others may be the owners.
  explicit KernelCache(std::string folder, uint64_t sizeBound = 0,
                       bool shared = false)
      : folder(std::move(folder)), sizeBound(sizeBound), shared(shared) {}

  /// $EMBER_CACHE_DIR, or "ember" in $XDG_CACHE_HOME or ~/.cache; nothing when
  /// there is no home folder either.
  static std::optional<std::string> getDefaultFolder();

  /// $EMBER_CACHE_SIZE in bytes, or 1 GiB; fails when it is not a size.
  static llvm::Expected<uint64_t> getSizeBound();

  /// Whether $EMBER_CACHE_SHARED says that caches are shared on purpose.
  static bool areShared();

  /// Makes the folder if there is none. Fails if there can be none, or if
  /// others might change what is in it.
  llvm::Error prepare() const;

  /// The key of everything a kernel depends on, in this order.
  static std::string computeKey(llvm::ArrayRef<llvm::StringRef> parts);

  /// The entry, when it is there, intact and ours; counts as a use of it.
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
  bool isOurs(llvm::StringRef entry) const;
  void evict() const;

  std::string folder;
  uint64_t sizeBound;
  bool shared;
};

} // namespace ember

#endif // EMBER_DRIVER_CACHE_H
