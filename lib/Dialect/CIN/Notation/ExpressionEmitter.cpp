//===- ExpressionEmitter.cpp - Expressions of one statement ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats below 32 bits are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "ExpressionEmitter.h"
#include "Number.h"
#include "Parser.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

Location ExpressionEmitter::at(Position position) {
  return locationOf(builder.getContext(), position);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Value ExpressionEmitter::convert(const Operand &value, Type type) {
  Location location = at(value.position);
  if (value.value) {
    if (value.value.getType() == type)
      return value.value;
    auto function =
        BuiltinAttr::get(builder.getContext(), findBuiltin("convert"));
    return CallOp::create(builder, location, type, function, value.value);
  }
  TypedAttr number;
  if (auto floatType = dyn_cast<FloatType>(type))
    number = FloatAttr::get(floatType, value.number.value);
  else if (type.isInteger(1))
    number = IntegerAttr::get(type, value.number.value != 0);
  else
    number = builder.getIntegerAttr(
        type, value.number.isInteger
                  ? value.number.integer
                  : static_cast<int64_t>(value.number.value));
  return LiteralOp::create(builder, location, type, number);
}

FailureOr<Operand> ExpressionEmitter::emitCall(Function function,
                                               SmallVector<Operand> operands,
                                               Position position,
                                               bool isLogical) {
  MLIRContext *context = builder.getContext();
  SmallVector<OperandType> given =
      llvm::map_to_vector(operands, std::mem_fn(&Operand::getType));
  if (std::optional<Number> number = findNumber(function, given))
    return Operand{.number = *number, .position = position};
  const Builtin *builtin = function.getBuiltin();
  bool isConversion =
      builtin && (builtin->signature == Signature::conversion ||
                  builtin->signature == Signature::reinterpretation);
  if (isConversion) {
    emitErrorAt(context, position)
        << "'" << function.getName()
        << "' does not say to which type: declare that of the result";
    return failure();
  }
  TypedFunction typed = chooseTypes(function, given, isLogical, context);
  if (function.getBuiltin() && !function.takes(typed.operands.back())) {
    // Of what is no bits it is asked whether it is 0, which nobody has written.
    Type type = typed.operands.back();
    for (const Operand &operand : operands)
      if (operand.value && !function.takes(operand.value.getType()))
        type = operand.value.getType();
    emitErrorAt(context, position) << "'" << function.getName()
                                   << "' does not take values of type " << type;
    return failure();
  }
  SmallVector<Value> values;
  for (auto [operand, type] : llvm::zip_equal(operands, typed.operands)) {
    if (!function.getBuiltin() && failed(checkHolds(operand, type, function)))
      return failure();
    if (failed(checkFits(operand, type)))
      return failure();
    values.push_back(convert(operand, type));
  }
  Value called = CallOp::create(builder, at(position), typed.result,
                                typed.function.getCallee(context), values);
  return Operand{.value = called, .position = position};
}

LogicalResult ExpressionEmitter::checkHolds(const Operand &operand, Type type,
                                            Function function) {
  bool isFloat = operand.value ? isa<FloatType>(operand.value.getType())
                               : !operand.number.isInteger;
  if (!isFloat || isa<FloatType>(type))
    return success();
  InFlightDiagnostic error = emitErrorAt(builder.getContext(), operand.position)
                             << "'" << function.getName()
                             << "' takes a value of type " << type
                             << " here, not ";
  if (operand.value)
    return error << "one of " << operand.value.getType();
  return error << "a fraction";
}

LogicalResult ExpressionEmitter::checkFits(const Operand &number, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (number.value || !number.number.isInteger || !integer ||
      integer.getWidth() == 1)
    return success();
  if (llvm::isIntN(integer.getWidth(), number.number.integer))
    return success();
  return emitErrorAt(builder.getContext(), number.position)
         << number.number.integer << " does not fit in " << type
         << ", the type of what it meets here";
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

FailureOr<Operand> ExpressionEmitter::emitLiteral(const Expression &literal) {
  Operand number;
  number.position = literal.position;
  StringRef text = literal.name;
  if (text.equals_insensitive("true") || text.equals_insensitive("false")) {
    bool holds = text.equals_insensitive("true");
    number.value =
        LiteralOp::create(builder, at(literal.position), builder.getI1Type(),
                          builder.getBoolAttr(holds));
    return number;
  }
  std::optional<Number> written = parseNumber(text);
  if (!written || !written->fits) {
    emitErrorAt(builder.getContext(), literal.position)
        << "'" << text
        << (written ? "' does not fit in 64 bits" : "' is no number");
    return failure();
  }
  number.number = *written;
  return number;
}

FailureOr<Operand> ExpressionEmitter::emitName(const Expression &name) {
  auto found = bound.find(name.name);
  if (found != bound.end() && !found->second.empty())
    return Operand{.value = found->second.back(), .position = name.position};
  if (variables.contains(name.name)) {
    emitErrorAt(builder.getContext(), name.position)
        << "variable '" << name.name << "' is used where it is not bound";
    return failure();
  }
  return emitAccess(name);
}

FailureOr<Value> ExpressionEmitter::emitElement(const Expression &access) {
  SmallVector<Value> indices;
  if (failed(emitIndices(access, indices)))
    return failure();
  Value array = getArray(access.name);
  if (!isa<ShapedType>(array.getType()))
    return array;
  return AccessOp::create(builder, at(access.position), array, indices)
      .getResult();
}

FailureOr<Operand> ExpressionEmitter::emitAccess(const Expression &access) {
  FailureOr<Value> element = emitElement(access);
  if (failed(element))
    return failure();
  Operand value{.value = *element, .position = access.position};
  auto type = dyn_cast<FloatType>(value.value.getType());
  if (type && type.getWidth() < 32)
    value.value = convert(value, builder.getF32Type());
  return value;
}

FailureOr<Operand> ExpressionEmitter::emitMember(const Expression &member) {
  SmallVector<Value> indices;
  if (failed(emitIndices(member, indices)))
    return failure();
  Value array = getArray(member.name);
  Value holds = AccessOp::create(builder, at(member.position), array, indices,
                                 /*stored=*/isa<ArrayType>(array.getType()));
  return Operand{.value = holds, .position = member.position};
}

Operand ExpressionEmitter::emitSize(const Expression &size) {
  Value extent = ExtentOp::create(builder, at(size.position),
                                  builder.getIndexType(), getArray(size.name),
                                  *getInteger(size.operands.front().get()));
  return Operand{.value = extent, .position = size.position};
}

FailureOr<Operand> ExpressionEmitter::emitChain(const Expression &chain,
                                                ArrayRef<Operand> operands) {
  FailureOr<Operand> all = failure();
  for (auto [number, link] : llvm::enumerate(chain.links)) {
    FailureOr<Operand> compared =
        emitCall(*link.function, {operands[number], operands[number + 1]},
                 link.position);
    if (failed(compared))
      return failure();
    all = number == 0 ? compared
                      : emitCall(*findBuiltin("and"), {*all, *compared},
                                 link.position, /*isLogical=*/true);
  }
  return all;
}

FailureOr<Operand> ExpressionEmitter::emit(const Expression &expression) {
  switch (expression.kind) {
  case Kind::literal:
    return emitLiteral(expression);
  case Kind::name:
    return emitName(expression);
  case Kind::access:
    return emitAccess(expression);
  case Kind::member:
    return emitMember(expression);
  case Kind::size:
    return emitSize(expression);
  case Kind::slice:
    emitErrorAt(builder.getContext(), expression.position)
        << "a slice is the index of an array";
    return failure();
  case Kind::reduce:
    return emitWrittenReduction(expression);
  case Kind::call:
  case Kind::chain:
    break;
  }
  SmallVector<Operand> operands;
  for (const ExpressionPtr &operand : expression.operands) {
    FailureOr<Operand> value = emit(*operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (expression.kind == Kind::chain)
    return emitChain(expression, operands);
  return emitCall(expression.function, operands, expression.position,
                  isLogicalCall(expression));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

std::optional<int64_t>
ExpressionEmitter::getInteger(const Expression *expression) {
  if (!expression || expression->kind != Kind::literal)
    return std::nullopt;
  std::optional<Number> number = parseNumber(expression->name);
  if (!number || !number->isInteger || !number->fits)
    return std::nullopt;
  return number->integer;
}

/// The size of the largest constant of an expression.
static uint64_t findLargestConstant(AffineExpr expr) {
  uint64_t largest = 0;
  expr.walk([&](AffineExpr part) {
    if (auto constant = dyn_cast<AffineConstantExpr>(part))
      largest = std::max(largest, llvm::AbsoluteValue(constant.getValue()));
  });
  return largest;
}

/// What an affine function makes of expressions; null if that is not affine.
static AffineExpr combineAffine(StringRef function,
                                ArrayRef<AffineExpr> parts) {
  if (function == "neg")
    return -parts[0];
  if (function == "add")
    return parts[0] + parts[1];
  if (function == "sub")
    return parts[0] - parts[1];
  auto constant = dyn_cast<AffineConstantExpr>(parts[1]);
  if (function == "mul")
    return constant || isa<AffineConstantExpr>(parts[0]) ? parts[0] * parts[1]
                                                         : AffineExpr();
  if (!constant || constant.getValue() <= 0)
    return AffineExpr();
  return function == "mod" ? parts[0] % constant : parts[0].floorDiv(constant);
}

FailureOr<AffineExpr>
ExpressionEmitter::makeAffine(const Expression &expression,
                              SmallVectorImpl<Value> &operands) {
  MLIRContext *context = builder.getContext();
  if (std::optional<int64_t> integer = getInteger(&expression))
    return getAffineConstantExpr(*integer, context);
  if (llvm::is_contained({Kind::access, Kind::name, Kind::size},
                         expression.kind)) {
    FailureOr<Value> value = emitIndex(expression);
    if (failed(value))
      return failure();
    operands.push_back(*value);
    return getAffineDimExpr(operands.size() - 1, context);
  }
  StringRef function =
      expression.kind == Kind::call ? expression.function.getName() : "";
  bool isAffine = llvm::is_contained(
      ArrayRef<StringRef>{"add", "sub", "neg", "mul", "mod", "floordiv"},
      function);
  if (!isAffine)
    return AffineExpr();
  SmallVector<AffineExpr> parts;
  for (const ExpressionPtr &operand : expression.operands) {
    FailureOr<AffineExpr> part = makeAffine(*operand, operands);
    if (failed(part) || !*part)
      return part;
    parts.push_back(*part);
  }
  AffineExpr made = combineAffine(function, parts);
  // Constants are folded as they come, in 64 bits.
  constexpr uint64_t most = uint64_t(1) << 62;
  bool isTooLarge = made && findLargestConstant(made) > most;
  if (made && function == "mul")
    isTooLarge |=
        llvm::SaturatingMultiply(findLargestConstant(parts[0]),
                                 findLargestConstant(parts[1])) > most;
  if (!isTooLarge)
    return made;
  emitErrorAt(context, expression.position)
      << "the numbers of this index are larger than 2**62 together";
  return failure();
}

/// Whether a literal is one of no integer.
static bool isOtherNumber(const Expression &expression) {
  if (expression.kind != Kind::literal)
    return false;
  std::optional<Number> number = parseNumber(expression.name);
  return !number || !number->isInteger;
}

FailureOr<Value> ExpressionEmitter::emitIndex(const Expression &expression) {
  if (isOtherNumber(expression)) {
    emitErrorAt(builder.getContext(), expression.position)
        << "an index is an integer, and this is " << expression.name;
    return failure();
  }
  if (expression.kind == Kind::access)
    return emitElement(expression);
  if (expression.kind == Kind::size)
    return emitSize(expression).value;
  if (expression.kind == Kind::name) {
    FailureOr<Operand> value = emitName(expression);
    if (failed(value))
      return failure();
    return value->value;
  }
  SmallVector<Value> operands;
  FailureOr<AffineExpr> affine = makeAffine(expression, operands);
  if (failed(affine))
    return failure();
  if (*affine)
    return ApplyOp::create(
               builder, at(expression.position), builder.getIndexType(),
               AffineMap::get(operands.size(), 0, *affine), operands)
        .getResult();
  FailureOr<Operand> value = emit(expression);
  if (failed(value))
    return failure();
  if (value->value && isa<FloatType>(value->value.getType())) {
    emitErrorAt(builder.getContext(), expression.position)
        << "an index is an integer, and this is of type "
        << value->value.getType();
    return failure();
  }
  return convert(*value, builder.getIndexType());
}

LogicalResult ExpressionEmitter::emitIndices(const Expression &access,
                                             SmallVectorImpl<Value> &indices) {
  MLIRContext *context = builder.getContext();
  for (const ExpressionPtr &index : access.operands) {
    FailureOr<Value> value = failure();
    if (index->kind == Kind::slice) {
      Expression variable;
      variable.kind = Kind::name;
      variable.position = index->position;
      variable.name = index->name;
      SmallVector<Value> operands;
      FailureOr<AffineExpr> position = makeAffine(variable, operands);
      FailureOr<AffineExpr> lower = getAffineConstantExpr(0, context);
      if (index->operands[0])
        lower = makeAffine(*index->operands[0], operands);
      int64_t step = getInteger(index->operands[2].get()).value_or(1);
      if (failed(position) || failed(lower))
        return failure();
      if (!*lower)
        return emitErrorAt(context, index->position)
               << "the begin of a slice is an affine expression";
      value = ApplyOp::create(
                  builder, at(index->position), builder.getIndexType(),
                  AffineMap::get(operands.size(), 0, *lower + *position * step),
                  operands)
                  .getResult();
    } else {
      value = emitIndex(*index);
    }
    if (failed(value))
      return failure();
    auto apply = value->getDefiningOp<ApplyOp>();
    auto number =
        apply ? dyn_cast<AffineConstantExpr>(apply.getMap().getResult(0))
              : nullptr;
    if (number && number.getValue() < 0)
      return emitErrorAt(context, index->position)
             << "indices count from the beginning, and " << number.getValue()
             << " is before it: the last of n is n - 1, such as size(x, 0) - 1";
    indices.push_back(*value);
  }
  return success();
}
