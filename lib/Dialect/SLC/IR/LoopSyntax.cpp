//===- LoopSyntax.cpp - How loops and traversals are written --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/LoopSyntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slc;

ParseResult RangeSyntax::parseRange(OpAsmParser &parser) {
  lowerType = upperType = parser.getBuilder().getIndexType();
  return failure(parser.parseOperand(lower) || parser.parseKeyword("to") ||
                 parser.parseOperand(upper) || parser.parseKeyword("step") ||
                 parser.parseOperand(step));
}

ParseResult RangeSyntax::parseOptionalMask(OpAsmParser &parser) {
  masked = succeeded(parser.parseOptionalKeyword("mask"));
  return masked ? parser.parseOperand(mask) : success();
}

ParseResult RangeSyntax::parseOptionalTypes(OpAsmParser &parser) {
  if (succeeded(parser.parseOptionalColon()))
    return failure(
        parser.parseType(lowerType) || parser.parseComma() ||
        parser.parseType(upperType) ||
        (masked && (parser.parseComma() || parser.parseType(maskType))));
  if (masked)
    return parser.emitError(parser.getCurrentLocation(),
                            "expected ':' and the types of bounds and mask");
  return success();
}

ParseResult RangeSyntax::resolveRange(OpAsmParser &parser,
                                      SmallVectorImpl<Value> &operands) const {
  return failure(parser.resolveOperand(lower, lowerType, operands) ||
                 parser.resolveOperand(upper, upperType, operands) ||
                 parser.resolveOperand(step, parser.getBuilder().getIndexType(),
                                       operands));
}

ParseResult RangeSyntax::resolveMask(OpAsmParser &parser,
                                     SmallVectorImpl<Value> &operands) const {
  return masked ? parser.resolveOperand(mask, maskType, operands) : success();
}

void ember::slc::printRange(OpAsmPrinter &printer, Value lower, Value upper,
                            Value step) {
  printer << lower << " to " << upper << " step " << step;
}

void ember::slc::printRangeTypes(OpAsmPrinter &printer, Value lower,
                                 Value upper, Value mask) {
  if (lower.getType().isIndex() && upper.getType().isIndex() && !mask)
    return;
  printer << " : " << lower.getType() << ", " << upper.getType();
  if (mask)
    printer << ", " << mask.getType();
}

ParseResult IterArgsSyntax::parseOptional(OpAsmParser &parser,
                                          OperationState &result) {
  loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      (parser.parseAssignmentList(carried, inits) ||
       parser.parseArrowTypeList(result.types)))
    return failure();
  if (inits.size() != result.types.size())
    return parser.emitError(loc) << inits.size() << " iter_args but "
                                 << result.types.size() << " result types";
  return success();
}

ParseResult IterArgsSyntax::resolve(OpAsmParser &parser,
                                    OperationState &result) const {
  return parser.resolveOperands(inits, result.types, loc, result.operands);
}

ParseResult IterArgsSyntax::parseBody(OpAsmParser &parser,
                                      OperationState &result,
                                      ArrayRef<OpAsmParser::Argument> control,
                                      bool isCounted) const {
  // A count without a name still is an argument; the parser takes only those
  // with names, so it is inserted afterwards.
  auto arguments = llvm::to_vector(control);
  if (!isCounted)
    arguments.erase(arguments.begin() + 1);
  for (auto [argument, type] : llvm::zip_equal(carried, result.types)) {
    arguments.push_back(argument);
    arguments.back().type = type;
  }
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (!isCounted)
    body->insertArgument(1u, control[1].type, result.location);
  ForOp::ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ember::slc::buildBody(OpBuilder &builder, OperationState &state,
                           TypeRange control, ValueRange iterArgs) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(iterArgs);
  state.addTypes(iterArgs.getTypes());
  Region *region = state.addRegion();
  Block *body = builder.createBlock(region);
  for (Type type : control)
    body->addArgument(type, state.location);
  for (Value init : iterArgs)
    body->addArgument(init.getType(), init.getLoc());
  // Loop-carried values need a yield of the right values, which only the
  // caller knows.
  if (iterArgs.empty())
    ForOp::ensureTerminator(*region, builder, state.location);
}

void ember::slc::printIterArgs(OpAsmPrinter &printer, LoopOpInterface loop) {
  OperandRange inits = loop.getIterArgs();
  if (inits.empty())
    return;
  printer << " iter_args(";
  llvm::interleaveComma(llvm::zip_equal(loop.getRegionIterArgs(), inits),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ") -> (" << inits.getTypes() << ")";
}
