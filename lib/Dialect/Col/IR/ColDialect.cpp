//===- ColDialect.cpp - The columns dialect -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::col;

/// A name is a word, which is nicer to read than a string.
static ParseResult parseTypeName(AsmParser &parser, std::string &name) {
  return parser.parseKeywordOrString(&name);
}

static void printTypeName(AsmPrinter &printer, StringRef name) {
  printer.printKeywordOrString(name);
}

#include "ember/Dialect/Col/IR/ColDialect.cpp.inc"
#include "ember/Dialect/Col/IR/ColEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/Col/IR/ColTypes.cpp.inc"

void ColDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/Col/IR/ColTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Col/IR/ColOps.cpp.inc"
      >();
}
