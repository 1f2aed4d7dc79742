//===- OperandCopies.h - Arrays that statements read by copies -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_OPERANDCOPIES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_OPERANDCOPIES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// The copy of an array by levels of dimensions in `order`, in front of a
/// statement, where there may be one already that does not change.
AssembleOp findOrMakeCopy(ForallOp statement, AssembleOp array,
                          llvm::ArrayRef<int64_t> order,
                          bool *isMade = nullptr);

/// The arrays that a statement reads by levels, each of which it may read by a
/// copy instead whose levels are of other dimensions, or sorted. An array that
/// is read at different indices counts once for each.
///
/// A choice is a number of `size()`: for each array, none or one of its copies.
class OperandCopies {
public:
  explicit OperandCopies(ForallOp statement);
  /// Copies that nothing reads are gone.
  ~OperandCopies();

  /// More arrays are not looked at.
  static constexpr unsigned most = 3;

  unsigned size() const;
  /// Has the statement read the copies of a choice, and of others what is
  /// given.
  void use(unsigned choice);
  /// How many arrays it reads by copies.
  unsigned count(unsigned choice);
  /// The copies of a choice that have to be made: those that no statement
  /// before has.
  llvm::SmallVector<mlir::Value> getMade(unsigned choice);

private:
  struct Copy {
    /// The dimensions of its levels.
    llvm::SmallVector<int64_t> order;
    /// Null before it is there.
    AssembleOp array;
  };
  struct Operand {
    mlir::Value given;
    llvm::SmallVector<AccessOp> accesses;
    llvm::SmallVector<Copy> copies;
  };
  /// The copies that may be of use where `access` reads an array.
  llvm::SmallVector<Copy> findCopies(AccessOp access);
  /// The copy that each operand is read by in a choice; null for none.
  llvm::SmallVector<Copy *> get(unsigned choice);
  void make(mlir::Value array, Copy &copy);

  ForallOp statement;
  llvm::SmallVector<Operand> operands;
  /// Copies that no statement before has.
  llvm::SmallVector<AssembleOp> made;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_OPERANDCOPIES_H
