//===- PromoteRuns.cpp - Keep rows of equal indices in registers ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for p = lb to ub { i = load rows[p]; a = load out[i, 0]; ...;
//                      store s, out[i, 0] }
//     ->
//   if lb < ub {
//     i0 = load rows[lb]; a0 = load out[i0, 0]
//     k, r = for p = lb to ub iter(j = i0, c = a0) {
//       i = load rows[p]
//       a = if i != j { store c, out[j, 0]; yield load out[i, 0] } else { c }
//       ...; yield i, s
//     }
//     store r, out[k, 0]
//   }
//
//===----------------------------------------------------------------------===//

#include "AccumulatorAccess.h"
#include "RowRegisters.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_PROMOTERUNS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// The accesses of one address, in the order of the loop's body.
using RowPart = SmallVector<MemoryAccess>;

/// Promotes the row of one index in one loop.
class RunPromotion {
public:
  RunPromotion(scf::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), aliasing(aliasing) {}

  /// How many registers the row takes; 0 if there is none.
  int64_t findRow(int64_t vectorBits);
  /// Returns how many accumulators moved to registers.
  unsigned promote();

private:
  bool collect();
  bool isOutside(Value value) {
    return !value || loop.isDefinedOutsideOfLoop(value);
  }
  Value findIndex(const MemoryAccess &access);
  bool findSlice();
  bool isPromotable(const RowPart &accumulator);
  Value computeFirst(OpBuilder &builder);

  scf::ForOp loop;
  const MemoryAliasing &aliasing;
  IndexExprs exprs;
  /// Every access in the loop, at any depth.
  SmallVector<MemoryAccess> all;
  /// Memrefs that other operations in the loop read, or write.
  SmallVector<Value> read, written;
  /// Which row it is, and what that is computed by.
  Value index;
  llvm::SetVector<Operation *> slice;
  SmallVector<RowPart> accumulators;
};

struct PromoteRuns : impl::PromoteRunsBase<PromoteRuns> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Notes what the loop accesses. False if there is a loop in it, or something
/// that has effects that are not known.
bool RunPromotion::collect() {
  auto note = [&](Value memref, bool isWrite) {
    (isWrite ? written : read).push_back(memref);
  };
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    // What takes long by itself waits for no store.
    if (isa<LoopLikeOpInterface>(op))
      return WalkResult::interrupt();
    if (isMemoryEffectFree(op) || isa<memref::PrefetchOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    if (std::optional<MemoryAccess> access = MemoryAccess::of(op)) {
      all.push_back(*access);
      return WalkResult::advance();
    }
    return forEachMemRefEffect(op, note) ? WalkResult::advance()
                                         : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// The one index of an access that changes in the loop, if it is not known to
/// change with every iteration.
Value RunPromotion::findIndex(const MemoryAccess &access) {
  if (access.op->getBlock() != loop.getBody() || !isOutside(access.memref) ||
      !isOutside(access.mask) || !isOutside(access.passThrough))
    return nullptr;
  Value row;
  for (Value value : access.indices) {
    if (isOutside(value))
      continue;
    if (row)
      return nullptr;
    row = value;
  }
  if (!row || exprs.of(row).coefficient(loop.getInductionVar()) != 0)
    return nullptr;
  return row;
}

/// What the index is computed by in the loop: loads of what the loop does not
/// write, and operations without effects.
bool RunPromotion::findSlice() {
  bool isLookedUp = false;
  SmallVector<Value> pending = {index};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (isOutside(value) || value == loop.getInductionVar())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0)
      return false;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      auto aliases = [&](Value other) {
        return aliasing.alias(other, load.getMemRef());
      };
      if (llvm::any_of(written, aliases) ||
          llvm::any_of(all, [&](const MemoryAccess &access) {
            return access.isStore() && aliases(access.memref);
          }))
        return false;
      isLookedUp = true;
    } else if (!isPure(op)) {
      return false;
    }
    if (slice.insert(op))
      llvm::append_range(pending, op->getOperands());
  }
  return isLookedUp;
}

bool RunPromotion::isPromotable(const RowPart &accumulator) {
  const MemoryAccess &address = accumulator.front();
  // What is stored to first is no accumulator.
  if (address.isStore() || llvm::none_of(accumulator, [](const auto &access) {
        return access.isStore();
      }))
    return false;
  for (const MemoryAccess &access : accumulator)
    if (address.mask && !access.isStore() &&
        inactiveLanesMatter(access.op->getResult(0), address.mask))
      return false;
  return true;
}

int64_t RunPromotion::findRow(int64_t vectorBits) {
  if (loop.getUnsignedCmp() || loop->hasAttr(independentAttr) || !collect())
    return 0;
  Value array;
  for (const MemoryAccess &access : all)
    if (access.isStore() && isa<VectorType>(access.type))
      if (Value row = findIndex(access)) {
        index = row;
        array = access.memref;
        break;
      }
  if (!index || !findSlice())
    return 0;
  auto aliases = [&](Value other) { return aliasing.alias(other, array); };
  if (llvm::any_of(read, aliases) || llvm::any_of(written, aliases))
    return 0;
  int64_t registers = 0;
  for (const MemoryAccess &access : all) {
    if (!aliases(access.memref))
      continue;
    if (access.memref != array || findIndex(access) != index)
      return 0;
    auto *place = llvm::find_if(accumulators, [&](RowPart &accumulator) {
      return isSameAddress(accumulator.front(), access, exprs);
    });
    if (place != accumulators.end()) {
      place->push_back(access);
      continue;
    }
    // Elements of one row may not overlap in part.
    if (llvm::any_of(accumulators, [&](RowPart &accumulator) {
          return !areDisjoint(accumulator.front(), access, exprs);
        }))
      return 0;
    accumulators.push_back({access});
    registers += registersFor(access.type, vectorBits);
  }
  return llvm::all_of(accumulators,
                      [&](const auto &each) { return isPromotable(each); })
             ? registers
             : 0;
}

/// The index of the first iteration, in front of the loop.
Value RunPromotion::computeFirst(OpBuilder &builder) {
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (Operation &op : *loop.getBody())
    if (slice.contains(&op))
      builder.clone(op, first);
  return first.lookup(index);
}

/// The same address in another row.
static SmallVector<Value> replaceIndex(const MemoryAccess &access, Value index,
                                       Value by) {
  return llvm::map_to_vector(
      access.indices, [&](Value value) { return value == index ? by : value; });
}

unsigned RunPromotion::promote() {
  guardByTrips(loop);
  IRRewriter rewriter(loop);
  auto loadAll = [&](OpBuilder &builder, Value row) {
    return llvm::map_to_vector(accumulators, [&](const RowPart &each) {
      MemoryAccess address = each.front();
      SmallVector<Value> indices = replaceIndex(address, index, row);
      address.indices = indices;
      return loadAccumulator(builder, address);
    });
  };
  auto storeAll = [&](OpBuilder &builder, Value row, ValueRange values) {
    for (auto [each, value] : llvm::zip_equal(accumulators, values)) {
      MemoryAccess address = each.front();
      SmallVector<Value> indices = replaceIndex(address, index, row);
      address.indices = indices;
      storeAccumulator(builder, address, value);
    }
  };

  SmallVector<Value> initial = {computeFirst(rewriter)};
  llvm::append_range(initial, loadAll(rewriter, initial.front()));
  size_t first = loop.getNumResults();
  loop = carryAlso(rewriter, loop, initial);
  Location loc = loop.getLoc();
  rewriter.setInsertionPointAfter(loop);
  ValueRange results = loop.getResults().drop_front(first);
  storeAll(rewriter, results.front(), results.drop_front());

  ValueRange carried = ValueRange(loop.getRegionIterArgs()).drop_front(first);
  Operation *earliest = accumulators.front().front().op;
  rewriter.setInsertionPoint(earliest);
  Value isOther = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                                        index, carried.front());
  auto change =
      scf::IfOp::create(rewriter, loc, TypeRange(carried.drop_front()), isOther,
                        /*addThenBlock=*/true,
                        /*addElseBlock=*/true);
  OpBuilder then = change.getThenBodyBuilder();
  storeAll(then, carried.front(), carried.drop_front());
  scf::YieldOp::create(then, loc, loadAll(then, index));
  OpBuilder otherwise = change.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, carried.drop_front());

  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  yield->setOperand(first, index);
  for (auto [number, accumulator] : llvm::enumerate(accumulators))
    yield->setOperand(
        first + 1 + number,
        replaceAccesses(rewriter, accumulator, change.getResult(number)));
  return accumulators.size();
}

void PromoteRuns::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), mayAlias);
  TargetAttr target = TargetAttr::of(getOperation());
  int64_t bits = vectorBits ? vectorBits : target.getVectorBits();
  int64_t available =
      vectorRegisters ? vectorRegisters : target.getVectorRegisters();
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    RunPromotion run(loop, aliasing);
    int64_t registers = run.findRow(bits);
    // Some are left to what is computed.
    if (registers > 0 && registers * 4 <= available * 3)
      promoted += run.promote();
  }
}

} // namespace ember::loops
