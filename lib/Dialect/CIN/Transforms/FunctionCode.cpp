//===- FunctionCode.cpp - What functions of statements compute ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"

#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/Transforms/BuiltinCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember::cin;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

std::optional<unsigned> ember::cin::findCase(Function function,
                                             ArrayRef<TypedAttr> known) {
  if (known.empty())
    return std::nullopt;
  for (auto [number, given] : llvm::enumerate(function.getCases()))
    if (given.holds(known))
      return number;
  return std::nullopt;
}

FloatAttr ember::cin::getFloat(Value value) {
  if (auto literal = value.getDefiningOp<LiteralOp>())
    return dyn_cast<FloatAttr>(literal.getValue());
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) ? number : FloatAttr();
}

bool ember::cin::addsNothing(Value value) {
  FloatAttr number = getFloat(value);
  return number && number.getValue().isNegZero();
}

/// A copy of `body`, of `operands`, with what it calls: what it returns.
static Value inlineBody(ImplicitLocOpBuilder &builder, Region &body,
                        ValueRange operands) {
  IRMapping mapping;
  mapping.map(body.getArguments(), operands);
  SmallVector<CallOp> calls;
  for (Operation &op : body.front().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](CallOp call) { calls.push_back(call); });
  }
  auto last = cast<ReturnOp>(body.front().getTerminator());
  Value result = mapping.lookup(last.getValue());
  for (CallOp call : calls) {
    ImplicitLocOpBuilder here(builder.getLoc(), call);
    Function callee = Function::lookup(body.getParentOp(), call.getCallee());
    Value computed = emitCall(here, callee, call.getOperands(), call.getType());
    if (result == call.getResult())
      result = computed;
    call.replaceAllUsesWith(computed);
    call->erase();
  }
  return result;
}

Value ember::cin::emitCall(ImplicitLocOpBuilder &builder, Function function,
                           ValueRange operands, Type result,
                           ArrayRef<TypedAttr> known) {
  if (const Builtin *builtin = function.getBuiltin())
    return emitBuiltin(builder, *builtin, operands, result);
  FunctionOp definition = function.getDefinition();
  std::optional<unsigned> number = findCase(function, known);
  if (!number)
    return inlineBody(builder, definition.getBody(), operands);
  FunctionCase given = function.getCases()[*number];
  SmallVector<Value> arguments;
  for (auto [value, operand] : llvm::zip_equal(given.values, operands))
    if (!value)
      arguments.push_back(operand);
  return inlineBody(builder, *given.body, arguments);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {
/// Computes bodies of known values.
class Interpreter {
public:
  /// What the terminator of `block` gives of `arguments`; none if that is not
  /// known.
  std::optional<SmallVector<Attribute>> run(Block &block,
                                            ArrayRef<Attribute> arguments);

private:
  /// The results of an operation, into `known`.
  bool compute(Operation &op);
  bool compute(scf::IfOp branch);
  bool compute(scf::ForOp loop);
  bool compute(scf::WhileOp loop);
  bool set(Operation &op, ArrayRef<Attribute> values);
  SmallVector<Attribute> get(ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return known.lookup(value); });
  }
  std::optional<int64_t> getInteger(Value value) {
    auto integer = dyn_cast_if_present<IntegerAttr>(known.lookup(value));
    if (!integer || integer.getValue().getBitWidth() > 64)
      return std::nullopt;
    return integer.getValue().getSExtValue();
  }

  /// A loop may never end.
  static constexpr unsigned mostSteps = 20000;
  unsigned steps = 0;
  llvm::DenseMap<Value, Attribute> known;
};
} // namespace

bool Interpreter::set(Operation &op, ArrayRef<Attribute> values) {
  if (values.size() != op.getNumResults())
    return false;
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values)) {
    auto typed = dyn_cast_if_present<TypedAttr>(value);
    if (!typed || typed.getType() != result.getType())
      return false;
    known[result] = value;
  }
  return true;
}

bool Interpreter::compute(scf::IfOp branch) {
  std::optional<int64_t> holds = getInteger(branch.getCondition());
  if (!holds)
    return false;
  Region &region = *holds ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return true;
  auto values = run(region.front(), {});
  return values && set(*branch, *values);
}

bool Interpreter::compute(scf::ForOp loop) {
  std::optional<int64_t> lower = getInteger(loop.getLowerBound());
  std::optional<int64_t> upper = getInteger(loop.getUpperBound());
  std::optional<int64_t> step = getInteger(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return false;
  SmallVector<Attribute> carried = get(loop.getInitArgs());
  Type type = loop.getInductionVar().getType();
  for (int64_t at = *lower; at < *upper; at += *step) {
    SmallVector<Attribute> arguments = {IntegerAttr::get(type, at)};
    llvm::append_range(arguments, carried);
    auto values = run(*loop.getBody(), arguments);
    if (!values)
      return false;
    carried = *values;
    if (at > *upper - *step)
      break;
  }
  return set(*loop, carried);
}

bool Interpreter::compute(scf::WhileOp loop) {
  SmallVector<Attribute> carried = get(loop.getInits());
  while (true) {
    auto before = run(loop.getBefore().front(), carried);
    if (!before)
      return false;
    // The condition first, and what is handed on.
    bool goesOn = cast<IntegerAttr>(before->front()).getValue().isOne();
    SmallVector<Attribute> handed = llvm::to_vector(llvm::drop_begin(*before));
    if (!goesOn)
      return set(*loop, handed);
    auto after = run(loop.getAfter().front(), handed);
    if (!after)
      return false;
    carried = *after;
  }
}

bool Interpreter::compute(Operation &op) {
  if (++steps > mostSteps)
    return false;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return compute(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return compute(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return compute(loop);
  SmallVector<Attribute> operands = get(op.getOperands());
  if (auto call = dyn_cast<CallOp>(op)) {
    SmallVector<TypedAttr> values;
    for (Attribute operand : operands)
      values.push_back(dyn_cast_if_present<TypedAttr>(operand));
    bool isKnown =
        llvm::all_of(values, [](TypedAttr value) { return !!value; });
    Function callee = call.getFunction();
    TypedAttr value = isKnown && callee
                          ? foldCall(callee, values, call.getType())
                          : TypedAttr();
    return value && set(op, {value});
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op.fold(operands, folded)) || folded.size() != op.getNumResults())
    return false;
  SmallVector<Attribute> values;
  for (OpFoldResult result : folded) {
    auto value = dyn_cast<Value>(result);
    values.push_back(value ? known.lookup(value) : cast<Attribute>(result));
  }
  return set(op, values);
}

std::optional<SmallVector<Attribute>>
Interpreter::run(Block &block, ArrayRef<Attribute> arguments) {
  // An empty body is a step, too.
  if (++steps > mostSteps)
    return std::nullopt;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    if (!value)
      return std::nullopt;
    known[argument] = value;
  }
  for (Operation &op : block) {
    if (&op == &block.back() && op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (!compute(op))
      return std::nullopt;
  }
  SmallVector<Attribute> values = get(block.back().getOperands());
  if (!llvm::all_of(values, [](Attribute value) { return !!value; }))
    return std::nullopt;
  return values;
}

/// What a body that ends with cin.return gives; null if that is not known.
static TypedAttr fold(Region &body, ArrayRef<TypedAttr> operands) {
  auto values = Interpreter().run(
      body.front(), SmallVector<Attribute>(operands.begin(), operands.end()));
  return values ? cast<TypedAttr>(values->front()) : TypedAttr();
}

TypedAttr ember::cin::foldCase(const FunctionCase &given,
                               ArrayRef<TypedAttr> operands) {
  return fold(*given.body, operands);
}

TypedAttr ember::cin::foldCall(Function function, ArrayRef<TypedAttr> operands,
                               Type result) {
  if (FunctionOp definition = function.getDefinition())
    return fold(definition.getBody(), operands);
  MLIRContext *context = result.getContext();
  Block block;
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  ImplicitLocOpBuilder here(UnknownLoc::get(context), builder);
  SmallVector<Value> arguments =
      llvm::map_to_vector(operands, [&](TypedAttr operand) -> Value {
        return block.addArgument(operand.getType(), here.getLoc());
      });
  Value computed = emitBuiltin(here, *function.getBuiltin(), arguments, result);
  // The terminator is any operation that has it as operand.
  YieldOp::create(here, computed, Value());
  auto values = Interpreter().run(
      block, SmallVector<Attribute>(operands.begin(), operands.end()));
  auto value = values ? cast<TypedAttr>(values->front()) : TypedAttr();
  return value && value.getType() == result ? value : nullptr;
}
