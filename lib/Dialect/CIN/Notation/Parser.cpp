//===- Parser.cpp - Statements out of words -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generalized tensor index notation (Hsu's dissertation, figure B.1) with the
// precedence of Python's operators, and with indices that are expressions,
// ranges and conditions.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "AssignedNumbers.h"
#include "ExpressionParser.h"
#include "ReducedVariables.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace ember::cin;

Location ember::cin::locationOf(MLIRContext *context, Position position) {
  return FileLineColLoc::get(context, notationFile, position.line,
                             position.column);
}

InFlightDiagnostic ember::cin::emitErrorAt(MLIRContext *context,
                                           Position position) {
  return emitError(locationOf(context, position));
}

namespace {
class StatementParser : public ExpressionParser {
public:
  using ExpressionParser::ExpressionParser;

  FailureOr<std::vector<Statement>> parseAll();

private:
  FailureOr<Statement> parseStatement();
  Statement::Keeps parseKeeps();
  FailureOr<Function> parseAssignment();

  /// What statements so far assign to that has no dimensions.
  llvm::StringSet<> numbers;
};
} // namespace

/// `=`, `+=` and the like, or `max=`. None for `=`.
FailureOr<Function> StatementParser::parseAssignment() {
  if (takeIf("="))
    return Function();
  if (token.is("-="))
    return Function(*findBuiltin("add"));
  if (const Operator *found = findOperator(assignments, token)) {
    take();
    return Function(*findBuiltin(found->function));
  }
  if (token.kind == Token::Kind::name && !isKeyword(token)) {
    Token name = take();
    Function function = findFunction(name.text);
    if (function && token.is("=")) {
      if (!checkReduces(name, function))
        return failure();
      take();
      return function;
    }
    emitErrorAt(context, name.position)
        << "expected an assignment, such as '=', '+=' or 'max='";
    return failure();
  }
  expected("an assignment, such as '=', '+=' or 'max='");
  return failure();
}

/// Takes `first` or `last`, if it is no function of the user's.
Statement::Keeps StatementParser::parseKeeps() {
  bool isFirst = token.isWord("first"), isLast = token.isWord("last");
  if (!isFirst && !isLast)
    return Statement::Keeps::only;
  Lexer before = lexer;
  Token word = take();
  if (token.is("=") && !findFunction(word.text))
    return isFirst ? Statement::Keeps::first : Statement::Keeps::last;
  lexer = before;
  token = word;
  return Statement::Keeps::only;
}

FailureOr<Statement> StatementParser::parseStatement() {
  Statement statement;
  if (token.isWord("let")) {
    take();
    statement.isDeclaration = true;
  }
  if (token.kind != Token::Kind::name || isKeyword(token)) {
    expected("the array that is assigned to");
    return failure();
  }
  Token name = token;
  statement.target = parseNamed();
  if (!statement.target)
    return failure();
  if (statement.target->kind != Expression::Kind::access &&
      statement.target->kind != Expression::Kind::name) {
    emitErrorAt(context, name.position)
        << "assigns to something else than an element of an array";
    return failure();
  }
  statement.keeps = parseKeeps();
  FailureOr<Function> function = parseAssignment();
  if (failed(function))
    return failure();
  statement.function = *function;
  Token at = token;
  bool subtracts = takeIf("-=");
  statement.value = parseExpression();
  if (subtracts)
    statement.value = callOf(at, "neg", std::move(statement.value));
  if (!statement.value)
    return failure();
  if (token.isWord("for")) {
    take();
    if (failed(parseBindings(statement.bindings)))
      return failure();
  } else if (token.isWord("if")) {
    take();
    statement.bindings.condition = parseOr();
    if (!statement.bindings.condition)
      return failure();
  }
  if (token.kind != Token::Kind::separator && token.kind != Token::Kind::end) {
    expected("an operator or the end of the statement");
    return failure();
  }
  readAssignedNumbers(statement, numbers);
  if (failed(bindReducedVariables(statement, context)))
    return failure();
  if (statement.target->kind == Expression::Kind::name)
    numbers.insert(statement.target->name);
  return std::move(statement);
}

FailureOr<std::vector<Statement>> StatementParser::parseAll() {
  std::vector<Statement> statements;
  while (true) {
    while (token.kind == Token::Kind::separator)
      take();
    if (token.kind == Token::Kind::end)
      break;
    FailureOr<Statement> statement = parseStatement();
    if (failed(statement))
      return failure();
    statements.push_back(std::move(*statement));
  }
  if (statements.empty()) {
    expected("a statement");
    return failure();
  }
  return std::move(statements);
}

FailureOr<std::vector<Statement>>
ember::cin::parseStatements(StringRef text, ModuleOp functions,
                            MLIRContext *context) {
  return StatementParser(text, functions, context).parseAll();
}
