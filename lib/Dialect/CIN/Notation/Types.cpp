//===- Types.cpp - The types of expressions -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"

#include "ember/Dialect/CIN/IR/CIN.h"

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

/// The type that operands have together, those of `function`.
static Type chooseType(const Builtin &function, ArrayRef<OperandType> operands,
                       bool isLogical, MLIRContext *context) {
  Type type;
  bool hasFraction = false, areBits = true;
  for (const OperandType &operand : operands) {
    if (operand.type) {
      type = promote(type, operand.type);
      continue;
    }
    hasFraction |= !operand.number.isInteger;
    areBits &= operand.isBit();
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
  // Beside booleans, 2 is no boolean.
  if (type.isInteger(1) && !(areBits && function.types & booleans))
    return i64;
  return type;
}

std::optional<Number> ember::cin::findNumber(Function function,
                                             ArrayRef<OperandType> operands) {
  if (!function.getBuiltin() ||
      !llvm::all_of(operands, std::mem_fn(&OperandType::isNumber)))
    return std::nullopt;
  return compute(function.getName(),
                 llvm::map_to_vector(operands, [](const OperandType &operand) {
                   return operand.number;
                 }));
}

Type ember::cin::chooseLiteralType(OperandType number, MLIRContext *context) {
  return chooseType(*findBuiltin("select"), number, /*isLogical=*/false,
                    context);
}

/// How well a function takes an operand: as it is, as one of the same kind, as
/// a float, or not without losing a part of it.
static unsigned rateOperand(const OperandType &operand, Type type) {
  if (!operand.type)
    return operand.number.isInteger || isa<FloatType>(type) ? 3 : 0;
  Type given = operand.type.isIndex() ? IntegerType::get(type.getContext(), 64)
                                      : operand.type;
  if (given == type)
    return 3;
  if (promote(given, type) != type)
    return 0;
  return isa<FloatType>(given) == isa<FloatType>(type) ? 2 : 1;
}

/// Of the functions of one name, that which suits the operands best; of those
/// that do as well, the one with the fewest bits.
static FunctionOp chooseOverload(FunctionOp first,
                                 ArrayRef<OperandType> operands) {
  FunctionOp best;
  std::pair<unsigned, int64_t> bestRating;
  for (auto next : first->getBlock()->getOps<FunctionOp>()) {
    if (next.getNotationNameAttr() != first.getNotationNameAttr() ||
        next.getArity() != first.getArity())
      continue;
    unsigned worst = 3;
    int64_t width = 0;
    for (auto [operand, type] :
         llvm::zip_equal(operands, next.getOperandTypes())) {
      worst = std::min(worst, rateOperand(operand, type));
      width += type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    }
    std::pair<unsigned, int64_t> rating(worst, -width);
    if (best && rating <= bestRating)
      continue;
    best = next;
    bestRating = rating;
  }
  return best;
}

TypedFunction ember::cin::chooseTypes(Function function,
                                      ArrayRef<OperandType> operands,
                                      bool isLogical, MLIRContext *context) {
  if (FunctionOp definition = function.getDefinition()) {
    FunctionOp mine = chooseOverload(definition, operands);
    return {mine, llvm::to_vector(mine.getOperandTypes()),
            mine.getResultType()};
  }
  const Builtin &row = *function.getBuiltin();
  Type boolean = IntegerType::get(context, 1);
  bool isChoice = row.signature == Signature::choice;
  Type type = chooseType(row, isChoice ? operands.drop_front() : operands,
                         isLogical, context);
  SmallVector<Type> types(operands.size(), type);
  if (isChoice)
    types.front() = boolean;
  bool isComparison = row.signature == Signature::comparison;
  return {function, types, isComparison ? boolean : type};
}

bool ember::cin::isLogicalCall(const Expression &call) {
  return llvm::is_contained(ArrayRef<StringRef>{"and", "or", "not"}, call.name);
}

bool ember::cin::isOrdered(Function function) {
  const Builtin *row = function.getBuiltin();
  return row && row->name == "larger";
}

TypedFunction ember::cin::chooseReduction(Function function, OperandType term,
                                          MLIRContext *context) {
  OperandType both[] = {term, term};
  const Builtin *row = function.getBuiltin();
  bool isLogical = row && !(row->types & numbers & floats) &&
                   (!term.type || isa<FloatType>(term.type));
  return chooseTypes(function, both, isLogical, context);
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
    std::optional<Number> number = parseNumber(text);
    return {Type(), number.value_or(Number())};
  }
  case Kind::name:
  case Kind::access:
    return findNamed(expression);
  case Kind::size:
  case Kind::slice:
    return {IntegerType::get(context, 64)};
  case Kind::chain:
  case Kind::member:
    return {IntegerType::get(context, 1)};
  case Kind::reduce:
    return {chooseReduction(expression.function,
                            find(*expression.operands.front()), context)
                .result};
  case Kind::call:
    break;
  }
  SmallVector<OperandType> operands;
  for (const ExpressionPtr &operand : expression.operands)
    operands.push_back(find(*operand));
  if (std::optional<Number> number = findNumber(expression.function, operands))
    return {Type(), *number};
  return {chooseTypes(expression.function, operands, isLogicalCall(expression),
                      context)
              .result};
}

Type Typing::run() {
  OperandType value = find(*statement.value);
  SmallVector<std::string> assigned =
      findFreeVariables(*statement.target, variables);
  auto isReduced = [&](const std::string &name) {
    return !llvm::is_contained(assigned, name);
  };
  Function function =
      statement.function ? statement.function : Function(*findBuiltin("add"));
  bool reduces =
      llvm::any_of(findFreeVariables(*statement.value, variables), isReduced);
  if (reduces || statement.function)
    return chooseReduction(function, value, context).result;
  return value.type ? value.type : chooseLiteralType(value, context);
}

Type ember::cin::findAssignedType(const Statement &statement,
                                  const NamedArrays &arrays,
                                  MLIRContext *context) {
  return Typing(statement, arrays, context).run();
}
