//===- InterleaveReductions.cpp - Reduce several rows over lanes at once --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a loop is divided in two: the early part computes what is reduced
// over lanes, the late part uses the results. An unrolled loop runs the early
// parts of some iterations, reduces all their vectors together, and then runs
// the late parts.
//
//===----------------------------------------------------------------------===//

#include "JointReduction.h"
#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;
using vector::ReductionOp;

#define GEN_PASS_DEF_INTERLEAVEREDUCTIONS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// One loop, as it is and divided in two.
class DividedLoop {
public:
  DividedLoop(scf::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), aliasing(aliasing) {}

  /// Finds reductions over lanes; false if there are none, or if the loop
  /// cannot be divided at them.
  bool divide();
  int64_t countReductions() const { return reductions.size(); }
  /// The most vectors that can be reduced together.
  int64_t fewestLanes();
  /// Unrolls the loop; what is left of its iterations follows in a loop.
  void interleave(int64_t factor);

private:
  bool findReductions();
  bool isReducible(ReductionOp reduction);
  void findLate();
  void postpone();
  bool isLateValue(Value value);
  bool usesLate(Operation &op);
  bool isEarly(Operation &op);
  bool isLate(Operation &op);
  bool carriesInOrder();
  void reduceGroups(OpBuilder &builder, MutableArrayRef<IRMapping> iterations);

  scf::ForOp loop;
  const MemoryAliasing &aliasing;
  SmallVector<ReductionOp> reductions;
  /// Operations of the body, in its order.
  llvm::SetVector<Operation *> late;
  SmallVector<MemoryAccess> stores;
};

struct InterleaveReductions
    : impl::InterleaveReductionsBase<InterleaveReductions> {
  using Base::Base;
  void runOnOperation() override;

private:
  void visit(scf::ForOp loop, const MemoryAliasing &aliasing);
  int64_t mostTogether();
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loops can be divided
//===----------------------------------------------------------------------===//

/// A check, or a condition under which the program fails or something is
/// prefetched.
static bool isCheckOrPrefetch(Operation *op) {
  if (isa<CheckOp>(op))
    return true;
  auto condition = dyn_cast<scf::IfOp>(op);
  if (!condition || condition->getNumResults() != 0)
    return false;
  auto result = condition->walk([&](Operation *inner) {
    std::optional<MemoryAccess> access = MemoryAccess::of(inner);
    bool isHarmless =
        isFailure(inner) || isMemoryEffectFree(inner) ||
        isa<CheckOp, scf::IfOp, scf::YieldOp, memref::PrefetchOp>(inner) ||
        (access && !access->isStore());
    return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool DividedLoop::isReducible(ReductionOp reduction) {
  VectorType type = reduction.getSourceVectorType();
  Type element = type.getElementType();
  bool isFloat = isa<FloatType>(element);
  bool mayReorder =
      !isFloat || bitEnumContainsAll(reduction.getFastmath(),
                                     arith::FastMathFlags::reassoc);
  return mayReorder && type.getRank() == 1 && !type.isScalable() &&
         element.isIntOrIndexOrFloat() &&
         llvm::isPowerOf2_64(type.getNumElements()) &&
         type.getNumElements() > 1 &&
         !loop.isDefinedOutsideOfLoop(reduction.getVector());
}

bool DividedLoop::findReductions() {
  for (auto reduction : loop.getBody()->getOps<ReductionOp>()) {
    if (!isReducible(reduction))
      return false;
    reductions.push_back(reduction);
  }
  // All are made in one go.
  return !reductions.empty() &&
         llvm::all_equal(llvm::map_range(reductions, [](ReductionOp reduction) {
           return std::make_tuple(reduction.getKind(), reduction.getFastmath(),
                                  reduction.getSourceVectorType());
         }));
}

/// Whether a late operation or a reduction computes `value`.
bool DividedLoop::isLateValue(Value value) {
  Operation *def = value.getDefiningOp();
  return def && def->getBlock() == loop.getBody() &&
         (late.contains(def) || isa<ReductionOp>(def));
}

bool DividedLoop::usesLate(Operation &op) {
  auto result = op.walk([&](Operation *inner) {
    bool uses = llvm::any_of(inner->getOperands(), [&](Value operand) {
      return isLateValue(operand);
    });
    return uses ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Stores, and what comes of reductions or of loads that stores may change.
void DividedLoop::findLate() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<MemoryAccess> access = MemoryAccess::of(&op);
    if (access && access->isStore())
      stores.push_back(*access);
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<ReductionOp>(op))
      continue;
    std::optional<MemoryAccess> access = MemoryAccess::of(&op);
    bool mayBeChanged =
        access && llvm::any_of(stores, [&](const MemoryAccess &store) {
          return aliasing.alias(store.memref, access->memref);
        });
    if (mayBeChanged || (access && access->isStore()) || usesLate(op))
      late.insert(&op);
  }
}

/// Leaves what only the late part needs to it: registers are few.
void DividedLoop::postpone() {
  Block &body = *loop.getBody();
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    bool serves =
        !op.use_empty() && llvm::all_of(op.getUsers(), [&](Operation *user) {
          return late.contains(body.findAncestorOpInBlock(*user));
        });
    if (serves && !isa<ReductionOp>(op) && isLate(op))
      late.insert(&op);
  }
  llvm::SetVector<Operation *> inOrder;
  for (Operation &op : body)
    if (late.contains(&op))
      inOrder.insert(&op);
  late = std::move(inOrder);
}

/// Early operations run before late ones of earlier iterations: of their
/// effects, only errors can be seen.
bool DividedLoop::isEarly(Operation &op) {
  std::optional<MemoryAccess> access = MemoryAccess::of(&op);
  if (access)
    return !access->isStore();
  return isMemoryEffectFree(&op) || isa<memref::PrefetchOp>(op) ||
         isCheckOrPrefetch(&op);
}

bool DividedLoop::isLate(Operation &op) {
  return MemoryAccess::of(&op) ||
         (op.getNumRegions() == 0 && isMemoryEffectFree(&op));
}

/// Whether the early part needs nothing that the late one computed in the
/// iteration before.
bool DividedLoop::carriesInOrder() {
  Operation *terminator = loop.getBody()->getTerminator();
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto other = dyn_cast<BlockArgument>(yielded);
    // One that is passed on in another's place would have to be followed.
    if (other && other.getOwner() == loop.getBody() && other != argument)
      return false;
    if (!isLateValue(yielded))
      continue;
    for (Operation *user : argument.getUsers()) {
      auto reduction = dyn_cast<ReductionOp>(user);
      bool isAdded = reduction && reduction.getVector() != argument;
      if (!late.contains(user) && !isAdded && user != terminator)
        return false;
    }
  }
  return true;
}

bool DividedLoop::divide() {
  if (loop.getUnsignedCmp() || getConstantIntValue(loop.getStep()) != 1 ||
      !findReductions())
    return false;
  findLate();
  postpone();
  for (ReductionOp reduction : reductions) {
    Value start = reduction.getAcc();
    if (isLateValue(reduction.getVector()) ||
        (start && late.contains(start.getDefiningOp())))
      return false;
  }
  return llvm::all_of(loop.getBody()->without_terminator(),
                      [&](Operation &op) {
                        if (isa<ReductionOp>(op))
                          return true;
                        return late.contains(&op) ? isLate(op) : isEarly(op);
                      }) &&
         carriesInOrder();
}

int64_t DividedLoop::fewestLanes() {
  return reductions.front().getSourceVectorType().getNumElements();
}

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

/// Reduces the vectors of all iterations, as many together as there are lanes,
/// and maps each reduction to its lane.
void DividedLoop::reduceGroups(OpBuilder &builder,
                               MutableArrayRef<IRMapping> iterations) {
  ReductionOp first = reductions.front();
  Location loc = first.getLoc();
  Combination combination{first.getKind(), first.getFastmathAttr()};
  SmallVector<std::pair<IRMapping *, ReductionOp>> places;
  for (IRMapping &iteration : iterations)
    for (ReductionOp reduction : reductions)
      places.push_back({&iteration, reduction});
  ArrayRef<std::pair<IRMapping *, ReductionOp>> left = places;
  while (!left.empty()) {
    int64_t count =
        std::min<int64_t>(llvm::bit_floor(left.size()), fewestLanes());
    SmallVector<Value> vectors;
    for (auto [mapping, reduction] : left.take_front(count))
      vectors.push_back(mapping->lookupOrDefault(reduction.getVector()));
    Value results = reduceTogether(builder, loc, combination, vectors);
    for (auto [lane, place] : llvm::enumerate(left.take_front(count))) {
      auto [mapping, reduction] = place;
      mapping->map(reduction.getResult(),
                   vector::ExtractOp::create(builder, loc, results,
                                             static_cast<int64_t>(lane)));
    }
    left = left.drop_front(count);
  }
}

void DividedLoop::interleave(int64_t factor) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(loop.getLowerBound().getType(), value));
  };
  Value lower = loop.getLowerBound();
  Value trips = arith::MaxSIOp::create(
      builder, loc,
      arith::SubIOp::create(builder, loc, loop.getUpperBound(), lower),
      constant(0));
  Value whole = arith::AndIOp::create(builder, loc, trips, constant(-factor));
  Value mainEnd = arith::AddIOp::create(builder, loc, lower, whole);
  auto main = scf::ForOp::create(builder, loc, lower, mainEnd, constant(factor),
                                 loop.getInitArgs());
  main->setAttr(groupAttr, builder.getIndexAttr(factor));
  Block *body = main.getBody();
  if (main->getNumResults() == 0)
    body->getTerminator()->erase();
  builder.setInsertionPointToEnd(body);

  SmallVector<Value> carried(main.getRegionIterArgs());
  SmallVector<IRMapping> iterations(factor);
  auto yielded = loop.getYieldedValues();
  // Values that an early part hands on are known when the next one begins,
  // those of late parts are filled in below.
  for (auto [number, mapping] : llvm::enumerate(iterations)) {
    Value counter = arith::AddIOp::create(builder, loc, main.getInductionVar(),
                                          constant(number));
    mapping.map(loop.getInductionVar(), counter);
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      if (!late.contains(&op) && !isa<ReductionOp>(op))
        builder.clone(op, mapping);
    for (auto [value, next] : llvm::zip_equal(carried, yielded))
      value = mapping.lookupOrDefault(next);
  }
  reduceGroups(builder, iterations);
  carried.assign(main.getRegionIterArgs().begin(),
                 main.getRegionIterArgs().end());
  for (IRMapping &mapping : iterations) {
    for (auto [argument, value] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      mapping.map(argument, value);
    for (ReductionOp reduction : reductions)
      if (Value start = reduction.getAcc()) {
        Value sum = vector::makeArithReduction(
            builder, loc, reduction.getKind(),
            mapping.lookup(reduction.getResult()),
            mapping.lookupOrDefault(start), reduction.getFastmathAttr());
        mapping.map(reduction.getResult(), sum);
      }
    for (Operation *op : late)
      builder.clone(*op, mapping);
    for (auto [value, next] : llvm::zip_equal(carried, yielded))
      value = mapping.lookupOrDefault(next);
  }
  scf::YieldOp::create(builder, loc, carried);
  std::optional<APInt> count = loop.getStaticTripCount();
  if (count && count->urem(factor) == 0) {
    loop->replaceAllUsesWith(main->getResults());
    loop.erase();
    return;
  }
  // Fewer iterations than run at once are left over.
  loop.setLowerBound(mainEnd);
  loop.getInitArgsMutable().assign(main.getResults());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Vectors that wait to be reduced together take registers, beside what the
/// computation of the next one takes.
int64_t InterleaveReductions::mostTogether() {
  int64_t ofTarget = TargetAttr::of(getOperation()).getVectorRegisters();
  int64_t registers = vectorRegisters ? vectorRegisters : ofTarget;
  return most ? most
              : llvm::bit_floor<uint64_t>(std::max<int64_t>(registers / 4, 1));
}

void InterleaveReductions::visit(scf::ForOp loop,
                                 const MemoryAliasing &aliasing) {
  DividedLoop divided(loop, aliasing);
  if (!divided.divide())
    return;
  int64_t together = std::min(mostTogether(), divided.fewestLanes());
  // A power of two: iterations left over are those behind a mask's multiple.
  int64_t factor = llvm::bit_floor<uint64_t>(
      std::max<int64_t>(together / divided.countReductions(), 1));
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips) {
    // Iterations left over, one by one, would cost what the others save.
    factor = 1;
  } else if (trips->ult(2 * factor)) {
    auto all = static_cast<int64_t>(trips->getZExtValue());
    // Few iterations leave room for some of the loop around them.
    if (2 * all <= factor && isa<scf::ForOp>(loop->getParentOp())) {
      (void)loopUnrollFull(loop);
      return;
    }
    factor = std::min<int64_t>(factor, llvm::bit_floor<uint64_t>(all));
  }
  if (factor * divided.countReductions() < 2)
    return;
  divided.interleave(factor);
  ++interleaved;
}

void InterleaveReductions::runOnOperation() {
  if (most == 1)
    return;
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // Inner loops first: they may become part of those around them.
  for (scf::ForOp loop : loops)
    visit(loop, aliasing);
}

} // namespace ember::loops
