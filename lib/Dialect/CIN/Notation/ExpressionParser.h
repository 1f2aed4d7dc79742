//===- ExpressionParser.h - Expressions out of words ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_EXPRESSIONPARSER_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_EXPRESSIONPARSER_H

#include "Lexer.h"
#include "Operators.h"
#include "Parser.h"

namespace ember::cin {

/// The operator of that symbol, if it is among `operators`; or null.
const Operator *findOperator(Operators operators, const Token &token);
bool isKeyword(const Token &token);

/// Parses expressions, and the variables that they bind. What is null, or a
/// failure, comes after an error.
class ExpressionParser {
public:
  ExpressionParser(llvm::StringRef text, mlir::ModuleOp functions,
                   mlir::MLIRContext *context)
      : context(context), functions(functions), lexer(text),
        token(lexer.next()) {}

protected:
  /// How deep expressions may be, as written and by the order of operators.
  static constexpr unsigned mostDepth = 200, mostHeight = 2000;

  llvm::LogicalResult parseBindings(Bindings &bindings);
  /// Adds what a range asks for to `condition`, which is null at first.
  llvm::FailureOr<Binding> parseBinding(ExpressionPtr &condition);
  llvm::FailureOr<Binding> parseSegment(Binding binding);
  llvm::FailureOr<Binding> parseMember(Binding binding,
                                       ExpressionPtr &condition);
  ExpressionPtr joinConditions(ExpressionPtr first, ExpressionPtr second);
  ExpressionPtr parseExpression();
  ExpressionPtr parseLogical(llvm::StringRef word, llvm::StringRef function,
                             ExpressionPtr (ExpressionParser::*operand)());
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
  bool isCalled();
  ExpressionPtr parseSize();
  ExpressionPtr parseReduction(Token name, Function function);
  /// The function of that name; none if there is none.
  Function findFunction(llvm::StringRef name);
  /// An error if a function does not reduce.
  bool checkReduces(const Token &name, Function function);
  ExpressionPtr parseIndex();
  llvm::LogicalResult parseList(llvm::StringRef end,
                                std::vector<ExpressionPtr> &list,
                                ExpressionPtr (ExpressionParser::*element)());

  ExpressionPtr make(Expression::Kind kind, const Token &at);
  ExpressionPtr call(const Token &at, llvm::StringRef function,
                     std::vector<ExpressionPtr> operands);
  /// Notes the height of an expression; null after an error.
  ExpressionPtr raise(ExpressionPtr made);
  template <typename... Operands>
  ExpressionPtr callOf(const Token &at, llvm::StringRef function,
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
  bool takeIf(llvm::StringRef symbol) {
    if (!token.is(symbol))
      return false;
    take();
    return true;
  }
  /// False after an error, if an expression is too deep.
  bool enter();
  /// Says what was expected where something else stands.
  std::nullptr_t expected(llvm::StringRef what);
  bool expect(llvm::StringRef symbol) {
    if (takeIf(symbol))
      return true;
    expected(("'" + symbol + "'").str());
    return false;
  }

  mlir::MLIRContext *context;
  /// Those that users define; null for none.
  mlir::ModuleOp functions;
  Lexer lexer;
  Token token;
  unsigned depth = 0;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_EXPRESSIONPARSER_H
