//===- LaneSyntax.h - How vectors of lanes are written ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the custom assembly that slcv and dlc have in common:
//
//   vector<8> bcast
//   %table[%i, %j] mask %m contiguous : memref<?x?xf32>[...] ->
//   !slc.stream<...>
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

/// How many operands a load took for its indices and its mask.
struct LoadSegments {
  int32_t indices = 0;
  int32_t masks = 0;
};

/// Parses `%memref[%i, ...] mask %m contiguous : memref[types] -> stream`, mask
/// and `contiguous` where they are written, and adds operands and result type.
mlir::ParseResult parseLoad(mlir::OpAsmParser &parser,
                            mlir::OperationState &result,
                            mlir::UnitAttr &contiguous, LoadSegments &segments);

/// Prints what `parseLoad` reads, for a `vec_mem_str` or a `mem_str`.
template <typename LoadOp>
void printLoad(mlir::OpAsmPrinter &printer, LoadOp load) {
  printer << load.getMemref() << "[" << load.getIndices() << "]";
  if (load.getMask())
    printer << " mask " << load.getMask();
  if (load.getContiguous())
    printer << " contiguous";
  printer.printOptionalAttrDict(load->getAttrs(),
                                {"contiguous", "operandSegmentSizes"});
  printer << " : " << load.getMemref().getType() << "["
          << load.getIndices().getTypes() << "] -> "
          << load.getResult().getType();
}

} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_IR_LANESYNTAX_H
