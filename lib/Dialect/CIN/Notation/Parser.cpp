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
#include "Lexer.h"
#include "Operators.h"

#include "ember/Dialect/CIN/IR/CIN.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace ember::cin;

Location ember::cin::locationOf(MLIRContext *context, Position position) {
  return FileLineColLoc::get(context, "notation", position.line,
                             position.column);
}

InFlightDiagnostic ember::cin::emitErrorAt(MLIRContext *context,
                                           Position position) {
  return emitError(locationOf(context, position));
}

namespace {
class Parser {
public:
  Parser(StringRef text, ModuleOp functions, MLIRContext *context)
      : context(context), functions(functions), lexer(text),
        token(lexer.next()) {}

  FailureOr<std::vector<Statement>> parseAll();

private:
  /// How deep expressions may be, as written and by the order of operators.
  static constexpr unsigned mostDepth = 200, mostHeight = 2000;

  FailureOr<Statement> parseStatement();
  Statement::Keeps parseKeeps();
  FailureOr<Function> parseAssignment();
  LogicalResult parseBindings(Bindings &bindings);
  /// Adds what a range asks for to `condition`, which is null at first.
  FailureOr<Binding> parseBinding(ExpressionPtr &condition);
  FailureOr<Binding> parseSegment(Binding binding);
  FailureOr<Binding> parseMember(Binding binding, ExpressionPtr &condition);
  ExpressionPtr joinConditions(ExpressionPtr first, ExpressionPtr second);
  ExpressionPtr parseExpression();
  ExpressionPtr parseLogical(StringRef word, StringRef function,
                             ExpressionPtr (Parser::*operand)());
  ExpressionPtr parseOr();
  ExpressionPtr parseAnd();
  ExpressionPtr parseNot();
  ExpressionPtr parseComparison();
  ExpressionPtr parseBinary(size_t level);
  /// The name of a function that is an operator: `` `gcd` ``; none after an
  /// error.
  std::optional<Token> parseQuoted();
  ExpressionPtr parseUnary();
  ExpressionPtr parsePower();
  ExpressionPtr parsePrimary();
  ExpressionPtr parseNamed();
  ExpressionPtr parseReduction(Token name, Function function);
  /// The function of that name; none if there is none.
  Function findFunction(StringRef name);
  /// An error if a function does not reduce.
  bool checkReduces(const Token &name, Function function);
  ExpressionPtr parseIndex();
  LogicalResult parseList(StringRef end, std::vector<ExpressionPtr> &list,
                          ExpressionPtr (Parser::*element)());

  ExpressionPtr make(Expression::Kind kind, const Token &at);
  ExpressionPtr call(const Token &at, StringRef function,
                     std::vector<ExpressionPtr> operands);
  /// Notes the height of an expression; null after an error.
  ExpressionPtr raise(ExpressionPtr made);
  template <typename... Operands>
  ExpressionPtr callOf(const Token &at, StringRef function,
                       Operands... operands) {
    std::vector<ExpressionPtr> list;
    (list.push_back(std::move(operands)), ...);
    return call(at, function, std::move(list));
  }
  Token take() {
    Token taken = token;
    token = lexer.next();
    return taken;
  }
  bool takeIf(StringRef symbol) {
    if (!token.is(symbol))
      return false;
    take();
    return true;
  }
  /// False after an error, if an expression is too deep.
  bool enter();
  /// Says what was expected where something else stands.
  std::nullptr_t expected(StringRef what);
  bool expect(StringRef symbol) {
    if (takeIf(symbol))
      return true;
    expected(("'" + symbol + "'").str());
    return false;
  }

  MLIRContext *context;
  /// Those that users define; null for none.
  ModuleOp functions;
  Lexer lexer;
  Token token;
  unsigned depth = 0;
};
} // namespace

static const Operator *findOperator(Operators operators, const Token &token) {
  if (token.kind != Token::Kind::symbol)
    return nullptr;
  const Operator *found = llvm::find_if(
      operators, [&](const Operator &row) { return row.symbol == token.text; });
  return found == operators.end() ? nullptr : found;
}

Function Parser::findFunction(StringRef name) {
  if (functions)
    for (auto function : functions.getOps<FunctionOp>())
      if (function.getNotationName() == name)
        return function;
  for (const Operator &synonym : synonyms)
    if (synonym.symbol == name)
      return *findBuiltin(synonym.function);
  const Builtin *builtin = findBuiltin(name);
  return builtin ? Function(*builtin) : Function();
}

static bool isKeyword(const Token &token) {
  return llvm::any_of(
      ArrayRef<StringRef>{"for", "in", "if", "else", "and", "or", "not"},
      [&](StringRef word) { return token.isWord(word); });
}

std::nullptr_t Parser::expected(StringRef what) {
  InFlightDiagnostic error = emitErrorAt(context, token.position);
  error << "expected " << what << ", not ";
  if (token.kind == Token::Kind::end)
    error << "the end of the notation";
  else if (token.text == "\n")
    error << "the end of the line";
  else
    error << "'" << token.text << "'";
  return nullptr;
}

ExpressionPtr Parser::make(Expression::Kind kind, const Token &at) {
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->position = at.position;
  made->name = at.text.str();
  return made;
}

ExpressionPtr Parser::call(const Token &at, StringRef function,
                           std::vector<ExpressionPtr> operands) {
  for (const ExpressionPtr &operand : operands)
    if (!operand)
      return nullptr;
  ExpressionPtr made = make(Expression::Kind::call, at);
  made->function = findFunction(function);
  if (!made->function) {
    emitErrorAt(context, at.position)
        << "there is no function '" << function << "'";
    return nullptr;
  }
  // What reduces combines any number of values, the first two first.
  bool isAny = made->function.reduces();
  if (isAny && operands.size() > 2) {
    ExpressionPtr left = std::move(operands.front());
    for (ExpressionPtr &right : llvm::drop_begin(operands))
      left = callOf(at, function, std::move(left), std::move(right));
    return left;
  }
  unsigned arity = made->function.getArity();
  if (arity != operands.size()) {
    emitErrorAt(context, at.position)
        << "'" << function << "' takes " << arity
        << (arity == 1 ? " operand" : " operands") << (isAny ? " or more" : "")
        << ", not " << operands.size();
    return nullptr;
  }
  made->operands = std::move(operands);
  return raise(std::move(made));
}

ExpressionPtr Parser::raise(ExpressionPtr made) {
  for (const ExpressionPtr &operand : made->operands)
    made->height = std::max(made->height, operand->height + 1);
  if (made->height <= mostHeight)
    return made;
  emitErrorAt(context, made->position)
      << "more than " << mostHeight << " operators depend on each other";
  return nullptr;
}

bool Parser::enter() {
  if (++depth <= mostDepth)
    return true;
  emitErrorAt(context, token.position)
      << "expressions are nested more than " << mostDepth << " deep";
  return false;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// `a if condition else b`
ExpressionPtr Parser::parseExpression() {
  if (!enter())
    return nullptr;
  ExpressionPtr value = parseOr();
  Token at = token;
  // A condition of bindings stands at the end of a list, and has no `else`.
  if (value && token.isWord("if")) {
    Lexer before = lexer;
    take();
    ExpressionPtr condition = parseOr();
    if (!condition)
      return nullptr;
    if (!token.isWord("else")) {
      lexer = before;
      token = at;
      --depth;
      return value;
    }
    take();
    value = callOf(at, "select", std::move(condition), std::move(value),
                   parseExpression());
  }
  --depth;
  return value;
}

ExpressionPtr Parser::parseLogical(StringRef word, StringRef function,
                                   ExpressionPtr (Parser::*operand)()) {
  ExpressionPtr left = (this->*operand)();
  while (left && token.isWord(word)) {
    Token at = take();
    left = callOf(at, function, std::move(left), (this->*operand)());
    if (left)
      left->name = word.str();
  }
  return left;
}

ExpressionPtr Parser::parseOr() {
  return parseLogical("or", "or", &Parser::parseAnd);
}

ExpressionPtr Parser::parseAnd() {
  return parseLogical("and", "and", &Parser::parseNot);
}

ExpressionPtr Parser::parseNot() {
  if (!token.isWord("not"))
    return parseComparison();
  if (!enter())
    return nullptr;
  Token at = take();
  ExpressionPtr value = callOf(at, "not", parseNot());
  if (value)
    value->name = "not";
  --depth;
  return value;
}

ExpressionPtr Parser::parseComparison() {
  ExpressionPtr left = parseBinary(0);
  const Operator *found = findOperator(comparisons, token);
  if (!left || !found)
    return left;
  Token at = token;
  std::vector<ExpressionPtr> operands;
  operands.push_back(std::move(left));
  std::vector<Expression::Link> links;
  while ((found = findOperator(comparisons, token))) {
    links.push_back({findBuiltin(found->function), token.position});
    take();
    operands.push_back(parseBinary(0));
    if (!operands.back())
      return nullptr;
  }
  if (links.size() == 1)
    return call(at, links.front().function->name, std::move(operands));
  ExpressionPtr chain = make(Expression::Kind::chain, at);
  chain->operands = std::move(operands);
  chain->links = std::move(links);
  return raise(std::move(chain));
}

ExpressionPtr Parser::parseBinary(size_t level) {
  if (level == binaryLevels.size())
    return parseUnary();
  ExpressionPtr left = parseBinary(level + 1);
  while (left) {
    const Operator *found = findOperator(binaryLevels[level], token);
    bool isNamed = level + 1 == binaryLevels.size() && token.is("`");
    if (!found && !isNamed)
      return left;
    Token at = token;
    if (isNamed) {
      std::optional<Token> name = parseQuoted();
      if (!name)
        return nullptr;
      at = *name;
    } else {
      take();
    }
    left = callOf(at, found ? StringRef(found->function) : at.text,
                  std::move(left), parseBinary(level + 1));
  }
  return left;
}

std::optional<Token> Parser::parseQuoted() {
  take();
  if (token.kind != Token::Kind::name) {
    expected("the name of a function");
    return std::nullopt;
  }
  Token name = take();
  return expect("`") ? std::optional(name) : std::nullopt;
}

ExpressionPtr Parser::parseUnary() {
  if (!enter())
    return nullptr;
  ExpressionPtr value;
  Token at = token;
  if (takeIf("+")) {
    value = parseUnary();
  } else if (takeIf("-")) {
    value = callOf(at, "neg", parseUnary());
  } else if (takeIf("~")) {
    value = callOf(at, "not", parseUnary());
  } else if (token.is("`")) {
    if (std::optional<Token> name = parseQuoted())
      value = callOf(*name, name->text, parseUnary());
  } else {
    value = parsePower();
  }
  --depth;
  return value;
}

/// Binds more than a sign on its left, and less than one on its right.
ExpressionPtr Parser::parsePower() {
  ExpressionPtr base = parsePrimary();
  if (!base || !token.is("**"))
    return base;
  Token at = take();
  return callOf(at, "pow", std::move(base), parseUnary());
}

ExpressionPtr Parser::parsePrimary() {
  if (token.kind == Token::Kind::number)
    return make(Expression::Kind::literal, take());
  if (takeIf("(")) {
    ExpressionPtr inner = parseExpression();
    return inner && expect(")") ? std::move(inner) : nullptr;
  }
  if (token.kind != Token::Kind::name || isKeyword(token))
    return expected("an array, a number, a function or '('");
  return parseNamed();
}

LogicalResult Parser::parseList(StringRef end, std::vector<ExpressionPtr> &list,
                                ExpressionPtr (Parser::*element)()) {
  if (takeIf(end))
    return success();
  while (true) {
    list.push_back((this->*element)());
    if (!list.back())
      return failure();
    if (takeIf(end))
      return success();
    if (!takeIf(",")) {
      expected(("',' or '" + end + "'").str());
      return failure();
    }
  }
}

/// A scalar, `array[...]`, `function(...)` or `function[...](...)`.
ExpressionPtr Parser::parseNamed() {
  Token name = take();
  if (llvm::is_contained(
          ArrayRef<StringRef>{"inf", "nan", "True", "False", "true", "false"},
          name.text))
    return make(Expression::Kind::literal, name);
  if (takeIf("(")) {
    std::vector<ExpressionPtr> operands;
    if (failed(parseList(")", operands, &Parser::parseExpression)))
      return nullptr;
    return call(name, name.text, std::move(operands));
  }
  if (!token.is("["))
    return make(Expression::Kind::name, name);
  take();
  if (Function function = findFunction(name.text))
    return parseReduction(name, function);
  ExpressionPtr access = make(Expression::Kind::access, name);
  if (failed(parseList("]", access->operands, &Parser::parseIndex)))
    return nullptr;
  if (token.is("(")) {
    emitErrorAt(context, name.position)
        << "there is no function '" << name.text << "'";
    return nullptr;
  }
  return access;
}

bool Parser::checkReduces(const Token &name, Function function) {
  if (function.reduces())
    return true;
  emitErrorAt(context, name.position)
      << "'" << name.text << "' does not reduce: it is not "
      << (function.isAssociative()
              ? "commutative, or not of two values of one type"
              : "associative");
  return false;
}

ExpressionPtr Parser::parseReduction(Token name, Function function) {
  ExpressionPtr reduce = make(Expression::Kind::reduce, name);
  reduce->function = function;
  if (!checkReduces(name, function))
    return nullptr;
  if (failed(parseBindings(reduce->bindings)) || !expect("]") || !expect("("))
    return nullptr;
  reduce->operands.push_back(parseExpression());
  if (!reduce->operands.back() || !expect(")"))
    return nullptr;
  return reduce;
}

/// An expression, or `i(lower:upper:step)`.
ExpressionPtr Parser::parseIndex() {
  Lexer before = lexer;
  Token name = token;
  if (name.kind != Token::Kind::name || isKeyword(name))
    return parseExpression();
  take();
  if (!takeIf("(")) {
    lexer = before;
    token = name;
    return parseExpression();
  }
  ExpressionPtr slice = make(Expression::Kind::slice, name);
  slice->operands.resize(3);
  for (size_t part = 0; part < 3; ++part) {
    if (!token.is(":") && !token.is(")")) {
      slice->operands[part] = parseExpression();
      if (!slice->operands[part])
        return nullptr;
    }
    if (part == 0 && !token.is(":")) {
      // A function after all.
      lexer = before;
      token = name;
      return parseExpression();
    }
    if (token.is(")"))
      break;
    if (part == 2 || !takeIf(":"))
      return expected("')' behind the bounds and the step of a slice");
  }
  take();
  return slice;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// `p in segment(lengths[b])`, behind the parenthesis.
FailureOr<Binding> Parser::parseSegment(Binding binding) {
  Token at = token;
  binding.length = parseExpression();
  if (!binding.length || !expect(")"))
    return failure();
  bool isElement =
      binding.length->kind == Expression::Kind::access &&
      binding.length->operands.size() == 1 &&
      binding.length->operands.front()->kind != Expression::Kind::slice;
  if (isElement)
    return std::move(binding);
  emitErrorAt(context, at.position) << "a segment is as long as an element of "
                                       "an array of one dimension says, "
                                       "such as lengths[b]";
  return failure();
}

/// `j in A[i]`, in which `binding.lower` is `A[i]`: the condition that A has an
/// element there, beside `condition`.
FailureOr<Binding> Parser::parseMember(Binding binding,
                                       ExpressionPtr &condition) {
  ExpressionPtr member = std::move(binding.lower);
  if (member->kind != Expression::Kind::access &&
      member->kind != Expression::Kind::name) {
    expected("':' between the bounds of a variable");
    return failure();
  }
  Token at = token;
  at.text = binding.variable;
  at.position = binding.position;
  member->kind = Expression::Kind::member;
  member->operands.push_back(make(Expression::Kind::name, at));
  condition = condition
                  ? joinConditions(std::move(condition), std::move(member))
                  : std::move(member);
  if (!condition)
    return failure();
  return std::move(binding);
}

ExpressionPtr Parser::joinConditions(ExpressionPtr first,
                                     ExpressionPtr second) {
  Token at = token;
  at.position = second->position;
  at.text = "and";
  return callOf(at, "and", std::move(first), std::move(second));
}

FailureOr<Binding> Parser::parseBinding(ExpressionPtr &condition) {
  if (token.kind != Token::Kind::name || isKeyword(token)) {
    expected("a variable");
    return failure();
  }
  Binding binding;
  binding.position = token.position;
  binding.variable = take().text.str();
  if (!token.isWord("in"))
    return std::move(binding);
  take();
  Lexer before = lexer;
  Token keyword = token;
  if (keyword.isWord("segment")) {
    take();
    if (takeIf("("))
      return parseSegment(std::move(binding));
    lexer = before;
    token = keyword;
  }
  binding.lower = parseOr();
  if (!binding.lower)
    return failure();
  if (!token.is(":"))
    return parseMember(std::move(binding), condition);
  take();
  binding.upper = parseOr();
  if (!binding.upper)
    return failure();
  return std::move(binding);
}

LogicalResult Parser::parseBindings(Bindings &bindings) {
  do {
    FailureOr<Binding> binding = parseBinding(bindings.condition);
    if (failed(binding))
      return failure();
    bindings.variables.push_back(std::move(*binding));
  } while (takeIf(","));
  if (!token.isWord("if"))
    return success();
  take();
  ExpressionPtr condition = parseOr();
  if (condition && bindings.condition)
    condition =
        joinConditions(std::move(bindings.condition), std::move(condition));
  bindings.condition = std::move(condition);
  return success(bindings.condition != nullptr);
}

/// `=`, `+=` and the like, or `max=`. None for `=`.
FailureOr<Function> Parser::parseAssignment() {
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
Statement::Keeps Parser::parseKeeps() {
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

FailureOr<Statement> Parser::parseStatement() {
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
  return std::move(statement);
}

FailureOr<std::vector<Statement>> Parser::parseAll() {
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
  return Parser(text, functions, context).parseAll();
}
