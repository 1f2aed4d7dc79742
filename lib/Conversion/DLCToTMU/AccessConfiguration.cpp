//===- AccessConfiguration.cpp - An access program on a unit --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessConfiguration.h"

#include "ember/Dialect/Ember/IR/Ember.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using ember::slc::AluOp;
using ember::slc::Event;
using ember::slc::StreamType;

AccessConfiguration::AccessConfiguration(dlc::ProgramOp from, tmu::ProgramOp to,
                                         ArrayRef<LanePlan> plans)
    : from(from), to(to), plans(plans), fixed(from, to),
      builder(from.getContext()), streams(fixed, builder) {}

/// Layers and units stand behind all before; streams stand in front of their
/// layers.
static void setBehind(OpBuilder &builder, tmu::ProgramOp program) {
  builder.setInsertionPoint(program.getConfiguration().front().getTerminator());
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Value AccessConfiguration::getBound(Value value) {
  if (!isa<StreamType>(value.getType()))
    return fixed.get(value, 0);
  return streams.get(value, streams.getDepth() - 1);
}

Value AccessConfiguration::buildUpperBound(const LanePlan &plan) {
  dlc::NewTUOp unit = plan.unit;
  Value lower = unit.getLowerBound(), upper = unit.getUpperBound();
  if (!plan.comparesBounds)
    return getBound(upper);
  Value stride = fixed.multiply(fixed.getOutside(unit.getStep()),
                                fixed.index(plan.length));
  if (unit.hasFixedBounds())
    return fixed.capture(fixed.roundUp(fixed.getOutside(lower),
                                       fixed.getOutside(upper), stride));
  size_t around = streams.getDepth() - 1;
  auto compute = [&](AluOp opcode, Value lhs, Value rhs) {
    return streams.compute(opcode, lhs, rhs, around, 0);
  };
  Value zero = fixed.capture(fixed.index(0));
  Value begin = getBound(lower);
  Value length = compute(AluOp::sub, getBound(upper), begin);
  length = compute(AluOp::maxs, length, zero);
  Value inside = fixed.capture(stride);
  length = compute(AluOp::add, length,
                   fixed.capture(fixed.add(stride, fixed.index(-1))));
  if (auto size = getConstantIntValue(stride);
      size && llvm::isPowerOf2_64(*size)) {
    length = compute(AluOp::and_, length, fixed.capture(fixed.index(-*size)));
  } else {
    length = compute(AluOp::divu, length, inside);
    length = compute(AluOp::mul, length, inside);
  }
  return compute(AluOp::add, length, begin);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Units are built alike, but for their bounds.
template <typename Op, typename... Bounds>
static Operation *createUnit(OpBuilder &builder, Location loc, Value parent,
                             Bounds... bounds) {
  MLIRContext *context = builder.getContext();
  Type index = StreamType::get(IndexType::get(context));
  SmallVector<Type> types{tmu::TUType::get(context), index, index};
  if (std::is_same_v<Op, tmu::SetSegTUOp>)
    types.push_back(index);
  return Op::create(builder, loc, types, bounds..., parent,
                    /*queue=*/IntegerAttr());
}

/// How many positions `unit`, which has no lanes, goes over from a stream's
/// element on, if that is fixed.
static Value getSize(dlc::NewTUOp unit) {
  Value lower = unit.getLowerBound(), upper = unit.getUpperBound();
  if (unit.getVectorLength() || !isa<StreamType>(lower.getType()))
    return Value();
  auto sum = upper.getDefiningOp<dlc::AluStrOp>();
  if (!sum || sum.getOpcode() != AluOp::add)
    return Value();
  if (sum.getLhs() == lower && !isa<StreamType>(sum.getRhs().getType()))
    return sum.getRhs();
  if (sum.getRhs() == lower && !isa<StreamType>(sum.getLhs().getType()))
    return sum.getLhs();
  return Value();
}

Operation *AccessConfiguration::buildUnit(const LanePlan &plan, int64_t lane,
                                          Value parent, Value last) {
  dlc::NewTUOp unit = plan.unit;
  Location loc = unit.getLoc();
  Value lower = unit.getLowerBound();
  if (Value coordinates = unit.getCoordinates()) {
    Value first = getBound(lower);
    Value memory = fixed.get(coordinates, 0);
    setBehind(builder, to);
    return createUnit<tmu::SetSegTUOp>(builder, loc, parent, memory, first,
                                       last);
  }
  Value step = fixed.getOutside(unit.getStep());
  Value distance =
      fixed.multiply(step, fixed.index(plan.spreads ? plan.getFirst(lane) : 0));
  Value stride =
      fixed.multiply(step, fixed.index(plan.spreads ? plan.length : 1));
  if (unit.hasFixedBounds()) {
    Value first =
        fixed.capture(fixed.advance(fixed.getOutside(lower), distance,
                                    fixed.getOutside(unit.getUpperBound())));
    setBehind(builder, to);
    return createUnit<tmu::SetDnsTUOp>(builder, loc, parent, first, last,
                                       fixed.capture(stride));
  }
  size_t around = streams.getDepth() - 1;
  if (Value size = getSize(unit)) {
    Value first = getBound(lower);
    setBehind(builder, to);
    return createUnit<tmu::SetIdxTUOp>(
        builder, loc, parent, first, fixed.get(size, 0), fixed.capture(stride));
  }
  Value first = streams.toStream(getBound(lower), around, 0);
  first =
      streams.compute(AluOp::add, first, fixed.capture(distance), around, 0);
  last = streams.toStream(last, around, 0);
  setBehind(builder, to);
  return createUnit<tmu::SetRngTUOp>(builder, loc, parent, first, last,
                                     fixed.capture(stride));
}

void AccessConfiguration::buildLayer(const LanePlan &plan, bool isBroadcast) {
  dlc::NewTUOp unit = plan.unit;
  Location loc = unit.getLoc();
  fixed.checkStep(fixed.getOutside(unit.getStep()), loc);
  Value parent;
  if (streams.getDepth())
    parent = streams.getLayer(streams.getDepth() - 1).op.getLayer();
  BuiltLayer layer;
  layer.plan = plan;
  SmallVector<Value> units;
  Value last = getSize(unit) ? Value() : buildUpperBound(plan);
  for (int64_t lane = 0; lane < plan.lanes; ++lane) {
    layer.units.push_back(
        cast<tmu::TUOpInterface>(buildUnit(plan, lane, parent, last)));
    units.push_back(layer.units.back().getTu());
  }
  setBehind(builder, to);
  Type type = tmu::LayerType::get(builder.getContext());
  Operation *op;
  IntegerAttr number;
  if (plan.lanes > 1)
    op = tmu::SetLockstepLayerOp::create(builder, loc, type, units, number);
  else if (isBroadcast)
    op = tmu::SetBcastLayerOp::create(builder, loc, type, units[0], number);
  else
    op = tmu::SetSingleLayerOp::create(builder, loc, type, units[0], number);
  if (Attribute name = unit->getAttr(nameAttr))
    op->setAttr(nameAttr, name);
  layer.op = cast<tmu::LayerOpInterface>(op);
  depths[unit.getResult()] = streams.getDepth();
  streams.addLayer(std::move(layer));
}

//===----------------------------------------------------------------------===//
// What is pushed
//===----------------------------------------------------------------------===//

void AccessConfiguration::buildOperand(dlc::RegisterOperandOp operand) {
  size_t depth = depths.lookup(operand.getTu());
  BuiltLayer &layer = streams.getLayer(depth);
  const LanePlan &plan = layer.plan;
  Value stream = operand.getStream();
  bool atStep = operand.getEvent() == Event::ite;
  SmallVector<Value> elements;
  if (!atStep) {
    elements.push_back(
        streams.getStream(stream, depth - 1, 0,
                          static_cast<int64_t>(operand.getLane().value_or(0))));
  } else if (operand.getLane()) {
    auto element = static_cast<int64_t>(*operand.getLane());
    elements.push_back(
        streams.getStream(stream, depth, element / plan.width, element));
  } else {
    int64_t lanes = getLanes(stream) ? plan.lanes : 1;
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(streams.getStream(
          stream, depth, lane, lanes == 1 ? 0 : plan.getFirst(lane)));
  }
  setBehind(builder, to);
  tmu::SetOperandOp::create(builder, operand.getLoc(), layer.op.getLayer(),
                            operand.getEvent(), elements, operand.getId(),
                            operand.getOperandType());
}

/// The streams of which one has to be on: none if one always is.
SmallVector<Value> AccessConfiguration::buildMasks(Value mask, size_t depth) {
  const LanePlan &plan = streams.getLayer(depth).plan;
  int64_t lanes = getLanes(mask) && plan.length ? plan.lanes : 1;
  SmallVector<Value> flags;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value flag =
        streams.get(mask, depth, lane, lanes == 1 ? 0 : plan.getFirst(lane));
    if (!isa<StreamType>(flag.getType())) {
      if (matchPattern(flag, m_One()))
        return {};
      flag = streams.toStream(flag, depth, lane);
    }
    flags.push_back(flag);
  }
  return flags;
}

void AccessConfiguration::buildToken(dlc::RegisterCallbackOp callback) {
  size_t depth = depths.lookup(callback.getTu());
  BuiltLayer &layer = streams.getLayer(depth);
  // Begin and end of a fiber happen at a step of the layer around.
  bool atStep = callback.getEvent() == Event::ite;
  size_t read = atStep ? depth : depth - 1;
  auto element = static_cast<int64_t>(callback.getLane().value_or(0));
  size_t lane = atStep && callback.getLane() ? element / layer.plan.width : 0;
  SmallVector<Value> masks;
  Value toggle, value;
  if (callback.getMask())
    masks = buildMasks(callback.getMask(), read);
  if (callback.getToggle())
    toggle = streams.getStream(callback.getToggle(), read);
  if (callback.getValue())
    value = streams.getStream(callback.getValue(), read, lane, element);
  setBehind(builder, to);
  tmu::SetControlTokenOp::create(builder, callback.getLoc(),
                                 layer.op.getLayer(), callback.getEvent(),
                                 callback.getId(), callback.getAnnounced(),
                                 callback.getWhereSame(), masks, toggle, value,
                                 /*reserve=*/IntegerAttr());
}

/// Moves a token with a value before the operands that the same event pushes
/// for it: a value that does not fit in its token follows that at once, and is
/// the first that is popped.
static void putValuesFirst(SmallVectorImpl<Operation *> &registrations) {
  for (size_t number = 0; number < registrations.size(); ++number) {
    auto callback = dyn_cast<dlc::RegisterCallbackOp>(registrations[number]);
    if (!callback || !callback.getValue())
      continue;
    auto happensWithIt = [&](auto other) {
      return other.getTu() == callback.getTu() &&
             other.getEvent() == callback.getEvent();
    };
    size_t first = number;
    for (size_t before = number; before-- > 0;) {
      if (auto other = dyn_cast<dlc::RegisterCallbackOp>(registrations[before]);
          other && happensWithIt(other))
        break;
      if (auto operand =
              dyn_cast<dlc::RegisterOperandOp>(registrations[before]);
          operand && happensWithIt(operand) &&
          operand.getId() == callback.getId())
        first = before;
    }
    std::rotate(registrations.begin() + first, registrations.begin() + number,
                registrations.begin() + number + 1);
  }
}

void AccessConfiguration::buildPushes() {
  llvm::DenseSet<int64_t> announced;
  for (auto callback : from.getAccessBody()->getOps<dlc::RegisterCallbackOp>())
    if (callback.getAnnounced())
      announced.insert(callback.getId());
  // An announced token comes before all its operands, so that a chunk may end
  // between any two of them; dlc has a queue for each and no order between
  // both.
  llvm::DenseMap<int64_t, SmallVector<dlc::RegisterOperandOp>> waiting;
  SmallVector<Operation *> registrations;
  for (Operation &op : *from.getAccessBody())
    if (isa<dlc::RegisterOperandOp, dlc::RegisterCallbackOp>(op))
      registrations.push_back(&op);
  putValuesFirst(registrations);
  for (Operation *op : registrations) {
    if (auto operand = dyn_cast<dlc::RegisterOperandOp>(op)) {
      auto id = static_cast<int64_t>(operand.getId());
      if (announced.contains(id))
        waiting[id].push_back(operand);
      else
        buildOperand(operand);
    } else if (auto callback = dyn_cast<dlc::RegisterCallbackOp>(op)) {
      auto id = static_cast<int64_t>(callback.getId());
      buildToken(callback);
      for (dlc::RegisterOperandOp operand : waiting[id])
        buildOperand(operand);
      waiting.erase(id);
      announced.erase(id);
    }
  }
}

void AccessConfiguration::build() {
  for (auto [number, plan] : llvm::enumerate(plans)) {
    bool isBroadcast = number + 1 < plans.size() && plans[number + 1].lanes > 1;
    buildLayer(plan, isBroadcast);
  }
  // In their order, which is the order in which a unit acts.
  for (auto access :
       from.getAccessBody()->getOps<slc::MemoryStreamOpInterface>())
    if (access.isStore() || !access.getStream().use_empty())
      streams.buildAccess(access, depths.lookup(access->getOperand(0)));
  buildPushes();
  fixed.eraseUnused();
}
