//===- LanePlan.cpp - Which lanes visit what ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LanePlan.h"

#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

int64_t ember::getLanes(Value stream) {
  return slc::lanesOf(slc::stripStream(stream.getType()));
}

//===----------------------------------------------------------------------===//
// Behind the end
//===----------------------------------------------------------------------===//

bool ember::impliesLane(Value mask, NewTUOp unit) {
  if (auto own = mask.getDefiningOp<GetMaskOp>())
    return own.getTu() == unit.getResult();
  auto both = mask.getDefiningOp<AluStrOp>();
  return both && both.getOpcode() == slc::AluOp::and_ &&
         llvm::any_of(both.getInputs(), [&](Value input) {
           return getLanes(input) && impliesLane(input, unit);
         });
}

/// True if `stream` holds zero, which is what lanes that are off push, wherever
/// a lane of `unit` is behind the end.
static bool isZeroBehindEnd(Value stream, NewTUOp unit) {
  if (impliesLane(stream, unit))
    return true;
  if (auto conversion = stream.getDefiningOp<CastStrOp>())
    return isZeroBehindEnd(conversion.getInput(), unit);
  auto load = stream.getDefiningOp<MemStrOp>();
  return load && load.getMask() && impliesLane(load.getMask(), unit) &&
         (!load.getOtherwise() || matchPattern(load.getOtherwise(), m_Zero()) ||
          matchPattern(load.getOtherwise(), m_AnyZeroFloat()));
}

/// True if `user` of the unit reads something of lanes behind the end, which
/// those that are off do not have.
static bool readsBehindEnd(Operation *user, NewTUOp unit) {
  if (auto store = dyn_cast<StoreStrOp>(user))
    return getLanes(store.getStream()) &&
           !(store.getMask() && impliesLane(store.getMask(), unit));
  if (auto operand = dyn_cast<RegisterOperandOp>(user)) {
    if (operand.getEvent() != Event::ite || !getLanes(operand.getStream()))
      return false;
    return operand.getLane() ? *operand.getLane() != 0
                             : !isZeroBehindEnd(operand.getStream(), unit);
  }
  auto callback = dyn_cast<RegisterCallbackOp>(user);
  if (!callback || callback.getEvent() != Event::ite)
    return false;
  Value mask = callback.getMask();
  return (mask && getLanes(mask) && !impliesLane(mask, unit)) ||
         callback.getLane().value_or(0) != 0;
}

//===----------------------------------------------------------------------===//
// Several elements a lane
//===----------------------------------------------------------------------===//

namespace {
/// The rules of lanes that stand for neighbours.
class WideLanes {
public:
  explicit WideLanes(const LanePlan &plan) : plan(plan) {}

  LogicalResult verify();

private:
  LogicalResult verifyLoad(MemStrOp load);
  LogicalResult verifyUser(Operation *user);
  InFlightDiagnostic refuse(Operation *op, const Twine &what);
  /// The same for all neighbours of a lane, up to the end of the traversal.
  bool isUniform(Value mask);
  bool isLoaded(Value stream) {
    return isa_and_present<MemStrOp>(stream.getDefiningOp());
  }
  bool dependsOnLoadedLanes(Value stream);

  const LanePlan &plan;
};
} // namespace

InFlightDiagnostic WideLanes::refuse(Operation *op, const Twine &what) {
  return op->emitOpError(what)
         << ", but each of " << plan.lanes << " lanes stands for " << plan.width
         << " elements of " << plan.length
         << "; vectors of as many as there are lanes would fit";
}

bool WideLanes::isUniform(Value mask) {
  if (!isa<slc::StreamType>(mask.getType()))
    return getLanes(mask) == 0;
  if (getLanes(mask) == 0 || isa<GetMaskOp>(mask.getDefiningOp()))
    return true;
  auto stream = dyn_cast<slc::StreamOpInterface>(mask.getDefiningOp());
  if (!stream)
    return false;
  if (auto alu = dyn_cast<AluStrOp>(mask.getDefiningOp());
      alu && alu.getOpcode() != slc::AluOp::and_)
    return false;
  return llvm::all_of(stream.getInputs(),
                      [&](Value input) { return isUniform(input); });
}

bool WideLanes::dependsOnLoadedLanes(Value stream) {
  Operation *op = stream.getDefiningOp();
  if (!isa<slc::StreamType>(stream.getType()) || !getLanes(stream))
    return false;
  if (isa<MemStrOp>(op))
    return true;
  auto computed = dyn_cast<slc::StreamOpInterface>(op);
  return computed && llvm::any_of(computed.getInputs(), [&](Value input) {
           return dependsOnLoadedLanes(input);
         });
}

LogicalResult WideLanes::verifyLoad(MemStrOp load) {
  if (!getLanes(load.getResult()))
    return success();
  auto memref = cast<MemRefType>(load.getMemref().getType());
  Type element = memref.getElementType();
  int64_t fitting = tmu::laneBytes / tmu::getElementBytes(element);
  if (fitting < plan.width) {
    return load.emitOpError("loads ")
           << plan.width << " elements of " << element
           << " a lane, which moves " << tmu::laneBytes
           << " bytes at once; a vector length of " << fitting * plan.lanes
           << " would fit";
  }
  if (!load.getContiguous() || load.getRepeat() != 1 || load.getOtherwise())
    return refuse(load, "loads what is not a row of neighbours, or zero");
  if (!memref.isLastDimUnitStride())
    return refuse(load, "loads neighbours that are no neighbours in memory");
  if (load.getMask() ? !isUniform(load.getMask()) : !plan.isFull)
    return refuse(load, load.getMask()
                            ? "has a mask that is not the traversal's"
                            : "has no mask");
  for (Operation *user : load.getResult().getUsers())
    if (!isa<StoreStrOp, RegisterOperandOp, RegisterCallbackOp>(user))
      return refuse(user, "computes with loaded vectors");
  return success();
}

LogicalResult WideLanes::verifyUser(Operation *user) {
  if (auto load = dyn_cast<MemStrOp>(user))
    return verifyLoad(load);
  if (auto store = dyn_cast<StoreStrOp>(user)) {
    if (!getLanes(store.getStream()))
      return success();
    if (!store.getContiguous() || !isLoaded(store.getStream()) ||
        !cast<MemRefType>(store.getMemref().getType()).isLastDimUnitStride())
      return refuse(store, "stores what is not a loaded row of neighbours");
    if (store.getMask() && !isUniform(store.getMask()))
      return refuse(store, "has a mask that is not the traversal's");
    return success();
  }
  if (auto operand = dyn_cast<RegisterOperandOp>(user)) {
    if (operand.getEvent() != Event::ite || !getLanes(operand.getStream()))
      return success();
    if (operand.getLane() ? dependsOnLoadedLanes(operand.getStream())
                          : !isLoaded(operand.getStream()))
      return refuse(operand, operand.getLane()
                                 ? "pushes one element of a loaded vector"
                                 : "pushes a vector that is not loaded");
    return success();
  }
  auto callback = dyn_cast<RegisterCallbackOp>(user);
  if (!callback || callback.getEvent() != Event::ite)
    return success();
  if (callback.getLane() && dependsOnLoadedLanes(callback.getValue()))
    return refuse(callback, "carries one element of a loaded vector");
  if (callback.getMask() && !isUniform(callback.getMask()))
    return refuse(callback, "has a mask that is not the traversal's");
  return success();
}

LogicalResult WideLanes::verify() {
  NewTUOp unit = plan.unit;
  for (Operation *user : unit.getResult().getUsers()) {
    if (failed(verifyUser(user)))
      return failure();
    if (plan.comparesBounds && readsBehindEnd(user, unit))
      return refuse(user, "reads elements behind the end of the traversal");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Verifies that `unit`, which has lanes, has them as the machine can.
static LogicalResult verifyVectorUnit(NewTUOp unit) {
  for (Operation *user : unit.getResult().getUsers())
    if (isa<NewTUOp>(user)) {
      InFlightDiagnostic diagnostic =
          user->emitOpError("traverses within a unit that has lanes; only the "
                            "innermost one can be spread over them");
      diagnostic.attachNote(unit.getLoc()) << "the unit with lanes";
      return diagnostic;
    }
  if (getLanes(unit.getLowerBound()) || getLanes(unit.getUpperBound()))
    return unit.emitOpError("has bounds of its own in each lane, which no unit "
                            "around it gives; traverse without lanes");
  if (unit.getInMask())
    return unit.emitOpError("has a mask of lanes; give the mask to what loads "
                            "and pushes instead");
  return success();
}
/// Verifies that all lanes of the last step have a position, also those behind
/// the end.
static LogicalResult verifyRoundedEnd(const LanePlan &plan) {
  NewTUOp unit = plan.unit;
  auto upper = getConstantIntValue(unit.getUpperBound());
  auto step = getConstantIntValue(unit.getStep());
  int64_t stride = 0, end = 0;
  if (!upper || !step ||
      !(llvm::MulOverflow(*step, plan.length, stride) ||
        llvm::AddOverflow(*upper, stride, end)))
    return success();
  return unit.emitOpError("ends so near the last position there is that lanes "
                          "behind its end have none; traverse without lanes");
}

FailureOr<LanePlan> ember::planLanes(NewTUOp unit, int64_t lanes) {
  LanePlan plan;
  plan.unit = unit;
  if (!unit.getVectorLength())
    return plan;
  if (failed(verifyVectorUnit(unit)))
    return failure();
  plan.length = static_cast<int64_t>(*unit.getVectorLength());
  plan.lanes = std::min(plan.length, lanes);
  while (plan.length % plan.lanes)
    --plan.lanes;
  plan.width = plan.length / plan.lanes;
  auto traversal = Traversal::of(unit, [](Value value) { return value; });
  plan.spreads = traversal.spreadsOverLanes();
  std::optional<int64_t> visits = traversal.getStaticVisits();
  plan.isFull = !plan.spreads || (visits && *visits % plan.length == 0);
  plan.comparesBounds =
      !plan.isFull &&
      llvm::any_of(unit.getResult().getUsers(),
                   [&](Operation *user) { return readsBehindEnd(user, unit); });
  if (plan.comparesBounds && failed(verifyRoundedEnd(plan)))
    return failure();
  if (plan.width > 1 && failed(WideLanes(plan).verify()))
    return failure();
  return plan;
}
