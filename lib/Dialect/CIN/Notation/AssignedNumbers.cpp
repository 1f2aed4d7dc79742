//===- AssignedNumbers.cpp - Numbers that are indices ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name that is an index is a variable if nothing else is known of it:
//
//   let t = x[0]; y = w[t,0]
//
// The second statement reads t, and is no sum over a variable of that name. The
// parser has both as a name, and a read of an array as an access.
//
//===----------------------------------------------------------------------===//

#include "AssignedNumbers.h"
#include "Names.h"

using namespace ember::cin;

using Kind = Expression::Kind;

namespace {
class NumberReading {
public:
  explicit NumberReading(const llvm::StringSet<> &numbers) : numbers(numbers) {}

  void visit(Expression &expression);
  void visit(Bindings &bindings);

private:
  const llvm::StringSet<> &numbers;
};
} // namespace

void NumberReading::visit(Expression &expression) {
  bool hasIndices =
      expression.kind == Kind::access || expression.kind == Kind::member;
  for (ExpressionPtr &operand : expression.operands) {
    if (!operand)
      continue;
    if (hasIndices && operand->kind == Kind::name &&
        numbers.contains(operand->name))
      operand->kind = Kind::access;
    visit(*operand);
  }
  visit(expression.bindings);
}

void NumberReading::visit(Bindings &bindings) {
  for (Binding &binding : bindings.variables)
    for (ExpressionPtr *part :
         {&binding.lower, &binding.upper, &binding.length})
      if (*part)
        visit(**part);
  if (bindings.condition)
    visit(*bindings.condition);
}

void ember::cin::readAssignedNumbers(Statement &statement,
                                     const llvm::StringSet<> &numbers) {
  llvm::StringSet<> read = numbers;
  auto keepBound = [&](const Bindings &bindings) {
    for (const Binding &binding : bindings.variables)
      read.erase(binding.variable);
  };
  keepBound(statement.bindings);
  walkStatement(statement, [&](const Expression &part, bool) {
    keepBound(part.bindings);
    if (part.kind == Kind::slice)
      read.erase(part.name);
  });
  NumberReading reading(read);
  reading.visit(*statement.target);
  reading.visit(*statement.value);
  reading.visit(statement.bindings);
}
