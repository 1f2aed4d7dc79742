//===- StatementGradient.h - The gradient of one statement ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENTGRADIENT_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENTGRADIENT_H

#include "ExpressionBuilder.h"
#include "FunctionDerivatives.h"
#include "Statement.h"
#include "StatementNest.h"

#include "mlir/IR/IRMapping.h"

namespace ember::cin {

/// The arrays that statements of the gradient read.
class GradientArrays {
public:
  virtual ~GradientArrays() = default;
  /// What `array`, which `reader` reads, held then; null after an error.
  virtual mlir::Value getForward(mlir::Value array,
                                 mlir::Operation *reader) = 0;
  /// What `statement` assigned to its array; null where that is not there any
  /// more.
  virtual mlir::Value getAssigned(AssignOp assign) = 0;
  /// An array that says where elements of an array in a format are stored.
  virtual mlir::Value getLocating(AssembleOp array) = 0;
};

/// Builds the statements of the gradients of one statement, at the insertion
/// point of a builder.
class StatementGradient {
public:
  /// What is known of all values that an assignment combines to an element:
  /// arrays like the one that is assigned to. Null where nothing is asked.
  struct Combination {
    /// The largest or least of them, and how many are equal to that.
    mlir::Value chosen, ties;
    /// How many are 0, the sum of those, and the product of the others.
    mlir::Value zeros, ofZeros, product;
  };

  /// `seed` is the gradient of what is assigned to.
  StatementGradient(mlir::OpBuilder &builder, GradientArrays &arrays,
                    FunctionDerivatives &functions, ForallOp statement,
                    mlir::Value seed, Combination combination);

  /// What a statement does with the gradient by a leaf: none, as it is 0, or it
  /// is added, or all of it assigned.
  enum class Contribution : uint8_t { none, added, assigned };

  /// A statement that adds the gradient by `leaf`, an access or a number, to
  /// `target`, or that assigns it if it is the first one and assigns all of it.
  llvm::FailureOr<Contribution> addTo(mlir::Value leaf, mlir::Value target,
                                      bool isFirst);
  /// A statement that chooses the largest or least values again.
  llvm::LogicalResult choose();
  /// A statement that counts which values are the ones that were chosen.
  llvm::LogicalResult countTies();
  /// Statements that multiply values that are not 0, and count those that are.
  llvm::LogicalResult multiply();
  /// A statement that sets the gradient of what is assigned to to 0 where it
  /// is.
  llvm::LogicalResult clear(mlir::Value target);
  /// A statement that multiplies it by what the statement multiplies by.
  llvm::LogicalResult scale(mlir::Value target);

private:
  using Variables = llvm::SmallVector<mlir::BlockArgument>;

  /// What is bound around an expression of the statement, outer variables
  /// first, and the conditions there.
  void findScope(mlir::Value leaf);
  /// Variables in an order in which each may be bound after those that its
  /// range depends on, those first that indices name first.
  Variables orderFor(mlir::ValueRange indices);
  /// A statement of the same loops that assigns what `value` builds to the
  /// element of `target` that the statement is of.
  llvm::LogicalResult assignAlike(mlir::Value target, llvm::StringRef function,
                                  llvm::function_ref<mlir::Value()> value);
  /// A statement without loops, which holds the insertion point then.
  ForallOp begin();
  /// Says how many values variables have where nothing else does any more. If
  /// there is a leaf, it is an element of `leafArray`.
  void finish(ForallOp around, mlir::Value leafArray = {});
  /// Whether `variable` is an index of nothing any more, or of what is longer
  /// than it has values: the gradient of `x[i + 1]` is an element of an array
  /// of its own, which does not say so of `x[i]` beside it.
  bool hasLostSize(mlir::BlockArgument variable, mlir::Value target,
                   mlir::Value leafArray);
  /// How many values a variable without a range has.
  mlir::Value getSize(mlir::BlockArgument variable);
  /// Nests that bind `variables`, the innermost of which holds the insertion
  /// point then.
  void bindAll(llvm::ArrayRef<mlir::BlockArgument> variables);
  /// Whether each index of an access is a variable of its own.
  bool hasOwnVariables(AccessOp access);
  /// The levels of an array in a format, for the element that an access reads:
  /// its position.
  mlir::Value bindLevels(AccessOp access);
  /// The position of an element at given indices, which is negative where none
  /// is stored.
  mlir::Value findPosition(AccessOp access, mlir::ValueRange indices);
  /// Whether a coordinate of a level is one that its variable has: it is bound
  /// wherever one is stored.
  mlir::Value isInRange(mlir::BlockArgument variable);
  /// A loop from one value to another: its variable.
  mlir::Value bindRange(mlir::Value lower, mlir::Value upper,
                        llvm::StringRef name);
  /// A sum over `variables` of what `term` builds, where what `condition`
  /// builds holds, if it is not null.
  mlir::Value sumOver(llvm::ArrayRef<mlir::BlockArgument> variables,
                      llvm::function_ref<mlir::Value()> condition,
                      llvm::function_ref<mlir::Value()> term);
  /// The conjunction of conditions of the statement; null if there are none.
  mlir::Value both(llvm::ArrayRef<mlir::Value> conditions);

  /// A value of the statement at the insertion point.
  mlir::Value get(mlir::Value value);
  /// The gradient by a value of the statement; null if it is 0.
  mlir::Value getGradient(mlir::Value value);
  /// The part of it that comes from uses in `block`, or, with null, in the
  /// bodies of the statement's own loops.
  mlir::Value getGradientIn(mlir::Value value, mlir::Block *block);
  mlir::Value getGradientOf(mlir::OpOperand &use);
  mlir::Value deriveCall(CallOp call, unsigned operand);
  /// Of a function of users: the call of its derivative.
  mlir::Value deriveCall(CallOp call, FunctionOp function, unsigned operand,
                         mlir::Value gradient);
  mlir::Value deriveTerm(ReduceOp reduce);
  /// By what the gradient by a factor is multiplied; values of `all` are those
  /// of the element.
  mlir::Value productOfOthers(mlir::Value mine, const Combination &all);
  mlir::Value deriveAssignment();
  /// What `function` makes of what `term` makes of the terms of reductions in
  /// each other, inner ones first, under their conditions.
  mlir::Value reduceAgain(llvm::ArrayRef<ReduceOp> nest,
                          llvm::StringRef function,
                          llvm::function_ref<mlir::Value(mlir::Value)> term);
  mlir::Value widen(mlir::Value value) {
    return make.convert(value, getGradientType(value.getType()));
  }

  mlir::Value fail(mlir::Location location, const llvm::Twine &message) {
    if (!isFailed)
      mlir::emitError(location) << message;
    isFailed = true;
    return {};
  }

  /// Forgets what was built in a scope that ends.
  class Scope {
  public:
    explicit Scope(StatementGradient &owner)
        : owner(owner), guard(owner.builder), size(owner.built.size()) {}
    ~Scope() {
      while (owner.built.size() > size) {
        auto [map, key] = owner.built.pop_back_val();
        map->erase(key);
      }
    }

  private:
    StatementGradient &owner;
    mlir::OpBuilder::InsertionGuard guard;
    size_t size;
  };
  using Known = llvm::DenseMap<mlir::Value, mlir::Value>;
  void remember(Known &map, mlir::Value key, mlir::Value value) {
    if (map.insert({key, value}).second)
      built.push_back({&map, key});
  }

  mlir::OpBuilder &builder;
  ExpressionBuilder make;
  GradientArrays &arrays;
  FunctionDerivatives &functions;
  ForallOp statement;
  AssignOp assign;
  llvm::SmallVector<ForallOp> loops;
  mlir::Value seed;
  Combination combination;
  VariableUses uses;
  Variables scope;
  llvm::SmallVector<mlir::Value> conditions;
  /// Conditions that bound levels ask for.
  mlir::Value levelCondition;
  Known values, gradients;
  /// Which of the statement's variables new ones stand for.
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> origins;
  llvm::SmallVector<std::pair<Known *, mlir::Value>> built;
  bool isFailed = false;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENTGRADIENT_H
