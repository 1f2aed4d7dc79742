//===- MapTMU.cpp - Put configurations on a described machine -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/TMU/Transforms/Passes.h"

#include "ChunkReservation.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/MathExtras.h"

namespace ember::tmu {
#define GEN_PASS_DEF_MAPTMU
#include "ember/Dialect/TMU/Transforms/Passes.h.inc"
} // namespace ember::tmu

using namespace mlir;
using namespace ember;
using namespace ember::tmu;

//===----------------------------------------------------------------------===//
// Fewer streams
//===----------------------------------------------------------------------===//

static void eraseUnread(ProgramOp program) {
  Block &body = program.getConfiguration().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// The stream of `tu` that forwards `value`, or `value` itself if it is fixed;
/// null if nothing does.
static Value findInside(Value value, Value tu) {
  if (!isa<slc::StreamType>(value.getType()))
    return value;
  for (Operation *user : value.getUsers())
    if (auto forward = dyn_cast<SetFwdStrOp>(user);
        forward && forward.getTu() == tu)
      return forward.getResult();
  return Value();
}

/// Computes `sum`, which is only forwarded, from its operands wherever these
/// are forwarded as well. Returns whether it did.
static bool recompute(SetAluStrOp sum) {
  for (Operation *user : sum.getResult().getUsers()) {
    auto forward = dyn_cast<SetFwdStrOp>(user);
    if (!forward || !findInside(sum.getLhs(), forward.getTu()) ||
        !findInside(sum.getRhs(), forward.getTu()))
      return false;
  }
  for (Operation *user :
       llvm::make_early_inc_range(sum.getResult().getUsers())) {
    auto forward = cast<SetFwdStrOp>(user);
    Value lhs = findInside(sum.getLhs(), forward.getTu());
    Value rhs = findInside(sum.getRhs(), forward.getTu());
    // Behind both, which may stand behind what is forwarded.
    OpBuilder builder(forward);
    for (Value operand : {lhs, rhs})
      if (Operation *op = operand.getDefiningOp();
          op && !op->isBeforeInBlock(forward))
        op->moveBefore(forward);
    Value again = SetAluStrOp::create(
        builder, sum.getLoc(), forward.getResult().getType(), forward.getTu(),
        sum.getOpcode(), lhs, rhs);
    forward.replaceAllUsesWith(again);
    forward.erase();
  }
  sum.erase();
  return true;
}

/// Returns how many streams it saved.
static unsigned recomputeInside(ProgramOp program) {
  unsigned count = 0;
  // Inner ones first: what is recomputed may let others be.
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(program.getConfiguration().front())))
    if (auto sum = dyn_cast<SetAluStrOp>(op); sum && !sum->use_empty())
      count += recompute(sum);
  return count;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

namespace {
/// Divides the storage of lanes between the layers of a program.
class QueueDivision {
public:
  QueueDivision(ProgramOp program, MachineAttr machine, int64_t fiber)
      : layers(getLayers(program)), machine(machine), fiber(fiber) {}

  /// Bytes of the fullest lane if the innermost queues have `innermost`
  /// entries.
  int64_t getBytes(int64_t innermost) const;
  /// The longest innermost queues that fit; 0 if none do. Where nothing is
  /// loaded, as many entries as lines may be on their way.
  int64_t getLongest() const;
  void assign(int64_t innermost);

private:
  /// Entries a layer, from the outermost one on.
  SmallVector<int64_t> getEntries(int64_t innermost) const;

  mutable SmallVector<LayerOpInterface> layers;
  MachineAttr machine;
  int64_t fiber;
};
} // namespace

SmallVector<int64_t> QueueDivision::getEntries(int64_t innermost) const {
  SmallVector<int64_t> entries(layers.size());
  int64_t next = innermost;
  for (size_t depth = layers.size(); depth-- > 0;) {
    entries[depth] = next;
    auto unit = layers[depth].getUnits().front().getDefiningOp<TUOpInterface>();
    int64_t steps =
        std::max<int64_t>(1, getConstantSteps(unit).value_or(fiber));
    // While the fibers of these elements are consumed, the bounds of the next
    // ones are on their way: a latency's worth, of fibers that may be short.
    constexpr int64_t ahead = 7;
    auto fibers = static_cast<int64_t>(llvm::divideCeil(next, steps));
    next = std::min(next, fibers + ahead);
  }
  return entries;
}

int64_t QueueDivision::getBytes(int64_t innermost) const {
  SmallVector<int64_t> bytes(machine.getLanes(), 0);
  for (auto [layer, entries] : llvm::zip_equal(layers, getEntries(innermost)))
    for (auto [lane, tu] : llvm::enumerate(layer.getUnits()))
      bytes[lane] += entries * getEntryBytes(tu, machine);
  return *llvm::max_element(bytes);
}

int64_t QueueDivision::getLongest() const {
  bool isFree = getBytes(1) == 0;
  int64_t fits = 0;
  int64_t tooLong = (isFree ? machine.getRequests() : machine.getStorage()) + 1;
  while (tooLong - fits > 1) {
    int64_t middle = fits + (tooLong - fits) / 2;
    (getBytes(middle) <= machine.getStorage() ? fits : tooLong) = middle;
  }
  return fits;
}

void QueueDivision::assign(int64_t innermost) {
  for (auto [number, layer] : llvm::enumerate(layers)) {
    int64_t entries = getEntries(innermost)[number];
    layer.setNumber(number);
    for (Value tu : layer.getUnits())
      tu.getDefiningOp<TUOpInterface>().setQueue(entries);
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static LogicalResult verifyCounts(ProgramOp program, MachineAttr machine) {
  SmallVector<LayerOpInterface> layers = getLayers(program);
  if (static_cast<int64_t>(layers.size()) > machine.getLayers())
    return program.emitOpError("needs ")
           << layers.size() << " layers, but the machine has "
           << machine.getLayers() << "; decouple fewer loops of the nest";
  for (LayerOpInterface layer : layers) {
    auto lanes = static_cast<int64_t>(layer.getUnits().size());
    if (lanes > machine.getLanes())
      return layer->emitOpError("needs ")
             << lanes << " lanes, but the machine has " << machine.getLanes()
             << "; --dlc-to-tmu=lanes=" << machine.getLanes()
             << " spreads vectors over those";
    for (Value tu : layer.getUnits()) {
      auto streams = static_cast<int64_t>(getStreams(tu).size());
      if (streams > machine.getStreams())
        return tu.getDefiningOp()->emitOpError("needs ")
               << streams << " streams, but a unit of the machine has "
               << machine.getStreams();
    }
  }
  return success();
}

namespace {
struct MapTMU : public ember::tmu::impl::MapTMUBase<MapTMU> {
  using MapTMUBase::MapTMUBase;

  LogicalResult map(ProgramOp program, MachineAttr machine) {
    IRRewriter rewriter(program.getContext());
    DominanceInfo dominance(program);
    eliminateCommonSubExpressions(rewriter, dominance, program);
    eraseUnread(program);
    if (getLayers(program).empty()) {
      program.setMachineAttr(machine);
      return success();
    }
    constexpr int64_t least = 2;
    if (failed(verifyCounts(program, machine)))
      return failure();
    if (QueueDivision(program, machine, fiber).getLongest() < least)
      recomputed += recomputeInside(program);
    QueueDivision queues(program, machine, fiber);
    int64_t longest = queues.getLongest();
    if (longest < least)
      return program.emitOpError("needs ")
             << queues.getBytes(least) << " bytes a lane for queues of "
             << least << " elements, but the machine has "
             << machine.getStorage()
             << "; decouple fewer loops of the nest, or look up less at a time";
    queues.assign(longest);
    if (failed(reserveChunks(program, machine)))
      return failure();
    program.setMachineAttr(machine);
    return success();
  }

  void runOnOperation() override {
    Location loc = getOperation()->getLoc();
    if (fiber < 1) {
      emitError(loc)
          << "map-tmu: a fiber is taken to have at least one element, "
             "not "
          << static_cast<int64_t>(fiber);
      return signalPassFailure();
    }
    auto machine = MachineAttr::getChecked(
        [&] { return emitError(loc) << "map-tmu: "; }, &getContext(),
        lanes.getValue(), layers.getValue(), streams.getValue(),
        storage.getValue(), requests.getValue(), chunk.getValue(),
        tokens.getValue(), computedQueues.getValue());
    if (!machine)
      return signalPassFailure();
    WalkResult walk =
        getOperation()->walk([&](ProgramOp program) -> WalkResult {
          return program.getMachineAttr() ? success() : map(program, machine);
        });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
