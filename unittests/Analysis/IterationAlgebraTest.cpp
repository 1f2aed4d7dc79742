//===- IterationAlgebraTest.cpp - All sets of three operands --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IterationAlgebra/IterationLattice.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace ember;

namespace {

constexpr unsigned operands = 3, regions = 1 << operands;
const std::vector<std::string> names = {"a", "b", "c"};

CoordinateSet a() { return CoordinateSet::operand(0); }
CoordinateSet b() { return CoordinateSet::operand(1); }
CoordinateSet c() { return CoordinateSet::operand(2); }

/// The set of the regions whose bits are set.
CoordinateSet ofTable(unsigned table) {
  llvm::BitVector bits(regions);
  for (unsigned region = 0; region < regions; ++region)
    bits[region] = table >> region & 1;
  return CoordinateSet::ofRegions(bits, operands);
}

unsigned tableOf(const CoordinateSet &set) {
  unsigned table = 0;
  for (unsigned region = 0; region < regions; ++region)
    table |= unsigned(set.contains(region)) << region;
  return table;
}

/// What a lattice visits of a dimension, and at how many coordinates it looks.
struct Walk {
  std::vector<unsigned> visited;
  unsigned looked = 0;
};

/// Walks coordinates 0 to n, of which `stored[i]` says which operands have
/// them.
Walk walk(const IterationLattice &lattice,
          const std::vector<OperandMask> &stored) {
  auto size = static_cast<unsigned>(stored.size());
  auto nextOf = [&](unsigned operand, unsigned from) {
    while (from < size && !(stored[from] >> operand & 1))
      ++from;
    return from;
  };
  Walk walked;
  unsigned from = 0;
  const LatticePoint *point =
      lattice.points().empty() ? nullptr : &lattice.points().front();
  while (point && from < size) {
    OperandMask exhausted = 0;
    unsigned smallest = point->walksAll ? from : size;
    for (unsigned operand = 0; operand < operands; ++operand) {
      if (!(point->walked >> operand & 1))
        continue;
      unsigned at = nextOf(operand, from);
      exhausted |= OperandMask(at == size) << operand;
      smallest = std::min(smallest, at);
    }
    if (exhausted) {
      point = lattice.next(*point, exhausted);
      continue;
    }
    ++walked.looked;
    if (point->visits(stored[smallest] & point->walked))
      walked.visited.push_back(smallest);
    from = smallest + 1;
  }
  return walked;
}

TEST(IterationAlgebra, everySetIsThatOfItsRegions) {
  for (unsigned table = 0; table < 256; ++table) {
    CoordinateSet set = ofTable(table);
    EXPECT_EQ(tableOf(set), table);
    EXPECT_EQ(tableOf(~set), 255 - table);
    EXPECT_EQ(tableOf(set.simplified()), table);
  }
}

TEST(IterationAlgebra, operationsAreThoseOfTables) {
  for (unsigned x = 0; x < 256; x += 3)
    for (unsigned y = 0; y < 256; y += 5) {
      CoordinateSet left = ofTable(x), right = ofTable(y);
      EXPECT_EQ(tableOf(left | right), x | y);
      EXPECT_EQ(tableOf(left & right), x & y);
      EXPECT_EQ(left == right, x == y);
      for (OperandMask gone = 0; gone < regions; ++gone)
        for (OperandMask region = 0; region < regions; ++region)
          EXPECT_EQ(left.without(gone).contains(region),
                    left.contains(region & ~gone));
    }
}

TEST(IterationAlgebra, supportIsWhatDecides) {
  for (unsigned table = 0; table < 256; ++table) {
    CoordinateSet set = ofTable(table);
    for (unsigned operand = 0; operand < operands; ++operand) {
      bool decides = false;
      for (unsigned region = 0; region < regions; ++region)
        decides |=
            (table >> region & 1) != (table >> (region ^ (1u << operand)) & 1);
      EXPECT_EQ(set.support() >> operand & 1, unsigned(decides));
    }
  }
}

TEST(IterationAlgebra, textIsSimplified) {
  EXPECT_EQ(((a() | b()) & c()).describe(names), "(a ∪ b) ∩ c");
  EXPECT_EQ(((a() & c()) | (b() & c())).simplified().describe(names),
            "c ∩ (a ∪ b)");
  EXPECT_EQ((~(a() & ~b())).simplified().describe(names), "~a ∪ b");
  EXPECT_EQ((a() | (a() & b())).simplified().describe(names), "a");
  EXPECT_EQ((a() & (a() | b()) & c()).simplified().describe(names), "a ∩ c");
  EXPECT_EQ((a() | ~a()).simplified().describe(names), "U");
  EXPECT_EQ((a() & ~a()).simplified().describe(names), "∅");
  EXPECT_EQ(((a() & b()) | (a() & ~b())).simplified().describe(names), "a");
}

TEST(IterationAlgebra, latticesVisitTheirSetAndNothingElse) {
  std::mt19937 random(7);
  for (unsigned table = 0; table < 256; ++table) {
    IterationLattice lattice(ofTable(table));
    for (unsigned round = 0; round < 20; ++round) {
      std::vector<OperandMask> stored(12);
      for (OperandMask &mask : stored)
        mask = random() % regions;
      Walk walked = walk(lattice, stored);
      std::vector<unsigned> expected;
      for (unsigned i = 0; i < stored.size(); ++i)
        if (table >> stored[i] & 1)
          expected.push_back(i);
      EXPECT_EQ(walked.visited, expected) << "table " << table;
      // Only what the operands store is looked at, if nothing else is visited.
      unsigned most = 0;
      OperandMask support = ofTable(table).support();
      for (OperandMask mask : stored)
        most += (table & 1) || (mask & support);
      EXPECT_LE(walked.looked, most) << "table " << table;
    }
  }
}

/// The same by a loop for each point, one after the other, which is entered if
/// all that the point walks has more: what code for a processor does.
static std::vector<unsigned> walkInOrder(const IterationLattice &lattice,
                                         const std::vector<OperandMask> &stored,
                                         unsigned operands) {
  std::vector<unsigned> visited;
  unsigned size = stored.size(), from = 0;
  for (const LatticePoint &point : lattice.points()) {
    while (from < size) {
      bool isOver = false;
      unsigned smallest = point.walksAll ? from : size;
      for (unsigned operand = 0; operand < operands; ++operand) {
        if (!(point.walked >> operand & 1))
          continue;
        unsigned at = from;
        while (at < size && !(stored[at] >> operand & 1))
          ++at;
        isOver |= at == size;
        smallest = std::min(smallest, at);
      }
      if (isOver)
        break;
      if (point.visits(stored[smallest] & point.walked))
        visited.push_back(smallest);
      from = smallest + 1;
    }
  }
  return visited;
}

TEST(IterationAlgebra, loopsOfPointsInOrderVisitTheSet) {
  std::mt19937 random(11);
  auto check = [&](unsigned table, unsigned count) {
    llvm::BitVector bits(1u << count);
    for (unsigned region = 0; region < bits.size(); ++region)
      bits[region] = table >> region & 1;
    CoordinateSet set = CoordinateSet::ofRegions(bits, count);
    IterationLattice lattice(set);
    for (unsigned round = 0; round < 8; ++round) {
      std::vector<OperandMask> stored(10);
      for (OperandMask &mask : stored)
        mask = random() % bits.size();
      std::vector<unsigned> expected;
      for (unsigned i = 0; i < stored.size(); ++i)
        if (set.contains(stored[i]))
          expected.push_back(i);
      EXPECT_EQ(walkInOrder(lattice, stored, count), expected)
          << set.text() << " of " << count;
    }
  };
  for (unsigned table = 0; table < 256; ++table)
    check(table, 3);
  for (unsigned sample = 0; sample < 2000; ++sample)
    check(random() % 65536, 4);
}

TEST(IterationAlgebra, textIsReadAgain) {
  for (unsigned table = 0; table < 256; ++table) {
    CoordinateSet set = ofTable(table);
    std::optional<CoordinateSet> again = CoordinateSet::parse(set.text());
    ASSERT_TRUE(again) << set.text();
    EXPECT_EQ(*again, set) << set.text();
  }
  for (const char *wrong : {"", "0 |", "(0", "0 1", "12", "a", "~", "0 & | 1"})
    EXPECT_FALSE(CoordinateSet::parse(wrong)) << wrong;
  EXPECT_FALSE(CoordinateSet::parse(std::string(1000, '~') + "0"));
}

TEST(IterationAlgebra, walksEndWhereNothingIsLeft) {
  // b has nothing behind its first coordinate.
  std::vector<OperandMask> stored = {3, 1, 1, 1, 1, 1};
  EXPECT_EQ(walk(IterationLattice(a() & b()), stored).looked, 1u);
  EXPECT_EQ(walk(IterationLattice(a() | b()), stored).looked, 6u);
  EXPECT_EQ(walk(IterationLattice(b() & ~a()), stored).looked, 1u);
}

TEST(IterationAlgebra, latticesHaveThePointsOfTheLiterature) {
  auto walkedBy = [](const CoordinateSet &set) {
    std::vector<OperandMask> walked;
    IterationLattice lattice(set);
    for (const LatticePoint &point : lattice.points())
      walked.push_back(point.walked);
    return walked;
  };
  using Masks = std::vector<OperandMask>;
  EXPECT_EQ(walkedBy(a() & b()), (Masks{3}));
  EXPECT_EQ(walkedBy(a() | b()), (Masks{3, 1, 2}));
  EXPECT_EQ(walkedBy(a() & ~b()), (Masks{3, 1}));
  EXPECT_EQ(walkedBy((a() | b()) & c()), (Masks{7, 5, 6}));
  EXPECT_TRUE(walkedBy(CoordinateSet::none()).empty());
  IterationLattice complement(~a());
  ASSERT_EQ(complement.points().size(), 2u);
  EXPECT_TRUE(complement.points()[0].walksAll);
  EXPECT_EQ(complement.points()[1].walked, 0u);
}

} // namespace
