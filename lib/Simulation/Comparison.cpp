//===- Comparison.cpp - Simulated results against others ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include "ember/Driver/Files.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace ember;

/// Of results that may be rounded in another order, in units of the last place.
static constexpr double mostUnits = 64;

/// The format of floats, or null for integers, and for floats of 8 bits, which
/// are too coarse to be compared by.
static const fltSemantics *formatOf(NpyType type) {
  switch (type) {
  case NpyType::Float16:
    return &APFloat::IEEEhalf();
  case NpyType::Float32:
    return &APFloat::IEEEsingle();
  case NpyType::Float64:
    return &APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

static double toDouble(const fltSemantics &format, const char *element) {
  unsigned bits = APFloat::semanticsSizeInBits(format);
  uint64_t word = 0;
  memcpy(&word, element, bits / 8);
  return APFloat(format, APInt(bits, word)).convertToDouble();
}

namespace {
/// When two elements of one value are alike.
class Likeness {
public:
  Likeness(const KernelValue &value, bool mayReassociate)
      : format(formatOf(value.npyType)), bytes(getNpyBytes(value.npyType)),
        mayReassociate(mayReassociate) {}

  /// `element` is one that has to be found.
  void expect(const char *element) {
    double number = format ? toDouble(*format, element) : 0;
    if (std::isfinite(number))
      largest = std::max(largest, std::abs(number));
  }

  bool areAlike(const char *one, const char *other) const {
    if (!memcmp(one, other, bytes))
      return true;
    if (!format)
      return false;
    double a = toDouble(*format, one), b = toDouble(*format, other);
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && std::isnan(b);
    double unit = std::ldexp(
        largest, 1 - static_cast<int>(APFloat::semanticsPrecision(*format)));
    return mayReassociate && std::abs(a - b) <= mostUnits * unit;
  }

private:
  const fltSemantics *format;
  unsigned bytes;
  bool mayReassociate;
  double largest = 0;
};
} // namespace

/// Calls `visit` with the index of each element.
static Error forEachIndex(ArrayRef<int64_t> shape,
                          function_ref<Error(ArrayRef<int64_t>)> visit) {
  if (is_contained(shape, 0))
    return Error::success();
  SmallVector<int64_t> index(shape.size());
  while (true) {
    if (Error error = visit(index))
      return error;
    size_t dim = shape.size();
    while (dim && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (!dim)
      return Error::success();
  }
}

static const char *elementOf(const KernelValue &value,
                             ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [i, stride] : zip_equal(index, value.getStrides()))
    position += i * stride;
  return value.getElements() + position * getNpyBytes(value.npyType);
}

static Error compare(const KernelValue &simulated, const KernelValue &expected,
                     bool mayReassociate) {
  auto isOther = [&](const Twine &place) {
    return makeError(place + " is not what this processor computes: the "
                             "simulated core, or the code for it, does "
                             "something wrong");
  };
  Likeness likeness(expected, mayReassociate);
  if (!expected.isMemRef()) {
    likeness.expect(expected.getElements());
    bool isStructure = expected.words.size() != 1;
    bool alike = isStructure ? simulated.words == expected.words
                             : likeness.areAlike(simulated.getElements(),
                                                 expected.getElements());
    return alike ? Error::success() : isOther(expected.label);
  }
  ArrayRef<int64_t> shape = expected.getShape();
  if (simulated.getShape() != shape)
    return isOther("the shape of " + expected.label);
  if (mayReassociate)
    cantFail(forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      likeness.expect(elementOf(expected, index));
      return Error::success();
    }));
  return forEachIndex(shape, [&](ArrayRef<int64_t> index) -> Error {
    if (likeness.areAlike(elementOf(simulated, index),
                          elementOf(expected, index)))
      return Error::success();
    auto numbers =
        map_range(index, [](int64_t i) { return std::to_string(i); });
    return isOther(expected.label + "[" + join(numbers, ", ") + "]");
  });
}

Error ember::compareValues(const KernelArguments &simulated,
                           const KernelArguments &expected,
                           bool mayReassociate) {
  auto compareAll = [&](ArrayRef<KernelValue> ones,
                        ArrayRef<KernelValue> others) -> Error {
    for (auto [one, other] : zip_equal(ones, others))
      if (Error error = compare(one, other, mayReassociate))
        return error;
    return Error::success();
  };
  if (Error error =
          compareAll(simulated.getParameters(), expected.getParameters()))
    return error;
  return compareAll(simulated.getResults(), expected.getResults());
}
