//===- Residency.h - Which words an SRAM holds ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_ANALYSIS_EINSUMGRAPH_RESIDENCY_H
#define EMBER_LIB_ANALYSIS_EINSUMGRAPH_RESIDENCY_H

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace ember::einsum {

/// What a step does to one tensor, or to a transposed copy of one.
struct Use {
  unsigned item;
  /// How often it is read from memory. What is written is not, but by its own
  /// step.
  unsigned reads = 0;
  bool isWritten = false;
};

/// A tensor between two times that it is written, as memory knows it.
struct Item {
  double words = 0;
  /// Whether it may be in the SRAM.
  bool isKept = true;
  bool isOutput = false;
  /// Steps that use it, in order.
  std::vector<unsigned> uses;
  /// What it is a transposed copy of.
  std::optional<unsigned> original = std::nullopt;
};

enum class Replacement : uint8_t {
  /// What is in the SRAM stays until nobody needs it.
  none,
  /// What is needed latest makes room.
  farthest,
};

/// An SRAM that holds the first words of items.
class Residency {
public:
  Residency(std::vector<Item> items, double capacity, Replacement replacement,
            bool keepsReads);

  struct Words {
    double reads = 0, writes = 0;
  };
  /// Does one step. `words` and `total` have what is read and written since the
  /// beginning, of each item and of all.
  void doStep(unsigned step, llvm::ArrayRef<Use> uses);
  /// Writes what is asked for behind the program.
  void finish();

  std::vector<Words> words;
  Words total;

private:
  /// The next step that uses an item behind `step`; none if there is none.
  std::optional<unsigned> nextUse(unsigned item, unsigned step) const;
  void read(const Use &use);
  void write(unsigned item, double count);
  bool isNeededBehind(unsigned step, unsigned item) const;
  /// An item that wants room behind a step.
  struct Claim {
    unsigned item;
    double words;
    bool isWritten;
    double granted = 0;
  };
  /// Decides how much of each item is in the SRAM behind a step.
  void grant(unsigned step, std::vector<Claim> &claims) const;
  /// Writes what a transposed copy has to find in DRAM.
  void writeForCopy(unsigned step, unsigned copy);

  std::vector<Item> items;
  double capacity;
  Replacement replacement;
  bool keepsReads;
  /// Words of each item in the SRAM, of which the first `dirty` are nowhere
  /// else.
  std::vector<double> resident, dirty;
  /// Items of which there are some.
  std::vector<unsigned> held;
};

} // namespace ember::einsum

#endif // EMBER_LIB_ANALYSIS_EINSUMGRAPH_RESIDENCY_H
