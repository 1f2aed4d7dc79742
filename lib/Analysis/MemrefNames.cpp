//===- MemrefNames.cpp - What memrefs are called in messages and reports --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemrefNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Value ember::getViewSource(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

std::string ember::getMemrefName(Value memref) {
  auto argument = dyn_cast<BlockArgument>(getViewSource(memref));
  if (!argument)
    return "local";
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return "local";
  unsigned number = argument.getArgNumber();
  if (auto name = function.getArgAttrOfType<StringAttr>(number, "ember.name"))
    return name.str();
  return "arg" + std::to_string(number);
}
