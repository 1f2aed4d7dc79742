//===- ChoiceNetwork.cpp - Choices whose costs hang together --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChoiceNetwork.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <optional>

using namespace llvm;
using namespace ember::einsum;

ChoiceNetwork::ChoiceNetwork(std::vector<unsigned> choices)
    : choices(std::move(choices)), tablesOf(this->choices.size()) {
  // Each variable has one, so that all of them are eliminated.
  for (unsigned variable = 0; variable < this->choices.size(); ++variable)
    tableOf({variable});
}

ChoiceNetwork::Table &ChoiceNetwork::tableOf(ArrayRef<unsigned> variables) {
  for (unsigned number : tablesOf[variables.front()])
    if (ArrayRef<unsigned>(tables[number].variables) == variables)
      return tables[number];
  uint64_t entries = 1;
  for (unsigned variable : variables) {
    entries *= choices[variable];
    tablesOf[variable].push_back(tables.size());
  }
  tables.push_back(
      {SmallVector<unsigned, 4>(variables), std::vector<int64_t>(entries, 0)});
  return tables.back();
}

uint64_t ChoiceNetwork::entryOf(const Table &table,
                                ArrayRef<unsigned> assignment) const {
  uint64_t entry = 0;
  for (unsigned variable : table.variables)
    entry = entry * choices[variable] + assignment[variable];
  return entry;
}

void ChoiceNetwork::addCost(unsigned variable, unsigned choice, int64_t cost) {
  tableOf({variable}).costs[choice] += cost;
}

void ChoiceNetwork::addCost(unsigned first, unsigned firstChoice,
                            unsigned second, unsigned secondChoice,
                            int64_t cost) {
  if (first > second)
    return addCost(second, secondChoice, first, firstChoice, cost);
  tableOf({first, second})
      .costs[uint64_t(firstChoice) * choices[second] + secondChoice] += cost;
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

/// Takes one variable after the other out of the network, and remembers which
/// choice of it is best for all choices of its neighbours.
class ChoiceNetwork::Elimination {
public:
  Elimination(const ChoiceNetwork &network, uint64_t mostEntries)
      : network(network), mostEntries(mostEntries), tables(network.tables),
        isGone(network.choices.size()), scopes(network.choices.size()) {
    for (unsigned variable = 0; variable < scopes.size(); ++variable)
      updateScope(variable);
  }

  std::optional<std::vector<unsigned>> run() {
    for (unsigned count = 0; count < isGone.size(); ++count)
      if (!eliminate(cheapestVariable()))
        return std::nullopt;
    std::vector<unsigned> assignment(isGone.size(), 0);
    for (const Eliminated &step : reverse(steps))
      assignment[step.variable] =
          step.best[network.entryOf(step.scope, assignment)];
    return assignment;
  }

private:
  struct Eliminated {
    unsigned variable;
    /// Its neighbours; the costs of the table are of no use any more.
    Table scope;
    std::vector<uint8_t> best;
  };

  /// The neighbours of a variable, which the table has that takes its place.
  void updateScope(unsigned variable) {
    SmallVector<unsigned, 4> &scope = scopes[variable];
    scope.clear();
    for (const Table &table : tables)
      if (is_contained(table.variables, variable))
        for (unsigned other : table.variables)
          if (other != variable && !is_contained(scope, other))
            scope.push_back(other);
    llvm::sort(scope);
  }

  uint64_t entriesOf(ArrayRef<unsigned> scope) const {
    uint64_t entries = 1;
    for (unsigned variable : scope)
      entries =
          SaturatingMultiply<uint64_t>(entries, network.choices[variable]);
    return entries;
  }

  unsigned cheapestVariable() const {
    unsigned cheapest = 0;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (unsigned variable = 0; variable < isGone.size(); ++variable) {
      if (isGone[variable])
        continue;
      uint64_t entries = SaturatingMultiply<uint64_t>(
          entriesOf(scopes[variable]), network.choices[variable]);
      if (entries < least) {
        least = entries;
        cheapest = variable;
      }
    }
    return cheapest;
  }

  bool eliminate(unsigned variable) {
    Eliminated step;
    step.variable = variable;
    step.scope.variables = scopes[variable];
    uint64_t entries = entriesOf(step.scope.variables);
    if (SaturatingMultiply<uint64_t>(entries, network.choices[variable]) >
        mostEntries)
      return false;
    std::vector<Table> joined, others;
    for (Table &table : tables)
      (is_contained(table.variables, variable) ? joined : others)
          .push_back(std::move(table));
    tables = std::move(others);
    Table reduced;
    reduced.variables = step.scope.variables;
    reduced.costs.resize(entries);
    step.best.resize(entries);
    std::vector<unsigned> assignment(isGone.size(), 0);
    for (uint64_t entry = 0; entry < entries; ++entry) {
      uint64_t rest = entry;
      for (unsigned neighbour : reverse(reduced.variables)) {
        assignment[neighbour] = rest % network.choices[neighbour];
        rest /= network.choices[neighbour];
      }
      int64_t least = std::numeric_limits<int64_t>::max();
      for (unsigned choice = 0; choice < network.choices[variable]; ++choice) {
        assignment[variable] = choice;
        int64_t cost = 0;
        for (const Table &table : joined)
          cost += table.costs[network.entryOf(table, assignment)];
        if (cost < least) {
          least = cost;
          step.best[entry] = choice;
        }
      }
      reduced.costs[entry] = least;
    }
    isGone[variable] = true;
    if (!reduced.variables.empty())
      tables.push_back(std::move(reduced));
    for (unsigned neighbour : step.scope.variables)
      updateScope(neighbour);
    steps.push_back(std::move(step));
    return true;
  }

  const ChoiceNetwork &network;
  uint64_t mostEntries;
  std::vector<Table> tables;
  std::vector<bool> isGone;
  std::vector<SmallVector<unsigned, 4>> scopes;
  std::vector<Eliminated> steps;
};

/// First choices, and single changes as long as one is better.
ChoiceNetwork::Solution ChoiceNetwork::descend() const {
  Solution solution{std::vector<unsigned>(choices.size(), 0), false};
  auto costAround = [&](unsigned variable) {
    int64_t cost = 0;
    for (unsigned table : tablesOf[variable])
      cost += tables[table].costs[entryOf(tables[table], solution.choices)];
    return cost;
  };
  bool isBetter = true;
  while (isBetter) {
    isBetter = false;
    for (unsigned variable = 0; variable < choices.size(); ++variable) {
      unsigned best = solution.choices[variable];
      int64_t least = costAround(variable);
      for (unsigned choice = 0; choice < choices[variable]; ++choice) {
        solution.choices[variable] = choice;
        int64_t cost = costAround(variable);
        if (cost < least) {
          least = cost;
          best = choice;
          isBetter = true;
        }
      }
      solution.choices[variable] = best;
    }
  }
  // What each table costs at least is a bound of the sum.
  solution.isOptimal = all_of(tables, [&](const Table &table) {
    return table.costs[entryOf(table, solution.choices)] ==
           *llvm::min_element(table.costs);
  });
  return solution;
}

ChoiceNetwork::Solution ChoiceNetwork::solve(uint64_t mostEntries) const {
  if (auto assignment = Elimination(*this, mostEntries).run())
    return {std::move(*assignment), true};
  return descend();
}
