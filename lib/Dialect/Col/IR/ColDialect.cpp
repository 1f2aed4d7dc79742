//===- ColDialect.cpp - The columns dialect -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

LogicalResult
JaggedType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   Type element) {
  if (element.isSignlessInteger() && element.getIntOrFloatBitWidth() >= 8 &&
      element.getIntOrFloatBitWidth() <= 64)
    return success();
  if (isa<TextType>(element))
    return success();
  if (element.isF64() || element.isF32() || element.isF16() || element.isBF16())
    return success();
  return emitError() << "has values of type " << element
                     << ", expected integers of 8 to 64 bits, f64, f32, f16, "
                        "bf16 or !col.text";
}

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
