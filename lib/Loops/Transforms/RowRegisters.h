//===- RowRegisters.h - What of a row registers hold ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over a row, in a loop over lookups, keeps a row of accumulators. If
// all its iterations run at once, registers hold them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_LOOPS_TRANSFORMS_ROWREGISTERS_H
#define EMBER_LIB_LOOPS_TRANSFORMS_ROWREGISTERS_H

#include "ember/Analysis/MemoryAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::loops {

/// How many vector registers of `vectorBits` hold a value of `type`; a scalar
/// takes one, and so does each element where there are no vectors.
int64_t registersFor(mlir::Type type, int64_t vectorBits);

/// Stores of `inner` to what would be carried from one iteration of `outer` to
/// the next: accumulators that are kept there.
llvm::SmallVector<MemoryAccess> findAccumulators(mlir::scf::ForOp inner,
                                                 mlir::scf::ForOp outer);

/// Stores of `inner` to a row that `outer` looks up the index of, if all of
/// them are: promote-runs keeps it as long as the index is the same.
llvm::SmallVector<MemoryAccess> findSelectedRow(mlir::scf::ForOp inner,
                                                mlir::scf::ForOp outer);

/// What iterations of a loop over a row take.
struct RowRegisters {
  /// Of accumulators, for one iteration.
  int64_t each = 0;
  /// Of values that are computed on the way, for all.
  int64_t temporaries = 0;

  RowRegisters(mlir::scf::ForOp inner,
               llvm::ArrayRef<MemoryAccess> accumulators, int64_t vectorBits);

  int64_t forIterations(int64_t count) const {
    return each * count + temporaries;
  }
};

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_ROWREGISTERS_H
