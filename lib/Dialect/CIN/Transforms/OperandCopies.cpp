//===- OperandCopies.cpp - Arrays that statements read by copies ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandCopies.h"
#include "ScheduledStatement.h"
#include "Statement.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::cin;

OperandCopies::OperandCopies(ForallOp statement) : statement(statement) {
  auto isAssigned = [&](Value array) {
    return llvm::any_of(array.getUsers(), [&](Operation *user) {
      return isa<AssignOp>(user) && statement->isProperAncestor(user);
    });
  };
  statement.walk([&](AccessOp access) {
    Value array = access.getArray();
    if (!isa<ArrayType>(array.getType()) ||
        !RegroupOp::findObstacle(array).empty() || isAssigned(array))
      return;
    auto *known = llvm::find_if(operands, [&](const Operand &operand) {
      return operand.given == array &&
             llvm::equal(operand.accesses.front()->getOperands(),
                         access->getOperands());
    });
    if (known != operands.end())
      known->accesses.push_back(access);
    else if (SmallVector<Copy> copies = findCopies(access);
             !copies.empty() && operands.size() < most)
      operands.push_back({array, {access}, std::move(copies)});
  });
}

OperandCopies::~OperandCopies() {
  for (AssembleOp copy : made) {
    if (!copy->use_empty())
      continue;
    Operation *regroup = copy.getValues().getDefiningOp();
    copy->erase();
    regroup->erase();
  }
}

/// The dimensions of `access` in the order in which `variables` has their
/// indices; empty if these are not different variables.
static SmallVector<int64_t> sortDimensions(AccessOp access,
                                           ArrayRef<BlockArgument> variables) {
  SmallVector<int64_t> order;
  for (BlockArgument variable : variables)
    for (auto [dimension, index] : llvm::enumerate(access.getIndices()))
      if (index == variable)
        order.push_back(static_cast<int64_t>(dimension));
  bool isWhole = order.size() == access.getIndices().size();
  return isWhole ? order : SmallVector<int64_t>();
}

/// Whether a copy in that order lists values of `variable`.
static bool lists(AccessOp access, ArrayRef<int64_t> order,
                  BlockArgument variable) {
  FormatAttr given = cast<ArrayType>(access.getArray().getType()).getFormat();
  FormatAttr copied = RegroupOp::getFormatOf(given, order);
  for (auto [number, level] : llvm::enumerate(copied.getLevels()))
    if (level.kind != LevelKind::dense &&
        access.getIndices()[copied.getDimensionOf(number)] == variable)
      return true;
  return false;
}

SmallVector<OperandCopies::Copy> OperandCopies::findCopies(AccessOp access) {
  FormatAttr format = cast<ArrayType>(access.getArray().getType()).getFormat();
  SmallVector<ForallOp> loops;
  AssignOp assign = getAssignment(statement, loops);
  auto compact = assign.getArray().getDefiningOp<CompactOp>();
  SmallVector<int64_t> given(format.getOrder());
  // What is sorted as it is needs no copy in the same order.
  bool isSorted = llvm::all_of(
      format.getLevels(), [](const Level &level) { return level.isOrdered; });
  SmallVector<SmallVector<int64_t>> orders;
  auto add = [&](const SmallVector<int64_t> &order) {
    bool isUseful = !order.empty() && !(isSorted && order == given) &&
                    !llvm::is_contained(orders, order);
    // What is stored without gaps needs all values of its last index.
    if (isUseful && !(compact && lists(access, order, compact.getVariable())))
      orders.push_back(order);
  };
  if (given.size() == 2) {
    add({given[1], given[0]});
    add(given);
  } else {
    // As the statement names variables, and as it appends what it assigns.
    SmallVector<BlockArgument> variables = getBoundVariables(statement);
    add(sortDimensions(access, variables));
    if (auto type = dyn_cast<ArrayType>(assign.getArray().getType())) {
      SmallVector<BlockArgument> appended;
      for (Value coordinate : getCoordinates(type, assign.getIndices()))
        if (auto variable = dyn_cast<BlockArgument>(coordinate))
          appended.push_back(variable);
      for (BlockArgument variable : variables)
        if (!llvm::is_contained(appended, variable))
          appended.push_back(variable);
      add(sortDimensions(access, appended));
    }
  }
  return llvm::map_to_vector(orders, [](const SmallVector<int64_t> &order) {
    return Copy{order, {}};
  });
}

/// The copy of an array that stands in front of a statement already.
static AssembleOp findMade(ForallOp statement, AssembleOp array,
                           ArrayRef<int64_t> order) {
  // What is appended to is not the same everywhere.
  bool isInput = llvm::none_of(array->getUsers(), llvm::IsaPred<AssignOp>);
  for (Operation *user : array->getUsers()) {
    auto regroup = dyn_cast<RegroupOp>(user);
    if (!regroup || !isInput || regroup.getOrder() != order ||
        !regroup->isBeforeInBlock(statement))
      continue;
    for (Operation *of : regroup.getValues().getUsers())
      if (auto copy = dyn_cast<AssembleOp>(of))
        return copy;
  }
  return nullptr;
}

AssembleOp ember::cin::findOrMakeCopy(ForallOp statement, AssembleOp array,
                                      ArrayRef<int64_t> order, bool *isMade) {
  AssembleOp known = findMade(statement, array, order);
  if (isMade)
    *isMade = !known;
  if (known)
    return known;
  auto stored = cast<ShapedType>(array.getValues().getType());
  OpBuilder builder(statement);
  Location loc = statement.getLoc();
  auto makeType = [&](Type element) -> Type {
    int64_t shape[] = {ShapedType::kDynamic};
    return isa<TensorType>(stored) ? Type(RankedTensorType::get(shape, element))
                                   : Type(MemRefType::get(shape, element));
  };
  Type index = makeType(builder.getI64Type());
  SmallVector<Type> coordinates(RegroupOp::countCoordinates(order.size()),
                                index);
  auto regroup = RegroupOp::create(builder, loc, index, coordinates,
                                   makeType(RegroupOp::getElementTypeOf(array)),
                                   array, order);
  ArrayType type = array.getType();
  auto copied = ArrayType::get(builder.getContext(), type.getShape(),
                               type.getElementType(),
                               RegroupOp::getFormatOf(type.getFormat(), order));
  std::string name = statement->getParentOfType<EvaluateOp>().getNameOf(array);
  return AssembleOp::create(builder, loc, copied, regroup.getValues(),
                            regroup->getResults().drop_back(), array.getSizes(),
                            builder.getStringAttr(name),
                            /*counting=*/false, /*locating=*/false);
}

void OperandCopies::make(Value given, Copy &copy) {
  bool isMade = false;
  copy.array = findOrMakeCopy(statement, given.getDefiningOp<AssembleOp>(),
                              copy.order, &isMade);
  if (isMade)
    made.push_back(copy.array);
}

unsigned OperandCopies::size() const {
  unsigned choices = 1;
  for (const Operand &operand : operands)
    choices *= 1 + operand.copies.size();
  return choices;
}

SmallVector<OperandCopies::Copy *> OperandCopies::get(unsigned choice) {
  SmallVector<Copy *> copies;
  for (Operand &operand : operands) {
    unsigned options = 1 + operand.copies.size(), mine = choice % options;
    choice /= options;
    copies.push_back(mine ? &operand.copies[mine - 1] : nullptr);
  }
  return copies;
}

unsigned OperandCopies::count(unsigned choice) {
  return llvm::count_if(get(choice), [](Copy *copy) { return copy; });
}

void OperandCopies::use(unsigned choice) {
  for (auto [operand, copy] : llvm::zip_equal(operands, get(choice))) {
    if (copy && !copy->array)
      make(operand.given, *copy);
    for (AccessOp access : operand.accesses)
      access.getArrayMutable().assign(copy ? copy->array.getResult()
                                           : operand.given);
  }
}

SmallVector<Value> OperandCopies::getMade(unsigned choice) {
  SmallVector<Value> mine;
  for (Copy *copy : get(choice))
    if (copy && llvm::is_contained(made, copy->array) &&
        !llvm::is_contained(mine, copy->array.getResult()))
      mine.push_back(copy->array);
  return mine;
}
