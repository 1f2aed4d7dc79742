//===- StatementBuilder.cpp - Writes the statements of an operation -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"

#include "ember/Dialect/CIN/Transforms/RowStorage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ember;

Callee ember::getFunction(embed::Reduction reduction) {
  return reduction == embed::Reduction::max ? "larger" : "add";
}

StatementBuilder::StatementBuilder(Operation *op, ArrayRef<Named> inputs,
                                   ValueRange results)
    : ImplicitLocOpBuilder(op->getLoc(), op), outside(op->getLoc(), op) {
  SmallVector<Type> types;
  for (Value result : results)
    if (isa<TensorType>(result.getType()))
      types.push_back(result.getType());
  evaluate = cin::EvaluateOp::create(outside, types, ValueRange(), results,
                                     ArrayAttr());
  // What follows stands in front of it.
  outside.setInsertionPoint(evaluate);
  Block &body = evaluate.getRegion().emplaceBlock();
  for (Value result : results)
    names[result] = body.addArgument(result.getType(), op->getLoc());
  setInsertionPointToEnd(&body);
  for (auto [name, operand] : inputs)
    if (operand)
      take(name, operand);
}

void StatementBuilder::take(StringRef name, Value operand) {
  Value &known = names[operand];
  if (known)
    return;
  unsigned number = evaluate.getInputs().size();
  evaluate.getInputsMutable().append(operand);
  known = evaluate.getRegion().front().insertArgument(number, operand.getType(),
                                                      getLoc());
  spelled.push_back(name);
}

ResultRange StatementBuilder::finish() {
  SmallVector<std::string> all(spelled.begin(), spelled.end());
  size_t results = evaluate.getInits().size();
  for (size_t number = 0; number < results; ++number)
    all.push_back(results == 1 ? "out" : "out" + std::to_string(number));
  evaluate.setNamesAttr(
      getStrArrayAttr(SmallVector<StringRef>(all.begin(), all.end())));
  return evaluate->getResults();
}

void StatementBuilder::replace(Operation *op) {
  op->replaceAllUsesWith(finish());
  op->erase();
}

//===----------------------------------------------------------------------===//
// In front of the evaluation
//===----------------------------------------------------------------------===//

Value StatementBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(outside, value);
}

Value StatementBuilder::plusOne(Value value) {
  return arith::AddIOp::create(outside, value, constant(1));
}

Value StatementBuilder::size(ImplicitLocOpBuilder &builder, Value array,
                             int64_t dimension) {
  auto type = cast<ShapedType>(array.getType());
  if (!type.isDynamicDim(dimension))
    return arith::ConstantIndexOp::create(builder, type.getDimSize(dimension));
  if (isa<MemRefType>(type))
    return memref::DimOp::create(builder, array, dimension);
  return tensor::DimOp::create(builder, array, dimension);
}

void StatementBuilder::requireEqual(ImplicitLocOpBuilder &builder, Value a,
                                    Value b, const Twine &message) {
  std::optional<int64_t> left = getConstantIntValue(a);
  std::optional<int64_t> right = getConstantIntValue(b);
  if (left && right && *left == *right)
    return;
  Value equal = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, a, b);
  cf::AssertOp::create(builder, equal, message.str());
}

void StatementBuilder::requireSameSize(Value a, int64_t aDimension, Value b,
                                       int64_t bDimension,
                                       const Twine &message) {
  cin::SameSizeOp::create(*this, nameOf(a), aDimension, nameOf(b), bDimension,
                          /*variable=*/nullptr, getStringAttr(message));
}

void StatementBuilder::readRows(Value table, cin::RowFormatAttr format,
                                FloatType type, Value array, int64_t dimension,
                                const Twine &message) {
  if (!format) {
    requireSameSize(array, dimension, table, 1, message);
    return;
  }
  Value length = size(array, dimension);
  requireEqual(size(table, 1),
               cin::emitRowBytes(outside, format.getLayout(), length), message);
  int64_t shape[] = {cast<ShapedType>(table.getType()).getDimSize(0),
                     cast<ShapedType>(array.getType()).getDimSize(dimension)};
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(shape[0]))
    sizes.push_back(scalar("stored_rows", size(table, 0)));
  if (ShapedType::isDynamic(shape[1]))
    sizes.push_back(scalar("elements", length));
  cin::Level dense;
  auto stored =
      cin::FormatAttr::get(getContext(), {dense, dense}, {0, 1},
                           getFloatAttr(type, 0), /*storesFill=*/true, format);
  Value &name = names[table];
  // The same table may stand for several.
  Value bytes = name;
  if (auto known = name.getDefiningOp<cin::AssembleOp>())
    bytes = known.getValues();
  name = cin::AssembleOp::create(
      *this, cin::ArrayType::get(getContext(), shape, type, stored), bytes,
      ValueRange(), sizes, /*name=*/StringAttr(), /*counting=*/false,
      /*locating=*/false);
}

Value StatementBuilder::scalar(StringRef name, Value value) {
  take(name, value);
  return nameOf(value);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {
/// What binding operations are made of.
struct Bindings {
  Bindings(OpBuilder &builder, ArrayRef<StatementBuilder::Variable> variables) {
    SmallVector<bool> isRanged;
    SmallVector<StringRef> spelled;
    for (const StatementBuilder::Variable &variable : variables) {
      isRanged.push_back(variable.lower != nullptr);
      spelled.push_back(variable.name);
      if (!variable.lower)
        continue;
      lowers.push_back(variable.lower);
      uppers.push_back(variable.upper);
    }
    ranged = builder.getDenseBoolArrayAttr(isRanged);
    names = builder.getStrArrayAttr(spelled);
  }
  SmallVector<Value> lowers, uppers;
  DenseBoolArrayAttr ranged;
  ArrayAttr names;
};
} // namespace

/// The body of a binding operation, with its variables.
static Block &addBody(OpBuilder &builder, Region &region, Location location,
                      size_t variables) {
  Block &block = region.emplaceBlock();
  for (size_t i = 0; i < variables; ++i)
    block.addArgument(builder.getIndexType(), location);
  builder.setInsertionPointToEnd(&block);
  return block;
}

cin::ForallOp
StatementBuilder::forall(ArrayRef<Variable> variables,
                         llvm::function_ref<void(ValueRange)> body) {
  Bindings bindings(*this, variables);
  auto forall = cin::ForallOp::create(*this, bindings.lowers, bindings.uppers,
                                      bindings.ranged, bindings.names,
                                      cin::IterationAttr());
  InsertionGuard guard(*this);
  Block &block = addBody(*this, forall.getRegion(), getLoc(), variables.size());
  body(block.getArguments());
  return forall;
}

Value StatementBuilder::reduce(Callee function, ArrayRef<Variable> variables,
                               Type type,
                               llvm::function_ref<Term(ValueRange)> getTerm,
                               TypedAttr otherwise) {
  Bindings bindings(*this, variables);
  auto reduce = cin::ReduceOp::create(
      *this, type, bindings.lowers, bindings.uppers, bindings.ranged,
      bindings.names, cin::IterationAttr(), function.get(getContext()),
      /*rest=*/TypedAttr(), otherwise);
  InsertionGuard guard(*this);
  Block &block = addBody(*this, reduce.getRegion(), getLoc(), variables.size());
  Term term = getTerm(block.getArguments());
  cin::YieldOp::create(*this, term.value, term.condition);
  return reduce;
}

bool StatementBuilder::addsToZero(Callee callee, FloatType type) {
  auto function = cin::Function::lookup(evaluate, callee.get(getContext()));
  return function.reduces() &&
         cin::areSame(function.getIdentity(type), getFloatAttr(type, 0));
}

Value StatementBuilder::reduceOrZero(
    Callee function, ArrayRef<Variable> variables, FloatType type,
    llvm::function_ref<Value(ValueRange)> term) {
  TypedAttr otherwise;
  if (!addsToZero(function, type))
    otherwise = getFloatAttr(type, 0);
  return reduce(function, variables, type, term, otherwise);
}

void StatementBuilder::where(Type element, ArrayRef<Dimension> dimensions,
                             llvm::function_ref<void(Value)> produce,
                             llvm::function_ref<void(Value)> consume) {
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (auto [array, dimension] : dimensions) {
    if (!array) {
      shape.push_back(dimension);
      continue;
    }
    auto type = cast<ShapedType>(array.getType());
    shape.push_back(type.getDimSize(dimension));
    if (type.isDynamicDim(dimension))
      sizes.push_back(extent(array, dimension));
  }
  Type type = MemRefType::get(shape, element);
  if (onTensors())
    type = RankedTensorType::get(shape, element);
  auto where = cin::WhereOp::create(*this, sizes);
  auto write = [&](Region &region, llvm::function_ref<void(Value)> statements) {
    InsertionGuard guard(*this);
    Block &block = region.emplaceBlock();
    setInsertionPointToEnd(&block);
    statements(block.addArgument(type, getLoc()));
  };
  write(where.getProducers(), produce);
  write(where.getConsumers(), consume);
}

Value StatementBuilder::temporaryBeyond(StringRef name, Type element,
                                        Value array) {
  int64_t size = cast<ShapedType>(array.getType()).getDimSize(0);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(size))
    sizes.push_back(apply(getAffineDimExpr(0) + 1, extent(array, 0)));
  else
    ++size;
  Type type = MemRefType::get(size, element);
  if (onTensors())
    type = RankedTensorType::get(size, element);
  return cin::TemporaryOp::create(*this, type, sizes,
                                  cast<TypedAttr>(getZeroAttr(element)),
                                  getStringAttr(name));
}

Value StatementBuilder::scan(Value lengths, Value within) {
  int64_t size = cast<ShapedType>(lengths.getType()).getDimSize(0);
  if (!ShapedType::isDynamic(size))
    ++size;
  Type type = MemRefType::get(size, getI64Type());
  if (onTensors())
    type = RankedTensorType::get(size, getI64Type());
  return cin::ScanOp::create(*this, type, nameOf(lengths), nameOf(within));
}

Value StatementBuilder::extent(Value array, unsigned dimension) {
  return cin::ExtentOp::create(*this, getIndexType(), nameOf(array), dimension);
}

Value StatementBuilder::access(Value array, ValueRange indices) {
  return cin::AccessOp::create(*this, nameOf(array), indices);
}

Value StatementBuilder::convert(Value value, Type type) {
  return value.getType() == type ? value : call("convert", value, type);
}

Value StatementBuilder::call(Callee function, ValueRange operands,
                             Type result) {
  return cin::CallOp::create(*this, result, function.get(getContext()),
                             operands);
}

Value StatementBuilder::approximate(Callee function, Value operand) {
  Value called = call(function, operand);
  called.getDefiningOp<cin::CallOp>().setApproximate(true);
  return called;
}

Value StatementBuilder::divisor(Value count, Type type) {
  return convert(call("max", {count, literal(1)}), type);
}

Value StatementBuilder::length(Value begin, Value end) {
  return call("sub",
              {convert(end, getIndexType()), convert(begin, getIndexType())});
}

Value StatementBuilder::isZero(Value count) {
  return call("eq", {count, literal(0)}, getI1Type());
}

Value StatementBuilder::literal(Type type, double value) {
  return cin::LiteralOp::create(*this, type, getFloatAttr(type, value));
}

Value StatementBuilder::literal(int64_t value) {
  return cin::LiteralOp::create(*this, getIndexType(), getIndexAttr(value));
}

Value StatementBuilder::apply(AffineExpr expression, ValueRange indices) {
  return cin::ApplyOp::create(
      *this, getIndexType(),
      AffineMapAttr::get(AffineMap::get(indices.size(), 0, expression)),
      indices);
}

void StatementBuilder::assign(Value value, Value array, ValueRange indices,
                              Callee function, Value condition) {
  Type element = getElementTypeOrSelf(array.getType());
  Attribute combining;
  if (function)
    combining = function.get(getContext());
  cin::AssignOp::create(*this, combining, convert(value, element),
                        nameOf(array), indices, condition, /*first=*/Value(),
                        TypedAttr());
}

void StatementBuilder::assignInOrder(Value value, Value array,
                                     ValueRange indices, Callee function,
                                     Value isFirst) {
  if (!isFirst)
    isFirst = cin::LiteralOp::create(*this, getI1Type(), getBoolAttr(false));
  cin::AssignOp::create(*this, function.get(getContext()), value, nameOf(array),
                        indices, /*condition=*/Value(), isFirst, TypedAttr());
}
