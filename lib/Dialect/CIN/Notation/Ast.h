//===- Ast.h - Statements as they are written -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_AST_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_AST_H

#include "ember/Dialect/CIN/IR/Function.h"

#include <memory>
#include <string>
#include <vector>

namespace ember::cin {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A place in the text.
struct Position {
  unsigned line = 1, column = 1;
};

/// `p in lower:upper`, `p in segment(lengths[b])`, or a variable alone.
struct Binding {
  Position position;
  std::string variable;
  ExpressionPtr lower, upper;
  /// The element that says how long the range is, which begins where those of
  /// the elements before it end.
  ExpressionPtr length;

  /// Visits what the range is made of.
  void visit(llvm::function_ref<void(const Expression &)> visitor) const {
    for (const ExpressionPtr *part : {&lower, &upper, &length})
      if (*part)
        visitor(**part);
  }
  bool hasRange() const { return lower || length; }
};

/// `for p in lower:upper if condition`
struct Bindings {
  std::vector<Binding> variables;
  ExpressionPtr condition;
};

struct Expression {
  enum class Kind : uint8_t {
    /// A number as it is written.
    literal,
    /// A variable, or a scalar.
    name,
    /// `name[operands]`
    access,
    /// Whether `name` stores, or is true, at `operands`: a condition.
    member,
    /// `size(name, dimension)`, with the dimension, a literal, as operand.
    size,
    /// `function(operands)`, operators too.
    call,
    /// `a < b <= c`: each of `links` is between two operands.
    chain,
    /// `name(lower:upper:step)` as an index: `lower + step * name`, with bounds
    /// and step as operands; where they are left out, null.
    slice,
    /// `function[bindings](operand)`
    reduce,
  };
  /// A comparison of neighbours.
  struct Link {
    const Builtin *function;
    Position position;
  };
  Kind kind;
  Position position;
  std::string name;
  /// Of several that have one name, the first.
  Function function = {};
  std::vector<ExpressionPtr> operands;
  std::vector<Link> links;
  Bindings bindings;
  /// Calls inside of each other.
  unsigned height = 0;
};

/// `target = value for bindings`
struct Statement {
  /// `let` in front: the array is one that only statements know.
  bool isDeclaration = false;
  /// Which of several values an element keeps, by the order of variables.
  enum class Keeps : uint8_t { only, first, last };
  ExpressionPtr target;
  Keeps keeps = Keeps::only;
  /// None for a plain assignment.
  Function function = {};
  ExpressionPtr value;
  Bindings bindings;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_AST_H
