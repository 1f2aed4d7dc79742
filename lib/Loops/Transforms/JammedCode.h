//===- JammedCode.h - Iterations that run at once ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's `loopUnrollJamByFactor` copies blocks as a whole: what all
// iterations read stays as often as it was, since stores of other iterations
// stand between. Here operations are copied one by one, and what is the same in
// all iterations is done once.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_LOOPS_TRANSFORMS_JAMMEDCODE_H
#define EMBER_LIB_LOOPS_TRANSFORMS_JAMMEDCODE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace ember::loops {

/// Whether all that `op` does is to prefetch, under a condition or not.
bool isPrefetch(mlir::Operation &op);

/// How many iterations of `outer` there are registers for, if each keeps `sums`
/// of them, and a row and a factor are read beside. 1 if it has fewer.
int64_t countTogetherIn(mlir::scf::ForOp outer, int64_t sums,
                        int64_t vectorRegisters);

/// A loop, of whose iterations several are to run at once, operation by
/// operation. Where it stores to is for the caller to look at.
class JammedCode {
public:
  /// Of longer loops there would be too much code.
  static constexpr size_t kMostOperations = 256;

  using Copies = llvm::MutableArrayRef<mlir::IRMapping>;

  /// `inner` is the one loop in the body of `outer`, or null. Its bounds are
  /// defined outside of both.
  JammedCode(mlir::scf::ForOp outer, mlir::scf::ForOp inner)
      : outer(outer), inner(inner) {}

  /// One iteration does `op` for all of them.
  void doOnce(mlir::Operation *op) { once.insert(op); }
  /// The last of the iterations does `op`, a prefetch under a condition or not,
  /// for all of them.
  void doLast(mlir::Operation *op) { last.insert(op); }

  /// Runs `count` iterations at once, where `condition`, if there is one, holds
  /// for them. The others run one after the other.
  void jam(int64_t count,
           llvm::function_ref<mlir::Value(mlir::OpBuilder &, Copies)>
               condition = nullptr);

private:
  void cloneTogether(mlir::OpBuilder &builder, mlir::Operation &op,
                     Copies copies);
  void cloneInner(mlir::OpBuilder &builder, Copies copies);
  void cloneBody(mlir::OpBuilder &builder, Copies copies);

  mlir::scf::ForOp outer, inner;
  llvm::DenseSet<mlir::Operation *> once, last;
};

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_JAMMEDCODE_H
