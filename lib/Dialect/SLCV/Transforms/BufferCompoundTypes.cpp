//===- BufferCompoundTypes.cpp - Hand over whole rows ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferisation (paper, section 7.2 and figure 15c):
//
//                                        %buf = slcv.buf_str
//   slcv.vec_for (%e, %mask) = ... {     slcv.vec_for (%e, %mask) = ... {
//     %v = slcv.vec_mem_str ...            %v = slcv.vec_mem_str ...
//     slc.callback ite {                   slcv.push %v, %buf
//       %x = slc.str_to_val %v      =>   }
//       use %x                           slc.callback end {
//     }                                    %row = slc.str_to_val %buf
//   }                                      scf.for %k = 0 to count {
//                                            %x = memref.load %row[%k]
//                                            use %x
//
// Compute code only ever runs in callbacks, and those of the loop run in the
// same order as before, so moving them behind the loop reorders no effect.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/OnlyReads.h"
#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "CallbackMerging.h"
#include "LoopCarriedValues.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ember::slcv {
#define GEN_PASS_DEF_BUFFERCOMPOUNDTYPES
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::BufferType;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StreamType;
using ember::slc::StrToValOp;

namespace {
/// What a callback reads of streams, sorted by where it will come from once
/// the callback stands behind the loop.
struct CallbackReads {
  CallbackReads(LoopOpInterface loop, CallbackOp callback);

  /// Streams of enclosing loops, with the lane that is read or -1.
  llvm::SetVector<std::pair<Value, int64_t>> outer;
  /// Streams of the loop itself.
  llvm::SetVector<Value> buffered;
  /// Induction variable, iteration count and mask.
  llvm::SetVector<std::pair<Value, int64_t>> control;
};

/// Moves the callback of one loop behind it.
class RowBufferizer {
public:
  RowBufferizer(LoopOpInterface loop, CallbackOp callback)
      : loop(loop), callback(callback), reads(loop, callback),
        builder(loop.getContext()) {}

  bool isProfitable();
  void run();

private:
  bool sharesToken();
  void chooseMask();
  void declareBuffers();
  CallbackOp createEndCallback();
  Value getBound(Value bound);
  Traversal describe();
  Value getTripCount();
  void emitControl(Value k);
  Value getFirst(Value k);
  void replaceReads(Value k);
  Value readElement(StrToValOp toVal, Value k);
  Value readControl(StrToValOp toVal, Value k);

  LoopOpInterface loop;
  CallbackOp callback;
  CallbackReads reads;
  OpBuilder builder;
  llvm::MapVector<Value, Value> buffers;
  DenseMap<Value, Value> rows, bounds;
  DenseMap<std::pair<Value, int64_t>, Value> values;
  Value first;
  /// Null if rows are handed over in every iteration around.
  Value mask;
};
} // namespace

static std::pair<Value, int64_t> getKey(StrToValOp toVal) {
  return {toVal.getStream(), toVal.getLane().value_or(-1)};
}

CallbackReads::CallbackReads(LoopOpInterface loop, CallbackOp callback) {
  callback.walk([&](StrToValOp toVal) {
    Value stream = toVal.getStream();
    if (stream.getParentBlock() != loop.getBody())
      outer.insert(getKey(toVal));
    else if (isa<BlockArgument>(stream))
      control.insert(getKey(toVal));
    else
      buffered.insert(stream);
  });
}

/// Counts the queue entries, tokens and operands, of a row. Without a known
/// trip count rows are taken to be long.
bool RowBufferizer::isProfitable() {
  std::optional<int64_t> trips = whereNotEmpty(loop).getStaticTrips();
  if (!trips)
    return true;
  int64_t buffered = reads.buffered.size(), outer = reads.outer.size();
  int64_t each = 1 + outer + buffered + reads.control.size();
  return *trips * each > *trips * buffered + outer + 1;
}

//===----------------------------------------------------------------------===//
// The row's loop
//===----------------------------------------------------------------------===//

/// The bound as compute code sees it.
Value RowBufferizer::getBound(Value bound) {
  bound = slc::getWhereTrue(bound, mask);
  if (!isa<StreamType>(bound.getType()))
    return bound;
  Value &value = bounds[bound];
  if (!value)
    value = StrToValOp::create(builder, loop.getLoc(), bound);
  return value;
}

/// What the loop traverses, as compute code sees it.
Traversal RowBufferizer::describe() {
  return Traversal::of(loop, [&](Value bound) { return getBound(bound); });
}

/// The number of iterations, computed before the nest if it is fixed.
Value RowBufferizer::getTripCount() {
  Traversal traversal = describe();
  OpBuilder at(builder);
  bool isFixed = bounds.empty();
  if (isFixed && !traversal.getStaticTrips())
    at.setInsertionPoint(slc::getNestRoot(loop));
  return emitTripBound(at, loop.getLoc(), traversal);
}

/// What the induction variable was, in lane 0, in iteration `k`.
Value RowBufferizer::getFirst(Value k) {
  if (first)
    return first;
  Location loc = loop.getLoc();
  first = k;
  if (int64_t stride = *Traversal::of(loop).getSmallStride(); stride != 1)
    first = arith::MulIOp::create(
        builder, loc, k, arith::ConstantIndexOp::create(builder, loc, stride));
  Value lower = getBound(loop.getLowerBound());
  if (!matchPattern(lower, m_Zero()))
    first = arith::AddIOp::create(builder, loc, lower, first);
  return first;
}

/// Induction variable, iteration count or mask of iteration `k`.
Value RowBufferizer::readControl(StrToValOp toVal, Value k) {
  Location loc = toVal.getLoc();
  Value stream = toVal.getStream();
  if (stream == loop.getIterationCount())
    return k;
  auto vectorLoop = dyn_cast<VecForOp>(loop.getOperation());
  if (!vectorLoop)
    return getFirst(k);

  auto type = cast<VectorType>(slc::getStreamElementType(stream.getType()));
  if (stream == vectorLoop.getInductionVar() && toVal.getLane() == 0)
    return getFirst(k);
  Traversal traversal = describe();
  TraversalRange range{traversal.lower, traversal.upper, Value(), Value()};
  Value vector;
  if (stream != vectorLoop.getMask())
    vector = emitVisited(builder, loc, traversal, range, getFirst(k));
  else if (hasFullVectors(vectorLoop))
    vector = arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, true));
  else
    vector = emitMask(builder, loc, traversal, range, getFirst(k));
  if (std::optional<int64_t> lane = toVal.getLane())
    return vector::ExtractOp::create(builder, loc, vector, *lane);
  return vector;
}

/// The element that the loop pushed in iteration `k`.
Value RowBufferizer::readElement(StrToValOp toVal, Value k) {
  Value element = memref::LoadOp::create(builder, toVal.getLoc(),
                                         rows.lookup(toVal.getStream()), k);
  if (std::optional<int64_t> lane = toVal.getLane())
    return vector::ExtractOp::create(builder, toVal.getLoc(), element, *lane);
  return element;
}

/// Replaces what the callback reads of streams by what the row's loop has of
/// them in iteration `k`, all at the start of its body.
void RowBufferizer::replaceReads(Value k) {
  SmallVector<StrToValOp> toVals;
  callback.walk([&](StrToValOp toVal) { toVals.push_back(toVal); });
  for (StrToValOp toVal : toVals) {
    Value &value = values[getKey(toVal)];
    if (!value)
      value = isa<BlockArgument>(toVal.getStream()) ? readControl(toVal, k)
                                                    : readElement(toVal, k);
    toVal.getValue().replaceAllUsesWith(value);
    toVal.erase();
  }
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

void RowBufferizer::declareBuffers() {
  for (Value stream : reads.buffered) {
    Type element = slc::getStreamElementType(stream.getType());
    builder.setInsertionPoint(loop);
    Value buffer =
        BufStrOp::create(builder, stream.getLoc(), BufferType::get(element));
    builder.setInsertionPoint(loop.getYield());
    PushOp::create(builder, stream.getLoc(), stream, buffer);
    buffers[stream] = buffer;
  }
}

/// The callback behind the loop; scalars are read before rows, so that rows
/// can be taken from the queue while they arrive.
CallbackOp RowBufferizer::createEndCallback() {
  Location loc = callback.getLoc();
  builder.setInsertionPointAfter(loop);
  auto end = CallbackOp::create(
      builder, loc, slc::Event::end, loop->getResultTypes(), mask,
      mask ? llvm::to_vector(loop.getIterArgs()) : SmallVector<Value>());
  end->setDiscardableAttrs(callback->getDiscardableAttrDictionary());
  end.getBody()->clear();
  builder.setInsertionPointToStart(end.getBody());
  for (auto [stream, lane] : reads.outer) {
    auto toVal = StrToValOp::create(builder, loc, stream);
    if (lane >= 0) {
      toVal.setLane(lane);
      toVal.getValue().setType(getElementTypeOrSelf(toVal.getType()));
    }
    values[{stream, lane}] = toVal.getValue();
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value trips = getTripCount();
  for (auto [stream, buffer] : buffers)
    rows[stream] = StrToValOp::create(builder, loc, buffer);

  auto rowLoop = scf::ForOp::create(builder, loc, zero, trips, one,
                                    llvm::to_vector(loop.getIterArgs()));
  slc::YieldOp::create(builder, loc, rowLoop.getResults());
  builder.setInsertionPointToStart(rowLoop.getBody());
  replaceReads(rowLoop.getInductionVar());

  Block *body = rowLoop.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  SmallVector<Value> results(callback.getYield().getOperands());
  callback.getYield()->erase();
  body->getOperations().splice(body->end(),
                               callback.getBody()->getOperations());
  SmallVector<Value> yielded;
  for (Value value : loop.getYield()->getOperands()) {
    auto result = dyn_cast<OpResult>(value);
    bool own = result && result.getOwner() == callback;
    yielded.push_back(own ? results[result.getResultNumber()] : value);
  }
  builder.setInsertionPointToEnd(body);
  scf::YieldOp::create(builder, loc, yielded);
  for (auto [before, after] :
       llvm::zip_equal(loop.getRegionIterArgs(), rowLoop.getRegionIterArgs()))
    before.replaceAllUsesWith(after);
  moveLoopInvariantCode(cast<LoopLikeOpInterface>(rowLoop.getOperation()));
  return end;
}

/// Callbacks that follow `end` at the same event need no token of their own,
/// if what they read is known before `loop` begins, as the row's operands are.
static void mergeWithFollowing(CallbackOp end, LoopOpInterface loop) {
  SmallVector<CallbackOp> callbacks{end};
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode()) {
    auto next = dyn_cast<CallbackOp>(op);
    if (!next || next.getMask() != end.getMask())
      break;
    bool readsLater =
        next.walk([&](StrToValOp toVal) {
              Operation *definition = toVal.getStream().getDefiningOp();
              bool late = definition &&
                          definition->getBlock() == loop->getBlock() &&
                          !definition->isBeforeInBlock(loop);
              return late ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted();
    if (readsLater)
      break;
    callbacks.push_back(next);
  }
  mergeCallbacks(callbacks);
}

/// Whatever follows the loop at once, and has no mask, needs a token where the
/// row is left out: it then is the row's token.
bool RowBufferizer::sharesToken() {
  auto next = dyn_cast_if_present<CallbackOp>(loop->getNextNode());
  return next && !next.getMask();
}

/// The row's callback is left out where there is no row: its operands need not
/// say that the row is empty.
void RowBufferizer::chooseMask() {
  slc::LoopPredicate predicate = slc::getPredicate(loop);
  bool isStream =
      predicate.condition && isa<StreamType>(predicate.condition.getType());
  if (!isStream || sharesToken())
    return;
  mask = predicate.whereTrue
             ? predicate.condition
             : slc::createNegation(builder, predicate.condition);
}

void RowBufferizer::run() {
  chooseMask();
  declareBuffers();
  CallbackOp end = createEndCallback();
  loop->replaceAllUsesWith(end->getResults());
  // What the loop carried, the row's loop carries now.
  loop.getYield()->setOperands(loop.getIterArgs());
  callback.erase();
  mergeWithFollowing(end, dropIterArgs(loop));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Moves streams that do not change with `loop` before it: the callback behind
/// the loop could not read them otherwise. Loads stay, for the loop may be
/// empty and the address out of range; so do divisions.
static void hoistUniformStreams(LoopOpInterface loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto alu = dyn_cast<slc::AluStrOp>(op);
    bool moves = isa<slc::StreamOpInterface>(op) && !isa<VecAluStrOp>(op) &&
                 !(alu && slc::isDivision(alu.getOpcode()));
    bool uniform = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand.getParentBlock() != loop.getBody();
    });
    if (moves && uniform)
      op.moveBefore(loop);
  }
}

/// True if `lanes`, in `callback`, are those that its mask leaves on.
static bool areLanesOfMask(Value lanes, CallbackOp callback) {
  auto narrow = lanes.getDefiningOp<arith::TruncIOp>();
  auto read = (narrow ? narrow.getIn() : lanes).getDefiningOp<StrToValOp>();
  if (!read || read.getLane())
    return false;
  auto cast = read.getStream().getDefiningOp<slc::CastStrOp>();
  Value stream = cast && narrow ? cast.getInput() : read.getStream();
  return stream == callback.getMask();
}

/// True if the code of a callback whose mask has lanes, as that of a vectorised
/// one, changes nothing where none is on: it stores those lanes only, and
/// reduces neutral elements instead of the others.
static bool doesNothingWithoutLanes(CallbackOp callback) {
  if (!callback.getMask() || !slc::lanesOf(callback.getMask().getType()))
    return false;
  for (Operation &op : callback.getBody()->without_terminator()) {
    Value lanes;
    if (auto store = dyn_cast<vector::ScatterOp>(op))
      lanes = store.getMask();
    else if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
      lanes = store.getMask();
    if (lanes ? !areLanesOfMask(lanes, callback) : !onlyReads(&op))
      return false;
  }
  return llvm::all_of(callback.getYield().getOperands(), [&](Value value) {
    auto reduction = value.getDefiningOp<vector::ReductionOp>();
    auto chosen = reduction
                      ? reduction.getVector().getDefiningOp<arith::SelectOp>()
                      : arith::SelectOp();
    return chosen && areLanesOfMask(chosen.getCondition(), callback);
  });
}

namespace {
struct BufferCompoundTypes
    : public slcv::impl::BufferCompoundTypesBase<BufferCompoundTypes> {
  using BufferCompoundTypesBase::BufferCompoundTypesBase;

  LogicalResult bufferize(LoopOpInterface loop);
  void runOnOperation() override;
};
} // namespace

LogicalResult BufferCompoundTypes::bufferize(LoopOpInterface loop) {
  auto refuse = [&](StringRef reason) {
    return emitRemark(loop.getLoc()) << "row not bufferised: " << reason;
  };
  if (!isa<LoopOpInterface>(loop->getParentOp()))
    return refuse("the loop is outermost, and no loop around it hands rows "
                  "over");
  if (slc::getSegmentCount(loop))
    return refuse("its iterations are segments, whose number nobody knows "
                  "before they end");
  auto vectorLoop = dyn_cast<VecForOp>(loop.getOperation());
  if (vectorLoop && (!sharesRange(vectorLoop) || vectorLoop.getInMask()))
    return refuse("the lanes do not share one range");
  if (!loop.getBody()->getOps<StrToValOp>().empty())
    return refuse("it reads streams outside of callbacks; move-to-val-ops "
                  "comes first");
  // Compute code will count the elements, not step over them as the loop does.
  if (!Traversal::of(loop).getSmallStride())
    return refuse("its step is not a small constant");
  hoistUniformStreams(loop);
  CallbackOp callback = mergeCallbacks(loop);
  if (doesNothingWithoutLanes(callback)) {
    callback.getMaskMutable().clear();
    callback.getOtherwiseMutable().clear();
  }
  slc::dropMask(callback);
  RowBufferizer bufferizer(loop, callback);
  if (CallbackReads(loop, callback).buffered.empty())
    return refuse("its callbacks read no stream that it loads");
  if (!bufferizer.isProfitable())
    return refuse("its few elements need no more queue entries than the row "
                  "as a whole");
  bufferizer.run();
  return success();
}

void BufferCompoundTypes::runOnOperation() {
  SmallVector<LoopOpInterface> loops;
  getOperation()->walk([&](LoopOpInterface loop) {
    if (!slc::getNestedLoop(loop) &&
        !loop.getBody()->getOps<CallbackOp>().empty())
      loops.push_back(loop);
  });
  for (LoopOpInterface loop : loops)
    if (succeeded(bufferize(loop)))
      ++bufferized;
}
