//===- QueueAddresses.cpp - Send positions instead of ids -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The access unit computes where in a memref a row begins (paper, section 7.3):
//
//                                        %r = slc.alu_str mul %b, %heads
//                                        %s = slc.alu_str add %r, %h
//                                        %p = slc.alu_str mul %s, %length
//   slc.callback end {                   slc.callback end {
//     %x = slc.str_to_val %b               %pos = slc.str_to_val %p
//     %y = slc.str_to_val %h        =>     %row = memref.reinterpret_cast %out
//     use %out[%x, %y, %e]                     to offset: [%pos], ...
//                                          use %row[%e]
//
// A view is checked to lie within its memref, not to lie within the bounds of
// each dimension. Ids other than the outermost dimension's must therefore be
// known to be in bounds, and the outermost one must be an induction variable
// too, which is too small for its product with the size of a row to wrap.
//
//===----------------------------------------------------------------------===//

#include "QueueAlignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::AluOp;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StreamType;
using ember::slc::StrToValOp;

namespace {
/// A load or store of a callback and the ids that select its row.
struct RowAccess {
  OpOperand *memref;
  MutableOperandRange indices;
  SmallVector<StrToValOp> ids;
};

/// The rows of `memref` that begin at ids read from `streams`.
struct Row {
  Value memref;
  SmallVector<Value> streams;
  SmallVector<RowAccess> accesses;
};
} // namespace

/// The memref and the indices of a load or store that may be redirected to a
/// view; none for other operations.
static std::optional<RowAccess> getAccess(Operation *op) {
  using Result = std::optional<RowAccess>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](memref::LoadOp load) -> Result {
        return RowAccess{
            &load.getMemrefMutable(), load.getIndicesMutable(), {}};
      })
      .Case([](memref::StoreOp store) -> Result {
        return RowAccess{
            &store.getMemrefMutable(), store.getIndicesMutable(), {}};
      })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp>([](auto access) -> Result {
        return RowAccess{
            &access.getBaseMutable(), access.getIndicesMutable(), {}};
      })
      .Case<vector::GatherOp, vector::ScatterOp>([](auto access) -> Result {
        return RowAccess{
            &access.getBaseMutable(), access.getOffsetsMutable(), {}};
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// Reads an induction variable, and one number of it.
static bool readsInductionVariable(StrToValOp toVal) {
  auto argument = dyn_cast<BlockArgument>(toVal.getStream());
  auto loop = argument
                  ? dyn_cast<slc::ForOp>(argument.getOwner()->getParentOp())
                  : slc::ForOp();
  return loop && argument == loop.getInductionVar();
}

/// True if the induction variable that `toVal` reads lies in dimension
/// `dimension` of `memref` whenever it has a value.
static bool isInBounds(StrToValOp toVal, Value memref, int64_t dimension) {
  auto loop =
      cast<slc::ForOp>(toVal.getStream().getParentBlock()->getParentOp());
  APInt lower, upper;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      lower.isNegative())
    return false;
  auto dim = loop.getUpperBound().getDefiningOp<memref::DimOp>();
  if (dim && dim.getSource() == memref && dim.getConstantIndex() == dimension)
    return true;
  auto type = cast<MemRefType>(memref.getType());
  return matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         !type.isDynamicDim(dimension) &&
         upper.getSExtValue() <= type.getDimSize(dimension);
}

/// The leading indices of `access` that are ids, at most all but the last one.
static void findIds(RowAccess &access, CallbackOp callback) {
  Value memref = access.memref->get();
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !slc::isFixedDuringNest(memref, callback))
    return;
  for (int64_t dimension = 0; dimension + 1 < type.getRank(); ++dimension) {
    auto id = access.indices[dimension].get().getDefiningOp<StrToValOp>();
    bool known = id && readsInductionVariable(id) &&
                 (dimension == 0 || isInBounds(id, memref, dimension));
    if (!known)
      return;
    access.ids.push_back(id);
  }
}

/// The rows that ids of `callback` select, if the ids do nothing else.
static SmallVector<Row> findRows(CallbackOp callback) {
  SmallVector<RowAccess> accesses;
  callback.walk([&](Operation *op) {
    std::optional<RowAccess> access = getAccess(op);
    if (!access)
      return;
    findIds(*access, callback);
    if (!access->ids.empty())
      accesses.push_back(*access);
  });

  // An id that is used in any other way has to cross anyway; the indices from
  // it on stay. Giving up on one may make another one useless, hence the loop.
  bool changed = true;
  while (changed) {
    changed = false;
    DenseMap<Operation *, unsigned> selects;
    for (RowAccess &access : accesses)
      for (StrToValOp id : access.ids)
        ++selects[id];
    for (RowAccess &access : accesses)
      for (auto [i, id] : llvm::enumerate(access.ids)) {
        unsigned uses = std::distance(id->use_begin(), id->use_end());
        if (selects[id] == uses)
          continue;
        access.ids.truncate(i);
        changed = true;
        break;
      }
  }

  SmallVector<Row> rows;
  for (RowAccess &access : accesses) {
    if (access.ids.empty())
      continue;
    SmallVector<Value> streams;
    for (StrToValOp id : access.ids)
      streams.push_back(id.getStream());
    Value memref = access.memref->get();
    Row *row = llvm::find_if(rows, [&](Row &known) {
      return known.memref == memref && known.streams == streams;
    });
    if (row == rows.end()) {
      rows.push_back({memref, streams, {}});
      row = &rows.back();
    }
    row->accesses.push_back(access);
  }
  return rows;
}

/// The size of a dimension, computed before the nest.
static Value getSize(OpBuilder &before, Location loc, Value memref,
                     int64_t dimension) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dimension))
    return arith::ConstantIndexOp::create(before, loc,
                                          type.getDimSize(dimension));
  return memref::DimOp::create(before, loc, memref, dimension);
}

/// The stream of positions at which rows begin, in elements:
/// `((id0 * size1 + id1) * size2 + ...) * ...`, computed in the innermost of
/// the loops that the ids count.
static Value createPosition(Row &row, Location loc) {
  OpBuilder before(
      slc::getNestRoot(row.streams.front().getParentBlock()->getParentOp()));
  Block *innermost = row.streams.front().getParentBlock();
  for (Value stream : row.streams)
    if (innermost->getParentOp()->isProperAncestor(
            stream.getParentBlock()->getParentOp()))
      innermost = stream.getParentBlock();
  OpBuilder builder(row.memref.getContext());
  builder.setInsertionPointToStart(innermost);
  auto type = StreamType::get(builder.getIndexType());
  auto create = [&](AluOp opcode, Value lhs, Value rhs) -> Value {
    return slc::AluStrOp::create(builder, loc, type, opcode, lhs, rhs);
  };
  int64_t rank = cast<MemRefType>(row.memref.getType()).getRank();
  Value position = row.streams.front();
  for (int64_t dimension = 1; dimension < rank; ++dimension) {
    Value size = getSize(before, loc, row.memref, dimension);
    if (!matchPattern(size, m_One()))
      position = create(AluOp::mul, position, size);
    if (dimension < static_cast<int64_t>(row.streams.size()))
      position = create(AluOp::add, position, row.streams[dimension]);
  }
  return position;
}

/// The row as a memref of the dimensions that no id selects.
static Value createView(CallbackOp callback, Row &row, Value position) {
  Location loc = callback.getLoc();
  OpBuilder builder(callback.getContext());
  builder.setInsertionPointToStart(callback.getBody());
  OpBuilder before(slc::getNestRoot(callback));
  auto type = cast<MemRefType>(row.memref.getType());
  int64_t selected = row.streams.size();

  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<int64_t> shape(type.getShape().drop_front(selected));
  SmallVector<int64_t> staticStrides;
  OpFoldResult stride = builder.getIndexAttr(1);
  int64_t staticStride = 1;
  for (int64_t dimension = type.getRank() - 1; dimension >= selected;
       --dimension) {
    Value size = getSize(before, loc, row.memref, dimension);
    bool isDynamic = type.isDynamicDim(dimension);
    sizes.push_back(isDynamic
                        ? OpFoldResult(size)
                        : builder.getIndexAttr(type.getDimSize(dimension)));
    strides.push_back(stride);
    staticStrides.push_back(staticStride);
    int64_t next;
    if (!isDynamic && !ShapedType::isDynamic(staticStride) &&
        !llvm::MulOverflow(staticStride, type.getDimSize(dimension), next)) {
      staticStride = next;
      stride = builder.getIndexAttr(staticStride);
      continue;
    }
    Value factor =
        ShapedType::isDynamic(staticStride)
            ? cast<Value>(stride)
            : arith::ConstantIndexOp::create(before, loc, staticStride)
                  .getResult();
    stride = arith::MulIOp::create(before, loc, factor, size).getResult();
    staticStride = ShapedType::kDynamic;
  }
  std::reverse(sizes.begin(), sizes.end());
  std::reverse(strides.begin(), strides.end());
  std::reverse(staticStrides.begin(), staticStrides.end());
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, staticStrides);
  auto viewType = MemRefType::get(shape, type.getElementType(), layout,
                                  type.getMemorySpace());
  Value offset = StrToValOp::create(builder, loc, position);
  return memref::ReinterpretCastOp::create(builder, loc, viewType, row.memref,
                                           offset, sizes, strides);
}

unsigned ember::slcv::replaceByPositions(CallbackOp callback, bool mustSave) {
  SmallVector<Row> rows = findRows(callback);
  llvm::SetVector<Operation *> ids;
  for (Row &row : rows)
    for (RowAccess &access : row.accesses)
      ids.insert(access.ids.begin(), access.ids.end());
  if (rows.empty() || rows.size() > ids.size() ||
      (mustSave && rows.size() == ids.size()))
    return 0;
  for (Row &row : rows) {
    Value view =
        createView(callback, row, createPosition(row, callback.getLoc()));
    for (RowAccess &access : row.accesses) {
      access.memref->set(view);
      access.indices.erase(0, row.streams.size());
    }
  }
  for (Operation *id : ids)
    id->erase();
  return rows.size();
}
