//===- OperandCopies.cpp - Matrices that statements read by copies --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandCopies.h"

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
    else if (operands.size() < most)
      operands.push_back({array, {access}, {}});
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

AssembleOp OperandCopies::findCopy(Value array) {
  // What is appended to is not the same everywhere.
  bool isInput = llvm::none_of(array.getUsers(), llvm::IsaPred<AssignOp>);
  for (Operation *user : array.getUsers()) {
    auto regroup = dyn_cast<RegroupOp>(user);
    if (!regroup || !isInput || !regroup->isBeforeInBlock(statement))
      continue;
    for (Operation *of : regroup.getValues().getUsers())
      if (auto copy = dyn_cast<AssembleOp>(of))
        return copy;
  }
  return nullptr;
}

void OperandCopies::makeCopy(Operand &operand) {
  operand.copy = findCopy(operand.given);
  if (operand.copy)
    return;
  auto array = operand.given.getDefiningOp<AssembleOp>();
  auto stored = cast<ShapedType>(array.getValues().getType());
  OpBuilder builder(statement);
  Location loc = statement.getLoc();
  auto makeType = [&](Type element) -> Type {
    int64_t shape[] = {ShapedType::kDynamic};
    return isa<TensorType>(stored) ? Type(RankedTensorType::get(shape, element))
                                   : Type(MemRefType::get(shape, element));
  };
  Type index = makeType(builder.getI64Type());
  auto regroup = RegroupOp::create(builder, loc, index, index,
                                   makeType(stored.getElementType()), array);
  ArrayType type = array.getType();
  auto copied = ArrayType::get(builder.getContext(), type.getShape(),
                               type.getElementType(),
                               RegroupOp::getFormatOf(type.getFormat()));
  std::string name = statement->getParentOfType<EvaluateOp>().getNameOf(array);
  Value levels[] = {regroup.getPositions(), regroup.getCoordinates()};
  operand.copy = AssembleOp::create(
      builder, loc, copied, regroup.getValues(), levels, array.getSizes(),
      builder.getStringAttr(name), /*counting=*/false, /*locating=*/false);
  made.push_back(operand.copy);
}

void OperandCopies::use(unsigned set) {
  for (auto [number, operand] : llvm::enumerate(operands)) {
    bool isCopied = set >> number & 1;
    if (isCopied && !operand.copy)
      makeCopy(operand);
    for (AccessOp access : operand.accesses)
      access.getArrayMutable().assign(isCopied ? operand.copy.getResult()
                                               : operand.given);
  }
}

SmallVector<Value> OperandCopies::getMade(unsigned set) {
  SmallVector<Value> mine;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    bool isCopied = set >> number & 1;
    if (isCopied && llvm::is_contained(made, operand.copy) &&
        !llvm::is_contained(mine, operand.copy.getResult()))
      mine.push_back(operand.copy);
  }
  return mine;
}
