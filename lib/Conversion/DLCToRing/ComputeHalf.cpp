//===- ComputeHalf.cpp - The compute program as a function ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/DLCToRing/ComputeHalf.h"

#include "Captures.h"
#include "ComputeProgram.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Checks/SegmentCheck.h"
#include "ember/Dialect/Ember/IR/Ember.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

LogicalResult ember::verifyInFunctions(ModuleOp module) {
  WalkResult walk = module.walk([&](ProgramOp program) {
    auto function = program->getParentOfType<FunctionOpInterface>();
    if (function && function->getParentOp() == module)
      return WalkResult::advance();
    program.emitOpError("must stand in a function of the module");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// As many bits of a token as the largest id needs, but never all ones, which
/// end a program; none if no token carries a value.
static int64_t getIdBits(Block &access) {
  int64_t largest = 0;
  bool hasValues = false;
  for (auto callback : access.getOps<RegisterCallbackOp>()) {
    largest = std::max<int64_t>(largest, callback.getId());
    hasValues |= static_cast<bool>(callback.getValue());
  }
  return hasValues ? llvm::Log2_64_Ceil(static_cast<uint64_t>(largest) + 2) : 0;
}

FailureOr<RingTypes> ember::chooseRingTypes(ProgramOp program) {
  int64_t bytes = ring::slotBytes;
  for (auto operand : program.getAccessBody()->getOps<RegisterOperandOp>()) {
    if (!ring::isOperandType(operand.getOperandType()))
      return operand.emitOpError("cannot push a ") << operand.getOperandType();
    bytes = std::max(bytes, ring::getOperandBytes(operand.getOperandType()));
  }
  for (auto callback : program.getAccessBody()->getOps<RegisterCallbackOp>())
    if (Type type = callback.getValueType(); type && !ring::isOperandType(type))
      return callback.emitOpError("cannot push a ") << type;
  MLIRContext *context = program.getContext();
  return RingTypes{
      ring::DataType::get(context, bytes),
      ring::TokensType::get(context, getIdBits(*program.getAccessBody()))};
}

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

func::FuncOp ember::createHalf(ProgramOp program, StringRef functionName,
                               ring::Half half, const Captures &captures,
                               RingTypes types, TypeRange results,
                               SymbolTable &symbols) {
  Builder builder(program.getContext());
  SmallVector<Type> arguments;
  for (Value value : captures.passed())
    arguments.push_back(value.getType());
  arguments.append({types.data, types.tokens});
  auto function =
      func::FuncOp::create(program.getLoc(), functionName,
                           builder.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr(ring::RingDialect::halfAttr,
                    ring::HalfAttr::get(builder.getContext(), half));
  for (auto [i, value] : llvm::enumerate(captures.passed()))
    if (isa<BaseMemRefType>(value.getType()))
      nameInMessages(function, i, value);
  symbols.insert(function);
  function.addEntryBlock();
  return function;
}

Rings ember::getRings(func::FuncOp half) {
  auto rings = half.getArguments().take_back(2);
  return {cast<TypedValue<ring::DataType>>(rings[0]),
          cast<TypedValue<ring::TokensType>>(rings[1])};
}

ComputeHalf ember::emitComputeHalf(ProgramOp program, StringRef name,
                                   unsigned number, RingTypes types,
                                   SymbolTable &symbols) {
  Captures captures(program.getCompute());
  func::FuncOp function = createHalf(
      program, (name + ".compute." + Twine(number)).str(), ring::Half::compute,
      captures, types, program.getResultTypes(), symbols);
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  IRMapping mapping;
  captures.map(builder, function.getArguments().drop_back(2), mapping);
  ComputeProgram compute(program, mapping, getRings(function));
  SmallVector<Value> results = compute.emit(builder);
  func::ReturnOp::create(builder, program.getLoc(), results);
  return {function, SmallVector<Value>(captures.passed())};
}

void ember::checkRootSegment(ProgramOp program) {
  auto units = program.getAccessBody()->getOps<NewTUOp>();
  if (units.empty())
    return;
  NewTUOp root = *units.begin();
  Value lower = getCaptured(root.getLowerBound());
  Value upper = getCaptured(root.getUpperBound());
  if (!lower || !upper)
    return;
  OpBuilder builder(program);
  checks::checkSegment(builder, root.getLoc(), lower, upper);
}
