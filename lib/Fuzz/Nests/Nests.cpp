//===- Nests.cpp - Random loop nests --------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Nests.h"
#include <algorithm>
#include <limits>

namespace ember::fuzz {

/// Iterations of a nest that are enough to find anything.
constexpr double kMaxTrips = 900;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

int64_t Nests::sizeOrEmpty() {
  return random.chance(style.emptySizes) ? 0 : expressions.someSize();
}

ValueId Nests::indexConstantOrParameter(int64_t value) {
  if (!random.chance(style.scalarBounds * 0.5))
    return builder.index(value);
  for (const Parameter &parameter : builder.parameters)
    if (!parameter.isMemRef && parameter.range == Range{value, value} &&
        parameter.element == Scalar::Index && random.chance(0.7))
      return parameter.value;
  return builder.addParameter(Scalar::Index, {value, value});
}

/// `size` as a constant, a parameter, or the size of a dimension.
ValueId Nests::sizeValue(int64_t size) {
  if (!random.chance(style.scalarBounds))
    return builder.index(size);
  std::vector<std::pair<ValueId, unsigned>> dimensions;
  for (ValueId memref : builder.memrefs) {
    const std::vector<int64_t> &shape = builder.arrayOf(memref).shape;
    for (unsigned i = 0; i < shape.size(); ++i)
      if (shape[i] == size)
        dimensions.push_back({memref, i});
  }
  if (dimensions.empty() || random.chance(0.4))
    return indexConstantOrParameter(size);
  auto [memref, dimension] = random.pick(dimensions);
  return builder.dim(memref, dimension);
}

Nests::Bounds Nests::denseBounds(int64_t size) {
  ValueId upper = sizeValue(size);
  if (random.chance(style.lowerBounds * 0.2))
    upper = builder.binary(Opcode::MinSI, upper,
                           builder.index(expressions.someSize()));
  ValueId lower = builder.index(0);
  if (random.chance(style.lowerBounds))
    lower = random.chance(0.2) ? expressions.index(5)
                               : indexConstantOrParameter(random.between(1, 3));
  ValueId step = indexConstantOrParameter(
      random.chance(style.wideSteps) ? random.between(2, 4) : 1);
  return {lower, upper, step};
}

/// Bounds of `size` elements at one end of the index type, or a step of that
/// size.
Nests::Bounds Nests::farBounds(int64_t size) {
  if (random.chance(0.3)) {
    int64_t step = int64_t(1) << random.pick<int64_t>({33, 40, 61, 62});
    return {builder.index(0), sizeValue(size), indexConstantOrParameter(step)};
  }
  int64_t step = random.chance(style.wideSteps) ? random.between(2, 4) : 1;
  int64_t lower = std::numeric_limits<int64_t>::min();
  // A step over the end is an error; up to it is none.
  if (random.chance(0.6))
    lower = std::numeric_limits<int64_t>::max() - size -
            (step == 1 ? random.pick<int64_t>({0, 0, 1, 7}) : step);
  return {
      indexConstantOrParameter(lower), indexConstantOrParameter(lower + size),
      indexConstantOrParameter(step), Range{0, std::max<int64_t>(size - 1, 0)}};
}

/// Bounds of the segment `segment`, of `positions` in all.
Nests::Bounds Nests::segmentBounds(ValueId segment, int64_t positions) {
  ValueId one = builder.index(1);
  size_t form = random.weighted({8, 1, 1});
  if (form == 0) {
    // Neighbours in one array of offsets.
    ValueId next = builder.binary(Opcode::AddI, segment, one);
    Access last = expressions.indexArray(style.offset, Content::Offsets,
                                         positions + 1, {next});
    ValueId begin = builder.load(last.memref, {segment});
    ValueId end = expressions.load(last);
    return {builder.convert(begin, Scalar::Index),
            builder.convert(end, Scalar::Index), one};
  }
  if (form == 1) {
    // All segments of one length.
    int64_t length = random.between(0, 4);
    ValueId begin =
        builder.binary(Opcode::MulI, segment, builder.index(length));
    return {begin, builder.binary(Opcode::AddI, begin, builder.index(length)),
            one};
  }
  // A length for each segment.
  ValueId length = expressions.load(expressions.indexArray(
      style.offset, Content::Indices, positions / 2 + 1, {segment}));
  return {builder.index(0), builder.convert(length, Scalar::Index), one};
}

Nests::Bounds Nests::someBounds(int depth) {
  auto room = static_cast<int64_t>(kMaxTrips / trips);
  int64_t size =
      std::max<int64_t>(1, std::min<int64_t>(expressions.someSize(), room));
  if (random.chance(style.farRanges))
    return farBounds(random.chance(style.emptySizes) ? 0 : size);
  if (depth > 0 && random.chance(style.segments))
    return segmentBounds(expressions.index(31), std::min<int64_t>(size, 24));
  return denseBounds(random.chance(style.emptySizes * 0.3) ? 0 : size);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void Nests::anyNest() { loop(0); }

/// The values an inner loop starts with: those of the loop around it, mostly,
/// so that a reduction runs through both.
static bool isLinkable(const std::vector<std::vector<ValueId>> &carried) {
  return !carried.empty() && !carried.back().empty();
}

double Nests::expectedTrips(const Bounds &bounds) const {
  Range lower = *builder.rangeOf(bounds.lower);
  Range upper = *builder.rangeOf(bounds.upper);
  int64_t span = std::max<int64_t>(upper.high - lower.low, 1);
  // Bounds that are loaded are those of a segment: a part of all positions.
  bool isSegment = upper.high > upper.low;
  return static_cast<double>(isSegment ? std::min<int64_t>(span, 4) : span);
}

void Nests::loop(int depth) {
  Bounds bounds = someBounds(depth);
  double outerTrips = trips;
  trips *= expectedTrips(bounds);

  bool isLinked = isLinkable(carried) && random.chance(0.6);
  std::vector<ValueId> initial;
  if (isLinked)
    initial = carried.back();
  else if (random.chance(style.iterArgs))
    for (int64_t count = random.between(1, 3); count > 0; --count)
      initial.push_back(expressions.data(expressions.someDataType(), 0));

  std::vector<ValueId> results = builder.forLoop(
      bounds.lower, bounds.upper, bounds.step, initial,
      [&](ValueId, const std::vector<ValueId> &values) {
        carried.push_back(values);
        body(depth);
        std::vector<ValueId> next = carried.back();
        carried.pop_back();
        return next;
      },
      bounds.distance);
  trips = outerTrips;
  if (isLinked) {
    carried.back() = results;
    return;
  }
  for (ValueId result : results)
    if (random.chance(0.8))
      storeSomewhere(result);
}

void Nests::inner(int depth) {
  if (random.chance(style.allocations * 0.25))
    return temporaryRow(depth);
  bool isGuarded = random.chance(style.branches * 0.3);
  // A loop in a branch cannot hand its values to the loop around it.
  if (isGuarded) {
    builder.ifThen(
        expressions.condition(),
        [&] {
          carried.push_back({});
          loop(depth + 1);
          carried.pop_back();
          return std::vector<ValueId>();
        },
        nullptr);
    return;
  }
  loop(depth + 1);
}

void Nests::body(int depth) {
  for (int64_t count = random.between(0, 2); count > 0; --count)
    statement();
  bool hasInner = depth + 1 < style.maxDepth && trips < kMaxTrips / 2 &&
                  random.chance(0.85);
  if (hasInner) {
    if (random.chance(style.workspaces))
      workspaceLoop();
    inner(depth);
    if (random.chance(style.siblings))
      inner(depth);
    if (random.chance(style.workspaces))
      workspaceLoop();
    for (int64_t count = random.between(0, 2); count > 0; --count)
      statement();
  }
  if (!hasInner || random.chance(0.25))
    effect();
  if (!carried.back().empty() && random.chance(hasInner ? 0.4 : 0.9))
    updateCarried();
}

/// A row of memory of this iteration's own: filled, accumulated to, copied out.
void Nests::temporaryRow(int depth) {
  int64_t length = expressions.someSize();
  Array array;
  array.name = "row";
  array.element = expressions.someDataType();
  array.shape = {length};
  array.isOpen = {random.chance(style.openDimensions)};
  array.isOutput = true;
  bool onStack = !array.isOpen[0] && random.chance(0.3);
  ValueId row = builder.alloc(array, onStack);
  fill(row);
  loop(depth + 1);
  Bounds bounds = denseBounds(length);
  builder.forLoop(builder.index(0), bounds.upper, builder.index(1), {},
                  [&](ValueId element, const std::vector<ValueId> &) {
                    ValueId at = expressions.clamp(element, length);
                    storeSomewhere(builder.load(row, {at}));
                    return std::vector<ValueId>();
                  });
  if (!onStack)
    builder.dealloc(row);
}

/// A loop over partial results only.
void Nests::workspaceLoop() {
  Scalar element = expressions.someDataType();
  int64_t size = expressions.someSize();
  if (trips * static_cast<double>(size) > 2 * kMaxTrips)
    return;
  Bounds bounds = random.chance(0.7) ? Bounds{builder.index(0), sizeValue(size),
                                              builder.index(1)}
                                     : denseBounds(size);
  std::vector<ValueId> outer;
  if (random.chance(0.8))
    outer.push_back(expressions.index(40));
  builder.forLoop(bounds.lower, bounds.upper, bounds.step, {},
                  [&](ValueId iv, const std::vector<ValueId> &) {
                    std::vector<ValueId> indices = outer;
                    indices.push_back(iv);
                    ValueId out =
                        expressions.findOrAddArray(element, indices, true);
                    ValueId value = builder.someConstant(element);
                    if (random.chance(0.6)) {
                      ValueId old = builder.load(out, indices);
                      value = random.chance(0.5)
                                  ? expressions.combine(element, old, value)
                                  : expressions.data(element, 1);
                      if (random.chance(0.5))
                        value = expressions.combine(element, old, value);
                    }
                    builder.store(value, out, indices);
                    return std::vector<ValueId>();
                  });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Nests::statement() {
  switch (random.weighted({3, 2, 2, 1.5, style.branches * 8, style.views * 8,
                           style.recurrences * 8, style.copies * 8,
                           style.assertions * 8, style.branches * 6,
                           style.loopCalls * 4})) {
  case 0:
    expressions.lookup();
    return;
  case 1:
    expressions.load(expressions.access(expressions.someDataType(), false));
    return;
  case 2:
    expressions.data(expressions.someDataType(), 2);
    return;
  case 3:
    return effect();
  case 4:
    return branch();
  case 5:
    return makeView();
  case 6:
    return recurrence();
  case 7:
    return copy();
  case 8:
    return assertion();
  case 9:
    return storeSomewhere(chosenValue(expressions.someDataType(), 2)[0]);
  default:
    if (!extraStatement || !extraStatement())
      effect();
  }
}

ValueId Nests::accumulate(ValueId old, ValueId value) {
  Scalar type = builder.elementOf(old);
  return random.chance(0.5)
             ? builder.binary(isFloat(type) ? Opcode::AddF : Opcode::AddI, old,
                              value)
             : expressions.combine(type, old, value);
}

/// A store: of a value, of an accumulated value, or of something made from
/// indices.
void Nests::effect() {
  Scalar type = expressions.someDataType();
  if (random.chance(style.indexStores)) {
    Scalar integer = random.pick({Scalar::Index, Scalar::I64, Scalar::I32});
    Access target = expressions.access(integer, true);
    ValueId value = builder.convert(expressions.index(), integer);
    return builder.store(value, target.memref, target.indices);
  }
  if (random.chance(0.4))
    expressions.lookup();
  ValueId value = expressions.data(type, 2);
  Access target = expressions.access(type, true);
  if (random.chance(0.6))
    value = accumulate(expressions.load(target), value);
  builder.store(value, target.memref, target.indices);
}

void Nests::storeSomewhere(ValueId value) {
  Access target = expressions.access(builder.elementOf(value), true);
  if (random.chance(0.3))
    value = accumulate(expressions.load(target), value);
  builder.store(value, target.memref, target.indices);
}

void Nests::updateCarried() {
  size_t slot = random.position(carried.back().size());
  for (size_t k = 0; k < carried.back().size(); ++k) {
    if (k != slot && random.chance(0.4))
      continue;
    ValueId old = carried.back()[k];
    ValueId value = expressions.data(builder.elementOf(old), 2);
    carried.back()[k] = accumulate(old, value);
  }
}

void Nests::branch() {
  ValueId condition = expressions.condition();
  std::vector<ValueId> outer =
      carried.empty() ? std::vector<ValueId>() : carried.back();
  if (outer.empty() || random.chance(0.4)) {
    Builder::Branch store = [&] {
      effect();
      return std::vector<ValueId>();
    };
    builder.ifThen(condition, store, random.chance(0.4) ? store : nullptr);
    return;
  }
  carried.back() = builder.ifThen(
      condition,
      [&] {
        updateCarried();
        std::vector<ValueId> changed = carried.back();
        carried.back() = outer;
        return changed;
      },
      [&] {
        if (random.chance(0.4))
          effect();
        return outer;
      });
}

/// The value of a branch, which may itself be that of one.
std::vector<ValueId> Nests::chosenValue(Scalar type, int depth) {
  auto side = [&]() -> std::vector<ValueId> {
    if (depth > 0 && random.chance(0.3))
      return chosenValue(type, depth - 1);
    if (random.chance(0.3))
      return {builder.someConstant(type)};
    if (random.chance(0.3))
      expressions.lookup();
    ValueId value = expressions.load(expressions.access(type, false));
    return {random.chance(0.3) ? expressions.combine(type, value, value)
                               : value};
  };
  return builder.ifThen(expressions.condition(), side, side);
}

/// out[.., i] = f(out[.., i - k]): iterations depend on each other.
void Nests::recurrence() {
  ValueId at = expressions.index();
  int64_t distance = random.between(1, 3);
  // The reverse dependence is one too.
  ValueId other = builder.binary(Opcode::AddI, at, builder.index(distance));
  if (random.chance(0.7))
    std::swap(at, other);
  ValueId furthest = std::max(at, other);
  Scalar type = expressions.someDataType();
  std::vector<ValueId> indices = {furthest};
  if (random.chance(0.5))
    indices.insert(indices.begin(), expressions.index());
  ValueId out = expressions.findOrAddArray(type, indices, true);
  indices.back() = other;
  ValueId value =
      accumulate(builder.load(out, indices), expressions.data(type, 1));
  indices.back() = at;
  builder.store(value, out, indices);
}

/// The whole of one memref to another one.
void Nests::copy() {
  std::vector<ValueId> targets;
  for (ValueId memref : builder.memrefs)
    if (builder.arrayOf(memref).isOutput &&
        elementCount(builder.arrayOf(memref).shape) <= 64)
      targets.push_back(memref);
  if (targets.empty())
    return;
  ValueId target = random.pick(targets);
  Array array = builder.arrayOf(target);
  std::vector<ValueId> sources;
  for (ValueId memref : builder.memrefs) {
    const Array &other = builder.arrayOf(memref);
    if (other.element == array.element && other.shape == array.shape &&
        builder.rootOf(memref) != builder.rootOf(target))
      sources.push_back(memref);
  }
  array.name = "table";
  array.isOutput = false;
  builder.copy(sources.empty() ? builder.addParameter(std::move(array))
                               : random.pick(sources),
               target);
}

/// Something that is known to hold, unless inputs are wrong.
void Nests::assertion() {
  ValueId value = expressions.index();
  Range range = *builder.rangeOf(value);
  bool isUpper = random.chance(0.5);
  constexpr uint64_t lessOrEqual = 3, greaterOrEqual = 5;
  builder.assertHolds(
      builder.compare(isUpper ? lessOrEqual : greaterOrEqual, value,
                      builder.index(isUpper ? range.high : range.low)));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void Nests::makeView() {
  if (builder.memrefs.empty())
    return;
  ValueId memref = random.pick(builder.memrefs);
  const Array &array = builder.arrayOf(memref);
  if (elementCount(array.shape) == 0)
    return;
  bool hasLayout = builder.function.types[memref].layout.has_value();
  if (!hasLayout && random.chance(0.3)) {
    builder.castMemRef(memref, std::vector<bool>(array.shape.size(), true));
    return;
  }
  if (random.chance(0.3))
    builder.transpose(memref);
  else
    partOf(memref);
}

/// A part of each dimension, at an offset that may change with every iteration.
void Nests::partOf(ValueId memref) {
  Array array = builder.arrayOf(memref);
  Op view;
  view.operands = {memref};
  std::vector<ValueId> offsets, sizes;
  for (size_t i = 0; i < array.shape.size(); ++i) {
    int64_t whole = array.shape[i];
    bool keeps = random.chance(0.5);
    int64_t stride = !keeps && whole > 3 && random.chance(0.2) ? 2 : 1;
    int64_t size = keeps ? whole : random.between(1, (whole - 1) / stride + 1);
    int64_t slack = whole - ((size - 1) * stride + 1);
    view.strides.push_back(stride);
    bool isOpen = random.chance(style.openDimensions);
    view.sizes.push_back(isOpen ? kDynamic : size);
    if (isOpen)
      sizes.push_back(builder.index(size));
    if (slack > 0 && random.chance(0.6)) {
      view.offsets.push_back(kDynamic);
      offsets.push_back(expressions.clamp(expressions.index(), slack + 1));
    } else {
      view.offsets.push_back(random.between(0, slack));
    }
    array.shape[i] = size;
    array.isOpen[i] = isOpen;
  }
  // Views of offsets still do not decrease, but need their own range.
  view.operands.insert(view.operands.end(), offsets.begin(), offsets.end());
  view.operands.insert(view.operands.end(), sizes.begin(), sizes.end());
  builder.subView(memref, std::move(view), std::move(array));
}

void Nests::fill(ValueId memref) {
  const Array array = builder.arrayOf(memref);
  ValueId value = builder.someConstant(array.element);
  std::function<void(std::vector<ValueId>)> fillFrom =
      [&](std::vector<ValueId> indices) {
        if (indices.size() == array.shape.size())
          return builder.store(value, memref, indices);
        size_t dimension = indices.size();
        builder.forLoop(builder.index(0), builder.index(array.shape[dimension]),
                        builder.index(1), {},
                        [&](ValueId iv, const std::vector<ValueId> &) {
                          std::vector<ValueId> next = indices;
                          next.push_back(iv);
                          fillFrom(std::move(next));
                          return std::vector<ValueId>();
                        });
      };
  fillFrom({});
}

} // namespace ember::fuzz
