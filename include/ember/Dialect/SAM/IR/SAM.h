//===- SAM.h - The Sparse Abstract Machine ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_SAM_H
#define EMBER_DIALECT_SAM_IR_SAM_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/SAM/IR/SAMDialect.h.inc"
#include "ember/Dialect/SAM/IR/SAMEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/SAM/IR/SAMTypes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/SAM/IR/SAMOps.h.inc"

namespace ember::sam {

/// How deep lists are nested in a stream; none of what has no lists.
std::optional<unsigned> getDepth(mlir::Type stream);
/// The same kind of stream of another depth.
mlir::Type withDepth(mlir::Type stream, unsigned depth);

/// How a tensor is stored, whatever says it: `#cin.format`, an encoding of
/// sparse tensors, or nothing, where all levels are dense.
struct TensorFormat {
  llvm::SmallVector<cin::Level> levels;
  /// The dimension of each level.
  llvm::SmallVector<unsigned> order;
  /// What is not stored.
  mlir::TypedAttr fill;

  /// None, and why, for what no scanner knows. A number has no level.
  static std::optional<TensorFormat> of(mlir::Type type, std::string &reason);

  unsigned size() const { return levels.size(); }
  bool isDense() const;
  /// The dense levels around a level that have none of another kind between:
  /// positions behind them follow from positions before them and coordinates.
  std::pair<unsigned, unsigned> getDenseRun(unsigned level) const;
  /// Why no writer makes a level, which "is bitmap: ..."; empty if one does.
  std::string findUnwritten(unsigned level) const;
};

/// What messages call a tensor of a graph.
std::string getTensorName(mlir::Value tensor);
/// Where a stream comes from: `root, scan B[0], repeat`.
std::string describePath(mlir::Value stream);

/// The level whose positions a stream of references has.
struct ReferencedLevel {
  mlir::Value tensor;
  unsigned level;
};
/// None for the root and for what nobody knows.
std::optional<ReferencedLevel> findReferencedLevel(mlir::Value references);

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_IR_SAM_H
