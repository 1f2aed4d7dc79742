//===- MemRefNames.cpp - What messages call a memref ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MessageNames.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace ember {

std::string argumentName(func::FuncOp func, unsigned index) {
  if (auto name = func.getArgAttrOfType<StringAttr>(index, "ember.name"))
    return "'" + name.getValue().str() + "'";
  return "argument " + std::to_string(index);
}

/// The value `memref` is a view of, or null.
static Value viewSource(Value memref) {
  auto view = memref.getDefiningOp<ViewLikeOpInterface>();
  return view ? view.getViewSource() : Value();
}

Value rootMemRef(Value memref) {
  while (Value source = viewSource(memref))
    memref = source;
  return memref;
}

/// "FILE:LINE:COLUMN", where that is known.
static std::string placeOf(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return (llvm::sys::path::filename(place.getFilename().getValue()) + ":" +
          Twine(place.getLine()) + ":" + Twine(place.getColumn()))
      .str();
}

/// The name of a memref that is no view.
static std::string rootName(Value root) {
  if (Operation *op = root.getDefiningOp()) {
    if (auto name = op->getAttrOfType<StringAttr>("ember.name"))
      return "'" + name.getValue().str() + "'";
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      return "'" + global.getName().str() + "'";
    std::string place = placeOf(op->getLoc());
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      return place.empty() ? "a local buffer" : "buffer allocated at " + place;
    return place.empty() ? "a memref" : "memref at " + place;
  }
  auto argument = cast<BlockArgument>(root);
  if (auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      func && argument.getOwner()->isEntryBlock()) {
    unsigned number = argument.getArgNumber();
    if (auto name = func.getArgAttrOfType<StringAttr>(number, messageNameAttr))
      return name.str();
    std::string name = argumentName(func, number);
    return func.isPublic() ? name : name + " of @" + func.getName().str();
  }
  return "a memref";
}

std::string memrefName(Value memref) {
  bool isView = false;
  while (Value source = viewSource(memref)) {
    if (auto op = memref.getDefiningOp();
        auto name = op->getAttrOfType<StringAttr>("ember.name"))
      return (isView ? "a view of '" : "'") + name.getValue().str() + "'";
    // A cast shows all of its source under another type.
    isView |= !isa<memref::CastOp>(memref.getDefiningOp());
    memref = source;
  }
  std::string name = rootName(memref);
  return isView ? "a view of " + name : name;
}

} // namespace ember
