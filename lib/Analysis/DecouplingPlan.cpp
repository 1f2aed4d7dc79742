//===- DecouplingPlan.cpp - Which loops the access unit gets --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/DecouplingPlan.h"

#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ember;

bool ember::canBeStreamed(Type type) {
  return type.isIndex() || type.isSignlessInteger() || isa<FloatType>(type);
}

scf::ForOp ember::getLoopAround(Operation *op) {
  Operation *parent = op->getParentOp();
  while (isa_and_present<scf::IfOp>(parent))
    parent = parent->getParentOp();
  return dyn_cast_if_present<scf::ForOp>(parent);
}

Value ember::getIncrement(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return nullptr;
  auto sum = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  if (!sum || sum->getBlock() != loop.getBody())
    return nullptr;
  if (sum.getLhs() == argument && sum.getRhs() != argument)
    return sum.getRhs();
  return sum.getRhs() == argument && sum.getLhs() != argument ? sum.getLhs()
                                                              : Value();
}

bool ember::dependsOnCarried(Value value, scf::ForOp loop) {
  SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    auto argument = dyn_cast<BlockArgument>(reached[i]);
    if (argument && argument.getOwner() == loop.getBody() &&
        argument != loop.getInductionVar())
      return true;
    Operation *op = reached[i].getDefiningOp();
    if (op && loop->isProperAncestor(op))
      op->walk([&](Operation *inner) {
        reached.insert(inner->operand_begin(), inner->operand_end());
      });
  }
  return false;
}

slc::SegmentEndOp ember::getSegmentSearch(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return nullptr;
  auto search = loop.getTiedLoopYieldedValue(argument)
                    ->get()
                    .getDefiningOp<slc::SegmentEndOp>();
  auto count = loop.getUpperBound().getDefiningOp<slc::SegmentCountOp>();
  bool visitsAll = search && count && search->getBlock() == loop.getBody() &&
                   search.getPosition() == argument &&
                   search.getCoordinates() == count.getCoordinates() &&
                   search.getLimit() == count.getUpper() &&
                   loop.getTiedLoopInit(argument)->get() == count.getLower() &&
                   matchPattern(loop.getLowerBound(), m_Zero()) &&
                   matchPattern(loop.getStep(), m_One()) &&
                   loop.getTiedLoopResult(argument).use_empty();
  return visitsAll ? search : nullptr;
}

/// True if `argument` is where a segment begins whose end the access unit can
/// find. Then the loop's upper bound, their number, is a stream too.
bool DecouplingPlan::isSegmentBegin(BlockArgument argument) {
  slc::SegmentEndOp search = getSegmentSearch(argument);
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return search && isFixed(search.getCoordinates()) &&
         memory.isReadOnly(search.getCoordinates()) &&
         isStreamable(search.getLimit()) &&
         isStreamable(loop.getTiedLoopInit(argument)->get());
}

/// True if the access unit can sum `argument` up by itself: what it grows by is
/// loaded in the same loop, and nobody asks for the total.
bool DecouplingPlan::isSummable(BlockArgument argument) {
  Value increment = getIncrement(argument);
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!increment || increment.getParentBlock() != loop.getBody() ||
      !increment.getDefiningOp() || !argument.getType().isIntOrIndex() ||
      !loop.getTiedLoopResult(argument).use_empty())
    return false;
  Value initial = loop.getTiedLoopInit(argument)->get();
  return !dependsOnCarried(increment, loop) && isStreamable(increment) &&
         isStreamable(initial);
}

/// True if `value` is the same during the whole nest.
bool DecouplingPlan::isFixed(Value value) {
  return !root->isAncestor(value.getParentRegion()->getParentOp());
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// True if the access unit knows whether `op`, of a loop of the path, runs.
bool DecouplingPlan::areConditionsStreamable(Operation *op) {
  for (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()); branch;
       branch = dyn_cast<scf::IfOp>(branch->getParentOp()))
    if (!isStreamable(branch.getCondition()))
      return false;
  return true;
}

/// True if `taken`, which `branch` gives, is loaded there, and `other` is what
/// the stream has where nothing is loaded.
bool DecouplingPlan::isLoadOr(Value taken, Block *branch, Value other) {
  Operation *op = taken.getDefiningOp();
  if (!op || op->getBlock() != branch)
    return false;
  auto inner = dyn_cast<scf::IfOp>(op);
  if (!inner)
    return isa<memref::LoadOp>(op);
  unsigned position = cast<OpResult>(taken).getResultNumber();
  Choice choice = examineChoice(cast<OpResult>(taken));
  if (choice == Choice::thenLoads)
    return inner.elseYield().getOperand(position) == other;
  return choice == Choice::elseLoads &&
         inner.thenYield().getOperand(position) == other;
}

DecouplingPlan::Choice DecouplingPlan::examineChoice(OpResult result) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  unsigned position = result.getResultNumber();
  Value taken = branch.thenYield().getOperand(position);
  Value other = branch.elseYield().getOperand(position);
  if (!canBeStreamed(result.getType()) ||
      !isStreamable(branch.getCondition()) || !isStreamable(taken) ||
      !isStreamable(other))
    return Choice::none;
  if (isLoadOr(taken, branch.thenBlock(), other))
    return Choice::thenLoads;
  if (isLoadOr(other, branch.elseBlock(), taken))
    return Choice::elseLoads;
  return isa<FloatType>(result.getType()) ? Choice::none : Choice::select;
}

/// The result of `loop` that `value` is, or that conditions around the loop
/// hand on as `value`.
static OpResult getForwarded(Value value, scf::ForOp loop) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner() == loop)
    return result;
  auto branch = dyn_cast<scf::IfOp>(result.getOwner());
  if (!branch || !branch->isProperAncestor(loop))
    return nullptr;
  auto yield = branch.getThenRegion().isAncestor(loop->getParentRegion())
                   ? branch.thenYield()
                   : branch.elseYield();
  return getForwarded(yield.getOperand(result.getResultNumber()), loop);
}

/// True if `branch`, around `loop`, gives what the loop does and, where the
/// loop does not run, what it starts with: its results are then the loop's.
static bool forwardsInits(scf::IfOp branch, scf::ForOp loop) {
  if (branch.getNumResults() == 0)
    return true;
  bool isThen = branch.getThenRegion().isAncestor(loop->getParentRegion());
  auto taken = isThen ? branch.thenYield() : branch.elseYield();
  auto other = isThen ? branch.elseYield() : branch.thenYield();
  Operation *last = taken->getPrevNode();
  if (!llvm::hasSingleElement(*other->getBlock()) || !last->isAncestor(loop))
    return false;
  return llvm::all_of(llvm::zip_equal(taken.getOperands(), other.getOperands()),
                      [&](auto values) {
                        OpResult result =
                            getForwarded(std::get<0>(values), loop);
                        return result && result.getOwner() == loop &&
                               loop.getInitArgs()[result.getResultNumber()] ==
                                   std::get<1>(values);
                      });
}

/// True if `value`, of a branch in `outer`, can be there whatever conditions
/// say: as a stream, or since what computes it may run at any time.
bool DecouplingPlan::canMoveOut(Value value, scf::IfOp outer) {
  Operation *op = value.getDefiningOp();
  if (!op || !outer->isProperAncestor(op) || isStreamable(value))
    return true;
  return getLoopAround(op) == getLoopAround(outer) &&
         op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return canMoveOut(operand, outer);
         });
}

/// True if `op` may as well run later: all that it does is to read what does
/// not change.
bool DecouplingPlan::canWait(Operation &op) {
  return !op.walk([&](Operation *inner) {
              auto load = dyn_cast<memref::LoadOp>(inner);
              bool isHarmless =
                  load
                      ? memory.isReadOnly(load.getMemref())
                      : inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                            isMemoryEffectFree(inner);
              return isHarmless ? WalkResult::advance()
                                : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Why `loop` cannot be taken out of the conditions it stands under; empty if
/// it can, and where there is none.
std::string DecouplingPlan::explainConditions(scf::ForOp loop) {
  scf::IfOp outer;
  for (auto branch = dyn_cast<scf::IfOp>(loop->getParentOp()); branch;
       branch = dyn_cast<scf::IfOp>(branch->getParentOp()))
    outer = branch;
  if (!outer)
    return "";
  if (loop.getUpperBound().getDefiningOp<slc::SegmentCountOp>())
    return "it goes over segments of coordinates under a condition";
  SetVector<Value> read;
  loop->walk([&](Operation *op) { read.insert_range(op->getOperands()); });
  for (Value value : read)
    if (!loop->isAncestor(value.getParentRegion()->getParentOp()) &&
        !canMoveOut(value, outer))
      return "it stands under a condition and needs what is computed there";
  // What comes before the loop under a condition comes after it then.
  for (Operation *inner = loop; inner != outer; inner = inner->getParentOp()) {
    for (Operation &op : *inner->getBlock()) {
      if (&op == inner)
        break;
      if (!canWait(op))
        return "it stands under a condition behind code with effects";
    }
    if (!forwardsInits(cast<scf::IfOp>(inner->getParentOp()), loop))
      return "it stands under a condition that gives other values than the "
             "loop does";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

bool DecouplingPlan::computeStreamable(Value value) {
  if (isFixed(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || !llvm::is_contained(path, loop))
      return false;
    return argument == loop.getInductionVar() || isSegmentBegin(argument) ||
           isSummable(argument);
  }
  Operation *op = value.getDefiningOp();
  scf::ForOp loop = getLoopAround(op);
  if (!loop || !llvm::is_contained(path, loop) || !areConditionsStreamable(op))
    return false;
  if (isa<scf::IfOp>(op))
    return examineChoice(cast<OpResult>(value)) != Choice::none;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return canBeStreamed(load.getType()) &&
           computeStreamable(load.getMemref()) &&
           memory.isReadOnly(load.getMemref()) &&
           llvm::all_of(load.getIndices(),
                        [&](Value index) { return isStreamable(index); });
  if (auto count = dyn_cast<slc::SegmentCountOp>(op))
    return isFixed(count.getCoordinates()) &&
           memory.isReadOnly(count.getCoordinates()) &&
           isStreamable(count.getLower()) && isStreamable(count.getUpper());
  if (auto end = dyn_cast<slc::SegmentEndOp>(op)) {
    auto begin = dyn_cast<BlockArgument>(end.getPosition());
    return begin && getSegmentSearch(begin) == end && isStreamable(begin);
  }
  // Arithmetic has no mask: where a condition does not hold, it happens, too.
  bool mayRun = op->getParentOp() == loop || isSpeculatable(op);
  return mayRun && slc::isStreamArithmetic(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isStreamable(operand); });
}

bool DecouplingPlan::isStreamable(Value value) {
  auto known = streamable.find(value);
  if (known != streamable.end())
    return known->second;
  bool result = computeStreamable(value);
  streamable[value] = result;
  return result;
}

bool DecouplingPlan::isStreamed(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return isOffloaded(op);
  for (scf::ForOp loop : chain)
    if (value == loop.getInductionVar())
      return true;
  return isRunningSum(cast<BlockArgument>(value));
}

/// Arithmetic deeper than this is told apart by identity only; expressions that
/// share operands would otherwise be written out exponentially often.
static constexpr unsigned kMaxDescribedDepth = 6;

/// Writes `index` so that equal texts mean equal values; induction variables
/// are written by level and range, so that two loops over the same row look the
/// same.
void DecouplingPlan::describeIndex(Value index, std::string &text,
                                   unsigned depth) {
  llvm::raw_string_ostream stream(text);
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    const auto *level = llvm::find(path, loop);
    if (level != path.end() && argument == loop.getInductionVar()) {
      stream << "iv" << level - path.begin() << "("
             << loop.getLowerBound().getAsOpaquePointer() << ","
             << loop.getUpperBound().getAsOpaquePointer() << ")";
      return;
    }
  }
  Operation *op = index.getDefiningOp();
  if (!op || !root->isAncestor(op)) {
    stream << index.getAsOpaquePointer();
    return;
  }
  auto load = dyn_cast<memref::LoadOp>(op);
  if (depth == kMaxDescribedDepth || (!load && !slc::isStreamArithmetic(op))) {
    stream << index.getAsOpaquePointer();
    return;
  }
  stream << op->getName() << "(";
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    stream << arith::stringifyCmpIPredicate(compare.getPredicate()) << ",";
  for (Value operand : op->getOperands()) {
    describeIndex(operand, text, depth + 1);
    stream << ",";
  }
  stream << ")";
}

std::string DecouplingPlan::describeLocation(Value memref, ValueRange indices) {
  std::string text;
  describeIndex(memref, text);
  for (Value index : indices) {
    text += "[";
    describeIndex(index, text);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Whether the execute unit has registers for values of `type` between tokens.
static bool isHeldBetweenTokens(Type type) {
  return isa<IndexType, IntegerType, FloatType, VectorType, MemRefType>(type);
}

/// What stands in the body of `loop`, of the path, and under conditions in it
/// of which the access unit knows whether they hold.
SmallVector<Operation *> DecouplingPlan::collectKnownToRun(scf::ForOp loop) {
  SmallVector<Operation *> ops;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    ops.push_back(op);
    bool isKnown = branch && isStreamable(branch.getCondition());
    return isKnown ? WalkResult::advance() : WalkResult::skip();
  });
  return ops;
}

DecouplingPlan::Candidate DecouplingPlan::examine(scf::ForOp loop) {
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
    bool isStep = bound == loop.getStep();
    if (isFixed(bound) || (!isStep && isStreamable(bound)))
      continue;
    refusals.push_back(
        {loop, isStep ? "its step changes during the nest"
                      : "its bounds are computed by the execute unit"});
    return {};
  }
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp()) {
    refusals.push_back({loop, "its induction variable is not a signed index"});
    return {};
  }
  for (Type type : loop.getResultTypes())
    if (!isHeldBetweenTokens(type)) {
      std::string text = "it carries a value of type '";
      llvm::raw_string_ostream(text) << type;
      refusals.push_back(
          {loop, text + "', for which the execute unit has no register"});
      return {};
    }

  path.push_back(loop);
  locations.emplace_back();
  Candidate candidate, nested;
  SmallVector<scf::ForOp> inner;
  for (Operation *op : collectKnownToRun(loop)) {
    if (auto child = dyn_cast<scf::ForOp>(op)) {
      std::string reason = explainConditions(child);
      if (reason.empty())
        inner.push_back(child);
      else
        refusals.push_back({child, reason});
      continue;
    }
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load || !isStreamable(load.getResult()))
      continue;
    std::string location =
        describeLocation(load.getMemref(), load.getIndices());
    bool seen = llvm::any_of(locations, [&](const llvm::StringSet<> &level) {
      return level.contains(location);
    });
    locations.back().insert(location);
    candidate.newLoads += !seen;
  }
  for (scf::ForOp child : inner) {
    Candidate found = examine(child);
    if (found.loops.empty())
      continue;
    bool better = found.newLoads > nested.newLoads;
    if (better)
      std::swap(nested, found);
    if (!found.loops.empty())
      refusals.push_back(
          {found.loops.front(), "another loop at its level is offloaded"});
  }
  locations.pop_back();
  path.pop_back();
  candidate.newLoads += nested.newLoads;
  if (candidate.newLoads == 0) {
    refusals.push_back({loop, "it loads nothing new from read-only memory" +
                                  explainLoads(loop)});
    return {};
  }
  candidate.loops.push_back(loop);
  llvm::append_range(candidate.loops, nested.loops);
  return candidate;
}

/// Marks what the access unit computes to get at `value`.
void DecouplingPlan::markSlice(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (loop && root->isAncestor(loop) && argument != loop.getInductionVar() &&
      runningSums.insert(argument).second) {
    markSlice(loop.getTiedLoopYieldedValue(argument)->get());
    markSlice(loop.getTiedLoopInit(argument)->get());
  }
  Operation *op = value.getDefiningOp();
  if (!op || !root->isAncestor(op))
    return;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto result = cast<OpResult>(value);
    if (!choices.try_emplace(value, examineChoice(result)).second)
      return;
    markSlice(branch.getCondition());
    markSlice(branch.thenYield().getOperand(result.getResultNumber()));
    markSlice(branch.elseYield().getOperand(result.getResultNumber()));
    return;
  }
  if (!offloaded.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    markSlice(operand);
  if (isa<memref::LoadOp>(op))
    markConditions(op);
}

/// Marks what says whether `op` runs.
void DecouplingPlan::markConditions(Operation *op) {
  for (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()); branch;
       branch = dyn_cast<scf::IfOp>(branch->getParentOp()))
    markSlice(branch.getCondition());
}

/// Marks what says whether `loop` runs, and what it reads of the branches it
/// stands in.
void DecouplingPlan::markMovedOut(scf::ForOp loop) {
  scf::ForOp around = getLoopAround(loop);
  markConditions(loop);
  SetVector<Value> read;
  loop->walk([&](Operation *op) { read.insert_range(op->getOperands()); });
  for (size_t i = 0; i < read.size(); ++i) {
    Operation *op = read[i].getDefiningOp();
    if (!op || op->getParentOp() == around || getLoopAround(op) != around)
      continue;
    if (isa<scf::IfOp>(op))
      markSlice(read[i]);
    read.insert_range(op->getOperands());
  }
}

/// Marks loads in the body of `loop`, and what conditions choose of them.
void DecouplingPlan::markLoads(scf::ForOp loop) {
  for (Operation *op : collectKnownToRun(loop)) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (isStreamable(load.getResult()))
        markSlice(load.getResult());
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      continue;
    for (OpResult result : branch.getResults()) {
      Choice choice = examineChoice(result);
      if (choice == Choice::thenLoads || choice == Choice::elseLoads)
        markSlice(result);
    }
    if (!isStreamable(branch.getCondition()))
      noteUnknown(branch);
  }
}

DecouplingPlan::DecouplingPlan(scf::ForOp root, const NestMemory &memory)
    : root(root), memory(memory) {
  if (Operation *unknown = memory.getUnknownEffect()) {
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    stream << "the effects of ";
    if (auto call = dyn_cast<func::CallOp>(unknown))
      stream << "the call of '" << call.getCallee() << "'";
    else
      stream << "'" << unknown->getName() << "'";
    stream << " in it are unknown";
    refusals.push_back({root, reason});
    return;
  }
  // What a loop of ranges asserts of what it reads, the execute unit would ask
  // for in each iteration: nothing would be gained. Loops of its own may
  // assert.
  WalkResult asserts = root->walk([](cf::AssertOp assertion) {
    return isa<scf::ForOp>(assertion->getParentOp()) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  if (asserts.wasInterrupted()) {
    refusals.push_back({root, "it asserts what each iteration reads"});
    return;
  }
  chain = examine(root).loops;
  // What was found while examining loops that were not taken does not hold for
  // the chain.
  path = chain;
  streamable.clear();
  for (scf::ForOp loop : chain) {
    if (loop != root) {
      markSlice(loop.getLowerBound());
      markSlice(loop.getUpperBound());
      markMovedOut(loop);
    }
    markLoads(loop);
  }
}
