//===- CINSchedules.cpp - Scheduling relations ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

static constexpr llvm::StringLiteral relationNames[] = {
    "split", "fuse", "reorder", "precompute", "parallelize"};

StringRef ember::cin::getName(RelationKind kind) {
  return relationNames[static_cast<size_t>(kind)];
}

std::optional<RelationKind> ember::cin::findRelationKind(StringRef name) {
  const auto *found = llvm::find(relationNames, name);
  if (found == std::end(relationNames))
    return std::nullopt;
  return static_cast<RelationKind>(found - std::begin(relationNames));
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseName(AsmParser &parser,
                             SmallVectorImpl<StringAttr> &names) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalKeywordOrString(&name))
    return parser.emitError(loc) << "expected the name of a variable";
  names.push_back(StringAttr::get(parser.getContext(), name));
  return success();
}

RelationAttr RelationAttr::parseRelation(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return {};
  std::optional<RelationKind> kind = findRelationKind(name);
  if (!kind) {
    parser.emitError(loc) << "there is no scheduling relation '" << name
                          << "': expected one of split, fuse, reorder, "
                             "precompute and parallelize";
    return {};
  }
  SmallVector<StringAttr> variables;
  int64_t factor = 0;
  StringAttr expression;
  if (parser.parseLParen())
    return {};
  if (*kind == RelationKind::precompute &&
      (parser.parseAttribute(expression) || parser.parseKeyword("over")))
    return {};
  auto parsePart = [&]() -> ParseResult {
    bool mayBeFactor = *kind == RelationKind::split && variables.size() == 3;
    if (mayBeFactor)
      return parser.parseInteger(factor);
    return parseName(parser, variables);
  };
  if (parser.parseCommaSeparatedList(parsePart) || parser.parseRParen())
    return {};
  auto fail = [&] { return parser.emitError(loc); };
  return RelationAttr::getChecked(
      function_ref<InFlightDiagnostic()>(fail), parser.getContext(), *kind,
      ArrayRef<StringAttr>(variables), factor, expression);
}

void RelationAttr::printRelation(AsmPrinter &printer) const {
  printer << cin::getName(getKind()) << "(";
  if (getExpression())
    printer << getExpression() << " over ";
  llvm::interleaveComma(getVariables(), printer, [&](StringAttr name) {
    printer.printKeywordOrString(name);
  });
  if (getKind() == RelationKind::split)
    printer << ", " << getFactor();
  printer << ")";
}

Attribute RelationAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  RelationAttr relation = parseRelation(parser);
  if (!relation || parser.parseGreater())
    return {};
  return relation;
}

void RelationAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printRelation(printer);
  printer << ">";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<RelationAttr> relations;
  auto parsePart = [&]() -> ParseResult {
    relations.push_back(RelationAttr::parseRelation(parser));
    return success(!!relations.back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parsePart))
    return {};
  auto fail = [&] { return parser.emitError(loc); };
  return ScheduleAttr::getChecked(function_ref<InFlightDiagnostic()>(fail),
                                  parser.getContext(),
                                  ArrayRef<RelationAttr>(relations));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getRelations(), printer, [&](RelationAttr relation) {
    relation.printRelation(printer);
  });
  printer << ">";
}

ArrayRef<StringAttr> ScheduleAttr::getOrder() const {
  for (RelationAttr relation : llvm::reverse(getRelations()))
    if (relation.getKind() == RelationKind::reorder)
      return relation.getVariables();
  return {};
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult RelationAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   RelationKind kind,
                                   ArrayRef<StringAttr> variables,
                                   int64_t factor, StringAttr expression) {
  StringRef name = cin::getName(kind);
  for (auto [number, variable] : llvm::enumerate(variables))
    if (llvm::is_contained(variables.take_front(number), variable))
      return emitError() << "'" << name << "' names variable "
                         << variable.getValue() << " twice";
  switch (kind) {
  case RelationKind::split:
    // A tile behind the last one ends at a number that is one still.
    if (variables.size() != 3 || factor < 1 || factor > (int64_t(1) << 62))
      return emitError() << "'split' has a variable, the names of its two "
                            "parts, and the size of a tile, at least 1 and at "
                            "most 2 ** 62";
    break;
  case RelationKind::fuse:
    if (variables.size() != 3)
      return emitError()
             << "'fuse' has two variables and the name of what they become";
    break;
  case RelationKind::reorder:
    if (variables.empty())
      return emitError() << "'reorder' has no variable";
    break;
  case RelationKind::precompute:
    if (!expression || expression.getValue().empty() || variables.empty())
      return emitError() << "'precompute' has an expression and the variables "
                            "that its workspace has elements for";
    break;
  case RelationKind::parallelize:
    if (variables.size() != 1)
      return emitError() << "'parallelize' has one variable";
    break;
  }
  if (kind != RelationKind::split && factor != 0)
    return emitError() << "'" << name << "' has a factor";
  if (kind != RelationKind::precompute && expression)
    return emitError() << "'" << name << "' has an expression";
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<RelationAttr> relations) {
  if (llvm::is_contained(relations, RelationAttr()))
    return emitError() << "a schedule consists of relations";
  return success();
}

SmallVector<BlockArgument> ember::cin::getBoundVariables(ForallOp statement) {
  SmallVector<BlockArgument> variables;
  statement->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ForallOp, ReduceOp>(op))
      llvm::append_range(variables, op->getRegion(0).getArguments());
  });
  return variables;
}

std::optional<ScheduleError>
ember::cin::findUnknownVariable(ForallOp statement, ScheduleAttr schedule) {
  // How many variables there are of a name.
  llvm::StringMap<unsigned> known;
  for (BlockArgument variable : getBoundVariables(statement))
    ++known[getVariableName(variable)];
  // What is split is gone, and relations in front are about it all the same.
  for (RelationAttr relation : schedule.getRelations())
    if (relation.getKind() == RelationKind::split &&
        known.lookup(relation.getVariable(0)) == 0 &&
        known.lookup(relation.getVariable(1)) == 1 &&
        known.lookup(relation.getVariable(2)) == 1)
      known[relation.getVariable(0)] = 1;
  for (auto [number, relation] : llvm::enumerate(schedule.getRelations())) {
    auto fail = [&, at = number](std::optional<unsigned> variable,
                                 std::string message) {
      return ScheduleError{static_cast<unsigned>(at), variable,
                           std::move(message)};
    };
    auto isKnown = [&, &relation = relation](unsigned variable) {
      return known.lookup(relation.getVariable(variable)) > 0;
    };
    RelationKind kind = relation.getKind();
    // The statement has become what it asks for.
    bool isDone =
        kind == RelationKind::split && isKnown(0) && isKnown(1) && isKnown(2) &&
        llvm::none_of(getBoundVariables(statement),
                      [&, &relation = relation](BlockArgument mine) {
                        return getVariableName(mine) == relation.getVariable(0);
                      });
    if (isDone) {
      known.erase(relation.getVariable(0));
      continue;
    }
    // Those at the end are new.
    size_t count = relation.getVariables().size();
    size_t given = kind == RelationKind::split  ? 1
                   : kind == RelationKind::fuse ? 2
                                                : count;
    for (size_t i = 0; i < given; ++i) {
      StringRef name = relation.getVariable(i);
      if (!isKnown(i))
        return fail(i, "there is no variable '" + name.str() + "'");
      if (known.lookup(name) > 1)
        return fail(i, "several variables are called '" + name.str() +
                           "': give them different names");
    }
    for (size_t i = given; i < count; ++i) {
      if (isKnown(i))
        return fail(i, "there is a variable '" + relation.getVariable(i).str() +
                           "' already");
      known[relation.getVariable(i)] = 1;
    }
    // What is split is gone; what is fused still has two coordinates.
    if (kind == RelationKind::split)
      known.erase(relation.getVariable(0));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string ember::cin::describeExpression(Value value) {
  if (auto variable = dyn_cast<BlockArgument>(value)) {
    Operation *binding = variable.getOwner()->getParentOp();
    return isa<ForallOp, ReduceOp>(binding)
               ? getVariableName(variable)
               : cast<EvaluateOp>(binding).getNameOf(value);
  }
  Operation *op = value.getDefiningOp();
  auto describeAll = [](ValueRange values) {
    return llvm::join(llvm::map_range(values, describeExpression), ", ");
  };
  if (auto access = dyn_cast<AccessOp>(op)) {
    auto evaluate = op->getParentOfType<EvaluateOp>();
    std::string array = evaluate.getNameOf(access.getArray());
    // A scalar has no indices.
    if (access.getIndices().empty())
      return array;
    return array + "[" + describeAll(access.getIndices()) + "]";
  }
  if (auto call = dyn_cast<CallOp>(op)) {
    std::string name = call.getFunction().getName().str();
    if (name == "convert")
      return describeExpression(call.getOperands().front());
    return name + "(" + describeAll(call.getOperands()) + ")";
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto literal = dyn_cast<LiteralOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(literal.getValue()))
      os << llvm::format("%g", number.getValueAsDouble());
    else if (auto integer = dyn_cast<IntegerAttr>(literal.getValue()))
      os << llvm::format("%g", static_cast<double>(integer.getInt()));
    return text;
  }
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getFunction().getName().str() + "[" +
           describeAll(llvm::to_vector_of<Value>(reduce.getVariables())) +
           "](" + describeExpression(reduce.getYield().getValue()) + ")";
  // Affine expressions of indices.
  os << op->getName().stripDialect() << "(" << describeAll(op->getOperands())
     << ")";
  return text;
}
