//===- Evaluation.h - What a graph computes ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates blocks on nested lists, without time: what every pass on graphs has
// to leave as it is.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_EVALUATION_EVALUATION_H
#define EMBER_DIALECT_SAM_EVALUATION_EVALUATION_H

#include "ember/Dialect/SAM/Evaluation/Storage.h"
#include "ember/Dialect/SAM/IR/TokenText.h"

namespace ember::sam {

/// Is told each stream, in the order in which blocks are evaluated.
using StreamObserver =
    llvm::function_ref<void(mlir::Value, const StreamLists &)>;

/// The results of a graph of `inputs`, which are in the formats of its
/// operands; `shapes` are those of results. Errors are those of blocks.
llvm::FailureOr<std::vector<StoredTensor>>
evaluate(GraphOp graph, llvm::ArrayRef<StoredTensor> inputs,
         llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
         StreamObserver observe);

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_EVALUATION_EVALUATION_H
