//===- Comparison.cpp - Simulated results against others ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include "ember/Driver/Files.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;
using namespace ember;

/// Whether the element is no number; integers are all numbers.
static bool isNaN(NpyType type, const char *element) {
  auto check = [&](const fltSemantics &semantics, unsigned bits) {
    uint64_t word = 0;
    memcpy(&word, element, bits / 8);
    return APFloat(semantics, APInt(bits, word)).isNaN();
  };
  switch (type) {
  case NpyType::Float16:
    return check(APFloat::IEEEhalf(), 16);
  case NpyType::Float32:
    return check(APFloat::IEEEsingle(), 32);
  case NpyType::Float64:
    return check(APFloat::IEEEdouble(), 64);
  default:
    return false;
  }
}

static Error compare(const KernelValue &simulated,
                     const KernelValue &expected) {
  unsigned bytes = getNpyBytes(expected.npyType);
  if (!expected.isMemRef()) {
    size_t size = expected.words.size() * sizeof(int64_t);
    if (!memcmp(simulated.words.data(), expected.words.data(), size) ||
        isNaN(expected.npyType, expected.getElements()))
      return Error::success();
    return makeError(expected.label +
                     " is not what this processor computes: the simulated "
                     "core, or the code for it, does something wrong");
  }
  ArrayRef<int64_t> shape = expected.getShape();
  if (simulated.getShape() != shape)
    return makeError(expected.label + " has another shape than on this "
                                      "processor");
  SmallVector<int64_t> index(shape.size());
  if (is_contained(shape, 0))
    return Error::success();
  while (true) {
    auto at = [&](const KernelValue &value) {
      int64_t position = 0;
      for (auto [i, stride] : zip_equal(index, value.getStrides()))
        position += i * stride;
      return value.getElements() + position * bytes;
    };
    const char *one = at(simulated), *other = at(expected);
    if (memcmp(one, other, bytes) &&
        !(isNaN(expected.npyType, one) && isNaN(expected.npyType, other)))
      return makeError(
          expected.label + "[" +
          join(map_range(index, [](int64_t i) { return std::to_string(i); }),
               ", ") +
          "] is not what this processor computes: the simulated core, or the "
          "code for it, does something wrong");
    size_t dim = shape.size();
    while (dim && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (!dim)
      return Error::success();
  }
}

Error ember::compareValues(const KernelArguments &simulated,
                           const KernelArguments &expected) {
  auto compareAll = [](ArrayRef<KernelValue> ones,
                       ArrayRef<KernelValue> others) -> Error {
    for (auto [one, other] : zip_equal(ones, others))
      if (Error error = compare(one, other))
        return error;
    return Error::success();
  };
  if (Error error =
          compareAll(simulated.getParameters(), expected.getParameters()))
    return error;
  return compareAll(simulated.getResults(), expected.getResults());
}
