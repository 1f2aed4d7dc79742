//===- Generator.cpp - Random programs ------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws programs of some kind until one is worth running.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Embeddings/EmbeddingGenerator.h"
#include "ember/Fuzz/Nests/NestGenerator.h"
#include "ember/Fuzz/Statements/StatementGenerator.h"

namespace ember::fuzz {

Case generateCase(uint64_t seed, ProgramKind kind) {
  Random random(seed * 0x2545f4914f6cdd1dull + 1);
  // Of its own, so that a seed names the same nests with either kind.
  if (kind == ProgramKind::Any) {
    const ProgramKind kinds[] = {ProgramKind::Nests, ProgramKind::Embeddings,
                                 ProgramKind::Statements};
    kind = kinds[Random(seed ^ 0xe3bedull).weighted({2, 1, 1})];
  }
  Case drawn;
  // Programs that run long or whose result is not specified are drawn again.
  for (int attempt = 0; attempt < 50; ++attempt) {
    drawn.program = kind == ProgramKind::Embeddings ? generateEmbeddings(random)
                    : kind == ProgramKind::Statements
                        ? generateStatements(random)
                        : generateNests(random);
    drawn.expected = interpret(drawn.program, kStepLimit);
    // A wrong input may also do what is wrong without being reported, such as
    // reading what was never written.
    bool isRetried = drawn.expected.status == Outcome::TooLong ||
                     drawn.expected.status == Outcome::Unspecified ||
                     (drawn.program.isFaulty &&
                      !isComparable(drawn.program, drawn.expected));
    if (!isRetried)
      break;
  }
  return drawn;
}

} // namespace ember::fuzz
