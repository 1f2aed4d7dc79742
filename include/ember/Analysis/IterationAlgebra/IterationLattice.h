//===- IterationLattice.h - The order in which a set is visited -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which order stored coordinates are walked to visit a set of them: an
// iteration lattice, with points that omit (Henry et al., OOPSLA 2021). Nothing
// here knows of machines: loops of a processor and joiners of a dataflow
// machine follow from it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_ITERATIONALGEBRA_ITERATIONLATTICE_H
#define EMBER_ANALYSIS_ITERATIONALGEBRA_ITERATIONLATTICE_H

#include "ember/Analysis/IterationAlgebra/CoordinateSet.h"
#include "llvm/ADT/SmallVector.h"

namespace ember {

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

#endif // EMBER_ANALYSIS_ITERATIONALGEBRA_ITERATIONLATTICE_H
