//===- AbstractValues.h - What is known of what is not stored ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_ABSTRACTVALUES_H
#define EMBER_DIALECT_CIN_TRANSFORMS_ABSTRACTVALUES_H

#include "ember/Dialect/CIN/IR/LevelOperands.h"

namespace ember::cin {

/// What is known of a value: which one it is, which one it is not, or nothing.
struct AbstractValue {
  enum class Kind : uint8_t { any, constant, anythingBut };
  Kind kind = Kind::any;
  mlir::TypedAttr value = {};

  static AbstractValue constant(mlir::TypedAttr value);
  /// Of booleans, that is the other one.
  static AbstractValue anythingBut(mlir::TypedAttr value);

  /// Whether it is surely `other`; zeros of both signs are the same, and so are
  /// all NaNs.
  bool is(mlir::TypedAttr other) const;
  bool isNot(mlir::TypedAttr other) const;
};

/// What a function makes of values of which that much is known: by its
/// properties, or by computing it.
AbstractValue callAbstractly(Function function,
                             llvm::ArrayRef<AbstractValue> operands,
                             mlir::Type result);

/// Values of expressions where some fibers are stored and others are not.
class AbstractValues {
public:
  AbstractValues(llvm::SmallVector<Fiber> stored,
                 llvm::SmallVector<Fiber> absent)
      : stored(std::move(stored)), absent(std::move(absent)) {}

  AbstractValue of(mlir::Value value);
  /// The operands of a call whose values are known; null where they are not.
  llvm::SmallVector<mlir::TypedAttr> ofOperands(CallOp call);
  /// Whether nothing in `block` assigns anything that is not there already.
  bool isNoEffect(mlir::Block &block);
  bool isNoEffect(AssignOp assign);
  /// Whether what a reduction's body yields is its function's identity.
  bool isIdentity(ReduceOp reduce);

private:
  AbstractValue compute(mlir::Value value);
  AbstractValue ofAccess(AccessOp access);
  AbstractValue ofReduction(ReduceOp reduce);
  AbstractValue ofStored(StoredOp question);
  /// Whether a condition, null for none, never holds.
  bool isFalse(mlir::Value condition);

  llvm::SmallVector<Fiber> stored, absent;
  llvm::DenseMap<mlir::Value, AbstractValue> known;
  /// What all elements of a workspace are, for those that are produced and
  /// consumed in what is looked at; none before anything is assigned.
  llvm::DenseMap<mlir::Value, std::optional<AbstractValue>> workspaces;
  /// Those of missing elements to which nothing is assigned.
  llvm::DenseSet<mlir::Value> untouched;
};

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_ABSTRACTVALUES_H
