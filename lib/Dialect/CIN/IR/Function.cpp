//===- Function.cpp - What is asked of functions --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

using namespace mlir;
using namespace ember::cin;

bool FunctionCase::holds(ArrayRef<TypedAttr> known) const {
  return llvm::all_of(llvm::zip_equal(values, known), [](auto pair) {
    auto [value, mine] = pair;
    return !value || areSame(value, mine);
  });
}

size_t FunctionCase::countValues() const {
  return llvm::count_if(values, [](TypedAttr value) { return !!value; });
}

//===----------------------------------------------------------------------===//
// Which function it is
//===----------------------------------------------------------------------===//

Function::Function(FunctionOp function) : op(function) {}

FunctionOp Function::getDefinition() const {
  return cast_if_present<FunctionOp>(op);
}

Function Function::lookup(Operation *from, Attribute callee) {
  if (auto builtin = dyn_cast<BuiltinAttr>(callee))
    return *builtin;
  auto symbol = dyn_cast<FlatSymbolRefAttr>(callee);
  if (!symbol)
    return {};
  auto found = SymbolTable::lookupNearestSymbolFrom<FunctionOp>(from, symbol);
  return found ? Function(found) : Function();
}

Attribute Function::getCallee(MLIRContext *context) const {
  if (row)
    return BuiltinAttr::get(context, row);
  return FlatSymbolRefAttr::get(context, getDefinition().getSymName());
}

//===----------------------------------------------------------------------===//
// What is known of it
//===----------------------------------------------------------------------===//

StringRef Function::getName() const {
  return row ? StringRef(row->name) : getDefinition().getNotationName();
}

unsigned Function::getArity() const {
  return row ? row->arity : getDefinition().getArity();
}

bool Function::isCommutative() const {
  return row ? row->isCommutative : getDefinition().getCommutative();
}

bool Function::isAssociative() const {
  return row ? row->isAssociative : getDefinition().getAssociative();
}

bool Function::isIdempotent() const {
  return row ? row->isIdempotent : getDefinition().getIdempotent();
}

bool Function::takes(Type type) const {
  if (row)
    return contains(row->types, type);
  FunctionOp function = getDefinition();
  auto isIt = [&](Type mine) { return mine == type; };
  return isIt(function.getResultType()) &&
         llvm::all_of(function.getOperandTypes(), isIt);
}

SmallVector<SpecialValue> Function::getSpecial(Type type) const {
  SmallVector<SpecialValue> found;
  if (row) {
    if (row->signature != Signature::same)
      return found;
    for (const SpecialOperand &operand : row->special()) {
      if (!contains(operand.types, type))
        continue;
      auto get = [&](std::optional<Constant> value) {
        return value ? getConstant(*value, type) : TypedAttr();
      };
      found.push_back({get(operand.value), operand.position,
                       get(operand.result), get(operand.unless)});
    }
    return found;
  }
  FunctionOp function = getDefinition();
  auto add = [&](std::optional<ArrayAttr> declared, bool isIdentity) {
    for (Attribute attribute : declared.value_or(ArrayAttr())) {
      auto special = cast<SpecialAttr>(attribute);
      TypedAttr value = special.getValue(), result = special.getResult();
      if (value.getType() != type)
        continue;
      // One operand is like the other.
      bool isAnywhere = isCommutative();
      found.push_back({value, isAnywhere ? std::nullopt : special.getPosition(),
                       isIdentity ? TypedAttr() : (result ? result : value),
                       TypedAttr()});
    }
  };
  if (function.getAnnihilators())
    add(function.getAnnihilators(), /*isIdentity=*/false);
  if (function.getIdentities())
    add(function.getIdentities(), /*isIdentity=*/true);
  return found;
}

TypedAttr Function::getIdentity(Type type) const {
  for (const SpecialValue &special : getSpecial(type))
    if (!special.result && !special.position)
      return special.value;
  return nullptr;
}

std::optional<DeclaredIteration> Function::getIteration() const {
  FunctionOp function = getDefinition();
  if (!function || !function.getIteration())
    return std::nullopt;
  DeclaredIteration declared{
      function.getIterationAttr().getSet(), {}, function.getElsewhereAttr()};
  for (unsigned operand = 0; operand < function.getArity(); ++operand)
    declared.fills.push_back(function.getFill(operand));
  return declared;
}

SmallVector<FunctionCase> Function::getCases() const {
  SmallVector<FunctionCase> found;
  FunctionOp function = getDefinition();
  if (!function || !function.getCases())
    return found;
  for (auto [key, body] :
       llvm::zip_equal(*function.getCases(), function.getCaseBodies())) {
    FunctionCase next{{}, &body};
    for (Attribute value : cast<ArrayAttr>(key))
      next.values.push_back(dyn_cast<TypedAttr>(value));
    found.push_back(std::move(next));
  }
  // In the order of the regions, where several are for as many values.
  llvm::sort(found, [](const FunctionCase &a, const FunctionCase &b) {
    if (a.countValues() != b.countValues())
      return a.countValues() > b.countValues();
    return a.body->getRegionNumber() < b.body->getRegionNumber();
  });
  return found;
}

bool Function::reduces() const {
  if (getArity() != 2 || !isAssociative() || !isCommutative())
    return false;
  if (row)
    return row->signature == Signature::same && row->findIdentity();
  return takes(getDefinition().getResultType());
}

std::optional<Repetition> ember::cin::getRepetition(Function function,
                                                    TypedAttr value) {
  Type type = value.getType();
  auto annihilates = [&](const SpecialValue &special) {
    return special.result && !special.position && !special.unless &&
           areSame(special.value, value) && areSame(special.result, value);
  };
  if (function.isIdempotent() ||
      llvm::any_of(function.getSpecial(type), annihilates))
    return Repetition::once;
  if (function.is("add"))
    return Repetition::multiple;
  if (function.is("mul") && isa<FloatType>(type))
    return Repetition::power;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// How it may be used
//===----------------------------------------------------------------------===//

LogicalResult Function::verifyCall(Operation *op, TypeRange types,
                                   Type result) const {
  StringRef name = getName();
  if (types.size() != getArity())
    return op->emitOpError() << "gives '" << name << "' " << types.size()
                             << " operands, and it takes " << getArity();
  auto refuse = [&](const Twine &rule) -> LogicalResult {
    InFlightDiagnostic error = op->emitOpError()
                               << "of '" << name << "' " << rule << ", not (";
    llvm::interleaveComma(types, error);
    return error << ") -> " << result;
  };
  if (FunctionOp function = getDefinition()) {
    if (types == function.getOperandTypes() &&
        result == function.getResultType())
      return success();
    std::string text;
    llvm::raw_string_ostream(text) << function.getFunctionType();
    return refuse("has the types " + text);
  }
  Type operand = types.back();
  switch (row->signature) {
  case Signature::same:
    if (!llvm::all_equal(types) || operand != result)
      return refuse("has operands and a result of one type");
    break;
  case Signature::comparison:
    if (!llvm::all_equal(types) || !result.isInteger(1))
      return refuse("has operands of one type and an i1 as its result");
    break;
  case Signature::choice:
    if (!types.front().isInteger(1) || types[1] != operand || operand != result)
      return refuse("chooses one of two values by an i1");
    break;
  case Signature::conversion:
    break;
  case Signature::reinterpretation:
    if (operand.isIndex() || result.isIndex() ||
        operand.getIntOrFloatBitWidth() != result.getIntOrFloatBitWidth())
      return refuse("has an operand and a result of as many bits");
    break;
  }
  if (!takes(operand))
    return op->emitOpError() << "gives '" << name << "' values of type "
                             << operand << ", which it does not take";
  return success();
}

LogicalResult Function::verifyCombination(Operation *op, Type type) const {
  StringRef name = getName();
  auto refuse = [&](StringRef reason) {
    return op->emitOpError()
           << "combines values with '" << name << "', which " << reason;
  };
  if (!isAssociative())
    return refuse("is not associative: what it makes of them would depend on "
                  "how they are grouped");
  if (!isCommutative())
    return refuse("is not commutative: what it makes of them would depend on "
                  "their order");
  if (!reduces())
    return refuse("is not of two operands and a result of one type, or has no "
                  "identity");
  if (!takes(type))
    return op->emitOpError() << "combines values of type " << type
                             << ", which '" << name << "' does not take";
  return success();
}
