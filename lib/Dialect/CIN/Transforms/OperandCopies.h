//===- OperandCopies.h - Matrices that statements read by copies -*- C++ -*-==//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_OPERANDCOPIES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_OPERANDCOPIES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// The matrices that a statement reads by levels, each of which it may read by
/// a copy instead that stores them by the other dimension. A matrix that is
/// read at different indices counts once for each.
class OperandCopies {
public:
  explicit OperandCopies(ForallOp statement);
  /// Copies that nothing reads are gone.
  ~OperandCopies();

  /// More are not looked at.
  static constexpr unsigned most = 3;

  unsigned size() const { return operands.size(); }
  /// Has the statement read the copies of a set, and of others what is given.
  void use(unsigned set);
  /// The copies of a set that have to be made: those that no statement before
  /// has.
  llvm::SmallVector<mlir::Value> getMade(unsigned set);

private:
  struct Operand {
    mlir::Value given;
    llvm::SmallVector<AccessOp> accesses;
    AssembleOp copy;
  };
  /// The copy of an array that stands in front of the statement already.
  AssembleOp findCopy(mlir::Value array);
  void makeCopy(Operand &operand);

  ForallOp statement;
  llvm::SmallVector<Operand> operands;
  /// Copies that no statement before has.
  llvm::SmallVector<AssembleOp> made;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_OPERANDCOPIES_H
