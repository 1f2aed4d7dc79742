//===- Expressions.cpp - Random addresses and arithmetic ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Expressions.h"
#include <algorithm>

namespace ember::fuzz {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// A position in a list of `size`, more likely near its end: what was defined
/// last is used most.
static size_t recentPosition(Random &random, size_t size) {
  double at = random.fraction();
  return size - 1 - static_cast<size_t>(at * at * static_cast<double>(size));
}

static bool isIn(const std::optional<Range> &range, int64_t limit) {
  return range && range->isWithin(limit + 1);
}

ValueId Expressions::rawIndex(int64_t limit) {
  if (!builder.inductions.empty() && random.chance(0.4)) {
    ValueId iv = random.pick(builder.inductions);
    if (isIn(builder.rangeOf(iv), limit))
      return iv;
  }
  std::vector<ValueId> known;
  for (ValueId value : builder.scalars)
    if (isIn(builder.rangeOf(value), limit))
      known.push_back(value);
  if (known.empty())
    return builder.index(random.between(0, std::min<int64_t>(limit, 2)));
  return builder.convert(known[recentPosition(random, known.size())],
                         Scalar::Index);
}

/// `value` with arithmetic around it, or `value` where that leaves the limits.
ValueId Expressions::varyIndex(ValueId value, int64_t limit) {
  Range range = *builder.rangeOf(value);
  ValueId varied = value;
  switch (random.weighted({4, 4, 2, 2, 1, 1, 1, 1, 1})) {
  case 0:
    varied = builder.binary(Opcode::AddI, value,
                            builder.index(random.between(1, 3)));
    break;
  case 1:
    varied = builder.binary(Opcode::MulI, value,
                            builder.index(random.between(2, 3)));
    break;
  case 2:
    varied = builder.binary(Opcode::SubI, builder.index(range.high), value);
    break;
  case 3:
    varied = builder.binary(Opcode::AddI, value, rawIndex(limit));
    break;
  case 4:
    varied = builder.binary(random.pick({Opcode::DivUI, Opcode::DivSI}), value,
                            builder.index(random.between(1, 4)));
    break;
  case 5:
    varied = builder.binary(random.pick({Opcode::RemUI, Opcode::RemSI}), value,
                            builder.index(random.between(1, 7)));
    break;
  case 6:
    varied = builder.binary(random.pick({Opcode::MinSI, Opcode::MaxSI,
                                         Opcode::MinUI, Opcode::MaxUI}),
                            value, builder.index(random.between(0, 9)));
    break;
  case 7:
    varied = builder.binary(Opcode::AndI, value,
                            builder.index(random.pick({1, 3, 5, 7})));
    break;
  default:
    if (range.low > 0)
      varied = builder.binary(Opcode::SubI, value, builder.index(range.low));
  }
  return isIn(builder.rangeOf(varied), limit) ? varied : value;
}

ValueId Expressions::index(int64_t limit) {
  ValueId value = rawIndex(limit);
  if (random.chance(style.stridedIndices))
    value = varyIndex(value, limit);
  return value;
}

ValueId Expressions::clamp(ValueId value, int64_t size) {
  const std::optional<Range> &range = builder.rangeOf(value);
  if (range && range->isWithin(size))
    return value;
  // Of a value that may be anything, only the remainder is known to be small.
  if (!range || random.chance(0.5))
    return builder.binary(Opcode::RemUI, value, builder.index(size));
  ValueId positive = builder.binary(Opcode::MaxSI, value, builder.index(0));
  return builder.binary(Opcode::MinSI, positive, builder.index(size - 1));
}

bool Expressions::fits(ValueId memref,
                       const std::vector<ValueId> &indices) const {
  const Array &array = builder.arrayOf(memref);
  if (array.shape.size() != indices.size())
    return false;
  for (size_t i = 0; i < indices.size(); ++i)
    if (!builder.rangeOf(indices[i]) ||
        !builder.rangeOf(indices[i])->isWithin(array.shape[i]))
      return false;
  return true;
}

Array Expressions::makeArray(std::string name, Scalar element,
                             const std::vector<ValueId> &indices) {
  Array array;
  array.name = std::move(name);
  array.element = element;
  for (ValueId index : indices) {
    int64_t size = builder.rangeOf(index)->high + 1;
    // An exact size lets a read past the end be seen; a shared one lets arrays
    // serve several loops.
    if (random.chance(0.3))
      size += random.pick({1, 3});
    array.shape.push_back(size);
    array.isOpen.push_back(random.chance(style.openDimensions));
  }
  return array;
}

ValueId Expressions::findOrAddArray(Scalar element,
                                    const std::vector<ValueId> &indices,
                                    bool forStore) {
  std::vector<ValueId> fitting;
  std::vector<double> weights;
  for (ValueId memref : builder.memrefs) {
    const Array &array = builder.arrayOf(memref);
    if (array.element != element || array.content != Content::Data ||
        !fits(memref, indices))
      continue;
    fitting.push_back(memref);
    double weight = 1;
    if (array.isOutput != forStore)
      weight = forStore ? 0.03 : style.writtenLoads;
    weights.push_back(weight);
  }
  weights.push_back(0.4);
  size_t chosen = random.weighted(weights);
  if (chosen < fitting.size())
    return fitting[chosen];
  Array array = makeArray(forStore ? "out" : "table", element, indices);
  array.isOutput = forStore;
  return builder.addParameter(std::move(array));
}

Access Expressions::access(Scalar element, bool forStore) {
  size_t rank = random.weighted({0, 3, 5, 0.7});
  std::vector<ValueId> indices;
  for (size_t i = 0; i < rank; ++i) {
    ValueId next = index();
    // The same index twice is worth less than two of them.
    if (std::count(indices.begin(), indices.end(), next))
      next = index();
    indices.push_back(next);
  }
  // Rows are walked by the innermost loop.
  if (!builder.inductions.empty() && random.chance(0.6) &&
      isIn(builder.rangeOf(builder.inductions.back()), 63))
    indices.back() = builder.inductions.back();
  // Mostly as nests are written: outer indices first.
  if (random.chance(0.85))
    std::sort(indices.begin(), indices.end() - 1);
  ValueId memref = findOrAddArray(element, indices, forStore);
  return {memref, std::move(indices)};
}

Access Expressions::indexArray(Scalar element, Content content, int64_t size,
                               std::vector<ValueId> indices) {
  if (bitWidth(element) == 8)
    size = std::min<int64_t>(size, 100);
  std::vector<ValueId> fitting;
  for (ValueId memref : builder.memrefs) {
    const Array &array = builder.arrayOf(memref);
    if (array.element == element && array.content == content &&
        array.range.isWithin(size) && fits(memref, indices))
      fitting.push_back(memref);
  }
  if (!fitting.empty() && random.chance(0.6))
    return {random.pick(fitting), std::move(indices)};
  Array array = makeArray(content == Content::Offsets ? "offsets" : "indices",
                          element, indices);
  array.content = content;
  // Numbers that are not 0 can be divided by.
  bool isPositive = content == Content::Indices && size > 2;
  array.range = {isPositive && random.chance(0.15) ? 1 : 0, size - 1};
  ValueId memref = builder.addParameter(std::move(array));
  return {memref, std::move(indices)};
}

ValueId Expressions::lookup() {
  std::vector<ValueId> indices = {index()};
  if (random.chance(0.15))
    indices.push_back(index());
  ValueId raw = load(indexArray(style.index, Content::Indices, someSize(),
                                std::move(indices)));
  return random.chance(0.9) ? builder.convert(raw, Scalar::Index) : raw;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<ValueId> Expressions::recentScalar(Scalar type) {
  std::vector<ValueId> known;
  for (ValueId value : builder.scalars)
    if (builder.elementOf(value) == type)
      known.push_back(value);
  if (known.empty())
    return std::nullopt;
  return known[recentPosition(random, known.size())];
}

/// A value of another type in scope, as `type`.
ValueId Expressions::castFromOther(Scalar type) {
  std::vector<ValueId> known;
  for (ValueId value : builder.scalars) {
    Scalar from = builder.elementOf(value);
    // There is no cast from floats to integers that is defined for all values,
    // and how wide integers round to half types is open.
    if (from == type || (isFloat(from) && isInteger(type)))
      continue;
    if (isHalf(type) &&
        (from == Scalar::F64 || (isInteger(from) && !builder.rangeOf(value))))
      continue;
    known.push_back(value);
  }
  if (known.empty())
    return builder.someConstant(type);
  return builder.convert(known[recentPosition(random, known.size())], type);
}

ValueId Expressions::leaf(Scalar type) {
  switch (random.weighted({4, 4, style.mixedTypes * 10, 0.6})) {
  case 0:
    if (std::optional<ValueId> value = recentScalar(type))
      return *value;
    return load(access(type, false));
  case 1:
    return load(access(type, false));
  case 2:
    return castFromOther(type);
  default:
    return builder.someConstant(type);
  }
}

ValueId Expressions::positiveDivisor(Scalar type) {
  std::vector<ValueId> positive;
  for (ValueId value : builder.scalars)
    if (builder.elementOf(value) == type && builder.rangeOf(value) &&
        builder.rangeOf(value)->low > 0)
      positive.push_back(value);
  if (!positive.empty() && random.chance(0.7))
    return random.pick(positive);
  return builder.constant(type, static_cast<uint64_t>(random.between(1, 7)));
}

ValueId Expressions::combineIntegers(Scalar type, ValueId lhs, ValueId rhs) {
  switch (random.weighted({6, 4, 3, 2, 1.5, 1, 1})) {
  case 0:
    return builder.binary(Opcode::AddI, lhs, rhs);
  case 1:
    return builder.binary(Opcode::MulI, lhs, rhs);
  case 2:
    return builder.binary(Opcode::SubI, lhs, rhs);
  case 3:
    return builder.binary(random.pick({Opcode::MinSI, Opcode::MaxSI,
                                       Opcode::MinUI, Opcode::MaxUI}),
                          lhs, rhs);
  case 4:
    return builder.binary(
        random.pick({Opcode::AndI, Opcode::OrI, Opcode::XOrI}), lhs, rhs);
  case 5:
    return builder.binary(random.pick({Opcode::DivSI, Opcode::DivUI,
                                       Opcode::RemSI, Opcode::RemUI}),
                          lhs, positiveDivisor(type));
  default: {
    uint64_t amount = random.position(bitWidth(type));
    return builder.binary(
        random.pick({Opcode::ShLI, Opcode::ShRSI, Opcode::ShRUI}), lhs,
        builder.constant(type, amount));
  }
  }
}

/// Not "false" or "true": upstream's canonicalizer dies on these where an
/// integer was converted (CmpFIntToFPConst).
static uint64_t somePredicate(Random &random, Scalar type) {
  if (isFloat(type))
    return 1 + random.position(kFloatPredicates.size() - 2);
  return random.position(kIntegerPredicates.size());
}

ValueId Expressions::combineFloats(Scalar type, ValueId lhs, ValueId rhs) {
  bool hasFma = type == Scalar::F32 || type == Scalar::F64;
  switch (random.weighted({6, 4, 2, 2, 0.5, 0.7, hasFma ? 0.7 : 0})) {
  case 0:
    return builder.binary(Opcode::AddF, lhs, rhs);
  case 1:
    return builder.binary(Opcode::MulF, lhs, rhs);
  case 2:
    return builder.binary(Opcode::SubF, lhs, rhs);
  case 3:
    return builder.binary(random.pick({Opcode::MaximumF, Opcode::MinimumF}),
                          lhs, rhs);
  case 4:
    return builder.binary(Opcode::DivF, lhs, rhs);
  case 5:
    return builder.select(
        builder.compare(somePredicate(random, type), lhs, rhs), lhs, rhs);
  default:
    return builder.fma(lhs, leaf(type), rhs);
  }
}

ValueId Expressions::combine(Scalar type, ValueId lhs, ValueId rhs) {
  if (isFloat(type))
    return combineFloats(type, lhs, rhs);
  if (type == Scalar::I1)
    return builder.binary(
        random.pick({Opcode::AndI, Opcode::OrI, Opcode::XOrI}), lhs, rhs);
  return combineIntegers(type, lhs, rhs);
}

ValueId Expressions::data(Scalar type, int depth) {
  if (depth <= 0 || random.chance(0.3))
    return leaf(type);
  ValueId lhs = data(type, depth - 1);
  if (random.chance(0.1) && isFloat(type)) {
    if (random.chance(0.3))
      return builder.unary(Opcode::NegF, lhs);
    // Not of negative numbers: what is NaN everywhere hides what else is wrong.
    ValueId positive = builder.unary(Opcode::AbsF, lhs);
    return random.chance(0.5) ? builder.unary(Opcode::Sqrt, positive)
                              : positive;
  }
  if (random.chance(0.05))
    return builder.select(condition(), lhs, leaf(type));
  return combine(type, lhs, leaf(type));
}

ValueId Expressions::condition() {
  if (random.chance(0.5)) {
    ValueId lhs = index();
    ValueId rhs = random.chance(0.5) ? index() : builder.index(someSize() / 2);
    return builder.compare(somePredicate(random, Scalar::Index), lhs, rhs);
  }
  Scalar type = someDataType();
  ValueId lhs = leaf(type), rhs = leaf(type);
  return builder.compare(somePredicate(random, type), lhs, rhs);
}

} // namespace ember::fuzz
