//===- CINBindings.cpp - Operations that bind variables -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CINDigits.h"
#include "ParsedAttributes.h"
#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "ember/Dialect/CIN/IR/ProgramOrder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::cin;

std::string ember::cin::getVariableName(std::optional<ArrayAttr> names,
                                        unsigned variable) {
  if (names && variable < names->size())
    return cast<StringAttr>((*names)[variable]).str();
  return "#" + std::to_string(variable);
}

std::string ember::cin::getVariableName(BlockArgument variable) {
  Operation *binding = variable.getOwner()->getParentOp();
  if (auto reduce = dyn_cast<ReduceOp>(binding))
    return reduce.getNameOf(variable.getArgNumber());
  return cast<ForallOp>(binding).getNameOf(variable.getArgNumber());
}

void ember::cin::nameVariables(std::optional<ArrayAttr> names, Region &region,
                               OpAsmSetValueNameFn setName) {
  if (!names)
    return;
  for (auto [argument, name] : llvm::zip(region.getArguments(), *names))
    setName(argument, cast<StringAttr>(name).getValue());
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(%i, %p in %begin to %end : i64)`, into operands and properties.
template <typename OpT>
static ParseResult
parseVariables(OpAsmParser &parser, OperationState &result,
               SmallVectorImpl<OpAsmParser::Argument> &variables) {
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  auto parseVariable = [&]() -> ParseResult {
    if (parser.parseArgument(variables.emplace_back()))
      return failure();
    variables.back().type = parser.getBuilder().getIndexType();
    ranged.push_back(succeeded(parser.parseOptionalKeyword("in")));
    if (!ranged.back())
      return success();
    OpAsmParser::UnresolvedOperand lower, upper;
    Type lowerType = variables.back().type;
    if (parser.parseOperand(lower) || parser.parseKeyword("to") ||
        parser.parseOperand(upper))
      return failure();
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(lowerType))
      return failure();
    Type upperType = lowerType;
    if (succeeded(parser.parseOptionalKeyword("and")) &&
        parser.parseType(upperType))
      return failure();
    return failure(parser.resolveOperand(lower, lowerType, lowers) ||
                   parser.resolveOperand(upper, upperType, uppers));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseVariable))
    return failure();
  auto &properties = result.getOrAddProperties<typename OpT::Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(lowers.size()),
                                    static_cast<int32_t>(uppers.size())};
  properties.ranged = parser.getBuilder().getDenseBoolArrayAttr(ranged);
  result.addOperands(lowers);
  result.addOperands(uppers);
  return success();
}

template <typename OpT>
static void printVariables(OpAsmPrinter &printer, OpT op) {
  printer << " (";
  llvm::interleaveComma(op.getVariables(), printer, [&](BlockArgument name) {
    printer.printOperand(name);
    Value lower = op.getLower(name.getArgNumber());
    if (!lower)
      return;
    Value upper = op.getUpper(name.getArgNumber());
    printer << " in " << lower << " to " << upper;
    if (!lower.getType().isIndex() || !upper.getType().isIndex())
      printer << " : " << lower.getType();
    if (upper.getType() != lower.getType())
      printer << " and " << upper.getType();
  });
  printer << ")";
}

/// What a loop visits is said of its own operands.
static LogicalResult verifyIteration(Operation *op, IterationAttr iteration) {
  if (!iteration)
    return success();
  size_t count = getLevelOperands(op).size();
  if (count == 0)
    return op->emitOpError(
        "says which coordinates it visits, and walks nothing "
        "that is in a format: it has to have one variable "
        "without a range");
  ember::OperandMask named = iteration.getSet().support();
  if (named >> count != 0)
    return op->emitOpError() << "visits what operands store of which it has "
                             << count << ": " << iteration.getText();
  return success();
}

template <typename OpT> static LogicalResult verifyVariables(OpT op) {
  ArrayRef<bool> ranged = op.getRanged();
  for (BlockArgument variable : op.getVariables())
    if (!variable.getType().isIndex())
      return op.emitOpError("has a variable that is not of type index");
  if (ranged.size() != op.getVariables().size())
    return op.emitOpError() << "says of " << ranged.size()
                            << " variables whether they have a range, and has "
                            << op.getVariables().size();
  auto count = static_cast<size_t>(llvm::count(ranged, true));
  if (op.getLowers().size() != count || op.getUppers().size() != count)
    return op.emitOpError("has not a lower and an upper bound for each "
                          "variable with a range");
  if (std::optional<ArrayAttr> names = op.getNames();
      names && names->size() != ranged.size())
    return op.emitOpError() << "has " << names->size() << " names for "
                            << ranged.size() << " variables";
  return success();
}

/// What variables are for: what uses them is verified before.
template <typename OpT> static LogicalResult verifyUses(OpT op) {
  ArrayRef<bool> ranged = op.getRanged();
  for (BlockArgument variable : op.getVariables())
    if (!ranged[variable.getArgNumber()] &&
        getIndexedDimensions(variable).empty())
      return op.emitError()
             << "variable " << op.getNameOf(variable.getArgNumber())
             << " has no range, and is the index of no dimension by itself, "
                "which would say which values it has: give it a range";
  // Loops of so many iterations would have none.
  for (auto [lower, upper] : llvm::zip_equal(op.getLowers(), op.getUppers())) {
    std::optional<int64_t> first = getLiteral(lower), end = getLiteral(upper);
    int64_t length;
    if (first && end && *first < *end &&
        llvm::SubOverflow(*end, *first, length))
      return op.emitError() << "the range from " << *first << " to " << *end
                            << " has more values than an index counts";
  }
  return verifyIteration(op, op.getIterationAttr());
}

static const StringRef elided[] = {"operandSegmentSizes", "ranged", "callee"};

ParseResult ForallOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> variables;
  if (parseVariables<ForallOp>(parser, result, variables) ||
      parseAttributes<ForallOp>(parser, result.attributes,
                                /*hasKeyword=*/true, elided) ||
      parser.parseRegion(*result.addRegion(), variables))
    return failure();
  if (result.regions.front()->empty())
    return parser.emitError(parser.getNameLoc(), "has an empty body");
  return success();
}

void ForallOp::print(OpAsmPrinter &printer) {
  printVariables(printer, *this);
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

LogicalResult ForallOp::verify() { return verifyVariables(*this); }

LogicalResult ForallOp::verifyRegions() {
  if (failed(verifyUses(*this)))
    return failure();
  if (std::optional<ScheduleAttr> schedule = getSchedule())
    if (std::optional<ScheduleError> error =
            findUnknownVariable(*this, *schedule))
      return emitOpError() << "has a schedule in which " << error->message;
  return success();
}

/// The dimension that `use` is an index of, if it is one.
static std::optional<ArrayDimension> getDimension(OpOperand &use) {
  auto find = [&](Value array,
                  OperandRange indices) -> std::optional<ArrayDimension> {
    unsigned first = indices.getBeginOperandIndex();
    unsigned number = use.getOperandNumber();
    if (number < first || number >= first + indices.size())
      return std::nullopt;
    return ArrayDimension{array, number - first};
  };
  if (auto access = dyn_cast<AccessOp>(use.getOwner()))
    return find(access.getArray(), access.getIndices());
  if (auto assign = dyn_cast<AssignOp>(use.getOwner()))
    return find(assign.getArray(), assign.getIndices());
  return std::nullopt;
}

/// What an array is a copy of by other levels, of the same sizes; itself if it
/// is none.
static Value getCopied(Value array) {
  auto assemble = array.getDefiningOp<AssembleOp>();
  auto regroup =
      assemble ? assemble.getValues().getDefiningOp<RegroupOp>() : RegroupOp();
  return regroup ? regroup.getArray() : array;
}

namespace {
/// The dimensions that a variable is an index of.
struct IndexedDimensions {
  SmallVector<ArrayDimension> alone;
  /// Those that something which is computed from it is an index of, without
  /// copies.
  SmallVector<ArrayDimension> shifted;

  explicit IndexedDimensions(BlockArgument variable);
  /// Whether `dimension`, of `alone`, has other indices, too.
  bool isShifted(ArrayDimension dimension) const {
    return llvm::is_contained(
        shifted,
        ArrayDimension{getCopied(dimension.array), dimension.dimension});
  }
};
} // namespace

IndexedDimensions::IndexedDimensions(BlockArgument variable) {
  for (OpOperand *use : getUsesInOrder(variable)) {
    std::optional<ArrayDimension> mine = getDimension(*use);
    // A segment belongs to each length, and begins where sums have its number.
    if (auto scan = mine ? mine->array.getDefiningOp<ScanOp>() : ScanOp())
      mine->array = scan.getLengths();
    if (mine && !llvm::is_contained(alone, *mine))
      alone.push_back(*mine);
    auto apply = dyn_cast<ApplyOp>(use->getOwner());
    if (!apply)
      continue;
    for (OpOperand &further : apply->getUses())
      if (std::optional<ArrayDimension> place = getDimension(further))
        shifted.push_back({getCopied(place->array), place->dimension});
  }
}

SmallVector<ArrayDimension>
ember::cin::getIndexedDimensions(BlockArgument variable) {
  IndexedDimensions dimensions(variable);
  llvm::erase_if(dimensions.alone, [&](ArrayDimension mine) {
    return dimensions.isShifted(mine);
  });
  return dimensions.alone;
}

Location ember::cin::getIndexLocation(BlockArgument variable,
                                      ArrayDimension dimension) {
  for (OpOperand *use : getUsesInOrder(variable))
    if (getDimension(*use) == dimension)
      return use->getOwner()->getLoc();
  return variable.getOwner()->getParentOp()->getLoc();
}

void ember::cin::requireSameSize(OpBuilder &builder, BlockArgument variable,
                                 ArrayDimension first, ArrayDimension other) {
  SameSizeOp::create(builder, getIndexLocation(variable, other), first.array,
                     first.dimension, other.array, other.dimension,
                     builder.getStringAttr(getVariableName(variable)),
                     /*message=*/nullptr);
}

SmallVector<ArrayDimension>
ember::cin::getLongerDimensions(BlockArgument variable) {
  IndexedDimensions dimensions(variable);
  llvm::erase_if(dimensions.alone, [&](ArrayDimension mine) {
    return !dimensions.isShifted(mine);
  });
  return dimensions.alone;
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute callee;
  SmallVector<OpAsmParser::Argument> variables;
  if (parseCallee(parser, callee) ||
      parseVariables<ReduceOp>(parser, result, variables) ||
      parser.parseArrow() || parser.parseType(result.types.emplace_back()) ||
      parseAttributes<ReduceOp>(parser, result.attributes,
                                /*hasKeyword=*/true, elided) ||
      parser.parseRegion(*result.addRegion(), variables))
    return failure();
  result.getOrAddProperties<Properties>().callee = callee;
  if (result.regions.front()->empty())
    return parser.emitError(parser.getNameLoc(), "has an empty body");
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printCallee(printer, getCallee());
  printVariables(printer, *this);
  printer << " -> " << getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

YieldOp ReduceOp::getYield() {
  return cast<YieldOp>(getBody()->getTerminator());
}

TypedAttr ReduceOp::getValueOfNothing() {
  if (TypedAttr otherwise = getOtherwiseAttr())
    return otherwise;
  return getFunction().getIdentity(getType());
}

ReduceOp ReduceOp::getInner() {
  auto inner = getYield().getValue().getDefiningOp<ReduceOp>();
  if (!inner || inner->getParentOp() != getOperation() ||
      inner.getCallee() != getCallee() || getOtherwise() ||
      inner.getOtherwise() || getYield().getCondition() ||
      inner.getYield().getCondition())
    return nullptr;
  for (unsigned number = 0; number < inner.getVariables().size(); ++number)
    if (inner.getLower(number) || inner.getUpper(number))
      return nullptr;
  return inner;
}

ReduceOp ReduceOp::getInnermost() {
  ReduceOp innermost = *this;
  while (ReduceOp inner = innermost.getInner())
    innermost = inner;
  return innermost;
}

LogicalResult ReduceOp::verify() { return verifyVariables(*this); }

LogicalResult ReduceOp::verifyRegions() {
  if (failed(verifyUses(*this)))
    return failure();
  if (getBody()->empty() || !isa<YieldOp>(getBody()->back()))
    return emitOpError("has a body that does not end with cin.yield");
  std::optional<TypedAttr> otherwise = getOtherwise();
  if (otherwise && otherwise->getType() != getType())
    return emitOpError() << "is otherwise a value of type "
                         << otherwise->getType()
                         << ", and has a result of type " << getType();
  // Others are looked up once all symbols are known.
  auto builtin = dyn_cast<BuiltinAttr>(getCallee());
  if (builtin && failed(verifyFunction(*builtin)))
    return failure();
  if (std::optional<TypedAttr> rest = getRest()) {
    Function function = getFunction();
    if (!getIteration() || otherwise || rest->getType() != getType() ||
        getYield().getCondition() ||
        (function && !getRepetition(function, *rest)))
      return emitOpError("has a rest that is not a value of its type at "
                         "coordinates that it does not visit, of which any "
                         "number can be combined");
  }
  if (getYield().getValue().getType() != getType())
    return emitOpError() << "yields values of type "
                         << getYield().getValue().getType()
                         << " and has a result of type " << getType();
  return success();
}
