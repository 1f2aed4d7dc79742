//===- EmbeddingEvaluator.cpp - What embedding operations compute ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all operations share: operands, stored rows, errors.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <cmath>

namespace ember::fuzz {

/// f64 where any value is.
static Scalar computeType(const std::vector<EmbeddingOperand> &operands) {
  for (const EmbeddingOperand &operand : operands)
    if (operand.element == Scalar::F64)
      return Scalar::F64;
  return Scalar::F32;
}

EmbeddingEvaluator::EmbeddingEvaluator(
    const Embedding &embedding, const std::vector<EmbeddingOperand> &operands)
    : embedding(embedding), operands(operands),
      arithmetic(computeType(operands)) {}

std::optional<Fault> EmbeddingEvaluator::run() {
  switch (embedding.kind) {
  case Embedding::Bag:
    runBag();
    break;
  case Embedding::SpMM:
    runSpMM();
    break;
  case Embedding::SDDMM:
    runSDDMM();
    break;
  case Embedding::Message:
    runMessage();
    break;
  case Embedding::Score:
    runScore();
    break;
  case Embedding::Gather:
    runGather();
    break;
  case Embedding::BlockScores:
    runBlockScores();
    break;
  case Embedding::BlockValues:
    runBlockValues();
    break;
  }
  return fault;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<int64_t>
EmbeddingEvaluator::locate(const EmbeddingOperand &in,
                           const std::vector<int64_t> &at) {
  int64_t position = in.view.offset;
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0 || at[i] >= in.view.sizes[i])
      fail(Fault::Index, "index " + std::to_string(at[i]) + " of size " +
                             std::to_string(in.view.sizes[i]));
    position += at[i] * in.view.strides[i];
  }
  if (!isFine())
    return std::nullopt;
  if (!in.view.storage->isWritten[static_cast<size_t>(position)] ||
      in.view.storage->isFreed)
    fail(Fault::Generator, "load of an element never written, or freed");
  return position;
}

int64_t EmbeddingEvaluator::index(Role role, std::vector<int64_t> at) {
  const EmbeddingOperand &from = operand(role);
  std::optional<int64_t> position = locate(from, at);
  return position
             ? signedValue(from.element, from.view.storage->bits[*position])
             : 0;
}

Approximate EmbeddingEvaluator::load(const EmbeddingOperand &from,
                                     std::vector<int64_t> at) {
  std::optional<int64_t> position = locate(from, at);
  if (!position)
    return {};
  return {decodeFloat(from.element, from.view.storage->bits[*position]),
          from.view.storage->error(*position)};
}

Approximate EmbeddingEvaluator::scalar(Role role) const {
  const EmbeddingOperand &from = operand(role);
  return {decodeFloat(from.element, from.bits), 0};
}

void EmbeddingEvaluator::storeBits(const std::vector<int64_t> &at,
                                   uint64_t bits, double error) {
  const EmbeddingOperand &to = operand(Role::Init);
  int64_t position = to.view.offset;
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0 || at[i] >= to.view.sizes[i])
      fail(Fault::Index, "index " + std::to_string(at[i]) + " of the result");
    position += at[i] * to.view.strides[i];
  }
  if (!isFine())
    return;
  Storage &storage = *to.view.storage;
  if (error > 0 && storage.errors.empty())
    storage.errors.resize(storage.bits.size());
  if (!storage.errors.empty())
    storage.errors[static_cast<size_t>(position)] = error;
  storage.bits[static_cast<size_t>(position)] = bits;
  storage.isWritten[static_cast<size_t>(position)] = true;
}

void EmbeddingEvaluator::store(const std::vector<int64_t> &at,
                               Approximate value) {
  double error;
  uint64_t bits = arithmetic.store(operand(Role::Init).element, value, error);
  storeBits(at, bits, error);
}

//===----------------------------------------------------------------------===//
// Encoded rows
//===----------------------------------------------------------------------===//

uint64_t EmbeddingEvaluator::tableByte(const EmbeddingOperand &table,
                                       int64_t row, int64_t at) {
  std::optional<int64_t> position = locate(table, {row, at});
  return position ? table.view.storage->bits[*position] & 0xff : 0;
}

Approximate EmbeddingEvaluator::rowParameter(const EmbeddingOperand &table,
                                             int64_t row, int64_t number,
                                             int64_t length) {
  const RowLayout &format = *embedding.format;
  int64_t elements = format.elementBytes(length);
  Scalar type = parameterType(format);
  int64_t width = byteSize(type);
  int64_t first = (format.isLeading ? 0 : elements) + number * width;
  uint64_t bits = 0;
  for (int64_t i = 0; i < width; ++i)
    bits |= tableByte(table, row, first + i) << (8 * i);
  return {decodeFloat(type, bits), 0};
}

Approximate EmbeddingEvaluator::encodedInteger(const EmbeddingOperand &table,
                                               int64_t row, int64_t d,
                                               int64_t length) {
  const RowLayout &format = *embedding.format;
  int64_t begin = format.isLeading ? format.parameterBytes(length) : 0;
  uint64_t number =
      format.encoding->bits == 8
          ? tableByte(table, row, begin + d)
          : tableByte(table, row, begin + d / 2) >> (d % 2 * 4) & 15;
  return {static_cast<double>(number), 0};
}

Approximate EmbeddingEvaluator::blockScale(const EmbeddingOperand &table,
                                           int64_t row, int64_t d,
                                           int64_t length) {
  const RowLayout &format = *embedding.format;
  int64_t first = format.isLeading ? 0 : format.elementBytes(length);
  auto exponent = static_cast<int>(
      tableByte(table, row, first + d / format.parameters->blockLength));
  return {exponent == 255 ? NAN : std::ldexp(1.0, exponent - 127), 0};
}

Approximate EmbeddingEvaluator::tableElement(const EmbeddingOperand &table,
                                             int64_t row, int64_t d,
                                             int64_t length) {
  if (!embedding.format)
    return load(table, {row, d});
  const RowLayout &format = *embedding.format;
  if (!format.isScaled()) {
    int64_t begin = format.isLeading ? format.parameterBytes(length) : 0;
    double number = decodeFloat(format.encoding->element->id,
                                tableByte(table, row, begin + d));
    if (!format.hasBlockScales())
      return {number, 0};
    return arithmetic.multiply({number, 0}, blockScale(table, row, d, length));
  }
  return arithmetic.multiplyAdd(encodedInteger(table, row, d, length),
                                rowParameter(table, row, 0, length),
                                rowParameter(table, row, 1, length));
}

void EmbeddingEvaluator::requireSegment(int64_t begin, int64_t end) {
  if (isFine() && begin > end)
    fail(Fault::Segment, "offsets decrease from " + std::to_string(begin) +
                             " to " + std::to_string(end));
}

} // namespace ember::fuzz
