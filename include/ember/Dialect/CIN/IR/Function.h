//===- Function.h - What is asked of functions ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of the table of functions or a `cin.function`: passes ask both in the
// same way, and do not know which one it is.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_FUNCTION_H
#define EMBER_DIALECT_CIN_IR_FUNCTION_H

#include "ember/Analysis/IterationAlgebra/CoordinateSet.h"
#include "ember/Dialect/CIN/IR/Builtins.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace ember::cin {

class FunctionOp;

/// An annihilator or an identity, as a value of its type.
struct SpecialValue {
  mlir::TypedAttr value;
  /// Which operand it is; none for any.
  std::optional<unsigned> position;
  /// What the function is then; null for an identity: the other operand.
  mlir::TypedAttr result;
  /// What the other operand may not be; null if it may be anything.
  mlir::TypedAttr unless;

  bool isAt(unsigned operand) const {
    return !position || *position == operand;
  }
};

/// Where a function differs from a value that it has everywhere else.
struct DeclaredIteration {
  /// Of operands that are not `fills`.
  ember::CoordinateSet set;
  llvm::SmallVector<mlir::TypedAttr> fills;
  /// What it is elsewhere; null for what it is of all fills.
  mlir::TypedAttr elsewhere;
};

/// A body for some values of operands.
struct FunctionCase {
  /// By operand; null for those that may have any value, which are the body's
  /// arguments.
  llvm::SmallVector<mlir::TypedAttr> values;
  mlir::Region *body;

  /// Whether it is for operands of which this much is known; null for nothing.
  bool holds(llvm::ArrayRef<mlir::TypedAttr> known) const;
  /// How many operands have a value.
  size_t countValues() const;
};

class Function {
public:
  Function() = default;
  Function(const Builtin &builtin) : row(&builtin) {}
  Function(FunctionOp function);

  /// The function that `callee` names where `from` stands: a BuiltinAttr, or a
  /// symbol of a `cin.function`. None if there is none.
  static Function lookup(mlir::Operation *from, mlir::Attribute callee);

  explicit operator bool() const { return row || op; }
  bool operator==(const Function &) const = default;

  /// What operations name it by.
  mlir::Attribute getCallee(mlir::MLIRContext *context) const;
  /// The row that it is of the table; null for others.
  const Builtin *getBuiltin() const { return row; }
  /// The operation that defines it; null for those of the table.
  FunctionOp getDefinition() const;
  bool is(llvm::StringRef builtin) const { return row && row->name == builtin; }

  llvm::StringRef getName() const;
  unsigned getArity() const;
  bool isCommutative() const;
  bool isAssociative() const;
  /// f(x, ..., x) = x.
  bool isIdempotent() const;
  /// Whether its first operand chooses one of the others.
  bool chooses() const { return row && row->signature == Signature::choice; }
  /// Whether all operands and the result may be of that type.
  bool takes(mlir::Type type) const;

  /// Annihilators and identities among values of a type, which an operand has.
  llvm::SmallVector<SpecialValue> getSpecial(mlir::Type type) const;
  /// The value that it leaves every other as it is with, on either side; null
  /// if there is none.
  mlir::TypedAttr getIdentity(mlir::Type type) const;
  /// The points at which it has to be computed, if they are declared.
  std::optional<DeclaredIteration> getIteration() const;

  /// Its bodies for operands that have some value, those with more values
  /// first.
  llvm::SmallVector<FunctionCase> getCases() const;

  /// Whether it combines two values of a type to one, in any grouping and
  /// order: what reductions ask for.
  bool reduces() const;

  /// An error of `op` if it may not call it with these types.
  llvm::LogicalResult verifyCall(mlir::Operation *op, mlir::TypeRange operands,
                                 mlir::Type result) const;
  /// An error of `op` if it may not combine values of `type` by it.
  llvm::LogicalResult verifyCombination(mlir::Operation *op,
                                        mlir::Type type) const;
  /// The same, where values are in an order, and the first of them is there to
  /// begin with.
  llvm::LogicalResult verifyFold(mlir::Operation *op, mlir::Type type) const {
    return verifyCall(op, {type, type}, type);
  }

private:
  const Builtin *row = nullptr;
  mlir::Operation *op = nullptr;
};

/// What a reduction makes of n times the same value.
enum class Repetition : uint8_t {
  /// The same as of one, if there is any.
  once,
  /// n times it: of a sum.
  multiple,
  /// Its n-th power: of a product of floats.
  power,
};

/// How `function` reduces copies of `value`; none if only one after the other.
std::optional<Repetition> getRepetition(Function function,
                                        mlir::TypedAttr value);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_FUNCTION_H
