//===- DLCDialect.cpp - The Decoupled Lookup-Compute dialect --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::dlc;

#include "ember/Dialect/DLC/IR/DLCDialect.cpp.inc"

bool ember::dlc::isTokenValueType(Type type) {
  if (type.isIndex())
    return true;
  return (type.isSignlessInteger() || isa<FloatType>(type)) &&
         type.getIntOrFloatBitWidth() <= 64;
}

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/DLC/IR/DLCTypes.cpp.inc"

void DLCDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/DLC/IR/DLCTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/DLC/IR/DLCOps.cpp.inc"
      >();
}
