//===- MemRefNames.cpp - What memrefs are called --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/Buffers.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace ember {

/// The function that `value` is an argument of, or null.
static FunctionOpInterface functionOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  return dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

static unsigned positionOf(Value argument) {
  return cast<BlockArgument>(argument).getArgNumber();
}

StringAttr givenName(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<StringAttr>(index, nameAttr);
}

StringAttr givenName(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->getAttrOfType<StringAttr>(nameAttr);
  FunctionOpInterface function = functionOf(value);
  return function ? givenName(function, positionOf(value)) : StringAttr();
}

static std::string quoted(StringRef name) { return "'" + name.str() + "'"; }

std::string argumentName(FunctionOpInterface function, unsigned index) {
  if (StringAttr name = givenName(function, index))
    return quoted(name);
  return "argument " + std::to_string(index);
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

/// The name of a memref that is no view and has no given name.
static std::string bufferName(Value buffer) {
  if (Operation *op = buffer.getDefiningOp()) {
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      return quoted(global.getName());
    std::string place = placeOf(op->getLoc());
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      return place.empty() ? "a local buffer" : "buffer allocated at " + place;
    return place.empty() ? "a memref" : "memref at " + place;
  }
  if (functionOf(buffer))
    return "argument " + std::to_string(positionOf(buffer));
  return "a memref";
}

/// The name of a memref, whatever it is a view of. Arguments of functions that
/// are not called from outside are not what a user knows by position.
static std::string nameWithoutView(Value memref) {
  FunctionOpInterface function = functionOf(memref);
  if (function)
    if (auto name = function.getArgAttrOfType<StringAttr>(positionOf(memref),
                                                          messageNameAttr))
      return name.str();
  StringAttr given = givenName(memref);
  std::string name = given ? quoted(given) : bufferName(memref);
  if (function && !function.isPublic())
    name += " of @" + function.getName().str();
  return name;
}

std::string memrefName(Value memref) {
  bool isView = false;
  while (Value source = getViewedMemRef(memref)) {
    if (givenName(memref))
      break;
    // A cast shows all of its source under another type.
    Operation *op = memref.getDefiningOp();
    isView |= op && !isa<memref::CastOp, memref::DistinctObjectsOp>(op);
    memref = source;
  }
  std::string name = nameWithoutView(memref);
  return isView ? "a view of " + name : name;
}

/// What an attribute says of a memref, whatever type it is shown under.
static StringAttr descriptionOf(Value memref, StringRef attribute) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  if (Operation *op = memref.getDefiningOp())
    return op->getAttrOfType<StringAttr>(attribute);
  FunctionOpInterface function = functionOf(memref);
  return function ? function.getArgAttrOfType<StringAttr>(positionOf(memref),
                                                          attribute)
                  : StringAttr();
}

std::string dimensionName(Value memref, int64_t dim) {
  if (StringAttr bounds = descriptionOf(memref, boundsAttr))
    return bounds.str();
  return "dimension " + std::to_string(dim) + " of " + memrefName(memref);
}

StringAttr rowsName(Value memref) { return descriptionOf(memref, rowsAttr); }

void nameInMessages(FunctionOpInterface function, unsigned index,
                    Value memref) {
  Builder builder(function.getContext());
  function.setArgAttr(index, messageNameAttr,
                      builder.getStringAttr(memrefName(memref)));
  for (StringRef attribute : {boundsAttr, rowsAttr})
    if (StringAttr description = descriptionOf(memref, attribute))
      function.setArgAttr(index, attribute, description);
}

std::string reportName(Value memref) {
  Value buffer = getBuffer(memref);
  if (!functionOf(buffer))
    return "local";
  if (StringAttr name = givenName(buffer))
    return name.str();
  return "arg" + std::to_string(positionOf(buffer));
}

} // namespace ember
