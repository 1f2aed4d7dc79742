//===- MemorySize.cpp - Bytes of elements, rows and memrefs ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemorySize.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

std::optional<int64_t> ember::getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat())
    return std::nullopt;
  return llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u));
}

std::optional<int64_t> ember::getStaticBytes(MemRefType type, unsigned first) {
  std::optional<int64_t> bytes = getElementBytes(type.getElementType());
  if (!bytes)
    return std::nullopt;
  for (int64_t size : type.getShape().drop_front(first))
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(*bytes, std::max<int64_t>(size, 1), *bytes))
      return std::nullopt;
  return bytes;
}

int64_t ember::multiplyClamped(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}
