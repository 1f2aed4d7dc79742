//===- SCFToSLC.cpp - Conversion of decoupled scf nests to slc ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/DecouplingPlan.h"
#include "ember/Conversion/SCFToSLC/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSCFTOSLC
#include "ember/Conversion/SCFToSLC/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::StreamType;

/// The values carried by `loop` that the access unit is to compute: sums, and
/// where segments begin.
static llvm::SmallDenseSet<Value> getRunningSums(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> sums;
  auto positions = loop->getAttrOfType<DenseI64ArrayAttr>("slc.running_sums");
  for (int64_t position :
       positions ? positions.asArrayRef() : ArrayRef<int64_t>())
    if (position >= 0 && position < loop.getNumRegionIterArgs())
      sums.insert(loop.getRegionIterArgs()[position]);
  return sums;
}

namespace {
/// A load under a condition alone, with another value where that does not hold:
/// what `choose-decoupling` makes of loads in branches.
struct MaskedLoad {
  memref::LoadOp load;
  Value mask, otherwise;

  static std::optional<MaskedLoad> match(Operation *op);
};
} // namespace

std::optional<MaskedLoad> MaskedLoad::match(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch.getNumResults() != 1 ||
      !llvm::hasSingleElement(*branch.elseBlock()))
    return std::nullopt;
  auto load = branch.thenYield().getOperand(0).getDefiningOp<memref::LoadOp>();
  if (!load || load->getBlock() != branch.thenBlock() || load->getPrevNode() ||
      load->getNextNode() != branch.thenYield())
    return std::nullopt;
  return MaskedLoad{load, branch.getCondition(),
                    branch.elseYield().getOperand(0)};
}

/// What `op`, of the access unit, computes from.
static SmallVector<Value> getAccessOperands(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  if (std::optional<MaskedLoad> masked = MaskedLoad::match(op)) {
    llvm::append_range(operands, masked->load->getOperands());
    operands.push_back(masked->otherwise);
  }
  return operands;
}

namespace {
/// Checks that a marked nest is what `choose-decoupling` leaves: the mark is an
/// attribute, which anyone can write.
class MarkedNest {
public:
  explicit MarkedNest(scf::ForOp root) : root(root) {}

  LogicalResult verify(scf::ForOp loop);

private:
  bool isFixed(Value value);
  bool isStreamed(Value value);
  LogicalResult verifyRunningSums(scf::ForOp loop);
  LogicalResult verifySegments(scf::ForOp loop, BlockArgument argument,
                               slc::SegmentEndOp search);
  LogicalResult verifyCarried(scf::ForOp loop);
  LogicalResult refuse(Operation *op, const Twine &reason);

  scf::ForOp root;
};
} // namespace

LogicalResult MarkedNest::refuse(Operation *op, const Twine &reason) {
  InFlightDiagnostic diagnostic =
      op->emitOpError("in a loop marked 'slc.decouple' ") << reason;
  diagnostic.attachNote(root.getLoc()) << "the nest";
  return diagnostic;
}

bool MarkedNest::isFixed(Value value) {
  return !root->isAncestor(value.getParentRegion()->getParentOp());
}

/// True if the access unit computes `value`.
bool MarkedNest::isStreamed(Value value) {
  if (isFixed(value))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return argument == loop.getInductionVar() ||
           getRunningSums(loop).contains(argument);
  }
  return !isa<scf::ForOp, CallbackOp>(value.getDefiningOp());
}

/// The range whose segments a loop visits is of the access unit.
LogicalResult MarkedNest::verifySegments(scf::ForOp loop,
                                         BlockArgument argument,
                                         slc::SegmentEndOp search) {
  auto isAccess = [&](Value value) {
    return isFixed(value) || isStreamed(value);
  };
  if (!isFixed(search.getCoordinates()))
    return refuse(loop, "looks for segments in memory that changes");
  if (!isAccess(loop.getTiedLoopInit(argument)->get()) ||
      !isAccess(search.getLimit()))
    return refuse(loop, "looks for segments in a range of the execute unit");
  return success();
}

/// A sum grows by a stream of its own loop that does not depend on a sum, and
/// its total goes nowhere.
LogicalResult MarkedNest::verifyRunningSums(scf::ForOp loop) {
  for (Value sum : getRunningSums(loop)) {
    auto argument = cast<BlockArgument>(sum);
    if (slc::SegmentEndOp search = getSegmentSearch(argument)) {
      if (failed(verifySegments(loop, argument, search)))
        return failure();
      continue;
    }
    Value increment = getIncrement(argument);
    Operation *definition = increment ? increment.getDefiningOp() : nullptr;
    if (!definition || definition->getBlock() != loop.getBody() ||
        !isStreamed(increment) || !sum.getType().isIntOrIndex() ||
        !loop.getTiedLoopResult(argument).use_empty())
      return refuse(loop, "sums up a value that no stream adds to, or whose "
                          "total is used");
    Value initial = loop.getTiedLoopInit(argument)->get();
    if (!isFixed(initial) && !isStreamed(initial))
      return refuse(loop, "starts a sum from a value of the execute unit");
    if (dependsOnCarried(increment, loop))
      return refuse(loop, "sums up a value that depends on what it carries");
  }
  return success();
}

/// What else a loop carries belongs to the execute unit.
LogicalResult MarkedNest::verifyCarried(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> sums = getRunningSums(loop);
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (!sums.contains(argument) &&
        (isStreamed(loop.getTiedLoopInit(argument)->get()) ||
         isStreamed(loop.getTiedLoopYieldedValue(argument)->get())))
      return refuse(loop, "carries a value of the access unit");
  return verifyRunningSums(loop);
}

LogicalResult MarkedNest::verify(scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
    return refuse(loop, "must count by a signed index");
  if (!isFixed(loop.getStep()))
    return refuse(loop, "changes its step");
  auto isAccess = [&](Value value) {
    return isFixed(value) || isStreamed(value);
  };
  if (!isAccess(loop.getLowerBound()) || !isAccess(loop.getUpperBound()))
    return refuse(loop, "has a bound of the execute unit");
  if (failed(verifyCarried(loop)))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<scf::ForOp>(op)) {
      if (failed(verify(nested)))
        return failure();
      continue;
    }
    if (isa<CallbackOp>(op))
      continue;
    std::optional<MaskedLoad> masked = MaskedLoad::match(&op);
    auto load = masked ? masked->load : dyn_cast<memref::LoadOp>(op);
    bool isElement = load && (load.getType().isSignlessIntOrIndex() ||
                              isa<FloatType>(load.getType()));
    auto count = dyn_cast<slc::SegmentCountOp>(op);
    if (!isElement && !count && !isa<slc::SegmentEndOp>(op) &&
        !slc::isStreamArithmetic(&op))
      return refuse(&op, "is nothing the access unit does, and must stand in "
                         "an 'slc.callback'");
    if (!llvm::all_of(getAccessOperands(&op), isAccess) ||
        (load && !isFixed(load.getMemref())) ||
        (count && !isFixed(count.getCoordinates())))
      return refuse(&op, "reads a value of the execute unit");
  }
  return success();
}

namespace {
/// Builds the slc nest for one marked scf nest.
class NestConversion {
public:
  explicit NestConversion(OpBuilder &builder) : builder(builder) {}

  void run(scf::ForOp root) {
    builder.setInsertionPoint(root);
    convertLoop(root);
    for (Value result : root.getResults())
      if (Value converted = values.lookupOrNull(result))
        result.replaceAllUsesWith(converted);
    root.erase();
  }

private:
  slc::ForOp convertLoop(scf::ForOp loop);
  void convertCallback(CallbackOp callback);
  void convertStream(Operation *op);
  void convertSlice(Value value, scf::ForOp loop);
  void convertRunningSums(scf::ForOp loop,
                          const llvm::SmallDenseSet<Value> &sums);

  /// The stream that carries `value`, or `value` where it is fixed.
  Value stream(Value value) { return streams.lookupOrDefault(value); }
  bool isStreamed(Value value) { return streams.contains(value); }
  Value forward(Value value, Location loc);

  OpBuilder &builder;
  /// From values of the scf nest to streams, and to values of callbacks.
  IRMapping streams, values;
  /// Streams that repeat what is fixed, in the body of a loop.
  DenseMap<std::pair<Block *, Value>, Value> repeated;
};
} // namespace

/// `value`, a stream or fixed, as a stream.
Value NestConversion::forward(Value value, Location loc) {
  if (isa<StreamType>(value.getType()))
    return value;
  Value &stream = repeated[{builder.getBlock(), value}];
  if (!stream)
    stream = slc::FwdStrOp::create(builder, loc,
                                   StreamType::get(value.getType()), value);
  return stream;
}

void NestConversion::convertStream(Operation *op) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  std::optional<MaskedLoad> masked = MaskedLoad::match(op);
  if (auto load = masked ? masked->load : dyn_cast<memref::LoadOp>(op)) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(stream(index));
    Value mask, otherwise;
    if (masked) {
      mask = forward(stream(masked->mask), loc);
      // Zero is what a load without another value has.
      if (!matchPattern(masked->otherwise, m_Zero()) &&
          !matchPattern(masked->otherwise, m_PosZeroFloat()))
        otherwise = stream(masked->otherwise);
    }
    streams.map(result, slc::MemStrOp::create(builder, loc, load.getMemref(),
                                              indices, mask, otherwise)
                            .getResult());
    return;
  }
  if (auto count = dyn_cast<slc::SegmentCountOp>(op)) {
    streams.map(result, slc::SegmentCountOp::create(
                            builder, loc, StreamType::get(result.getType()),
                            count.getCoordinates(), stream(count.getLower()),
                            stream(count.getUpper()))
                            .getResult());
    return;
  }
  bool anyStream = llvm::any_of(op->getOperands(),
                                [&](Value value) { return isStreamed(value); });
  if (!anyStream && isPure(op)) {
    // Fixed during the nest, though computed in it: stays a value.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(
        slc::getNestRoot(builder.getBlock()->getParentOp()));
    streams.map(result, builder.clone(*op, streams)->getResult(0));
    values.map(result, streams.lookup(result));
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(stream(operand));
  streams.map(result, slc::createStreamArithmetic(builder, op, operands));
}

/// Clones a callback, materialising in front of it the streams it reads.
void NestConversion::convertCallback(CallbackOp callback) {
  IRMapping inside = values;
  callback.getRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isStreamed(operand) || inside.contains(operand))
        continue;
      Value source = stream(operand);
      inside.map(operand,
                 slc::StrToValOp::create(builder, operand.getLoc(), source)
                     .getValue());
    }
  });
  auto copy = cast<CallbackOp>(builder.clone(*callback, inside));
  values.map(callback.getResults(), copy.getResults());
}

/// Converts what `value` is computed from in the body of `loop`, once.
void NestConversion::convertSlice(Value value, scf::ForOp loop) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || isStreamed(value))
    return;
  for (Value operand : getAccessOperands(op))
    convertSlice(operand, loop);
  convertStream(op);
}

/// Sums come first in a body, with what they add up: any stream may read them.
void NestConversion::convertRunningSums(
    scf::ForOp loop, const llvm::SmallDenseSet<Value> &sums) {
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (!sums.contains(argument))
      continue;
    if (slc::SegmentEndOp search = getSegmentSearch(argument)) {
      auto segments = slc::SegmentStrOp::create(
          builder, search.getLoc(), search.getCoordinates(),
          stream(loop.getTiedLoopInit(argument)->get()),
          stream(search.getLimit()));
      streams.map(argument, segments.getBegin());
      streams.map(search.getResult(), segments.getEnd());
      continue;
    }
    Value increment = getIncrement(argument);
    convertSlice(increment, loop);
    Value input = forward(stream(increment), loop.getLoc());
    streams.map(argument, slc::AccStrOp::create(
                              builder, increment.getLoc(), input,
                              stream(loop.getTiedLoopInit(argument)->get()))
                              .getResult());
  }
}

slc::ForOp NestConversion::convertLoop(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> sums = getRunningSums(loop);
  SmallVector<Value> inits, carried, results, yields;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (sums.contains(argument))
      continue;
    inits.push_back(
        values.lookupOrDefault(loop.getTiedLoopInit(argument)->get()));
    carried.push_back(argument);
    results.push_back(loop.getTiedLoopResult(argument));
    yields.push_back(loop.getTiedLoopYieldedValue(argument)->get());
  }
  auto result = slc::ForOp::create(
      builder, loop.getLoc(), stream(loop.getLowerBound()),
      stream(loop.getUpperBound()), stream(loop.getStep()), inits);
  if (loop->hasAttr(independentAttr))
    result->setAttr(independentAttr, builder.getUnitAttr());
  streams.map(loop.getInductionVar(), result.getInductionVar());
  values.map(carried, result.getRegionIterArgs());
  values.map(results, result.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(result.getBody());
  convertRunningSums(loop, sums);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<scf::ForOp>(op))
      convertLoop(nested);
    else if (auto callback = dyn_cast<CallbackOp>(op))
      convertCallback(callback);
    else if (!isStreamed(op.getResult(0)))
      convertStream(&op);
  }
  if (inits.empty())
    return result;
  SmallVector<Value> yielded;
  for (Value value : yields)
    yielded.push_back(values.lookupOrDefault(value));
  slc::YieldOp::create(builder, loop.getLoc(), yielded);
  return result;
}

namespace {
struct ConvertSCFToSLC
    : public ember::impl::ConvertSCFToSLCBase<ConvertSCFToSLC> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> roots;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop || !loop->hasAttr("slc.decouple"))
        return WalkResult::advance();
      roots.push_back(loop);
      return WalkResult::skip();
    });
    OpBuilder builder(&getContext());
    for (scf::ForOp root : roots) {
      if (failed(MarkedNest(root).verify(root)))
        return signalPassFailure();
      NestConversion(builder).run(root);
    }
  }
};
} // namespace
