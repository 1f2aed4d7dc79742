//===- DecouplingPlan.h - Which loops the access unit gets ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of Ember paper, section 6.2. A loop is an offloading candidate if
//
// 1. its bounds are fixed during the nest or computed by the candidates around
//    it from induction variables, integer arithmetic, read-only loads and
//    running sums of those (section 7.4), or it goes over the segments of equal
//    read-only coordinates in such a range, and
// 2. it, or the candidate nested in it, loads from a read-only location that
//    the loops around it have not loaded from already. A loop that does not is
//    a workspace loop: its data is near the execute unit anyway.
//
// What stands under a condition that the access unit can compute counts as
// well: a load is then one with a mask, a loop one whose range is empty where
// the condition does not hold.
//
// A level has at most one candidate. Where several loops at one level qualify,
// the one with the most new loads is taken, and of equals the first; all other
// code, workspace loops among it, stays with the execute unit.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_DECOUPLINGPLAN_H
#define EMBER_ANALYSIS_DECOUPLINGPLAN_H

#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace ember {

/// The chain of loops to offload, and what of their bodies goes along.
class DecouplingPlan {
public:
  DecouplingPlan(mlir::scf::ForOp root, const NestMemory &memory);

  /// The loops to offload, outermost first; empty if the root is no candidate.
  llvm::ArrayRef<mlir::scf::ForOp> getChain() const { return chain; }

  /// Why the root, or a loop below the chain, is not offloaded.
  struct Refusal {
    mlir::scf::ForOp loop;
    std::string reason;
  };
  llvm::ArrayRef<Refusal> getRefusals() const { return refusals; }

  /// A condition in the body of an offloaded loop, with reads under it, that
  /// the access unit cannot compute, and the code because of which.
  struct UnknownCondition {
    mlir::scf::IfOp branch;
    std::string reason;
    mlir::Operation *culprit;
  };
  llvm::ArrayRef<UnknownCondition> getUnknownConditions() const {
    return unknownConditions;
  }

  /// True if the access unit computes `op`: a load of read-only memory, or
  /// integer arithmetic that an address or a bound needs.
  bool isOffloaded(mlir::Operation *op) const { return offloaded.contains(op); }

  /// Says that `op` has taken the place of such an operation.
  void replaceOffloaded(mlir::Operation *old, mlir::Operation *op) {
    offloaded.erase(old);
    offloaded.insert(op);
  }
  void addOffloaded(mlir::Operation *op) { offloaded.insert(op); }

  /// How the access unit gets at a result of an `scf.if`: by choosing between
  /// integers, or as a load of one branch that has the value of the other
  /// branch where its mask is false. `none`: it does not.
  enum class Choice { none, select, thenLoads, elseLoads };
  Choice getChoice(mlir::OpResult result) const {
    return choices.lookup_or(result, Choice::none);
  }

  /// True if the access unit produces `value`: a callback has to hand it over
  /// where the execute unit passes it on.
  bool isStreamed(mlir::Value value) const;

  /// True if the access unit computes the loop-carried value `argument`: as the
  /// running sum of a stream (paper, section 7.4: segments by their lengths),
  /// or as where segments of coordinates begin.
  bool isRunningSum(mlir::BlockArgument argument) const {
    return runningSums.contains(argument);
  }

private:
  struct Candidate {
    llvm::SmallVector<mlir::scf::ForOp> loops;
    unsigned newLoads = 0;
  };
  Candidate examine(mlir::scf::ForOp loop);
  bool isFixed(mlir::Value value);
  bool isStreamable(mlir::Value value);
  bool computeStreamable(mlir::Value value);
  bool areConditionsStreamable(mlir::Operation *op);
  bool isLoadOr(mlir::Value taken, mlir::Block *branch, mlir::Value other);
  Choice examineChoice(mlir::OpResult result);
  bool canMoveOut(mlir::Value value, mlir::scf::IfOp outer);
  bool canWait(mlir::Operation &op);
  llvm::SmallVector<mlir::Operation *> collectKnownToRun(mlir::scf::ForOp loop);
  std::string explainConditions(mlir::scf::ForOp loop);
  void noteUnknown(mlir::scf::IfOp branch);
  std::string explainLoads(mlir::scf::ForOp loop);
  std::string explainLoad(mlir::memref::LoadOp load);
  std::string explainValue(mlir::Value value);
  mlir::scf::IfOp findUnknownCondition(mlir::Operation *op);
  std::string describeLocation(mlir::Value memref, mlir::ValueRange indices);
  void describeIndex(mlir::Value index, std::string &text, unsigned depth = 0);
  void markSlice(mlir::Value value);
  void markConditions(mlir::Operation *op);
  void markMovedOut(mlir::scf::ForOp loop);
  void markLoads(mlir::scf::ForOp loop);
  bool isSummable(mlir::BlockArgument argument);
  bool isSegmentBegin(mlir::BlockArgument argument);

  mlir::scf::ForOp root;
  const NestMemory &memory;
  llvm::SmallVector<mlir::scf::ForOp> chain;
  llvm::SmallVector<mlir::scf::ForOp> path;
  llvm::SmallVector<Refusal> refusals;
  llvm::SmallVector<UnknownCondition> unknownConditions;
  /// What an explanation ends at.
  mlir::Operation *culprit = nullptr;
  llvm::DenseMap<mlir::Value, bool> streamable;
  llvm::SmallVector<llvm::StringSet<>> locations;
  llvm::DenseSet<mlir::Operation *> offloaded;
  llvm::DenseSet<mlir::Value> runningSums;
  llvm::DenseMap<mlir::Value, Choice> choices;
};

/// True if a stream can have elements of `type`.
bool canBeStreamed(mlir::Type type);

/// The loop in an iteration of which `op` runs, maybe under conditions; null if
/// anything else decides about it.
mlir::scf::ForOp getLoopAround(mlir::Operation *op);

/// What `argument`, carried by an scf loop, grows by in each iteration: the
/// other operand of the addition that the loop yields for it. Null if it is no
/// running sum.
mlir::Value getIncrement(mlir::BlockArgument argument);

/// The search for where the next segment begins, if that is what `argument`,
/// carried by an scf loop over segments of coordinates, says.
slc::SegmentEndOp getSegmentSearch(mlir::BlockArgument argument);

/// True if `value` is computed, in the body of `loop`, from a value that the
/// loop carries.
bool dependsOnCarried(mlir::Value value, mlir::scf::ForOp loop);

} // namespace ember

#endif // EMBER_ANALYSIS_DECOUPLINGPLAN_H
