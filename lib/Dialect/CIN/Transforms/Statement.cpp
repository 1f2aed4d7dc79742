//===- Statement.cpp - One statement that is not concrete -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statement.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace ember::cin;

AssignOp ember::cin::getAssignment(ForallOp statement,
                                   SmallVectorImpl<ForallOp> &loops) {
  loops.push_back(statement);
  auto isExpression = [](Operation &op) {
    return isa<AccessOp, ApplyOp, CallOp, ExtentOp, LiteralOp, ReduceOp,
               StoredOp>(op);
  };
  Block &body = *statement.getBody();
  if (body.empty() || !llvm::all_of(llvm::drop_end(body), isExpression))
    return nullptr;
  if (auto inner = dyn_cast<ForallOp>(body.back()))
    return getAssignment(inner, loops);
  return dyn_cast<AssignOp>(body.back());
}

AssembleOp ember::cin::makeLocating(OpBuilder &builder, AssembleOp array,
                                    unsigned depth) {
  ArrayType type = array.getType();
  FormatAttr format = type.getFormat();
  ArrayRef<unsigned> kept = format.getOrder().take_front(depth);
  SmallVector<unsigned> order;
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (unsigned dimension : kept)
    order.push_back(llvm::count_if(
        kept, [&](unsigned other) { return other < dimension; }));
  for (unsigned dimension = 0; dimension < type.getRank(); ++dimension) {
    if (!llvm::is_contained(kept, dimension))
      continue;
    shape.push_back(type.getDimSize(dimension));
    if (type.isDynamicDim(dimension))
      sizes.push_back(array.getSizeOf(dimension));
  }
  auto places = FormatAttr::get(builder.getContext(),
                                format.getLevels().take_front(depth), order,
                                builder.getIndexAttr(-1), /*storesFill=*/true);
  auto located = ArrayType::get(builder.getContext(), shape,
                                builder.getIndexType(), places);
  auto name = builder.getStringAttr(
      array->getParentOfType<EvaluateOp>().getNameOf(array));
  return AssembleOp::create(builder, array.getLoc(), located, array.getValues(),
                            array.getLevels(), sizes, name,
                            /*counting=*/false, /*locating=*/true);
}

ForallOp ember::cin::getStatement(Operation *op) {
  while (!isa<EvaluateOp>(op->getParentOp()))
    op = op->getParentOp();
  return cast<ForallOp>(op);
}

std::pair<Value, Value> ember::cin::getRange(BlockArgument variable) {
  unsigned number = variable.getArgNumber();
  Operation *binding = variable.getOwner()->getParentOp();
  if (auto forall = dyn_cast<ForallOp>(binding))
    return {forall.getLower(number), forall.getUpper(number)};
  auto reduce = cast<ReduceOp>(binding);
  return {reduce.getLower(number), reduce.getUpper(number)};
}

void ember::cin::setRange(BlockArgument variable, Value lower, Value upper) {
  unsigned number = variable.getArgNumber();
  auto set = [&](auto op) {
    // Not llvm::to_vector: of two pointers it makes a list of two booleans.
    SmallVector<bool> ranged(op.getRanged());
    auto place = llvm::count(ArrayRef(ranged).take_front(number), true);
    SmallVector<Value> lowers(op.getLowers()), uppers(op.getUppers());
    lowers.insert(lowers.begin() + place, lower);
    uppers.insert(uppers.begin() + place, upper);
    ranged[number] = true;
    op.getLowersMutable().assign(lowers);
    op.getUppersMutable().assign(uppers);
    op.setRanged(ranged);
  };
  Operation *binding = variable.getOwner()->getParentOp();
  if (auto forall = dyn_cast<ForallOp>(binding))
    set(forall);
  else
    set(cast<ReduceOp>(binding));
}

std::string ember::cin::getNameOf(BlockArgument variable) {
  unsigned number = variable.getArgNumber();
  Operation *binding = variable.getOwner()->getParentOp();
  if (auto forall = dyn_cast<ForallOp>(binding))
    return forall.getNameOf(number);
  return cast<ReduceOp>(binding).getNameOf(number);
}

static bool mayBeMissing(Value value, llvm::DenseMap<Value, bool> &known) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  auto isMissing = [&](Value part) { return mayBeMissing(part, known); };
  Operation *op = value.getDefiningOp();
  bool result = false;
  if (auto access = dyn_cast_or_null<AccessOp>(op)) {
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    result = (type && type.getFormat().isMissing() && !access.getStored()) ||
             llvm::any_of(access.getIndices(), isMissing);
  } else if (auto reduce = dyn_cast_or_null<ReduceOp>(op)) {
    result = isMissing(reduce.getYield().getValue());
  } else if (auto call = dyn_cast_or_null<CallOp>(op)) {
    result = call.getFunction().is("coalesce")
                 ? llvm::all_of(call.getOperands(), isMissing)
                 : llvm::any_of(call.getOperands(), isMissing);
  } else if (auto apply = dyn_cast_or_null<ApplyOp>(op)) {
    result = llvm::any_of(apply.getOperands(), isMissing);
  }
  return known[value] = result;
}

bool ember::cin::mayBeMissing(Value value) {
  llvm::DenseMap<Value, bool> known;
  return ::mayBeMissing(value, known);
}

bool ember::cin::areEquivalent(Value a, Value b) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (!left || !right || isNamedArray(a) || isNamedArray(b))
    return false;
  if (isa<ReduceOp>(left))
    return isa<ReduceOp>(right) &&
           OperationEquivalence::isEquivalentTo(
               left, right, OperationEquivalence::IgnoreLocations);
  return OperationEquivalence::isEquivalentTo(
      left, right,
      [](Value x, Value y) { return success(areEquivalent(x, y)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

SmallVector<Value> ember::cin::getConditions(Operation *op, AssignOp assign) {
  SmallVector<Value> conditions;
  for (auto reduce = op->getParentOfType<ReduceOp>(); reduce;
       reduce = reduce->getParentOfType<ReduceOp>())
    if (Value condition = reduce.getYield().getCondition())
      conditions.push_back(condition);
  if (Value condition = assign.getCondition())
    conditions.push_back(condition);
  std::reverse(conditions.begin(), conditions.end());
  return conditions;
}
