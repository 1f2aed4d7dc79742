//===- LaneSyntax.h - How vectors of lanes are written ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a loop or a traversal unit, in the custom assembly of slcv and
// dlc:
//
//   vector<8> bcast
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_IR_LANESYNTAX_H
#define EMBER_DIALECT_SLCV_IR_LANESYNTAX_H

#include "ember/Dialect/SLCV/IR/SLCV.h"

namespace ember::slcv {

/// Parses `<N>` after the keyword `vector`, and an optional configuration.
mlir::ParseResult parseLanes(mlir::OpAsmParser &parser,
                             mlir::IntegerAttr &vectorLength,
                             LoopConfigAttr &config);

/// Prints ` vector<N>` and the configuration, unless it is the usual one.
void printLanes(mlir::OpAsmPrinter &printer, uint64_t vectorLength,
                LoopConfig config);

} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_IR_LANESYNTAX_H
