//===- VectorizationLegality.h - May a loop be vectorised? -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An innermost `slc.for` may be vectorised if running its iterations in lanes,
// several at a time, gives the same values bit for bit. The rules:
//
// 1. The loop has step 1, and its body holds streams and `ite` callbacks only.
// 2. An access (a stream's load, a load or store in a callback) is
//    - *uniform* if no index depends on the loop: the same element in all
//      lanes. Loads stay scalar; a store is refused, for then one iteration
//      overwrites what another one stored;
//    - *contiguous* if the last index is the induction variable, plus or minus
//      what does not change in the loop, and no other index changes;
//    - a *gather* if the indices that change are loaded or computed in a way
//      that is not linear in the induction variable. A stream may gather in
//      any dimensions, a load in a callback in the last one only; a store
//      is refused, because two lanes might store to one element;
//    - *strided*, which is refused, if the induction variable stands in
//      another dimension than the last, or is scaled, or if the memref's
//      innermost stride is not 1.
// 3. What a store writes, nothing else in the loop may touch in another
//    iteration: every access to memory that may alias must be to the same
//    memref with structurally identical indices.
// 4. Operations of callbacks are elementwise on types of the table of element
//    types, or do not depend on the loop and have no effect. Loops and
//    conditions inside callbacks are refused.
// 5. A stream divides by the same number in all lanes: inactive lanes hold
//    zeros, and the access unit divides all lanes.
// 6. A loop-carried value comes back unchanged, or is reduced: an associative
//    operation, which vector.reduction knows to apply in lane order, combines
//    the carried value with another one, and nothing else reads either. A
//    difference is the sum with the other sign.
//    `maxnumf` and `minnumf` are refused: which of two zeros they give is not
//    defined, so scalar and vector code may differ.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_VECTORIZATIONLEGALITY_H
#define EMBER_ANALYSIS_VECTORIZATIONLEGALITY_H

#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ember {

/// How a value changes from one iteration of the loop to the next.
enum class LaneShape {
  /// Not at all.
  uniform,
  /// By one: the induction variable plus something uniform.
  consecutive,
  /// By the same distance, which is not known to be one.
  strided,
  /// In any way.
  arbitrary,
};

/// `carried[i] = combiner(carried[i], element)`. A subtraction is of the kind
/// ADD, of the element with the other sign.
struct Reduction {
  unsigned carried;
  mlir::Operation *combiner;
  mlir::OpOperand *element;
  mlir::vector::CombiningKind kind;
};

/// The reduction of the loop-carried value `carried` of `loop`; none if the
/// value is used or computed in another way.
std::optional<Reduction> matchReduction(slc::LoopOpInterface loop,
                                        unsigned carried);

/// Applies the rules above to one loop.
class VectorizationLegality {
public:
  VectorizationLegality(slc::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), aliasing(aliasing) {}

  /// Succeeds if `loop` may be vectorised; otherwise a remark at the loop says
  /// why not.
  llvm::LogicalResult analyze();

  /// The shape of a stream or of a value in a callback; uniform for what is
  /// defined outside the loop. Only after analyze() has succeeded.
  LaneShape getShape(mlir::Value value) const;
  bool isUniform(mlir::Value value) const {
    return getShape(value) == LaneShape::uniform;
  }

  llvm::ArrayRef<Reduction> getReductions() const { return reductions; }

  /// The widest element that crosses between memory and lanes, in bits; an
  /// index counts as 64. 0 if none does.
  int64_t getWidestElementBits() const { return widestBits; }

private:
  struct Access {
    mlir::Operation *op;
    mlir::Value memref;
    mlir::ValueRange indices;
    bool isStore;
  };

  llvm::LogicalResult refuse(mlir::Operation *culprit,
                             const llvm::Twine &reason);
  llvm::LogicalResult analyzeCarriedValues();
  llvm::LogicalResult analyzeStream(mlir::Operation &op);
  llvm::LogicalResult analyzeMask(slc::CallbackOp callback);
  llvm::LogicalResult analyzeCallback(slc::CallbackOp callback);
  llvm::LogicalResult analyzeComputation(mlir::Operation &op);
  llvm::LogicalResult analyzeAccess(const Access &access, bool isStream);
  llvm::LogicalResult analyzeDependences();
  LaneShape combineArithmetic(mlir::Operation *op) const;

  slc::ForOp loop;
  const MemoryAliasing &aliasing;
  llvm::DenseMap<mlir::Value, LaneShape> shapes;
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallPtrSet<mlir::Operation *, 4> combiners;
  llvm::SmallVector<Access> accesses;
  int64_t widestBits = 0;
};

} // namespace ember

#endif // EMBER_ANALYSIS_VECTORIZATIONLEGALITY_H
