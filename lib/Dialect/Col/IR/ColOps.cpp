//===- ColOps.cpp - Verification and folding of columns -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ember::col;

//===----------------------------------------------------------------------===//
// Calls in assembly
//===----------------------------------------------------------------------===//

/// FUNCTION(%values, 1 : i64): operands behind the values are numbers.
static ParseResult parseCall(OpAsmParser &parser, Attribute &callee,
                             OpAsmParser::UnresolvedOperand &input,
                             ArrayAttr &behind) {
  SmallVector<Attribute> numbers;
  if (ember::cin::parseCallee(parser, callee) || parser.parseLParen() ||
      parser.parseOperand(input))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseAttribute(numbers.emplace_back()))
      return failure();
  behind = parser.getBuilder().getArrayAttr(numbers);
  return parser.parseRParen();
}

static void printCall(OpAsmPrinter &printer, Operation *, Attribute callee,
                      Value input, ArrayAttr behind) {
  ember::cin::printCallee(printer, callee);
  printer << "(" << input;
  for (Attribute number : behind)
    printer << ", " << number;
  printer << ")";
}

#define GET_OP_CLASSES
#include "ember/Dialect/Col/IR/ColOps.cpp.inc"

static Type getElement(Value jagged) {
  return cast<JaggedType>(jagged.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// From tensors
//===----------------------------------------------------------------------===//

/// Values are what they were in the tensor.
template <typename OpTy> static LogicalResult verifyElements(OpTy op) {
  Type element = op.getValues().getType().getElementType();
  if (element == getElement(op.getResult()))
    return success();
  return op.emitOpError() << "makes values of type "
                          << getElement(op.getResult()) << " of elements of "
                          << element;
}

LogicalResult FromDenseOp::verify() { return verifyElements(*this); }

LogicalResult FromOffsetsOp::verify() {
  if (getOffsets().getType().getDimSize(0) == 0)
    return emitOpError("has no offset, and the first row begins at one");
  return verifyElements(*this);
}

LogicalResult FromCoordinatesOp::verify() {
  int64_t dimensions = getPlaces().getType().getDimSize(1);
  int64_t sizes = getShape().getType().getDimSize(0);
  if (dimensions == 0 || sizes == 0)
    return emitOpError("has places without a row");
  if (!ShapedType::isDynamic(dimensions) && !ShapedType::isDynamic(sizes) &&
      dimensions != sizes)
    return emitOpError() << "has places in " << dimensions
                         << " dimensions, and a shape of " << sizes;
  return verifyElements(*this);
}

//===----------------------------------------------------------------------===//
// Of each value
//===----------------------------------------------------------------------===//

FloatType BucketizeOp::getComparedType() {
  Type element = getElement(getInput());
  return element.isF64() ? cast<FloatType>(element)
                         : Float32Type::get(getContext());
}

LogicalResult HashOp::verify() {
  unsigned width = getElement(getResult()).getIntOrFloatBitWidth();
  if (width < 64 && getBuckets() - 1 >= uint64_t(1) << (width - 1))
    return emitOpError() << "has " << getBuckets()
                         << " buckets, too many for ids of type "
                         << getElement(getResult());
  if (getKey() && !isOfTexts(getInput().getType()))
    return emitOpError("has a key, which hashes of texts alone have");
  if (getKey() && getKey()->size() != 2)
    return emitOpError() << "has a key of " << getKey()->size()
                         << " words, expected 2";
  return success();
}

LogicalResult FindOp::verify() {
  if (getBuckets().has_value() == getOtherwise().has_value())
    return emitOpError("has to say what the id of other texts is: by 'into' or "
                       "by 'otherwise'");
  if (!getElement(getResult()).isInteger(64))
    return emitOpError() << "makes ids of type " << getElement(getResult())
                         << ", expected i64";
  llvm::StringSet<> known;
  for (auto text : getTexts().getAsRange<StringAttr>())
    if (!known.insert(text.getValue()).second)
      return emitOpError() << "lists " << text << " twice";
  return success();
}

/// The operands behind the values are numbers.
template <typename OpTy> static LogicalResult verifyNumbers(OpTy op) {
  for (Attribute number : op.getOperandsBehind())
    if (!isa<IntegerAttr, FloatAttr>(number))
      return op.emitOpError()
             << "has the operand " << number << ", which is no number";
  return success();
}

/// The function takes a value and the numbers, and makes a `result` of them.
template <typename OpTy>
static LogicalResult verifyCallee(OpTy op, Type result,
                                  SymbolTableCollection &tables) {
  FailureOr<ember::cin::Function> function =
      ember::cin::findCallee(op, op.getCallee(), tables);
  if (failed(function))
    return failure();
  SmallVector<Type> types = {getElement(op.getInput())};
  for (Attribute number : op.getOperandsBehind())
    types.push_back(cast<TypedAttr>(number).getType());
  return function->verifyCall(op, types, result);
}

LogicalResult MapOp::verify() { return verifyNumbers(*this); }

/// Texts are kept if they are not empty.
static LogicalResult verifyTexts(KeepIfOp op) {
  auto builtin = dyn_cast<ember::cin::BuiltinAttr>(op.getCallee());
  auto is = [](Attribute operand) {
    auto text = dyn_cast<StringAttr>(operand);
    return text && text.empty();
  };
  if (builtin && builtin->name == "ne" && op.getOperandsBehind().size() == 1 &&
      is(op.getOperandsBehind()[0]))
    return success();
  return op.emitOpError("keeps texts by something else than 'ne' and \"\"");
}

LogicalResult KeepIfOp::verify() {
  return isOfTexts(getInput().getType()) ? verifyTexts(*this)
                                         : verifyNumbers(*this);
}

LogicalResult MapOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyCallee(*this, getElement(getResult()), tables);
}

LogicalResult KeepIfOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (isOfTexts(getInput().getType()))
    return success();
  return verifyCallee(*this, IntegerType::get(getContext(), 1), tables);
}

LogicalResult ReplaceIfOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyCallee(*this, IntegerType::get(getContext(), 1), tables);
}

/// What takes the place of values, or stands beside them, is of their type.
static LogicalResult verifyNewValue(Operation *op, TypedAttr value,
                                    Value jagged) {
  if (value.getType() == getElement(jagged))
    return success();
  return op->emitOpError() << "has a new value of type " << value.getType()
                           << " among values of type " << getElement(jagged);
}

LogicalResult ReplaceIfOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  return verifyNewValue(*this, getReplacement(), getResult());
}

/// Whether all values are at least 0, as buckets are, and so pass a comparison.
static bool keepsBuckets(KeepIfOp op) {
  auto builtin = dyn_cast<ember::cin::BuiltinAttr>(op.getCallee());
  if (!builtin || builtin->name != "ge" || op.getOperandsBehind().size() != 1 ||
      !isa_and_present<BucketizeOp, HashOp>(op.getInput().getDefiningOp()))
    return false;
  auto least = dyn_cast<IntegerAttr>(op.getOperandsBehind()[0]);
  return least && !least.getValue().isStrictlyPositive();
}

/// What has been dropped once is not there to be dropped again.
OpFoldResult KeepIfOp::fold(FoldAdaptor) {
  if (keepsBuckets(*this))
    return getInput();
  auto before = getInput().getDefiningOp<KeepIfOp>();
  if (before && before.getCallee() == getCallee() &&
      before.getOperandsBehind() == getOperandsBehind())
    return getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

LogicalResult WeighOp::verify() {
  Operation *source = getInput().getDefiningOp();
  if (!isa_and_present<FromDenseOp, FromOffsetsOp, FromCoordinatesOp>(source))
    return emitOpError(
        "weighs values that are not taken from a tensor in front "
        "of it");
  auto values = cast<RankedTensorType>(source->getOperand(0).getType());
  if (failed(verifyCompatibleShape(values, getWeights().getType())))
    return emitOpError() << "has weights of the type " << getWeights().getType()
                         << " for values of the type " << values;
  return success();
}

//===----------------------------------------------------------------------===//
// Of each row
//===----------------------------------------------------------------------===//

LogicalResult FillEmptyOp::verify() {
  return verifyNewValue(*this, getValue(), getResult());
}

/// No row is empty behind another one.
OpFoldResult FillEmptyOp::fold(FoldAdaptor) {
  return getInput().getDefiningOp<FillEmptyOp>() ? getInput() : Value();
}

LogicalResult LookupOp::verify() {
  int64_t length = getTable().getType().getDimSize(1);
  int64_t result = getResult().getType().getDimSize(1);
  if (length != result)
    return emitOpError() << "makes rows of the type " << getResult().getType()
                         << " of those of " << getTable().getType();
  return success();
}

FailureOr<SmallVector<Operation *>> LookupOp::findColumn() {
  SmallVector<Operation *> column;
  Value batch = getIds();
  while (Operation *maker = batch.getDefiningOp()) {
    if (!isa<ColDialect>(maker->getDialect()))
      break;
    column.push_back(maker);
    if (isa<FromDenseOp, FromOffsetsOp, FromCoordinatesOp>(maker)) {
      std::reverse(column.begin(), column.end());
      return column;
    }
    batch = maker->getOperand(0);
  }
  return failure();
}

/// How many rows a batch has that is taken from a tensor.
static OpFoldResult getBatchSize(OpBuilder &builder, Operation *source) {
  Location location = source->getLoc();
  if (auto dense = dyn_cast<FromDenseOp>(source))
    return tensor::getMixedSize(builder, location, dense.getValues(), 0);
  if (auto sparse = dyn_cast<FromCoordinatesOp>(source)) {
    Value first = arith::ConstantIndexOp::create(builder, location, 0);
    Value rows =
        tensor::ExtractOp::create(builder, location, sparse.getShape(), first);
    return arith::IndexCastOp::create(builder, location, builder.getIndexType(),
                                      rows)
        .getResult();
  }
  auto segments = cast<FromOffsetsOp>(source);
  OpFoldResult count =
      tensor::getMixedSize(builder, location, segments.getOffsets(), 0);
  if (auto known = dyn_cast<Attribute>(count))
    return builder.getIndexAttr(cast<IntegerAttr>(known).getInt() - 1);
  // No size is negative, although there has to be an offset.
  Value one = arith::ConstantIndexOp::create(builder, location, 1);
  Value least =
      arith::MaxUIOp::create(builder, location, cast<Value>(count), one);
  return arith::SubIOp::create(builder, location, least, one).getResult();
}

LogicalResult LookupOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  FailureOr<SmallVector<Operation *>> column = findColumn();
  if (failed(column))
    return failure();
  SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
  RankedTensorType type = getResult().getType();
  sizes.push_back(type.isDynamicDim(0)
                      ? getBatchSize(builder, column->front())
                      : builder.getIndexAttr(type.getDimSize(0)));
  sizes.push_back(tensor::getMixedSize(builder, getLoc(), getTable(), 1));
  return success();
}

//===----------------------------------------------------------------------===//
// What is in memory in front of columns
//===----------------------------------------------------------------------===//

LogicalResult TextIdsOp::verify() {
  ArrayRef<int64_t> places = getPlaces().getType().getShape();
  if (places.back() == 2 && places.drop_back() == getIds().getType().getShape())
    return success();
  return emitOpError() << "makes ids of the type " << getIds().getType()
                       << " of texts whose places are of the type "
                       << getPlaces().getType();
}

//===----------------------------------------------------------------------===//
// Of columns of the same structure
//===----------------------------------------------------------------------===//

LogicalResult InsertColumnsOp::verify() {
  size_t columns = getPlaces().size();
  if (columns == 0 || getTensors().size() % columns != 0)
    return emitOpError() << "has " << getTensors().size() << " tensors of "
                         << columns << " columns";
  for (int64_t place : getPlaces())
    if (place < 0)
      return emitOpError() << "has the place " << place;
  return success();
}

LogicalResult InsertColumnsOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto function =
      tables.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError() << "calls " << getCalleeAttr()
                         << ", which is no function";
  for (unsigned column : llvm::seq(getPlaces().size())) {
    SmallVector<Type> types(getTensorsOf(column).getTypes());
    types.append({getWhole().getType(), IndexType::get(getContext())});
    if (function.getFunctionType() !=
        FunctionType::get(getContext(), types, getResult().getType()))
      return emitOpError() << "calls " << getCalleeAttr() << " of type "
                           << function.getFunctionType() << " for column "
                           << column << " of tensors of other types";
  }
  return success();
}
