//===- AccessSyntax.cpp - How streams of accesses are written -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/IR/AccessSyntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slcv;
using ember::slc::CacheLevelAttr;
using ember::slc::lanesOf;
using ember::slc::StreamType;

static ParseResult parseCacheLevel(OpAsmParser &parser, CacheLevelAttr &level) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<ember::slc::CacheLevel> parsed =
      ember::slc::symbolizeCacheLevel(keyword);
  if (!parsed)
    return parser.emitError(loc, "expected a cache: l1, l2 or llc, not '")
           << keyword << "'";
  level = CacheLevelAttr::get(parser.getContext(), *parsed);
  return success();
}

ParseResult AccessSyntax::parseAddress(OpAsmParser &parser,
                                       UnitAttr &contiguous, bool isLoad) {
  loc = parser.getCurrentLocation();
  if (parser.parseOperand(memref) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square))
    return failure();
  isMasked = succeeded(parser.parseOptionalKeyword("mask"));
  if (isMasked && parser.parseOperand(mask))
    return failure();
  hasOtherwise = isLoad && succeeded(parser.parseOptionalKeyword("else"));
  if (hasOtherwise && parser.parseOperand(otherwise))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("contiguous")))
    contiguous = parser.getBuilder().getUnitAttr();
  return success();
}

ParseResult AccessSyntax::parseRepeat(OpAsmParser &parser,
                                      IntegerAttr &repeat) {
  int64_t times = 1;
  if (succeeded(parser.parseOptionalKeyword("repeat")) &&
      parser.parseInteger(times))
    return failure();
  repeat = parser.getBuilder().getI64IntegerAttr(times);
  return success();
}

ParseResult AccessSyntax::parseHints(OpAsmParser &parser,
                                     CacheLevelAttr &cacheLevel,
                                     UnitAttr &nontemporal) {
  if (succeeded(parser.parseOptionalKeyword("level")) &&
      parseCacheLevel(parser, cacheLevel))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("nontemporal")))
    nontemporal = parser.getBuilder().getUnitAttr();
  return success();
}

ParseResult AccessSyntax::parseTypes(OpAsmParser &parser) {
  if (parser.parseType(memrefType))
    return failure();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        return parser.parseType(indexTypes.emplace_back());
      }))
    return failure();
  if (hasOtherwise && (parser.parseComma() || parser.parseType(otherwiseType)))
    return failure();
  return success();
}

ParseResult AccessSyntax::resolve(OpAsmParser &parser, Type stream,
                                  SmallVectorImpl<Value> &operands) {
  if (parser.resolveOperand(memref, memrefType, operands) ||
      parser.resolveOperands(indices, indexTypes, loc, operands))
    return failure();
  if (isMasked) {
    // A memref may hold vectors; then one is accessed, not a lane each.
    auto accessed = dyn_cast<MemRefType>(memrefType);
    bool hasLanes = !accessed || !isa<VectorType>(accessed.getElementType());
    int64_t lanes = hasLanes ? lanesOf(stream) : 0;
    Type flag = parser.getBuilder().getI1Type();
    Type type = StreamType::get(lanes ? VectorType::get({lanes}, flag) : flag);
    if (parser.resolveOperand(mask, type, operands))
      return failure();
  }
  if (!hasOtherwise)
    return success();
  return parser.resolveOperand(otherwise, otherwiseType, operands);
}

void AccessSyntax::countOperands(MutableArrayRef<int32_t> sizes,
                                 bool isLoad) const {
  llvm::fill(sizes, 1);
  MutableArrayRef<int32_t> last = sizes.take_back(isLoad ? 3 : 2);
  last[0] = static_cast<int32_t>(indices.size());
  last[1] = isMasked ? 1 : 0;
  if (isLoad)
    last[2] = hasOtherwise ? 1 : 0;
}

void ember::slcv::printAccess(OpAsmPrinter &printer,
                              ember::slc::MemoryStreamOpInterface op) {
  if (op.isStore())
    printer << op.getStream() << ", ";
  printer << op.getMemref() << "[" << op.getIndices() << "]";
  if (op.getMask())
    printer << " mask " << op.getMask();
  if (op.getOtherwise())
    printer << " else " << op.getOtherwise();
  if (op.getContiguous())
    printer << " contiguous";
  if (op.getRepeat() != 1)
    printer << " repeat " << op.getRepeat();
  if (CacheLevelAttr level = op.getCacheLevelAttr())
    printer << " level " << stringifyCacheLevel(level.getValue());
  if (op.getNontemporal())
    printer << " nontemporal";
  printer.printOptionalAttrDict(op->getAttrs(),
                                {"contiguous", "repeat", "cacheLevel",
                                 "nontemporal", "operandSegmentSizes"});
  printer << " : ";
  if (op.isStore())
    printer << op.getStream().getType() << ", ";
  printer << op.getMemref().getType() << "[" << op.getIndices().getTypes()
          << "]";
  if (op.getOtherwise())
    printer << ", " << op.getOtherwise().getType();
  if (!op.isStore())
    printer << " -> " << op.getStream().getType();
}
