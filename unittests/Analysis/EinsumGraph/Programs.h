//===- Programs.h - Programs that tests analyse -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_ANALYSIS_EINSUMGRAPH_PROGRAMS_H
#define EMBER_UNITTESTS_ANALYSIS_EINSUMGRAPH_PROGRAMS_H

#include "ember/Analysis/EinsumGraph/ReusePatterns.h"
#include "gtest/gtest.h"

namespace ember::einsum {

inline constexpr DominanceOptions defaults;

/// Adds an operation; a test fails if it is none.
inline void add(Program &program, llvm::StringRef name, llvm::StringRef text,
                OperationKind kind = OperationKind::einsum) {
  if (llvm::Error error = program.add(name, text, kind))
    ADD_FAILURE() << llvm::toString(std::move(error));
}

inline Graph buildGraph(Program program, unsigned iterations = 1) {
  auto graph = Graph::build(std::move(program), {iterations});
  if (!graph) {
    ADD_FAILURE() << llvm::toString(graph.takeError());
    abort();
  }
  return std::move(*graph);
}

/// Block conjugate gradient, GOGETA's algorithm 1: line 2 is a product and the
/// solve behind it.
inline Program makeConjugateGradient(int64_t rows, int64_t nonzeros,
                                     int64_t columns) {
  Program program;
  program.isLoop = true;
  program.addMatrix("A", rows, rows, nonzeros);
  for (const char *name : {"S", "X", "R", "P"})
    program.addTensor(name, {rows, columns});
  for (const char *name : {"D", "L", "G", "Gnew", "F"})
    program.addTensor(name, {columns, columns});
  for (const char *name : {"A", "X", "R", "P", "G"})
    program.tensors[*program.findTensor(name)].isInput = true;
  for (const char *name : {"X", "R", "P"})
    program.tensors[*program.findTensor(name)].isOutput = true;
  add(program, "1", "S[m,n] = A[m,k] P[k,n]");
  add(program, "2", "D[p,n] = P[k,p] S[k,n]");
  add(program, "2s", "L[p,n] = D[p,j] G[j,n]", OperationKind::whole);
  add(program, "3", "X[m,n] = X[m,n] + P[m,j] L[j,n]");
  add(program, "4", "R[m,n] = R[m,n] - S[m,j] L[j,n]");
  add(program, "5", "Gnew[p,n] = R[k,p] R[k,n]");
  add(program, "6", "F[p,n] = G[p,j] Gnew[j,n]", OperationKind::whole);
  add(program, "7", "P[m,n] = R[m,n] + P[m,j] F[j,n]");
  program.carried.push_back(
      {*program.findTensor("G"), *program.findTensor("Gnew")});
  return program;
}

} // namespace ember::einsum

#endif // EMBER_UNITTESTS_ANALYSIS_EINSUMGRAPH_PROGRAMS_H
