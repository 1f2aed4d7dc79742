//===- SegmentLoops.h - Loops over segments of coordinates ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sparsifier visits the rows of coordinate format with an `scf.while` that
// looks for the end of the next row:
//
//   %e0 = search from %lo            %n = slc.segment_count %crd
//   scf.while (%b = %lo, %e = %e0)         from %lo to %hi
//     while %b < %hi                 scf.for %s = 0 to %n step 1
//     body(%b, %e)              <=>      iter_args(%b = %lo)
//     %e1 = search from %e             %e = slc.segment_end %crd[%b] to %hi
//     yield %e, %e1                    body(%b, %e)
//                                      yield %e
//
// The right side is a range, which the access unit traverses.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_SEGMENTLOOPS_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_SEGMENTLOOPS_H

#include "ember/Analysis/MemoryAliasing.h"

namespace ember {

/// Turns each `scf.while` of `module` over segments into a loop over their
/// number, if nothing stores to the coordinates from the first search on.
void formSegmentLoops(mlir::ModuleOp module, const MemoryAliasing &aliasing);

/// Turns the loops that are not marked for the access unit back.
void restoreSegmentLoops(mlir::ModuleOp module);

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_SEGMENTLOOPS_H
