//===- ParallelizeLoops.cpp - Functions that run part of some loops -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for b = 0 to n { out[b, :] = ... }
//     ->
//   call @f_part0(0, n, %out, ...) {ember.parallel = ...}
//
//   func private @f_part0(%lower, %upper, %out, ...) {
//     for b = lower to upper { out[b, :] = ... }
//   }
//
// Loops one behind the other of which neither needs the other make one
// function.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/LoopCost.h"
#include "ember/Analysis/LoopIndependence.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "ember/Runtime/Runtime.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_PARALLELIZELOOPS
#include "ember/Loops/Transforms/Passes.h.inc"

/// Loops of one function; more are cut into several.
static constexpr size_t kMostLoops = 64;

namespace {
/// Independent loops of one block, in order.
struct LoopGroup {
  SmallVector<scf::ForOp> loops;
  SmallVector<LoopIndependence> independence;

  bool canTake(const LoopIndependence &next) const {
    return loops.size() < kMostLoops &&
           llvm::all_of(
               independence,
               [&](const LoopIndependence &other) {
                 return other.isIndependentOf(next);
               });
  }
  bool mayStoreTo(Value memref) const {
    return llvm::any_of(independence, [&](const LoopIndependence &loop) {
      return loop.mayStoreTo(memref);
    });
  }
};

/// Moves one group of loops into a function.
class Outlining {
public:
  Outlining(ArrayRef<scf::ForOp> loops, SymbolTable &symbols, IndexExprs &exprs)
      : loops(loops), symbols(symbols), exprs(exprs), builder(this->loops[0]),
        loc(builder.getInsertionPoint()->getLoc()),
        kernel(this->loops[0]->getParentOfType<func::FuncOp>()) {}

  void run();

private:
  void findCaptures();
  void capture(Value value);
  bool isRebuilt(Operation *op);
  bool isScratch(Operation *op) {
    return llvm::any_of(loops,
                        [&](scf::ForOp loop) { return isScratchOf(op, loop); });
  }
  LoopCostAttr costOf(scf::ForOp loop, SmallVectorImpl<Value> &operands);
  /// What fills scratch buffers in front of the loops.
  SmallVector<Operation *> findFills(Operation *scratch);
  func::FuncOp createFunction(ArrayRef<Value> operands);
  void moveLoop(scf::ForOp loop, unsigned number, func::FuncOp function);

  SmallVector<scf::ForOp> loops;
  SymbolTable &symbols;
  IndexExprs &exprs;
  OpBuilder builder;
  Location loc;
  func::FuncOp kernel;
  /// What the loops use of the values around them: as arguments, and the
  /// operations that the function repeats.
  llvm::SetVector<Value> captured;
  llvm::SetVector<Operation *> rebuilt;
};

struct ParallelizeLoops : impl::ParallelizeLoopsBase<ParallelizeLoops> {
  using Base::Base;
  void runOnOperation() override;

private:
  void run(Block &block, const MemoryAliasing &aliasing, SymbolTable &symbols);
  void runPieces(const MemoryAliasing &aliasing, SymbolTable &symbols);
  void outline(LoopGroup &group, SymbolTable &symbols, IndexExprs &exprs);
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

/// Whether what the loop carries from iteration to iteration can be computed
/// from its counter, and nobody needs the last value.
static bool carriesCountersOnly(scf::ForOp loop, IndexExprs &exprs) {
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults())) {
    if (!result.use_empty() || !argument.getType().isIntOrIndex())
      return false;
    IndexExpr carried = exprs.of(argument);
    for (auto [value, factor] : carried.getTerms())
      if (value != loop.getInductionVar() &&
          !loop.isDefinedOutsideOfLoop(value))
        return false;
  }
  return true;
}

/// Whether the loop is known to be over before another thread would have begun.
static bool isShort(scf::ForOp loop, IndexExprs &exprs) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips)
    return false;
  LoopCost cost = estimateCost(loop, exprs);
  return !cost.offsets && trips->ule(EMBER_DEFAULT_WORK_OF_THREAD) &&
         int64_t(trips->getZExtValue()) <
             EMBER_DEFAULT_WORK_OF_THREAD / std::max<int64_t>(cost.cost, 1);
}

/// Whether `op` frees a buffer that is remade in the function of its loop.
static bool freesScratch(Operation &op) {
  auto dealloc = dyn_cast<memref::DeallocOp>(op);
  Operation *alloc = dealloc ? dealloc.getMemref().getDefiningOp() : nullptr;
  return alloc && alloc->hasAttr(scratchAttr);
}

/// Whether a loop does nothing but fill a buffer that may be remade so.
static bool fillsScratch(scf::ForOp loop) {
  Value scratch;
  loop.walk([&](Operation *op) {
    if (std::optional<MemoryAccess> access = MemoryAccess::of(op))
      scratch = access->memref;
  });
  Operation *alloc = scratch ? scratch.getDefiningOp() : nullptr;
  return alloc && alloc->hasAttr(scratchAttr) && isFillOf(loop, scratch);
}

/// Whether `op`, which stands behind loops of `group`, can as well stand in
/// front of them.
static bool canPrecede(Operation &op, const LoopGroup &group) {
  if (op.hasAttr(scratchAttr))
    return true;
  if (isa<LoopLikeOpInterface>(op))
    return false;
  auto result = op.walk([&](Operation *inner) {
    std::optional<MemoryAccess> access = MemoryAccess::of(inner);
    bool onlyReads =
        access ? !access->isStore() && !group.mayStoreTo(access->memref)
               : isPure(inner) || isa<scf::IfOp, scf::YieldOp>(inner);
    return onlyReads ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

/// Whether the function repeats `op` rather than being handed its result: what
/// indices and sizes are computed from stays visible there, and which array a
/// view is of.
bool Outlining::isRebuilt(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isScratch(op) ||
      isa<memref::SubViewOp>(op))
    return true;
  if (!isPure(op) || op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      isa<BaseMemRefType>(op->getResult(0).getType()))
    return false;
  if (isa<memref::DimOp>(op))
    return true;
  auto isPlain = [](Type type) {
    return getElementTypeOrSelf(type).isIntOrIndex();
  };
  return llvm::all_of(op->getOperandTypes(), isPlain) &&
         llvm::all_of(op->getResultTypes(), isPlain);
}

void Outlining::capture(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && rebuilt.contains(op))
    return;
  if (!op || !isRebuilt(op)) {
    captured.insert(value);
    return;
  }
  llvm::for_each(op->getOperands(), [&](Value operand) { capture(operand); });
  rebuilt.insert(op);
  if (!op->hasAttr(scratchAttr))
    return;
  for (Operation *fill : findFills(op)) {
    fill->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!fill->isAncestor(operand.getParentBlock()->getParentOp()))
          capture(operand);
    });
    rebuilt.insert(fill);
  }
}

SmallVector<Operation *> Outlining::findFills(Operation *scratch) {
  llvm::SmallSetVector<Operation *, 4> fills;
  Block *block = loops.front()->getBlock();
  for (Operation *user : scratch->getUsers())
    if (Operation *outer = block->findAncestorOpInBlock(*user);
        outer && outer->isBeforeInBlock(loops.front()) &&
        isFillOf(outer, scratch->getResult(0)))
      fills.insert(outer);
  SmallVector<Operation *> inOrder = fills.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return inOrder;
}

void Outlining::findCaptures() {
  for (scf::ForOp loop : loops)
    loop->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        // Bounds are handed over apart, and what the loop carries is computed.
        bool isOfLoop = op == loop.getOperation();
        if (!isOfLoop && loop.isDefinedOutsideOfLoop(operand.get()))
          capture(operand.get());
      }
    });
  for (scf::ForOp loop : loops) {
    capture(loop.getStep());
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      IndexExpr carried = exprs.of(argument);
      for (auto [value, factor] : carried.getTerms())
        if (value != loop.getInductionVar())
          capture(value);
    }
  }
}

LoopCostAttr Outlining::costOf(scf::ForOp loop,
                               SmallVectorImpl<Value> &operands) {
  LoopCost cost = estimateCost(loop, exprs);
  // The runtime counts what the counter counts.
  int64_t step = getConstantIntValue(loop.getStep()).value_or(1);
  int64_t ofIteration = llvm::divideCeil(cost.cost, step);
  if (!cost.offsets)
    return builder.getAttr<LoopCostAttr>(ofIteration, /*segment_cost=*/0,
                                         /*offsets=*/-1, /*first_offset=*/-1,
                                         step);
  auto *place = llvm::find(operands, cost.offsets);
  if (place == operands.end()) {
    operands.push_back(cost.offsets);
    place = operands.end() - 1;
  }
  int64_t offsets = place - operands.begin();
  int64_t firstOffset = operands.size();
  operands.push_back(cost.firstOffset.materialize(builder, loop.getLoc()));
  return builder.getAttr<LoopCostAttr>(ofIteration, cost.segmentCost, offsets,
                                       firstOffset, step);
}

func::FuncOp Outlining::createFunction(ArrayRef<Value> operands) {
  OpBuilder outside(kernel);
  outside.setInsertionPointAfter(kernel);
  auto types = llvm::map_to_vector(
      operands, [](Value operand) { return operand.getType(); });
  auto function =
      func::FuncOp::create(outside, loc, (kernel.getName() + "_part").str(),
                           outside.getFunctionType(types, {}));
  function.setPrivate();
  symbols.insert(function);
  for (auto [index, operand] : llvm::enumerate(operands))
    if (isa<BaseMemRefType>(operand.getType()))
      nameInMessages(function, index, operand);
  function.addEntryBlock();
  return function;
}

/// Moves loop `number` to the end of the function, with the bounds that are the
/// function's and without what it carried.
void Outlining::moveLoop(scf::ForOp loop, unsigned number,
                         func::FuncOp function) {
  OpBuilder inside = OpBuilder::atBlockEnd(&function.getBody().front());
  Location loc = loop.getLoc();
  auto moved =
      scf::ForOp::create(inside, loc, function.getArgument(2 * number),
                         function.getArgument(2 * number + 1), loop.getStep());
  moved->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  moved->setAttr(independentAttr, builder.getUnitAttr());
  Block *body = moved.getBody();
  body->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  inside.setInsertionPointToStart(body);
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    IndexExpr counter = exprs.of(argument).substituted(
        loop.getInductionVar(), IndexExpr(moved.getInductionVar()));
    Value value = counter.materialize(inside, loc);
    if (value.getType() != argument.getType())
      value =
          arith::IndexCastOp::create(inside, loc, argument.getType(), value);
    argument.replaceAllUsesWith(value);
  }
  loop.getInductionVar().replaceAllUsesWith(moved.getInductionVar());
  body->getTerminator()->erase();
  inside.setInsertionPointToEnd(body);
  scf::YieldOp::create(inside, loc);
}

void Outlining::run() {
  findCaptures();
  // In front of the first loop everything between the loops is computed.
  builder.setInsertionPoint(loops.front());
  SmallVector<Value> operands;
  for (scf::ForOp loop : loops)
    operands.append({loop.getLowerBound(), loop.getUpperBound()});
  llvm::append_range(operands, captured);
  auto costs = llvm::map_to_vector(loops, [&](scf::ForOp loop) -> Attribute {
    return costOf(loop, operands);
  });

  func::FuncOp function = createFunction(operands);
  OpBuilder inside = OpBuilder::atBlockEnd(&function.getBody().front());
  IRMapping mapping;
  for (auto [index, value] : llvm::enumerate(captured))
    mapping.map(value, function.getArgument(2 * loops.size() + index));
  for (Operation *op : rebuilt)
    inside.clone(*op, mapping);
  for (auto [number, loop] : llvm::enumerate(loops))
    moveLoop(loop, number, function);
  inside.setInsertionPointToEnd(&function.getBody().front());
  for (Operation *op : rebuilt)
    if (isa<memref::AllocOp>(op))
      memref::DeallocOp::create(inside, loc, mapping.lookup(op->getResult(0)));
  func::ReturnOp::create(inside, loc);
  auto isInside = [&](OpOperand &use) {
    return function->isProperAncestor(use.getOwner());
  };
  for (auto [from, to] : mapping.getValueMap())
    Value(from).replaceUsesWithIf(to, isInside);

  ParallelCallOp::create(builder, loc, FlatSymbolRefAttr::get(function),
                         operands, builder.getArrayAttr(costs),
                         /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  for (scf::ForOp loop : loops)
    loop.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void ParallelizeLoops::outline(LoopGroup &group, SymbolTable &symbols,
                               IndexExprs &exprs) {
  if (group.loops.empty())
    return;
  // What stands between the loops goes in front of them.
  for (Operation *op = group.loops.front(); op != group.loops.back();) {
    Operation *next = op->getNextNode();
    if (!llvm::is_contained(group.loops, op) && !freesScratch(*op))
      op->moveBefore(group.loops.front());
    op = next;
  }
  parallelized += group.loops.size();
  Outlining(group.loops, symbols, exprs).run();
  group = LoopGroup();
  // Sums are remembered by value, and some of the values are gone.
  exprs = IndexExprs();
}

void ParallelizeLoops::run(Block &block, const MemoryAliasing &aliasing,
                           SymbolTable &symbols) {
  IndexExprs exprs;
  LoopGroup group;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      if (!freesScratch(op) && !canPrecede(op, group))
        outline(group, symbols, exprs);
      continue;
    }
    if (isShort(loop, exprs) || fillsScratch(loop)) {
      outline(group, symbols, exprs);
      continue;
    }
    bool isPlain = !loop.getUnsignedCmp() && carriesCountersOnly(loop, exprs) &&
                   getConstantIntValue(loop.getStep()).value_or(0) > 0;
    LoopIndependence independence(loop, aliasing, exprs);
    if (!isPlain || !independence.isParallel()) {
      outline(group, symbols, exprs);
      emitRemark(loop.getLoc())
          << "the loop runs on one thread: "
          << (independence.isParallel()
                  ? "it hands values from iteration to iteration"
                  : independence.getRefusal());
      continue;
    }
    if (!group.canTake(independence))
      outline(group, symbols, exprs);
    group.loops.push_back(loop);
    group.independence.push_back(std::move(independence));
  }
  outline(group, symbols, exprs);
}

/// Outlines loops over pieces, wherever they are by now.
void ParallelizeLoops::runPieces(const MemoryAliasing &aliasing,
                                 SymbolTable &symbols) {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (loop->hasAttr(piecesAttr))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    IndexExprs exprs;
    LoopGroup group;
    group.loops.push_back(loop);
    group.independence.emplace_back(loop, aliasing, exprs);
    if (group.independence.front().isParallel())
      outline(group, symbols, exprs);
  }
}

/// Erases buffers that only functions of loops used, which have their own now.
static void dropUnusedScratch(ModuleOp module) {
  SmallVector<Operation *> unused;
  module.walk([&](Operation *op) {
    auto isUnneeded = [&](Operation *user) {
      Operation *outer = op->getBlock()->findAncestorOpInBlock(*user);
      return isa<memref::DeallocOp>(user) ||
             (outer && isFillOf(outer, op->getResult(0)));
    };
    if (op->hasAttr(scratchAttr) && llvm::all_of(op->getUsers(), isUnneeded))
      unused.push_back(op);
  });
  for (Operation *alloc : unused) {
    llvm::SetVector<Operation *> users;
    for (Operation *user : alloc->getUsers())
      users.insert(alloc->getBlock()->findAncestorOpInBlock(*user));
    for (Operation *user : users)
      user->erase();
    alloc->erase();
  }
}

/// Where a loop that was meant for several threads stays on one, nothing else
/// is to count on several.
static void foldThreads(func::FuncOp function) {
  WalkResult search = function.walk([](scf::ForOp loop) {
    return loop->hasAttr(independentAttr) ? WalkResult::interrupt()
                                          : WalkResult::advance();
  });
  if (!search.wasInterrupted())
    return;
  function.walk([](ThreadsForOp op) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, op.getLoc(), 1).getResult());
    op.erase();
  });
}

void ParallelizeLoops::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SymbolTable symbols(getOperation());
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function.getBody().hasOneBlock())
      functions.push_back(function);
  for (func::FuncOp function : functions)
    run(function.getBody().front(), aliasing, symbols);
  runPieces(aliasing, symbols);
  dropUnusedScratch(getOperation());
  for (func::FuncOp function : functions)
    foldThreads(function);
}

} // namespace ember::loops
