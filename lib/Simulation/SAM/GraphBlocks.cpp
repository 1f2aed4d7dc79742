//===- GraphBlocks.cpp - Simulated blocks for those of the dialect --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBlocks.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"

#include <mutex>

using namespace mlir;
using namespace ember;
using sim::sam::BlockKind;
using Format = sim::sam::Level::Format;

static bool isLocated(Value tensor, unsigned level) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *op) {
    auto locate = dyn_cast<sam::LocateOp>(op);
    return locate && locate.getLevel() == level;
  });
}

std::optional<Format>
ember::findSimulatedFormat(Value tensor, const sam::TensorFormat &format,
                           unsigned level) {
  auto isSingleton = [&](unsigned number) {
    return number < format.levels.size() &&
           format.levels[number].kind == cin::LevelKind::singleton;
  };
  switch (format.levels[level].kind) {
  case cin::LevelKind::dense:
    return Format::dense;
  case cin::LevelKind::bitmap:
    if (isLocated(tensor, level))
      return std::nullopt;
    return Format::compressed;
  case cin::LevelKind::compressed:
    if (isSingleton(level + 1))
      return Format::pointList;
    if (format.levels[level].isUnique)
      return Format::compressed;
    return std::nullopt;
  case cin::LevelKind::singleton: {
    unsigned outer = level;
    while (outer > 0 && isSingleton(outer))
      --outer;
    if (format.levels[outer].kind == cin::LevelKind::compressed)
      return Format::singleton;
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

BlockKind ember::findScanner(Format format) {
  switch (format) {
  case Format::dense:
    return BlockKind::scanDense;
  case Format::compressed:
  case Format::pointList:
    return BlockKind::scanCompressed;
  case Format::singleton:
    return BlockKind::scanSingleton;
  case Format::bitvector:
    return BlockKind::scanBitvector;
  case Format::linkedList:
    return BlockKind::scanLinkedList;
  }
  return BlockKind::scanCompressed;
}

std::optional<BlockKind> ember::findArithmetic(cin::Function function) {
  static constexpr std::pair<StringLiteral, BlockKind> kinds[] = {
      {"mul", BlockKind::multiply},
      {"add", BlockKind::add},
      {"max", BlockKind::maximum},
      {"min", BlockKind::minimum}};
  const auto *kind = llvm::find_if(kinds, [&](const auto &known) {
    return known.first == function.getName();
  });
  if (kind == std::end(kinds) || function.getDefinition())
    return std::nullopt;
  return kind->second;
}

/// Computes a function of numbers, where that is known.
static std::function<std::optional<double>(llvm::ArrayRef<double>)>
makeComputation(cin::Function function, SmallVector<FloatType> types,
                FloatType result) {
  // Attributes are made in a context that may not be one for several threads.
  auto mutex = std::make_shared<std::mutex>();
  return [=](llvm::ArrayRef<double> operands) -> std::optional<double> {
    std::scoped_lock lock(*mutex);
    SmallVector<TypedAttr> values;
    for (auto [operand, type] : llvm::zip_equal(operands, types))
      values.push_back(FloatAttr::get(type, operand));
    auto value =
        dyn_cast_if_present<FloatAttr>(cin::foldCall(function, values, result));
    if (!value)
      return std::nullopt;
    return value.getValueAsDouble();
  };
}

LogicalResult ember::setComputation(sam::AluOp op, cin::Function function,
                                    sim::sam::Block &block) {
  constexpr size_t mostOperands = 4;
  SmallVector<FloatType> types;
  for (Value operand : op.getOperands())
    types.push_back(dyn_cast<FloatType>(
        cast<sam::ValuesType>(operand.getType()).getElement()));
  auto result = dyn_cast<FloatType>(op.getResult().getType().getElement());
  if (!result || llvm::is_contained(types, FloatType()))
    return op.emitOpError("computes ")
           << function.getName()
           << " of other than floating-point numbers, which are simulated";
  if (types.empty() || types.size() > mostOperands)
    return op.emitOpError("computes ")
           << function.getName() << " of " << types.size()
           << " values, and simulated ones of 1 to " << mostOperands;
  block.numOperands = types.size();
  block.function = makeComputation(function, std::move(types), result);
  return success();
}
