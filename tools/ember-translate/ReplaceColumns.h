//===- ReplaceColumns.h - Kernels in place of columns -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TOOLS_EMBER_TRANSLATE_REPLACECOLUMNS_H
#define EMBER_TOOLS_EMBER_TRANSLATE_REPLACECOLUMNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace ember {

/// A graph whose columns are kernels.
struct ReplacedColumns {
  /// The graph, whose operations are all nodes.
  mlir::func::FuncOp graph;
  /// The kernels, each a function; without any if the graph has no columns.
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  /// What has been found, and what stays and why.
  llvm::json::Object report;
};

/// Finds the columns of the one function of `module` and makes functions of
/// them, which nodes call that say they are in `library`. Nothing after an
/// error, which has been reported.
std::optional<ReplacedColumns> replaceColumns(mlir::ModuleOp module,
                                              llvm::StringRef library);

} // namespace ember

#endif // EMBER_TOOLS_EMBER_TRANSLATE_REPLACECOLUMNS_H
