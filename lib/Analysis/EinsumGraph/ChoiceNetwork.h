//===- ChoiceNetwork.h - Choices whose costs hang together ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_ANALYSIS_EINSUMGRAPH_CHOICENETWORK_H
#define EMBER_LIB_ANALYSIS_EINSUMGRAPH_CHOICENETWORK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace ember::einsum {

/// Variables with some choices each, and costs of choices and of pairs of them.
/// The least sum is found by variable elimination (Dechter's bucket
/// elimination): exact, in time that grows with how tangled the pairs are.
class ChoiceNetwork {
public:
  explicit ChoiceNetwork(std::vector<unsigned> choices);

  void addCost(unsigned variable, unsigned choice, int64_t cost);
  /// Of two different variables.
  void addCost(unsigned first, unsigned firstChoice, unsigned second,
               unsigned secondChoice, int64_t cost);

  struct Solution {
    std::vector<unsigned> choices;
    bool isOptimal;
  };
  /// Of choices that cost as much, first ones. No table gets more entries than
  /// `mostEntries`; where one would, the solution is one that no single change
  /// improves.
  Solution solve(uint64_t mostEntries) const;

private:
  /// A cost for all choices of some variables, those of the last one next to
  /// each other.
  struct Table {
    llvm::SmallVector<unsigned, 4> variables;
    std::vector<int64_t> costs;
  };
  class Elimination;

  Table &tableOf(llvm::ArrayRef<unsigned> variables);
  uint64_t entryOf(const Table &table,
                   llvm::ArrayRef<unsigned> assignment) const;
  Solution descend() const;

  std::vector<unsigned> choices;
  std::vector<Table> tables;
  /// Tables of each variable, by number.
  std::vector<llvm::SmallVector<unsigned>> tablesOf;
};

} // namespace ember::einsum

#endif // EMBER_LIB_ANALYSIS_EINSUMGRAPH_CHOICENETWORK_H
