//===- DataTypes.cpp - Types of elements in graphs ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

namespace {
/// A type of TensorFlow. Without an element type of MLIR it is a foreign one.
struct Row {
  DataType number;
  StringLiteral name;
  Type (*make)(MLIRContext *) = nullptr;
};
} // namespace

template <unsigned bits, IntegerType::SignednessSemantics sign>
static Type makeInteger(MLIRContext *context) {
  return IntegerType::get(context, bits, sign);
}

template <typename TypeT> static Type makeType(MLIRContext *context) {
  return TypeT::get(context);
}

template <typename TypeT> static Type makeComplex(MLIRContext *context) {
  return ComplexType::get(TypeT::get(context));
}

static constexpr auto isSigned = IntegerType::Signless;
static constexpr auto isUnsigned = IntegerType::Unsigned;

static constexpr Row rows[] = {
    {1, "float", makeType<Float32Type>},
    {2, "double", makeType<Float64Type>},
    {3, "int32", makeInteger<32, isSigned>},
    {4, "uint8", makeInteger<8, isUnsigned>},
    {5, "int16", makeInteger<16, isSigned>},
    {6, "int8", makeInteger<8, isSigned>},
    {7, "string", makeType<col::TextType>},
    {8, "complex64", makeComplex<Float32Type>},
    {9, "int64", makeInteger<64, isSigned>},
    {10, "bool", makeInteger<1, isSigned>},
    {11, "qint8"},
    {12, "quint8"},
    {13, "qint32"},
    {14, "bfloat16", makeType<BFloat16Type>},
    {15, "qint16"},
    {16, "quint16"},
    {17, "uint16", makeInteger<16, isUnsigned>},
    {18, "complex128", makeComplex<Float64Type>},
    {19, "half", makeType<Float16Type>},
    {20, "resource"},
    {21, "variant"},
    {22, "uint32", makeInteger<32, isUnsigned>},
    {23, "uint64", makeInteger<64, isUnsigned>},
    {24, "float8_e5m2", makeType<Float8E5M2Type>},
    {25, "float8_e4m3fn", makeType<Float8E4M3FNType>},
    {29, "int4", makeInteger<4, isSigned>},
    {30, "uint4", makeInteger<4, isUnsigned>},
};

/// References to values of a type are numbered by this much more.
static constexpr DataType references = 100;

DataType graphdef::findDataType(StringRef name) {
  const Row *row =
      llvm::find_if(rows, [&](const Row &row) { return row.name == name; });
  return row == std::end(rows) ? 0 : row->number;
}

Type graphdef::getElementType(MLIRContext *context, DataType type) {
  DataType value = type > references ? type - references : type;
  const Row *row =
      llvm::find_if(rows, [&](const Row &row) { return row.number == value; });
  if (row == std::end(rows))
    return {};
  return row->make ? row->make(context)
                   : col::ForeignType::get(context, row->name);
}

DataType graphdef::getDataType(Type type) {
  const Row *row = llvm::find_if(rows, [&](const Row &row) {
    return getElementType(type.getContext(), row.number) == type;
  });
  return row == std::end(rows) ? 0 : row->number;
}

Type graphdef::getUnknownType(MLIRContext *context) {
  return col::ForeignType::get(context, "unknown");
}
