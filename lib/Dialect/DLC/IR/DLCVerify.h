//===- DLCVerify.h - Rules over both programs -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_IR_DLCVERIFY_H
#define EMBER_LIB_DIALECT_DLC_IR_DLCVERIFY_H

#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember::dlc {

/// Verifies that what the access program pushes can be told apart.
mlir::LogicalResult verifyAccess(ProgramOp program);

/// Verifies that there is a case for each token, which pops what is pushed for
/// it. The access program has been verified.
mlir::LogicalResult verifyCases(ProgramOp program);

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_IR_DLCVERIFY_H
