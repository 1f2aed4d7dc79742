//===- SegmentCheck.h - Offsets that decrease are an error ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CHECKS_SEGMENTCHECK_H
#define EMBER_CHECKS_SEGMENTCHECK_H

#include "mlir/IR/Builders.h"

namespace ember::checks {

/// Fails at `builder` if `lower` and `upper` are neighbouring offsets of one
/// array that decrease. Loops get this check by insert-runtime-checks; where
/// bounds are handed over to another function, it does not see their loads.
void checkSegment(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value lower, mlir::Value upper);

} // namespace ember::checks

#endif // EMBER_CHECKS_SEGMENTCHECK_H
