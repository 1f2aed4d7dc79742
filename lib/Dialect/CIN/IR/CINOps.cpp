//===- CINOps.cpp - Expressions and assignments ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedAttributes.h"
#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::cin;

/// Of `cin.assemble`.
static const StringRef elidedInAssemble[] = {"operandSegmentSizes", "counting",
                                             "locating"};

static ParseResult parseArrayAttributes(OpAsmParser &parser,
                                        NamedAttrList &attributes) {
  return parseAttributes<AssembleOp>(parser, attributes, /*hasKeyword=*/false,
                                     elidedInAssemble);
}

static void printArrayAttributes(OpAsmPrinter &printer, AssembleOp,
                                 DictionaryAttr attributes) {
  printer.printOptionalAttrDict(attributes.getValue(), elidedInAssemble);
}

#define GET_OP_CLASSES
#include "ember/Dialect/CIN/IR/CINOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// `[%i, %p]`, and their types where they are not all of type index.
static ParseResult
parseIndices(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices) {
  return parser.parseOperandList(indices, OpAsmParser::Delimiter::Square);
}

/// `array-type (index, i64)?`
static ParseResult parseTypes(OpAsmParser &parser,
                              ArrayRef<OpAsmParser::UnresolvedOperand> indices,
                              Type &array, SmallVectorImpl<Type> &indexTypes) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonType(array))
    return failure();
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseTypeList(indexTypes) || parser.parseRParen())
      return failure();
  } else {
    indexTypes.assign(indices.size(), parser.getBuilder().getIndexType());
  }
  if (indexTypes.size() != indices.size())
    return parser.emitError(loc) << indices.size() << " indices have "
                                 << indexTypes.size() << " types";
  return success();
}

static void printTypes(OpAsmPrinter &printer, Type array, ValueRange indices) {
  printer << " : " << array;
  bool areIndices = llvm::all_of(indices.getTypes(),
                                 [](Type type) { return type.isIndex(); });
  if (!areIndices)
    printer << " (" << indices.getTypes() << ")";
}

/// As many indices as `array` has dimensions; it is a name of an array.
static LogicalResult verifyPlace(Operation *op, Value array,
                                 ValueRange indices) {
  if (!isNamedArray(array))
    return op->emitOpError("has an array that is not one of those that the "
                           "cin.evaluate or a cin.where around it names");
  int64_t rank = cast<ShapedType>(array.getType()).getRank();
  if (rank == static_cast<int64_t>(indices.size()))
    return success();
  return op->emitOpError() << "has " << indices.size() << " indices of "
                           << array.getType() << ", which has " << rank
                           << (rank == 1 ? " dimension" : " dimensions");
}

void ScanOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<MemRefType>(getLengths().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getLengthsMutable());
}

LogicalResult ScanOp::verify() {
  if (!isNamedArray(getLengths()) || getLengths().getDefiningOp<ScanOp>() ||
      getLengths().getDefiningOp<RegroupOp>())
    return emitOpError("adds up an array that has no name");
  if (getWithin() && !isNamedArray(getWithin()))
    return emitOpError("has segments within an array that has no name");
  auto lengths = cast<ShapedType>(getLengths().getType());
  auto sums = cast<ShapedType>(getType());
  int64_t needed = lengths.isDynamicDim(0) ? ShapedType::kDynamic
                                           : lengths.getDimSize(0) + 1;
  if (sums.getDimSize(0) != needed ||
      isa<TensorType>(sums) != isa<TensorType>(lengths))
    return emitOpError() << "has a result of type " << sums
                         << ", which has not one element more than " << lengths;
  return success();
}

//===----------------------------------------------------------------------===//
// AccessOp
//===----------------------------------------------------------------------===//

LogicalResult AccessOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type array = adaptor.getArray().getType();
  types.push_back(adaptor.getStored() ? IntegerType::get(array.getContext(), 1)
                                      : getElementTypeOrSelf(array));
  return success();
}

void AccessOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<MemRefType>(getArray().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getArrayMutable());
}

ParseResult AccessOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand array;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  Type type;
  SmallVector<Type> indexTypes;
  bool isStored = succeeded(parser.parseOptionalKeyword("stored"));
  result.getOrAddProperties<Properties>().stored =
      isStored ? parser.getBuilder().getUnitAttr() : UnitAttr();
  if (parser.parseOperand(array) || parseIndices(parser, indices) ||
      parseAttributes<AccessOp>(parser, result.attributes,
                                /*hasKeyword=*/false, {"stored"}) ||
      parseTypes(parser, indices, type, indexTypes) ||
      parser.resolveOperand(array, type, result.operands) ||
      parser.resolveOperands(indices, indexTypes, parser.getNameLoc(),
                             result.operands))
    return failure();
  result.addTypes(isStored ? parser.getBuilder().getI1Type()
                           : getElementTypeOrSelf(type));
  return success();
}

void AccessOp::print(OpAsmPrinter &printer) {
  printer << (getStored() ? " stored " : " ") << getArray() << "["
          << getIndices() << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"stored"});
  printTypes(printer, getArray().getType(), getIndices());
}

LogicalResult AccessOp::verify() {
  if (getStored() && !isa<ArrayType>(getArray().getType()))
    return emitOpError("asks whether an element of a dense array is stored: "
                       "all are");
  return verifyPlace(*this, getArray(), getIndices());
}

LogicalResult ExtentOp::verify() {
  if (!isNamedArray(getArray()))
    return emitOpError("is not of an array that has a name");
  int64_t rank = cast<ShapedType>(getArray().getType()).getRank();
  if (static_cast<int64_t>(getDimension()) < rank)
    return success();
  return emitOpError() << "asks for dimension " << getDimension() << " of "
                       << getArray().getType();
}

LogicalResult SameSizeOp::verify() {
  if (!getVariable() && !getMessage())
    return emitOpError("says neither which variable asks for it nor what is "
                       "wrong otherwise");
  for (auto [array, dimension] :
       {std::pair(getFirst(), getFirstDimension()),
        std::pair(getSecond(), getSecondDimension())}) {
    if (!isNamedArray(array))
      return emitOpError("is about an array that has no name");
    auto type = cast<ShapedType>(array.getType());
    if (static_cast<int64_t>(dimension) >= type.getRank())
      return emitOpError() << "asks for dimension " << dimension << " of "
                           << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ApplyOp
//===----------------------------------------------------------------------===//

ParseResult ApplyOp::parse(OpAsmParser &parser, OperationState &result) {
  AffineMapAttr map;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parser.parseAttribute(map, "map", result.attributes) ||
      parser.parseLParen() || parser.parseOperandList(operands))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseTypeList(types))
      return failure();
  } else {
    types.assign(operands.size(), parser.getBuilder().getIndexType());
  }
  if (parser.parseRParen() ||
      parseAttributes<ApplyOp>(parser, result.attributes,
                               /*hasKeyword=*/false, {"map"}) ||
      parser.resolveOperands(operands, types, parser.getNameLoc(),
                             result.operands))
    return failure();
  result.addTypes(parser.getBuilder().getIndexType());
  return success();
}

void ApplyOp::print(OpAsmPrinter &printer) {
  printer << " " << getMapAttr() << "(" << getOperands();
  bool areIndices = llvm::all_of(getOperands().getTypes(),
                                 [](Type type) { return type.isIndex(); });
  if (!areIndices)
    printer << " : " << getOperands().getTypes();
  printer << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map"});
}

/// Whether an expression divides by what is no positive constant.
static bool dividesWrongly(AffineExpr expr) {
  bool isWrong = false;
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    isWrong |= !divisor || divisor.getValue() <= 0;
  });
  return isWrong;
}

LogicalResult ApplyOp::verify() {
  AffineMap map = getMap();
  if (map.getNumResults() != 1 || map.getNumSymbols() != 0)
    return emitOpError("has a map that is not one expression of dimensions");
  if (map.getNumDims() != getOperands().size())
    return emitOpError() << "has a map of " << map.getNumDims()
                         << " dimensions and " << getOperands().size()
                         << " operands";
  if (dividesWrongly(map.getResult(0)))
    return emitOpError("has a map that divides by something else than a "
                       "positive constant");
  return success();
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

ParseResult CallOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute callee;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  if (parseCallee(parser, callee) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parseAttributes<CallOp>(parser, result.attributes,
                              /*hasKeyword=*/false, {"callee"}) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), parser.getNameLoc(),
                             result.operands))
    return failure();
  result.getOrAddProperties<Properties>().callee = callee;
  result.addTypes(type.getResults());
  return success();
}

void CallOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printCallee(printer, getCallee());
  printer << "(" << getOperands() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"callee"});
  printer << " : ";
  printer.printFunctionalType(getOperation());
}

LogicalResult CallOp::verify() {
  if (!(*this)->getParentOfType<EvaluateOp>() &&
      !(*this)->getParentOfType<FunctionOp>())
    return emitOpError("is part of no statement and of no cin.function");
  // Others are looked up once all symbols are known.
  if (auto builtin = dyn_cast<BuiltinAttr>(getCallee()))
    return Function(*builtin).verifyCall(*this, getOperandTypes(), getType());
  return success();
}

bool ember::cin::isTotal(CallOp call) {
  Function function = call.getFunction();
  bool divides = function.is("div") || function.is("floordiv") ||
                 function.is("mod") || function.is("fmod");
  return function.getBuiltin() && (isa<FloatType>(call.getType()) || !divides);
}

void ember::cin::addConjuncts(Value condition,
                              SmallVectorImpl<Value> &conjuncts) {
  SmallVector<Value> open = {condition};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    auto call = value.getDefiningOp<CallOp>();
    if (call && call.getFunction().is("and"))
      open.append({call.getOperand(1), call.getOperand(0)});
    else
      conjuncts.push_back(value);
  }
}

//===----------------------------------------------------------------------===//
// StoredOp
//===----------------------------------------------------------------------===//

LogicalResult StoredOp::verify() {
  if (isa_and_nonnull<AccessOp, ReduceOp>(getValue().getDefiningOp()))
    return success();
  return emitOpError("is of something else than an element of an array or a "
                     "reduction");
}

//===----------------------------------------------------------------------===//
// AssignOp
//===----------------------------------------------------------------------===//

void AssignOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // Of tensors, too: an assignment is never dead.
  effects.emplace_back(MemoryEffects::Write::get(), &getArrayMutable());
}

static const StringRef elidedInAssign[] = {"callee", "operandSegmentSizes"};

ParseResult AssignOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute callee;
  OpAsmParser::UnresolvedOperand value, array, condition, first;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  Type type;
  SmallVector<Type> indexTypes;
  OptionalParseResult plain = parser.parseOptionalOperand(value);
  if (plain.has_value() ? failed(*plain)
                        : failed(parseCallee(parser, callee)) ||
                              failed(parser.parseOperand(value)))
    return failure();
  if (parser.parseKeyword("to") || parser.parseOperand(array) ||
      parseIndices(parser, indices))
    return failure();
  bool isMasked = succeeded(parser.parseOptionalKeyword("where"));
  if (isMasked && parser.parseOperand(condition))
    return failure();
  bool hasFirst = succeeded(parser.parseOptionalKeyword("first"));
  if (hasFirst && parser.parseOperand(first))
    return failure();
  if (parseAttributes<AssignOp>(parser, result.attributes,
                                /*hasKeyword=*/false, elidedInAssign) ||
      parseTypes(parser, indices, type, indexTypes))
    return failure();
  Type boolean = parser.getBuilder().getI1Type();
  if (parser.resolveOperand(value, getElementTypeOrSelf(type),
                            result.operands) ||
      parser.resolveOperand(array, type, result.operands) ||
      parser.resolveOperands(indices, indexTypes, parser.getNameLoc(),
                             result.operands) ||
      (isMasked &&
       parser.resolveOperand(condition, boolean, result.operands)) ||
      (hasFirst && parser.resolveOperand(first, boolean, result.operands)))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.callee = callee;
  properties.operandSegmentSizes = {1, 1, static_cast<int32_t>(indices.size()),
                                    isMasked ? 1 : 0, hasFirst ? 1 : 0};
  return success();
}

void AssignOp::print(OpAsmPrinter &printer) {
  printer << " ";
  if (isCombining()) {
    printCallee(printer, *getCallee());
    printer << " ";
  }
  printer << getValue() << " to " << getArray() << "[" << getIndices() << "]";
  if (Value condition = getCondition())
    printer << " where " << condition;
  if (Value first = getFirst())
    printer << " first " << first;
  printer.printOptionalAttrDict((*this)->getAttrs(), elidedInAssign);
  printTypes(printer, getArray().getType(), getIndices());
}

LogicalResult AssignOp::verify() {
  if (failed(verifyPlace(*this, getArray(), getIndices())))
    return failure();
  Type element = getElementTypeOrSelf(getArray().getType());
  if (getValue().getType() != element)
    return emitOpError() << "stores a value of type " << getValue().getType()
                         << " in an array of " << element;
  if (std::optional<TypedAttr> fill = getFill();
      fill && (isCombining() || fill->getType() != element))
    return emitOpError("has a fill that is not what a plain assignment of its "
                       "type may find");
  if (!isCombining() && getFirst())
    return emitOpError("has a first value of those that it combines, and no "
                       "function to combine them with");
  if (auto builtin = dyn_cast_if_present<BuiltinAttr>(getCalleeAttr()))
    return verifyFunction(*builtin);
  return success();
}

//===----------------------------------------------------------------------===//
// WhereOp
//===----------------------------------------------------------------------===//

void WhereOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "workspace");
}

ParseResult WhereOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument workspace;
  SmallVector<OpAsmParser::UnresolvedOperand> sizes;
  if (parser.parseLParen() ||
      parser.parseArgument(workspace, /*allowType=*/true))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(sizes.emplace_back()))
      return failure();
  if (parser.parseRParen() ||
      parseAttributes<WhereOp>(parser, result.attributes, /*hasKeyword=*/true,
                               {}) ||
      parser.parseRegion(*result.addRegion(), workspace) ||
      parser.parseKeyword("produced") ||
      parser.parseRegion(*result.addRegion(), workspace) ||
      parser.resolveOperands(sizes, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  for (auto &region : result.regions)
    if (region->empty())
      return parser.emitError(parser.getNameLoc(), "has an empty body");
  return success();
}

void WhereOp::print(OpAsmPrinter &printer) {
  BlockArgument workspace = getConsumers().getArgument(0);
  printer << " (" << workspace << " : " << workspace.getType();
  for (Value size : getSizes())
    printer << ", " << size;
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " ";
  printer.printRegion(getConsumers(), /*printEntryBlockArgs=*/false);
  printer << " produced ";
  // The same name in both.
  printer.shadowRegionArgs(getProducers(), workspace);
  printer.printRegion(getProducers(), /*printEntryBlockArgs=*/false);
}

LogicalResult WhereOp::verify() {
  for (Region &region : (*this)->getRegions())
    if (region.getNumArguments() != 1 ||
        !isa<RankedTensorType, MemRefType, ArrayType>(
            region.getArgument(0).getType()))
      return emitOpError("has regions that know something else than one "
                         "workspace");
  ShapedType type = getWorkspaceType();
  if (getProducers().getArgument(0).getType() != type)
    return emitOpError("has a workspace of one type in its consumers and of "
                       "another one in its producers");
  if (auto array = dyn_cast<ArrayType>(type)) {
    ArrayRef<Level> levels = array.getFormat().getLevels();
    bool areDense = llvm::all_of(levels.drop_back(), [](const Level &level) {
      return level.kind == LevelKind::dense;
    });
    bool isInOrder = llvm::equal(array.getFormat().getOrder(),
                                 llvm::seq<unsigned>(0, levels.size()));
    const Level &last = levels.back();
    bool isKnown = last.isUnique && (last.kind == LevelKind::compressed ||
                                     last.kind == LevelKind::bitmap);
    if (!areDense || !isKnown || !isInOrder)
      return emitOpError("has a workspace in another format than one whose "
                         "last level is compressed or a bitmap, and all others "
                         "dense, in the order of dimensions");
    if (!last.isOrdered && levels.size() > 1)
      return emitOpError("has an unordered workspace of several dimensions");
    for (Operation *user : getProducers().getArgument(0).getUsers())
      if (isa<AccessOp>(user))
        return user->emitError("reads a workspace that its elements are still "
                               "added to");
    for (Operation *user : getConsumers().getArgument(0).getUsers())
      if (isa<AssignOp>(user))
        return user->emitError("assigns to a workspace that is read");
  }
  if (type.getNumDynamicDims() != getSizes().size())
    return emitOpError() << "has " << getSizes().size() << " sizes for "
                         << type.getNumDynamicDims()
                         << " dimensions of a size that is not known";
  for (Value size : getSizes()) {
    auto extent = size.getDefiningOp<ExtentOp>();
    if (!extent ||
        !isa<EvaluateOp>(extent.getArray().getParentBlock()->getParentOp()))
      return emitOpError("has a size that is not the cin.extent of an array "
                         "that the cin.evaluate around it names");
  }
  return success();
}
