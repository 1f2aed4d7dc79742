//===- CINFormats.cpp - Formats, and arrays that are stored in them -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

static constexpr llvm::StringLiteral levelNames[] = {"dense", "compressed",
                                                     "singleton", "bitmap"};

StringRef ember::cin::getName(LevelKind kind) {
  return levelNames[static_cast<size_t>(kind)];
}

std::optional<LevelKind> ember::cin::findLevelKind(StringRef name) {
  const auto *found = llvm::find(levelNames, name);
  if (found == std::end(levelNames))
    return std::nullopt;
  return static_cast<LevelKind>(found - std::begin(levelNames));
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

unsigned FormatAttr::getLevelOf(unsigned dimension) {
  return llvm::find(getOrder(), dimension) - getOrder().begin();
}

size_t FormatAttr::countLevelArrays() {
  size_t count = 0;
  for (const Level &level : getLevels())
    count += level.countArrays();
  return count;
}

bool FormatAttr::isDense() {
  return llvm::all_of(getLevels(), [](const Level &level) {
    return level.kind == LevelKind::dense;
  });
}

bool FormatAttr::hasSeparateRows() {
  ArrayRef<Level> all = getLevels();
  return all.size() > 1 && all[0].kind == LevelKind::dense &&
         all[1].kind == LevelKind::compressed &&
         llvm::all_of(all.drop_front(2), [](const Level &level) {
           return level.kind == LevelKind::dense;
         });
}

bool FormatAttr::isLocated() {
  return llvm::none_of(getLevels(),
                       [](const Level &level) { return level.isListed(); });
}

bool FormatAttr::hasRows() {
  return getLevels().size() > 1 && getLevels().back().kind == LevelKind::dense;
}

/// `compressed(unordered, nonunique)`
static ParseResult parseLevel(AsmParser &parser, Level &level) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<LevelKind> kind = findLevelKind(name);
  if (!kind)
    return parser.emitError(loc) << "there is no kind of level '" << name
                                 << "': expected one of dense, compressed, "
                                    "singleton and bitmap";
  level.kind = *kind;
  auto parseMark = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("unordered")))
      level.isOrdered = false;
    else if (succeeded(parser.parseOptionalKeyword("nonunique")))
      level.isUnique = false;
    else
      return parser.emitError(parser.getCurrentLocation())
             << "expected 'unordered' or 'nonunique'";
    return success();
  };
  if (succeeded(parser.parseOptionalLParen()) &&
      (parser.parseCommaSeparatedList(parseMark) || parser.parseRParen()))
    return failure();
  return success();
}

Attribute FormatAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Level> levels;
  SmallVector<unsigned> order;
  TypedAttr fill;
  if (parser.parseLess() || parser.parseCommaSeparatedList([&] {
        return parseLevel(parser, levels.emplace_back());
      }))
    return {};
  if (succeeded(parser.parseOptionalKeyword("order"))) {
    if (parser.parseCommaSeparatedList(
            [&] { return parser.parseInteger(order.emplace_back()); }))
      return {};
  } else {
    order = llvm::to_vector(llvm::seq<unsigned>(0, levels.size()));
  }
  RowFormatAttr encoding;
  if (succeeded(parser.parseOptionalKeyword("encoding")) &&
      parser.parseCustomAttributeWithFallback(encoding))
    return {};
  if (parser.parseKeyword("fill"))
    return {};
  bool isMissing = succeeded(parser.parseOptionalKeyword("missing"));
  if (!isMissing && parser.parseAttribute(fill))
    return {};
  bool storesFill = failed(parser.parseOptionalKeyword("no_stored_fill"));
  if (parser.parseGreater())
    return {};
  auto fail = [&] { return parser.emitError(loc); };
  return FormatAttr::getChecked(function_ref<InFlightDiagnostic()>(fail),
                                parser.getContext(), ArrayRef<Level>(levels),
                                ArrayRef<unsigned>(order), fill, storesFill,
                                encoding);
}

void FormatAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getLevels(), printer, [&](const Level &level) {
    printer << cin::getName(level.kind);
    SmallVector<StringRef> marks;
    if (!level.isOrdered)
      marks.push_back("unordered");
    if (!level.isUnique)
      marks.push_back("nonunique");
    if (!marks.empty())
      printer << "(" << llvm::join(marks, ", ") << ")";
  });
  if (!llvm::equal(getOrder(), llvm::seq<unsigned>(0, getLevels().size()))) {
    printer << " order ";
    llvm::interleaveComma(getOrder(), printer);
  }
  if (getEncoding()) {
    printer << " encoding ";
    printer.printStrippedAttrOrType(getEncoding());
  }
  printer << " fill ";
  if (isMissing())
    printer << "missing";
  else
    printer << getFill();
  if (!getStoresFill())
    printer << " no_stored_fill";
  printer << ">";
}

LogicalResult FormatAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Level> levels,
                                 ArrayRef<unsigned> order, TypedAttr fill, bool,
                                 RowFormatAttr encoding) {
  if (levels.empty())
    return emitError() << "a format has a level for each dimension, and this "
                          "one has none";
  if (fill && !isa<IntegerAttr, FloatAttr>(fill))
    return emitError() << "the fill of a format is a number, or missing";
  if (!fill && levels.back().kind == LevelKind::dense)
    return emitError()
           << "a format whose last level is dense stores all of its "
              "elements, and none is missing";
  SmallVector<unsigned> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<unsigned>(0, levels.size())))
    return emitError() << "the order of a format with " << levels.size()
                       << " levels names each dimension from 0 to "
                       << levels.size() - 1 << " once";
  for (auto [number, level] : llvm::enumerate(levels)) {
    if (!level.isListed() && !(level.isOrdered && level.isUnique))
      return emitError() << "a " << cin::getName(level.kind)
                         << " level is ordered, and its coordinates are "
                            "different";
    bool isBelowNonUnique = number && !levels[number - 1].isUnique;
    if (isBelowNonUnique && level.kind != LevelKind::singleton)
      return emitError() << "level " << number << " is "
                         << cin::getName(level.kind)
                         << ": below a level of coordinates that are not "
                            "unique there is a singleton";
    bool isBelowList = number && levels[number - 1].isListed();
    if (level.kind == LevelKind::singleton && !isBelowList)
      return emitError() << "level " << number
                         << " is a singleton, and there are no coordinates "
                            "above it";
  }
  if (!levels.back().isUnique)
    return emitError() << "the last level has coordinates that are not unique";
  return success();
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

LogicalResult
IterationAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringRef text) {
  if (CoordinateSet::parse(text))
    return success();
  return emitError() << "'" << text
                     << "' is no set of coordinates, such as '(0 | 1) & ~2', "
                        "of at most "
                     << CoordinateSet::mostOperands << " operands";
}

IterationAttr IterationAttr::get(MLIRContext *context,
                                 const CoordinateSet &set) {
  return get(context, StringRef(set.text()));
}

CoordinateSet IterationAttr::getSet() {
  return *CoordinateSet::parse(getText());
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

ShapedType ArrayType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                Type element) const {
  return ArrayType::get(getContext(), shape.value_or(getShape()), element,
                        getFormat());
}

bool ArrayType::hasRank() const { return true; }

Type ArrayType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  FormatAttr format;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(element) || parser.parseComma() ||
      parser.parseAttribute(format) || parser.parseGreater())
    return {};
  auto fail = [&] { return parser.emitError(loc); };
  return ArrayType::getChecked(function_ref<InFlightDiagnostic()>(fail),
                               parser.getContext(), ArrayRef<int64_t>(shape),
                               element, format);
}

void ArrayType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", " << getFormat() << ">";
}

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type element,
                                FormatAttr format) {
  if (shape.size() != format.getLevels().size())
    return emitError() << "an array of " << shape.size()
                       << " dimensions has a format of "
                       << format.getLevels().size() << " levels";
  if (format.getEncoding() && !element.isF32() && !element.isF64())
    return emitError() << "encoded elements are decoded to f32 or f64, not to "
                       << element;
  if (!format.isMissing() && format.getFill().getType() != element)
    return emitError() << "an array of " << element << " has a fill of type "
                       << format.getFill().getType();
  return success();
}

TypedAttr ArrayType::getUnstored() {
  FormatAttr format = getFormat();
  return format.isMissing() ? getConstant(Constant::zero, getElementType())
                            : format.getFill();
}

//===----------------------------------------------------------------------===//
// AssembleOp
//===----------------------------------------------------------------------===//

unsigned AssembleOp::getFirstArrayOf(unsigned level) {
  unsigned first = 0;
  for (const Level &above : getType().getFormat().getLevels().take_front(level))
    first += above.countArrays();
  return first;
}

RowFormatAttr AssembleOp::getEncoding() {
  return getType().getFormat().getEncoding();
}

Value AssembleOp::getSizeOf(unsigned dimension) {
  return getSizes()[getType().getDynamicDimIndex(dimension)];
}

/// What is located is a position.
static LogicalResult verifyLocating(AssembleOp assemble) {
  ArrayType type = assemble.getType();
  auto fill = dyn_cast<IntegerAttr>(type.getFormat().getFill());
  if (type.getElementType().isIndex() && fill && fill.getInt() == -1)
    return success();
  return assemble.emitOpError(
      "locates elements, which are then of type index, with a fill of -1");
}

/// How levels and values are stored.
static LogicalResult verifyStored(AssembleOp assemble) {
  ArrayType type = assemble.getType();
  FormatAttr format = type.getFormat();
  auto stored = cast<ShapedType>(assemble.getValues().getType());
  Type values = stored.getElementType();
  if (assemble.getLocating() && failed(verifyLocating(assemble)))
    return failure();
  if (format.getEncoding() && stored.getRank() != 2)
    return assemble.emitOpError()
           << "has values of type " << stored
           << " in place of rows of bytes, which are a 2-d array of i8";
  if (!format.getEncoding() && stored.getRank() != 1 && !assemble.getLocating())
    return assemble.emitOpError()
           << "has values of type " << stored
           << ", which are rows of bytes, for a format without an encoding";
  if (!format.getEncoding() && values != type.getElementType() &&
      !assemble.getLocating())
    return assemble.emitOpError()
           << "has values of type " << values << " for an array of "
           << type.getElementType();
  OperandRange levels = assemble.getLevels();
  if (levels.size() != format.countLevelArrays())
    return assemble.emitOpError() << "has " << levels.size()
                                  << " arrays for levels that are stored in "
                                  << format.countLevelArrays();
  for (auto [number, level] : llvm::enumerate(format.getLevels())) {
    unsigned first = assemble.getFirstArrayOf(number);
    for (Value array : levels.slice(first, level.countArrays())) {
      Type element = getElementTypeOrSelf(array.getType());
      bool isMask = level.kind == LevelKind::bitmap;
      if (isa<FloatType>(element) || element.isInteger(1) != isMask)
        return assemble.emitOpError()
               << "stores level " << number << ", which is "
               << cin::getName(level.kind) << ", in an array of " << element;
    }
  }
  return success();
}

static LogicalResult verifyCounting(AssembleOp assemble) {
  Type counts = getElementTypeOrSelf(assemble.getValues().getType());
  if (!counts.isIndex() && !counts.isInteger(64))
    return assemble.emitOpError()
           << "counts in " << counts << " instead of index or i64";
  if (!assemble.getLevels().empty())
    return assemble.emitOpError("counts what levels have, and has some");
  for (Operation *user : assemble->getUsers())
    if (isa<AccessOp>(user))
      return user->emitOpError("reads an array that is counted only");
  return success();
}

/// Whether an assembly may be of `operand`: of a name, of what the evaluation
/// makes, or of a size of an array of its own.
static bool isOperandOfAssembly(Value operand) {
  return isa<BlockArgument>(operand) ||
         isa<ApplyOp, ExtentOp, LiteralOp, RegroupOp, ReserveOp, TemporaryOp>(
             operand.getDefiningOp());
}

LogicalResult AssembleOp::verify() {
  for (Value operand : getOperands())
    if (!isOperandOfAssembly(operand))
      return emitOpError("is of something else than arrays that the "
                         "cin.evaluate around it names");
  int64_t unknown = getType().getNumDynamicDims();
  if (static_cast<int64_t>(getSizes().size()) != unknown)
    return emitOpError() << "has " << getSizes().size() << " sizes for "
                         << unknown
                         << " dimensions of a size that is not known";
  return getCounting() ? verifyCounting(*this) : verifyStored(*this);
}
