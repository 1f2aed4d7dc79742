//===- StreamAdvance.h - How streams change with a unit ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_STREAMADVANCE_H
#define EMBER_ANALYSIS_STREAMADVANCE_H

#include "ember/Dialect/DLC/IR/DLC.h"

#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ember {

/// How the streams of an access program change from one iteration of one of its
/// traversal units to the next, where all else stays.
class StreamAdvance {
public:
  explicit StreamAdvance(dlc::NewTUOp unit);

  /// By how much the element of `stream` grows: 0 if it stays, whatever its
  /// type; none if it changes in any other way.
  std::optional<int64_t> of(mlir::Value stream) const;
  bool stays(mlir::Value stream) const { return of(stream) == int64_t(0); }

private:
  std::optional<int64_t> compute(mlir::Operation *op);
  std::optional<int64_t> ofControl(mlir::Operation *op);
  std::optional<int64_t> ofArithmetic(dlc::AluStrOp alu) const;
  bool operandsStay(mlir::Operation *op) const;

  dlc::NewTUOp unit;
  /// What is loaded may change where the access unit also stores.
  bool hasStores;
  llvm::DenseMap<mlir::Value, int64_t> advances;
};

} // namespace ember

#endif // EMBER_ANALYSIS_STREAMADVANCE_H
