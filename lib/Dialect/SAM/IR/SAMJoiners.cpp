//===- SAMJoiners.cpp - Intersecters and unioners -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/IR/SAM.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Coordinates, what is beside them on each side, and with `gallop` a stream
/// back to each.
static SmallVector<Type> makeResults(MLIRContext *context, TypeRange streams,
                                     ArrayRef<int32_t> sizes, bool gallop) {
  SmallVector<Type> results;
  if (streams.empty())
    return results;
  results.push_back(streams.front());
  size_t begin = 0;
  for (int32_t size : sizes) {
    for (int32_t number = 1; number < size; ++number)
      if (begin + number < streams.size())
        results.push_back(streams[begin + number]);
    begin += size;
  }
  if (gallop)
    results.append(sizes.size(), SkipType::get(context));
  return results;
}

static void build(OpBuilder &builder, OperationState &state,
                  ArrayRef<SmallVector<Value>> sides, StringAttr sizesName,
                  bool gallop = false) {
  SmallVector<int32_t> sizes;
  SmallVector<Type> types;
  for (const SmallVector<Value> &side : sides) {
    state.addOperands(side);
    sizes.push_back(side.size());
    for (Value stream : side)
      types.push_back(stream.getType());
  }
  state.addAttribute(sizesName, builder.getDenseI32ArrayAttr(sizes));
  state.addTypes(makeResults(builder.getContext(), types, sizes, gallop));
}

void IntersectOp::build(OpBuilder &builder, OperationState &state,
                        ArrayRef<SmallVector<Value>> sides, bool gallop) {
  ::build(builder, state, sides, getSizesAttrName(state.name), gallop);
  if (gallop)
    state.addAttribute(getGallopAttrName(state.name), builder.getUnitAttr());
}

void UnionOp::build(OpBuilder &builder, OperationState &state,
                    ArrayRef<SmallVector<Value>> sides) {
  ::build(builder, state, sides, getSizesAttrName(state.name));
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(%c, %r), (%d, %s) : (!sam.crd<1>, !sam.ref<1>), (...)`
static ParseResult parseSides(OpAsmParser &parser, OperationState &state,
                              StringAttr sizesName, bool gallop) {
  SmallVector<OpAsmParser::UnresolvedOperand> streams;
  SmallVector<int32_t> sizes;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  auto parseSide = [&]() -> ParseResult {
    size_t before = streams.size();
    if (parser.parseOperandList(streams, AsmParser::Delimiter::Paren))
      return failure();
    sizes.push_back(streams.size() - before);
    return success();
  };
  auto parseTypes = [&]() -> ParseResult {
    if (parser.parseLParen())
      return failure();
    return failed(parser.parseTypeList(types)) ? failure()
                                               : parser.parseRParen();
  };
  if (parser.parseCommaSeparatedList(parseSide) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseCommaSeparatedList(parseTypes) ||
      parser.resolveOperands(streams, types, loc, state.operands))
    return failure();
  state.addAttribute(sizesName,
                     parser.getBuilder().getDenseI32ArrayAttr(sizes));
  state.addTypes(makeResults(parser.getContext(), types, sizes, gallop));
  return success();
}

template <typename JoinerOp>
static void printSides(OpAsmPrinter &printer, JoinerOp op,
                       ArrayRef<StringRef> elided) {
  auto interleave = [&](auto print) {
    for (unsigned side = 0; side < op.countSides(); ++side) {
      printer << (side ? ", (" : "(");
      print(op.getSide(side));
      printer << ")";
    }
  };
  interleave([&](OperandRange streams) { printer << streams; });
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  interleave([&](OperandRange streams) { printer << streams.getTypes(); });
}

ParseResult IntersectOp::parse(OpAsmParser &parser, OperationState &state) {
  bool gallop = succeeded(parser.parseOptionalKeyword("gallop"));
  if (gallop)
    state.addAttribute(getGallopAttrName(state.name),
                       parser.getBuilder().getUnitAttr());
  return parseSides(parser, state, getSizesAttrName(state.name), gallop);
}

void IntersectOp::print(OpAsmPrinter &printer) {
  printer << (getGallop() ? " gallop " : " ");
  printSides(printer, *this, {getSizesAttrName(), getGallopAttrName()});
}

ParseResult UnionOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseSides(parser, state, getSizesAttrName(state.name), false);
}

void UnionOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printSides(printer, *this, {getSizesAttrName()});
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

template <typename JoinerOp>
static LogicalResult verifyJoiner(JoinerOp op, bool gallop) {
  int64_t count = 0;
  for (int32_t size : op.getSizes()) {
    if (size < 1)
      return op.emitOpError("has a side without coordinates");
    count += size;
  }
  if (op.getSizes().size() < 2)
    return op.emitOpError("has fewer than two sides to join");
  if (count != static_cast<int64_t>(op.getStreams().size()))
    return op.emitOpError() << "has sides of " << count << " streams and "
                            << op.getStreams().size() << " operands";
  Value first = op.getSide(0).front();
  for (unsigned side = 0; side < op.countSides(); ++side) {
    OperandRange streams = op.getSide(side);
    if (!isa<CoordinatesType>(streams.front().getType()))
      return op.emitOpError()
             << "has a side that begins with " << streams.front().getType()
             << ", expected coordinates";
    for (Value stream : streams)
      if (getDepth(stream.getType()) != getDepth(first.getType()))
        return op.emitOpError()
               << "joins streams of unlike depth: " << first.getType()
               << " of [" << describePath(first) << "] and " << stream.getType()
               << " of [" << describePath(stream) << "]";
  }
  SmallVector<Type> results = makeResults(
      op.getContext(), op.getStreams().getTypes(), op.getSizes(), gallop);
  if (!llvm::equal(results, op->getResultTypes()))
    return op.emitOpError("has results of other types than what it joins");
  return success();
}

LogicalResult IntersectOp::verify() { return verifyJoiner(*this, getGallop()); }
LogicalResult UnionOp::verify() { return verifyJoiner(*this, false); }
