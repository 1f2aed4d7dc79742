//===- ProgramOrder.h - Uses in the order of the program --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of uses are in the order in which something put them there: a module, a
// copy of it and what is read of its text have others. A choice that hangs on
// that order is another one in each of them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_PROGRAMORDER_H
#define EMBER_DIALECT_CIN_IR_PROGRAMORDER_H

#include "mlir/IR/Operation.h"

namespace ember::cin {

/// The uses of a value in the order in which its users stand in the program, of
/// one user in the order of its operands.
llvm::SmallVector<mlir::OpOperand *> getUsesInOrder(mlir::Value value);

/// The users of a value in that order; one that uses it several times, as
/// often.
llvm::SmallVector<mlir::Operation *> getUsersInOrder(mlir::Value value);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_PROGRAMORDER_H
