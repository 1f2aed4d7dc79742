//===- RegionReasons.cpp - Why a loop visits coordinates ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the derivation computes of values, as text for people.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

#include "ember/Dialect/CIN/Transforms/IterationDerivation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

static std::string spell(TypedAttr number) {
  if (auto value = dyn_cast<FloatAttr>(number)) {
    APFloat wide = value.getValue();
    bool isInexact = false;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &isInexact);
    std::string text;
    // Zeros have no sign here.
    llvm::raw_string_ostream(text)
        << llvm::format("%g", wide.convertToDouble() + 0.0);
    return text;
  }
  const APInt &value = cast<IntegerAttr>(number).getValue();
  if (value.getBitWidth() == 1)
    return value.isOne() ? "true" : "false";
  return std::to_string(value.getSExtValue());
}

/// What an array, a part of an evaluation or a workspace, is called.
static std::string nameArray(Value array) {
  if (auto assemble = array.getDefiningOp<AssembleOp>())
    return assemble.getName().value_or("array").str();
  auto argument = dyn_cast<BlockArgument>(array);
  auto evaluate = argument
                      ? dyn_cast<EvaluateOp>(argument.getOwner()->getParentOp())
                      : EvaluateOp();
  return evaluate ? evaluate.getNameOf(array) : "workspace";
}

std::string ember::cin::nameOperand(const Fiber &operand) {
  return nameArray(operand.array);
}

/// How a function of two is written between its operands; empty for others.
static StringRef getOperator(StringRef function) {
  return llvm::StringSwitch<StringRef>(function)
      .Case("add", " + ")
      .Case("sub", " - ")
      .Case("mul", " * ")
      .Case("div", " / ")
      .Case("mod", " % ")
      .Case("pow", " ** ")
      .Case("and", " & ")
      .Case("or", " | ")
      .Case("xor", " ^ ")
      .Default("");
}

namespace {
/// Writes expressions as they are where some operands store a coordinate: in
/// place of those that do not stand their fills.
class Explainer {
public:
  Explainer(Operation *loop, const IterationDerivation &derivation,
            OperandMask region)
      : loop(loop), derivation(derivation), values(known(derivation, region)) {}

  std::string explain();

private:
  static AbstractValues known(const IterationDerivation &derivation,
                              OperandMask region) {
    SmallVector<Fiber> stored, absent;
    for (auto [number, fiber] : llvm::enumerate(derivation.operands))
      (region >> number & 1 ? stored : absent).push_back(fiber);
    return {std::move(stored), std::move(absent)};
  }
  std::string write(Value value, bool isPart = false);
  std::string writeCall(CallOp call, bool isPart);
  /// The expression and what it is known to be.
  std::string writeOutcome(Value value);
  /// Whether a condition, null for none, surely does not hold.
  bool isNever(Value condition);
  /// Whether it stands in the loop under a condition that does not hold.
  bool isUnderNever(AssignOp assign);
  std::string explain(ReduceOp reduce);
  std::string explain(AssignOp assign);

  Operation *loop;
  const IterationDerivation &derivation;
  AbstractValues values;
};
} // namespace

std::string Explainer::writeCall(CallOp call, bool isPart) {
  StringRef name = call.getFunction().getName();
  SmallVector<std::string> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value operand) { return write(operand, true); });
  StringRef between = getOperator(name);
  if (operands.size() == 1 && name == "not")
    return "~" + operands.front();
  if (operands.size() != 2 || between.empty())
    return (name + "(" + llvm::join(operands, ", ") + ")").str();
  std::string text = operands[0] + between.str() + operands[1];
  return isPart ? "(" + text + ")" : text;
}

std::string Explainer::write(Value value, bool isPart) {
  Operation *op = value.getDefiningOp();
  if (auto access = dyn_cast_or_null<AccessOp>(op)) {
    AbstractValue known = values.of(value);
    return known.kind == AbstractValue::Kind::constant
               ? spell(known.value)
               : nameArray(access.getArray());
  }
  if (auto literal = dyn_cast_or_null<LiteralOp>(op))
    return spell(literal.getValue());
  if (auto call = dyn_cast_or_null<CallOp>(op))
    return writeCall(call, isPart);
  if (auto reduce = dyn_cast_or_null<ReduceOp>(op))
    return (reduce.getFunction().getName() + "[" + reduce.getNameOf(0) + "](" +
            write(reduce.getYield().getValue()) + ")")
        .str();
  return isa<BlockArgument>(value) ? "a number" : "an index";
}

std::string Explainer::writeOutcome(Value value) {
  std::string text = write(value);
  AbstractValue known = values.of(value);
  switch (known.kind) {
  case AbstractValue::Kind::constant:
    if (std::string number = spell(known.value); number != text)
      return text + " = " + number;
    return text;
  case AbstractValue::Kind::anythingBut:
    return text + ", which is not " + spell(known.value);
  case AbstractValue::Kind::any:
    return text + " may be anything";
  }
  llvm_unreachable("covered switch");
}

bool Explainer::isNever(Value condition) {
  if (!condition)
    return false;
  AbstractValue known = values.of(condition);
  return known.kind == AbstractValue::Kind::constant &&
         cast<IntegerAttr>(known.value).getValue().isZero();
}

bool Explainer::isUnderNever(AssignOp assign) {
  for (Operation *parent = assign->getParentOp(); parent != loop;
       parent = parent->getParentOp())
    if (auto branch = dyn_cast<IfOp>(parent))
      if (isNever(branch.getCondition()))
        return true;
  return false;
}

std::string Explainer::explain(ReduceOp reduce) {
  Value value = reduce.getYield().getValue();
  if (isNever(reduce.getYield().getCondition()))
    return write(value) + ", under a condition that does not hold";
  Value term = reduce.getInnermost().getYield().getValue();
  if (derivation.rest && values.of(term).is(derivation.rest))
    return writeOutcome(term) + ", which is counted without looking";
  std::string text = writeOutcome(value);
  if (values.isIdentity(reduce))
    return text + ", the identity of " + reduce.getFunction().getName().str();
  return text;
}

std::string Explainer::explain(AssignOp assign) {
  if (isNever(assign.getCondition()) || isUnderNever(assign))
    return write(assign.getValue()) + ", under a condition that does not hold";
  std::string target = nameArray(assign.getArray());
  std::string text = writeOutcome(assign.getValue());
  AbstractValue value = values.of(assign.getValue());
  if (assign.isCombining()) {
    TypedAttr identity =
        assign.getFunction().getIdentity(assign.getValue().getType());
    if (identity && value.is(identity))
      text += ", the identity of " + assign.getFunction().getName().str();
    return text;
  }
  TypedAttr fill = assign.getFill().value_or(TypedAttr());
  auto type = dyn_cast<ArrayType>(assign.getArray().getType());
  if (type)
    fill = type.getFormat().getFill();
  if (!fill || value.kind != AbstractValue::Kind::constant)
    return text;
  if (value.is(fill))
    return text + (type ? ", the fill of " : ", which is already in ") + target;
  return text + (type ? ", and the fill of " : ", and already in ") + target +
         " is " + spell(fill);
}

std::string Explainer::explain() {
  if (auto reduce = dyn_cast<ReduceOp>(loop))
    return explain(reduce);
  SmallVector<std::string> texts;
  loop->walk([&](AssignOp assign) {
    std::string text = explain(assign);
    if (!llvm::is_contained(texts, text))
      texts.push_back(text);
  });
  return llvm::join(texts, "; ");
}

std::string ember::cin::explainRegion(Operation *loop,
                                      const IterationDerivation &derivation,
                                      OperandMask region) {
  return Explainer(loop, derivation, region).explain();
}
