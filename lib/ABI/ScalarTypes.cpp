//===- ScalarTypes.cpp - MLIR's types in the table of element types -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/ABI/ScalarTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;

const ember::ScalarType *ember::findScalarType(Type type) {
  if (!type.isIntOrIndexOrFloat())
    return nullptr;
  llvm::SmallString<16> name;
  llvm::raw_svector_ostream os(name);
  if (auto integer = dyn_cast<IntegerType>(type))
    os << 'i' << integer.getWidth();
  else
    os << type;
  return findScalarType(std::string_view(name.data(), name.size()));
}

Type ember::getType(MLIRContext *context, const ScalarType &scalar) {
  return parseType(llvm::StringRef(scalar.name), context);
}

bool ember::isNarrowFloat(Type type) {
  // Most floats are none: no need to ask for their names.
  if (!isa<FloatType>(type) || type.isF32() || type.isF64() || type.isF16())
    return false;
  const ScalarType *scalar = findScalarType(type);
  return scalar && !scalar->isInterchangeFloat();
}
