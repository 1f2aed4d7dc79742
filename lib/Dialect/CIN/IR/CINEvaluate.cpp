//===- CINEvaluate.cpp - Where statements stand ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedAttributes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/IR/ProgramOrder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::cin;

void EvaluateOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  auto add = [&](OpOperand &operand, MemoryEffects::Effect *effect) {
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(effect, &operand,
                           SideEffects::DefaultResource::get());
  };
  for (OpOperand &operand : (*this)->getOpOperands()) {
    add(operand, MemoryEffects::Read::get());
    if (isDpsInit(&operand))
      add(operand, MemoryEffects::Write::get());
  }
}

LogicalResult
EvaluateOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  for (OpResult result : getResults())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(),
                                           getTiedOpOperand(result)->get()));
  return success();
}

std::string EvaluateOp::getNameOf(Value array) {
  if (auto assemble = array.getDefiningOp<AssembleOp>())
    return assemble.getName() ? assemble.getName()->str()
                              : getNameOf(assemble.getValues());
  if (auto compact = array.getDefiningOp<CompactOp>())
    return getNameOf(compact.getMemory());
  if (auto temporary = array.getDefiningOp<TemporaryOp>())
    return temporary.getName() ? temporary.getName()->str() : "a temporary";
  if (auto scan = array.getDefiningOp<ScanOp>())
    return "the segments of " + getNameOf(scan.getLengths());
  if (auto reserve = array.getDefiningOp<ReserveOp>())
    return getNameOf(reserve.getCounted());
  if (auto regroup = array.getDefiningOp<RegroupOp>())
    return "the copy of " + getNameOf(regroup.getArray());
  auto argument = cast<BlockArgument>(array);
  if (argument.getOwner() != getBody())
    return "a workspace";
  if (std::optional<ArrayAttr> names = getNames())
    return cast<StringAttr>((*names)[argument.getArgNumber()]).str();
  return "array #" + std::to_string(argument.getArgNumber());
}

/// What `array` is of the levels of `whole`: "positions of level 1".
static std::string describeLevelArray(AssembleOp whole, Value array) {
  for (auto [number, level] :
       llvm::enumerate(whole.getType().getFormat().getLevels())) {
    unsigned first = whole.getFirstArrayOf(number);
    OperandRange mine = whole.getLevels().slice(first, level.countArrays());
    auto found = llvm::find(mine, array);
    if (found == mine.end())
      continue;
    bool isFirst = found == mine.begin();
    StringRef what = level.kind == LevelKind::bitmap ? "marks"
                     : isFirst && mine.size() > 1    ? "positions"
                                                     : "coordinates";
    return (what + " of level " + Twine(number)).str();
  }
  return "";
}

std::string EvaluateOp::getDescriptionOf(Value array) {
  // What is no array of the user's is described, and has no quotes.
  auto quote = [](const std::string &name) {
    return StringRef(name).contains(' ') ? name : "'" + name + "'";
  };
  for (Operation *user : getUsersInOrder(array)) {
    auto whole = dyn_cast<AssembleOp>(user);
    if (!whole || whole.getCounting() || whole.getLocating())
      continue;
    std::string name = quote(getNameOf(whole));
    if (std::string level = describeLevelArray(whole, array); !level.empty())
      return level + " of " + name;
    if (whole.getValues() == array)
      return whole.getEncoding() ? name : "values of " + name;
  }
  return quote(getNameOf(array));
}

void EvaluateOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  nameVariables(getNames(), region, setName);
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(%name = %value, ... : types)`
static ParseResult
parseNamed(OpAsmParser &parser,
           SmallVectorImpl<OpAsmParser::Argument> &arguments,
           SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
           SmallVectorImpl<Type> &types) {
  SmallVector<OpAsmParser::Argument> mine;
  auto parsePair = [&] {
    return failure(parser.parseArgument(mine.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SmallVector<Type> mineTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseCommaSeparatedList(parsePair) ||
      parser.parseColonTypeList(mineTypes) || parser.parseRParen())
    return failure();
  if (mine.size() != mineTypes.size())
    return parser.emitError(loc)
           << mine.size() << " operands have " << mineTypes.size() << " types";
  for (auto [argument, type] : llvm::zip_equal(mine, mineTypes))
    argument.type = type;
  llvm::append_range(arguments, mine);
  llvm::append_range(types, mineTypes);
  return success();
}

static const StringRef elidedInEvaluate[] = {"operandSegmentSizes"};

ParseResult EvaluateOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalKeyword("ins")))
    if (parseNamed(parser, arguments, operands, types))
      return failure();
  size_t inputs = operands.size();
  if (parser.parseKeyword("outs") ||
      parseNamed(parser, arguments, operands, types) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parseAttributes<EvaluateOp>(parser, result.attributes,
                                  /*hasKeyword=*/true, elidedInEvaluate) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.resolveOperands(operands, types, parser.getNameLoc(),
                             result.operands))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(inputs),
      static_cast<int32_t>(operands.size() - inputs)};
  if (result.regions.front()->empty())
    result.regions.front()->emplaceBlock();
  return success();
}

void EvaluateOp::print(OpAsmPrinter &printer) {
  auto printNamed = [&](StringRef keyword, OperandRange operands,
                        unsigned first) {
    if (operands.empty())
      return;
    printer << " " << keyword << "(";
    llvm::interleaveComma(llvm::enumerate(operands), printer, [&](auto pair) {
      printer.printOperand(getBody()->getArgument(first + pair.index()));
      printer << " = ";
      printer.printOperand(pair.value());
    });
    printer << " : " << operands.getTypes() << ")";
  };
  printNamed("ins", getInputs(), 0);
  printNamed("outs", getInits(), getInputs().size());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           elidedInEvaluate);
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether each index of what is assigned to is a variable of its own.
static bool areVariables(OperandRange indices) {
  return llvm::all_of(llvm::enumerate(indices), [&](auto pair) {
    auto [number, index] = pair;
    auto variable = dyn_cast<BlockArgument>(index);
    return variable && isa<ForallOp>(variable.getOwner()->getParentOp()) &&
           !llvm::is_contained(indices.take_front(number), index);
  });
}

/// What is in a format is appended to: by one statement, of which the variables
/// are the indices. Where no level lists what it stores, places follow from
/// indices of any kind.
static LogicalResult verifyAppend(AssignOp assign, StringRef name) {
  if (assign.isCombining())
    return assign.emitError()
           << "combines values with elements of " << name
           << ", which is in a format and is appended to: assign a reduction "
              "instead";
  FormatAttr format = cast<ArrayType>(assign.getArray().getType()).getFormat();
  if (!format.isLocated() && !areVariables(assign.getIndices()))
    return assign.emitError()
           << "assigns to " << name
           << ", which lists what it stores, at an index that is no variable "
              "of its own: assign to an array of dense and bitmap levels, or "
              "to a temporary that another statement copies to "
           << name;
  Operation *statement = assign;
  while (!isa<EvaluateOp>(statement->getParentOp()))
    statement = statement->getParentOp();
  for (Operation *user : assign.getArray().getUsers())
    if (isa<AccessOp>(user) && statement->isProperAncestor(user))
      return user->emitError()
             << "reads " << name
             << ", which is in a format, in the statement that assigns to it: "
                "assign to another array";
  auto isOther = [&](Operation *user) {
    auto other = dyn_cast<AssignOp>(user);
    return other && other != assign && other.getArray() == assign.getArray();
  };
  if (llvm::any_of(assign.getArray().getUsers(), isOther))
    return assign.emitError()
           << "is one of several statements that assign to " << name
           << ", which is in a format: only one can append to it";
  return success();
}

LogicalResult EvaluateOp::verify() {
  Block &body = *getBody();
  if (body.getArgumentTypes() != (*this)->getOperandTypes())
    return emitOpError("has a name for each operand, of the operand's type, "
                       "and its body has others");
  if (std::optional<ArrayAttr> names = getNames();
      names && names->size() != body.getNumArguments())
    return emitOpError() << "has " << names->size() << " names for "
                         << body.getNumArguments() << " operands";
  if (getInits().empty())
    return emitOpError("has no outs, so that it has no effect");
  for (Type type : (*this)->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getEncoding())
      return emitOpError() << "has an operand of type " << tensor
                           << ", which is not dense; convert it to a tensor "
                              "without encoding first";
  bool onTensors = isa<TensorType>(getInits().front().getType());
  for (Type type : (*this)->getOperandTypes())
    if (isa<ShapedType>(type) && isa<TensorType>(type) != onTensors)
      return emitOpError("mixes tensors and memrefs; all must be the one or "
                         "the other");
  if (getNumResults() != (onTensors ? getInits().size() : 0))
    return emitOpError(onTensors ? "on tensors has a result for each of outs"
                                 : "on memrefs has no results");
  return success();
}

LogicalResult EvaluateOp::verifyRegions() {
  Block &body = *getBody();
  for (Operation &op : body)
    if (!isa<ForallOp, AssembleOp, CompactOp, RegroupOp, ReserveOp, SameSizeOp,
             ScanOp, TemporaryOp, ExtentOp, ApplyOp, LiteralOp>(op))
      return op.emitOpError("stands outside of any statement");
  // Each array that is assigned to is one of outs, or is stored in some, or is
  // a workspace or a temporary.
  auto isOut = [&](Value array) {
    auto name = dyn_cast<BlockArgument>(array);
    if (!name)
      return !isa<RegroupOp, ScanOp>(array.getDefiningOp());
    return name.getOwner() != &body || isInit(name);
  };
  WalkResult walk = getRegion().walk([&](AssignOp assign) {
    Value array = assign.getArray();
    auto assemble = array.getDefiningOp<AssembleOp>();
    if (assemble && assemble.getEncoding()) {
      assign.emitError() << "assigns to " << getNameOf(array)
                         << ", whose elements are encoded, which is done row "
                            "by row: assign to an array of floats, and encode "
                            "that";
      return WalkResult::interrupt();
    }
    if (assemble && assemble.getLocating()) {
      assign.emitError() << "assigns to what says where elements of "
                         << getNameOf(array) << " are";
      return WalkResult::interrupt();
    }
    bool isWritable = assemble ? isOut(assemble.getValues()) &&
                                     llvm::all_of(assemble.getLevels(), isOut)
                               : isOut(array);
    bool isStored = assemble || (isa<ArrayType>(array.getType()) &&
                                 array.getDefiningOp<TemporaryOp>());
    if (isStored && isWritable &&
        failed(verifyAppend(assign, getNameOf(array))))
      return WalkResult::interrupt();
    if (isWritable)
      return failed(verifyDistinct(assign, getNameOf(array)))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    assign.emitOpError() << "assigns to " << getNameOf(array)
                         << ", which is not one of outs";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  for (auto compact : body.getOps<CompactOp>())
    if (failed(compact.verifyAssignment()))
      return failure();
  return success();
}
