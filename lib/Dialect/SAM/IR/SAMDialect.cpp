//===- SAMDialect.cpp - Streams and formats -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/IR/SAM.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

#include "ember/Dialect/SAM/IR/SAMDialect.cpp.inc"
#include "ember/Dialect/SAM/IR/SAMEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/SAM/IR/SAMTypes.cpp.inc"

void SAMDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/SAM/IR/SAMTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/SAM/IR/SAMOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// More levels than any tensor has.
static constexpr unsigned mostDepth = 64;

static LogicalResult verifyDepth(EmitError emitError, unsigned depth) {
  if (depth <= mostDepth)
    return success();
  return emitError() << "a stream is nested " << depth << " deep, and at most "
                     << mostDepth << " is possible";
}

LogicalResult CoordinatesType::verify(EmitError emitError, unsigned depth) {
  if (depth == 0)
    return emitError()
           << "coordinates are in a fiber: their depth is at least 1";
  return verifyDepth(emitError, depth);
}

LogicalResult ReferencesType::verify(EmitError emitError, unsigned depth) {
  return verifyDepth(emitError, depth);
}

LogicalResult ValuesType::verify(EmitError emitError, Type element,
                                 unsigned depth) {
  if (!element.isIntOrIndexOrFloat())
    return emitError() << "has values of type " << element
                       << ", expected integers or floats";
  return verifyDepth(emitError, depth);
}

LogicalResult BitVectorsType::verify(EmitError emitError, unsigned width,
                                     unsigned depth) {
  if (width == 0 || width > 64)
    return emitError() << "has words of " << width << " bits, expected 1 to 64";
  return verifyDepth(emitError, depth);
}

std::optional<unsigned> ember::sam::getDepth(Type stream) {
  return llvm::TypeSwitch<Type, std::optional<unsigned>>(stream)
      .Case<CoordinatesType, ReferencesType, ValuesType, BitVectorsType>(
          [](auto type) { return type.getDepth(); })
      .Default([](Type) { return std::nullopt; });
}

Type ember::sam::withDepth(Type stream, unsigned depth) {
  MLIRContext *context = stream.getContext();
  return llvm::TypeSwitch<Type, Type>(stream)
      .Case(
          [&](CoordinatesType) { return CoordinatesType::get(context, depth); })
      .Case([&](ReferencesType) { return ReferencesType::get(context, depth); })
      .Case([&](ValuesType type) {
        return ValuesType::get(context, type.getElement(), depth);
      })
      .Case([&](BitVectorsType type) {
        return BitVectorsType::get(context, type.getWidth(), depth);
      })
      .Default([](Type other) { return other; });
}

//===----------------------------------------------------------------------===//
// Formats of tensors
//===----------------------------------------------------------------------===//

using cin::LevelKind;

/// A level as upstream's encodings have it; none for those that no scanner
/// knows.
static std::optional<cin::Level> convert(sparse_tensor::LevelType level) {
  cin::Level converted;
  converted.isOrdered =
      level.isa<sparse_tensor::LevelFormat::Dense>() ||
      !level.isa<sparse_tensor::LevelPropNonDefault::Nonordered>();
  converted.isUnique =
      level.isa<sparse_tensor::LevelFormat::Dense>() ||
      !level.isa<sparse_tensor::LevelPropNonDefault::Nonunique>();
  if (level.isa<sparse_tensor::LevelFormat::Dense>())
    converted.kind = LevelKind::dense;
  else if (level.isa<sparse_tensor::LevelFormat::Compressed>())
    converted.kind = LevelKind::compressed;
  else if (level.isa<sparse_tensor::LevelFormat::Singleton>())
    converted.kind = LevelKind::singleton;
  else
    return std::nullopt;
  return converted;
}

static std::optional<TensorFormat>
convert(sparse_tensor::SparseTensorEncodingAttr encoding, Type element,
        std::string &reason) {
  TensorFormat format;
  format.fill = cin::getConstant(cin::Constant::zero, element);
  for (sparse_tensor::LevelType type : encoding.getLvlTypes()) {
    std::optional<cin::Level> level = convert(type);
    if (!level) {
      reason = "has a level that is neither dense, compressed nor a singleton";
      return std::nullopt;
    }
    format.levels.push_back(*level);
  }
  AffineMap map = encoding.getDimToLvl();
  if (map && !map.isPermutation()) {
    reason = "has levels that are no dimensions, as those of blocks";
    return std::nullopt;
  }
  for (unsigned level = 0; level < format.levels.size(); ++level)
    format.order.push_back(map ? map.getDimPosition(level) : level);
  return format;
}

std::optional<TensorFormat> TensorFormat::of(Type type, std::string &reason) {
  TensorFormat format;
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (!element.isIntOrIndexOrFloat()) {
    reason = "has elements that are no numbers";
    return std::nullopt;
  }
  format.fill = cin::getConstant(cin::Constant::zero, element);
  if (!tensor)
    return format;
  Attribute encoding = tensor.getEncoding();
  if (!encoding) {
    format.levels.resize(tensor.getRank());
    format.order = llvm::to_vector(llvm::seq<unsigned>(0, tensor.getRank()));
    return format;
  }
  if (auto upstream =
          dyn_cast<sparse_tensor::SparseTensorEncodingAttr>(encoding))
    return convert(upstream, element, reason);
  auto named = dyn_cast<cin::FormatAttr>(encoding);
  if (!named || named.getEncoding()) {
    reason = named ? "has rows of bytes" : "has an encoding that is no format";
    return std::nullopt;
  }
  if (named.getLevels().size() != static_cast<size_t>(tensor.getRank())) {
    reason = "has " + std::to_string(tensor.getRank()) +
             " dimensions and a format of " +
             std::to_string(named.getLevels().size()) + " levels";
    return std::nullopt;
  }
  if (named.isMissing() || named.getFill().getType() != element) {
    reason = named.isMissing() ? "has no value where nothing is stored"
                               : "has a fill that is not of its elements' type";
    return std::nullopt;
  }
  format.levels = llvm::to_vector(named.getLevels());
  format.order = llvm::to_vector(named.getOrder());
  format.fill = named.getFill();
  return format;
}

bool TensorFormat::isDense() const {
  return llvm::all_of(levels, [](const cin::Level &level) {
    return level.kind == LevelKind::dense;
  });
}

std::string TensorFormat::findUnwritten(unsigned level) const {
  LevelKind kind = levels[level].kind;
  if (kind == LevelKind::dense || kind == LevelKind::compressed)
    return "";
  if (kind != LevelKind::singleton)
    return "is " + cin::getName(kind).str() +
           ": writers make dense and compressed ones, and singletons";
  // A coordinate above that has several below it stands there several times.
  if (level == 0 || levels[level - 1].isUnique)
    return "is a singleton below coordinates that are different: writers make "
           "those below levels that are nonunique";
  return "";
}

std::pair<unsigned, unsigned> TensorFormat::getDenseRun(unsigned level) const {
  auto isDenseAt = [&](unsigned at) {
    return levels[at].kind == LevelKind::dense;
  };
  unsigned first = level, last = level;
  while (first > 0 && isDenseAt(first - 1))
    --first;
  while (last + 1 < size() && isDenseAt(last + 1))
    ++last;
  return {first, last};
}
