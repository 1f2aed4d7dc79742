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

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/TMU/IR/TMUAttributes.cpp.inc"

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t lanes, int64_t layers,
                                  int64_t streams, int64_t storage,
                                  int64_t requests, int64_t chunk,
                                  int64_t tokens, bool) {
  struct {
    StringRef name;
    int64_t value, least;
  } parts[] = {{"lanes", lanes, 1},       {"layers", layers, 1},
               {"streams", streams, 1},   {"storage", storage, laneBytes},
               {"requests", requests, 1}, {"tokens", tokens, 2 * wordBytes}};
  for (auto [name, value, least] : parts)
    if (value < least)
      return emitError() << "a unit needs " << name << " of at least " << least
                         << ", not " << value;
  if (tokens % maxOperandBytes || chunk % maxOperandBytes || chunk <= tokens)
    return emitError() << "a chunk of " << chunk << " bytes, " << tokens
                       << " of them for tokens, is no whole number of lines of "
                       << maxOperandBytes << " bytes for each";
  return success();
}

void TMUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/TMU/IR/TMUAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/TMU/IR/TMUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/TMU/IR/TMUOps.cpp.inc"
      >();
}
