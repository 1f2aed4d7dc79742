//===- ScheduleRelations.cpp - Statements that do as their schedule says --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandCopies.h"
#include "OrderChoice.h"
#include "RowLookups.h"
#include "SplitVariable.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "ember/Dialect/CIN/Transforms/Schedules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace ember::cin;

namespace {
/// Does what relations ask for, one after the other, each under a condition of
/// its own.
class ScheduledRelations {
public:
  explicit ScheduledRelations(ForallOp statement)
      : statement(statement), schedule(statement.getScheduleAttr()) {}

  std::optional<ScheduleError> run();

private:
  /// What is wrong, if anything is: which variable is to blame, and why.
  struct Refusal {
    std::optional<unsigned> variable;
    std::string message;
  };
  using Answer = std::optional<Refusal>;

  Answer split(RelationAttr relation);
  Answer fuse(RelationAttr relation);
  Answer reorder(RelationAttr relation);
  Answer precompute(RelationAttr relation);
  Answer parallelize(RelationAttr relation);

  BlockArgument find(StringRef name);
  /// The variables that a name stands for: two, if it is that of fused ones, or
  /// of one that is split.
  SmallVector<BlockArgument> findAll(StringRef name);
  /// Keeps what an array in a format stores of one row in a workspace.
  Answer precomputeRow(AccessOp access, ArrayRef<BlockArgument> over,
                       RelationAttr relation);
  /// Keeps an expression that is no sum in a temporary.
  Answer precomputeValue(Value value, ArrayRef<BlockArgument> over);
  OrderChoice &getChoice();
  /// The best order, with copies of operands if they are worth it.
  OrderChoice::Order choose(ArrayRef<RelationAttr> relations);
  /// Whether a variable's loop is the innermost one of an order, and no sums
  /// are added up together.
  bool isInnermost(const OrderChoice::Order &order, BlockArgument variable);
  /// Adds relations for rows that are better looked up than merged.
  void lookUpRows(const OrderChoice::Order &order,
                  SmallVectorImpl<RelationAttr> &relations);
  /// Asks for the orders that relations want once more.
  bool restrictAgain(ArrayRef<RelationAttr> relations);

  ForallOp statement;
  ScheduleAttr schedule;
  /// Fused variables by the name of what they are, and parts of split ones.
  llvm::StringMap<std::pair<std::string, std::string>> parts;
  std::unique_ptr<OrderChoice> choice;
  /// Variables whose loops have to be innermost, since they look up rows, with
  /// the relations that want it.
  SmallVector<std::pair<BlockArgument, RelationAttr>> innermost;
};
} // namespace

static AssignOp getAssignmentOf(ForallOp statement) {
  return LoopChain(statement).getAssignment();
}

BlockArgument ScheduledRelations::find(StringRef name) {
  for (BlockArgument variable : getBoundVariables(statement))
    if (getVariableName(variable) == name)
      return variable;
  return nullptr;
}

SmallVector<BlockArgument> ScheduledRelations::findAll(StringRef name) {
  auto pair = parts.find(name);
  if (pair == parts.end())
    return {find(name)};
  SmallVector<BlockArgument> both = findAll(pair->second.first);
  llvm::append_range(both, findAll(pair->second.second));
  return both;
}

OrderChoice &ScheduledRelations::getChoice() {
  if (!choice)
    choice = std::make_unique<OrderChoice>(
        statement, getAssignmentOf(statement), LoopChain(statement).variables);
  return *choice;
}

ScheduledRelations::Answer ScheduledRelations::split(RelationAttr relation) {
  std::string name = relation.getVariable(0).str();
  BlockArgument variable = find(name);
  if (!variable && !find(relation.getVariable(1)))
    return Refusal{0, "'" + name + "' is fused, and cannot be split"};
  for (const auto &whole : parts)
    if (whole.second.first == name || whole.second.second == name)
      return Refusal{0, "'" + name + "' is a part of '" + whole.first().str() +
                            "', and cannot be split again"};
  parts[name] = {relation.getVariable(1).str(), relation.getVariable(2).str()};
  if (!variable)
    return std::nullopt;
  VariableUses uses;
  LoopOrder formats(statement, uses);
  if (formats.walks(variable))
    return Refusal{0, "'" + name +
                          "' walks what an array in a format stores, of which "
                          "tiles are found by searching alone: split a "
                          "variable of dense dimensions, or of a range"};
  auto reduce = dyn_cast<ReduceOp>(variable.getOwner()->getParentOp());
  if (reduce && reduce.getOtherwise())
    return Refusal{0, "'" + name +
                          "' has an order in which terms are combined, and no "
                          "tiles"};
  AssignOp assign = getAssignmentOf(statement);
  if (isa<ArrayType>(assign.getArray().getType()) &&
      isa<ForallOp>(variable.getOwner()->getParentOp()))
    return Refusal{0, "'" + name +
                          "' is an index of what is appended to, which has "
                          "levels for whole dimensions"};
  splitVariable(statement, variable, relation.getVariables()[1],
                relation.getVariables()[2], relation.getFactor());
  return std::nullopt;
}

ScheduledRelations::Answer ScheduledRelations::fuse(RelationAttr relation) {
  SmallVector<BlockArgument> outer = findAll(relation.getVariable(0));
  SmallVector<BlockArgument> inner = findAll(relation.getVariable(1));
  BlockArgument last = outer.back(), next = inner.front();
  // One loop over positions walks lists of coordinates side by side.
  bool areListed = false, isAlone = true;
  statement.walk([&](AccessOp access) {
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    if (!type)
      return;
    SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
    ArrayRef<Level> levels = type.getFormat().getLevels();
    for (size_t i = 0; i + 1 < levels.size(); ++i)
      if (coordinates[i] == last && coordinates[i + 1] == next &&
          levels[i].isListed() && !levels[i].isUnique &&
          levels[i + 1].kind == LevelKind::singleton) {
        areListed = true;
        return;
      }
    isAlone &= !llvm::is_contained(coordinates, last) &&
               !llvm::is_contained(coordinates, next);
  });
  std::string names = "'" + relation.getVariable(0).str() + "' and '" +
                      relation.getVariable(1).str() + "'";
  if (!areListed)
    return Refusal{0, names + " are not coordinates of one array that lists "
                              "both for each element, as coo does: there are "
                              "no positions that one loop could go along"};
  if (!isAlone)
    return Refusal{0, names + " walk another array, too: one loop over "
                              "positions is one over those of a single array"};
  parts[relation.getVariable(2)] = {relation.getVariable(0).str(),
                                    relation.getVariable(1).str()};
  bool isPossible = getChoice().restrict([&](const OrderChoice::Order &order) {
    const auto *found = llvm::find(order, last);
    return std::next(found) != order.end() && *std::next(found) == next;
  });
  if (!isPossible)
    return Refusal{1, "the loop over " + names +
                          " cannot be one: another one has to stand between "
                          "them"};
  return std::nullopt;
}

ScheduledRelations::Answer ScheduledRelations::reorder(RelationAttr relation) {
  SmallVector<BlockArgument> listed;
  VariableUses uses;
  LoopOrder formats(statement, uses);
  for (auto [number, name] : llvm::enumerate(relation.getVariables()))
    for (BlockArgument variable : findAll(name.getValue())) {
      for (BlockArgument outer : listed)
        if (formats.rangePrecedes(variable, outer))
          return Refusal{static_cast<unsigned>(number),
                         "the range of '" + getVariableName(outer) +
                             "' depends on '" + getVariableName(variable) +
                             "', whose loop has to stand outside"};
      listed.push_back(variable);
    }
  if (getChoice().restrictTo(listed))
    return std::nullopt;
  std::string reason =
      isa<ArrayType>(getAssignmentOf(statement).getArray().getType())
          ? "what is appended to wants its levels in their order"
          : "ranges and other relations want another one";
  return Refusal{std::nullopt, "no loops can stand in this order: " + reason};
}

ScheduledRelations::Answer
ScheduledRelations::parallelize(RelationAttr relation) {
  std::string name = relation.getVariable(0).str();
  SmallVector<BlockArgument> some = findAll(name);
  AssignOp assign = getAssignmentOf(statement);
  for (BlockArgument variable : some) {
    if (isa<ReduceOp>(variable.getOwner()->getParentOp()))
      return Refusal{0, "'" + name +
                            "' is reduced over: threads would add to one "
                            "element in an order of their own; split it, and "
                            "parallelize what elements are different for"};
    if (assign.isCombining() &&
        !llvm::is_contained(assign.getIndices(), variable))
      return Refusal{0, "several values of '" + name +
                            "' may add to one element: it is no index of what "
                            "is assigned to"};
    auto type = dyn_cast<ArrayType>(assign.getArray().getType());
    bool isOfRow = type && type.getFormat().hasSeparateRows() &&
                   getCoordinates(type, assign.getIndices())[0] == variable;
    if (assign.getArray().getDefiningOp<CompactOp>())
      return Refusal{0, "'" + name +
                            "' is an index of what is stored without gaps, one "
                            "position after the other"};
    if (type && !isOfRow)
      return Refusal{0, "'" + name +
                            "' is an index of what is appended to, one element "
                            "after the other"};
  }
  bool isPossible = getChoice().restrict([&](const OrderChoice::Order &order) {
    return llvm::equal(ArrayRef(order).take_front(some.size()), some);
  });
  if (!isPossible)
    return Refusal{0, "the loop over '" + name +
                          "' cannot be the outermost one, which threads share"};
  return std::nullopt;
}

ScheduledRelations::Answer
ScheduledRelations::precompute(RelationAttr relation) {
  StringRef text = relation.getExpression().getValue();
  SmallVector<BlockArgument> over;
  for (StringAttr name : relation.getVariables())
    llvm::append_range(over, findAll(name.getValue()));
  // The sum, where the expression is all that one adds up.
  ReduceOp sum;
  Value value;
  statement.walk([&](Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && !reduce->getParentOfType<ReduceOp>() &&
        (describeExpression(reduce.getResult()) == text ||
         describeExpression(reduce.getYield().getValue()) == text))
      sum = reduce;
    else if (op->getNumResults() == 1 && isPartOfExpression(op) &&
             describeExpression(op->getResult(0)) == text)
      value = op->getResult(0);
  });
  if (!sum && !value)
    return Refusal{std::nullopt, "there is no expression " + text.str()};
  for (BlockArgument variable : over)
    if (getIndexedDimensions(variable).empty())
      return Refusal{0,
                     "no array says how many elements a workspace has over '" +
                         getVariableName(variable) + "'"};
  auto access = value ? value.getDefiningOp<AccessOp>() : AccessOp();
  if (!sum && access && isa<ArrayType>(access.getArray().getType()))
    return precomputeRow(access, over, relation);
  if (!sum)
    return precomputeValue(value, over);
  if (!sum.getFunction().getIdentity(sum.getType()))
    return Refusal{std::nullopt, "sums by '" +
                                     sum.getFunction().getName().str() +
                                     "' have no value to begin with"};
  bool isPossible = getChoice().restrict([&](const OrderChoice::Order &order) {
    OrderChoice::Order rows = choice->getRows(order);
    return rows.size() == over.size() &&
           llvm::all_of(rows, [&](BlockArgument row) {
             return llvm::is_contained(over, row);
           });
  });
  if (!isPossible)
    return Refusal{0, "no order of loops has what is reduced outside of these "
                      "variables alone, so that sums are kept for them"};
  return std::nullopt;
}

ScheduledRelations::Answer
ScheduledRelations::precomputeRow(AccessOp access, ArrayRef<BlockArgument> over,
                                  RelationAttr relation) {
  if (over.size() != 1 || !canLookUp(access, over.front()))
    return Refusal{std::nullopt,
                   "the elements cannot be kept in a workspace: it has those "
                   "of one row, over the index of a last level that lists each "
                   "coordinate once"};
  // Whether there is such an order is seen when all relations have been asked.
  (void)getChoice().restrict([&](const OrderChoice::Order &order) {
    return isInnermost(order, over.front());
  });
  innermost.emplace_back(over.front(), relation);
  return std::nullopt;
}

ScheduledRelations::Answer
ScheduledRelations::precomputeValue(Value value, ArrayRef<BlockArgument> over) {
  VariableUses uses;
  for (Value variable : uses.of(value))
    if (!llvm::is_contained(over, variable))
      return Refusal{std::nullopt,
                     "the expression depends on '" +
                         getVariableName(cast<BlockArgument>(variable)) +
                         "', too, which its workspace has no elements for"};
  AssignOp assign = getAssignmentOf(statement);
  std::string reason;
  SmallVector<Operation *> parts;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !statement->isProperAncestor(op) ||
        llvm::is_contained(parts, op))
      continue;
    parts.push_back(op);
    llvm::append_range(open, op->getOperands());
    if (isa<ReduceOp>(op))
      reason = "it has a reduction inside: precompute what that adds up";
    if (auto access = dyn_cast<AccessOp>(op)) {
      if (isa<ArrayType>(access.getArray().getType()))
        reason = "it reads an array in a format, of which a workspace would "
                 "have all elements";
      else if (access.getArray() == assign.getArray())
        reason = "it reads what the statement assigns to";
    }
  }
  for (BlockArgument variable : over)
    if (hasRange(variable))
      reason = "'" + getVariableName(variable) + "' has a range";
  if (!reason.empty())
    return Refusal{std::nullopt,
                   "the expression cannot be kept in a workspace: " + reason};
  OpBuilder builder(statement);
  SmallVector<Value> sizes;
  SmallVector<int64_t> shape(over.size(), ShapedType::kDynamic);
  for (BlockArgument variable : over) {
    ArrayDimension like = getIndexedDimensions(variable).front();
    sizes.push_back(ExtentOp::create(builder, value.getLoc(),
                                     builder.getIndexType(), like.array,
                                     like.dimension));
  }
  Type element = value.getType();
  Type type = isa<TensorType>(assign.getArray().getType())
                  ? Type(RankedTensorType::get(shape, element))
                  : Type(MemRefType::get(shape, element));
  auto kept = TemporaryOp::create(builder, value.getLoc(), type, sizes,
                                  TypedAttr(), StringAttr());
  // A statement of its own computes it.
  SmallVector<Attribute> names;
  for (BlockArgument variable : over)
    names.push_back(builder.getStringAttr(getVariableName(variable)));
  auto first =
      ForallOp::create(builder, value.getLoc(), ValueRange(), ValueRange(),
                       SmallVector<bool>(over.size(), false),
                       builder.getArrayAttr(names), IterationAttr());
  Block &block = first.getRegion().emplaceBlock();
  IRMapping mapping;
  SmallVector<Value> mine;
  for (BlockArgument variable : over) {
    mine.push_back(block.addArgument(variable.getType(), variable.getLoc()));
    mapping.map(variable, mine.back());
  }
  builder.setInsertionPointToEnd(&block);
  statement.walk([&](Operation *op) {
    if (llvm::is_contained(parts, op))
      builder.clone(*op, mapping);
  });
  AssignOp::create(builder, value.getLoc(), Attribute(), mapping.lookup(value),
                   kept, mine, /*condition=*/Value(), /*first=*/Value(),
                   TypedAttr());
  // And this one looks it up.
  builder.setInsertionPointAfterValue(value);
  Value found = AccessOp::create(builder, value.getLoc(), kept,
                                 llvm::to_vector_of<Value>(over));
  value.replaceAllUsesExcept(found, found.getDefiningOp());
  choice.reset();
  (void)scheduleStatement(first);
  return std::nullopt;
}

/// Whether relations ask for an order of loops, and nothing else.
static bool areOrders(ArrayRef<RelationAttr> relations) {
  return llvm::all_of(relations, [](RelationAttr relation) {
    return relation.getKind() == RelationKind::reorder ||
           relation.getKind() == RelationKind::parallelize;
  });
}

bool ScheduledRelations::isInnermost(const OrderChoice::Order &order,
                                     BlockArgument variable) {
  return order.back() == variable && getChoice().getRows(order).empty();
}

void ScheduledRelations::lookUpRows(const OrderChoice::Order &order,
                                    SmallVectorImpl<RelationAttr> &relations) {
  if (!areOrders(relations) || order.empty() ||
      !isInnermost(order, order.back()))
    return;
  MLIRContext *context = statement.getContext();
  for (AccessOp access : getChoice().findLookups(order))
    relations.push_back(RelationAttr::get(
        context, RelationKind::precompute,
        {StringAttr::get(context, getVariableName(order.back()))},
        /*factor=*/0,
        StringAttr::get(context, describeExpression(access.getResult()))));
}

bool ScheduledRelations::restrictAgain(ArrayRef<RelationAttr> relations) {
  choice.reset();
  return llvm::all_of(relations, [&](RelationAttr relation) {
    return relation.getKind() == RelationKind::reorder ? !reorder(relation)
                                                       : !parallelize(relation);
  });
}

OrderChoice::Order
ScheduledRelations::choose(ArrayRef<RelationAttr> relations) {
  OrderChoice::Order best = getChoice().choose();
  // Other relations are about what is walked, which copies change.
  if (!areOrders(relations) || !getChoice().hasAny())
    return best;
  OperandCopies copies(statement);
  unsigned bestCopies = 0;
  SmallVector<double> costs = getChoice().getCosts(best, {});
  for (unsigned choice = 1; choice < copies.size(); ++choice) {
    copies.use(choice);
    if (!restrictAgain(relations) || !getChoice().hasAny())
      continue;
    OrderChoice::Order order = getChoice().choose();
    SmallVector<double> mine =
        getChoice().getCosts(order, copies.getMade(choice));
    // More copies have to win much over fewer.
    bool areMore = copies.count(choice) > copies.count(bestCopies);
    double gain = areMore ? getChoice().getGain() : 1;
    bool isBetter = llvm::all_of(llvm::zip_equal(mine, costs), [&](auto pair) {
      auto [cost, before] = pair;
      return std::isfinite(cost) && cost * gain < before;
    });
    if (!isBetter)
      continue;
    best = order;
    bestCopies = choice;
    costs = mine;
  }
  copies.use(bestCopies);
  return best;
}

std::optional<ScheduleError> ScheduledRelations::run() {
  if (schedule)
    if (std::optional<ScheduleError> error =
            findUnknownVariable(statement, schedule))
      return error;
  SmallVector<RelationAttr> relations;
  if (schedule)
    llvm::append_range(relations, schedule.getRelations());
  // What is chosen here has the schedule behind it.
  statement.removeScheduleAttr();
  // Splitting makes variables that others, in front of it, too, are about.
  auto isLater = [](RelationAttr relation) {
    return relation.getKind() != RelationKind::split;
  };
  SmallVector<unsigned> sequence;
  for (bool splits : {true, false})
    for (auto [number, relation] : llvm::enumerate(relations))
      if (isLater(relation) != splits)
        sequence.push_back(number);
  for (unsigned number : sequence) {
    RelationAttr relation = relations[number];
    Answer wrong;
    switch (relation.getKind()) {
    case RelationKind::split:
      wrong = split(relation);
      break;
    case RelationKind::fuse:
      wrong = fuse(relation);
      break;
    case RelationKind::reorder:
      wrong = reorder(relation);
      break;
    case RelationKind::precompute:
      wrong = precompute(relation);
      break;
    case RelationKind::parallelize:
      wrong = parallelize(relation);
      break;
    }
    if (wrong)
      return ScheduleError{number, wrong->variable, wrong->message};
  }
  OrderChoice::Order order = choose(relations);
  for (auto [variable, relation] : innermost)
    if (!isInnermost(order, variable)) {
      auto number = static_cast<unsigned>(llvm::find(relations, relation) -
                                          relations.begin());
      return ScheduleError{number, std::nullopt,
                           "the elements cannot be kept in a workspace: '" +
                               getVariableName(variable) +
                               "' cannot be that of the innermost loop, which "
                               "looks them up"};
    }
  lookUpRows(order, relations);
  MLIRContext *context = statement.getContext();
  if (order.size() > 1)
    relations.push_back(RelationAttr::get(
        context, RelationKind::reorder,
        llvm::map_to_vector(order,
                            [&](BlockArgument variable) {
                              return StringAttr::get(context,
                                                     getVariableName(variable));
                            }),
        /*factor=*/0, /*expression=*/nullptr));
  if (!relations.empty())
    statement.setScheduleAttr(ScheduleAttr::get(context, relations));
  return std::nullopt;
}

std::optional<ScheduleError> ember::cin::scheduleStatement(ForallOp statement) {
  nameVariables(statement);
  return ScheduledRelations(statement).run();
}
