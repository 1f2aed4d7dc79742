//===- GraphPattern.h - Nodes that are what they have to be -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about the nodes of a graph that a value comes from. What does not
// hold is kept as the reason why a column stays as it is: the first such
// answer, which is the one that is closest to what was looked for.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHPATTERN_H
#define EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHPATTERN_H

#include "ember/Dialect/Col/IR/Col.h"

#include <optional>

namespace ember::col {

/// The value that one is the same as: in front of nodes that pass it on.
mlir::Value skipIdentities(mlir::Value value);

/// The type of a value, if it is known to have so many dimensions.
mlir::RankedTensorType getShape(mlir::Value value, int64_t rank);

/// The integer of a constant, or its list of integers, which may be converted
/// to another type of integers that has them all. Broadcasting one of them
/// keeps the rank of the other operand, unless that has none.
std::optional<llvm::SmallVector<int64_t>> getIntegers(mlir::Value value);

/// The text of a constant that is one text.
std::optional<llvm::StringRef> getText(mlir::Value value);

/// The value that one is the same number as: in front of a node that makes an
/// integer of one that is as wide or wider of it.
mlir::Value skipCast(mlir::Value value);

/// A pure node of a kind with a number of operands whose result, of a number,
/// is the value; null for others.
NodeOp findNode(mlir::Value value, llvm::StringRef kind, unsigned operands,
                unsigned result = 0);

/// An attribute that has a value, or that is not there, for which TensorFlow
/// then has that value.
bool hasSetting(NodeOp node, llvm::StringRef name, int64_t value);

class GraphPattern {
public:
  /// As `findNode`, with a reason if there is none.
  NodeOp expect(mlir::Value value, llvm::StringRef kind, unsigned operands,
                unsigned result = 0);
  /// Whether a value is constant and of these integers.
  bool expectIntegers(mlir::Value value, llvm::ArrayRef<int64_t> integers);
  /// Whether a value is one constant, of floating point.
  bool expectNumber(mlir::Value value, double number);
  /// Whether a value is the constant true.
  bool expectTrue(mlir::Value value);
  /// Whether both are the same but for nodes that pass them on.
  bool expectSame(mlir::Value one, mlir::Value other);
  /// Whether attributes, which are 0 by default, are.
  bool expectZero(NodeOp node, llvm::ArrayRef<llvm::StringRef> settings);

  /// Whether a node is GatherV2 along dimension 0; then, of what and where.
  bool expectGather(mlir::Value value, mlir::Value &of, mlir::Value &indices);
  /// The tensor whose element `index`, a dimension, is the value; null and a
  /// reason for others.
  mlir::Value expectElement(mlir::Value value, int64_t index);

  /// The matrix whose first column is the value; null and a reason for others.
  mlir::Value expectFirstColumn(mlir::Value value);

  /// Keeps a reason, and is false.
  bool fail(const llvm::Twine &why);
  bool fail(mlir::Value value, const llvm::Twine &why);

  llvm::StringRef getReason() const { return reason; }

private:
  std::string reason;
};

} // namespace ember::col

#endif // EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHPATTERN_H
