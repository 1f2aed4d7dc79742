//===- IterationAlgebra.h - Which coordinates a loop visits -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of coordinates as unions, intersections and complements of those that
// operands store (Hsu's dissertation, section 3.6.1), and the order in which
// stored coordinates are walked to visit such a set: an iteration lattice, with
// points that omit (Henry et al., OOPSLA 2021). Nothing here knows of machines:
// loops of a processor and joiners of a dataflow machine follow from it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_ITERATIONALGEBRA_H
#define EMBER_ANALYSIS_ITERATIONALGEBRA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace ember {

/// Operands, a bit each: those that store a coordinate, for example, which is
/// the region of a Venn diagram that it is in.
using OperandMask = uint32_t;

class CoordinateSet {
public:
  /// A region is a bit of a table, so there are not more operands.
  static constexpr unsigned mostOperands = 12;

  static CoordinateSet none();
  static CoordinateSet all();
  /// What an operand stores.
  static CoordinateSet operand(unsigned number);
  /// The coordinates of some regions: a bit of `regions` for each mask of
  /// `operands` operands.
  static CoordinateSet ofRegions(const llvm::BitVector &regions,
                                 unsigned operands);

  CoordinateSet operator|(const CoordinateSet &other) const;
  CoordinateSet operator&(const CoordinateSet &other) const;
  CoordinateSet operator~() const;

  /// Whether coordinates that these operands store, and no others, are in it.
  bool contains(OperandMask region) const;
  /// The operands that decide on that: what is stored by others is all the
  /// same.
  OperandMask support() const;
  /// The same set where some operands store nothing.
  CoordinateSet without(OperandMask exhausted) const;
  /// The same set, with complements of operands alone and without parts that
  /// change nothing.
  CoordinateSet simplified() const;
  bool isEmpty() const;
  /// Whether both have the same coordinates, whatever operands store.
  bool operator==(const CoordinateSet &other) const;

  /// `(b ∪ c) ∩ ~d`, with the names of operands.
  std::string describe(llvm::ArrayRef<std::string> names) const;

private:
  enum class Kind : uint8_t { none, all, operand, join, meet, complement };
  struct Node {
    Kind kind;
    unsigned number = 0;
    std::vector<CoordinateSet> parts;
  };

  explicit CoordinateSet(Node node)
      : node(std::make_shared<const Node>(std::move(node))) {}
  static CoordinateSet combine(Kind kind, std::vector<CoordinateSet> parts);
  CoordinateSet pushComplements(bool isComplement) const;
  /// Operands that it names.
  OperandMask named() const;
  void print(llvm::raw_ostream &os, llvm::ArrayRef<std::string> names,
             bool isPart) const;

  std::shared_ptr<const Node> node;
};

/// Coordinates of some operands are walked together, each time to the smallest,
/// for as long as all of them have more.
struct LatticePoint {
  /// The operands that are walked.
  OperandMask walked = 0;
  /// All coordinates of the dimension are, too.
  bool walksAll = false;
  /// What is visited of what is walked.
  CoordinateSet set = CoordinateSet::none();

  /// What is done at a coordinate that `at` of the walked operands store.
  bool visits(OperandMask at) const { return set.contains(at); }
};

/// The points by which a set is visited, each before those that follow when an
/// operand has no more coordinates; empty for an empty set.
class IterationLattice {
public:
  explicit IterationLattice(const CoordinateSet &set);

  llvm::ArrayRef<LatticePoint> points() const { return allPoints; }
  /// The point that goes on where a point's operands are exhausted, some of
  /// them; null if nothing is left.
  const LatticePoint *next(const LatticePoint &point,
                           OperandMask exhausted) const;

private:
  const LatticePoint *find(const CoordinateSet &set) const;

  std::vector<LatticePoint> allPoints;
};

} // namespace ember

#endif // EMBER_ANALYSIS_ITERATIONALGEBRA_H
