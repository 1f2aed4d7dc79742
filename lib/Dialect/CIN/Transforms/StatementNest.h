//===- StatementNest.h - Where expressions of a nest are computed -*- C++ -*-=//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENTNEST_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENTNEST_H

#include "VariableUses.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// Builds loops out of a statement. Its expressions are built on demand, each
/// in the outermost scope where all that it depends on is there, though not
/// outside of a condition that guards it.
class StatementNest {
public:
  /// The nest takes the place of `statement`.
  StatementNest(mlir::OpBuilder &builder, ForallOp statement,
                VariableUses &uses);

  using Body = llvm::function_ref<void()>;

  /// A loop over the variable of the statement that is `binding`'s at
  /// `position`.
  void loop(mlir::Operation *binding, unsigned position, Body body);
  /// Loops over some variables of the statement, of which the order, as they
  /// are given, is a schedule: together where ranges allow that.
  void forall(llvm::ArrayRef<mlir::BlockArgument> variables, Body body);
  /// What stands in no loop.
  void once(Body body);
  /// What is built in `body` is under the condition, an expression of the
  /// statement; null is none.
  void guard(mlir::Value condition, Body body);
  void guardAll(llvm::ArrayRef<mlir::Value> conditions, Body body);
  /// The same under a condition that is built.
  void guardBuilt(mlir::Value holds, Body body);
  /// The same under the condition that the element of a workspace at
  /// `variables` is stored, or is not.
  void guardStored(mlir::Value workspace,
                   llvm::ArrayRef<mlir::BlockArgument> variables, bool isStored,
                   Body body);
  /// How a workspace knows what is stored in it.
  struct WorkspaceFormat {
    Level last;
    /// Null for missing.
    mlir::TypedAttr fill;
    bool storesFill = true;
  };
  /// A workspace with an element for each value of some variables; `produce` is
  /// built before `consume`. Without a format, it has all of its elements.
  void where(mlir::Type element, llvm::ArrayRef<mlir::BlockArgument> variables,
             std::optional<WorkspaceFormat> format,
             llvm::function_ref<void(mlir::Value)> produce,
             llvm::function_ref<void(mlir::Value)> consume);
  /// The same workspace as that of `given`, an operation of the statement.
  void where(WhereOp given, Body produce, Body consume);

  /// The value of an expression of the statement.
  mlir::Value get(mlir::Value value);
  /// From here on `value` is what the array has at indices of the statement.
  void replace(mlir::Value value, mlir::Value array, mlir::ValueRange indices);
  /// From here on it is computed again: the array is not there any more.
  void restore(mlir::Value value) { replacements.erase(value); }
  /// The variables of a reduction that are bound together, by position, outer
  /// ones first.
  using Steps = llvm::SmallVector<llvm::SmallVector<unsigned>>;
  static llvm::SmallVector<mlir::BlockArgument>
  getVariables(ReduceOp reduce, const Steps &steps);
  /// How a reduction that is a value binds its variables; all together if
  /// nothing is said.
  void setSteps(ReduceOp reduce, Steps steps) {
    reductionSteps[reduce] = std::move(steps);
  }
  /// The value of a reduction over the variables of some steps, in the
  /// innermost scope, where the others are bound; without steps, of its term.
  mlir::Value getInner(ReduceOp reduce, const Steps &steps);
  /// Whether such a reduction, over some steps, combines anything.
  mlir::Value getExistence(ReduceOp reduce, const Steps &steps);
  /// Whether an element is stored, in the innermost scope.
  mlir::Value getExistence(AccessOp access);

  /// An assignment in the innermost scope, at indices of the statement, and
  /// under a condition of it; null is none. `first` is of the nest.
  void assign(mlir::Attribute callee, mlir::Value value, mlir::Value array,
              mlir::ValueRange indices, mlir::TypedAttr fill = {},
              mlir::Value condition = {}, mlir::Value first = {});
  mlir::Value literal(mlir::TypedAttr value);
  /// Whether all variables of a reduction, which are bound outside of the
  /// innermost scope, have the first of their values.
  mlir::Value isFirst(ReduceOp reduce);

private:
  struct Scope {
    mlir::OpBuilder::InsertPoint end;
    /// Built, or bound here: what values of the statement are.
    llvm::DenseMap<mlir::Value, mlir::Value> values;
  };
  struct Replacement {
    mlir::Value array;
    llvm::SmallVector<mlir::Value> indices;
  };

  /// Expressions that are first needed in `body` are computed in the innermost
  /// scope, and not outside of it: what consumers alone need, when they do.
  void fromHere(Body body);
  /// Builds in a scope inside of the innermost one.
  void inside(mlir::Operation *op, mlir::Block &block, Body body);
  void forall(llvm::ArrayRef<mlir::BlockArgument> variables,
              ScheduleAttr schedule, Body body);
  /// The outermost scope in which `value` can be built.
  size_t depthOf(mlir::Value value);
  mlir::Value find(mlir::Value value) const;
  /// The outermost scope in which all variables are bound that `value` depends
  /// on, from `depth` on.
  size_t reach(mlir::Value value, size_t depth);
  mlir::Value build(mlir::Value value);
  /// What of a reduction is built: what it is, or whether it is anything.
  enum class Part : uint8_t { value, existence };
  mlir::Value buildReduction(ReduceOp reduce, const Steps &steps, size_t depth,
                             Part part);
  /// Under some of its conditions, each outside of as many steps as it can be:
  /// it may exclude what they walk.
  mlir::Value buildReduction(ReduceOp reduce, const Steps &steps,
                             llvm::SmallVector<mlir::Value> conditions,
                             size_t depth, Part part);
  mlir::Value getTerm(ReduceOp reduce, Part part);
  mlir::Value allHold(llvm::ArrayRef<mlir::Value> conditions);
  /// How `reduce` binds its variables where it is a value.
  Steps getSteps(ReduceOp reduce) const;
  llvm::SmallVector<mlir::Value> getAll(mlir::ValueRange values);
  mlir::ImplicitLocOpBuilder at(size_t depth);

  mlir::OpBuilder &builder;
  mlir::Location location;
  EvaluateOp evaluate;
  VariableUses &uses;
  llvm::SmallVector<Scope> scopes;
  /// No expression is built outside of this scope: the innermost that is under
  /// a condition, or that consumes.
  size_t floor = 0;
  llvm::DenseMap<mlir::Value, Replacement> replacements;
  llvm::DenseMap<mlir::Operation *, Steps> reductionSteps;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENTNEST_H
