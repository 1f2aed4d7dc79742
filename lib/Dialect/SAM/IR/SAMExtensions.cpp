//===- SAMExtensions.cpp - Blocks for finite and fast hardware ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyStreams.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

using Types = SmallVectorImpl<Type>;

/// The same kind of stream, so many levels deeper.
static Type deeper(Value stream, int levels) {
  return withDepth(stream.getType(), depthOf(stream) + levels);
}

//===----------------------------------------------------------------------===//
// Parts of fibers
//===----------------------------------------------------------------------===//

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getCoordinates().getType());
  types.push_back(deeper(adaptor.getCoordinates(), 1));
  for (Value stream : adaptor.getStreams())
    types.push_back(deeper(stream, 1));
  return success();
}

LogicalResult SplitOp::verify() {
  SmallVector<Value> streams = {getCoordinates()};
  llvm::append_range(streams, getStreams());
  return verifySameDepth(*this, streams);
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getOuter().getType());
  for (Value stream : adaptor.getStreams()) {
    if (depthOf(stream) < 2)
      return emitOptionalError(location, "'sam.flatten' op has a stream beside "
                                         "the inner coordinates that has no "
                                         "lists to flatten");
    types.push_back(deeper(stream, -1));
  }
  return success();
}

LogicalResult FlattenOp::verify() {
  SmallVector<Value> streams = {getInner()};
  llvm::append_range(streams, getStreams());
  if (failed(verifyBelow(*this, getOuter(), getInner())))
    return failure();
  return verifySameDepth(*this, streams);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

LogicalResult StopDropOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor, Types &types) {
  types.push_back(withDepth(adaptor.getStream().getType(), 1));
  return success();
}

LogicalResult StopDropOp::verify() {
  if (depthOf(getStream()))
    return success();
  return emitOpError("drops the stops of one token, which has none");
}

LogicalResult AccumulateOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor, Types &types) {
  types.push_back(withDepth(adaptor.getValues().getType(),
                            adaptor.getCoordinates().size()));
  for (auto [level, coordinates] : llvm::enumerate(adaptor.getCoordinates()))
    types.push_back(withDepth(coordinates.getType(), level + 1));
  return success();
}

LogicalResult AccumulateOp::verify() {
  if (getCoordinates().empty())
    return emitOpError("has no coordinates to tell points apart by");
  for (Value stream : getOperands())
    if (depthOf(stream) != 1)
      return emitOpError() << "takes points, in one list, and is given "
                           << stream.getType() << " of ["
                           << describePath(stream)
                           << "]: drop its stops before";
  return success();
}

LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<cin::Function> function =
      cin::findCallee(*this, getCallee(), tables);
  if (failed(function))
    return failure();
  return function->verifyCombination(
      *this, cast<ValuesType>(getValues().getType()).getElement());
}

//===----------------------------------------------------------------------===//
// Lanes and memories
//===----------------------------------------------------------------------===//

/// More lanes than any machine has.
static constexpr int64_t mostLanes = 1024;

LogicalResult ParallelizeOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor, Types &types) {
  int64_t lanes = adaptor.getLanes();
  if (lanes > mostLanes)
    return emitOptionalError(location, "'sam.parallelize' op has ", lanes,
                             " lanes, and at most ", mostLanes, " are made");
  types.append(lanes, adaptor.getStream().getType());
  return success();
}

LogicalResult ParallelizeOp::verify() {
  if (depthOf(getStream()))
    return success();
  return emitOpError("deals one token, which has no elements");
}

LogicalResult SerializeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor, Types &types) {
  if (adaptor.getLanes().empty())
    return emitOptionalError(location, "'sam.serialize' op has no lane");
  types.push_back(adaptor.getLanes().front().getType());
  return success();
}

LogicalResult SerializeOp::verify() {
  for (Value lane : getLanes())
    if (lane.getType() != getStream().getType())
      return refuseDepths(*this, "has lanes of unlike type", getLanes().front(),
                          lane);
  if (depthOf(getStream()))
    return success();
  return emitOpError("joins lanes of one token, which has no elements");
}

LogicalResult BufferOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getStream().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Words of bits
//===----------------------------------------------------------------------===//

/// Words, and the positions beside them.
static void addWords(MLIRContext *context, unsigned width, unsigned depth,
                     Types &types) {
  types.push_back(BitVectorsType::get(context, width, depth));
  types.push_back(ReferencesType::get(context, depth));
}

LogicalResult BVScanOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location>,
                                         Adaptor adaptor, Types &types) {
  addWords(context, adaptor.getWidth(), depthOf(adaptor.getReferences()) + 1,
           types);
  return success();
}

LogicalResult BVScanOp::verify() {
  if (failed(verifyLevel(*this, getTensor(), getLevel())))
    return failure();
  const cin::Level &level = formatOf(getTensor()).levels[getLevel()];
  if (level.kind != cin::LevelKind::compressed || !level.isOrdered ||
      !level.isUnique)
    return emitOpError() << "scans level " << getLevel() << " of '"
                         << getTensorName(getTensor())
                         << "' as bits, which is not compressed, with "
                            "different coordinates in order";
  return verifyReferences(*this, getReferences(), getTensor(), getLevel());
}

LogicalResult BVConvertOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor, Types &types) {
  addWords(context, adaptor.getWidth(), depthOf(adaptor.getCoordinates()),
           types);
  return success();
}

LogicalResult BVConvertOp::verify() {
  return verifyLevel(*this, getTensor(), getLevel());
}

/// Words that are joined are of one type.
static LogicalResult inferJoined(std::optional<Location> location,
                                 StringRef name, ValueRange words,
                                 Types &types) {
  if (words.empty())
    return emitOptionalError(location, "'", name, "' op has no words to join");
  types.push_back(words.front().getType());
  return success();
}

static LogicalResult verifyJoined(Operation *op, ValueRange words) {
  for (Value side : words)
    if (side.getType() != words.front().getType())
      return refuseDepths(op, "has words of unlike type", words.front(), side);
  return success();
}

LogicalResult BVIntersectOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor, Types &types) {
  return inferJoined(location, getOperationName(), adaptor.getWords(), types);
}

LogicalResult BVIntersectOp::verify() {
  return verifyJoined(*this, getWords());
}

LogicalResult BVUnionOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor, Types &types) {
  return inferJoined(location, getOperationName(), adaptor.getWords(), types);
}

LogicalResult BVUnionOp::verify() { return verifyJoined(*this, getWords()); }

LogicalResult BVExpandOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor, Types &types) {
  unsigned depth = depthOf(adaptor.getJoined());
  types.push_back(CoordinatesType::get(context, depth));
  types.append(adaptor.getPositions().size(),
               ReferencesType::get(context, depth));
  return success();
}

ParseResult BVExpandOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand joined;
  SmallVector<OpAsmParser::UnresolvedOperand> words, positions;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(joined))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("of")) &&
      (parser.parseOperandList(words) || parser.parseKeyword("at") ||
       parser.parseOperandList(positions)))
    return failure();
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  auto vector = dyn_cast<BitVectorsType>(type);
  if (!vector)
    return parser.emitError(loc, "expected the type of words, such as "
                                 "!sam.bv<64, 1>");
  auto references = ReferencesType::get(parser.getContext(), vector.getDepth());
  if (parser.resolveOperand(joined, type, state.operands) ||
      parser.resolveOperands(words, type, state.operands) ||
      parser.resolveOperands(positions, references, state.operands))
    return failure();
  state.addAttribute(getOperandSegmentSizesAttrName(state.name),
                     parser.getBuilder().getDenseI32ArrayAttr(
                         {1, static_cast<int32_t>(words.size()),
                          static_cast<int32_t>(positions.size())}));
  state.addTypes(CoordinatesType::get(parser.getContext(), vector.getDepth()));
  state.types.append(positions.size(), references);
  return success();
}

void BVExpandOp::print(OpAsmPrinter &printer) {
  printer << " " << getJoined();
  if (!getWords().empty())
    printer << " of " << getWords() << " at " << getPositions();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getOperandSegmentSizesAttrName()});
  printer << " : " << getJoined().getType();
}

LogicalResult BVExpandOp::verify() {
  if (getWords().size() != getPositions().size())
    return emitOpError() << "has words of " << getWords().size()
                         << " sides and positions of " << getPositions().size();
  for (auto [side, positions] : llvm::zip(getWords(), getPositions())) {
    if (side.getType() != getJoined().getType())
      return refuseDepths(*this, "has words of unlike type", getJoined(), side);
    if (depthOf(positions) != depthOf(side))
      return refuseDepths(*this, "has positions of another depth", side,
                          positions);
  }
  return success();
}
