//===- Ast.cpp - Programs as the fuzzer sees them -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of types and operations.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Program/Ast.h"
#include <algorithm>

namespace ember::fuzz {

const char *mnemonic(Opcode opcode) {
  static const char *const names[] = {
#define EMBER_FUZZ_OPCODE(id, mnemonic) mnemonic,
#include "ember/Fuzz/Program/Opcodes.def"
  };
  return names[static_cast<unsigned>(opcode)];
}

const std::vector<const char *> kIntegerPredicates = {
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
const std::vector<const char *> kFloatPredicates = {
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};

int64_t elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

bool hasWrittenSharing(const Program &program) {
  for (const Input &input : program.inputs)
    if (input.sharedWith &&
        !(input.isReadOnly && program.inputs[*input.sharedWith].isReadOnly))
      return true;
  return false;
}

size_t countOps(const Block &block) {
  size_t count = block.ops.size();
  for (const Op &op : block.ops)
    for (const Block &region : op.regions)
      count += countOps(region);
  return count;
}

bool hasEmbeddings(const Program &program) {
  for (const Function &function : program.functions)
    for (const Op &op : function.body.ops)
      if (op.embedding)
        return true;
  return false;
}

bool isInPlace(const Function &function, size_t position) {
  const std::vector<Op> &ops = function.body.ops;
  size_t initPosition = ops[position].embedding->positions(Role::Init).front();
  ValueId init = ops[position].operands[initPosition];
  for (size_t i = position; i < ops.size(); ++i)
    for (size_t k = 0; k < ops[i].operands.size(); ++k)
      if (ops[i].operands[k] == init && !(i == position && k == initPosition))
        return false;
  const std::vector<ValueId> &yields = function.body.yields;
  return std::find(yields.begin(), yields.end(), init) == yields.end();
}

/// The value whose memory `value` is, by way of results that are operands.
static ValueId memoryOf(const Function &function, ValueId value) {
  for (size_t i = function.body.ops.size(); i-- > 0;) {
    const Op &op = function.body.ops[i];
    if (op.embedding && !op.results.empty() && op.results[0] == value &&
        isInPlace(function, i))
      value = op.operands[op.embedding->positions(Role::Init).front()];
  }
  return value;
}

std::vector<size_t> returnedResults(const Function &function) {
  std::vector<size_t> returned;
  const std::vector<ValueId> &arguments = function.body.arguments;
  for (size_t i = 0; i < function.body.yields.size(); ++i) {
    ValueId value = function.body.yields[i];
    bool isArgument = function.types[value].isTensor &&
                      std::find(arguments.begin(), arguments.end(),
                                memoryOf(function, value)) != arguments.end();
    if (!isArgument)
      returned.push_back(i);
  }
  return returned;
}

/// The layout a contiguous memref has: strides that span open sizes are open.
static Layout contiguousLayout(const std::vector<int64_t> &shape) {
  Layout layout;
  layout.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    layout.strides[i] = stride;
    stride = stride == kDynamic || shape[i] == kDynamic ? kDynamic
                                                        : stride * shape[i];
  }
  return layout;
}

Type subViewType(const Type &source, const Op &op) {
  Layout from = source.layout ? *source.layout : contiguousLayout(source.shape);
  Layout to;
  to.offset = from.offset;
  for (size_t i = 0; i < op.offsets.size(); ++i) {
    bool isOpen = to.offset == kDynamic || op.offsets[i] == kDynamic ||
                  (op.offsets[i] != 0 && from.strides[i] == kDynamic);
    to.offset = isOpen ? kDynamic : to.offset + op.offsets[i] * from.strides[i];
    bool openStride = from.strides[i] == kDynamic || op.strides[i] == kDynamic;
    to.strides.push_back(openStride ? kDynamic
                                    : from.strides[i] * op.strides[i]);
  }
  Type type = source;
  type.shape = op.sizes;
  type.layout = to;
  return type;
}

Type transposedType(const Type &source) {
  Type type = source;
  type.layout = source.layout ? *source.layout : contiguousLayout(source.shape);
  std::reverse(type.shape.begin(), type.shape.end());
  std::reverse(type.layout->strides.begin(), type.layout->strides.end());
  return type;
}

} // namespace ember::fuzz
