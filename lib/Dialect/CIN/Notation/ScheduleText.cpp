//===- ScheduleText.cpp - Schedules as they are written -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleText.h"
#include "Lexer.h"
#include "Parser.h"

#include "ember/Dialect/CIN/Transforms/Schedules.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ember::cin;

static InFlightDiagnostic emitScheduleError(MLIRContext *context,
                                            Position position) {
  return emitError(
      FileLineColLoc::get(context, "schedule", position.line, position.column));
}

/// What `describeExpression` makes of the same expression.
static std::string describe(const Expression &expression) {
  auto describeAll = [&] {
    return llvm::join(llvm::map_range(expression.operands,
                                      [](const ExpressionPtr &operand) {
                                        return operand ? describe(*operand)
                                                       : std::string();
                                      }),
                      ", ");
  };
  switch (expression.kind) {
  case Expression::Kind::literal: {
    double number = 0;
    if (!llvm::to_float(expression.name, number))
      return expression.name;
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", number);
    return text;
  }
  case Expression::Kind::name:
    return expression.name;
  case Expression::Kind::access:
    return expression.name + "[" + describeAll() + "]";
  case Expression::Kind::member:
    return expression.name + " in " + describeAll();
  case Expression::Kind::size:
    return "size(" + expression.name + ", " + describeAll() + ")";
  case Expression::Kind::chain:
  case Expression::Kind::call:
    return expression.function.getName().str() + "(" + describeAll() + ")";
  case Expression::Kind::slice:
    return expression.name + "(" + describeAll() + ")";
  case Expression::Kind::reduce: {
    std::string variables =
        llvm::join(llvm::map_range(
                       expression.bindings.variables,
                       [](const Binding &binding) { return binding.variable; }),
                   ", ");
    return expression.function.getName().str() + "[" + variables + "](" +
           describeAll() + ")";
  }
  }
  llvm_unreachable("covered switch");
}

namespace {
class ScheduleParser {
public:
  ScheduleParser(StringRef text, ModuleOp functions, MLIRContext *context)
      : text(text), functions(functions), context(context), lexer(text),
        token(lexer.next()) {}

  FailureOr<std::vector<WrittenSchedule>> parse();

private:
  Token take() {
    Token taken = token;
    token = lexer.next();
    return taken;
  }
  LogicalResult expected(StringRef what);
  LogicalResult expect(StringRef symbol) {
    if (!token.is(symbol))
      return expected(("'" + symbol + "'").str());
    take();
    return success();
  }
  FailureOr<WrittenRelation> parseRelation();
  LogicalResult parseVariable(WrittenRelation &written,
                              SmallVectorImpl<StringAttr> &names);
  /// What stands in front of `over`, in the words of `describeExpression`.
  FailureOr<StringAttr> parseExpression();

  StringRef text;
  ModuleOp functions;
  MLIRContext *context;
  Lexer lexer;
  Token token;
};
} // namespace

LogicalResult ScheduleParser::expected(StringRef what) {
  InFlightDiagnostic error = emitScheduleError(context, token.position);
  error << "expected " << what << ", not ";
  if (token.kind == Token::Kind::end)
    return error << "the end of the schedule";
  return error << "'"
               << (token.text == "\n" ? "the end of the line" : token.text)
               << "'";
}

LogicalResult
ScheduleParser::parseVariable(WrittenRelation &written,
                              SmallVectorImpl<StringAttr> &names) {
  if (token.kind != Token::Kind::name)
    return expected("a variable");
  written.variables.push_back(token.position);
  names.push_back(StringAttr::get(context, take().text));
  return success();
}

FailureOr<StringAttr> ScheduleParser::parseExpression() {
  size_t begin = token.text.data() - text.data(), end = begin;
  bool isLastComma = false;
  while (!token.isWord("over")) {
    bool isOver = token.kind == Token::Kind::end ||
                  token.kind == Token::Kind::separator ||
                  token.kind == Token::Kind::wrong;
    if (isOver)
      return expected("an expression, 'over', and variables");
    isLastComma = token.is(",");
    if (!isLastComma)
      end = token.text.data() + token.text.size() - text.data();
    take();
  }
  take();
  // It is read as the value of a statement, at the columns that it has here.
  std::string padded = text.take_front(end).str();
  for (size_t i = 0; i < begin; ++i)
    if (padded[i] != '\n')
      padded[i] = ' ';
  padded[begin - 1] = '=';
  padded[begin - 2] = '_';
  std::optional<std::pair<Position, std::string>> wrong;
  std::optional<std::vector<Statement>> statements;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      auto at = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
      wrong = {at ? Position{at.getLine(), at.getColumn()} : Position(),
               diagnostic.str()};
      return success();
    });
    FailureOr<std::vector<Statement>> parsed =
        parseStatements(padded, functions, context);
    if (succeeded(parsed))
      statements = std::move(*parsed);
  }
  if (!statements) {
    emitScheduleError(context, wrong ? wrong->first : token.position)
        << (wrong ? wrong->second : "expected an expression");
    return failure();
  }
  return StringAttr::get(context, describe(*statements->front().value));
}

FailureOr<WrittenRelation> ScheduleParser::parseRelation() {
  WrittenRelation written;
  written.position = token.position;
  std::optional<RelationKind> kind = token.kind == Token::Kind::name
                                         ? findRelationKind(token.text)
                                         : std::nullopt;
  if (!kind) {
    (void)expected("one of split, fuse, reorder, precompute and parallelize");
    return failure();
  }
  take();
  if (failed(expect("(")))
    return failure();
  StringAttr expression;
  if (*kind == RelationKind::precompute) {
    FailureOr<StringAttr> parsed = parseExpression();
    if (failed(parsed))
      return failure();
    expression = *parsed;
  }
  SmallVector<StringAttr> names;
  int64_t factor = 0;
  while (true) {
    if (*kind == RelationKind::split && names.size() == 3) {
      if (token.kind != Token::Kind::number ||
          token.text.getAsInteger(10, factor)) {
        (void)expected("the size of a tile");
        return failure();
      }
      take();
      break;
    }
    if (failed(parseVariable(written, names)))
      return failure();
    if (!token.is(","))
      break;
    take();
  }
  if (failed(expect(")")))
    return failure();
  auto fail = [&] { return emitScheduleError(context, written.position); };
  written.relation = RelationAttr::getChecked(
      function_ref<InFlightDiagnostic()>(fail), context, *kind,
      ArrayRef<StringAttr>(names), factor, expression);
  if (!written.relation)
    return failure();
  return written;
}

FailureOr<std::vector<WrittenSchedule>> ScheduleParser::parse() {
  std::vector<WrittenSchedule> schedules(1);
  while (token.kind != Token::Kind::end) {
    if (token.kind == Token::Kind::separator) {
      take();
      schedules.emplace_back();
      continue;
    }
    FailureOr<WrittenRelation> relation = parseRelation();
    if (failed(relation))
      return failure();
    schedules.back().push_back(std::move(*relation));
    // Commas between relations may be left out.
    if (token.is(","))
      take();
  }
  // A separator may stand at the end, too.
  if (schedules.size() > 1 && schedules.back().empty())
    schedules.pop_back();
  return schedules;
}

FailureOr<std::vector<WrittenSchedule>>
ember::cin::parseSchedules(StringRef text, ModuleOp functions,
                           MLIRContext *context) {
  return ScheduleParser(text, functions, context).parse();
}

/// Whether a relation changes which loops there are, or their order.
static bool isOfLoops(const WrittenRelation &written) {
  RelationKind kind = written.relation.getKind();
  return kind != RelationKind::precompute && kind != RelationKind::parallelize;
}

LogicalResult ember::cin::setSchedule(ForallOp statement,
                                      const WrittenSchedule &given) {
  if (given.empty())
    return success();
  // What is kept, and what is parallel, is said of loops as they are in the
  // end, wherever it stands.
  WrittenSchedule written;
  for (bool first : {true, false})
    llvm::copy_if(given, std::back_inserter(written),
                  [&](const WrittenRelation &relation) {
                    return isOfLoops(relation) == first;
                  });
  MLIRContext *context = statement.getContext();
  SmallVector<RelationAttr> relations;
  for (const WrittenRelation &relation : written)
    relations.push_back(relation.relation);
  auto schedule = ScheduleAttr::get(context, relations);
  auto report = [&](const ScheduleError &error) {
    const WrittenRelation &relation = written[error.relation];
    bool isOfVariable =
        error.variable && *error.variable < relation.variables.size();
    return emitScheduleError(context, isOfVariable
                                          ? relation.variables[*error.variable]
                                          : relation.position)
           << error.message;
  };
  if (std::optional<ScheduleError> error =
          findUnknownVariable(statement, schedule))
    return report(*error);
  statement.setScheduleAttr(schedule);
  // A copy tells whether it can be done.
  auto evaluate = statement->getParentOfType<EvaluateOp>();
  auto position =
      std::distance(evaluate.getBody()->begin(), Block::iterator(statement));
  Operation *copy = evaluate->clone();
  // Functions are found from where it stands.
  evaluate->getBlock()->getOperations().insert(
      std::next(Block::iterator(evaluate)), copy);
  Block &body = copy->getRegion(0).front();
  auto mine = cast<ForallOp>(*std::next(body.begin(), position));
  std::optional<ScheduleError> error = scheduleStatement(mine);
  copy->erase();
  return error ? LogicalResult(report(*error)) : success();
}
