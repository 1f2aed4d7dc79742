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
