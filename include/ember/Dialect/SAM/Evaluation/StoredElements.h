//===- StoredElements.h - Tensors as lists of their elements ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors too large to list all of their elements, stored of those that there
// are and visited by them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_EVALUATION_STOREDELEMENTS_H
#define EMBER_DIALECT_SAM_EVALUATION_STOREDELEMENTS_H

#include "ember/Dialect/SAM/Evaluation/Storage.h"

namespace ember::sam {

/// An element, and where it is, by dimension.
struct ListedElement {
  llvm::SmallVector<int64_t, 4> coordinates;
  mlir::TypedAttr value;
};

/// Stores what differs from what the format does not store, of elements in any
/// order. None if two are at the same coordinates: these are in `twice`.
std::optional<StoredTensor>
storeElements(const TensorFormat &format, llvm::ArrayRef<int64_t> shape,
              std::vector<ListedElement> elements,
              llvm::SmallVectorImpl<int64_t> &twice);

/// Visits what is stored, in the order of levels, with coordinates by
/// dimension.
void visitElements(
    const StoredTensor &tensor,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>, mlir::TypedAttr)> visit);

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_EVALUATION_STOREDELEMENTS_H
