//===- ElementFile.h - Text files that list elements ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sparse tensors in files: Matrix Market's .mtx, and FROSTT's .tns, with or
// without the header that MLIR's runtime writes, which has the sizes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_ELEMENTFILE_H
#define EMBER_DRIVER_ELEMENTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <vector>

namespace ember {

/// Elements as a file has them. Those that a symmetric matrix implies are in
/// the list, too.
struct ElementList {
  struct Element {
    llvm::SmallVector<int64_t, 4> coordinates;
    /// As it is written; in `buffer`.
    llvm::StringRef value;
    /// Of a skew-symmetric matrix: what is implied is the negative.
    bool isNegated = false;
  };

  llvm::SmallVector<int64_t> shape;
  std::vector<Element> elements;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

/// Whether a path ends as those of such files do.
bool isElementFile(llvm::StringRef path);

/// Errors name the file, the line, and what is wrong with it.
llvm::Expected<ElementList> readElementFile(llvm::StringRef path);

/// What is called with coordinates and the text of each element.
using ElementPrinter =
    llvm::function_ref<void(llvm::ArrayRef<int64_t>, llvm::StringRef)>;

/// Writes a file of the kind that the path says, whole or not at all. `list`
/// calls what it is given with each of `count` elements.
llvm::Error writeElementFile(llvm::StringRef path,
                             llvm::ArrayRef<int64_t> shape, size_t count,
                             llvm::function_ref<void(ElementPrinter)> list);

} // namespace ember

#endif // EMBER_DRIVER_ELEMENTFILE_H
