//===- CINRaces.h - Whether assignments are to different elements -*- C++ -*-=//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_IR_CINRACES_H
#define EMBER_LIB_DIALECT_CIN_IR_CINRACES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// An error if an assignment that combines nothing may assign to one element of
/// `array` for several values of the variables around it.
llvm::LogicalResult verifyDistinct(AssignOp assign, llvm::StringRef array);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_IR_CINRACES_H
