//===- OrderChoice.cpp - Orders of loops, and the best of them ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderChoice.h"

#include "ConditionOrder.h"
#include "OrderCost.h"
#include "RowLookups.h"
#include "RowReductions.h"

using namespace mlir;
using namespace ember::cin;

/// What copies and other orders have to win where sizes and densities are
/// known: estimates of time are not exact.
static constexpr double gainIfKnown = 1.2;

/// How much worse an order is that may fail where no other one does.
static constexpr double kUnguarded = 1e6;

/// What is assumed of arrays that nothing is said of: an order that is worse
/// than another one in the larger ones by far grows faster.
static constexpr Scenario scenarios[] = {{1e3, 10}, {1e5, 10}, {1e7, 10}};

OrderChoice::OrderChoice(ForallOp statement, AssignOp assign,
                         ArrayRef<BlockArgument> variables)
    : statement(statement), assign(assign), variables(variables),
      formats(statement, uses) {
  first = findNaturalOrder(statement, assign, variables);
  std::optional<Order> order = findBlockOrder(statement, assign, first);
  isForBlocks = order && isLegal(*order);
  if (isForBlocks)
    first = *order;
  if (isLegal(first))
    orders.push_back(first);
  Order begun;
  addAll(begun, first);
}

bool OrderChoice::addsToResult() {
  auto reduce = assign.getValue().getDefiningOp<ReduceOp>();
  Value array = assign.getArray();
  bool isRead = llvm::any_of(array.getUsers(), [&](Operation *user) {
    return isa<AccessOp>(user) && statement->isProperAncestor(user);
  });
  return reduce && !isAskedFor(reduce) && !isRead &&
         !isa<ArrayType>(array.getType()) &&
         !array.getDefiningOp<CompactOp>() &&
         (!assign.isCombining() ||
          assign.getCalleeAttr() == reduce.getCallee());
}

/// Whether terms that are combined in an order stay in it.
static bool keepsFolds(ForallOp statement, const ScheduledOrder &order) {
  WalkResult walk = statement.walk([&](ReduceOp reduce) {
    auto variables = llvm::to_vector_of<BlockArgument>(reduce.getVariables());
    bool isOrdered =
        reduce.getOtherwise() && !reduce->getParentOfType<ReduceOp>();
    bool isKept = !isOrdered || order.sort(variables) == variables;
    return isKept ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

bool OrderChoice::walksUnguarded(const Order &order, Operation *scope,
                                 ArrayRef<Value> conditions) {
  if (conditions.empty())
    return false;
  // Few statements ask for them.
  SmallVector<size_t> depths;
  auto isGuardedLater = [&](Value lookup, size_t depth) {
    if (depths.empty())
      depths = getDepths(conditions, order, uses);
    return llvm::any_of(llvm::zip_equal(conditions, depths), [&](auto pair) {
      return std::get<1>(pair) >= depth && looksUp(std::get<0>(pair), lookup);
    });
  };
  WalkResult walk = scope->walk([&](AccessOp access) {
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    if (!type)
      return WalkResult::advance();
    SmallVector<Value> above;
    for (Value coordinate : getCoordinates(type, access.getIndices())) {
      const auto *loop = llvm::find(order, coordinate);
      size_t depth = loop - order.begin() + 1;
      // In this loop, rows are walked that looked up coordinates are those of.
      if (loop != order.end() && llvm::any_of(above, [&](Value lookup) {
            return llvm::all_of(order,
                                [&](BlockArgument variable) {
                                  return !uses.depends(lookup, variable) ||
                                         llvm::find(order, variable) < loop;
                                }) &&
                   isGuardedLater(lookup, depth);
          }))
        return WalkResult::interrupt();
      if (coordinate.getDefiningOp<AccessOp>())
        above.push_back(coordinate);
    }
    return WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool OrderChoice::walksUnguarded(const Order &order) {
  SmallVector<Value> ofRows = getConjuncts(assign.getCondition());
  WalkResult walk = statement.walk([&](ReduceOp reduce) {
    SmallVector<Value> conditions = ofRows;
    llvm::append_range(conditions,
                       getConjuncts(reduce.getYield().getCondition()));
    return walksUnguarded(order, reduce, conditions) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool OrderChoice::isLegal(const Order &order) {
  for (auto [number, variable] : llvm::enumerate(order))
    for (BlockArgument later : ArrayRef(order).drop_front(number + 1))
      if (formats.rangePrecedes(later, variable))
        return false;
  ScheduledOrder positions(order);
  if (!keepsFolds(statement, positions))
    return false;
  SmallVector<BlockArgument> loops = positions.sort(variables);
  auto compact = assign.getArray().getDefiningOp<CompactOp>();
  if (compact && loops.front() != compact.getVariable())
    return false;
  auto type = dyn_cast<ArrayType>(assign.getArray().getType());
  if (type && !llvm::equal(getCoordinates(type, assign.getIndices()), loops))
    return false;
  SmallVector<BlockArgument> rows = getRows(order);
  // What is added where a condition on the element holds is added up first.
  Value condition = assign.getCondition();
  bool isOfRow = condition && llvm::any_of(rows, [&](BlockArgument row) {
                   return uses.depends(condition, row);
                 });
  // A workspace is as large as an array that its variables are an index of.
  return (addsToResult() && !isOfRow) ||
         llvm::all_of(rows, [](BlockArgument row) {
           return !getIndexedDimensions(row).empty();
         });
}

size_t OrderChoice::getMost() const {
  // All of six variables. Of more, as where a statement adds up many
  // reductions, few of them are seen in any case, and each takes longer.
  constexpr size_t variablesOfAll = 6, all = 720;
  size_t count = std::max(first.size(), variablesOfAll);
  return std::max<size_t>(1, all * variablesOfAll * variablesOfAll /
                                 (count * count));
}

void OrderChoice::addAll(Order &order, ArrayRef<BlockArgument> left) {
  if (orders.size() >= getMost())
    return;
  if (left.empty()) {
    if (order != first && isLegal(order))
      orders.push_back(order);
    return;
  }
  for (BlockArgument next : left) {
    bool isReady = llvm::none_of(left, [&](BlockArgument other) {
      return other != next && formats.rangePrecedes(other, next);
    });
    if (!isReady)
      continue;
    Order rest;
    for (BlockArgument other : left)
      if (other != next)
        rest.push_back(other);
    order.push_back(next);
    addAll(order, rest);
    order.pop_back();
  }
}

bool OrderChoice::restrict(function_ref<bool(const Order &)> isWanted) {
  std::vector<Order> wanted;
  llvm::copy_if(orders, std::back_inserter(wanted), isWanted);
  if (wanted.empty())
    return false;
  orders = std::move(wanted);
  return true;
}

bool OrderChoice::restrictTo(ArrayRef<BlockArgument> listed) {
  // Where there are too many to look at, this one may be missing.
  Order mine = orders.empty() ? first : orders.front();
  const auto *next = listed.begin();
  for (BlockArgument &variable : mine)
    if (llvm::is_contained(listed, variable))
      variable = *next++;
  if (isLegal(mine) && !llvm::is_contained(orders, mine))
    orders.push_back(mine);
  return restrict([&](const Order &order) {
    SmallVector<BlockArgument> some;
    for (BlockArgument variable : order)
      if (llvm::is_contained(listed, variable))
        some.push_back(variable);
    return llvm::equal(some, listed);
  });
}

OrderChoice::Order OrderChoice::getRows(const Order &order) {
  ScheduledOrder positions(order);
  RowReductions sums(statement, positions.sort(variables), positions, uses);
  return llvm::to_vector(sums.rows());
}

SmallVector<double> OrderChoice::getCosts(const Order &order,
                                          ArrayRef<Value> copies) {
  SmallVector<double> costs;
  for (Scenario scenario : scenarios) {
    OrderCost cost(statement, assign, variables, uses, scenario);
    double all = cost.estimate(ScheduledOrder(order));
    for (Value copy : copies)
      all += cost.estimateCopy(copy);
    costs.push_back(all);
  }
  return costs;
}

SmallVector<AccessOp> OrderChoice::findLookups(const Order &order) {
  OrderCost cost(statement, assign, variables, uses, scenarios[0]);
  return cin::findLookups(assign, ScheduledOrder(order).sort(variables),
                          order.back(), cost);
}

double OrderChoice::getGain() {
  OrderCost cost(statement, assign, variables, uses, scenarios[0]);
  return cost.isGuess() ? gain : gainIfKnown;
}

OrderChoice::Order OrderChoice::choose() {
  // Without a legal order, what is wrong with the natural one is said later.
  if (orders.empty())
    return first;
  if (orders.size() == 1 || (isForBlocks && orders.front() == first))
    return orders.front();
  // How much worse an order is than the best, where it is worst.
  std::vector<double> worst(orders.size(), 1);
  for (Scenario scenario : scenarios) {
    OrderCost cost(statement, assign, variables, uses, scenario);
    std::vector<double> costs;
    for (const Order &order : orders) {
      ScheduledOrder scheduled(order);
      costs.push_back(cost.estimate(scheduled) +
                      cost.estimateTraffic(scheduled));
    }
    double best = *llvm::min_element(costs);
    for (auto [ratio, mine] : llvm::zip_equal(worst, costs))
      ratio = std::max(ratio, mine / best);
  }
  for (auto [ratio, order] : llvm::zip_equal(worst, orders))
    if (walksUnguarded(order))
      ratio *= kUnguarded;
  size_t best = llvm::min_element(worst) - worst.begin();
  bool isFirst =
      orders.front() == first && worst.front() <= getGain() * worst[best];
  return isFirst ? orders.front() : orders[best];
}
