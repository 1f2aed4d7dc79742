//===- SLCToSCF.cpp - Recoupling: slc and slcv to scf ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToSCF/Passes.h"
#include "ember/Conversion/SLCToSCF/StreamEmitter.h"
#include "ember/Conversion/StreamCode/CallbackReads.h"
#include "ember/Conversion/StreamCode/SegmentCode.h"
#include "ember/Conversion/StreamCode/StreamCode.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSLCTOSCF
#include "ember/Conversion/SLCToSCF/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;
using ember::slcv::BufStrOp;
using ember::slcv::PushOp;

namespace {
/// Rewrites one nest, from the outermost loop inwards, into scf.
class Recoupling {
public:
  Recoupling(OpBuilder &builder, RuntimeCalls *calls)
      : builder(builder), streams(builder, calls) {}

  void run(LoopOpInterface root);

private:
  /// What a loop hands on from one iteration to the next.
  struct Carried {
    SmallVector<Value> arguments, initial;
  };
  Carried collectCarried(LoopOpInterface loop, IRMapping &values);
  SmallVector<Value> emitNext(LoopOpInterface loop, IRMapping &values);
  void emitLoop(LoopOpInterface loop, IRMapping &values);
  void emitTraversal(LoopOpInterface loop, IRMapping &values);
  void emitLoopOverSegments(LoopOpInterface loop, slc::SegmentCountOp count,
                            IRMapping &values);
  void emitBody(LoopOpInterface loop, IRMapping &values);
  void emitMaskedCallback(CallbackOp callback, IRMapping &values);
  void emitCallback(CallbackOp callback, IRMapping &values);
  void replaceBufferLoads(StrToValOp toVal, Value placeholder,
                          IRMapping &values);
  void declareBuffer(BufStrOp buffer, LoopOpInterface loop, IRMapping &values);

  OpBuilder &builder;
  StreamEmitter streams;
  /// Buffers that need memory, because compute code does more with them than
  /// load single elements.
  SmallVector<Value> stored;
};

/// The push that fills `buffer`; null if there is none, or more than one.
PushOp getOnlyPush(Value buffer) {
  PushOp only;
  for (Operation *user : buffer.getUsers()) {
    auto push = dyn_cast<PushOp>(user);
    if (push && only)
      return nullptr;
    if (push)
      only = push;
  }
  return only;
}

/// True if compute code only loads single elements of `buffer`, or asks for its
/// length: then each element can be read again from where its stream read it.
bool isOnlyLoaded(Value buffer) {
  PushOp push = getOnlyPush(buffer);
  if (!push)
    return false;
  // A running sum has its elements in order only.
  auto loop = cast<LoopOpInterface>(push->getParentOp());
  if (!loop.getBody()->getOps<slc::AccStrOp>().empty())
    return false;
  for (Operation *user : buffer.getUsers()) {
    auto toVal = dyn_cast<StrToValOp>(user);
    if (toVal && !llvm::all_of(toVal->getUsers(),
                               llvm::IsaPred<memref::LoadOp, memref::DimOp>))
      return false;
  }
  return true;
}
} // namespace

/// Replaces each load of element k by the stream's value in iteration k.
void Recoupling::replaceBufferLoads(StrToValOp toVal, Value placeholder,
                                    IRMapping &values) {
  PushOp push = getOnlyPush(toVal.getStream());
  auto loop = cast<LoopOpInterface>(push->getParentOp());
  Traversal traversal = streams.describe(loop, values);
  TraversalRange range = emitRange(builder, toVal.getLoc(), traversal);
  for (Operation *user : llvm::make_early_inc_range(placeholder.getUsers())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(user);
    auto load = dyn_cast<memref::LoadOp>(user);
    if (!load) {
      user->replaceAllUsesWith(
          ValueRange{emitTrips(builder, user->getLoc(), traversal)});
      user->erase();
      continue;
    }
    IRMapping iteration = values;
    Value position =
        range.emitPosition(builder, load.getLoc(), load.getIndices().front());
    streams.mapControl(loop, traversal, range, position, /*needsCount=*/false,
                       iteration);
    load.replaceAllUsesWith(streams.materialize(push.getStream(), iteration));
    load.erase();
  }
}

/// A branch around a callback with a mask.
void Recoupling::emitMaskedCallback(CallbackOp callback, IRMapping &values) {
  Location loc = callback.getLoc();
  Value mask = streams.materialize(callback.getMask(), values);
  auto branch = scf::IfOp::create(builder, loc, callback->getResultTypes(),
                                  emitAnyLane(builder, loc, mask),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto yield = [&](IRMapping &mapping, ValueRange results) {
    if (results.empty())
      return;
    scf::YieldOp::create(builder, loc,
                         llvm::map_to_vector(results, [&](Value value) {
                           return mapping.lookupOrDefault(value);
                         }));
  };
  builder.setInsertionPointToStart(branch.thenBlock());
  IRMapping inside = values;
  emitCallback(callback, inside);
  yield(inside, callback.getResults());
  builder.setInsertionPointToStart(branch.elseBlock());
  yield(values, callback.getOtherwise());
  values.map(callback.getResults(), branch.getResults());
}

void Recoupling::emitCallback(CallbackOp callback, IRMapping &values) {
  // What the callback maps is its own: the same stream may have another value
  // in the next one.
  IRMapping inside = values;
  SmallVector<std::pair<StrToValOp, Operation *>> buffers;
  for (Operation &op : callback.getBody()->without_terminator()) {
    auto toVal = dyn_cast<StrToValOp>(op);
    if (!toVal) {
      builder.clone(op, inside);
      continue;
    }
    Value stream = toVal.getStream();
    if (isa<slc::BufferType>(stream.getType())) {
      if (Value memory = inside.lookupOrNull(stream)) {
        inside.map(toVal.getValue(), memory);
        continue;
      }
      // Loads of the placeholder are replaced once all are known.
      Operation *placeholder = memref::AllocaOp::create(
          builder, op.getLoc(),
          MemRefType::get(
              {0}, cast<slc::BufferType>(stream.getType()).getElementType()));
      auto cast = memref::CastOp::create(builder, op.getLoc(),
                                         toVal.getValue().getType(),
                                         placeholder->getResult(0));
      inside.map(toVal.getValue(), cast.getResult());
      buffers.emplace_back(toVal, cast);
      continue;
    }
    Value element = streams.materialize(stream, inside);
    if (std::optional<int64_t> lane = toVal.getLane())
      element = vector::ExtractOp::create(builder, op.getLoc(), element, *lane);
    inside.map(toVal.getValue(), element);
  }
  for (auto [result, yielded] : llvm::zip_equal(
           callback.getResults(), callback.getYield().getOperands()))
    values.map(result, inside.lookupOrDefault(yielded));
  for (auto [toVal, cast] : buffers) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(cast);
    replaceBufferLoads(toVal, cast->getResult(0), values);
    Operation *memory = cast->getOperand(0).getDefiningOp();
    cast->erase();
    memory->erase();
  }
}

/// Gives a buffer memory for as many elements as `loop` pushes.
void Recoupling::declareBuffer(BufStrOp buffer, LoopOpInterface loop,
                               IRMapping &values) {
  Location loc = buffer.getLoc();
  Value size = emitTrips(builder, loc, streams.describe(loop, values));
  int64_t pushes =
      llvm::count_if(buffer.getResult().getUsers(), llvm::IsaPred<PushOp>);
  size = arith::MulIOp::create(
      builder, loc, size, arith::ConstantIndexOp::create(builder, loc, pushes));
  Type element = buffer.getResult().getType().getElementType();
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  values.map(buffer.getResult(),
             memref::AllocOp::create(builder, loc, type, ValueRange{size})
                 .getResult());
  stored.push_back(buffer.getResult());
}

void Recoupling::emitBody(LoopOpInterface loop, IRMapping &values) {
  SmallVector<Value> toFree;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<LoopOpInterface>(op)) {
      emitLoop(nested, values);
    } else if (auto callback = dyn_cast<CallbackOp>(op)) {
      if (callback.getMask())
        emitMaskedCallback(callback, values);
      else
        emitCallback(callback, values);
    } else if (auto buffer = dyn_cast<BufStrOp>(op)) {
      LoopOpInterface nested = slc::getNestedLoop(loop);
      if (isOnlyLoaded(buffer.getResult()) || !nested)
        continue;
      declareBuffer(buffer, nested, values);
      toFree.push_back(values.lookup(buffer.getResult()));
    } else if (auto push = dyn_cast<PushOp>(op)) {
      Value memory = values.lookupOrNull(push.getBuffer());
      if (!memory)
        continue;
      // The k-th iteration's pushes follow those of the iterations before.
      int64_t pushes = 0, rank = 0;
      for (Operation &other : *loop.getBody())
        if (auto another = dyn_cast<PushOp>(other);
            another && another.getBuffer() == push.getBuffer()) {
          rank = another == push ? pushes : rank;
          ++pushes;
        }
      Location loc = op.getLoc();
      Value count = values.lookup(loop.getIterationCount());
      Value base = arith::MulIOp::create(
          builder, loc, count,
          arith::ConstantIndexOp::create(builder, loc, pushes));
      Value at = arith::AddIOp::create(
          builder, loc, base,
          arith::ConstantIndexOp::create(builder, loc, rank));
      memref::StoreOp::create(builder, loc,
                              streams.materialize(push.getStream(), values),
                              memory, ValueRange{at});
    } else if (auto toVal = dyn_cast<StrToValOp>(op)) {
      Value element = streams.materialize(toVal.getStream(), values);
      if (std::optional<int64_t> lane = toVal.getLane())
        element =
            vector::ExtractOp::create(builder, op.getLoc(), element, *lane);
      values.map(toVal.getValue(), element);
    } else if (auto access = dyn_cast<slc::MemoryStreamOpInterface>(op);
               access && access.isStore()) {
      streams.emitStore(access, values);
    } else if (op.getNumResults() == 1 &&
               !isa<slc::AccStrOp, slc::SegmentCountOp>(op) &&
               isa<slc::StreamType>(op.getResult(0).getType())) {
      streams.emitStream(&op, values);
    }
  }
  for (Value memory : toFree)
    memref::DeallocOp::create(builder, loop.getLoc(), memory);
}

Recoupling::Carried Recoupling::collectCarried(LoopOpInterface loop,
                                               IRMapping &values) {
  Carried carried;
  llvm::append_range(carried.arguments, loop.getRegionIterArgs());
  for (Value init : loop.getIterArgs())
    carried.initial.push_back(values.lookupOrDefault(init));
  for (auto sum : loop.getBody()->getOps<slc::AccStrOp>()) {
    carried.arguments.push_back(sum.getResult());
    carried.initial.push_back(streams.materialize(sum.getInitial(), values));
  }
  return carried;
}

SmallVector<Value> Recoupling::emitNext(LoopOpInterface loop,
                                        IRMapping &values) {
  SmallVector<Value> next;
  for (Value value : loop.getYield()->getOperands())
    next.push_back(values.lookupOrDefault(value));
  for (auto sum : loop.getBody()->getOps<slc::AccStrOp>())
    next.push_back(arith::AddIOp::create(
        builder, sum.getLoc(), values.lookup(sum.getResult()),
        streams.materialize(sum.getInput(), values)));
  return next;
}

/// Goes from segment to segment, without counting them first.
void Recoupling::emitLoopOverSegments(LoopOpInterface loop,
                                      slc::SegmentCountOp count,
                                      IRMapping &values) {
  Location loc = loop.getLoc();
  SegmentRange range{count.getCoordinates(),
                     streams.materialize(count.getLower(), values),
                     streams.materialize(count.getUpper(), values)};
  auto [arguments, initial] = collectCarried(loop, values);
  // The number of the segment.
  initial.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  auto visit = [&](Value begin, Value end, ValueRange carried) {
    IRMapping inside = values;
    inside.map(ValueRange(arguments), carried.drop_back());
    inside.map(loop.getInductionVar(), carried.back());
    inside.map(loop.getIterationCount(), carried.back());
    for (auto segments : loop.getBody()->getOps<slc::SegmentStrOp>()) {
      inside.map(segments.getBegin(), begin);
      inside.map(segments.getEnd(), end);
    }
    emitBody(loop, inside);
    SmallVector<Value> next = emitNext(loop, inside);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    next.push_back(arith::AddIOp::create(builder, loc, carried.back(), one));
    return next;
  };
  SmallVector<Value> results =
      emitSegmentLoop(builder, loc, range, initial, visit,
                      streams.countCoordinates(range.coordinates));
  for (auto [before, after] : llvm::zip(loop->getResults(), results))
    values.map(before, after);
}

/// A processor branches around a loop that has nothing to traverse, and knows
/// the range of one that has.
void Recoupling::emitLoop(LoopOpInterface loop, IRMapping &values) {
  if (slc::SegmentCountOp count = slc::getSegmentCount(loop))
    return emitLoopOverSegments(loop, count, values);
  slc::LoopPredicate predicate = slc::getPredicate(loop);
  if (!predicate.condition)
    return emitTraversal(loop, values);
  Location loc = loop.getLoc();
  bool isThen = predicate.whereTrue;
  Value condition = streams.materialize(predicate.condition, values);
  auto branch = scf::IfOp::create(builder, loc, loop->getResultTypes(),
                                  condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto yield = [&](Block *block, ValueRange results) {
    builder.setInsertionPointToEnd(block);
    if (!results.empty())
      scf::YieldOp::create(builder, loc, results);
  };
  auto mapped = [&](ValueRange results, IRMapping &mapping) {
    return llvm::map_to_vector(
        results, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  Block *traversed = isThen ? branch.thenBlock() : branch.elseBlock();
  Block *skipped = isThen ? branch.elseBlock() : branch.thenBlock();
  builder.setInsertionPointToStart(traversed);
  IRMapping inside = values;
  inside.map(loop.getUpperBound(), streams.materialize(predicate.end, values));
  emitTraversal(loop, inside);
  yield(traversed, mapped(loop->getResults(), inside));
  yield(skipped, mapped(loop.getIterArgs(), values));
  for (auto [before, after] :
       llvm::zip(loop->getResults(), branch.getResults()))
    values.map(before, after);
}

void Recoupling::emitTraversal(LoopOpInterface loop, IRMapping &values) {
  Location loc = loop.getLoc();
  Traversal traversal = streams.describe(loop, values);
  TraversalRange range = emitRange(builder, loc, traversal);
  auto [arguments, inits] = collectCarried(loop, values);
  auto scfLoop = scf::ForOp::create(builder, loc, range.lower, range.upper,
                                    range.step, inits);
  if (loop->hasAttr(independentAttr))
    scfLoop->setAttr(independentAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(scfLoop.getBody());
  IRMapping inside = values;
  inside.map(ValueRange(arguments), scfLoop.getRegionIterArgs());
  bool storesBuffer = llvm::any_of(stored, [&](Value buffer) {
    return buffer.getParentBlock() == loop->getBlock();
  });
  streams.mapControl(loop, traversal, range, scfLoop.getInductionVar(),
                     storesBuffer, inside);
  emitBody(loop, inside);
  SmallVector<Value> yielded = emitNext(loop, inside);
  if (!inits.empty())
    scf::YieldOp::create(builder, loc, yielded);
  for (auto [before, after] :
       llvm::zip(loop->getResults(), scfLoop.getResults()))
    values.map(before, after);
}

void Recoupling::run(LoopOpInterface root) {
  builder.setInsertionPoint(root);
  IRMapping values;
  emitLoop(root, values);
  for (Value result : root->getResults())
    result.replaceAllUsesWith(values.lookup(result));
  root->erase();
}

namespace {
struct ConvertSLCToSCF
    : public ember::impl::ConvertSLCToSCFBase<ConvertSLCToSCF> {
  using ConvertSLCToSCFBase::ConvertSLCToSCFBase;

  void runOnOperation() override {
    if (failed(slcv::refuseScalarViews(getOperation())))
      return signalPassFailure();
    std::optional<RuntimeCalls> calls;
    if (instrument)
      calls.emplace(getOperation());
    readBeforeBranches(getOperation());
    OpBuilder builder(&getContext());
    for (LoopOpInterface root : slc::getNestRoots(getOperation()))
      Recoupling(builder, calls ? &*calls : nullptr).run(root);
    lowerSegmentCounts(getOperation());
  }
};
} // namespace
