//===- AccessChecks.cpp - Run-time checks of accesses to memory -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCollector.h"
#include "ember/Analysis/MemRefNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ember::checks {

namespace {
/// The active lanes of a mask that are its first ones: how many, or nothing
/// known.
struct LeadingLanes {
  std::optional<int64_t> constant;
  std::optional<IndexExpr> count;
};

class AccessCollector {
public:
  AccessCollector(Operation *op, IndexExprs &exprs,
                  std::vector<RangeCheck> &checks)
      : op(op), exprs(exprs), checks(checks) {}

  LogicalResult collect();

private:
  void addPoint(Value memref, int64_t dim, Value index) {
    addRange(memref, dim, index, 1);
  }
  void addRange(Value memref, int64_t dim, Value index, int64_t lanes);
  void addPoints(Value memref, ValueRange indices) {
    for (auto [dim, index] : llvm::enumerate(indices))
      addPoint(memref, dim, index);
  }
  /// Says which row the last check is about, if it is of a load of where that
  /// begins or ends.
  void nameRow(memref::LoadOp load);
  LogicalResult addVector(Value memref, ValueRange indices, VectorType type);
  LogicalResult addMasked(Value memref, ValueRange indices, VectorType type,
                          Value mask);
  void addLeadingLanes(Value memref, ValueRange indices, int64_t lanes,
                       const LeadingLanes &active);
  LogicalResult addTransfer(VectorTransferOpInterface transfer);
  LogicalResult addPacked(Value memref, ValueRange indices, VectorType type,
                          Value mask);

  Operation *op;
  IndexExprs &exprs;
  std::vector<RangeCheck> &checks;
};
} // namespace

/// Whether `index` is cut off at the last index below `size`: then it is in
/// range where anything is, and only whether zero is remains to be checked.
static bool isCutOffBelow(Value index, const IndexExpr &size,
                          IndexExprs &exprs) {
  auto least = index.getDefiningOp<arith::MinUIOp>();
  IndexExpr last = size + (-1);
  return least &&
         (exprs.of(least.getLhs()) == last || exprs.of(least.getRhs()) == last);
}

void AccessCollector::addRange(Value memref, int64_t dim, Value index,
                               int64_t lanes) {
  RangeCheck check(op);
  IndexExpr first = exprs.of(index);
  check.points = {first};
  if (lanes > 1)
    check.points.push_back(first + (lanes - 1));
  check.size = exprs.size(memref, dim);
  if (lanes == 1 && isCutOffBelow(index, check.size, exprs))
    check.points = {IndexExpr(int64_t(0))};
  check.memref = memref;
  check.dim = dim;
  checks.push_back(std::move(check));
}

void AccessCollector::nameRow(memref::LoadOp load) {
  StringAttr rows = rowsName(load.getMemRef());
  if (!rows)
    return;
  // Which of both it is, the load of the other one tells.
  IndexExpr mine = exprs.of(load.getIndices().front());
  bool isBegin = false, isEnd = false;
  for (Operation *user : load.getMemRef().getUsers()) {
    auto other = dyn_cast<memref::LoadOp>(user);
    if (!other)
      continue;
    std::optional<int64_t> distance =
        (exprs.of(other.getIndices().front()) - mine).asConstant();
    isBegin |= distance == 1;
    isEnd |= distance == -1;
  }
  if (!isBegin && !isEnd)
    return;
  checks.back().bounds = rows;
  checks.back().pastRow = isBegin ? 0 : 1;
}

/// An access of a whole vector, whose dimensions are the last ones of the
/// memref. A memref of vectors is accessed one element at a time.
LogicalResult AccessCollector::addVector(Value memref, ValueRange indices,
                                         VectorType type) {
  if (type.isScalable())
    return op->emitError("accesses of scalable vectors cannot be checked");
  auto memrefType = cast<MemRefType>(memref.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (isa<VectorType>(memrefType.getElementType()))
    shape = {};
  int64_t leading = memrefType.getRank() - int64_t(shape.size());
  if (leading < 0)
    return op->emitError("the vector has more dimensions than the memref");
  for (auto [dim, index] : llvm::enumerate(indices))
    addRange(memref, dim, index,
             int64_t(dim) < leading ? 1 : shape[dim - leading]);
  return success();
}

/// How many leading lanes `mask` leaves active, where it is of that kind.
static std::optional<LeadingLanes> leadingLanes(Value mask, int64_t lanes,
                                                IndexExprs &exprs) {
  if (auto create = mask.getDefiningOp<vector::CreateMaskOp>()) {
    Value count = create.getOperand(0);
    // A count cut off at the vector length or above is the count itself.
    if (auto least = count.getDefiningOp<arith::MinSIOp>()) {
      auto bound = getConstantIntValue(least.getRhs());
      if (bound && *bound >= lanes)
        count = least.getLhs();
    }
    IndexExpr expr = exprs.of(count);
    if (std::optional<int64_t> constant = expr.asConstant())
      return LeadingLanes{std::clamp<int64_t>(*constant, 0, lanes), {}};
    return LeadingLanes{{}, expr};
  }
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return LeadingLanes{constant.getMaskDimSizes().front(), {}};
  DenseElementsAttr elements;
  if (!matchPattern(mask, m_Constant(&elements)))
    return std::nullopt;
  auto bits = llvm::to_vector(elements.getValues<bool>());
  auto *end = llvm::find(bits, false);
  if (llvm::is_contained(ArrayRef<bool>(end, bits.end()), true))
    return std::nullopt;
  return LeadingLanes{end - bits.begin(), {}};
}

void AccessCollector::addLeadingLanes(Value memref, ValueRange indices,
                                      int64_t lanes,
                                      const LeadingLanes &active) {
  int64_t last = int64_t(indices.size()) - 1;
  if (active.constant && *active.constant == 0)
    return;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    bool isLast = int64_t(dim) == last;
    addRange(memref, dim, index,
             isLast && active.constant ? *active.constant : 1);
    if (active.constant)
      continue;
    RangeCheck &check = checks.back();
    check.guards.push_back({IndexExpr(int64_t(0)), *active.count});
    if (!isLast)
      continue;
    check.activeLanes = active.count;
    check.lanes = lanes;
  }
}

LogicalResult AccessCollector::addMasked(Value memref, ValueRange indices,
                                         VectorType type, Value mask) {
  if (type.isScalable())
    return op->emitError("accesses of scalable vectors cannot be checked");
  if (type.getRank() != 1)
    return op->emitError("masked accesses must be of one dimension");
  if (auto active = leadingLanes(mask, type.getNumElements(), exprs)) {
    addLeadingLanes(memref, indices, type.getNumElements(), *active);
    return success();
  }
  emitLaneChecks(op, memref, indices, /*laneOffsets=*/Value(), mask);
  return success();
}

/// An expanding load or compressing store: as many elements in a row as the
/// mask has active lanes.
LogicalResult AccessCollector::addPacked(Value memref, ValueRange indices,
                                         VectorType type, Value mask) {
  if (type.isScalable() || type.getRank() != 1)
    return op->emitError("only fixed vectors of one dimension can be checked");
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto wide = VectorType::get(type.getShape(), builder.getI64Type());
  Value ones = arith::ExtUIOp::create(builder, loc, wide, mask);
  Value count = vector::ReductionOp::create(builder, loc,
                                            vector::CombiningKind::ADD, ones);
  addLeadingLanes(memref, indices, type.getNumElements(),
                  LeadingLanes{{}, IndexExpr(count)});
  return success();
}

/// A transfer: dimensions said to be in bounds must be so; the others are cut
/// off where the memref ends, but must not begin before it.
LogicalResult AccessCollector::addTransfer(VectorTransferOpInterface transfer) {
  Value memref = transfer.getBase();
  if (!isa<MemRefType>(memref.getType()))
    return success();
  VectorType type = transfer.getVectorType();
  if (type.isScalable())
    return op->emitError("accesses of scalable vectors cannot be checked");
  if (Value mask = transfer.getMask()) {
    if (type.getRank() == 1 && transfer.getPermutationMap().isMinorIdentity() &&
        transfer.isDimInBounds(0))
      return addMasked(memref, transfer.getIndices(), type, mask);
    return op->emitError(
        "masked transfers can only be checked along the last dimension");
  }
  auto memrefType = cast<MemRefType>(memref.getType());
  if (isa<VectorType>(memrefType.getElementType()))
    return op->emitError("transfers of memrefs of vectors cannot be checked");
  AffineMap map = transfer.getPermutationMap();
  for (auto [dim, index] : llvm::enumerate(transfer.getIndices())) {
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(dim, op->getContext()));
    if (!position || transfer.isDimInBounds(*position)) {
      addRange(memref, dim, index, position ? type.getDimSize(*position) : 1);
      continue;
    }
    // So far beyond any end, adding the lanes would wrap around.
    constexpr int64_t limit =
        std::numeric_limits<int64_t>::max() - (int64_t(1) << 32);
    addPoint(memref, dim, index);
    checks.back().size = IndexExpr(limit);
  }
  return success();
}

LogicalResult AccessCollector::collect() {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::LoadOp>([&](auto load) {
        addPoints(load.getMemref(), load.getIndices());
        nameRow(load);
        return success();
      })
      .Case<memref::StoreOp, memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(
          [&](auto access) {
            addPoints(access.getMemref(), access.getIndices());
            return success();
          })
      .Case<vector::LoadOp>([&](auto load) {
        return addVector(load.getBase(), load.getIndices(),
                         load.getVectorType());
      })
      .Case<vector::StoreOp>([&](auto store) {
        return addVector(store.getBase(), store.getIndices(),
                         store.getVectorType());
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([&](auto access) {
        return addMasked(access.getBase(), access.getIndices(),
                         access.getVectorType(), access.getMask());
      })
      .Case<vector::ExpandLoadOp, vector::CompressStoreOp>([&](auto access) {
        return addPacked(access.getBase(), access.getIndices(),
                         access.getVectorType(), access.getMask());
      })
      .Case<vector::GatherOp, vector::ScatterOp>(
          [&](auto access) -> LogicalResult {
            if (!isa<MemRefType>(access.getBase().getType()))
              return success();
            if (access.getVectorType().isScalable() ||
                access.getVectorType().getRank() != 1)
              return op->emitError("only gathers and scatters of one fixed "
                                   "dimension can be checked");
            emitLaneChecks(op, access.getBase(), access.getOffsets(),
                           access.getIndices(), access.getMask());
            return success();
          })
      .Case<VectorTransferOpInterface>(
          [&](auto transfer) { return addTransfer(transfer); })
      .Default([](Operation *) { return success(); });
}

LogicalResult collectAccessChecks(Operation *op, IndexExprs &exprs,
                                  std::vector<RangeCheck> &checks) {
  return AccessCollector(op, exprs, checks).collect();
}

} // namespace ember::checks
