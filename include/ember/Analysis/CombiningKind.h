//===- CombiningKind.h - How reductions combine values ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_COMBININGKIND_H
#define EMBER_ANALYSIS_COMBININGKIND_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember {

/// The kind of reduction that `op` is one step of, if it takes the carried
/// value as operand `carried`. What is taken off is added with the other sign.
std::optional<mlir::vector::CombiningKind> getCombiningKind(mlir::Operation *op,
                                                            unsigned carried);

/// The element of `type` that leaves the other operand of a combination as it
/// is, to the last bit.
mlir::TypedAttr getNeutralElement(mlir::vector::CombiningKind kind,
                                  mlir::Type type);

} // namespace ember

#endif // EMBER_ANALYSIS_COMBININGKIND_H
