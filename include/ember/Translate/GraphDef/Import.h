//===- Import.h - Graphs of TensorFlow as modules ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TRANSLATE_GRAPHDEF_IMPORT_H
#define EMBER_TRANSLATE_GRAPHDEF_IMPORT_H

#include "ember/Translate/GraphDef/FileKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace ember::graphdef {

/// What is made of a graph.
struct ImportOptions {
  /// The results, "NODE" or "NODE:NUMBER"; of a graph without any, those that
  /// no node reads, of a model those of its signature.
  std::vector<std::string> outputs;
  /// Which signature of a model; empty for "serving_default", or the only one.
  std::string signature;
  /// Of tensors with more elements, the value stays in the file.
  int64_t mostElements = 1024;
};

/// A module with a function of the graph in `file`, in which each node is a
/// `col.node`. What is wrong with the graph is one error, at no location, and
/// the result is null.
mlir::OwningOpRef<mlir::ModuleOp> importGraphDef(llvm::MemoryBufferRef file,
                                                 FileKind kind,
                                                 const ImportOptions &options,
                                                 mlir::MLIRContext *context);

} // namespace ember::graphdef

#endif // EMBER_TRANSLATE_GRAPHDEF_IMPORT_H
