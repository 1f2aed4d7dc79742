//===- ExpressionParser.cpp - Expressions out of words --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionParser.h"
#include "Types.h"

#include "ember/Dialect/CIN/IR/CIN.h"

using namespace mlir;
using namespace ember::cin;

const Operator *ember::cin::findOperator(Operators operators,
                                         const Token &token) {
  if (token.kind != Token::Kind::symbol)
    return nullptr;
  const Operator *found = llvm::find_if(
      operators, [&](const Operator &row) { return row.symbol == token.text; });
  return found == operators.end() ? nullptr : found;
}

Function ExpressionParser::findFunction(StringRef name) {
  if (functions)
    for (auto function : functions.getOps<FunctionOp>())
      if (function.getNotationName() == name)
        return function;
  const Builtin *builtin = findBuiltinOfStatements(name);
  return builtin ? Function(*builtin) : Function();
}

bool ember::cin::isKeyword(const Token &token) {
  return llvm::any_of(
      ArrayRef<StringRef>{"for", "in", "if", "else", "and", "or", "not"},
      [&](StringRef word) { return token.isWord(word); });
}

std::nullptr_t ExpressionParser::expected(StringRef what) {
  InFlightDiagnostic error = emitErrorAt(context, token.position);
  error << "expected " << what << ", not ";
  if (token.kind == Token::Kind::end)
    error << "the end of the notation";
  else if (token.text == "\n")
    error << "the end of the line";
  else
    error << "'" << token.text << "'";
  // A letter, most likely.
  if (!token.text.empty() && !llvm::isASCII(token.text.front()))
    error << ": names are made of a to z, A to Z, digits and _";
  return nullptr;
}

ExpressionPtr ExpressionParser::make(Expression::Kind kind, const Token &at) {
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->position = at.position;
  made->name = at.text.str();
  return made;
}

ExpressionPtr ExpressionParser::call(const Token &at, StringRef function,
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
  // What reduces combines any number of values, the first two first; so does
  // what is the same in whichever order pairs of values are combined.
  bool isAny = made->function.reduces() ||
               (made->function.getBuiltin() && made->function.getArity() == 2 &&
                made->function.isAssociative());
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

ExpressionPtr ExpressionParser::raise(ExpressionPtr made) {
  for (const ExpressionPtr &operand : made->operands)
    made->height = std::max(made->height, operand->height + 1);
  if (made->height <= mostHeight)
    return made;
  emitErrorAt(context, made->position)
      << "more than " << mostHeight << " operators depend on each other";
  return nullptr;
}

bool ExpressionParser::enter() {
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
ExpressionPtr ExpressionParser::parseExpression() {
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

ExpressionPtr
ExpressionParser::parseLogical(StringRef word, StringRef function,
                               ExpressionPtr (ExpressionParser::*operand)()) {
  ExpressionPtr left = (this->*operand)();
  while (left && token.isWord(word)) {
    Token at = take();
    left = callOf(at, function, std::move(left), (this->*operand)());
    if (left)
      left->name = word.str();
  }
  return left;
}

ExpressionPtr ExpressionParser::parseOr() {
  return parseLogical("or", "or", &ExpressionParser::parseAnd);
}

ExpressionPtr ExpressionParser::parseAnd() {
  return parseLogical("and", "and", &ExpressionParser::parseNot);
}

ExpressionPtr ExpressionParser::parseNot() {
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

ExpressionPtr ExpressionParser::parseComparison() {
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

ExpressionPtr ExpressionParser::parseBinary(size_t level) {
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

std::optional<Token> ExpressionParser::parseQuoted() {
  take();
  if (token.kind != Token::Kind::name) {
    expected("the name of a function");
    return std::nullopt;
  }
  Token name = take();
  return expect("`") ? std::optional(name) : std::nullopt;
}

ExpressionPtr ExpressionParser::parseUnary() {
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
ExpressionPtr ExpressionParser::parsePower() {
  ExpressionPtr base = parsePrimary();
  if (!base || !token.is("**"))
    return base;
  Token at = take();
  return callOf(at, "pow", std::move(base), parseUnary());
}

ExpressionPtr ExpressionParser::parsePrimary() {
  if (token.kind == Token::Kind::number)
    return make(Expression::Kind::literal, take());
  if (takeIf("(")) {
    ExpressionPtr inner = parseExpression();
    return inner && expect(")") ? std::move(inner) : nullptr;
  }
  if (token.kind != Token::Kind::name || (isKeyword(token) && !isCalled()))
    return expected("an array, a number, a function or '('");
  return parseNamed();
}

/// Whether `and` or `or` is a function here, `and(a, b)`, as `not(a)` looks
/// like one.
bool ExpressionParser::isCalled() {
  if (!token.isWord("and") && !token.isWord("or"))
    return false;
  Lexer before = lexer;
  Token word = take();
  bool isOpen = token.is("(");
  lexer = before;
  token = word;
  return isOpen;
}

LogicalResult
ExpressionParser::parseList(StringRef end, std::vector<ExpressionPtr> &list,
                            ExpressionPtr (ExpressionParser::*element)()) {
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
ExpressionPtr ExpressionParser::parseNamed() {
  Token name = take();
  if (llvm::is_contained(
          ArrayRef<StringRef>{"inf", "nan", "True", "False", "true", "false"},
          name.text))
    return make(Expression::Kind::literal, name);
  if (takeIf("(")) {
    // Whoever has a function of that name means it.
    if (name.text == "size" && !findFunction(name.text))
      return parseSize();
    std::vector<ExpressionPtr> operands;
    if (failed(parseList(")", operands, &ExpressionParser::parseExpression)))
      return nullptr;
    return call(name, name.text, std::move(operands));
  }
  if (!token.is("["))
    return make(Expression::Kind::name, name);
  take();
  if (Function function = findFunction(name.text))
    return parseReduction(name, function);
  ExpressionPtr access = make(Expression::Kind::access, name);
  if (failed(parseList("]", access->operands, &ExpressionParser::parseIndex)))
    return nullptr;
  if (token.is("(")) {
    emitErrorAt(context, name.position)
        << "there is no function '" << name.text << "'";
    return nullptr;
  }
  return access;
}

/// `size(array, dimension)`, behind the parenthesis.
ExpressionPtr ExpressionParser::parseSize() {
  if (token.kind != Token::Kind::name || isKeyword(token))
    return expected("an array, of which to read a size");
  ExpressionPtr size = make(Expression::Kind::size, take());
  if (!expect(","))
    return nullptr;
  unsigned dimension;
  if (token.kind != Token::Kind::number ||
      token.text.getAsInteger(10, dimension))
    return expected("the number of a dimension");
  size->operands.push_back(make(Expression::Kind::literal, take()));
  return expect(")") ? std::move(size) : nullptr;
}

bool ExpressionParser::checkReduces(const Token &name, Function function) {
  if (function.reduces())
    return true;
  emitErrorAt(context, name.position)
      << "'" << name.text << "' does not reduce: it is not "
      << (function.isAssociative()
              ? "commutative, or not of two values of one type"
              : "associative");
  return false;
}

ExpressionPtr ExpressionParser::parseReduction(Token name, Function function) {
  ExpressionPtr reduce = make(Expression::Kind::reduce, name);
  reduce->function = function;
  if (!isOrdered(function) && !checkReduces(name, function))
    return nullptr;
  if (failed(parseBindings(reduce->bindings)) || !expect("]"))
    return nullptr;
  if (!takeIf("(")) {
    expected(("'(' and what '" + name.text +
              "' reduces, as it is a function; an array has to be called "
              "something else")
                 .str());
    return nullptr;
  }
  reduce->operands.push_back(parseExpression());
  if (!reduce->operands.back() || !expect(")"))
    return nullptr;
  return reduce;
}

/// An expression, or `i(lower:upper:step)`.
ExpressionPtr ExpressionParser::parseIndex() {
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
// Variables
//===----------------------------------------------------------------------===//

/// `p in segment(lengths[b])`, behind the parenthesis.
FailureOr<Binding> ExpressionParser::parseSegment(Binding binding) {
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
FailureOr<Binding> ExpressionParser::parseMember(Binding binding,
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

ExpressionPtr ExpressionParser::joinConditions(ExpressionPtr first,
                                               ExpressionPtr second) {
  Token at = token;
  at.position = second->position;
  at.text = "and";
  return callOf(at, "and", std::move(first), std::move(second));
}

FailureOr<Binding> ExpressionParser::parseBinding(ExpressionPtr &condition) {
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

LogicalResult ExpressionParser::parseBindings(Bindings &bindings) {
  do {
    FailureOr<Binding> binding = parseBinding(bindings.condition);
    if (failed(binding))
      return failure();
    for (const Binding &before : bindings.variables)
      if (before.variable == binding->variable) {
        emitErrorAt(context, binding->position)
            << "variable '" << binding->variable << "' is bound twice";
        return failure();
      }
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
