//===- CaptureSyntax.cpp - How programs write what they capture -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/CaptureSyntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

/// The values after which what captures them may be called: not one that
/// another capture is called after, nor one that has no name of its own.
static SmallVector<Value> getNamesToShadow(ValueRange captures) {
  SmallVector<Value> names;
  for (Value captured : captures) {
    auto result = dyn_cast<OpResult>(captured);
    bool isPlain = !result || result.getOwner()->getNumResults() == 1;
    names.push_back(isPlain && !llvm::is_contained(names, captured) ? captured
                                                                    : Value());
  }
  return names;
}

void ember::slc::printCaptures(OpAsmPrinter &printer, Region &region,
                               ValueRange captures) {
  printer.shadowRegionArgs(region, getNamesToShadow(captures));
  if (captures.empty())
    return;
  printer << " captures(";
  llvm::interleaveComma(llvm::zip_equal(region.getArguments(), captures),
                        printer, [&](auto capture) {
                          auto [inside, outside] = capture;
                          printer << inside << " = " << outside << " : "
                                  << outside.getType();
                        });
  printer << ")";
}

ParseResult
ember::slc::parseCaptures(OpAsmParser &parser,
                          SmallVectorImpl<OpAsmParser::Argument> &arguments,
                          SmallVectorImpl<Value> &captures) {
  auto parseCapture = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand outside;
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parser.parseOperand(outside) ||
                   parser.parseColonType(argument.type) ||
                   parser.resolveOperand(outside, argument.type, captures));
  };
  if (failed(parser.parseOptionalKeyword("captures")))
    return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        parseCapture);
}
