//===- ExpressionEmitter.h - Expressions of one statement -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_EXPRESSIONEMITTER_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_EXPRESSIONEMITTER_H

#include "Names.h"
#include "Types.h"

#include "ember/Dialect/CIN/IR/CIN.h"
#include "mlir/IR/Builders.h"

namespace ember::cin {

/// A value, or a number that takes the type of what it meets.
struct Operand {
  mlir::Value value = {};
  /// Of a number: it is not emitted yet.
  Number number = {};
  Position position;

  OperandType getType() const {
    return {value ? value.getType() : mlir::Type(), number};
  }
};

class ExpressionEmitter {
public:
  ExpressionEmitter(mlir::OpBuilder &builder,
                    const llvm::StringMap<mlir::Value> &values,
                    const llvm::StringSet<> &variables)
      : builder(builder), values(values), variables(variables) {}

  /// Takes note of the slices of a statement, which give variables ranges, and
  /// adds up lengths of segments in front of it.
  llvm::LogicalResult prepare(const Statement &statement);

  /// Gives a variable without a range all positions of a dimension, from here
  /// on.
  void setExtent(llvm::StringRef variable, ArrayDimension dimension) {
    extents.insert({variable, dimension});
  }
  void forgetExtents() { extents.clear(); }

  /// Whether the range of `binding` depends on `variable`.
  bool depends(const Binding &binding, llvm::StringRef variable) const;

  llvm::FailureOr<Operand> emit(const Expression &expression);
  llvm::FailureOr<Operand> emitCall(Function function,
                                    llvm::SmallVector<Operand> operands,
                                    Position position, bool isLogical = false);
  /// A reduction of `value` over `bindings`, where `condition` holds.
  llvm::FailureOr<Operand>
  emitReduction(Function function, llvm::ArrayRef<const Binding *> bindings,
                const Expression *condition, const Expression &value,
                Position position);
  /// A `cin.forall` over `bindings` with what `body` emits.
  llvm::LogicalResult
  emitForall(llvm::ArrayRef<const Binding *> bindings, Position position,
             llvm::function_ref<llvm::LogicalResult()> body);
  /// The indices of an access.
  llvm::LogicalResult emitIndices(const Expression &access,
                                  llvm::SmallVectorImpl<mlir::Value> &indices);
  mlir::Value convert(const Operand &value, mlir::Type type);
  /// Whether a type has a number that is written as an integer; says where one
  /// is too large.
  llvm::LogicalResult checkFits(const Operand &number, mlir::Type type);
  mlir::Value getArray(llvm::StringRef name) const {
    return values.lookup(name);
  }

private:
  /// Ranges of some variables.
  struct Ranges {
    llvm::SmallVector<mlir::Value> lowers, uppers;
    llvm::SmallVector<bool> ranged;
    llvm::SmallVector<llvm::StringRef> names;
  };
  llvm::FailureOr<Ranges> emitRanges(llvm::ArrayRef<const Binding *> bindings);
  /// The number of positions of a slice.
  llvm::FailureOr<mlir::Value> emitLength(const Expression &slice,
                                          const Expression &access,
                                          unsigned dimension);
  /// The values of `bindings` in a block.
  void bind(llvm::ArrayRef<const Binding *> bindings, mlir::Block &block);
  void unbind(llvm::ArrayRef<const Binding *> bindings);

  /// An error if a function of users, which says which types it takes, is given
  /// a fraction where it takes none.
  llvm::LogicalResult checkHolds(const Operand &operand, mlir::Type type,
                                 Function function);
  /// A reduction of the text, whose variables have slices of their own.
  llvm::FailureOr<Operand> emitWrittenReduction(const Expression &reduction);
  /// Adds up the lengths that ranges are given by.
  llvm::LogicalResult emitSums(const Bindings &bindings);
  /// Whether an array stores an element, or a boolean holds.
  llvm::FailureOr<Operand> emitMember(const Expression &member);
  Operand emitSize(const Expression &size);
  /// Where the segment that an element is the length of begins and ends.
  llvm::FailureOr<std::pair<mlir::Value, mlir::Value>>
  emitSegment(const Expression &length);
  mlir::Value makeIndex(Position position, int64_t number);
  /// Gives variables that are only a part of indices, `x[i + 1]`, the range
  /// that these leave them.
  ReduceOp rangeShifted(ReduceOp reduce);
  /// Whether all comparisons of neighbours hold.
  llvm::FailureOr<Operand> emitChain(const Expression &chain,
                                     llvm::ArrayRef<Operand> operands);
  llvm::FailureOr<Operand> emitLiteral(const Expression &literal);
  llvm::FailureOr<Operand> emitName(const Expression &name);
  llvm::FailureOr<Operand> emitAccess(const Expression &access);
  llvm::FailureOr<mlir::Value> emitElement(const Expression &access);
  /// An integer of any type.
  llvm::FailureOr<mlir::Value> emitIndex(const Expression &expression);
  /// The affine expression that `expression` is of values that it adds to
  /// `operands`; null if it is none, failure after an error.
  llvm::FailureOr<mlir::AffineExpr>
  makeAffine(const Expression &expression,
             llvm::SmallVectorImpl<mlir::Value> &operands);
  /// The integer that a literal is, if it is one.
  static std::optional<int64_t> getInteger(const Expression *expression);

  mlir::Location at(Position position);

  mlir::OpBuilder &builder;
  const llvm::StringMap<mlir::Value> &values;
  const llvm::StringSet<> &variables;
  /// The variables that are bound where something is emitted.
  llvm::StringMap<llvm::SmallVector<mlir::Value>> bound;
  /// A slice, with the access and the dimension it is of.
  struct Slice {
    const Expression *slice, *access;
    unsigned dimension;
  };
  /// Takes note of the slices in `expression` of variables that are bound
  /// outside of it: of `mine` if that is given. An error if two of one variable
  /// have numbers of positions that are known, and differ.
  llvm::LogicalResult addSlices(const Expression &expression,
                                const Bindings *mine = nullptr);
  /// The number of positions of a slice whose bounds are numbers.
  static std::optional<int64_t> getLength(const Expression &slice);
  /// The first slice of each variable that is bound where something is emitted.
  llvm::StringMap<Slice> slices;
  llvm::StringMap<ArrayDimension> extents;
  /// Sums of lengths by the array that holds these.
  llvm::StringMap<mlir::Value> scans;
};

/// Emits a statement on arrays that `values` has by name; an error if it makes
/// no sense.
llvm::LogicalResult emitStatement(mlir::OpBuilder &builder,
                                  const Statement &statement,
                                  const llvm::StringMap<mlir::Value> &values);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_EXPRESSIONEMITTER_H
