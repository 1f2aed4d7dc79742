//===- InsertWorkspaces.cpp - Where partial results are kept --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConditionOrder.h"
#include "LoopOrder.h"
#include "RowLookups.h"
#include "RowMask.h"
#include "RowReductions.h"
#include "ember/Dialect/CIN/IR/Reuse.h"
#include "ember/Dialect/CIN/Transforms/AbstractValues.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace ember::cin {
#define GEN_PASS_DEF_INSERTWORKSPACES
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

namespace {
/// Rewrites one statement.
class WorkspaceInserter {
public:
  WorkspaceInserter(OpBuilder &builder, ArrayRef<BlockArgument> variables,
                    ForallOp statement, AssignOp assign)
      : statement(statement), assign(assign), formats(statement, uses),
        nest(builder, statement, uses),
        sums(statement, order.sort(variables), order, uses),
        outer(sums.outer()), rows(sums.rows()) {
    llvm::copy_if(rows, std::back_inserter(places), [](BlockArgument row) {
      return !getIndexedDimensions(row).empty();
    });
  }

  /// Builds what takes the place of the statement in front of it; false if it
  /// can stay as it is.
  bool run();

private:
  bool dependsOnRows(Value value) { return sums.dependsOnRows(value); }

  /// What all elements have where no array in a format stores anything, if the
  /// statement may walk what these store alone; null otherwise.
  TypedAttr findInitial();
  void assignInitial();
  /// A statement of which loops over `variables` are the outermost: their
  /// bounds, and those of `conditions` that are outside of them, stand in it.
  void statementOver(ArrayRef<BlockArgument> variables,
                     SmallVector<Value> conditions,
                     llvm::function_ref<void()> build);
  /// Under a condition, if it is not null.
  void store(Value condition);
  /// The conjuncts of a condition ahead of the first that a sum of rows is in:
  /// later ones may rely on it.
  SmallVector<Value> getKnownBeforeSums(Value condition);
  /// Under a condition, if it is not null.
  void assignElement(Value condition = {});
  /// Elements in formats that the schedule wants in workspaces, in which the
  /// innermost loop looks them up.
  SmallVector<AccessOp> findLookedUp();
  /// Puts them there, each in as few of `loops` as it can be, and stores what
  /// all of these make of it, where the conditions around and inside hold.
  void lookUp(ArrayRef<AccessOp> accesses, ArrayRef<BlockArgument> loops,
              SmallVector<Value> around, Value inside);
  /// Puts one row in a workspace, which replaces the access in `consume`.
  void keepRow(AccessOp access, llvm::function_ref<void()> consume);
  /// Adds up in the array that is assigned to.
  void storeRows(ReduceOp reduce);
  /// Adds up `reductions` in workspaces, which `consume` uses.
  void useWorkspaces(ArrayRef<ReduceOp> reductions,
                     llvm::function_ref<void()> consume);
  /// How the workspace of a sum of rows knows what is in it; none if it has all
  /// elements.
  std::optional<StatementNest::WorkspaceFormat>
  chooseWorkspace(ReduceOp reduce);
  /// Marks what the statement needs of rows that `reductions` add up, if that
  /// is less than all, before `body` adds them up.
  void useMask(ArrayRef<ReduceOp> reductions, llvm::function_ref<void()> body);
  /// Adds a term, under a condition of the statement, to an element.
  void addTerm(ReduceOp reduce, Value array, ValueRange indices,
               Value condition);
  /// Loops in that order, each condition outside of as many as it can be: it
  /// may exclude what they walk.
  void loopsUnder(ArrayRef<BlockArgument> order, SmallVector<Value> conditions,
                  llvm::function_ref<void()> body);
  /// The outer `count` of them; `body` has the other ones, and is told which
  /// conditions are left for these.
  void loopsUnder(ArrayRef<BlockArgument> order, size_t count,
                  SmallVector<Value> conditions,
                  llvm::function_ref<void(SmallVector<Value>)> body);
  /// Loops over what is reduced, and over rows.
  void reduceRows(ReduceOp reduce, Value array, ValueRange indices);
  /// Whether a reduction can be kept in the array that is assigned to.
  bool isDirect(ReduceOp reduce);
  /// Whether each term is added to the element, as where the terms of one are
  /// found is known of no part of an array.
  bool addsUp();
  void identity(ReduceOp reduce, Value array, ValueRange indices);

  ForallOp statement;
  AssignOp assign;
  VariableUses uses;
  ScheduledOrder order{statement};
  LoopOrder formats;
  StatementNest nest;
  RowReductions sums;
  ArrayRef<BlockArgument> outer, rows;
  /// Those of the rows that a workspace has a dimension for: a loop over tiles
  /// is none of an index.
  SmallVector<BlockArgument> places;
  /// Conditions of the statement, which depend on rows, under which what sums
  /// read is there.
  SmallVector<Value> ofRows;
  /// What elements have before; null if that is not known.
  TypedAttr initial;
  /// A workspace that says which elements of rows are needed: those that it
  /// stores, or the others; null if all are.
  Value mask;
  bool isMaskNeeded = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is not walked
//===----------------------------------------------------------------------===//

/// Whether elements of an array may be assigned to again and again: not of one
/// that is appended to, or stored without gaps.
static bool isElementwise(Value array) {
  return !isa<ArrayType>(array.getType()) && !array.getDefiningOp<CompactOp>();
}

TypedAttr WorkspaceInserter::findInitial() {
  Value array = assign.getArray();
  auto walks = [&](BlockArgument variable) { return formats.walks(variable); };
  bool isWalked = llvm::any_of(outer, walks) || llvm::any_of(rows, walks);
  if (!isWalked || assign.isCombining() || !isElementwise(array))
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

void WorkspaceInserter::assignInitial() {
  SmallVector<BlockArgument> scheduled =
      llvm::to_vector(llvm::concat<const BlockArgument>(outer, rows));
  // Neighbours one after the other, whatever order the statement walks in.
  llvm::SetVector<BlockArgument> all;
  if (llvm::none_of(scheduled, hasRange))
    for (Value index : assign.getIndices())
      for (BlockArgument variable : scheduled)
        if (uses.depends(index, variable))
          all.insert(variable);
  all.insert_range(scheduled);
  statementOver(all.getArrayRef(), /*conditions=*/{}, [&] {
    nest.forall(all.getArrayRef(), [&] {
      nest.assign(nullptr, nest.literal(initial), assign.getArray(),
                  assign.getIndices(), /*fill=*/{}, assign.getCondition());
    });
  });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

bool WorkspaceInserter::isDirect(ReduceOp reduce) {
  // A dense result does not say whether anything was added to an element.
  Value array = assign.getArray();
  if (!isElementwise(array) || isAskedFor(reduce) ||
      getElementTypeOrSelf(array.getType()) != reduce.getType())
    return false;
  if (assign.isCombining() &&
      (assign.getValue() != reduce || reduce.getOtherwise() ||
       assign.getCalleeAttr() != reduce.getCallee()))
    return false;
  // A schedule may want a workspace all the same.
  if (ScheduleAttr schedule = statement.getScheduleAttr())
    for (RelationAttr relation : schedule.getRelations())
      if (relation.getKind() == RelationKind::precompute &&
          (describeExpression(reduce.getResult()) ==
               relation.getExpression().getValue() ||
           describeExpression(reduce.getYield().getValue()) ==
               relation.getExpression().getValue()))
        return false;
  // Nothing else may see what is not yet the sum.
  return llvm::none_of(array.getUsers(), [&](Operation *user) {
    return isa<AccessOp>(user) && statement->isProperAncestor(user);
  });
}

bool WorkspaceInserter::addsUp() {
  auto reduce = assign.getValue().getDefiningOp<ReduceOp>();
  bool repeats = llvm::any_of(
      outer, [&](BlockArgument variable) { return formats.repeats(variable); });
  if (!reduce || reduce.getOtherwise() || !isDirect(reduce))
    return false;
  // Of no terms, nothing changes, and no value to begin with is needed.
  if (!reduce.getValueOfNothing())
    return assign.isCombining();
  return repeats && (initial || assign.isCombining());
}

void WorkspaceInserter::identity(ReduceOp reduce, Value array,
                                 ValueRange indices) {
  nest.forall(rows, [&] {
    nest.assign(nullptr, nest.literal(reduce.getValueOfNothing()), array,
                indices);
  });
}

void WorkspaceInserter::addTerm(ReduceOp reduce, Value array,
                                ValueRange indices, Value condition) {
  StatementNest::Steps inner = sums.getInner(reduce);
  auto assignTerm = [&] {
    Value first = reduce.getOtherwise() ? nest.isFirst(reduce) : Value();
    nest.assign(reduce.getCallee(), nest.getInner(reduce, inner), array,
                indices, /*fill=*/{}, condition, first);
  };
  auto assignNeeded = [&] {
    if (inner.empty() || !isAskedFor(reduce))
      assignTerm();
    else
      nest.guardBuilt(nest.getExistence(reduce, inner), assignTerm);
  };
  if (mask)
    nest.guardStored(mask, rows, isMaskNeeded, assignNeeded);
  else
    assignNeeded();
}

void WorkspaceInserter::loopsUnder(ArrayRef<BlockArgument> order,
                                   SmallVector<Value> conditions,
                                   llvm::function_ref<void()> body) {
  loopsUnder(order, order.size(), std::move(conditions),
             [&](const SmallVector<Value> &) { body(); });
}

void WorkspaceInserter::loopsUnder(
    ArrayRef<BlockArgument> order, size_t count, SmallVector<Value> conditions,
    llvm::function_ref<void(SmallVector<Value>)> body) {
  SmallVector<Value> outside = takeOutside(conditions, order, uses);
  nest.guardAll(outside, [&] {
    if (count == 0) {
      body(conditions);
      return;
    }
    // Loops that no condition stands between are together.
    size_t next = 1;
    for (; next < count; ++next) {
      SmallVector<Value> left = conditions;
      if (!takeOutside(left, order.drop_front(next), uses).empty())
        break;
    }
    nest.forall(order.take_front(next), [&] {
      loopsUnder(order.drop_front(next), count - next, conditions, body);
    });
  });
}

void WorkspaceInserter::reduceRows(ReduceOp reduce, Value array,
                                   ValueRange indices) {
  YieldOp yield = reduce.getYield();
  StatementNest::Steps inner = sums.getInner(reduce);
  // The condition is about a term, which inner loops have.
  Value condition = inner.empty() ? yield.getCondition() : Value();
  SmallVector<Value> needed = {yield.getValue()};
  if (condition)
    needed.push_back(condition);
  SmallVector<BlockArgument> around = sums.getOuter(reduce);
  SmallVector<ReduceOp> nested = sums.find(needed);
  // Conditions that exclude what inner loops walk, or what is looked up.
  SmallVector<Value> guards = getConjuncts(yield.getCondition());
  if (!inner.empty())
    guards =
        takeOutside(guards, StatementNest::getVariables(reduce, inner), uses);
  else if (!nested.empty() || !mayFail(yield.getValue()))
    guards.clear();
  else
    condition = nullptr;
  if (llvm::any_of(needed, mayFail))
    guards.insert(guards.begin(), ofRows.begin(), ofRows.end());
  if (nested.empty()) {
    llvm::append_range(around, rows);
    loopsUnder(order.sort(around), guards,
               [&] { addTerm(reduce, array, indices, condition); });
    return;
  }
  bool isOfRow = condition && dependsOnRows(condition);
  SmallVector<BlockArgument> all = around;
  llvm::append_range(all, rows);
  SmallVector<Value> outside = takeOutside(guards, all, uses);
  loopsUnder(around, outside, [&] {
    nest.guard(isOfRow ? Value() : condition, [&] {
      useWorkspaces(nested, [&] {
        loopsUnder(rows, guards, [&] {
          addTerm(reduce, array, indices, isOfRow ? condition : Value());
        });
      });
    });
  });
}

std::optional<StatementNest::WorkspaceFormat>
WorkspaceInserter::chooseWorkspace(ReduceOp reduce) {
  auto type = dyn_cast<ArrayType>(assign.getArray().getType());
  if (!type && !isAskedFor(reduce))
    return std::nullopt;
  if (!type)
    return StatementNest::WorkspaceFormat{Level{LevelKind::bitmap},
                                          TypedAttr()};
  // What is appended to is walked by what was added alone.
  StatementNest::WorkspaceFormat format;
  format.last.kind = LevelKind::compressed;
  format.fill = isAskedFor(reduce) ? TypedAttr() : reduce.getValueOfNothing();
  // Where marks lead, elements are looked up; alone, they need no order.
  SmallVector<ReduceOp> all = sums.find(assign->getOperands());
  bool isAlone = all.size() == 1 && all.front() == reduce && rows.size() == 1 &&
                 findWalkedBeside(assign, rows.front(), all, uses).empty();
  if (mask && isMaskNeeded)
    format.last.kind = LevelKind::bitmap;
  else if (isAlone)
    format.last.isOrdered = type.getFormat().getLevels().back().isOrdered;
  return format;
}

void WorkspaceInserter::useMask(ArrayRef<ReduceOp> reductions,
                                llvm::function_ref<void()> body) {
  std::optional<RowMask> needed;
  if (isa<ArrayType>(assign.getArray().getType()) && rows.size() == 1)
    needed = findRowMask(assign, rows.front(), reductions, uses);
  if (!needed) {
    body();
    return;
  }
  TypedAttr yes = Builder(assign.getContext()).getBoolAttr(true);
  nest.where(
      yes.getType(), rows,
      StatementNest::WorkspaceFormat{Level{LevelKind::bitmap}, TypedAttr()},
      [&](Value workspace) {
        nest.forall(rows, [&] {
          nest.assign(nullptr, nest.literal(yes), workspace,
                      llvm::to_vector_of<Value>(rows), /*fill=*/{},
                      needed->marked);
        });
      },
      [&](Value workspace) {
        mask = workspace;
        isMaskNeeded = needed->isLookedAt;
        body();
        mask = nullptr;
      });
}

void WorkspaceInserter::useWorkspaces(ArrayRef<ReduceOp> reductions,
                                      llvm::function_ref<void()> consume) {
  if (reductions.empty()) {
    consume();
    return;
  }
  ReduceOp reduce = reductions.front();
  auto indices = llvm::to_vector_of<Value>(places);
  std::optional<StatementNest::WorkspaceFormat> format =
      chooseWorkspace(reduce);
  nest.where(
      reduce.getType(), places, format,
      [&](Value workspace) {
        if (!format)
          identity(reduce, workspace, indices);
        reduceRows(reduce, workspace, indices);
      },
      [&](Value workspace) {
        nest.replace(reduce, workspace, indices);
        useWorkspaces(reductions.drop_front(), consume);
        nest.restore(reduce);
      });
}

void WorkspaceInserter::storeRows(ReduceOp reduce) {
  Value array = assign.getArray();
  // What elements hold before is what the statement makes of no terms, which is
  // what the reduction begins with only if that is all of it.
  bool isAll = assign.getValue() == reduce;
  if (!assign.isCombining() && !(initial && isAll))
    identity(reduce, array, assign.getIndices());
  reduceRows(reduce, array, assign.getIndices());
  if (isAll)
    return;
  // What becomes of them stands where they stood.
  nest.replace(reduce, array, assign.getIndices());
  nest.forall(rows, [&] {
    nest.assign(nullptr, nest.get(assign.getValue()), array,
                assign.getIndices());
  });
}

//===----------------------------------------------------------------------===//
// Elements that are looked up
//===----------------------------------------------------------------------===//

static Value getLastCoordinate(AccessOp access) {
  auto type = cast<ArrayType>(access.getArray().getType());
  return getCoordinates(type, access.getIndices()).back();
}

SmallVector<AccessOp> WorkspaceInserter::findLookedUp() {
  SmallVector<AccessOp> found;
  ScheduleAttr schedule = statement.getScheduleAttr();
  if (!schedule || !rows.empty() || outer.empty())
    return found;
  statement.walk([&](AccessOp access) {
    if (!isa<ArrayType>(access.getArray().getType()))
      return;
    std::string text = describeExpression(access.getResult());
    bool isWanted =
        llvm::any_of(schedule.getRelations(), [&](RelationAttr relation) {
          return relation.getKind() == RelationKind::precompute &&
                 relation.getExpression().getValue() == text;
        });
    auto innermost = dyn_cast<BlockArgument>(getLastCoordinate(access));
    bool isLoop =
        innermost && isa<ForallOp>(innermost.getOwner()->getParentOp());
    if (isWanted && innermost && canLookUp(access, innermost) &&
        (!isLoop || innermost == outer.back()))
      found.push_back(access);
  });
  // Outside of loops that they do not depend on.
  SmallVector<AccessOp> sorted;
  for (size_t depth = 0; depth <= outer.size(); ++depth)
    llvm::copy_if(found, std::back_inserter(sorted), [&](AccessOp access) {
      return countLoopsOf(access, outer) == depth;
    });
  return sorted;
}

void WorkspaceInserter::lookUp(ArrayRef<AccessOp> accesses,
                               ArrayRef<BlockArgument> loops,
                               SmallVector<Value> around, Value inside) {
  if (accesses.empty()) {
    loopsUnder(loops, std::move(around), [&] { store(inside); });
    return;
  }
  AccessOp access = accesses.front();
  size_t count = countLoopsOf(access, loops);
  loopsUnder(loops, count, std::move(around), [&](const auto &left) {
    keepRow(access, [&] {
      lookUp(accesses.drop_front(), loops.drop_front(count), left, inside);
    });
  });
}

void WorkspaceInserter::keepRow(AccessOp access,
                                llvm::function_ref<void()> consume) {
  FormatAttr format = cast<ArrayType>(access.getArray().getType()).getFormat();
  auto variable = cast<BlockArgument>(getLastCoordinate(access));
  SmallVector<Value> indices = {variable};
  nest.where(
      access.getType(), variable,
      StatementNest::WorkspaceFormat{Level{LevelKind::bitmap}, format.getFill(),
                                     format.getStoresFill()},
      [&](Value workspace) {
        nest.forall(variable, [&] {
          auto assign = [&] {
            nest.assign(nullptr, nest.get(access), workspace, indices);
          };
          // What is assigned to exists, whatever it is.
          if (format.isMissing())
            nest.guardBuilt(nest.getExistence(access), assign);
          else
            assign();
        });
      },
      [&](Value workspace) {
        nest.replace(access, workspace, indices);
        consume();
        nest.restore(access);
      });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SmallVector<Value> WorkspaceInserter::getKnownBeforeSums(Value condition) {
  SmallVector<Value> conditions = getConjuncts(condition);
  const auto *end = llvm::find_if(
      conditions, [&](Value conjunct) { return !sums.find(conjunct).empty(); });
  conditions.truncate(end - conditions.begin());
  return conditions;
}

void WorkspaceInserter::assignElement(Value condition) {
  nest.assign(assign.getCalleeAttr(), nest.get(assign.getValue()),
              assign.getArray(), assign.getIndices(), initial, condition);
}

void WorkspaceInserter::store(Value condition) {
  if (rows.empty()) {
    if (addsUp())
      nest.guard(condition, [&] {
        storeRows(assign.getValue().getDefiningOp<ReduceOp>());
      });
    else
      assignElement(condition);
    return;
  }
  SmallVector<ReduceOp> reductions = sums.find(assign->getOperands());
  bool isOfRow = condition && dependsOnRows(condition);
  if (!isOfRow && reductions.size() == 1 && isDirect(reductions.front())) {
    nest.guard(condition, [&] { storeRows(reductions.front()); });
    return;
  }
  if (isOfRow)
    ofRows = getKnownBeforeSums(condition);
  nest.guard(isOfRow ? Value() : condition, [&] {
    useMask(reductions, [&] {
      useWorkspaces(reductions, [&] {
        nest.forall(rows,
                    [&] { assignElement(isOfRow ? condition : Value()); });
      });
    });
  });
}

void WorkspaceInserter::statementOver(ArrayRef<BlockArgument> variables,
                                      SmallVector<Value> conditions,
                                      llvm::function_ref<void()> build) {
  bool isInLoop = !variables.empty() && !hasRange(variables.front()) &&
                  takeOutside(conditions, variables, uses).empty();
  if (isInLoop)
    build();
  else
    nest.once(build);
}

bool WorkspaceInserter::run() {
  initial = findInitial();
  SmallVector<AccessOp> lookedUp = findLookedUp();
  if (rows.empty() && !initial && !addsUp() && lookedUp.empty())
    return false;
  if (initial)
    assignInitial();
  // What is appended to has an end for each value of the outer variables.
  Value inside = assign.getCondition();
  SmallVector<Value> around;
  if (inside && !dependsOnRows(inside) &&
      !isa<ArrayType>(assign.getArray().getType())) {
    around = getConjuncts(inside);
    inside = nullptr;
  }
  ArrayRef<BlockArgument> outermost =
      lookedUp.empty()
          ? outer
          : outer.take_front(countLoopsOf(lookedUp.front(), outer));
  statementOver(outermost, around,
                [&] { lookUp(lookedUp, outer, around, inside); });
  return true;
}

namespace {
struct InsertWorkspaces
    : public ember::cin::impl::InsertWorkspacesBase<InsertWorkspaces> {
  void runOnOperation() override {
    SmallVector<ForallOp> statements;
    getOperation()->walk([&](EvaluateOp evaluate) {
      llvm::append_range(statements, evaluate.getRegion().getOps<ForallOp>());
    });
    OpBuilder builder(&getContext());
    for (ForallOp statement : statements) {
      LoopChain chain(statement);
      // With a fill, this has been done.
      AssignOp assign = chain.getAssignment();
      if (!assign || assign.getFill())
        continue;
      nameVariables(statement);
      Operation *before = statement->getPrevNode();
      WorkspaceInserter inserter(builder, chain.variables, statement, assign);
      if (inserter.run()) {
        keepSweep(statement, before);
        statement->erase();
      }
    }
  }
};
} // namespace
