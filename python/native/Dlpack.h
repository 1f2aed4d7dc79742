//===- Dlpack.h - What PyTorch says of its tensors --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of DLPack's binary interface, version 1, that is needed to find out
// where a tensor lies: torch.Tensor.__dlpack_c_exchange_api__ holds a table of
// functions. No header of PyTorch is needed, and none of its libraries.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_NATIVE_DLPACK_H
#define EMBER_NATIVE_DLPACK_H

#include <stdint.h>

namespace ember::dlpack {

constexpr const char *capsuleName = "dlpack_exchange_api";
constexpr uint32_t majorVersion = 1;
constexpr int32_t cpuDevice = 1;

struct ElementType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

/// A view of memory that the tensor keeps: sizes and strides are in elements.
struct TensorView {
  void *data;
  int32_t deviceType;
  int32_t deviceNumber;
  int32_t rank;
  ElementType type;
  int64_t *sizes;
  int64_t *strides;
  uint64_t byteOffset;
};

struct ExchangeTable {
  uint32_t major;
  uint32_t minor;
  ExchangeTable *older;
  void (*allocate)();
  void (*fromObject)();
  void (*toObject)();
  /// Fills a view of an object's memory: 0, or -1 with a Python exception.
  int (*viewOfObject)(void *object, TensorView *view);
  void (*stream)();
};

} // namespace ember::dlpack

#endif // EMBER_NATIVE_DLPACK_H
