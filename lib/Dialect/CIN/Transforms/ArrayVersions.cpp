//===- ArrayVersions.cpp - What arrays hold in between --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient by a factor of a product is all else that is multiplied, and an
// array that was multiplied does not hold that any more.
//
//   y[i] = x[i]; y[I[p]] *= f[p]
//
// becomes
//
//   let b[i] = x[i]; let m[I[p]] *= f[p]; y[i] = b[i] * m[i]
//
//===----------------------------------------------------------------------===//

#include "ArrayVersions.h"
#include "ExpressionBuilder.h"
#include "Statement.h"

#include "ember/Dialect/Ember/IR/Ember.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

TypedAttr ember::cin::getInitialValue(func::FuncOp function,
                                      EvaluateOp evaluate, Value array) {
  if (auto temporary = array.getDefiningOp<TemporaryOp>())
    return temporary.getInitialAttr();
  unsigned number = cast<BlockArgument>(array).getArgNumber();
  auto argument = cast<BlockArgument>(evaluate->getOperand(number));
  return function.getArgAttrOfType<TypedAttr>(argument.getArgNumber(),
                                              initialAttr);
}

namespace {
class ProductSplit {
public:
  ProductSplit(func::FuncOp function, EvaluateOp evaluate, ForallOp statement,
               AssignOp assign)
      : function(function), evaluate(evaluate), statement(statement),
        array(assign.getArray()), builder(assign) {}

  /// Whether there is something before, and its initial value is known.
  bool findBefore();
  void run();

private:
  TemporaryOp makeLike(const Twine &name, TypedAttr initial);
  /// Assigns the product of both to the array.
  void multiply(Value factors);

  func::FuncOp function;
  EvaluateOp evaluate;
  ForallOp statement;
  Value array;
  OpBuilder builder;
  SmallVector<Operation *> earlier;
  TypedAttr initial;
  Value before;
};
} // namespace

bool ProductSplit::findBefore() {
  for (auto other : evaluate.getRegion().getOps<ForallOp>())
    other.walk([&](Operation *op) {
      auto access = dyn_cast<AccessOp>(op);
      auto mine = dyn_cast<AssignOp>(op);
      bool isUse = (access && access.getArray() == array) ||
                   (mine && mine.getArray() == array);
      if (isUse && other->isBeforeInBlock(statement))
        earlier.push_back(op);
    });
  // What is read first is given.
  auto first = earlier.empty() ? AssignOp() : dyn_cast<AssignOp>(earlier[0]);
  bool readsItself = llvm::any_of(array.getUsers(), [&](Operation *user) {
    return isa<AccessOp>(user) && statement->isAncestor(user);
  });
  if (!first || readsItself)
    return false;
  initial = getInitialValue(function, evaluate, array);
  return initial || assignsAll(first);
}

TemporaryOp ProductSplit::makeLike(const Twine &name, TypedAttr initial) {
  Location location = array.getLoc();
  auto type = cast<MemRefType>(array.getType());
  SmallVector<Value> sizes;
  if (auto temporary = array.getDefiningOp<TemporaryOp>())
    llvm::append_range(sizes, temporary.getSizes());
  else
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
      if (type.isDynamicDim(dimension))
        sizes.push_back(ExtentOp::create(
            builder, location, builder.getIndexType(), array, dimension));
  return TemporaryOp::create(
      builder, location, type, sizes, initial,
      builder.getStringAttr(evaluate.getNameOf(array) + name));
}

void ProductSplit::multiply(Value factors) {
  int64_t rank = cast<MemRefType>(array.getType()).getRank();
  Location location = statement.getLoc();
  auto product = ForallOp::create(builder, location, ValueRange(), ValueRange(),
                                  SmallVector<bool>(rank, false), ArrayAttr(),
                                  IterationAttr());
  Block &block = product.getRegion().emplaceBlock();
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    block.addArgument(builder.getIndexType(), location);
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> elements;
  for (Value operand : {before, factors})
    elements.push_back(
        AccessOp::create(builder, location, operand, block.getArguments()));
  Value value = ExpressionBuilder(builder, location).call("mul", elements);
  AssignOp::create(builder, location, Attribute(), value, array,
                   block.getArguments(), /*condition=*/Value(),
                   /*first=*/Value(), TypedAttr());
}

void ProductSplit::run() {
  if (Operation *definition = array.getDefiningOp())
    builder.setInsertionPointAfter(definition);
  else
    builder.setInsertionPointToStart(evaluate.getBody());
  Type element = getElementTypeOrSelf(array.getType());
  before = makeLike("_before", initial);
  Value factors = makeLike("_factors", getConstant(Constant::one, element));
  for (Operation *op : earlier)
    op->replaceUsesOfWith(array, before);
  SmallVector<ForallOp> loops;
  getAssignment(statement, loops)->replaceUsesOfWith(array, factors);
  builder.setInsertionPointAfter(statement);
  multiply(factors);
}

void ember::cin::splitProduct(func::FuncOp function, EvaluateOp evaluate,
                              ForallOp statement) {
  SmallVector<ForallOp> loops;
  AssignOp assign = getAssignment(statement, loops);
  if (!assign.isCombining() || !assign.getFunction().is("mul") ||
      !isa<MemRefType>(assign.getArray().getType()))
    return;
  ProductSplit split(function, evaluate, statement, assign);
  if (split.findBefore())
    split.run();
}
