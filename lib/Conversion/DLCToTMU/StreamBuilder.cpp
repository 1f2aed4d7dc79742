//===- StreamBuilder.cpp - Streams of two operands ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamBuilder.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using ember::slc::AluOp;
using ember::slc::StreamType;

static bool isStream(Value value) { return isa<StreamType>(value.getType()); }

/// The type of one lane's elements of a stream.
static Type getLaneType(Value stream) {
  return StreamType::get(
      getElementTypeOrSelf(slc::getStreamElementType(stream.getType())));
}

void StreamBuilder::addLayer(BuiltLayer layer) {
  depths[layer.plan.unit.getResult()] = layers.size();
  layers.push_back(std::move(layer));
}

//===----------------------------------------------------------------------===//
// Where streams are
//===----------------------------------------------------------------------===//

size_t StreamBuilder::findHome(Value value) {
  Operation *op = value.getDefiningOp();
  size_t own = depths.lookup(op->getOperand(0));
  auto stream = dyn_cast<slc::StreamOpInterface>(op);
  auto alu = dyn_cast<dlc::AluStrOp>(op);
  // A divisor may be zero in steps within which there are none.
  if (!stream || (alu && slc::isDivision(alu.getOpcode())))
    return own;
  size_t home = 0;
  bool hasStreams = false;
  for (Value input : stream.getInputs())
    if (isStream(input)) {
      home = std::max(home, getHome(input));
      hasStreams = true;
    }
  return hasStreams ? home : own;
}

size_t StreamBuilder::getHome(Value value) {
  auto [home, isNew] = homes.try_emplace(value, 0);
  if (!isNew)
    return home->second;
  size_t depth = findHome(value);
  return homes[value] = depth;
}

Value StreamBuilder::get(Value value, size_t depth, size_t lane,
                         int64_t element) {
  if (!isStream(value))
    return fixed.get(value, element);
  if (!getLanes(value))
    element = 0;
  size_t home = getHome(value);
  if (home == depth) {
    auto key =
        std::make_tuple(value.getAsOpaquePointer(), depth, lane, element);
    Value known = built[key];
    if (!known)
      known = built[key] = build(value, {depth, lane, element});
    return known;
  }
  Value around = get(value, depth - 1, 0, element);
  return isStream(around) ? forward(around, depth, lane) : around;
}

Value StreamBuilder::getStream(Value value, size_t depth, size_t lane,
                               int64_t element) {
  return toStream(get(value, depth, lane, element), depth, lane);
}

Value StreamBuilder::once(StringRef name, int64_t kind, ValueRange operands,
                          Type type, function_ref<Value()> create) {
  std::vector<void *> key{const_cast<void *>(type.getAsOpaquePointer())};
  for (Value operand : operands)
    key.push_back(operand.getAsOpaquePointer());
  Value &result = made[{{name.str(), kind}, std::move(key)}];
  if (!result)
    result = create();
  return result;
}

Value StreamBuilder::forward(Value value, size_t depth, size_t lane) {
  setPlace(depth);
  Value unit = getUnit(depth, lane);
  Type type =
      isStream(value) ? value.getType() : StreamType::get(value.getType());
  return once("forward", 0, {unit, value}, type, [&] {
    return tmu::SetFwdStrOp::create(builder, value.getLoc(), type, unit, value)
        .getResult();
  });
}

Value StreamBuilder::toStream(Value value, size_t depth, size_t lane) {
  return isStream(value) ? value : forward(value, depth, lane);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value StreamBuilder::compute(AluOp opcode, Value lhs, Value rhs, size_t depth,
                             size_t lane) {
  if (!isStream(lhs) && !isStream(rhs))
    lhs = toStream(lhs, depth, lane);
  if ((opcode == AluOp::add || opcode == AluOp::or_) &&
      matchPattern(lhs, m_Zero()))
    return rhs;
  bool isNeutralZero = opcode == AluOp::add || opcode == AluOp::sub ||
                       opcode == AluOp::or_ || opcode == AluOp::shl;
  if (isNeutralZero && matchPattern(rhs, m_Zero()))
    return lhs;
  setPlace(depth);
  Value unit = getUnit(depth, lane);
  Type type = isStream(lhs) ? lhs.getType() : rhs.getType();
  return once("alu", static_cast<int64_t>(opcode), {unit, lhs, rhs}, type, [&] {
    return tmu::SetAluStrOp::create(builder, lhs.getLoc(), type, unit, opcode,
                                    lhs, rhs)
        .getResult();
  });
}

Value StreamBuilder::multiply(Value lhs, Value factor, Place place) {
  APInt constant;
  if (!matchPattern(factor, m_ConstantInt(&constant)) ||
      !constant.isStrictlyPositive() || !constant.isPowerOf2())
    return compute(AluOp::mul, lhs, factor, place.depth, place.lane);
  Value amount = fixed.capture(fixed.index(constant.logBase2()));
  if (!factor.getType().isIndex())
    return constant.isOne()
               ? lhs
               : compute(AluOp::mul, lhs, factor, place.depth, place.lane);
  return compute(AluOp::shl, lhs, amount, place.depth, place.lane);
}

Value StreamBuilder::buildArithmetic(dlc::AluStrOp alu, Place place) {
  auto [depth, lane, element] = place;
  Value lhs = get(alu.getLhs(), depth, lane, element);
  Value rhs = get(alu.getRhs(), depth, lane, element);
  AluOp opcode = alu.getOpcode();
  if (opcode == AluOp::and_) {
    // The mask of a lane that is off when it is behind the end.
    if (matchPattern(lhs, m_One()) && lhs.getType().isInteger(1))
      return rhs;
    if (matchPattern(rhs, m_One()) && rhs.getType().isInteger(1))
      return lhs;
  }
  if (opcode == AluOp::mul && isStream(lhs) && !isStream(rhs))
    return multiply(lhs, rhs, place);
  if (opcode == AluOp::mul && isStream(rhs) && !isStream(lhs))
    return multiply(rhs, lhs, place);
  const LanePlan &plan = layers[depth].plan;
  if (slc::isDivision(opcode) && isStream(rhs) && plan.comparesBounds &&
      getLanes(alu.getResult())) {
    // Behind the end, a divisor may be zero.
    Value mask = buildMask(plan.unit, place);
    Type type = slc::stripStream(rhs.getType());
    Value one = fixed.capture(fixed.constant(builder.getIntegerAttr(type, 1)));
    setPlace(depth);
    rhs = tmu::SetSelStrOp::create(builder, alu.getLoc(), StreamType::get(type),
                                   getUnit(depth, lane), mask, rhs, one);
  }
  return compute(opcode, lhs, rhs, depth, lane);
}

Value StreamBuilder::buildComputed(slc::StreamOpInterface stream, Place place) {
  auto [depth, lane, element] = place;
  if (auto alu = dyn_cast<dlc::AluStrOp>(stream.getOperation()))
    return buildArithmetic(alu, place);
  SmallVector<Value> inputs;
  for (Value input : stream.getInputs())
    inputs.push_back(get(input, depth, lane, element));
  Type type = getLaneType(stream->getResult(0));
  if (isa<dlc::FwdStrOp>(stream))
    return inputs.front();
  if (llvm::none_of(inputs, isStream))
    inputs.front() = toStream(inputs.front(), depth, lane);
  setPlace(depth);
  Location loc = stream.getLoc();
  Value unit = getUnit(depth, lane);
  return llvm::TypeSwitch<Operation *, Value>(stream)
      .Case([&](dlc::CmpStrOp comparison) {
        return tmu::SetCmpStrOp::create(builder, loc, type, unit,
                                        comparison.getPredicate(), inputs[0],
                                        inputs[1]);
      })
      .Case([&](dlc::SelStrOp) {
        return tmu::SetSelStrOp::create(builder, loc, type, unit, inputs[0],
                                        inputs[1], inputs[2]);
      })
      .Case([&](dlc::CastStrOp conversion) {
        return tmu::SetCastStrOp::create(builder, loc, type, unit,
                                         toStream(inputs[0], depth, lane),
                                         conversion.getIsUnsigned());
      });
}

//===----------------------------------------------------------------------===//
// Traversal
//===----------------------------------------------------------------------===//

Value StreamBuilder::buildVisited(Place place) {
  BuiltLayer &layer = layers[place.depth];
  Value first = layer.units[place.lane].getPosition();
  int64_t distance =
      place.element - layer.plan.getFirst(static_cast<int64_t>(place.lane));
  if (!layer.plan.spreads || distance == 0)
    return first;
  Value step = fixed.getOutside(layer.plan.unit.getStep());
  Value offset = fixed.capture(fixed.multiply(step, fixed.index(distance)));
  return compute(AluOp::add, first, offset, place.depth, place.lane);
}

Value StreamBuilder::buildMask(dlc::NewTUOp unit, Place place) {
  auto [depth, lane, element] = place;
  const LanePlan &plan = layers[depth].plan;
  bool isFirst = element == plan.getFirst(static_cast<int64_t>(lane));
  auto constant = [&](bool value) {
    return fixed.capture(fixed.constant(builder.getBoolAttr(value)));
  };
  if (unit.getConfig() == slcv::LoopConfig::scalar)
    return constant(element == 0);
  if (plan.isFull || (isFirst && !plan.comparesBounds))
    return constant(true);
  Value visited = buildVisited(place);
  Value end = get(unit.getUpperBound(), depth, lane);
  setPlace(depth);
  Type flag = StreamType::get(builder.getI1Type());
  Value tu = getUnit(depth, lane);
  return once("below", 0, {tu, visited, end}, flag, [&] {
    return tmu::SetCmpStrOp::create(builder, unit.getLoc(), flag, tu,
                                    slc::CmpPredicate::slt, visited, end)
        .getResult();
  });
}

Value StreamBuilder::build(Value value, Place place) {
  auto [depth, lane, element] = place;
  tmu::TUOpInterface unit = layers[depth].units[lane];
  return llvm::TypeSwitch<Operation *, Value>(value.getDefiningOp())
      .Case([&](dlc::GetIndVarOp) { return buildVisited(place); })
      .Case([&](dlc::GetIterCountOp) { return unit.getCount(); })
      .Case([&](dlc::GetSegmentEndOp) {
        return cast<tmu::SetSegTUOp>(unit.getOperation()).getSegmentEnd();
      })
      .Case([&](dlc::GetMaskOp mask) {
        return buildMask(layers[depth].plan.unit, place);
      })
      .Case([&](dlc::MemStrOp load) { return buildLoad(load, place); })
      .Case([&](dlc::AccStrOp sum) { return buildSum(sum, place); })
      .Case([&](slc::StreamOpInterface stream) {
        return buildComputed(stream, place);
      });
}

Value StreamBuilder::buildSum(dlc::AccStrOp sum, Place place) {
  Value input = getStream(sum.getInput(), place.depth, place.lane);
  Value initial = sum.getInitial();
  // Fixed, or of a layer around.
  initial =
      isStream(initial) ? get(initial, place.depth - 1) : fixed.get(initial, 0);
  setPlace(place.depth);
  return tmu::SetAccStrOp::create(builder, sum.getLoc(), input.getType(),
                                  getUnit(place.depth, place.lane), input,
                                  initial);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value StreamBuilder::buildPosition(slc::MemoryStreamOpInterface access,
                                   Place place) {
  Value memref = fixed.getOutside(access.getMemref());
  // Of repeated elements, lanes count from the first one's.
  auto repeat = static_cast<int64_t>(access.getRepeat());
  Value offset = fixed.index(repeat == 1 ? 0 : place.element / repeat);
  int64_t element = repeat == 1 ? place.element : 0;
  SmallVector<std::pair<Value, Value>> terms;
  for (auto [dimension, index] : llvm::enumerate(access.getIndices())) {
    Value stride = fixed.getStride(memref, static_cast<unsigned>(dimension));
    if (dimension + 1 == access.getIndices().size() && repeat != 1)
      offset = fixed.multiply(offset, stride);
    if (isStream(index))
      terms.push_back({index, fixed.capture(stride)});
    else
      offset =
          fixed.add(offset, fixed.multiply(fixed.getOutside(index), stride));
  }
  Value sum = fixed.capture(offset);
  for (size_t depth = 0; depth <= place.depth; ++depth) {
    Place here{depth, depth == place.depth ? place.lane : 0, element};
    if (isStream(sum))
      sum = forward(sum, depth, here.lane);
    for (auto [index, stride] : terms)
      if (getHome(index) == depth)
        sum = compute(
            AluOp::add, sum,
            multiply(get(index, depth, here.lane, element), stride, here),
            depth, here.lane);
  }
  return sum;
}

Value StreamBuilder::buildAccessMask(Value mask, Place place) {
  if (!mask)
    return Value();
  Value flag = get(mask, place.depth, place.lane, place.element);
  if (!isStream(flag) && matchPattern(flag, m_One()))
    return Value();
  return toStream(flag, place.depth, place.lane);
}

/// The type of what a lane of `plan` moves of a stream of `element` at once.
static Type getMovedType(Value stream, const LanePlan &plan) {
  Type element =
      getElementTypeOrSelf(slc::getStreamElementType(stream.getType()));
  if (getLanes(stream) && plan.width > 1)
    element = VectorType::get({plan.width}, element);
  return StreamType::get(element);
}

Value StreamBuilder::buildLoad(dlc::MemStrOp load, Place place) {
  auto [depth, lane, element] = place;
  Value position = buildPosition(load, place);
  Value mask = buildAccessMask(load.getMask(), place);
  Value otherwise;
  if (mask && load.getOtherwise())
    otherwise = get(load.getOtherwise(), depth, lane, element);
  Value memref = fixed.get(load.getMemref(), 0);
  setPlace(depth);
  return tmu::SetMemStrOp::create(
      builder, load.getLoc(),
      getMovedType(load.getResult(), layers[depth].plan), getUnit(depth, lane),
      memref, position, mask, otherwise, load.getCacheLevelAttr(),
      load.getNontemporalAttr());
}

void StreamBuilder::buildStore(dlc::StoreStrOp store, Place place) {
  auto [depth, lane, element] = place;
  Value stored = getStream(store.getStream(), depth, lane, element);
  Value position = buildPosition(store, place);
  Value mask = buildAccessMask(store.getMask(), place);
  Value memref = fixed.get(store.getMemref(), 0);
  setPlace(depth);
  tmu::SetStoreStrOp::create(
      builder, store.getLoc(), getUnit(depth, lane), stored, memref, position,
      mask, store.getCacheLevelAttr(), store.getNontemporalAttr());
}

void StreamBuilder::buildAccess(slc::MemoryStreamOpInterface access,
                                size_t depth) {
  const LanePlan &plan = layers[depth].plan;
  size_t lanes = getLanes(access.getStream()) ? plan.lanes : 1;
  for (size_t lane = 0; lane < lanes; ++lane) {
    int64_t element =
        lanes == 1 ? 0 : plan.getFirst(static_cast<int64_t>(lane));
    if (auto store = dyn_cast<dlc::StoreStrOp>(access.getOperation()))
      buildStore(store, {depth, lane, element});
    else
      get(access.getStream(), depth, lane, element);
  }
}
