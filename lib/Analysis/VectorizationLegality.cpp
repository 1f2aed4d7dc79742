//===- VectorizationLegality.cpp - May an inner loop be vectorised? -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules stand in the header.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/VectorizationLegality.h"
#include "ember/ABI/ScalarTypes.h"
#include "ember/Analysis/CombiningKind.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/SameValue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;
using ember::slc::AluOp;
using ember::slc::CallbackOp;
using ember::slc::StreamType;
using ember::slc::stripStream;
using ember::slc::StrToValOp;
using vector::CombiningKind;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::optional<Reduction> ember::matchReduction(slc::LoopOpInterface loop,
                                               unsigned carried) {
  BlockArgument argument = loop.getRegionIterArgs()[carried];
  auto result = dyn_cast<OpResult>(loop.getYield()->getOperand(carried));
  if (!result || !result.hasOneUse())
    return std::nullopt;
  auto callback = dyn_cast<CallbackOp>(result.getOwner());
  if (!callback || callback->getParentOp() != loop)
    return std::nullopt;
  // Where a mask leaves the callback out, the value stays.
  if (callback.getMask() &&
      callback.getOtherwise()[result.getResultNumber()] != argument)
    return std::nullopt;
  OpOperand *only = nullptr;
  for (OpOperand &use : argument.getUses()) {
    if (use.getOwner() == callback)
      continue;
    if (only)
      return std::nullopt;
    only = &use;
  }
  if (!only)
    return std::nullopt;
  Value yielded = callback.getYield().getOperand(result.getResultNumber());
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || !yielded.hasOneUse() || only->getOwner() != combiner)
    return std::nullopt;
  unsigned position = only->getOperandNumber();
  std::optional<CombiningKind> kind = getCombiningKind(combiner, position);
  if (!kind)
    return std::nullopt;
  return Reduction{carried, combiner, &combiner->getOpOperand(1 - position),
                   *kind};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static LaneShape addShapes(LaneShape lhs, LaneShape rhs) {
  if (lhs == LaneShape::uniform)
    return rhs;
  if (rhs == LaneShape::uniform)
    return lhs;
  bool linear = lhs != LaneShape::arbitrary && rhs != LaneShape::arbitrary;
  return linear ? LaneShape::strided : LaneShape::arbitrary;
}

/// What remains of a shape when the value is scaled or negated.
static LaneShape scaleShape(LaneShape shape) {
  return shape == LaneShape::consecutive ? LaneShape::strided : shape;
}

static LaneShape subtractShapes(LaneShape lhs, LaneShape rhs) {
  return addShapes(lhs, scaleShape(rhs));
}

static LaneShape multiplyShapes(LaneShape lhs, LaneShape rhs, bool byOne) {
  if (lhs == LaneShape::uniform)
    std::swap(lhs, rhs);
  if (rhs != LaneShape::uniform)
    return LaneShape::arbitrary;
  return byOne ? lhs : scaleShape(lhs);
}

/// The shape of a value computed by something not known to be linear.
static LaneShape joinShapes(ArrayRef<LaneShape> shapes) {
  bool uniform = llvm::all_of(
      shapes, [](LaneShape shape) { return shape == LaneShape::uniform; });
  return uniform ? LaneShape::uniform : LaneShape::arbitrary;
}

/// A conversion that keeps distances: `index` is as wide as i64.
static bool isSameWidth(Type from, Type to) {
  auto bits = [](Type type) {
    type = getElementTypeOrSelf(stripStream(type));
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  return bits(from) == bits(to);
}

LaneShape VectorizationLegality::getShape(Value value) const {
  auto shape = shapes.find(value);
  return shape == shapes.end() ? LaneShape::uniform : shape->second;
}

LaneShape VectorizationLegality::combineArithmetic(Operation *op) const {
  SmallVector<LaneShape> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getShape(operand));
  auto isOne = [&](unsigned operand) {
    return matchPattern(op->getOperand(operand), m_One());
  };
  auto alu = dyn_cast<slc::AluStrOp>(op);
  if (isa<arith::AddIOp>(op) || (alu && alu.getOpcode() == AluOp::add))
    return addShapes(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op) || (alu && alu.getOpcode() == AluOp::sub))
    return subtractShapes(operands[0], operands[1]);
  if (isa<arith::MulIOp>(op) || (alu && alu.getOpcode() == AluOp::mul))
    return multiplyShapes(operands[0], operands[1], isOne(0) || isOne(1));
  bool shift = isa<arith::ShLIOp>(op) || (alu && alu.getOpcode() == AluOp::shl);
  if (shift && operands[1] == LaneShape::uniform)
    return scaleShape(operands[0]);
  bool forwards = isa<slc::FwdStrOp, StrToValOp>(op);
  bool converts =
      isa<slc::CastStrOp, arith::IndexCastOp, arith::IndexCastUIOp>(op);
  if (forwards || (converts && isSameWidth(op->getOperand(0).getType(),
                                           op->getResult(0).getType())))
    return operands[0];
  return joinShapes(operands);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// What a vector register can hold and an operation can work on.
static bool isLaneType(Type type) {
  return !type.isSignedInteger() && !type.isUnsignedInteger() &&
         findScalarType(type);
}

/// What lanes can be loaded from and stored to: not i1, of which memory holds
/// one a byte and a vector eight.
static bool isMemoryLaneType(Type type) {
  return isLaneType(type) && !type.isInteger(1);
}

LogicalResult VectorizationLegality::analyzeAccess(const Access &access,
                                                   bool isStream) {
  auto type = cast<MemRefType>(access.memref.getType());
  std::string name = memrefName(access.memref);
  bool anyChanges = !llvm::all_of(
      access.indices, [&](Value index) { return isUniform(index); });
  if (!isUniform(access.memref))
    return refuse(access.op, "the memref itself changes from iteration to "
                             "iteration");
  if (!anyChanges && access.isStore)
    return refuse(access.op, "the store to " + name +
                                 " writes the same element in every "
                                 "iteration, a loop-carried dependence");
  auto load = dyn_cast<slc::MemStrOp>(access.op);
  bool isChosen =
      load && ((load.getMask() && !isUniform(load.getMask())) ||
               (load.getOtherwise() && !isUniform(load.getOtherwise())));
  if (!anyChanges && !isChosen)
    return success();

  if (!isMemoryLaneType(type.getElementType()))
    return refuse(access.op, "the elements of " + name +
                                 " have a type that vectors are not made of");
  widestBits = std::max<int64_t>(
      widestBits,
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth());
  if (!type.isLastDimUnitStride())
    return refuse(access.op,
                  "the innermost stride of " + name + " is not known to be 1");
  for (auto [dimension, index] : llvm::enumerate(access.indices)) {
    LaneShape shape = getShape(index);
    bool last = dimension + 1 == access.indices.size();
    if (shape == LaneShape::strided)
      return refuse(access.op, "the access to " + name +
                                   " scales the induction variable in "
                                   "dimension " +
                                   Twine(dimension) +
                                   ", so that its stride is not 1");
    if (shape == LaneShape::consecutive && !last)
      return refuse(access.op, "the access to " + name +
                                   " has the induction variable in dimension " +
                                   Twine(dimension) +
                                   ", which is not the last, so that its "
                                   "stride is not 1");
    if (shape == LaneShape::arbitrary && access.isStore)
      return refuse(access.op, "the store to " + name +
                                   " is not contiguous: two iterations might "
                                   "write the same element");
    if (shape == LaneShape::arbitrary && !last && !isStream)
      return refuse(access.op, "the load from " + name +
                                   " gathers in dimension " + Twine(dimension) +
                                   ", which is not the "
                                   "last");
  }
  return success();
}

LogicalResult VectorizationLegality::analyzeDependences() {
  IndexExprs exprs;
  for (const Access &store : accesses) {
    if (!store.isStore)
      continue;
    for (const Access &other : accesses) {
      if (!aliasing.alias(store.memref, other.memref))
        continue;
      bool isSameElement = store.memref == other.memref &&
                           areSameValues(store.indices, other.indices, exprs);
      if (!isSameElement)
        return refuse(other.op,
                      "the access to " + memrefName(other.memref) +
                          " may touch what the store to " +
                          memrefName(store.memref) +
                          " writes in another iteration, a loop-carried "
                          "dependence");
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LogicalResult VectorizationLegality::refuse(Operation *culprit,
                                            const Twine &reason) {
  InFlightDiagnostic remark = emitRemark(loop.getLoc())
                              << "loop not vectorised: " << reason.str();
  if (culprit != loop)
    remark.attachNote(culprit->getLoc()) << "here";
  return failure();
}

LogicalResult VectorizationLegality::analyzeCarriedValues() {
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (loop.getYield()->getOperand(i) == argument)
      continue;
    std::optional<Reduction> reduction =
        matchReduction(cast<slc::LoopOpInterface>(loop.getOperation()), i);
    if (!reduction)
      return refuse(loop, "loop-carried value #" + Twine(i) +
                              " is not a reduction by one operation that can "
                              "combine lanes in order");
    if (!isLaneType(argument.getType()))
      return refuse(loop, "loop-carried value #" + Twine(i) +
                              " has a type that vectors are not made of");
    reductions.push_back(*reduction);
    combiners.insert(reduction->combiner);
  }
  return success();
}

LogicalResult VectorizationLegality::analyzeStream(Operation &op) {
  if (auto memory = dyn_cast<slc::MemoryStreamOpInterface>(op)) {
    Access access{&op, memory.getMemref(), memory.getIndices(),
                  memory.isStore()};
    accesses.push_back(access);
    if (failed(analyzeAccess(access, /*isStream=*/true)))
      return failure();
    if (memory.isStore())
      return success();
    SmallVector<LaneShape> operands;
    for (Value operand : op.getOperands().drop_front())
      operands.push_back(getShape(operand));
    shapes[memory.getStream()] = joinShapes(operands);
    return success();
  }
  if (!isa<slc::StreamOpInterface>(op))
    return refuse(&op, "'" + op.getName().getStringRef() +
                           "' is not a stream with a vector dual");
  LaneShape shape = combineArithmetic(&op);
  auto isLane = [](Type type) { return isLaneType(stripStream(type)); };
  if (shape != LaneShape::uniform &&
      (!isLane(op.getResult(0).getType()) ||
       !llvm::all_of(op.getOperandTypes(), isLane)))
    return refuse(&op, "a stream has elements that vectors are not made of");
  if (auto alu = dyn_cast<slc::AluStrOp>(op);
      alu && slc::isDivision(alu.getOpcode()) && !isUniform(alu.getRhs()))
    return refuse(&op, "a stream divides by a value that changes from "
                       "iteration to iteration");
  shapes[op.getResult(0)] = shape;
  return success();
}

LogicalResult VectorizationLegality::analyzeComputation(Operation &op) {
  if (auto toVal = dyn_cast<StrToValOp>(op)) {
    shapes[toVal.getValue()] = combineArithmetic(&op);
    return success();
  }
  if (combiners.contains(&op))
    return success();
  if (op.getNumRegions() != 0)
    return refuse(&op, "a callback holds '" + op.getName().getStringRef() +
                           "', and code with regions is not vectorised");
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Access access{&op, load.getMemRef(), load.getIndices(), false};
    accesses.push_back(access);
    SmallVector<LaneShape> indices;
    for (Value index : load.getIndices())
      indices.push_back(getShape(index));
    shapes[load.getResult()] = joinShapes(indices);
    return analyzeAccess(access, /*isStream=*/false);
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Access access{&op, store.getMemRef(), store.getIndices(), true};
    accesses.push_back(access);
    return analyzeAccess(access, /*isStream=*/false);
  }
  if (!isMemoryEffectFree(&op))
    return refuse(&op, "a callback holds '" + op.getName().getStringRef() +
                           "', which has an effect that is no load or store");
  bool uniform = llvm::all_of(
      op.getOperands(), [&](Value operand) { return isUniform(operand); });
  if (uniform)
    return success();
  auto isLane = [](Type type) { return isLaneType(type); };
  if (!OpTrait::hasElementwiseMappableTraits(&op) ||
      !llvm::all_of(op.getOperandTypes(), isLane) ||
      !llvm::all_of(op.getResultTypes(), isLane))
    return refuse(&op, "a callback holds '" + op.getName().getStringRef() +
                           "', which is not elementwise on types that vectors "
                           "are made of");
  for (Value result : op.getResults())
    shapes[result] = combineArithmetic(&op);
  return success();
}

/// Lanes that a mask leaves out take no part in stores and reductions; what a
/// callback hands on otherwise would differ from lane to lane.
LogicalResult VectorizationLegality::analyzeMask(CallbackOp callback) {
  for (auto other : loop.getBody()->getOps<CallbackOp>())
    if (other.getMask() != callback.getMask())
      return refuse(callback, "its callbacks run in different iterations");
  if (!callback.getMask() || isUniform(callback.getMask()))
    return success();
  for (Value result : callback.getResults())
    if (!llvm::is_contained(loop.getYield()->getOperands(), result))
      return refuse(callback, "a callback hands a value on in some iterations");
  return success();
}

LogicalResult VectorizationLegality::analyzeCallback(CallbackOp callback) {
  if (failed(analyzeMask(callback)))
    return failure();
  for (Operation &op : callback.getBody()->without_terminator())
    if (failed(analyzeComputation(op)))
      return failure();
  for (auto [result, yielded] : llvm::zip_equal(
           callback.getResults(), callback.getYield().getOperands()))
    shapes[result] = getShape(yielded);
  return success();
}

LogicalResult VectorizationLegality::analyze() {
  if (!matchPattern(loop.getStep(), m_One()))
    return refuse(loop, "its step is not known to be 1");
  if (slc::getNestedLoop(cast<slc::LoopOpInterface>(loop.getOperation())))
    return refuse(loop, "it is not innermost");
  if (loop.getUpperBound().getDefiningOp<slc::SegmentCountOp>())
    return refuse(loop, "it goes over segments, each of which begins where the "
                        "one before it ends");
  if (failed(analyzeCarriedValues()))
    return failure();
  shapes[loop.getInductionVar()] = LaneShape::consecutive;
  shapes[loop.getIterationCount()] = LaneShape::consecutive;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto callback = dyn_cast<CallbackOp>(op);
    if (failed(callback ? analyzeCallback(callback) : analyzeStream(op)))
      return failure();
  }
  return analyzeDependences();
}
