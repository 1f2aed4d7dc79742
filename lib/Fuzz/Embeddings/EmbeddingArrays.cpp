//===- EmbeddingArrays.cpp - Operands of embedding operations -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingArrays.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

static Scalar drawValueType(Random &random) {
  return random.pick(
      {Scalar::F32, Scalar::F32, Scalar::F64, Scalar::F16, Scalar::BF16});
}

static Scalar drawIndexType(Random &random) {
  return random.pick(
      {Scalar::I64, Scalar::I64, Scalar::I32, Scalar::I32, Scalar::Index});
}

EmbeddingStyle drawEmbeddingStyle(Random &random) {
  EmbeddingStyle style;
  style.isOnTensors = random.chance(0.65);
  for (size_t count = random.weighted({5, 3, 2}) + 1; count > 0; --count)
    style.values.push_back(drawValueType(random));
  style.index = drawIndexType(random);
  style.offset = random.chance(0.7) ? style.index : drawIndexType(random);
  for (int64_t count = random.between(1, 3); count > 0; --count)
    style.counts.push_back(random.pick<int64_t>({1, 2, 3, 4, 5, 6, 7, 9, 12}));
  if (random.chance(0.06))
    style.counts.push_back(0);
  for (int64_t count = random.between(1, 2); count > 0; --count)
    style.lengths.push_back(random.pick<int64_t>(
        {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 31, 32, 33, 64, 65}));
  if (random.chance(0.04))
    style.lengths.push_back(0);
  style.openDimensions = random.pick({0.0, 0.4, 0.8, 1.0});
  style.views = style.isOnTensors ? 0 : random.pick({0.0, 0.3, 0.7});
  style.allocations = random.pick({0.0, 0.4, 0.8});
  style.reuse = random.pick({0.2, 0.5, 0.8});
  style.encodedTables = random.pick({0.0, 0.3, 0.9});
  style.conflicts = style.isOnTensors ? random.pick({0.0, 0.0, 0.3}) : 0;
  style.hasRoundNumbers = random.chance(0.5);
  style.hasWildNumbers = random.chance(0.08);
  return style;
}

static Program startProgram() {
  Program program;
  Function entry;
  entry.name = "entry";
  program.functions.push_back(std::move(entry));
  return program;
}

EmbeddingArrays::EmbeddingArrays(Random &random, const EmbeddingStyle &style)
    : random(random), style(style), program(startProgram()),
      function(program.functions.front()) {}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

ValueId EmbeddingArrays::parameter(std::string name, Type type, Input input) {
  ValueId value = function.addValue(std::move(type));
  function.body.arguments.push_back(value);
  function.parameterNames.push_back(
      std::move(name) + std::to_string(function.parameterNames.size()));
  program.inputs.push_back(std::move(input));
  return value;
}

ValueId EmbeddingArrays::constant(Scalar element, uint64_t bits) {
  ValueId value = function.addValue(Type::scalar(element));
  Op op;
  op.immediate = bits;
  op.results = {value};
  function.body.ops.push_back(std::move(op));
  return value;
}

ValueId EmbeddingArrays::indexScalar(int64_t value) {
  auto bits = static_cast<uint64_t>(value);
  if (random.chance(0.5))
    return constant(Scalar::Index, bits);
  Input input;
  input.bits = {bits};
  return parameter("n", Type::scalar(Scalar::Index), std::move(input));
}

ValueId EmbeddingArrays::floatScalar() {
  Scalar element = someType();
  uint64_t bits = number(element);
  if (random.chance(0.5))
    return constant(element, bits);
  Input input;
  input.element = element;
  input.bits = {bits};
  return parameter("s", Type::scalar(element), std::move(input));
}

uint64_t EmbeddingArrays::number(Scalar element) {
  if (style.hasWildNumbers && random.chance(0.05))
    return encodeFloat(element,
                       random.pick({0.0, -0.0, 1e30, -1e30, 1e-40, HUGE_VAL,
                                    -HUGE_VAL, double(NAN)}));
  if (style.hasRoundNumbers)
    return encodeFloat(element, static_cast<double>(random.between(-8, 8)) / 4);
  return encodeFloat(element, random.fraction() * 4 - 2);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

std::vector<int64_t>
EmbeddingArrays::openSizes(const std::vector<int64_t> &shape) {
  std::vector<int64_t> sizes = shape;
  for (int64_t &size : sizes)
    if (random.chance(style.openDimensions))
      size = kDynamic;
  return sizes;
}

std::vector<ValueId>
EmbeddingArrays::sizesOf(const Type &type, const std::vector<int64_t> &shape) {
  std::vector<ValueId> sizes;
  for (size_t i = 0; i < shape.size(); ++i)
    if (type.shape[i] == kDynamic)
      sizes.push_back(indexScalar(shape[i]));
  return sizes;
}

ValueId EmbeddingArrays::shaped(const std::string &name, Scalar element,
                                std::vector<int64_t> shape,
                                std::vector<uint64_t> bits, bool isWritten,
                                bool hasFixedRows) {
  if (!hasFixedRows && random.chance(style.views))
    return view(name, element, shape, bits, isWritten);
  Type type = Type::memref(element, openSizes(shape));
  type.isTensor = style.isOnTensors;
  if (hasFixedRows)
    type.shape.back() = shape.back();
  Input input;
  input.element = element;
  input.isMemRef = true;
  input.isReadOnly = !isWritten;
  input.shape = std::move(shape);
  input.bits = std::move(bits);
  return parameter(name, std::move(type), std::move(input));
}

/// Elements of a larger array: what lies between them must not be read.
ValueId EmbeddingArrays::view(const std::string &name, Scalar element,
                              const std::vector<int64_t> &shape,
                              const std::vector<uint64_t> &bits,
                              bool isWritten) {
  Op op;
  op.opcode = Opcode::SubView;
  std::vector<int64_t> physical, offsets, strides;
  for (int64_t size : shape) {
    offsets.push_back(random.chance(0.5) ? 0 : random.between(0, 3));
    strides.push_back(random.chance(0.7) ? 1 : random.between(1, 3));
    // A view of nothing begins within its source, too.
    physical.push_back(offsets.back() +
                       std::max<int64_t>(size * strides.back(), 1) +
                       random.between(0, 2));
  }
  Input input;
  input.element = element;
  input.isMemRef = true;
  input.isReadOnly = !isWritten;
  input.shape = physical;
  input.bits.assign(static_cast<size_t>(elementCount(physical)),
                    truncateBits(element, ~uint64_t(0)));
  for (size_t k = 0; k < bits.size(); ++k) {
    int64_t rest = static_cast<int64_t>(k), position = 0, stride = 1;
    for (size_t i = shape.size(); i-- > 0; rest /= shape[i]) {
      position += (offsets[i] + rest % shape[i] * strides[i]) * stride;
      stride *= physical[i];
    }
    input.bits[static_cast<size_t>(position)] = bits[k];
  }
  ValueId whole = parameter(name, Type::memref(element, openSizes(physical)),
                            std::move(input));
  op.operands = {whole};
  auto leaveOpen = [&](std::vector<int64_t> &numbers) {
    for (int64_t &number : numbers)
      if (random.chance(style.openDimensions)) {
        op.operands.push_back(indexScalar(number));
        number = kDynamic;
      }
    return numbers;
  };
  op.offsets = leaveOpen(offsets);
  op.sizes = shape;
  leaveOpen(op.sizes);
  op.strides = leaveOpen(strides);
  ValueId value = function.addValue(subViewType(function.types[whole], op));
  op.results = {value};
  function.body.ops.push_back(std::move(op));
  return value;
}

ValueId EmbeddingArrays::values(const std::string &name,
                                std::vector<int64_t> shape, bool hasFixedRows) {
  std::vector<ValueId> fitting;
  for (const Known &other : known)
    if (other.shape == shape &&
        (!hasFixedRows || function.types[other.value].shape.back() != kDynamic))
      fitting.push_back(other.value);
  if (!fitting.empty() && random.chance(style.reuse))
    return random.pick(fitting);
  Scalar element = someType();
  std::vector<uint64_t> bits;
  for (int64_t count = elementCount(shape); count > 0; --count)
    bits.push_back(number(element));
  ValueId value =
      shaped(name, element, shape, std::move(bits), false, hasFixedRows);
  known.push_back({value, std::move(shape)});
  return value;
}

/// Exponents around that of 1, so that sums are finite, unless numbers are
/// wild: then also the smallest, the largest, and that of NaN.
void EmbeddingArrays::drawBlockScales(std::vector<uint64_t> &bits, int64_t rows,
                                      int64_t length, const RowLayout &format) {
  constexpr int64_t one = 127;
  int64_t scales = format.parameterBytes(length);
  int64_t first = format.isLeading ? 0 : format.elementBytes(length);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < scales; ++k) {
      int64_t scale = random.between(one - 6, one + 2);
      if (style.hasWildNumbers && random.chance(0.3))
        scale = random.pick<int64_t>({0, 1, 253, 254, 255});
      bits[static_cast<size_t>(row * format.rowBytes(length) + first + k)] =
          static_cast<uint64_t>(scale);
    }
}

ValueId EmbeddingArrays::encodedTable(int64_t rows, int64_t length,
                                      const RowLayout &format,
                                      bool hasFixedRows) {
  int64_t rowBytes = format.rowBytes(length);
  std::vector<uint64_t> bits;
  for (int64_t count = rows * rowBytes; count > 0; --count) {
    uint64_t byte = random.next() & 0xff;
    // Not a number that is none, unless asked for.
    if (!format.isScaled() && !style.hasWildNumbers)
      byte &= 0xbf;
    bits.push_back(byte);
  }
  if (format.hasBlockScales())
    drawBlockScales(bits, rows, length, format);
  for (int64_t row = 0; row < rows && format.isScaled(); ++row)
    for (int64_t k = 0; k < 2; ++k) {
      Scalar parameter = parameterType(format);
      int64_t width = byteSize(parameter);
      double value = style.hasRoundNumbers
                         ? static_cast<double>(random.between(-4, 4)) / 64
                         : random.fraction() * 0.1 - 0.05;
      uint64_t encoded = encodeFloat(parameter, value);
      int64_t first = row * rowBytes + k * width +
                      (format.isLeading ? 0 : rowBytes - 2 * width);
      for (int64_t i = 0; i < width; ++i)
        bits[static_cast<size_t>(first + i)] = encoded >> (8 * i) & 0xff;
    }
  return shaped("bytes", Scalar::I8, {rows, rowBytes}, std::move(bits), false,
                hasFixedRows);
}

ValueId EmbeddingArrays::integers(const std::string &name, Scalar element,
                                  std::vector<int64_t> shape,
                                  const std::vector<int64_t> &numbers) {
  std::vector<uint64_t> bits;
  for (int64_t number : numbers)
    bits.push_back(truncateBits(element, static_cast<uint64_t>(number)));
  return shaped(name, element, std::move(shape), std::move(bits), false, false);
}

bool EmbeddingArrays::isOverwritten(ValueId value) const {
  for (const Op &op : function.body.ops)
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (op.operands[i] == value && op.embedding &&
          op.embedding->roles[i] == Role::Init)
        return true;
  return false;
}

std::optional<ValueId>
EmbeddingArrays::readTensor(const std::vector<int64_t> &shape) {
  const std::vector<ValueId> &arguments = function.body.arguments;
  for (const Known &other : known) {
    if (other.shape != shape || isOverwritten(other.value))
      continue;
    auto found = std::find(arguments.begin(), arguments.end(), other.value);
    if (found != arguments.end())
      program.inputs[static_cast<size_t>(found - arguments.begin())]
          .isReadOnly = false;
    return other.value;
  }
  return std::nullopt;
}

ValueId EmbeddingArrays::init(std::vector<int64_t> shape) {
  if (random.chance(style.conflicts))
    if (std::optional<ValueId> value = readTensor(shape))
      return *value;
  Scalar element = someType();
  if (!random.chance(style.allocations)) {
    // What must not come through.
    std::vector<uint64_t> bits(static_cast<size_t>(elementCount(shape)),
                               encodeFloat(element, NAN));
    return shaped("out", element, std::move(shape), std::move(bits), true,
                  false);
  }
  Type type = Type::memref(element, openSizes(shape));
  type.isTensor = style.isOnTensors;
  Op op;
  op.opcode = style.isOnTensors ? Opcode::Empty : Opcode::Alloc;
  op.operands = sizesOf(type, shape);
  ValueId value = function.addValue(std::move(type));
  op.results = {value};
  function.body.ops.push_back(std::move(op));
  if (!style.isOnTensors)
    allocated.push_back(value);
  return value;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void EmbeddingArrays::append(Embedding embedding, std::vector<ValueId> operands,
                             std::vector<int64_t> shape) {
  Op op;
  op.opcode = Opcode::Embed;
  ValueId value = operands.back();
  if (style.isOnTensors) {
    value = function.addValue(function.types[operands.back()]);
    op.results = {value};
    results.push_back(value);
  }
  op.operands = std::move(operands);
  op.embedding = std::move(embedding);
  function.body.ops.push_back(std::move(op));
  known.push_back({value, std::move(shape)});
}

bool EmbeddingArrays::isRead(ValueId value) const {
  for (const Op &op : function.body.ops)
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (op.operands[i] == value &&
          !(op.embedding && op.embedding->roles[i] == Role::Init))
        return true;
  return false;
}

Program EmbeddingArrays::finish() {
  // Unless it is returned, the memory of an argument may stay as it was.
  function.body.yields = results;
  std::vector<size_t> local = returnedResults(function);
  std::vector<ValueId> kept;
  for (size_t i = 0; i < results.size(); ++i) {
    bool isLocal = std::find(local.begin(), local.end(), i) != local.end();
    // Which memory is overwritten depends on what is returned: all of it then.
    if (!isLocal || !isRead(results[i]) || style.conflicts > 0 ||
        random.chance(0.4))
      kept.push_back(results[i]);
  }
  for (ValueId memory : allocated) {
    if (!isRead(memory) || random.chance(0.4)) {
      kept.push_back(memory);
      continue;
    }
    Op op;
    op.opcode = Opcode::Dealloc;
    op.operands = {memory};
    function.body.ops.push_back(std::move(op));
  }
  function.body.yields = kept;
  for (ValueId value : kept)
    function.results.push_back(function.types[value]);
  return std::move(program);
}

} // namespace ember::fuzz
