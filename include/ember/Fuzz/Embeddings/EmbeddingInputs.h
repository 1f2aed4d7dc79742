//===- EmbeddingInputs.h - Wrong and shared inputs --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDINGINPUTS_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDINGINPUTS_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"

namespace ember::fuzz {

/// Makes some inputs of a program of embedding operations unusual: a number or
/// a size is wrong, or two arguments are the same memory.
void varyInputs(Random &random, Program &program);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDINGINPUTS_H
