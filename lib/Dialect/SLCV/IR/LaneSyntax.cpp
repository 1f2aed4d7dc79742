//===- LaneSyntax.cpp - How vectors of lanes are written ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/IR/LaneSyntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slcv;
using ember::slc::lanesOf;
using ember::slc::StreamType;

ParseResult ember::slcv::parseLanes(OpAsmParser &parser,
                                    IntegerAttr &vectorLength,
                                    LoopConfigAttr &config) {
  int64_t lanes;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseInteger(lanes) || parser.parseGreater())
    return failure();
  // The types of block arguments are made of it before the verifier runs.
  if (lanes < 1 || lanes > maxVectorLength)
    return parser.emitError(loc, "vector length must be in [1, ")
           << maxVectorLength << "], not " << lanes;
  vectorLength = parser.getBuilder().getI64IntegerAttr(lanes);
  LoopConfig parsed = LoopConfig::vector;
  if (succeeded(parser.parseOptionalKeyword("bcast")))
    parsed = LoopConfig::bcast;
  else if (succeeded(parser.parseOptionalKeyword("scalar")))
    parsed = LoopConfig::scalar;
  config = LoopConfigAttr::get(parser.getContext(), parsed);
  return success();
}

void ember::slcv::printLanes(OpAsmPrinter &printer, uint64_t vectorLength,
                             LoopConfig config) {
  printer << " vector<" << vectorLength << ">";
  if (config != LoopConfig::vector)
    printer << " " << stringifyLoopConfig(config);
}

ParseResult ember::slcv::parseLoad(OpAsmParser &parser, OperationState &result,
                                   UnitAttr &contiguous,
                                   LoadSegments &segments) {
  OpAsmParser::UnresolvedOperand memref, mask;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  if (parser.parseOperand(memref) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square))
    return failure();
  bool masked = succeeded(parser.parseOptionalKeyword("mask"));
  if (masked && parser.parseOperand(mask))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("contiguous")))
    contiguous = parser.getBuilder().getUnitAttr();

  Type memrefType;
  SmallVector<Type> indexTypes;
  StreamType resultType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(memrefType) ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square,
          [&] { return parser.parseType(indexTypes.emplace_back()); }) ||
      parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(memref, memrefType, result.operands) ||
      parser.resolveOperands(indices, indexTypes, loc, result.operands))
    return failure();
  if (masked) {
    int64_t lanes = lanesOf(resultType);
    if (!lanes)
      return parser.emitError(loc, "expected a stream of vectors, not ")
             << resultType;
    Type type = StreamType::get(
        VectorType::get({lanes}, parser.getBuilder().getI1Type()));
    if (parser.resolveOperand(mask, type, result.operands))
      return failure();
  }
  result.addTypes(resultType);
  segments = {static_cast<int32_t>(indices.size()), masked ? 1 : 0};
  return success();
}
