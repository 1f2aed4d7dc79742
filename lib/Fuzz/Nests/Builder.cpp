//===- Builder.cpp - Writes the operations of one function ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Builder.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <bit>

namespace ember::fuzz {

Type arrayType(const Array &array) {
  std::vector<int64_t> shape = array.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (array.isOpen[i])
      shape[i] = kDynamic;
  return Type::memref(array.element, std::move(shape));
}

Builder::Builder(Random &random, const Style &style, std::string name)
    : random(random), style(style) {
  function.name = std::move(name);
  block = &function.body;
}

ValueId Builder::newValue(Type type, std::optional<Range> range) {
  ValueId value = function.addValue(std::move(type));
  info.push_back({range, {}, value});
  return value;
}

Op &Builder::append(Opcode opcode, std::vector<ValueId> operands) {
  Op op;
  op.opcode = opcode;
  op.operands = std::move(operands);
  block->ops.push_back(std::move(op));
  return block->ops.back();
}

ValueId Builder::appendWithResult(Opcode opcode, std::vector<ValueId> operands,
                                  Type type, std::optional<Range> range) {
  ValueId value = newValue(std::move(type), range);
  append(opcode, std::move(operands)).results = {value};
  scalars.push_back(value);
  return value;
}

//===----------------------------------------------------------------------===//
// Parameters and constants
//===----------------------------------------------------------------------===//

ValueId Builder::addParameter(Array array) {
  ValueId value = newValue(arrayType(array));
  array.name += std::to_string(parameters.size());
  info[value].array = array;
  parameters.push_back({true, array, array.element, {}, value});
  function.body.arguments.push_back(value);
  function.parameterNames.push_back(array.name);
  // Parameters are in scope everywhere, so they come before what is not.
  memrefs.insert(memrefs.begin(), value);
  return value;
}

ValueId Builder::addParameter(Scalar element, Range range) {
  ValueId value = newValue(Type::scalar(element), range);
  std::string name = "n" + std::to_string(parameters.size());
  parameters.push_back({false, {}, element, range, value});
  function.body.arguments.push_back(value);
  function.parameterNames.push_back(name);
  scalars.insert(scalars.begin(), value);
  return value;
}

void Builder::markWritten(ValueId memref) {
  for (Parameter &parameter : parameters)
    if (parameter.isMemRef && parameter.value == rootOf(memref))
      parameter.isWritten = true;
}

ValueId Builder::constant(Scalar element, uint64_t bits) {
  bits = truncateBits(element, bits);
  std::optional<Range> range;
  if (isInteger(element)) {
    int64_t value = signedValue(element, bits);
    range = Range{value, value};
  }
  bool isLocal = random.chance(style.localConstants);
  auto known = prefixConstants.find({element, bits});
  if (!isLocal && known != prefixConstants.end())
    return known->second;
  ValueId value = newValue(Type::scalar(element), range);
  info[value].isFixed = true;
  Op op;
  op.immediate = bits;
  op.results = {value};
  (isLocal ? *block : prefix).ops.push_back(std::move(op));
  if (!isLocal)
    prefixConstants[{element, bits}] = value;
  return value;
}

ValueId Builder::someConstant(Scalar element) {
  if (isFloat(element))
    return constant(element,
                    encodeFloat(element, random.pick({0.0, 1.0, -1.0, 0.5, 2.0,
                                                      3.0, 0.25, -0.0, 1.5})));
  return constant(element, static_cast<uint64_t>(random.between(-3, 7)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The range of an operation on ranges, where it is easy to say.
std::optional<Range> Builder::binaryRange(Opcode opcode, ValueId lhs,
                                          ValueId rhs) const {
  // The remainder by a positive constant is small whatever is divided.
  if (opcode == Opcode::RemUI && rangeOf(rhs) && rangeOf(rhs)->low > 0)
    return Range{0, rangeOf(rhs)->high - 1};
  if (!rangeOf(lhs) || !rangeOf(rhs))
    return std::nullopt;
  Range a = *rangeOf(lhs), b = *rangeOf(rhs);
  constexpr int64_t limit = int64_t(1) << 30;
  if (std::min(a.low, b.low) < -limit || std::max(a.high, b.high) > limit)
    return std::nullopt;
  bool isPositive = a.low >= 0 && b.low >= 0;
  bool isDivision = isPositive && b.low > 0;
  switch (opcode) {
  case Opcode::AddI:
    return Range{a.low + b.low, a.high + b.high};
  case Opcode::SubI:
    return Range{a.low - b.high, a.high - b.low};
  case Opcode::MulI: {
    auto [low, high] = std::minmax(
        {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return Range{low, high};
  }
  case Opcode::MinSI:
    return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
  case Opcode::MaxSI:
    return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
  case Opcode::MinUI:
    return isPositive ? std::optional<Range>(Range{std::min(a.low, b.low),
                                                   std::min(a.high, b.high)})
                      : std::nullopt;
  case Opcode::MaxUI:
    return isPositive ? std::optional<Range>(Range{std::max(a.low, b.low),
                                                   std::max(a.high, b.high)})
                      : std::nullopt;
  case Opcode::DivSI:
  case Opcode::DivUI:
    return isDivision
               ? std::optional<Range>(Range{a.low / b.high, a.high / b.low})
               : std::nullopt;
  case Opcode::RemSI:
    return isDivision
               ? std::optional<Range>(Range{0, std::min(a.high, b.high - 1)})
               : std::nullopt;
  case Opcode::AndI:
    return isPositive ? std::optional<Range>(Range{0, std::min(a.high, b.high)})
                      : std::nullopt;
  case Opcode::ShRUI:
  case Opcode::ShRSI:
    return isPositive && b.high < 30
               ? std::optional<Range>(Range{a.low >> b.high, a.high >> b.low})
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// True if all of `range` are numbers of `element`, as signed ones.
static bool fits(Range range, Scalar element) {
  if (bitWidth(element) == 64)
    return true;
  int64_t limit = int64_t(1) << (bitWidth(element) - 1);
  return range.low >= -limit && range.high < limit;
}

ValueId Builder::binary(Opcode opcode, ValueId lhs, ValueId rhs) {
  std::optional<Range> range;
  if (isIntegerBinary(opcode)) {
    range = binaryRange(opcode, lhs, rhs);
    if (range && !fits(*range, elementOf(lhs)))
      range.reset();
  }
  return appendWithResult(opcode, {lhs, rhs}, function.types[lhs], range);
}

ValueId Builder::unary(Opcode opcode, ValueId value) {
  return appendWithResult(opcode, {value}, function.types[value]);
}

ValueId Builder::fma(ValueId a, ValueId b, ValueId c) {
  return appendWithResult(Opcode::Fma, {a, b, c}, function.types[a]);
}

ValueId Builder::compare(uint64_t predicate, ValueId lhs, ValueId rhs) {
  Opcode opcode = isFloat(elementOf(lhs)) ? Opcode::CmpF : Opcode::CmpI;
  ValueId value =
      appendWithResult(opcode, {lhs, rhs}, Type::scalar(Scalar::I1));
  block->ops.back().immediate = predicate;
  info[value].isFixed = lhs == rhs || (info[lhs].isFixed && info[rhs].isFixed);
  return value;
}

ValueId Builder::select(ValueId condition, ValueId lhs, ValueId rhs) {
  if (info[condition].isFixed)
    return lhs;
  std::optional<Range> range;
  if (rangeOf(lhs) && rangeOf(rhs))
    range = Range{std::min(rangeOf(lhs)->low, rangeOf(rhs)->low),
                  std::max(rangeOf(lhs)->high, rangeOf(rhs)->high)};
  return appendWithResult(Opcode::Select, {condition, lhs, rhs},
                          function.types[lhs], range);
}

ValueId Builder::cast(Opcode opcode, ValueId value, Scalar to) {
  std::optional<Range> range;
  if (isInteger(to) && rangeOf(value) && fits(*rangeOf(value), to)) {
    bool isSigned = opcode == Opcode::IndexCast || opcode == Opcode::ExtSI ||
                    opcode == Opcode::TruncI;
    if (isSigned || rangeOf(value)->low >= 0)
      range = rangeOf(value);
  }
  return appendWithResult(opcode, {value}, Type::scalar(to), range);
}

ValueId Builder::convert(ValueId value, Scalar to) {
  Scalar from = elementOf(value);
  if (from == to)
    return value;
  if (isFloat(from)) {
    bool isWider = bitWidth(to) > bitWidth(from);
    // Between the half types, by way of f32.
    if (bitWidth(to) == bitWidth(from))
      return cast(Opcode::TruncF, cast(Opcode::ExtF, value, Scalar::F32), to);
    return cast(isWider ? Opcode::ExtF : Opcode::TruncF, value, to);
  }
  if (from == Scalar::Index && isFloat(to))
    return convert(
        cast(Opcode::IndexCast, value, random.pick({Scalar::I64, Scalar::I32})),
        to);
  bool isPositive = rangeOf(value) && rangeOf(value)->low >= 0;
  bool isUnsigned = from == Scalar::I1 || (isPositive && random.chance(0.3));
  if (isFloat(to))
    return cast(isUnsigned ? Opcode::UIToFP : Opcode::SIToFP, value, to);
  if (from == Scalar::Index || to == Scalar::Index) {
    // Widening first is what front ends write too.
    if (bitWidth(from) < 64 && random.chance(0.3))
      return convert(
          cast(isUnsigned ? Opcode::ExtUI : Opcode::ExtSI, value, Scalar::I64),
          to);
    return cast(isUnsigned ? Opcode::IndexCastUI : Opcode::IndexCast, value,
                to);
  }
  if (bitWidth(to) < bitWidth(from))
    return cast(Opcode::TruncI, value, to);
  return cast(isUnsigned ? Opcode::ExtUI : Opcode::ExtSI, value, to);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

ValueId Builder::load(ValueId memref, std::vector<ValueId> indices) {
  const Array &array = arrayOf(memref);
  std::optional<Range> range;
  if (array.content != Content::Data)
    range = array.range;
  indices.insert(indices.begin(), memref);
  return appendWithResult(Opcode::Load, std::move(indices),
                          Type::scalar(array.element), range);
}

void Builder::store(ValueId value, ValueId memref,
                    std::vector<ValueId> indices) {
  indices.insert(indices.begin(), {value, memref});
  append(Opcode::Store, std::move(indices));
  markWritten(memref);
}

void Builder::copy(ValueId from, ValueId to) {
  append(Opcode::Copy, {from, to});
  markWritten(to);
}

void Builder::assertHolds(ValueId condition) {
  append(Opcode::Assert, {condition});
}

ValueId Builder::dim(ValueId memref, unsigned dimension) {
  int64_t size = arrayOf(memref).shape[dimension];
  ValueId value = appendWithResult(
      Opcode::Dim, {memref}, Type::scalar(Scalar::Index), Range{size, size});
  block->ops.back().immediate = dimension;
  return value;
}

ValueId Builder::newMemRef(Opcode opcode, std::vector<ValueId> operands,
                           Type type, Array array,
                           std::optional<ValueId> root) {
  ValueId value = newValue(std::move(type));
  info[value].array = std::move(array);
  info[value].root = root.value_or(value);
  append(opcode, std::move(operands)).results = {value};
  memrefs.push_back(value);
  return value;
}

ValueId Builder::subView(ValueId memref, Op op, Array array) {
  Type type = subViewType(function.types[memref], op);
  ValueId value = newMemRef(Opcode::SubView, op.operands, type,
                            std::move(array), rootOf(memref));
  Op &placed = block->ops.back();
  placed.offsets = op.offsets;
  placed.sizes = op.sizes;
  placed.strides = op.strides;
  return value;
}

ValueId Builder::transpose(ValueId memref) {
  Array array = arrayOf(memref);
  std::reverse(array.shape.begin(), array.shape.end());
  std::reverse(array.isOpen.begin(), array.isOpen.end());
  return newMemRef(Opcode::Transpose, {memref},
                   transposedType(function.types[memref]), std::move(array),
                   rootOf(memref));
}

ValueId Builder::castMemRef(ValueId memref, std::vector<bool> isOpen) {
  Array array = arrayOf(memref);
  array.isOpen = std::move(isOpen);
  return newMemRef(Opcode::Cast, {memref}, arrayType(array), array,
                   rootOf(memref));
}

ValueId Builder::alloc(Array array, bool onStack) {
  std::vector<ValueId> sizes;
  for (size_t i = 0; i < array.shape.size(); ++i)
    if (array.isOpen[i])
      sizes.push_back(index(array.shape[i]));
  return newMemRef(onStack ? Opcode::Alloca : Opcode::Alloc, std::move(sizes),
                   arrayType(array), array, std::nullopt);
}

void Builder::dealloc(ValueId memref) {
  append(Opcode::Dealloc, {memref});
  std::erase(memrefs, memref);
}

void Builder::describe(ValueId memref, const Array &array) {
  info[memref].array = array;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

std::vector<ValueId> Builder::call(uint64_t position, const Function &callee,
                                   std::vector<ValueId> operands) {
  std::vector<ValueId> results;
  for (const Type &type : callee.results) {
    results.push_back(newValue(type));
    (type.isMemRef ? memrefs : scalars).push_back(results.back());
  }
  Op &op = append(Opcode::Call, std::move(operands));
  op.results = results;
  op.immediate = position;
  return results;
}

/// Fills a block whose values go out of scope at its end. Parameters that are
/// added meanwhile stay.
Block Builder::runScope(const std::function<void(Block &)> &fill) {
  std::vector<ValueId> outerScalars = scalars, outerMemRefs = memrefs;
  size_t parameterCount = parameters.size();
  Block inner;
  Block *outer = block;
  block = &inner;
  fill(inner);
  block = outer;
  scalars = std::move(outerScalars);
  memrefs = std::move(outerMemRefs);
  for (size_t i = parameterCount; i < parameters.size(); ++i) {
    std::vector<ValueId> &scope = parameters[i].isMemRef ? memrefs : scalars;
    scope.insert(scope.begin(), parameters[i].value);
  }
  return inner;
}

std::vector<ValueId> Builder::forLoop(ValueId lower, ValueId upper,
                                      ValueId step,
                                      std::vector<ValueId> initial,
                                      const LoopBody &body,
                                      std::optional<Range> distance) {
  Block region = runScope([&](Block &inner) {
    std::optional<Range> range;
    if (!distance) {
      range = Range{rangeOf(lower)->low, rangeOf(upper)->high - 1};
      range->high = std::max(range->low, range->high);
    }
    ValueId iv = newValue(Type::scalar(Scalar::Index), range);
    inner.arguments.push_back(iv);
    scalars.push_back(iv);
    if (distance)
      iv = appendWithResult(Opcode::SubI, {iv, lower},
                            Type::scalar(Scalar::Index), distance);
    inductions.push_back(iv);
    std::vector<ValueId> carried;
    for (ValueId value : initial) {
      carried.push_back(newValue(function.types[value]));
      inner.arguments.push_back(carried.back());
      scalars.push_back(carried.back());
    }
    inner.yields = body(iv, carried);
    inductions.pop_back();
  });
  std::vector<ValueId> operands = {lower, upper, step}, results;
  for (ValueId value : initial) {
    operands.push_back(value);
    results.push_back(newValue(function.types[value]));
  }
  Op &op = append(Opcode::For, std::move(operands));
  op.results = results;
  op.regions.push_back(std::move(region));
  scalars.insert(scalars.end(), results.begin(), results.end());
  return results;
}

ValueId Builder::assume(ValueId value, Range range) {
  info[value].range = range;
  return value;
}

std::vector<ValueId> Builder::whileLoop(std::vector<ValueId> initial,
                                        const WhileTest &test,
                                        const WhileBody &body) {
  auto addArguments = [&](Block &region, bool isBody) {
    for (ValueId value : initial) {
      ValueId argument = newValue(function.types[value], rangeOf(value));
      region.arguments.push_back(argument);
      if (isBody)
        scalars.push_back(argument);
    }
  };
  std::vector<Block> regions;
  regions.push_back(runScope([&](Block &inner) {
    addArguments(inner, /*isBody=*/false);
    inner.yields = {test(inner.arguments)};
    inner.yields.insert(inner.yields.end(), inner.arguments.begin(),
                        inner.arguments.end());
  }));
  regions.push_back(runScope([&](Block &inner) {
    addArguments(inner, /*isBody=*/true);
    inner.yields = body(inner.arguments);
  }));
  std::vector<ValueId> results;
  for (ValueId value : initial)
    results.push_back(newValue(function.types[value], rangeOf(value)));
  Op &op = append(Opcode::While, std::move(initial));
  op.results = results;
  op.regions = std::move(regions);
  return results;
}

std::vector<ValueId> Builder::ifThen(ValueId condition, const Branch &then,
                                     const Branch &otherwise) {
  std::vector<Block> regions;
  regions.push_back(runScope([&](Block &inner) { inner.yields = then(); }));
  if (otherwise)
    regions.push_back(
        runScope([&](Block &inner) { inner.yields = otherwise(); }));
  std::vector<ValueId> results;
  for (ValueId value : regions.front().yields)
    results.push_back(newValue(function.types[value]));
  Op &op = append(Opcode::If, {condition});
  op.results = results;
  op.regions = std::move(regions);
  scalars.insert(scalars.end(), results.begin(), results.end());
  return results;
}

Function Builder::finish(std::vector<ValueId> returned) {
  for (ValueId value : returned)
    function.results.push_back(function.types[value]);
  function.body.yields = std::move(returned);
  std::vector<Op> ops = std::move(prefix.ops);
  std::move(function.body.ops.begin(), function.body.ops.end(),
            std::back_inserter(ops));
  function.body.ops = std::move(ops);
  return std::move(function);
}

} // namespace ember::fuzz
