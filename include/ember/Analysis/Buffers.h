//===- Buffers.h - What memrefs stand on ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_BUFFERS_H
#define EMBER_ANALYSIS_BUFFERS_H

#include "mlir/IR/Value.h"

namespace ember {

/// The memref that `memref` is a part of, or all of under another type or
/// another promise; null where it is no view.
mlir::Value getViewedMemRef(mlir::Value memref);

/// The buffer `memref` is a view of: follows views to the value that owns the
/// memory as far as the function shows.
mlir::Value getBuffer(mlir::Value memref);

} // namespace ember

#endif // EMBER_ANALYSIS_BUFFERS_H
