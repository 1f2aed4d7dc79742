//===- Embedding.cpp - Operations of the embed dialect --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/Embedding.h"

namespace ember::fuzz {

std::vector<size_t> Embedding::positions(Role role) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == role)
      found.push_back(i);
  return found;
}

const char *mnemonic(Embedding::Kind kind) {
  static const char *const names[] = {
      "embed.bag",          "embed.spmm",        "embed.sddmm",
      "embed.message",      "embed.score",       "embed.gather",
      "embed.block_scores", "embed.block_values"};
  return names[kind];
}

} // namespace ember::fuzz
