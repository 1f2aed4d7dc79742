//===- CINDialect.cpp - Concrete index notation ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::cin;

#include "ember/Dialect/CIN/IR/CINDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/CIN/IR/CINAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/CIN/IR/CINTypes.cpp.inc"

void CINDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/CIN/IR/CINAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/CIN/IR/CINTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/CIN/IR/CINOps.cpp.inc"
      >();
}
