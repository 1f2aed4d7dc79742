//===- GraphRun.h - Running a graph of blocks -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function with sam.graph operations is no code of a processor: it is
// evaluated, on arrays that are stored in the formats of its tensors first.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_GRAPHRUN_H
#define EMBER_DRIVER_GRAPHRUN_H

#include "ember/Dialect/SAM/Evaluation/Storage.h"
#include "ember/Driver/Npy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace ember {

/// The function to run if the module is one of graphs; null if it has none.
llvm::Expected<mlir::func::FuncOp> findGraphFunction(mlir::ModuleOp module,
                                                     llvm::StringRef name);

/// A tensor or a number, and its type.
struct GraphValue {
  mlir::Type type;
  sam::StoredTensor tensor;
};

/// What makes the results of a graph of its inputs, in place of the evaluator.
using GraphEngine =
    llvm::function_ref<llvm::FailureOr<std::vector<sam::StoredTensor>>(
        sam::GraphOp, llvm::ArrayRef<sam::StoredTensor>,
        llvm::ArrayRef<llvm::SmallVector<int64_t>>)>;

/// The results of `function` of what the command line gives for each
/// parameter. If there is a `streams`, each stream is listed there as text.
llvm::Expected<std::vector<GraphValue>>
runGraphFunction(mlir::func::FuncOp function,
                 llvm::ArrayRef<std::string> arguments,
                 llvm::raw_ostream *streams, GraphEngine engine = {});

/// All elements, and how many of them are stored.
void printGraphValue(const GraphValue &value, unsigned result,
                     llvm::raw_ostream &os);
llvm::Error saveGraphValue(const GraphValue &value, llvm::StringRef path);

} // namespace ember

#endif // EMBER_DRIVER_GRAPHRUN_H
