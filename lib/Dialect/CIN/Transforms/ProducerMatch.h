//===- ProducerMatch.h - What an access reads -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_PRODUCERMATCH_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_PRODUCERMATCH_H

#include "Statement.h"

namespace ember::cin {

/// Which values of a statement's variables assign the element that an access
/// in another statement reads.
class ProducerMatch {
public:
  ProducerMatch(AssignOp producer, llvm::ArrayRef<ForallOp> loops);

  /// Finds them; why there are none otherwise, empty if there are.
  std::string find(AccessOp read, AssignOp consumer);

  /// Where the consumer has what a variable of the producer is.
  mlir::Value getValue(mlir::BlockArgument variable) const {
    return values.lookup(variable);
  }
  llvm::ArrayRef<mlir::BlockArgument> getVariables() const { return variables; }

private:
  /// Whether `mine`, an expression of the producer, is `theirs`, one of the
  /// consumer, for some values of variables that are not known yet.
  bool unify(mlir::Value mine, mlir::Value theirs);
  /// Whether a variable of the producer has the value in its range that it
  /// would have to have.
  bool isInRange(mlir::BlockArgument variable);

  AssignOp producer;
  llvm::SmallVector<mlir::BlockArgument> variables;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_PRODUCERMATCH_H
