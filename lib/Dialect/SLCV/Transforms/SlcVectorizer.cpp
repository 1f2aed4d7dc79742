//===- SlcVectorizer.cpp - Vectorise innermost traversals -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The access half of vectorisation (paper, section 7.1):
//
//   slc.for %e = ... {                  slcv.vec_for (%e, %mask) = ... {
//     %v = slc.mem_str %t[%i, %e]         %v = slcv.vec_mem_str %t[%i, %e]
//     slc.callback ite {           =>         mask %mask
//       slc.str_to_val %v                 %lane = slcv.as_scalar %v
//                                         slc.callback ite {
//                                           slc.str_to_val %lane
//
// Callbacks are cloned as they are and see vectors through slcv.as_scalar.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "VectorLoops.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/VectorizationLegality.h"
#include "ember/Conversion/StreamCode/Traversal.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace ember::slcv {
#define GEN_PASS_DEF_SLCVECTORIZER
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StreamType;
using ember::slc::StrToValOp;

namespace {
/// Builds the vector dual of one loop.
class LoopVectorizer {
public:
  LoopVectorizer(slc::ForOp loop, const VectorizationLegality &legality,
                 int64_t lanes)
      : loop(loop), legality(legality), lanes(lanes), builder(loop) {}

  void run();

private:
  Type getVectorStream(Type scalarStream) const;
  void mapInductionVariable();
  void vectorizeStream(Operation &op);
  Value createLaneMask(Location loc, Value flag);
  Value createVectorStream(Operation &op);
  void vectorizeStore(slc::StoreStrOp store);
  void cloneCallback(CallbackOp callback);
  void widenUniformReductions();

  slc::ForOp loop;
  const VectorizationLegality &legality;
  int64_t lanes;
  OpBuilder builder;
  VecForOp vectorLoop;
  /// What access code uses, streams of vectors, and what callbacks use, the
  /// same seen as scalars.
  IRMapping access, compute;
  /// Made of what says which elements are loaded or worked on.
  DenseMap<Value, Value> laneMasks;
};
} // namespace

Type LoopVectorizer::getVectorStream(Type scalarStream) const {
  Type element = slc::getStreamElementType(scalarStream);
  return StreamType::get(VectorType::get({lanes}, element));
}

/// The iteration count of the scalar loop is the induction variable less the
/// lower bound; that of the vector loop counts vectors.
void LoopVectorizer::mapInductionVariable() {
  Value iv = vectorLoop.getInductionVar();
  access.map(loop.getInductionVar(), iv);
  if (loop.getIterationCount().use_empty())
    return;
  Value lower = loop.getLowerBound();
  bool fromZero = matchPattern(lower, m_Zero());
  Value count = fromZero
                    ? iv
                    : VecAluStrOp::create(builder, loop.getLoc(), iv.getType(),
                                          slc::AluOp::sub, iv, lower)
                          .getResult();
  access.map(loop.getIterationCount(), count);
}

/// The active lanes in which `flag`, of one element or of each lane, is true.
Value LoopVectorizer::createLaneMask(Location loc, Value flag) {
  Type type = vectorLoop.getMask().getType();
  Value &mask = laneMasks[flag];
  if (mask)
    return mask;
  Value lanes = flag;
  if (flag.getType() != type)
    lanes = slc::FwdStrOp::create(builder, loc, type, flag);
  mask = hasFullVectors(vectorLoop)
             ? lanes
             : VecAluStrOp::create(builder, loc, type, slc::AluOp::and_,
                                   vectorLoop.getMask(), lanes)
                   .getResult();
  return mask;
}

Value LoopVectorizer::createVectorStream(Operation &op) {
  Location loc = op.getLoc();
  auto mapped = [&](Value value) { return access.lookupOrDefault(value); };
  if (auto load = dyn_cast<slc::MemStrOp>(op)) {
    SmallVector<Value> indices = llvm::map_to_vector(load.getIndices(), mapped);
    Value mask =
        hasFullVectors(vectorLoop) ? Value() : Value(vectorLoop.getMask());
    Value otherwise =
        load.getOtherwise() ? mapped(load.getOtherwise()) : Value();
    if (load.getMask())
      mask = createLaneMask(loc, mapped(load.getMask()));
    auto vectorLoad = VecMemStrOp::create(builder, loc, load.getMemref(),
                                          indices, mask, lanes, otherwise);
    vectorLoad.setCacheLevelAttr(load.getCacheLevelAttr());
    vectorLoad.setNontemporal(load.getNontemporal());
    return vectorLoad;
  }
  Type type = getVectorStream(op.getResult(0).getType());
  if (auto alu = dyn_cast<slc::AluStrOp>(op))
    return VecAluStrOp::create(builder, loc, type, alu.getOpcode(),
                               mapped(alu.getLhs()), mapped(alu.getRhs()));
  // Forwarding is to every lane what it is to one; the other streams have lanes
  // as their operands have.
  if (auto forward = dyn_cast<slc::FwdStrOp>(op))
    return mapped(forward.getInput());
  Operation *widened = builder.clone(op, access);
  widened->getResult(0).setType(type);
  return widened->getResult(0);
}

/// The vector of a uniform stream has its element in every lane.
void LoopVectorizer::vectorizeStore(slc::StoreStrOp store) {
  Location loc = store.getLoc();
  auto mapped = [&](Value value) { return access.lookupOrDefault(value); };
  Value stream = mapped(store.getStream());
  if (legality.isUniform(store.getStream()))
    stream = slc::FwdStrOp::create(builder, loc,
                                   getVectorStream(stream.getType()), stream);
  Value mask =
      hasFullVectors(vectorLoop) ? Value() : Value(vectorLoop.getMask());
  VecStoreStrOp::create(builder, loc, stream, store.getMemref(),
                        llvm::map_to_vector(store.getIndices(), mapped), mask,
                        /*contiguous=*/false, store.getCacheLevelAttr(),
                        store.getNontemporal());
}

void LoopVectorizer::vectorizeStream(Operation &op) {
  if (!legality.isUniform(op.getResult(0))) {
    access.map(op.getResult(0), createVectorStream(op));
    return;
  }
  Operation *copy = builder.clone(op, access);
  compute.map(op.getResult(0), copy->getResult(0));
}

void LoopVectorizer::cloneCallback(CallbackOp callback) {
  callback.walk([&](StrToValOp toVal) {
    Value stream = toVal.getStream();
    if (legality.isUniform(stream) || compute.contains(stream))
      return;
    compute.map(stream, AsScalarOp::create(builder, toVal.getLoc(),
                                           access.lookup(stream))
                            .getResult());
  });
  Value mask = callback.getMask();
  if (mask && !legality.isUniform(mask))
    mask = createLaneMask(callback.getLoc(), access.lookup(mask));
  auto copy = cast<CallbackOp>(builder.clone(*callback, compute));
  if (mask && !legality.isUniform(callback.getMask()))
    copy.getMaskMutable().assign(mask);
}

/// A reduction combines one element a lane. Where the element is uniform, no
/// vector would show that the operation belongs to every lane.
void LoopVectorizer::widenUniformReductions() {
  for (const Reduction &reduction : legality.getReductions()) {
    Value element = reduction.element->get();
    if (!legality.isUniform(element))
      continue;
    Operation *combiner =
        compute.lookup(reduction.combiner->getResult(0)).getDefiningOp();
    OpOperand &operand =
        combiner->getOpOperand(reduction.element->getOperandNumber());
    OpBuilder inside(combiner);
    Location loc = combiner->getLoc();
    Value wide = vector::BroadcastOp::create(
        inside, loc, VectorType::get({lanes}, element.getType()),
        operand.get());
    operand.set(AsScalarOp::create(inside, loc, wide));
  }
}

void LoopVectorizer::run() {
  vectorLoop = VecForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                loop.getUpperBound(), loop.getStep(), lanes,
                                llvm::to_vector(loop.getIterArgs()));
  vectorLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  vectorLoop.getBody()->clear();
  builder.setInsertionPointToStart(vectorLoop.getBody());
  mapInductionVariable();
  compute.map(loop.getRegionIterArgs(), vectorLoop.getRegionIterArgs());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto callback = dyn_cast<CallbackOp>(op))
      cloneCallback(callback);
    else if (auto store = dyn_cast<slc::StoreStrOp>(op))
      vectorizeStore(store);
    else
      vectorizeStream(op);
  }
  builder.clone(*loop.getYield(), compute);
  widenUniformReductions();
  loop->replaceAllUsesWith(vectorLoop->getResults());
  loop->erase();
}

namespace {
struct SlcVectorizer : public slcv::impl::SlcVectorizerBase<SlcVectorizer> {
  using SlcVectorizerBase::SlcVectorizerBase;

  LogicalResult checkOptions();
  int64_t chooseLanes(slc::ForOp loop, const VectorizationLegality &legality);
  void runOnOperation() override;
};
} // namespace

LogicalResult SlcVectorizer::checkOptions() {
  if (vectorLength < 0 || vectorLength > slcv::maxVectorLength)
    return emitError(getOperation().getLoc())
           << "slc-vectorize: vector-length must be in [0, "
           << slcv::maxVectorLength << "], not " << vectorLength.getValue();
  if (vectorBits < 0)
    return emitError(getOperation().getLoc())
           << "slc-vectorize: vector-bits must not be negative";
  return success();
}

int64_t SlcVectorizer::chooseLanes(slc::ForOp loop,
                                   const VectorizationLegality &legality) {
  int64_t lanes = vectorLength;
  if (lanes == 0) {
    int64_t width =
        vectorBits ? vectorBits : TargetAttr::of(loop).getVectorBits();
    int64_t bits = std::max<int64_t>(legality.getWidestElementBits(), 8);
    lanes = std::clamp<int64_t>(width / bits, 1, slcv::maxVectorLength);
  }
  std::optional<int64_t> visits =
      whereNotEmpty(cast<LoopOpInterface>(loop.getOperation()))
          .getStaticVisits();
  if (visits && *visits > 0 && *visits < lanes)
    lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(*visits));
  return lanes;
}

/// A load of single elements at indices that the loop loads, null if there is
/// none.
static slc::MemStrOp findLookup(slc::ForOp loop,
                                const VectorizationLegality &legality) {
  DenseSet<Value> loaded;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumResults() != 1 || op.getNumRegions() != 0)
      continue;
    Value result = op.getResult(0);
    bool isLoad = isa<slc::MemStrOp>(op) && !legality.isUniform(result);
    bool isByLoaded = llvm::any_of(
        op.getOperands(), [&](Value value) { return loaded.contains(value); });
    if (isLoad && isByLoaded)
      return cast<slc::MemStrOp>(op);
    if (isLoad || isByLoaded)
      loaded.insert(result);
  }
  return nullptr;
}

/// Whether what callbacks compute is worth vectors whose lanes are loaded one
/// after the other.
static bool computesMuch(slc::ForOp loop) {
  WalkResult walk = loop->walk([](Operation *op) {
    bool isMuch = isa<arith::DivFOp, arith::RemFOp>(op) ||
                  isa_and_nonnull<math::MathDialect>(op->getDialect());
    return isMuch && !isa<math::FmaOp, math::AbsFOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Whether a loop is better scalar; a remark says why.
static bool isBetterScalar(slc::ForOp loop,
                           const VectorizationLegality &legality) {
  slc::MemStrOp lookup = findLookup(loop, legality);
  if (!lookup || computesMuch(loop))
    return false;
  InFlightDiagnostic remark = emitRemark(loop.getLoc())
                              << "loop not vectorised: the target has no "
                                 "gathers, and the loop does little else than "
                                 "look elements of "
                              << memrefName(lookup.getMemref()) << " up";
  remark.attachNote(lookup.getLoc()) << "here";
  return true;
}

void SlcVectorizer::runOnOperation() {
  if (failed(checkOptions()))
    return signalPassFailure();
  SmallVector<slc::ForOp> innermost;
  getOperation()->walk([&](slc::ForOp loop) {
    bool isInnermost =
        !slc::getNestedLoop(cast<LoopOpInterface>(loop.getOperation()));
    bool doesAnything = llvm::any_of(
        *loop.getBody(), llvm::IsaPred<CallbackOp, slc::StoreStrOp>);
    if (isInnermost && doesAnything)
      innermost.push_back(loop);
  });
  MemoryAliasing aliasing(getOperation(), mayAlias);
  bool gathers = lookups || TargetAttr::of(getOperation()).getGathers();
  for (slc::ForOp loop : innermost) {
    VectorizationLegality legality(loop, aliasing);
    if (failed(legality.analyze()) ||
        (!gathers && isBetterScalar(loop, legality))) {
      ++refused;
      continue;
    }
    LoopVectorizer(loop, legality, chooseLanes(loop, legality)).run();
    ++vectorized;
  }
}
