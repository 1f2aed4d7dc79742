//===- ReuseOperands.cpp - What was popped is not loaded again ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %v = mem_str %table[%j, %e]          %v = mem_str %table[%j, %e]
//   register_operand %j for 0            register_operand %v for 0
//   register_operand %v for 0
//   case 0 {                             case 0 {
//     %j = pop_operand            =>       for %k {
//     for %k { %r = pop_operand }            %r = pop_operand
//     for %e {                               store %r, %row[16 * %k] }
//       load %table[%j, %e] } }            for %e { load %row[%e] } }
//
//===----------------------------------------------------------------------===//

#include "PoppedRow.h"

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::dlc {
#define GEN_PASS_DEF_REUSEOPERANDS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
/// Loads of a case that read a row again that it has popped.
class RowReuse {
public:
  RowReuse(ComputeLoopOp loop, CaseParts &parts, PoppedRow row)
      : loop(loop), parts(parts), row(row) {}

  SmallVector<MemoryAccess> findLoads();
  /// Has them read a buffer that the row is popped into.
  void keep(ArrayRef<MemoryAccess> loads);

private:
  bool isReadAgain(const MemoryAccess &load);
  bool isSameIndex(Value index, Value streamed);

  ComputeLoopOp loop;
  CaseParts &parts;
  PoppedRow row;
};
} // namespace

/// True if `index` of the case is the element of the stream or captured value
/// `streamed` with which operands of the case are pushed.
bool RowReuse::isSameIndex(Value index, Value streamed) {
  if (std::optional<int64_t> fixed = getConstantIntValue(streamed))
    return getConstantIntValue(index) == fixed;
  if (auto captured = dyn_cast<BlockArgument>(streamed))
    return getCaptured(captured) && getCaptured(index) == getCaptured(captured);
  for (auto [other, popped] : llvm::zip_equal(parts.pushes, parts.pops)) {
    std::optional<ScalarOperand> scalar = ScalarOperand::of(other, popped);
    if (!scalar || scalar->stream != streamed || scalar->lane ||
        popped->getBlock() != parts.body)
      continue;
    auto extract = index.getDefiningOp<vector::ExtractOp>();
    Value found = scalar->isPadded && extract ? extract.getSource() : index;
    if (found == popped.getResult())
      return true;
  }
  return false;
}

/// What `index` is least and most; nothing if that is not known.
static std::optional<std::pair<int64_t, int64_t>> getRange(Value index) {
  if (std::optional<int64_t> fixed = getConstantIntValue(index))
    return std::pair(*fixed, *fixed);
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!first || !step || !trips || trips->isZero() ||
      trips->ugt(PoppedRow::mostElements) || *step > PoppedRow::mostElements)
    return std::nullopt;
  return std::pair(*first, *first + (trips->getSExtValue() - 1) * *step);
}

bool RowReuse::isReadAgain(const MemoryAccess &load) {
  Operation *op = parts.body->findAncestorOpInBlock(*load.op);
  Value memory = getCaptured(load.memref);
  if (load.isStore() || !op || !row.walk->isBeforeInBlock(op) || !memory ||
      memory != getCaptured(row.source.getMemref()))
    return false;
  auto vector = dyn_cast<VectorType>(load.type);
  if (vector && (vector.getRank() != 1 || vector.isScalable()))
    return false;
  std::optional<std::pair<int64_t, int64_t>> columns =
      getRange(load.indices.back());
  if (!columns || columns->first < row.begin || columns->second >= row.end)
    return false;
  // What a mask has on is in the row of memory, which ends where this one does.
  int64_t extent = vector ? vector.getNumElements() : 1;
  auto type = cast<MemRefType>(load.memref.getType());
  if (load.mask ? type.getShape().back() != row.end
                : columns->second + extent > row.end)
    return false;
  return llvm::all_of_zip(load.indices.drop_back(),
                          row.source.getIndices().drop_back(),
                          [&](Value index, Value streamed) {
                            return isSameIndex(index, streamed);
                          });
}

SmallVector<MemoryAccess> RowReuse::findLoads() {
  SmallVector<MemoryAccess> loads;
  parts.body->walk([&](Operation *op) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (access && isReadAgain(*access))
      loads.push_back(*access);
  });
  return loads;
}

void RowReuse::keep(ArrayRef<MemoryAccess> loads) {
  OpBuilder builder(loop);
  Location loc = row.pop.getLoc();
  // Masked loads may begin in the row and end behind it.
  int64_t trips = row.walk.getStaticTripCount()->getSExtValue();
  int64_t beyond = 0;
  for (const MemoryAccess &load : loads)
    if (auto vector = dyn_cast<VectorType>(load.type); vector && load.mask)
      beyond = std::max(beyond, vector.getNumElements() - 1);
  Value popped = row.pop.getResult();
  auto type = MemRefType::get(trips * row.lanes + beyond,
                              getElementTypeOrSelf(popped.getType()));
  Value buffer = memref::AllocaOp::create(builder, loc, type,
                                          builder.getI64IntegerAttr(64));
  builder.setInsertionPointAfter(row.pop);
  Value width = arith::ConstantIndexOp::create(builder, loc, row.lanes);
  Value place =
      arith::MulIOp::create(builder, loc, row.walk.getInductionVar(), width);
  if (isa<VectorType>(popped.getType()))
    vector::StoreOp::create(builder, loc, popped, buffer, place);
  else
    memref::StoreOp::create(builder, loc, popped, buffer, place);
  for (const MemoryAccess &load : loads) {
    builder.setInsertionPoint(load.op);
    Value first = arith::ConstantIndexOp::create(builder, loc, row.begin);
    Value column =
        builder.createOrFold<arith::SubIOp>(loc, load.indices.back(), first);
    Value value;
    if (auto vector = dyn_cast<VectorType>(load.type))
      value = vector::LoadOp::create(builder, loc, vector, buffer, column);
    else
      value = memref::LoadOp::create(builder, loc, buffer, column);
    if (load.mask)
      value = arith::SelectOp::create(builder, loc, load.mask, value,
                                      load.passThrough);
    load.op->getResult(0).replaceAllUsesWith(value);
    load.op->erase();
  }
}

/// What only selected a row that is not loaded any more is not sent any more.
static void dropUnused(CaseParts &parts) {
  for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops)) {
    if (pop->getBlock() != parts.body)
      continue;
    for (Operation *user :
         llvm::make_early_inc_range(pop.getResult().getUsers()))
      if (isa<vector::ExtractOp>(user) && user->use_empty())
        user->erase();
    if (!pop.getResult().use_empty())
      continue;
    pop.erase();
    push.erase();
  }
}

namespace {
struct ReuseOperands : public dlc::impl::ReuseOperandsBase<ReuseOperands> {
  using ReuseOperandsBase::ReuseOperandsBase;

  void runOnOperation() override {
    for (ProgramOp program : getNumberedPrograms(getOperation())) {
      ComputeLoopOp loop = program.getComputeLoop();
      for (CaseParts &parts : collectCases(loop)) {
        bool isReused = false;
        for (unsigned number = 0; number < parts.pops.size(); ++number) {
          std::optional<PoppedRow> row = PoppedRow::of(parts, number);
          if (!row)
            continue;
          RowReuse reuse(loop, parts, *row);
          SmallVector<MemoryAccess> loads = reuse.findLoads();
          if (loads.empty())
            continue;
          reuse.keep(loads);
          reused += loads.size();
          isReused = true;
        }
        if (isReused)
          dropUnused(parts);
      }
    }
  }
};
} // namespace
