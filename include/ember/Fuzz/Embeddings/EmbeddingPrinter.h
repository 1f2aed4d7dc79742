//===- EmbeddingPrinter.h - Embedding operations as text --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDINGPRINTER_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDINGPRINTER_H

#include "ember/Fuzz/Program/Ast.h"
#include <ostream>

namespace ember::fuzz {

/// Writes `op` without its results; values are called by `names`.
void printEmbedding(std::ostream &out, const Op &op,
                    const std::vector<std::string> &names,
                    const std::vector<Type> &types);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDINGPRINTER_H
