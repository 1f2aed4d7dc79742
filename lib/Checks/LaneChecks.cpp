//===- LaneChecks.cpp - Run-time checks of single lanes -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses whose lanes are not one range: gathers, scatters, and masked
// accesses with arbitrary masks.
//
//   %bad = mask and not (base + offset of lane <u size)
//   if any bad: report the first bad lane
//
//===----------------------------------------------------------------------===//

#include "CheckCollector.h"
#include "RangeCheck.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace ember::checks {

namespace {
/// Consecutive elements of an array that lanes are.
struct LaneSource {
  Value memref;
  ValueRange indices;
};
} // namespace

/// Where lanes of offsets come from as they are; none if they are computed.
static std::optional<LaneSource> findSource(Value offsets) {
  Operation *op = offsets ? offsets.getDefiningOp() : nullptr;
  while (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto load = dyn_cast_or_null<vector::LoadOp>(op))
    return LaneSource{load.getBase(), load.getIndices()};
  if (auto load = dyn_cast_or_null<vector::MaskedLoadOp>(op))
    return LaneSource{load.getBase(), load.getIndices()};
  return std::nullopt;
}

/// Fails with the first lane of `lanes` for which `bad` is set, and with where
/// it comes from, if that is known.
static void reportFirstLane(OpBuilder &builder, Location loc, Value lanes,
                            Value bad, Value memref, int64_t dim,
                            std::optional<LaneSource> from) {
  auto type = cast<VectorType>(lanes.getType());
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  Value count =
      arith::ConstantIndexOp::create(builder, loc, type.getNumElements());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, none, count, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  Value isBad = vector::ExtractOp::create(builder, loc, bad, lane);
  auto found = scf::IfOp::create(builder, loc, isBad, /*withElse=*/false);
  builder.setInsertionPointToStart(found.thenBlock());
  Value value = vector::ExtractOp::create(builder, loc, lanes, lane);
  Value size = memref::DimOp::create(builder, loc, memref, dim);
  auto what = builder.getStringAttr(dimensionName(memref, dim));
  StringAttr source;
  Value position;
  if (from) {
    source = builder.getStringAttr(memrefName(from->memref));
    Value first = loadPosition(loc, from->memref, from->indices, builder);
    position = arith::AddIOp::create(builder, loc, first, lane);
  }
  FailIndexOp::create(builder, loc, what, value, size, source, position);
}

void emitLaneChecks(Operation *op, Value memref, ValueRange indices,
                    Value laneOffsets, Value mask) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto maskType = cast<VectorType>(mask.getType());
  auto laneType = VectorType::get(maskType.getShape(), builder.getIndexType());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value lanes = vector::BroadcastOp::create(builder, loc, laneType, index);
    std::optional<LaneSource> source;
    if (dim + 1 == indices.size()) {
      if (isConstantIntValue(index, 0))
        source = findSource(laneOffsets);
      Value offsets = laneOffsets;
      if (!offsets)
        offsets = vector::StepOp::create(builder, loc, laneType);
      else if (offsets.getType() != laneType)
        offsets = arith::IndexCastOp::create(builder, loc, laneType, offsets);
      lanes = arith::AddIOp::create(builder, loc, lanes, offsets);
    }
    Value size = memref::DimOp::create(builder, loc, memref, int64_t(dim));
    Value sizes = vector::BroadcastOp::create(builder, loc, laneType, size);
    Value outside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, lanes, sizes);
    Value bad = arith::AndIOp::create(builder, loc, outside, mask);
    Value any = vector::ReductionOp::create(builder, loc,
                                            vector::CombiningKind::OR, bad);
    OpBuilder inner = CheckOp::create(builder, loc, any).getBodyBuilder();
    reportFirstLane(inner, loc, lanes, bad, memref, dim, source);
  }
}

} // namespace ember::checks
