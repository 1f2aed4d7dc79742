//===- Export.h - Modules as graphs of TensorFlow ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TRANSLATE_GRAPHDEF_EXPORT_H
#define EMBER_TRANSLATE_GRAPHDEF_EXPORT_H

#include "ember/Translate/GraphDef/FileKind.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>

namespace ember::graphdef {

/// The file that a function was imported from.
struct OriginalFile {
  llvm::MemoryBufferRef file;
  FileKind kind;
};

/// The bytes of a GraphDef that computes what `function` does, whose operations
/// are all `col.node`. Nodes have their labels as names, arguments are
/// placeholders.
///
/// What a module leaves out of a graph is that of the node of the same name in
/// `original`: attributes that begin with `_`, large constants, functions. What
/// cannot be written is one error at its operation.
mlir::FailureOr<std::string>
exportGraphDef(mlir::func::FuncOp function,
               std::optional<OriginalFile> original);

} // namespace ember::graphdef

#endif // EMBER_TRANSLATE_GRAPHDEF_EXPORT_H
