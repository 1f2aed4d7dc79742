//===- NeutralElement.h - What changes nothing in a reduction ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_NEUTRALELEMENT_H
#define EMBER_ANALYSIS_NEUTRALELEMENT_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember {

/// The element of `type` that leaves the other operand of a combination as it
/// is, to the last bit.
mlir::TypedAttr getNeutralElement(mlir::vector::CombiningKind kind,
                                  mlir::Type type);

} // namespace ember

#endif // EMBER_ANALYSIS_NEUTRALELEMENT_H
