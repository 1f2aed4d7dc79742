//===- ComputeRegisters.h - Loop-carried values as registers ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In slc, values of the execute unit flow along SSA edges of the loop nest:
// initial values, loop-carried values, results of callbacks. Once the nest is
// cut, the execute unit sees only a sequence of cases, so what flows between
// them must stand in registers. This assigns them, and finds the copies between
// registers that loop entry, loop back edges and exits still need, as the
// destruction of SSA form does. Values share a register where their lives do
// not overlap, so that the common reductions need no copy at all.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SLCTODLC_COMPUTEREGISTERS_H
#define EMBER_CONVERSION_SLCTODLC_COMPUTEREGISTERS_H

#include "ember/Dialect/SLC/IR/SLC.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace ember {

/// Assignment `to = from` when control passes the point it belongs to; `from`
/// is a register's value or a value fixed during the nest.
struct RegisterCopy {
  unsigned to;
  mlir::Value from;
};

class ComputeRegisters {
public:
  explicit ComputeRegisters(slc::LoopOpInterface root);

  unsigned size() const { return types.size(); }
  mlir::Type getType(unsigned number) const { return types[number]; }

  /// The register that holds `value`; nullopt if it is fixed during the nest.
  std::optional<unsigned> getRegister(mlir::Value value) const;

  /// What a register holds when the nest is entered; null if nothing that is
  /// ever read.
  mlir::Value getInitial(unsigned number) const { return initials[number]; }

  /// Copies before `loop` begins. Those that only restore a fixed initial value
  /// may instead run after `loop`'s last use; see `getResets`.
  llvm::ArrayRef<RegisterCopy> getEntryCopies(slc::LoopOpInterface loop) const {
    return lookup(entryCopies, loop);
  }

  /// Copies at the end of the callback right after `loop`: they give registers
  /// their initial values back for the next traversal, so that no token is
  /// needed when it begins.
  llvm::ArrayRef<RegisterCopy> getResets(slc::LoopOpInterface loop) const {
    return lookup(resets, loop);
  }

  /// Copies at the end of each iteration of `loop`.
  llvm::ArrayRef<RegisterCopy>
  getBackEdgeCopies(slc::LoopOpInterface loop) const {
    return lookup(backEdgeCopies, loop);
  }

private:
  using Copies =
      llvm::DenseMap<mlir::Operation *, llvm::SmallVector<RegisterCopy>>;
  static llvm::ArrayRef<RegisterCopy> lookup(const Copies &copies,
                                             slc::LoopOpInterface loop);
  void collect(slc::LoopOpInterface loop);
  void coalesceInit(slc::LoopOpInterface loop, unsigned position);
  void coalesceYield(slc::LoopOpInterface loop, unsigned position);
  void join(mlir::Value a, mlir::Value b);
  void number();
  void addCopies(slc::LoopOpInterface loop);
  bool canResetAfter(slc::LoopOpInterface loop, unsigned position);

  slc::LoopOpInterface root;
  llvm::SmallVector<slc::LoopOpInterface> loops;
  llvm::SmallVector<mlir::Value> carried;
  llvm::EquivalenceClasses<void *> webs;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> initials;
  Copies entryCopies, resets, backEdgeCopies;
};

/// The callback right behind `loop` in the same body; null if there is none.
slc::CallbackOp getCallbackAfter(slc::LoopOpInterface loop);

} // namespace ember

#endif // EMBER_CONVERSION_SLCTODLC_COMPUTEREGISTERS_H
