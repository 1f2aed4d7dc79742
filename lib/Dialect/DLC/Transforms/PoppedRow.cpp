//===- PoppedRow.cpp - Rows of memory that cases pop ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoppedRow.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// Whether the loop runs from 0 on by ones, in the case itself, how often is
/// known.
static bool countsOperands(scf::ForOp walk, Block *body) {
  return walk && walk->getBlock() == body && walk.getStaticTripCount() &&
         matchPattern(walk.getLowerBound(), m_Zero()) &&
         matchPattern(walk.getStep(), m_One());
}

std::optional<PoppedRow> PoppedRow::of(CaseParts &parts, size_t number) {
  PoppedRow row;
  row.push = parts.pushes[number];
  row.pop = parts.pops[number];
  row.source = row.push.getStream().getDefiningOp<MemStrOp>();
  row.unit = row.push.getTu().getDefiningOp<NewTUOp>();
  row.walk = dyn_cast<scf::ForOp>(row.pop->getParentOp());
  if (!row.source || row.push.getLane() ||
      row.source.getTu() != row.push.getTu() || row.source.getRepeat() != 1 ||
      !countsOperands(row.walk, parts.body) || !row.unit.getParentUnit() ||
      !matchPattern(row.unit.getStep(), m_One()))
    return std::nullopt;
  std::optional<int64_t> first = getConstantIntValue(row.unit.getLowerBound());
  std::optional<int64_t> last = getConstantIntValue(row.unit.getUpperBound());
  if (!first || !last || *last <= *first || *first < 0 || *last > mostElements)
    return std::nullopt;
  row.begin = *first;
  row.end = *last;
  auto column = row.source.getIndices().back().getDefiningOp<GetIndVarOp>();
  if (!column || column.getTu() != row.unit)
    return std::nullopt;
  // A mask may leave out what is behind the row, and nothing else.
  if (Value mask = row.source.getMask()) {
    auto tail = mask.getDefiningOp<GetMaskOp>();
    if (!tail || tail.getTu() != row.unit)
      return std::nullopt;
  }
  Type type = row.pop.getResult().getType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (!row.source.getContiguous() || vector.getRank() != 1)
      return std::nullopt;
    row.lanes = vector.getNumElements();
  }
  auto memory = cast<MemRefType>(row.source.getMemref().getType());
  auto trips = row.walk.getStaticTripCount()->getZExtValue();
  if (getElementTypeOrSelf(type) != memory.getElementType() ||
      trips != llvm::divideCeil(row.end - row.begin, row.lanes))
    return std::nullopt;
  return row;
}
