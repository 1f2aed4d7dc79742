//===- Types.cpp - The types of expressions -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

/// What `a` and `b` are both converted to, as NumPy has it.
static Type promote(Type a, Type b) {
  if (!a || a == b)
    return b;
  auto aFloat = dyn_cast<FloatType>(a), bFloat = dyn_cast<FloatType>(b);
  if (aFloat && bFloat) {
    // Two of 16 bits have a range and a precision that neither has alone.
    if (aFloat.getWidth() == bFloat.getWidth())
      return Float32Type::get(a.getContext());
    return aFloat.getWidth() < bFloat.getWidth() ? b : a;
  }
  if (aFloat)
    return a;
  if (bFloat)
    return b;
  auto width = [](Type type) {
    return type.isIndex() ? 64u : type.getIntOrFloatBitWidth();
  };
  if (a.isIndex() || b.isIndex())
    return width(a) <= 64 && width(b) <= 64
               ? IntegerType::get(a.getContext(), 64)
               : (width(a) < width(b) ? b : a);
  return width(a) < width(b) ? b : a;
}

Type ember::cin::chooseType(const Builtin &function,
                            ArrayRef<OperandType> operands, bool isLogical,
                            MLIRContext *context) {
  Type type;
  bool hasFraction = false;
  for (const OperandType &operand : operands) {
    if (operand.type)
      type = promote(type, operand.type);
    else
      hasFraction |= !operand.isInteger;
  }
  Type f32 = Float32Type::get(context), i64 = IntegerType::get(context, 64);
  if (!type)
    type = hasFraction ? f32 : i64;
  bool isFloat = isa<FloatType>(type);
  if (hasFraction && !isFloat) {
    type = f32;
    isFloat = true;
  }
  if (isLogical || (!(function.types & floats) && isFloat))
    return IntegerType::get(context, 1);
  bool isQuotient = function.name == "div";
  if (!isFloat && (isQuotient || !(function.types & bits)))
    return Float64Type::get(context);
  if (type.isInteger(1) && !(function.types & booleans))
    return i64;
  return type;
}

bool ember::cin::isLogicalCall(const Expression &call) {
  return llvm::is_contained(ArrayRef<StringRef>{"and", "or", "not"}, call.name);
}

Type ember::cin::chooseReducedType(const Builtin &function, OperandType term,
                                   MLIRContext *context) {
  bool isLogical = !(function.types & numbers & floats) &&
                   (!term.type || isa<FloatType>(term.type));
  return chooseType(function, term, isLogical, context);
}

namespace {
/// Finds the types of expressions of one statement.
class Typing {
public:
  Typing(const Statement &statement, const NamedArrays &arrays,
         MLIRContext *context)
      : statement(statement), arrays(arrays),
        variables(findVariables(statement)), context(context) {}

  Type run();

private:
  OperandType find(const Expression &expression);
  OperandType findNamed(const Expression &expression);

  const Statement &statement;
  const NamedArrays &arrays;
  llvm::StringSet<> variables;
  MLIRContext *context;
};
} // namespace

OperandType Typing::findNamed(const Expression &expression) {
  if (expression.kind == Kind::name && variables.contains(expression.name))
    return {IntegerType::get(context, 64)};
  const auto *found = arrays.find(expression.name);
  Type element = found->second.element;
  return {element.isIndex() ? IntegerType::get(context, 64) : element};
}

OperandType Typing::find(const Expression &expression) {
  switch (expression.kind) {
  case Kind::literal: {
    StringRef text = expression.name;
    if (text.equals_insensitive("true") || text.equals_insensitive("false"))
      return {IntegerType::get(context, 1)};
    int64_t integer = 0;
    return {Type(), !text.getAsInteger(10, integer)};
  }
  case Kind::name:
  case Kind::access:
    return findNamed(expression);
  case Kind::slice:
    return {IntegerType::get(context, 64)};
  case Kind::reduce:
    return {chooseReducedType(*expression.function,
                              find(*expression.operands.front()), context)};
  case Kind::call:
    break;
  }
  const Builtin &function = *expression.function;
  if (function.signature == Signature::comparison)
    return {IntegerType::get(context, 1)};
  SmallVector<OperandType> operands;
  for (const ExpressionPtr &operand : expression.operands)
    operands.push_back(find(*operand));
  // Numbers alone are left to what they meet.
  if (function.name == "neg" && !operands.front().type)
    return operands.front();
  ArrayRef<OperandType> compared = operands;
  if (function.signature == Signature::choice)
    compared = compared.drop_front();
  return {chooseType(function, compared, isLogicalCall(expression), context)};
}

Type Typing::run() {
  OperandType value = find(*statement.value);
  SmallVector<std::string> assigned =
      findFreeVariables(*statement.target, variables);
  auto isReduced = [&](const std::string &name) {
    return !llvm::is_contained(assigned, name);
  };
  const Builtin &function =
      statement.function ? *statement.function : *findBuiltin("add");
  bool reduces =
      llvm::any_of(findFreeVariables(*statement.value, variables), isReduced);
  if (reduces || statement.function)
    return chooseReducedType(function, value, context);
  if (value.type)
    return value.type;
  return chooseType(*findBuiltin("select"), value, /*isLogical=*/false,
                    context);
}

Type ember::cin::findAssignedType(const Statement &statement,
                                  const NamedArrays &arrays,
                                  MLIRContext *context) {
  return Typing(statement, arrays, context).run();
}
