//===- Concretize.cpp - Loops, their order, and where reductions add up ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AbstractValues.h"
#include "LoopOrder.h"
#include "Statement.h"
#include "StatementNest.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace ember::cin {
#define GEN_PASS_DEF_CONCRETIZE
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

namespace {
/// Makes one statement concrete.
class StatementConcretizer {
public:
  StatementConcretizer(OpBuilder &builder, ArrayRef<ForallOp> around,
                       AssignOp assign)
      : statement(around.front()), assign(assign), order(statement, uses),
        nest(builder, statement, uses) {
    for (ForallOp forall : around)
      llvm::append_range(variables, forall.getVariables());
  }

  /// Builds the nest in front of the statement; an error if there is none.
  LogicalResult run();

private:
  using Steps = StatementNest::Steps;

  /// Chooses the variables of rows, if there are any, and the order of loops.
  void chooseOrder();
  /// An error if what is assigned to is not appended to in the order of its
  /// levels.
  LogicalResult checkAppends();
  /// Whether an index is a variable of rows wherever it is an index: the last
  /// one, and in no bounds of a reduction.
  bool isOfRows(BlockArgument variable);
  bool dependsOnRows(Value value) {
    return llvm::any_of(
        rows, [&](BlockArgument row) { return uses.depends(value, row); });
  }
  /// Variables of a reduction that are bound outside of rows.
  SmallVector<unsigned> getOuter(ReduceOp reduce);
  /// Those that are bound inside, in the order of formats.
  Steps getInner(ReduceOp reduce);
  Steps makeSteps(ReduceOp reduce, ArrayRef<unsigned> positions);
  /// Reductions that `value` is made of, outer ones alone, whose terms are
  /// elements of rows.
  SmallVector<ReduceOp> findRowReductions(ValueRange values);

  /// What all elements have where no array in a format stores anything, if the
  /// statement may walk what these store alone; null otherwise.
  TypedAttr findInitial();
  void assignInitial(TypedAttr initial);

  /// A nest over `loops` with what `body` builds.
  void buildNest(ArrayRef<BlockArgument> loops,
                 llvm::function_ref<void()> body);
  void loops(ArrayRef<BlockArgument> left, llvm::function_ref<void()> body);
  void loop(BlockArgument variable, llvm::function_ref<void()> body) {
    nest.loop(variable.getOwner()->getParentOp(), variable.getArgNumber(),
              body);
  }
  void store();
  /// Adds up in the array that is assigned to.
  void storeRows(ReduceOp reduce);
  /// Adds up `reductions` from `number` on in workspaces, which `consume` uses.
  void useWorkspaces(ArrayRef<ReduceOp> reductions,
                     llvm::function_ref<void()> consume);
  /// Loops over what is reduced around a loop over rows.
  void reduceRows(ReduceOp reduce, Value array, ValueRange indices);
  /// Whether a sum can be added up in the array that is assigned to.
  bool isDirect(ReduceOp reduce);
  /// Whether each term is added to the element, as where the terms of one are
  /// found is known of no part of an array.
  bool addsUp();
  /// A loop over rows with what `body` makes of `values`, under a condition,
  /// null for none.
  void guardRows(Value condition, ValueRange values,
                 llvm::function_ref<void()> body);
  void identity(ReduceOp reduce, Value array, ValueRange indices);
  /// What its reduction begins with; null if its function has no identity.
  TypedAttr getIdentity(ReduceOp reduce) {
    return reduce.getFunction().getIdentity(reduce.getType());
  }

  ForallOp statement;
  AssignOp assign;
  SmallVector<BlockArgument> variables;
  VariableUses uses;
  LoopOrder order;
  StatementNest nest;
  SmallVector<BlockArgument> outer, rows;
  /// What elements have before; null if that is not known.
  TypedAttr initial;
};
} // namespace

/// Whether a variable of a statement has a range.
static bool hasRange(BlockArgument variable) {
  auto binding = cast<ForallOp>(variable.getOwner()->getParentOp());
  return binding.getRanged()[variable.getArgNumber()];
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool StatementConcretizer::isOfRows(BlockArgument variable) {
  for (OpOperand &use : variable.getUses()) {
    Operation *user = use.getOwner();
    if (!isa<AccessOp, AssignOp>(user))
      return false;
    OperandRange indices = isa<AccessOp>(user)
                               ? cast<AccessOp>(user).getIndices()
                               : cast<AssignOp>(user).getIndices();
    if (use.getOperandNumber() + 1 !=
        indices.getBeginOperandIndex() + indices.size())
      return false;
  }
  return !hasRange(variable);
}

SmallVector<unsigned> StatementConcretizer::getOuter(ReduceOp reduce) {
  SmallVector<BlockArgument> found;
  for (BlockArgument variable : reduce.getVariables())
    if (llvm::none_of(rows, [&](BlockArgument row) {
          return order.precedes(row, variable);
        }))
      found.push_back(variable);
  return llvm::map_to_vector(order.sort(found), [](BlockArgument variable) {
    return variable.getArgNumber();
  });
}

StatementNest::Steps
StatementConcretizer::makeSteps(ReduceOp reduce, ArrayRef<unsigned> positions) {
  if (positions.empty())
    return {};
  // Loops over dense arrays stay one reduction, of which the order is open.
  bool isWalked = llvm::any_of(positions, [&](unsigned position) {
    return order.walks(reduce.getVariables()[position]);
  });
  if (!isWalked)
    return {llvm::to_vector(positions)};
  SmallVector<BlockArgument> mine =
      llvm::map_to_vector(positions, [&](unsigned position) {
        return reduce.getVariables()[position];
      });
  Steps steps;
  for (BlockArgument variable : order.sort(mine))
    steps.push_back({variable.getArgNumber()});
  return steps;
}

StatementNest::Steps StatementConcretizer::getInner(ReduceOp reduce) {
  SmallVector<unsigned> outside = getOuter(reduce), inside;
  for (BlockArgument variable : reduce.getVariables())
    if (!llvm::is_contained(outside, variable.getArgNumber()))
      inside.push_back(variable.getArgNumber());
  return makeSteps(reduce, inside);
}

SmallVector<ReduceOp>
StatementConcretizer::findRowReductions(ValueRange values) {
  SmallVector<ReduceOp> found;
  if (rows.empty())
    return found;
  SmallVector<Value> open(values);
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || !dependsOnRows(value))
      continue;
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isOuter = reduce && !getOuter(reduce).empty() &&
                   llvm::none_of(op->getOperands(), [&](Value bound) {
                     return dependsOnRows(bound);
                   });
    if (isOuter)
      found.push_back(reduce);
    else if (!reduce)
      llvm::append_range(open, op->getOperands());
  }
  return found;
}

void StatementConcretizer::chooseOrder() {
  statement.walk([&](ReduceOp reduce) {
    auto all =
        llvm::to_vector(llvm::seq<unsigned>(0, reduce.getVariables().size()));
    nest.setSteps(reduce, makeSteps(reduce, all));
  });
  // What is appended to decides where formats contradict each other.
  if (auto type = dyn_cast<ArrayType>(assign.getArray().getType())) {
    llvm::SetVector<BlockArgument> all;
    for (Value index : getCoordinates(type, assign.getIndices()))
      all.insert(cast<BlockArgument>(index));
    all.insert(variables.begin(), variables.end());
    variables = all.takeVector();
  }
  // Where a format has what is reduced outside.
  SmallVector<BlockArgument> reduced;
  statement.walk([&](ReduceOp reduce) {
    if (!reduce->getParentOfType<ReduceOp>())
      llvm::append_range(reduced, reduce.getVariables());
  });
  for (BlockArgument variable : variables)
    if (llvm::any_of(reduced, [&](BlockArgument other) {
          return order.precedes(other, variable);
        }))
      rows.push_back(variable);
  // A variable that walks an array has fewer values than a row.
  bool hasRow = !variables.empty() && isOfRows(variables.back()) &&
                !order.walks(variables.back());
  if (hasRow && !llvm::is_contained(rows, variables.back()))
    rows.push_back(variables.back());
  SmallVector<ReduceOp> found = findRowReductions(assign->getOperands());
  bool canBegin = llvm::all_of(
      found, [&](ReduceOp reduce) { return !!getIdentity(reduce); });
  // Elements of rows begin with the identity.
  if (found.empty() || !canBegin)
    rows.clear();
  for (BlockArgument variable : variables)
    if (!llvm::is_contained(rows, variable))
      outer.push_back(variable);
  outer = order.sort(outer);
  rows = order.sort(rows);
}

//===----------------------------------------------------------------------===//
// What is not walked
//===----------------------------------------------------------------------===//

TypedAttr StatementConcretizer::findInitial() {
  Value array = assign.getArray();
  bool walks = llvm::any_of(
      variables, [&](BlockArgument variable) { return order.walks(variable); });
  if (!walks || assign.isCombining() || isa<ArrayType>(array.getType()))
    return nullptr;
  // It is assigned before the statement looks.
  SmallVector<Fiber> absent;
  bool isRead = false;
  statement.walk([&](AccessOp access) {
    isRead |= access.getArray() == array;
    if (isa<ArrayType>(access.getArray().getType()))
      absent.push_back({access.getArray(), {}});
  });
  AbstractValue value = AbstractValues({}, absent).of(assign.getValue());
  bool isKnown = value.kind == AbstractValue::Kind::constant;
  return isKnown && !isRead ? value.value : nullptr;
}

void StatementConcretizer::assignInitial(TypedAttr value) {
  SmallVector<BlockArgument> all =
      llvm::to_vector(llvm::concat<BlockArgument>(outer, rows));
  buildNest(all, [&] {
    nest.guard(assign.getCondition(), [&] {
      nest.assign(nullptr, nest.literal(value), assign.getArray(),
                  assign.getIndices());
    });
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void StatementConcretizer::loops(ArrayRef<BlockArgument> left,
                                 llvm::function_ref<void()> body) {
  if (left.empty())
    body();
  else
    loop(left.front(), [&] { loops(left.drop_front(), body); });
}

bool StatementConcretizer::isDirect(ReduceOp reduce) {
  Value array = assign.getArray();
  if (assign.getValue() != reduce || isa<ArrayType>(array.getType()) ||
      (assign.isCombining() && assign.getCalleeAttr() != reduce.getCallee()))
    return false;
  // Nothing else may see what is not yet the sum.
  return llvm::none_of(array.getUsers(), [&](Operation *user) {
    return isa<AccessOp>(user) && statement->isProperAncestor(user);
  });
}

bool StatementConcretizer::addsUp() {
  auto reduce = assign.getValue().getDefiningOp<ReduceOp>();
  bool repeats = llvm::any_of(
      outer, [&](BlockArgument variable) { return order.repeats(variable); });
  if (!reduce || !isDirect(reduce))
    return false;
  // Of no terms, nothing changes, and no value to begin with is needed.
  if (!getIdentity(reduce))
    return assign.isCombining();
  return repeats && (initial || assign.isCombining());
}

void StatementConcretizer::identity(ReduceOp reduce, Value array,
                                    ValueRange indices) {
  loops(rows, [&] {
    nest.assign(nullptr, nest.literal(getIdentity(reduce)), array, indices);
  });
}

void StatementConcretizer::reduceRows(ReduceOp reduce, Value array,
                                      ValueRange indices) {
  YieldOp yield = reduce.getYield();
  SmallVector<unsigned> around = getOuter(reduce);
  Steps inner = getInner(reduce);
  // The condition is about a term, which inner loops have.
  Value condition = inner.empty() ? yield.getCondition() : Value();
  SmallVector<Value> needed = {yield.getValue()};
  if (condition)
    needed.push_back(condition);
  auto add = [&] {
    guardRows(condition, needed, [&] {
      nest.assign(reduce.getCallee(), nest.getInner(reduce, inner), array,
                  indices);
    });
  };
  auto addAll = [&](auto &self, ArrayRef<unsigned> left) -> void {
    if (left.empty())
      add();
    else
      nest.loop(reduce, left.front(), [&] { self(self, left.drop_front()); });
  };
  addAll(addAll, around);
}

void StatementConcretizer::useWorkspaces(ArrayRef<ReduceOp> reductions,
                                         llvm::function_ref<void()> consume) {
  if (reductions.empty()) {
    consume();
    return;
  }
  ReduceOp reduce = reductions.front();
  auto indices = llvm::to_vector_of<Value>(rows);
  // What is appended to is walked by what was added alone.
  bool isSparse = isa<ArrayType>(assign.getArray().getType());
  TypedAttr fill = isSparse ? getIdentity(reduce) : nullptr;
  nest.where(
      reduce.getType(), rows, fill,
      [&](Value workspace) {
        if (!isSparse)
          identity(reduce, workspace, indices);
        reduceRows(reduce, workspace, indices);
      },
      [&](Value workspace) {
        nest.replace(reduce, workspace, rows);
        useWorkspaces(reductions.drop_front(), consume);
      });
}

void StatementConcretizer::storeRows(ReduceOp reduce) {
  Value array = assign.getArray();
  if (!assign.isCombining() && !initial)
    identity(reduce, array, assign.getIndices());
  reduceRows(reduce, array, assign.getIndices());
}

void StatementConcretizer::guardRows(Value condition, ValueRange values,
                                     llvm::function_ref<void()> body) {
  bool isOfRow = condition && dependsOnRows(condition);
  nest.guard(isOfRow ? Value() : condition, [&] {
    useWorkspaces(findRowReductions(values), [&] {
      loops(rows, [&] { nest.guard(isOfRow ? condition : Value(), body); });
    });
  });
}

void StatementConcretizer::store() {
  Value condition = assign.getCondition();
  auto assignElement = [&] {
    nest.assign(assign.getCalleeAttr(), nest.get(assign.getValue()),
                assign.getArray(), assign.getIndices(), initial);
  };
  if (rows.empty()) {
    nest.guard(condition, [&] {
      if (addsUp())
        storeRows(assign.getValue().getDefiningOp<ReduceOp>());
      else
        assignElement();
    });
    return;
  }
  SmallVector<ReduceOp> reductions = findRowReductions(assign->getOperands());
  bool isOfRow = condition && dependsOnRows(condition);
  if (!isOfRow && reductions.size() == 1 && isDirect(reductions.front()))
    nest.guard(condition, [&] { storeRows(reductions.front()); });
  else
    guardRows(condition, assign->getOperands(), assignElement);
}

void StatementConcretizer::buildNest(ArrayRef<BlockArgument> around,
                                     llvm::function_ref<void()> body) {
  // Bounds of the outermost loop stand in the statement, too.
  bool isRanged = !around.empty() && hasRange(around.front());
  if (isRanged)
    nest.once([&] { loops(around, body); });
  else if (around.empty())
    nest.once(body);
  else
    loops(around, body);
}

LogicalResult StatementConcretizer::checkAppends() {
  auto type = dyn_cast<ArrayType>(assign.getArray().getType());
  if (!type)
    return success();
  SmallVector<Value> coordinates = getCoordinates(type, assign.getIndices());
  auto all = llvm::concat<BlockArgument>(outer, rows);
  if (llvm::equal(coordinates, all))
    return success();
  return assign.emitError()
         << "appends to an array in another order than that of its levels: "
            "ranges and formats want other loops outside; assign to an array "
            "in "
            "another format";
}

LogicalResult StatementConcretizer::run() {
  chooseOrder();
  if (failed(checkAppends()))
    return failure();
  initial = findInitial();
  if (initial)
    assignInitial(initial);
  buildNest(outer, [&] { store(); });
  return success();
}

namespace {
struct Concretize : public ember::cin::impl::ConcretizeBase<Concretize> {
  void runOnOperation() override {
    SmallVector<ForallOp> statements;
    WalkResult walk = getOperation()->walk([&](EvaluateOp evaluate) {
      llvm::append_range(statements, evaluate.getRegion().getOps<ForallOp>());
      for (auto temporary : evaluate.getRegion().getOps<TemporaryOp>())
        if (!temporary.getInitial() && failed(verifyAssigned(temporary)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    OpBuilder builder(&getContext());
    for (ForallOp statement : statements) {
      SmallVector<ForallOp> loops;
      AssignOp assign = getAssignment(statement, loops);
      if (!assign)
        continue;
      if (failed(verifyOwnReads(statement)))
        return signalPassFailure();
      if (failed(StatementConcretizer(builder, loops, assign).run()))
        return signalPassFailure();
      statement->erase();
    }
  }
};
} // namespace
