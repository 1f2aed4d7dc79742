//===- EmberDialect.cpp - The attributes that passes leave ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace ember;

#include "ember/Dialect/Ember/IR/EmberDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Ember/IR/EmberAttributes.cpp.inc"

void EmberDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Ember/IR/EmberAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Ember/IR/EmberOps.cpp.inc"
      >();
}

LogicalResult
LoopCostAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t cost, int64_t segmentCost, int64_t offsets,
                     int64_t firstOffset, int64_t step) {
  if (step < 1)
    return emitError() << "needs a step of at least 1";
  if (cost < 0 || segmentCost < 0)
    return emitError() << "costs are not negative";
  if ((offsets < 0) != (firstOffset < 0))
    return emitError() << "needs both 'offsets' and 'first_offset', or neither";
  if (offsets < 0 && segmentCost != 0)
    return emitError() << "has a cost of segments, but no offsets";
  return success();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, StringRef triple,
    StringRef cpu, StringRef features, int64_t vectorBits,
    int64_t vectorRegisters, int64_t cacheLineBytes, int64_t secondCacheBytes,
    int64_t outstandingLines, int64_t firstCacheLines, bool streamingStores,
    StringRef storeFence, bool /*gathers*/) {
  if (cpu.empty())
    return emitError() << "a processor has a name";
  // Far more than any processor has. Beyond that, code would be too long, and
  // arithmetic wrap around.
  struct {
    StringRef name;
    int64_t value, least, most;
  } numbers[] = {{"vector_bits", vectorBits, 0, 8192},
                 {"vector_registers", vectorRegisters, 0, 1024},
                 {"cache_line_bytes", cacheLineBytes, 1, 1 << 16},
                 {"second_cache_bytes", secondCacheBytes, 1, int64_t(1) << 40},
                 {"outstanding_lines", outstandingLines, 1, 1 << 16},
                 {"first_cache_lines", firstCacheLines, 1, 1 << 16}};
  for (auto [name, value, least, most] : numbers)
    if (value < least || value > most)
      return emitError() << "'" << name << "' is from " << least << " to "
                         << most << ", not " << value;
  bool isFence = storeFence.empty() || (storeFence == "llvm.x86.sse.sfence" &&
                                        llvm::Triple(triple).isX86());
  if (!isFence)
    return emitError() << "'" << storeFence
                       << "' is no fence of this processor";
  return success();
}

TargetAttr TargetAttr::getGeneric(MLIRContext *context) {
  auto none = StringRef();
  return get(context, none, "generic", none, GenericTarget::vectorBits,
             GenericTarget::vectorRegisters, GenericTarget::cacheLineBytes,
             GenericTarget::secondCacheBytes, GenericTarget::outstandingLines,
             GenericTarget::firstCacheLines,
             /*streamingStores=*/false, none, /*gathers=*/true);
}

TargetAttr TargetAttr::of(Operation *op) {
  MLIRContext *context = op->getContext();
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttr))
      return target;
  return getGeneric(context);
}

//===----------------------------------------------------------------------===//
// Attributes of operations and arguments
//===----------------------------------------------------------------------===//

namespace {
/// Where an attribute may stand, and what it may hold.
struct Rule {
  bool (*isPlace)(Operation *);
  StringRef place;
  bool (*isValue)(Attribute);
  StringRef value;
};
} // namespace

static bool isText(Attribute value) { return isa<StringAttr>(value); }
static bool areTexts(Attribute value) {
  auto texts = dyn_cast<ArrayAttr>(value);
  return texts && llvm::all_of(texts, isText);
}
static bool isUnit(Attribute value) { return isa<UnitAttr>(value); }

static bool isPositiveIndex(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isIndex() && number.getInt() > 0;
}

static bool arePositions(Attribute value) {
  auto positions = dyn_cast<DenseI64ArrayAttr>(value);
  return positions && llvm::all_of(positions.asArrayRef(),
                                   [](int64_t at) { return at >= 0; });
}

static bool isNumber(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isInteger(64);
}

/// `["x", 0, 4]`
static bool isSizeTerm(Attribute value) {
  auto parts = dyn_cast<ArrayAttr>(value);
  return parts && parts.size() == 3 && isText(parts[0]) && isNumber(parts[1]) &&
         isNumber(parts[2]);
}

/// The terms of a size: between a number and, if there is one, a divisor.
static ArrayRef<Attribute> getSizeTerms(ArrayAttr parts) {
  ArrayRef<Attribute> terms = parts.getValue().drop_front();
  bool isDivided = !terms.empty() && isNumber(terms.back()) &&
                   cast<IntegerAttr>(terms.back()).getInt() > 0;
  return isDivided ? terms.drop_back() : terms;
}

/// For each dimension a unit, or a number and terms.
static bool areSizes(Attribute value) {
  auto sizes = dyn_cast<ArrayAttr>(value);
  return sizes && llvm::all_of(sizes, [](Attribute size) {
           auto parts = dyn_cast<ArrayAttr>(size);
           return isUnit(size) ||
                  (parts && !parts.empty() && isNumber(parts[0]) &&
                   llvm::all_of(getSizeTerms(parts), isSizeTerm));
         });
}

/// How many dimensions an argument has sizes of: a number is one itself.
static size_t countSizes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? static_cast<size_t>(shaped.getRank()) : 1;
}

/// The argument of a function that has the name `name`.
static std::optional<unsigned> findArgument(FunctionOpInterface function,
                                            Attribute name) {
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (function.getArgAttr(number, nameAttr) == name)
      return number;
  return std::nullopt;
}

/// Whether the dimension that a term of a size names is there; arrays in
/// formats are no arguments themselves.
static LogicalResult verifySizeTerm(FunctionOpInterface function,
                                    ArrayAttr term) {
  int64_t dimension = cast<IntegerAttr>(term[1]).getInt();
  auto error = [&] {
    return function->emitError() << "'" << sizesAttr << "' names dimension "
                                 << dimension << " of " << term[0];
  };
  if (dimension < 0)
    return error() << ", and dimensions are numbered from 0";
  std::optional<unsigned> argument = findArgument(function, term[0]);
  if (!argument)
    return success();
  size_t count = countSizes(function.getArgumentTypes()[*argument]);
  if (static_cast<size_t>(dimension) < count)
    return success();
  return error() << ", which has " << count
                 << (count == 1 ? " dimension" : " dimensions");
}

/// Whether an argument can have the sizes that it is said to need.
static LogicalResult verifySizes(FunctionOpInterface function,
                                 unsigned argument, ArrayAttr sizes) {
  Type type = function.getArgumentTypes()[argument];
  size_t count = countSizes(type);
  if (sizes.size() != count)
    return function->emitError()
           << "'" << sizesAttr << "' holds " << sizes.size()
           << (sizes.size() == 1 ? " size" : " sizes")
           << " of an argument of type " << type << ", which has " << count;
  for (auto [dimension, size] : llvm::enumerate(sizes)) {
    auto parts = dyn_cast<ArrayAttr>(size);
    if (!parts)
      continue;
    for (Attribute term : getSizeTerms(parts))
      if (failed(verifySizeTerm(function, cast<ArrayAttr>(term))))
        return failure();
    int64_t last = cast<IntegerAttr>(parts[0]).getInt();
    bool isKnown = parts.size() == 1;
    if (isKnown && last < -1)
      return function->emitError()
             << "'" << sizesAttr << "' holds a size that ends at position "
             << last << ", which is negative";
    auto shaped = dyn_cast<ShapedType>(type);
    if (isKnown && shaped && shaped.hasRank() &&
        !shaped.isDynamicDim(dimension) &&
        last + 1 != shaped.getDimSize(dimension))
      return function->emitError() << "'" << sizesAttr << "' holds size "
                                   << last + 1 << " of dimension " << dimension
                                   << " of an argument of type " << type;
  }
  return success();
}

static bool isAnything(Operation *op) { return true; }
static bool isFunction(Operation *op) { return isa<FunctionOpInterface>(op); }
static bool isModule(Operation *op) { return isa<ModuleOp>(op); }
static bool hasBounds(Operation *op) {
  return isa<cf::AssertOp, memref::AllocOp>(op);
}
static bool isFor(Operation *op) { return isa<scf::ForOp>(op); }

static bool isLoop(Operation *op) {
  return isa<LoopLikeOpInterface, slc::LoopOpInterface>(op);
}

static bool mayReadMemory(Operation *op) {
  return !isMemoryEffectFree(op) && op->getNumResults() > 0;
}

/// The rule for `name` on operations; nothing for what only arguments have.
static std::optional<Rule> ruleOf(StringRef name, Operation *op) {
  using R = std::optional<Rule>;
  constexpr StringLiteral text = "a string", unit = "no value",
                          positions = "an array of i64 positions",
                          index = "a positive index";
  bool isChoice = isa<scf::IfOp>(op);
  return llvm::StringSwitch<R>(name)
      .Case(nameAttr, Rule{isAnything, "an operation", isText, text})
      .Case(writtenArgumentsAttr,
            Rule{isFunction, "a function", arePositions, positions})
      .Case(segmentAttr, Rule{[](Operation *op) {
                                return isLoop(op) || isa<cf::AssertOp>(op);
                              },
                              "a loop or cf.assert", isText, text})
      .Case(boundsAttr,
            Rule{hasBounds, "a cf.assert or memref.alloc", isText, text})
      .Case(rowsAttr,
            Rule{[](Operation *op) { return isa<memref::AllocOp>(op); },
                 "a memref.alloc", isText, text})
      .Case(independentAttr, Rule{isLoop, "a loop", isUnit, unit})
      .Case(groupAttr, Rule{isFor, "an scf.for", isPositiveIndex, index})
      .Case(piecesAttr, isChoice ? Rule{isAnything, "an scf.if", isUnit, unit}
                                 : Rule{isFor, "an scf.for or an scf.if",
                                        isPositiveIndex, index})
      .Case(scratchAttr,
            Rule{[](Operation *op) {
                   return isa<memref::AllocOp, memref::AllocaOp>(op);
                 },
                 "a memref.alloc or memref.alloca", isUnit, unit})
      .Case(cacheLevelAttr, Rule{mayReadMemory, "a load",
                                 [](Attribute value) {
                                   return isa<slc::CacheLevelAttr>(value);
                                 },
                                 "a level of slc"})
      .Case(targetAttr,
            Rule{isModule, "a module",
                 [](Attribute value) { return isa<TargetAttr>(value); },
                 "a target"})
      .Case(mayAliasAttr, Rule{isModule, "a module", isUnit, unit})
      .Case(decisionsAttr,
            Rule{isModule, "a module", areTexts, "an array of strings"})
      .Default(std::nullopt);
}

/// The memref arguments a function has are what its positions may name.
static LogicalResult verifyPositions(func::FuncOp function,
                                     NamedAttribute attribute) {
  for (int64_t position :
       cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef())
    if (position >= int64_t(function.getNumArguments()) ||
        !isa<BaseMemRefType>(function.getArgumentTypes()[position]))
      return function.emitOpError()
             << "'" << attribute.getName().strref() << "' names argument "
             << position << ", which is no memref argument of it";
  return success();
}

LogicalResult EmberDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  std::optional<Rule> rule = ruleOf(name, op);
  if (!rule)
    return op->emitError() << "'" << name
                           << "' is no attribute that operations have";
  if (!rule->isPlace(op))
    return op->emitError() << "'" << name << "' stands on " << rule->place
                           << " only";
  if (!rule->isValue(attribute.getValue()))
    return op->emitError() << "'" << name << "' must hold " << rule->value;
  if (auto function = dyn_cast<func::FuncOp>(op);
      function && name == writtenArgumentsAttr)
    return verifyPositions(function, attribute);
  return success();
}

LogicalResult EmberDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned /*region*/,
                                                     unsigned argument,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  bool isOfMemref = name == boundsAttr || name == rowsAttr;
  if (name == nameAttr || name == messageNameAttr || isOfMemref) {
    if (!isText(value))
      return op->emitError() << "'" << name << "' must hold a string";
    if (!isOfMemref)
      return success();
  }
  if (name == sizesAttr) {
    if (!areSizes(value))
      return op->emitError() << "'" << name
                             << "' must hold, for each dimension, a unit or a "
                                "number and terms [name, dimension, factor], "
                                "and may hold a divisor behind them";
    auto function = dyn_cast<FunctionOpInterface>(op);
    return function ? verifySizes(function, argument, cast<ArrayAttr>(value))
                    : success();
  }
  if (name == initialAttr) {
    if (!isa<IntegerAttr, FloatAttr>(value))
      return op->emitError() << "'" << name << "' must hold a number";
  } else if (name != noaliasAttr && name != givenAttr && !isOfMemref) {
    return op->emitError() << "'" << name
                           << "' is no attribute that arguments have";
  } else if (!isOfMemref && !isUnit(value)) {
    return op->emitError() << "'" << name << "' must hold no value";
  }
  auto function = dyn_cast<func::FuncOp>(op);
  if (function && !isa<BaseMemRefType>(function.getArgumentTypes()[argument]))
    return op->emitError() << "'" << name << "' stands on memrefs only";
  return success();
}

LogicalResult
EmberDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/,
                                          unsigned /*result*/,
                                          NamedAttribute attribute) {
  return op->emitError() << "'" << attribute.getName().strref()
                         << "' is no attribute that results have";
}
