//===- Statistics.h - What a run loaded and pushed, as JSON -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ember-run --stats writes:
//
//   {"entry": "bag",
//    "levels": {"bag": "dlc"},
//    "streams": [{"name": "weight", "loads": 12, "elements": 48}, ...],
//    "control_queue": {"tokens": 4, "bytes": 32, "by_name": {"e.ite": 3, ...}},
//    "data_queue": {"operands": 9, "bytes": 60, "unaligned": 6,
//                   "by_name": {"b": {"operands": 3, "bytes": 24}, ...},
//                   "by_type": {"index": {"operands": 6, "bytes": 48}, ...}}}
//
// A token takes 8 bytes. Unaligned operands are those smaller than the largest
// operand of the program: in a queue with slots of that size, padding fills
// the rest.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_STATISTICS_H
#define EMBER_DRIVER_STATISTICS_H

#include "ember/Runtime/Trace.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace ember {

/// The level of each function with a body. Asked before lowering.
llvm::json::Object describeLevels(mlir::ModuleOp module);

llvm::json::Value makeStatistics(llvm::StringRef entry,
                                 llvm::json::Object levels,
                                 const runtime::TraceTotals &totals);

} // namespace ember

#endif // EMBER_DRIVER_STATISTICS_H
