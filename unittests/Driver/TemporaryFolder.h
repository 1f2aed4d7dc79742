//===- TemporaryFolder.h - A folder that goes with its test -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that write files write them here.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_DRIVER_TEMPORARYFOLDER_H
#define EMBER_UNITTESTS_DRIVER_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <string>

namespace ember {

class TemporaryFolder {
public:
  TemporaryFolder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("ember-test", root));
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(root); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// The path of `name` in the folder.
  std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> result(root);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }

private:
  llvm::SmallString<128> root;
};

} // namespace ember

#endif // EMBER_UNITTESTS_DRIVER_TEMPORARYFOLDER_H
