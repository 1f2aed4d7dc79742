//===- ModelFile.h - Graphs in files of TensorFlow --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_MODELFILE_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_MODELFILE_H

#include "GraphDef.pb.h"

#include "ember/Translate/GraphDef/FileKind.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

namespace ember::graphdef {

/// What is read of a file: the graph, and what a model calls its inputs and
/// outputs.
class ModelFile {
public:
  /// Parses `file`, whose end or middle may be missing, and finds `signature`,
  /// or that which is meant where it is empty. Null after an error.
  static std::unique_ptr<ModelFile> read(llvm::MemoryBufferRef file,
                                         FileKind kind,
                                         llvm::StringRef signature,
                                         mlir::Location location);

  const Graph &getGraph() const { return *graph; }
  /// Of the signature, or "graph".
  llvm::StringRef getName() const { return name; }
  /// Null for a graph.
  const Entry *getEntry() const { return entry; }

private:
  mlir::LogicalResult findServed(mlir::Location location);
  mlir::LogicalResult findEntry(llvm::StringRef wanted,
                                mlir::Location location);

  Graph alone;
  SavedModel model;
  const MetaGraph *served = nullptr;
  const Graph *graph = nullptr;
  std::string name = "graph";
  const Entry *entry = nullptr;
};

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_MODELFILE_H
