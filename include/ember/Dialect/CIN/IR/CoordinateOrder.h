//===- CoordinateOrder.h - What levels in no order are asked for -*- C++ -*-==//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_COORDINATEORDER_H
#define EMBER_DIALECT_CIN_IR_COORDINATEORDER_H

#include "ember/Dialect/CIN/IR/LevelOperands.h"

namespace ember::cin {

/// A loop or access that relies on an order of coordinates that an array does
/// not keep, or on that each is there once.
struct Disorder {
  mlir::Operation *op;
  mlir::Value array;
  std::string message;
};

/// The first of an evaluation whose loops have their iterations.
std::optional<Disorder> findDisorder(EvaluateOp evaluate);

/// Whether an assignment appends values of `variable` to a level that has them
/// in order. Where all levels below are located, elements come in any order.
bool isAppendedInOrder(AssignOp assign, mlir::Value variable);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_COORDINATEORDER_H
