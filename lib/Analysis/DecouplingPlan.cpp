//===- DecouplingPlan.cpp - Which loops the access unit gets --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/DecouplingPlan.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ember;

/// The element types a stream can have.
static bool canBeStreamed(Type type) {
  return type.isIndex() || type.isSignlessInteger() || isa<FloatType>(type);
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
    if (op && op->getBlock() == loop.getBody())
      reached.insert(op->operand_begin(), op->operand_end());
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
  // Only what runs in each iteration: what stands under a condition may be out
  // of bounds where the condition does not hold.
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || !llvm::is_contained(path, loop))
    return false;
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
  return slc::isStreamArithmetic(op) &&
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
// Why a load is not offloaded
//===----------------------------------------------------------------------===//

/// What keeps the access unit from computing `index`.
std::string DecouplingPlan::explainIndex(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op)
    return "is carried from iteration to iteration";
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load && isa<scf::ForOp>(op->getParentOp()))
    return "is loaded, and " + explainLoad(load);
  if (!isa<scf::ForOp>(op->getParentOp()))
    return "is computed under a condition";
  if (isa<scf::ForOp>(op))
    return "is the result of a loop";
  if (slc::isStreamArithmetic(op))
    for (Value operand : op->getOperands())
      if (!isStreamable(operand))
        return explainIndex(operand);
  return "is computed by '" + op->getName().getStringRef().str() +
         "', which the access unit does not do";
}

/// What keeps the access unit from making `load`.
std::string DecouplingPlan::explainLoad(memref::LoadOp load) {
  std::string name = memrefName(load.getMemref());
  if (!isa<scf::ForOp>(load->getParentOp()))
    return name + " is loaded under a condition";
  if (!canBeStreamed(load.getType()))
    return name + " has elements that no stream carries";
  if (!computeStreamable(load.getMemref()))
    return "which memory " + name + " is, is decided in the nest";
  if (Operation *writer = memory.findWriter(load.getMemref())) {
    std::string text = name + " may be written by ";
    if (auto store = dyn_cast<memref::StoreOp>(writer))
      return text + "the store to " + memrefName(store.getMemref());
    if (auto call = dyn_cast<func::CallOp>(writer))
      return text + "the call of '" + call.getCallee().str() + "'";
    return text + "'" + writer->getName().getStringRef().str() + "'";
  }
  for (Value index : load.getIndices())
    if (!isStreamable(index))
      return "the index of " + name + " " + explainIndex(index);
  return name + " was loaded there by a loop around it";
}

/// Says of the first load in `loop`, and not in a loop inside, why it is no new
/// one for the access unit.
std::string DecouplingPlan::explainLoads(scf::ForOp loop) {
  path.push_back(loop);
  std::string reason;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForOp>(op))
      return WalkResult::skip();
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load)
      return WalkResult::advance();
    reason = ": " + explainLoad(load);
    return WalkResult::interrupt();
  });
  path.pop_back();
  return reason;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Whether the execute unit has registers for values of `type` between tokens.
static bool isHeldBetweenTokens(Type type) {
  return isa<IndexType, IntegerType, FloatType, VectorType, MemRefType>(type);
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
  for (Operation &op : *loop.getBody()) {
    if (auto child = dyn_cast<scf::ForOp>(op)) {
      inner.push_back(child);
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
  if (!op || !root->isAncestor(op) || !offloaded.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    markSlice(operand);
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
  chain = examine(root).loops;
  // What was found while examining loops that were not taken does not hold for
  // the chain.
  path = chain;
  streamable.clear();
  for (scf::ForOp loop : chain) {
    if (loop != root) {
      markSlice(loop.getLowerBound());
      markSlice(loop.getUpperBound());
    }
    for (auto load : loop.getBody()->getOps<memref::LoadOp>())
      if (isStreamable(load.getResult()))
        markSlice(load.getResult());
  }
}
