//===- Manifest.cpp - What a kernel library says about itself -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of func.func signatures as JSON. A dynamic extent, stride or offset is
// null.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Manifest.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Lowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

StringRef ember::getEmberVersion() { return "0.1.0"; }

static std::string toText(mlir::Type type) {
  std::string text;
  raw_string_ostream(text) << type;
  return text;
}

static json::Value toExtent(int64_t extent) {
  if (ShapedType::isDynamic(extent))
    return nullptr;
  return extent;
}

static json::Array toExtents(ArrayRef<int64_t> extents) {
  return json::Array(llvm::map_range(extents, toExtent));
}

static json::Object describeType(mlir::Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    bool isScalar = type.isIntOrIndexOrFloat();
    return json::Object{{"kind", isScalar ? "scalar" : "structure"},
                        {"dtype", toText(type)}};
  }
  json::Object description{{"kind", "memref"},
                           {"dtype", toText(memref.getElementType())},
                           {"shape", toExtents(memref.getShape())}};
  SmallVector<int64_t> strides;
  int64_t offset;
  if (memref.getLayout().isIdentity() ||
      failed(memref.getStridesAndOffset(strides, offset)))
    return description;
  description["strides"] = toExtents(strides);
  description["offset"] = toExtent(offset);
  return description;
}

/// A number, or an array of such or of names; null for a unit.
static json::Value describeSizes(Attribute attribute) {
  if (auto parts = dyn_cast<ArrayAttr>(attribute))
    return json::Array(llvm::map_range(parts, describeSizes));
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  if (auto name = dyn_cast<StringAttr>(attribute))
    return json::fixUTF8(name.getValue());
  return nullptr;
}

/// A number as Python reads it.
static std::string toText(TypedAttr number) {
  SmallString<24> text;
  if (auto value = dyn_cast<FloatAttr>(number))
    value.getValue().toString(text);
  else
    cast<IntegerAttr>(number).getValue().toStringSigned(text);
  return StringRef(text).lower();
}

/// What a caller has to know to make room for an argument.
static void describeRoom(func::FuncOp function, unsigned index,
                         json::Object &argument) {
  if (Attribute sizes = function.getArgAttr(index, sizesAttr))
    argument["sizes"] = describeSizes(sizes);
  if (auto initial = function.getArgAttrOfType<TypedAttr>(index, initialAttr))
    argument["initial"] = toText(initial);
  if (function.getArgAttr(index, givenAttr))
    argument["given"] = true;
}

static json::Object describeEntry(func::FuncOp function) {
  json::Array arguments;
  llvm::SmallBitVector written = native::findWrittenArguments(function);
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    json::Object argument = describeType(type);
    StringAttr name = givenName(function, index);
    argument["name"] = name ? json::fixUTF8(name.getValue())
                            : "argument " + std::to_string(index);
    if (isa<MemRefType>(type))
      argument["writable"] = static_cast<bool>(written[index]);
    describeRoom(function, index, argument);
    arguments.push_back(std::move(argument));
  }
  json::Array results;
  for (mlir::Type type : function.getResultTypes())
    results.push_back(describeType(type));
  return json::Object{{"name", json::fixUTF8(function.getSymName())},
                      {"symbol", json::fixUTF8(native::kernelEntrySymbol(
                                     function.getSymName()))},
                      {"arguments", std::move(arguments)},
                      {"results", std::move(results)}};
}

json::Array ember::describeEntries(ModuleOp module) {
  json::Array entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration())
      entries.push_back(describeEntry(function));
  return entries;
}

json::Value ember::makeManifest(const KernelDescription &description,
                                json::Array entries) {
  json::Array remarks, decisions;
  for (const std::string &remark : description.remarks)
    remarks.push_back(json::fixUTF8(remark));
  for (const std::string &decision : description.decisions)
    decisions.push_back(json::fixUTF8(decision));
  json::Object manifest{{"ember", getEmberVersion()},
                        {"target", description.target},
                        {"opt_level", description.optLevel},
                        {"cpu", description.cpu},
                        {"features", description.features},
                        {"vector_length", description.vectorLength},
                        {"entries", std::move(entries)},
                        {"remarks", std::move(remarks)},
                        {"decisions", std::move(decisions)}};
  if (description.queueCapacity)
    manifest["queue_capacity"] = *description.queueCapacity;
  return manifest;
}
