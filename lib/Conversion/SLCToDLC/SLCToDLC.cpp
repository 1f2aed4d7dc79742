//===- SLCToDLC.cpp - Separation of access and compute: slc to dlc --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToDLC/ComputeRegisters.h"
#include "ember/Conversion/SLCToDLC/Marshaling.h"
#include "ember/Conversion/SLCToDLC/Passes.h"
#include "ember/Conversion/StreamCode/CallbackReads.h"
#include "ember/Conversion/StreamCode/SegmentCode.h"
#include "ember/Conversion/StreamCode/StreamCode.h"
#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSLCTODLC
#include "ember/Conversion/SLCToDLC/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::Event;
using ember::slc::LoopOpInterface;
using ember::slcv::PushOp;
using ember::slcv::VecForOp;

namespace {
/// Cuts one nest in two.
class Separation {
public:
  Separation(LoopOpInterface root, OpBuilder &builder)
      : root(root), builder(builder), registers(root),
        marshaling(root, registers) {}

  LogicalResult run();

private:
  LogicalResult separateLoop(LoopOpInterface loop, Value parent);
  LogicalResult separateBody(LoopOpInterface loop, Value tu);
  void configureLoop(LoopOpInterface loop, Value parent);
  void configureLoopOverSegments(LoopOpInterface loop,
                                 slc::SegmentCountOp count, Value parent);
  StreamAccess describeAccess(slc::MemoryStreamOpInterface op);
  void configureStore(slc::MemoryStreamOpInterface store, Value tu);
  Value createStream(Operation *op, Value tu);
  LogicalResult addCase(ArrayRef<CallbackOp> callbacks, TraversalPoint point,
                        LoopOpInterface filled, ArrayRef<RegisterCopy> copies) {
    return marshaling.addCase(builder, callbacks, point, filled, copies,
                              streams);
  }

  LoopOpInterface root;
  OpBuilder &builder;
  ComputeRegisters registers;
  /// From slc streams to dlc streams.
  IRMapping streams;
  DenseMap<Operation *, Value> tus;
  Marshaling marshaling;
};
} // namespace

//===----------------------------------------------------------------------===//
// Access program
//===----------------------------------------------------------------------===//

/// The unit visits where segments begin, and counts them on its way.
void Separation::configureLoopOverSegments(LoopOpInterface loop,
                                           slc::SegmentCountOp count,
                                           Value parent) {
  Location loc = loop.getLoc();
  Value tu = dlc::NewTUOp::create(
      builder, loc, dlc::TUType::get(builder.getContext()),
      streams.lookupOrDefault(count.getLower()),
      streams.lookupOrDefault(count.getUpper()), loop.getStep(), parent,
      /*inMask=*/Value(), count.getCoordinates(), IntegerAttr(),
      slcv::LoopConfigAttr::get(builder.getContext(),
                                slcv::LoopConfig::vector));
  tus[loop] = tu;
  auto read = [&]<typename Op>(Value stream) {
    if (!stream.use_empty())
      streams.map(stream,
                  Op::create(builder, loc, stream.getType(), tu).getResult());
  };
  read.operator()<dlc::GetIterCountOp>(loop.getInductionVar());
  read.operator()<dlc::GetIterCountOp>(loop.getIterationCount());
  for (auto segments : loop.getBody()->getOps<slc::SegmentStrOp>()) {
    read.operator()<dlc::GetIndVarOp>(segments.getBegin());
    read.operator()<dlc::GetSegmentEndOp>(segments.getEnd());
  }
}

void Separation::configureLoop(LoopOpInterface loop, Value parent) {
  if (slc::SegmentCountOp count = slc::getSegmentCount(loop)) {
    configureLoopOverSegments(loop, count, parent);
    return;
  }
  Location loc = loop.getLoc();
  Value lower = streams.lookupOrDefault(loop.getLowerBound());
  Value upper = streams.lookupOrDefault(loop.getUpperBound());
  Value mask;
  IntegerAttr lanes;
  auto config = slcv::LoopConfig::vector;
  auto vectorLoop = dyn_cast<VecForOp>(loop.getOperation());
  if (vectorLoop) {
    if (vectorLoop.getInMask())
      mask = streams.lookupOrDefault(vectorLoop.getInMask());
    lanes = vectorLoop.getVectorLengthAttr();
    config = vectorLoop.getConfig();
  }
  Value tu = dlc::NewTUOp::create(
      builder, loc, dlc::TUType::get(builder.getContext()), lower, upper,
      loop.getStep(), parent, mask, /*coordinates=*/Value(), lanes,
      slcv::LoopConfigAttr::get(builder.getContext(), config));
  tus[loop] = tu;
  auto read = [&]<typename Op>(BlockArgument argument) {
    if (!argument.use_empty())
      streams.map(argument,
                  Op::create(builder, loc, argument.getType(), tu).getResult());
  };
  read.operator()<dlc::GetIndVarOp>(loop.getInductionVar());
  read.operator()<dlc::GetIterCountOp>(loop.getIterationCount());
  if (vectorLoop)
    read.operator()<dlc::GetMaskOp>(vectorLoop.getMask());
}

StreamAccess Separation::describeAccess(slc::MemoryStreamOpInterface op) {
  return StreamAccess::of(
      op, [&](Value operand) { return streams.lookupOrDefault(operand); });
}

void Separation::configureStore(slc::MemoryStreamOpInterface store, Value tu) {
  StreamAccess access = describeAccess(store);
  dlc::StoreStrOp::create(
      builder, store.getLoc(), tu, streams.lookupOrDefault(store.getStream()),
      access.memref, access.indices, access.mask, access.contiguous,
      access.cacheLevel, access.nontemporal);
}

/// The operation of dlc that computes what `op` does, with the same properties.
template <typename Twin>
static Value createTwin(OpBuilder &builder, Operation *op,
                        ValueRange operands) {
  SmallVector<NamedAttribute> properties;
  if (Attribute known = op->getPropertiesAsAttribute())
    llvm::append_range(properties, cast<DictionaryAttr>(known));
  return Twin::create(builder, op->getLoc(), op->getResultTypes(), operands,
                      properties);
}

Value Separation::createStream(Operation *op, Value tu) {
  if (auto load = dyn_cast<slc::MemoryStreamOpInterface>(op)) {
    StreamAccess access = describeAccess(load);
    return dlc::MemStrOp::create(
        builder, op->getLoc(), load.getStream().getType(), tu, access.memref,
        access.indices, access.mask, access.otherwise, access.contiguous,
        access.repeat, access.cacheLevel, access.nontemporal);
  }
  SmallVector<Value> operands{tu};
  for (Value operand : op->getOperands())
    operands.push_back(streams.lookupOrDefault(operand));
  if (isa<slc::AluStrOp, slcv::VecAluStrOp>(op))
    return createTwin<dlc::AluStrOp>(builder, op, operands);
  if (isa<slc::CmpStrOp>(op))
    return createTwin<dlc::CmpStrOp>(builder, op, operands);
  if (isa<slc::SelStrOp>(op))
    return createTwin<dlc::SelStrOp>(builder, op, operands);
  if (isa<slc::CastStrOp>(op))
    return createTwin<dlc::CastStrOp>(builder, op, operands);
  if (isa<slc::AccStrOp>(op))
    return createTwin<dlc::AccStrOp>(builder, op, operands);
  return createTwin<dlc::FwdStrOp>(builder, op, operands);
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

/// Splits the callbacks of a body into those before and after the nested loop,
/// and gives each one a case. Copies of loop-carried values ride on a callback
/// that is there anyway where possible.
LogicalResult Separation::separateBody(LoopOpInterface loop, Value tu) {
  LoopOpInterface nested = slc::getNestedLoop(loop);
  SmallVector<CallbackOp> before, after;
  for (auto callback : loop.getBody()->getOps<CallbackOp>())
    (!nested || callback->isBeforeInBlock(nested) ? before : after)
        .push_back(callback);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto access = dyn_cast<slc::MemoryStreamOpInterface>(op);
        access && access.isStore())
      configureStore(access, tu);
    else if (op.getNumResults() == 1 && !isa<slc::SegmentCountOp>(op) &&
             isa<slc::StreamType>(op.getResult(0).getType()))
      streams.map(op.getResult(0), createStream(&op, tu));
  }

  ArrayRef<RegisterCopy> backEdge = registers.getBackEdgeCopies(loop);
  ArrayRef<RegisterCopy> entry;
  if (nested)
    entry = registers.getEntryCopies(nested);
  ArrayRef<RegisterCopy> lastBefore = nested ? entry : backEdge;
  TraversalPoint here{tu, Event::ite};
  if (before.empty() && !lastBefore.empty() &&
      failed(addCase({}, here, nullptr, lastBefore)))
    return failure();
  for (CallbackOp callback : before) {
    bool isLast = callback == before.back();
    if (failed(addCase(callback, here, nullptr,
                       isLast ? lastBefore : ArrayRef<RegisterCopy>())))
      return failure();
  }
  if (!nested)
    return success();

  if (failed(separateLoop(nested, tu)))
    return failure();
  TraversalPoint end{tus[nested], Event::end};
  SmallVector<RegisterCopy> copies(registers.getResets(nested));
  // A callback that pops a whole row has to come first behind the row; what
  // stands before it is run in the same case.
  size_t merged = after.empty() ? 0 : 1;
  for (auto [i, callback] : llvm::enumerate(after))
    if (readsBuffer(callback))
      merged = i + 1;
  if (after.size() == merged)
    llvm::append_range(copies, backEdge);
  if ((!after.empty() || !copies.empty()) &&
      failed(addCase(ArrayRef(after).take_front(merged), end, nested, copies)))
    return failure();
  for (CallbackOp callback : ArrayRef(after).drop_front(merged)) {
    bool isLast = callback == after.back();
    if (failed(addCase(callback, end, nullptr,
                       isLast ? backEdge : ArrayRef<RegisterCopy>())))
      return failure();
  }
  return success();
}

LogicalResult Separation::separateLoop(LoopOpInterface loop, Value parent) {
  configureLoop(loop, parent);
  return separateBody(loop, tus[loop]);
}

/// Makes masks go that a case could not have: registers keep their contents
/// where a callback is left out, and copies between them need a token.
static void dropUnfitMasks(LoopOpInterface root) {
  ComputeRegisters registers(root);
  SmallVector<LoopOpInterface> loops;
  root->walk([&](LoopOpInterface loop) { loops.push_back(loop); });
  for (LoopOpInterface loop : loops) {
    LoopOpInterface nested = slc::getNestedLoop(loop);
    CallbackOp last, lastBefore;
    SmallVector<CallbackOp> withRow;
    for (auto callback : loop.getBody()->getOps<CallbackOp>()) {
      bool isBefore = nested && callback->isBeforeInBlock(nested);
      (isBefore ? lastBefore : last) = callback;
      if (nested && !isBefore)
        withRow.push_back(callback);
      for (auto [result, otherwise] :
           llvm::zip(callback.getResults(), callback.getOtherwise()))
        if (registers.getRegister(result) != registers.getRegister(otherwise)) {
          slc::dropMask(callback);
          break;
        }
    }
    if (last && !registers.getBackEdgeCopies(loop).empty())
      slc::dropMask(last);
    if (lastBefore && !registers.getEntryCopies(nested).empty())
      slc::dropMask(lastBefore);
    // What stands before a callback that pops a row runs in its case.
    while (!withRow.empty() && !readsBuffer(withRow.back()))
      withRow.pop_back();
    if (!llvm::all_of(withRow, [&](CallbackOp callback) {
          return callback.getMask() == withRow.front().getMask();
        }))
      for (CallbackOp callback : withRow)
        slc::dropMask(callback);
  }
}

/// Streams become values where a token says so: in callbacks.
static LogicalResult verifyReadsInCallbacks(LoopOpInterface root) {
  WalkResult walk = root->walk([](slc::StrToValOp toVal) {
    if (!isa<LoopOpInterface>(toVal->getParentOp()) || toVal.use_empty())
      return WalkResult::advance();
    toVal.emitOpError("is read outside of a callback, where the execute unit "
                      "runs nothing; 'move-to-val-ops' moves it into the "
                      "callbacks that use it, and a value that a loop carries "
                      "must be the result of one");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// A traversal unit finds segments, but does not count them beforehand.
static LogicalResult verifySegmentCounts(LoopOpInterface root) {
  WalkResult walk = root->walk([](slc::SegmentCountOp count) {
    for (Operation *user : count->getUsers()) {
      auto loop = dyn_cast<LoopOpInterface>(user);
      if (loop && slc::getSegmentCount(loop) == count)
        continue;
      InFlightDiagnostic diagnostic = count.emitOpError(
          "is needed for something else than a loop over the segments, which "
          "no access program counts");
      diagnostic.attachNote(user->getLoc()) << "here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult Separation::run() {
  if (failed(verifyReadsInCallbacks(root)) || failed(verifySegmentCounts(root)))
    return failure();
  builder.setInsertionPoint(root);
  auto program =
      dlc::ProgramOp::create(builder, root.getLoc(), root->getResultTypes());
  builder.setInsertionPointToStart(program.getAccessBody());
  if (failed(separateLoop(root, /*parent=*/Value()))) {
    program->erase();
    return failure();
  }
  builder.setInsertionPointToStart(program.getComputeBody());
  marshaling.finish(builder);
  program.captureUsedAbove();
  root->replaceAllUsesWith(program.getResults());
  root->erase();
  return success();
}

namespace {
struct ConvertSLCToDLC
    : public ember::impl::ConvertSLCToDLCBase<ConvertSLCToDLC> {
  void runOnOperation() override {
    if (failed(slcv::refuseScalarViews(getOperation())))
      return signalPassFailure();
    for (LoopOpInterface root : slc::getNestRoots(getOperation()))
      dropUnfitMasks(root);
    readBeforeBranches(getOperation());
    OpBuilder builder(&getContext());
    for (LoopOpInterface root : slc::getNestRoots(getOperation()))
      if (failed(Separation(root, builder).run()))
        return signalPassFailure();
    lowerSegmentCounts(getOperation());
  }
};
} // namespace
