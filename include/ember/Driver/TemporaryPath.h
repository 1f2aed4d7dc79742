//===- TemporaryPath.h - Files and folders in the making --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is being written has a name of its own, PREFIX and eight random digits,
// until it is complete and renamed. Its process holds a lock on it, which ends
// with the process: what a killed one left is known by a lock that is free.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_TEMPORARYPATH_H
#define EMBER_DRIVER_TEMPORARYPATH_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"
#include <string>

namespace ember {

/// A file or a folder that nobody else has; removed with this object, unless
/// moved to its final name before. The umask limits its permissions.
class TemporaryPath {
public:
  static llvm::ErrorOr<TemporaryPath> createFile(const llvm::Twine &prefix);
  static llvm::ErrorOr<TemporaryPath>
  createFolder(const llvm::Twine &prefix, llvm::sys::fs::perms permissions);

  TemporaryPath(TemporaryPath &&other);
  TemporaryPath &operator=(TemporaryPath &&) = delete;
  ~TemporaryPath();

  llvm::StringRef getPath() const { return path; }

  /// The open file, or folder.
  int getDescriptor() const { return descriptor; }

  /// Gives it its final name, in place of what has that name.
  std::error_code moveTo(llvm::StringRef target);

private:
  TemporaryPath(std::string path, int descriptor);

  static llvm::ErrorOr<TemporaryPath> create(const llvm::Twine &prefix,
                                             bool isFolder,
                                             llvm::sys::fs::perms permissions);

  std::string path; // empty once moved
  int descriptor;
};

/// Removes what processes that are gone left under names with `prefix`. Where
/// the file system has no locks, what is an hour old counts as left.
void removeAbandoned(const llvm::Twine &prefix);

} // namespace ember

#endif // EMBER_DRIVER_TEMPORARYPATH_H
