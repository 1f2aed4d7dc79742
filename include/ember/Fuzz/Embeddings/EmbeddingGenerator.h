//===- EmbeddingGenerator.h - Random embedding operations -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDINGGENERATOR_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDINGGENERATOR_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"

namespace ember::fuzz {

/// A function of some embedding operations and its inputs. A few are wrong:
/// an index, an offset, a length or a size.
Program generateEmbeddings(Random &random);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDINGGENERATOR_H
