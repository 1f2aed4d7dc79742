//===- PrintValue.cpp - Kernel values as text -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are printed by the type of their file, arrays by recursion over
// their dimensions.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/PrintValue.h"
#include "ember/Analysis/MemorySize.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>

using namespace llvm;
using namespace mlir;
using namespace ember;

/// Arrays of more elements are cut to `edge` at each end of a dimension.
static constexpr int64_t maxWhole = 64;
static constexpr int64_t edge = 3;

template <typename T> static T readAs(const char *element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <typename T> static void printShortest(T number, raw_ostream &os) {
  char buffer[64];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  os << StringRef(buffer, end - buffer);
}

/// Floats of at most 32 bits are printed as f32, which holds all their values.
static void printFloat(FloatType type, const char *element, raw_ostream &os) {
  unsigned width = type.getWidth();
  uint64_t bits = 0;
  std::memcpy(&bits, element, width / 8);
  APFloat number(type.getFloatSemantics(), APInt(width, bits));
  if (width == 64)
    return printShortest(number.convertToDouble(), os);
  bool losesInfo;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  printShortest(number.convertToFloat(), os);
}

static void printElement(const KernelValue &value, const char *element,
                         raw_ostream &os) {
  if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.type)))
    return printFloat(type, element, os);
  switch (value.npyType) {
  case NpyType::Bool:
    os << (*element ? "true" : "false");
    return;
  case NpyType::Int8:
    return printShortest<int>(readAs<int8_t>(element), os);
  case NpyType::Int16:
    return printShortest(readAs<int16_t>(element), os);
  case NpyType::Int32:
    return printShortest(readAs<int32_t>(element), os);
  case NpyType::UInt8:
    return printShortest<unsigned>(readAs<uint8_t>(element), os);
  case NpyType::UInt16:
    return printShortest(readAs<uint16_t>(element), os);
  case NpyType::UInt32:
    return printShortest(readAs<uint32_t>(element), os);
  case NpyType::UInt64:
    return printShortest(readAs<uint64_t>(element), os);
  default:
    return printShortest(readAs<int64_t>(element), os);
  }
}

namespace {
struct ArrayPrinter {
  const KernelValue &value;
  raw_ostream &os;
  bool whole;

  void print(const char *elements, ArrayRef<int64_t> shape,
             ArrayRef<int64_t> strides) {
    if (shape.empty())
      return printElement(value, elements, os);
    int64_t bytes = getNpyBytes(value.npyType);
    os << "[";
    for (int64_t i = 0; i < shape.front(); ++i) {
      if (!whole && i == edge && shape.front() > 2 * edge) {
        os << ", ...";
        i = shape.front() - edge;
      }
      os << (i == 0 ? "" : ", ");
      print(elements + i * strides.front() * bytes, shape.drop_front(),
            strides.drop_front());
    }
    os << "]";
  }
};
} // namespace

void ember::printValue(const KernelValue &value, raw_ostream &os) {
  os << value.label << ": " << value.type;
  if (value.isMemRef()) {
    int64_t elements = 1;
    os << " [";
    interleaveComma(value.getShape(), os);
    os << "]";
    for (int64_t extent : value.getShape())
      elements = multiplyClamped(elements, extent);
    os << " = ";
    ArrayPrinter{value, os, elements <= maxWhole}.print(
        value.getElements(), value.getShape(), value.getStrides());
  } else if (getElementTypeOrSelf(value.type).isIntOrIndexOrFloat()) {
    os << " = ";
    printElement(value, value.getElements(), os);
  } else {
    os << " = [";
    interleaveComma(value.words, os);
    os << "]";
  }
  os << "\n";
}
