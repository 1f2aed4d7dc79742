//===- CallbackVectorizer.cpp - Vectorise callbacks -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compute half of vectorisation (paper, section 7.1). In a callback of a
// loop over lanes, slcv.as_scalar marks where vectors meet scalar code:
//
//   %val = slcv.as_scalar %vec             %acc = vector.gather %out[%b, %c0]
//   %acc = memref.load %out[%b, %e]   =>          [%es], %mask, %zeros
//   %sum = arith.addf %acc, %val           %sum = arith.addf %acc, %vec
//
// Every operation behind the border gets its vector dual, in program order, so
// that its operands have theirs already.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "CallbackMerging.h"
#include "VectorLoops.h"

#include "ember/Analysis/CombiningKind.h"
#include "ember/Analysis/VectorizationLegality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace ember::slcv {
#define GEN_PASS_DEF_CALLBACKVECTORIZER
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;
using vector::CombiningKind;

namespace {
/// Vectorises the one callback of a loop over lanes.
class CallbackWidener {
public:
  CallbackWidener(VecForOp loop, CallbackOp callback)
      : loop(loop), callback(callback), builder(callback.getContext()),
        lanes(loop.getVectorLength()) {}

  LogicalResult run();

private:
  LogicalResult vectorize(Operation *op);
  LogicalResult vectorizeLoad(memref::LoadOp load);
  LogicalResult vectorizeStore(memref::StoreOp store);
  LogicalResult vectorizeElementwise(Operation *op);
  void vectorizeReduction(const Reduction &reduction);
  void takeVector(AsScalarOp view);

  VectorType getVectorType(Type element) const {
    return VectorType::get({lanes}, element);
  }
  bool isWide(Value value) const { return vectors.contains(value); }
  Value getFirstLane(Value stream);
  Value getSequence(Location loc, Value first);
  Value getVector(Location loc, Value scalar);
  Value readMask(Location loc);
  Value getMask(Location loc);
  Value getMaskOrAllTrue(Location loc);
  Value getConstant(Location loc, TypedAttr element);
  FailureOr<SmallVector<Value>>
  splitIndices(Operation *op, OperandRange indices, Value &laneIndex);

  VecForOp loop;
  CallbackOp callback;
  OpBuilder builder;
  int64_t lanes;
  /// The vector dual of each scalar behind the border.
  DenseMap<Value, Value> vectors;
  DenseMap<Operation *, Reduction> reductions;
  /// Lane 0 of streams that were read so far.
  DenseMap<Value, Value> firstLanes;
  Value mask;
  /// Scalar operations whose vector dual stands beside them.
  llvm::SetVector<Operation *> replaced;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values of all lanes
//===----------------------------------------------------------------------===//

Value CallbackWidener::getFirstLane(Value stream) {
  Value &first = firstLanes[stream];
  if (!first)
    first =
        StrToValOp::create(builder, callback.getLoc(), builder.getIndexType(),
                           stream, builder.getI64IntegerAttr(0));
  return first;
}

/// `<first, first + 1, ...>`.
Value CallbackWidener::getSequence(Location loc, Value first) {
  VectorType type = getVectorType(builder.getIndexType());
  Value wide = vector::BroadcastOp::create(builder, loc, type, first);
  Value steps = vector::StepOp::create(builder, loc, type);
  return arith::AddIOp::create(builder, loc, wide, steps);
}

Value CallbackWidener::getConstant(Location loc, TypedAttr element) {
  VectorType type = getVectorType(element.getType());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, element));
}

/// The vector dual of `scalar`, or `scalar` in every lane.
Value CallbackWidener::getVector(Location loc, Value scalar) {
  if (Value vector = vectors.lookup(scalar))
    return vector;
  TypedAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return getConstant(loc, constant);
  return vector::BroadcastOp::create(builder, loc,
                                     getVectorType(scalar.getType()), scalar);
}

/// The lanes that the callback's mask leaves on. They cross as numbers as wide
/// as the elements that are loaded for it, and so as a vector of the same size.
Value CallbackWidener::readMask(Location loc) {
  Type flags = getVectorType(builder.getI1Type());
  unsigned bits = 8;
  for (auto load : loop.getBody()->getOps<VecMemStrOp>()) {
    if (llvm::none_of(load->getUsers(), llvm::IsaPred<StrToValOp>))
      continue;
    Type element = getElementTypeOrSelf(
        slc::getStreamElementType(load.getResult().getType()));
    bits = std::max(bits,
                    element.isIndex() ? 64U : element.getIntOrFloatBitWidth());
  }
  VectorType numbers = getVectorType(builder.getIntegerType(bits));
  OpBuilder before(callback);
  Value stream = slc::CastStrOp::create(
      before, loc, slc::StreamType::get(numbers), callback.getMask(),
      /*isUnsigned=*/true);
  Value read = StrToValOp::create(builder, loc, stream);
  return arith::TruncIOp::create(builder, loc, flags, read);
}

/// The active lanes; null if all are. Computed in the callback where the upper
/// bound is known there, so that no mask crosses the queue.
Value CallbackWidener::getMask(Location loc) {
  if (!mask && callback.getMask() && slc::lanesOf(callback.getMask().getType()))
    mask = readMask(loc);
  if (mask || hasFullVectors(loop))
    return mask;
  // Where it visits anything, the range is not the empty one.
  Value upper = slc::getPredicate(loop).end;
  bool computable = sharesRange(loop) && !loop.getInMask() &&
                    upper.getType().isIndex() &&
                    matchPattern(loop.getStep(), m_One());
  if (!computable) {
    mask = StrToValOp::create(builder, loc, loop.getMask());
    return mask;
  }
  Value first = getFirstLane(loop.getInductionVar());
  Value left = arith::SubIOp::create(builder, loc, upper, first);
  mask = vector::CreateMaskOp::create(builder, loc,
                                      getVectorType(builder.getI1Type()), left);
  return mask;
}

Value CallbackWidener::getMaskOrAllTrue(Location loc) {
  if (Value active = getMask(loc))
    return active;
  return getConstant(loc, builder.getBoolAttr(true));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A stream of consecutive values crosses as its lane 0.
void CallbackWidener::takeVector(AsScalarOp view) {
  auto toVal = view.getInput().getDefiningOp<StrToValOp>();
  bool rebuilt = toVal && !toVal.getLane() && isConsecutive(toVal.getStream());
  vectors[view.getResult()] =
      rebuilt ? getSequence(view.getLoc(), getFirstLane(toVal.getStream()))
              : view.getInput();
  if (rebuilt && llvm::all_of(toVal->getUsers(), llvm::IsaPred<AsScalarOp>))
    replaced.insert(toVal);
  replaced.insert(view);
}

/// The indices of lane 0's row, and in `laneIndex` where in it each lane is.
FailureOr<SmallVector<Value>>
CallbackWidener::splitIndices(Operation *op, OperandRange indices,
                              Value &laneIndex) {
  bool outerWide = indices.size() > 1 &&
                   llvm::any_of(indices.drop_back(),
                                [&](Value index) { return isWide(index); });
  if (outerWide || indices.empty() || !isWide(indices.back()))
    return op->emitError("cannot be vectorised: only its last index may "
                         "differ from lane to lane");
  laneIndex = vectors.lookup(indices.back());
  SmallVector<Value> row(indices.drop_back());
  row.push_back(arith::ConstantIndexOp::create(builder, op->getLoc(), 0));
  return row;
}

LogicalResult CallbackWidener::vectorizeLoad(memref::LoadOp load) {
  Location loc = load.getLoc();
  Value laneIndex;
  FailureOr<SmallVector<Value>> row =
      splitIndices(load, load.getIndices(), laneIndex);
  if (failed(row))
    return failure();
  VectorType type = getVectorType(load.getMemRefType().getElementType());
  Value active = getMaskOrAllTrue(loc);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  vectors[load.getResult()] = vector::GatherOp::create(
      builder, loc, type, load.getMemRef(), *row, laneIndex, active, zeros);
  return success();
}

LogicalResult CallbackWidener::vectorizeStore(memref::StoreOp store) {
  Location loc = store.getLoc();
  Value laneIndex;
  FailureOr<SmallVector<Value>> row =
      splitIndices(store, store.getIndices(), laneIndex);
  if (failed(row))
    return failure();
  Value active = getMaskOrAllTrue(loc);
  vector::ScatterOp::create(builder, loc, /*resultType=*/Type(),
                            store.getMemRef(), *row, laneIndex, active,
                            getVector(loc, store.getValueToStore()));
  return success();
}

static bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

LogicalResult CallbackWidener::vectorizeElementwise(Operation *op) {
  Location loc = op->getLoc();
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return op->emitError("cannot be vectorised: it is not elementwise");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getVector(loc, operand));
  // Inactive lanes may hold zeros, by which nothing may be divided.
  if (isIntegerDivision(op) && isWide(op->getOperand(1)))
    if (Value active = getMask(loc)) {
      Type element = op->getOperand(1).getType();
      Value ones = getConstant(loc, builder.getIntegerAttr(element, 1));
      operands[1] =
          arith::SelectOp::create(builder, loc, active, operands[1], ones);
    }
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(getVectorType(type));
  state.addAttributes(op->getAttrs());
  Operation *wide = builder.create(state);
  for (auto [scalar, vector] :
       llvm::zip_equal(op->getResults(), wide->getResults()))
    vectors[scalar] = vector;
  return success();
}

static Value negate(OpBuilder &builder, Location loc, Value elements) {
  if (isa<FloatType>(getElementTypeOrSelf(elements)))
    return arith::NegFOp::create(builder, loc, elements);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(elements.getType()));
  return arith::SubIOp::create(builder, loc, zero, elements);
}

void CallbackWidener::vectorizeReduction(const Reduction &reduction) {
  Operation *op = reduction.combiner;
  Location loc = op->getLoc();
  Value carried = loop.getRegionIterArgs()[reduction.carried];
  Value elements = getVector(loc, reduction.element->get());
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    elements = negate(builder, loc, elements);
  if (Value active = getMask(loc)) {
    Value neutral =
        getConstant(loc, getNeutralElement(reduction.kind, carried.getType()));
    elements = arith::SelectOp::create(builder, loc, active, elements, neutral);
  }
  auto flags = arith::FastMathFlags::none;
  if (auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op))
    flags = fastMath.getFastMathFlagsAttr().getValue();
  Value result = vector::ReductionOp::create(builder, loc, reduction.kind,
                                             elements, carried, flags);
  op->getResult(0).replaceAllUsesWith(result);
}

LogicalResult CallbackWidener::vectorize(Operation *op) {
  builder.setInsertionPoint(op);
  if (auto view = dyn_cast<AsScalarOp>(op)) {
    takeVector(view);
    return success();
  }
  if (auto toVal = dyn_cast<StrToValOp>(op)) {
    if (toVal.getLane() == 0)
      firstLanes.try_emplace(toVal.getStream(), toVal.getValue());
    return success();
  }
  bool behindBorder = llvm::any_of(
      op->getOperands(), [&](Value operand) { return isWide(operand); });
  if (!behindBorder)
    return success();
  replaced.insert(op);
  auto reduction = reductions.find(op);
  if (reduction != reductions.end()) {
    vectorizeReduction(reduction->second);
    return success();
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return vectorizeLoad(load);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return vectorizeStore(store);
  return vectorizeElementwise(op);
}

LogicalResult CallbackWidener::run() {
  auto interface = cast<LoopOpInterface>(loop.getOperation());
  for (unsigned i = 0, e = loop.getIterArgs().size(); i != e; ++i)
    if (std::optional<Reduction> reduction = matchReduction(interface, i))
      reductions.insert({reduction->combiner, *reduction});
  SmallVector<Operation *> ops;
  for (Operation &op : callback.getBody()->without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(vectorize(op)))
      return failure();
  for (Value yielded : callback.getYield().getOperands())
    if (isWide(yielded))
      return callback.emitError("cannot be vectorised: it hands a value on "
                                "that differs from lane to lane");
  for (Operation *op : llvm::reverse(replaced)) {
    if (!op->use_empty())
      return op->emitError("cannot be vectorised: code with regions uses it");
    op->erase();
  }
  return success();
}

namespace {
struct CallbackVectorizer
    : public slcv::impl::CallbackVectorizerBase<CallbackVectorizer> {
  using CallbackVectorizerBase::CallbackVectorizerBase;

  void runOnOperation() override {
    SmallVector<VecForOp> loops;
    getOperation()->walk([&](VecForOp loop) {
      bool hasBorder =
          loop.walk([](AsScalarOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      if (hasBorder)
        loops.push_back(loop);
    });
    for (VecForOp loop : loops) {
      auto interface = cast<LoopOpInterface>(loop.getOperation());
      if (slc::getNestedLoop(interface)) {
        loop.emitError("has slcv.as_scalar in it but is not innermost");
        return signalPassFailure();
      }
      CallbackOp callback = mergeCallbacks(interface);
      if (callback && failed(CallbackWidener(loop, callback).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
