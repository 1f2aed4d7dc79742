//===- SLCDialect.cpp - The Structured Lookup-Compute dialect -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/NestDialect.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::slc;

#include "ember/Dialect/SLC/IR/SLCDialect.cpp.inc"
#include "ember/Dialect/SLC/IR/SLCEnums.cpp.inc"
#include "ember/Dialect/SLC/IR/SLCInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/SLC/IR/SLCTypes.cpp.inc"

void SLCDialect::initialize() {
  addInterfaces<NestDialectInterface>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/SLC/IR/SLCTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/SLC/IR/SLCOps.cpp.inc"
      >();
}
