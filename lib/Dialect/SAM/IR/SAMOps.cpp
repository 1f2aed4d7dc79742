//===- SAMOps.cpp - Types and verification of blocks ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyStreams.h"
#include "ember/Dialect/SAM/IR/TokenText.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

static ParseResult parseCallee(OpAsmParser &parser, Attribute &callee) {
  return cin::parseCallee(parser, callee);
}

static void printCallee(OpAsmPrinter &printer, Operation *, Attribute callee) {
  cin::printCallee(printer, callee);
}

#define GET_OP_CLASSES
#include "ember/Dialect/SAM/IR/SAMOps.cpp.inc"

unsigned ember::sam::depthOf(Value stream) {
  return getDepth(stream.getType()).value_or(0);
}

LogicalResult ember::sam::refuseDepths(Operation *op, StringRef what,
                                       Value first, Value second) {
  return op->emitOpError() << what << ": " << first.getType() << " of ["
                           << describePath(first) << "] and "
                           << second.getType() << " of ["
                           << describePath(second) << "]";
}

LogicalResult ember::sam::verifySameDepth(Operation *op, ValueRange streams) {
  for (Value stream : streams)
    if (depthOf(stream) != depthOf(streams.front()))
      return refuseDepths(op, "has streams of unlike depth", streams.front(),
                          stream);
  return success();
}

LogicalResult ember::sam::verifyBelow(Operation *op, Value outer, Value inner) {
  if (depthOf(inner) == depthOf(outer) + 1)
    return success();
  return refuseDepths(op, "has an inner stream that is not one level deeper",
                      outer, inner);
}

TensorFormat ember::sam::formatOf(Value tensor) {
  std::string reason;
  return TensorFormat::of(tensor.getType(), reason).value_or(TensorFormat());
}

LogicalResult ember::sam::verifyLevel(Operation *op, Value tensor,
                                      uint64_t level) {
  unsigned levels = formatOf(tensor).size();
  if (level < levels)
    return success();
  return op->emitOpError() << "is of level " << level << " of '"
                           << getTensorName(tensor) << "', which has "
                           << levels;
}

LogicalResult ember::sam::verifyReferences(Operation *op, Value references,
                                           Value tensor, unsigned level) {
  std::optional<ReferencedLevel> above = findReferencedLevel(references);
  if (!above || !isa<RankedTensorType>(tensor.getType()) ||
      (above->tensor == tensor && above->level + 1 == level))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "needs positions of '"
                                               << getTensorName(tensor) << "' ";
  if (level)
    error << "at level " << level - 1;
  else
    error << "above its first level, which the root has,";
  return error << " and is given those of '" << getTensorName(above->tensor)
               << "' at level " << above->level << ", of ["
               << describePath(references) << "]";
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

LogicalResult RootOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, Adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(ReferencesType::get(context, 0));
  return success();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(ValuesType::get(context, adaptor.getValue().getType(),
                                  depthOf(adaptor.getAlong())));
  return success();
}

LogicalResult StreamOp::verify() {
  std::string reason;
  if (parseTokens(getTokens(), getStream().getType(), reason))
    return success();
  return emitOpError() << "has tokens that are no " << getStream().getType()
                       << ": " << reason;
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  unsigned depth = depthOf(adaptor.getReferences()) + 1;
  types.push_back(CoordinatesType::get(context, depth));
  types.push_back(ReferencesType::get(context, depth));
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyLevel(*this, getTensor(), getLevel())))
    return failure();
  if (getAll())
    return success();
  TensorFormat format = formatOf(getTensor());
  const cin::Level &level = format.levels[getLevel()];
  if (!level.isOrdered)
    return emitOpError() << "scans level " << getLevel() << " of '"
                         << getTensorName(getTensor())
                         << "', whose coordinates are not in order";
  // What a coordinate has is told apart by the coordinates below it.
  if (!level.isUnique &&
      (getLevel() + 1 >= format.size() ||
       format.levels[getLevel() + 1].kind != cin::LevelKind::singleton))
    return emitOpError() << "scans level " << getLevel() << " of '"
                         << getTensorName(getTensor())
                         << "', whose coordinates are not different, and "
                            "there is no singleton below it";
  return verifyReferences(*this, getReferences(), getTensor(), getLevel());
}

LogicalResult LocateOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getReferences().getType());
  return success();
}

LogicalResult LocateOp::verify() {
  if (failed(verifyLevel(*this, getTensor(), getLevel())) ||
      failed(verifySameDepth(*this, {getReferences(), getCoordinates()})))
    return failure();
  TensorFormat format = formatOf(getTensor());
  cin::LevelKind kind = format.levels[getLevel()].kind;
  if (kind != cin::LevelKind::dense && kind != cin::LevelKind::bitmap)
    return emitOpError() << "locates in level " << getLevel() << " of '"
                         << getTensorName(getTensor()) << "', which is "
                         << cin::getName(kind);
  if (!getStrided())
    return verifyReferences(*this, getReferences(), getTensor(), getLevel());
  if (kind != cin::LevelKind::dense || format.getDenseRun(getLevel()).first)
    return emitOpError() << "is strided, and level " << getLevel() << " of '"
                         << getTensorName(getTensor())
                         << "' is not among its outermost dense levels";
  return success();
}

LogicalResult RepeatOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type type = adaptor.getStream().getType();
  types.push_back(withDepth(type, getDepth(type).value_or(0) + 1));
  return success();
}

Value RepeatOp::getDriver() {
  auto signal = getSignal().getDefiningOp<RepeatSignalOp>();
  return signal ? signal.getCoordinates() : Value();
}

LogicalResult RepeatOp::verify() {
  Value driver = getDriver();
  if (!driver)
    return emitOpError("has a signal that no sam.repeat_signal makes");
  return verifyBelow(*this, getStream(), driver);
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(ValuesType::get(context,
                                  getElementTypeOrSelf(adaptor.getTensor()),
                                  depthOf(adaptor.getReferences())));
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyReferences(*this, getReferences(), getTensor(),
                          formatOf(getTensor()).size());
}

static Type elementOf(Value values) {
  return cast<ValuesType>(values.getType()).getElement();
}

LogicalResult AluOp::verify() {
  if (getOperands().empty())
    return emitOpError("has no operand");
  SmallVector<Value> streams(getOperands());
  streams.push_back(getResult());
  return verifySameDepth(*this, streams);
}

LogicalResult AluOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<cin::Function> function =
      cin::findCallee(*this, getCallee(), tables);
  if (failed(function))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(getOperands(), elementOf);
  return function->verifyCall(*this, types, elementOf(getResult()));
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  unsigned dimensions = adaptor.getCoordinates().size();
  Value values = adaptor.getValues();
  if (depthOf(values) <= dimensions)
    return emitOptionalError(location, "'sam.reduce' op of ", dimensions,
                             " dimensions takes away the level above them, "
                             "and its values are nested ",
                             depthOf(values), " deep");
  types.push_back(withDepth(values.getType(), depthOf(values) - 1));
  for (Value coordinates : adaptor.getCoordinates()) {
    if (depthOf(coordinates) < 2)
      return emitOptionalError(location, "'sam.reduce' op has coordinates of "
                                         "the outermost level, above which "
                                         "there is nothing to take away");
    types.push_back(withDepth(coordinates.getType(), depthOf(coordinates) - 1));
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  unsigned dimensions = getCoordinates().size();
  for (auto [number, coordinates] : llvm::enumerate(getCoordinates()))
    if (depthOf(coordinates) != depthOf(getValues()) - dimensions + 1 + number)
      return refuseDepths(*this,
                          "has coordinates that are not those of the innermost "
                          "levels, outermost first",
                          getValues(), coordinates);
  return success();
}

LogicalResult ReduceOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<cin::Function> function =
      cin::findCallee(*this, getCallee(), tables);
  if (failed(function))
    return failure();
  return function->verifyCombination(*this, elementOf(getValues()));
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

LogicalResult CrdDropOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getOuter().getType());
  types.push_back(adaptor.getInner().getType());
  return success();
}

LogicalResult CrdDropOp::verify() {
  if (isa<ValuesType>(getInner().getType()) &&
      depthOf(getInner()) == depthOf(getOuter()))
    return success();
  return verifyBelow(*this, getOuter(), getInner());
}

LogicalResult CrdHoldOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.append(2, adaptor.getInner().getType());
  return success();
}

LogicalResult CrdHoldOp::verify() {
  return verifyBelow(*this, getOuter(), getInner());
}

/// What is written to is a result of the graph, and no block reads it.
static LogicalResult verifyResult(Operation *op, Value tensor) {
  auto graph = cast<GraphOp>(op->getParentOp());
  if (!isa<BlockArgument>(tensor) || !graph.isInit(tensor))
    return op->emitOpError() << "writes to '" << getTensorName(tensor)
                             << "', which is not among the outs of the graph";
  return success();
}

static LogicalResult verifyElements(Operation *op, Value values, Value tensor) {
  Type element = getElementTypeOrSelf(tensor);
  if (elementOf(values) == element)
    return success();
  return op->emitOpError() << "writes values of type " << elementOf(values)
                           << " to '" << getTensorName(tensor)
                           << "', whose elements are of " << element;
}

LogicalResult WriteLevelOp::verify() {
  if (failed(verifyResult(*this, getTensor())) ||
      failed(verifyLevel(*this, getTensor(), getLevel())))
    return failure();
  if (std::string reason = formatOf(getTensor()).findUnwritten(getLevel());
      !reason.empty())
    return emitOpError() << "writes level " << getLevel() << " of '"
                         << getTensorName(getTensor()) << "', which " << reason;
  if (depthOf(getCoordinates()) != getLevel() + 1)
    return emitOpError() << "writes level " << getLevel() << " of '"
                         << getTensorName(getTensor()) << "' from "
                         << getCoordinates().getType() << " of ["
                         << describePath(getCoordinates())
                         << "], expected a depth of " << getLevel() + 1;
  return success();
}

LogicalResult WriteValuesOp::verify() {
  if (failed(verifyResult(*this, getTensor())))
    return failure();
  return verifyElements(*this, getValues(), getTensor());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyResult(*this, getTensor())) ||
      failed(verifyElements(*this, getValues(), getTensor())) ||
      failed(verifySameDepth(*this, {getValues(), getReferences()})))
    return failure();
  if (!formatOf(getTensor()).isDense())
    return emitOpError() << "stores to '" << getTensorName(getTensor())
                         << "', which has levels that are not dense";
  return success();
}
