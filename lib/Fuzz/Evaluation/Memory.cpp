//===- Memory.cpp - What the evaluator stores to and loads from -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Memory.h"

namespace ember::fuzz {

View contiguousView(std::shared_ptr<Storage> storage,
                    std::vector<int64_t> sizes) {
  View view{std::move(storage), 0, std::move(sizes), {}};
  view.strides.resize(view.sizes.size());
  int64_t stride = 1;
  for (size_t i = view.sizes.size(); i-- > 0; stride *= view.sizes[i])
    view.strides[i] = stride;
  return view;
}

int64_t positionOf(const View &view, int64_t k) {
  int64_t position = view.offset;
  for (size_t i = view.sizes.size(); i-- > 0; k /= view.sizes[i])
    position += k % view.sizes[i] * view.strides[i];
  return position;
}

} // namespace ember::fuzz
