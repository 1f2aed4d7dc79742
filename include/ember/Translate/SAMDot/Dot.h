//===- Dot.h - Graphs of blocks in Graphviz's language ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of the Sparse Abstract Machine's own compiler: a node a block, with
// `comment="type=...,..."`, and an edge a stream.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TRANSLATE_SAMDOT_DOT_H
#define EMBER_TRANSLATE_SAMDOT_DOT_H

#include "ember/Dialect/SAM/IR/SAM.h"
#include "mlir/IR/OwningOpRef.h"

namespace ember::sam {

/// Writes a graph. False after an error at a block that the language has no
/// node for.
bool exportDot(GraphOp graph, llvm::raw_ostream &os);

/// The module of a file: a function of a tensor for each that it names, of f64,
/// with a graph. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> importDot(llvm::StringRef text,
                                            mlir::MLIRContext *context);

} // namespace ember::sam

#endif // EMBER_TRANSLATE_SAMDOT_DOT_H
