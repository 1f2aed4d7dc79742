//===- TMUDialect.cpp - The Tensor Marshaling Unit's dialect --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::tmu;

#include "ember/Dialect/TMU/IR/TMUDialect.cpp.inc"
#include "ember/Dialect/TMU/IR/TMUInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/TMU/IR/TMUTypes.cpp.inc"

void TMUDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/TMU/IR/TMUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/TMU/IR/TMUOps.cpp.inc"
      >();
}
