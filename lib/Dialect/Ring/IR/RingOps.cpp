//===- RingOps.cpp - The operations of the ring dialect -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each operation can tell by itself. How operations follow each other is
// verified in RingVerifyProtocol.cpp.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::ring;

LogicalResult ember::ring::verifyStandsIn(Operation *op, Half half) {
  auto function = op->getParentOfType<func::FuncOp>();
  auto attribute =
      function ? function->getAttrOfType<HalfAttr>(RingDialect::halfAttr)
               : HalfAttr();
  if (!attribute)
    return op->emitOpError("stands in no function that says by '")
           << RingDialect::halfAttr << "' which half of a program it is";
  if (attribute.getValue() == half)
    return success();
  return op->emitOpError("is an operation of the ")
         << stringifyHalf(half) << " half, but stands in the "
         << stringifyHalf(attribute.getValue()) << " half";
}

//===----------------------------------------------------------------------===//
// Creating and running
//===----------------------------------------------------------------------===//

LogicalResult CreateOp::verify() {
  if (std::optional<uint64_t> capacity = getCapacity();
      capacity && static_cast<int64_t>(*capacity) <= 0)
    return emitOpError("has the capacity ")
           << static_cast<int64_t>(*capacity) << ", which holds nothing";
  for (Operation *user : getRing().getUsers())
    if (!isa<RunOp>(user)) {
      InFlightDiagnostic diagnostic =
          emitOpError("makes a ring that something other than 'ring.run' uses");
      diagnostic.attachNote(user->getLoc()) << "here";
      return diagnostic;
    }
  return success();
}

bool ember::ring::isOfHalf(Operation *op) {
  return isa_and_present<RingDialect>(op->getDialect()) &&
         !isa<CreateOp, RunOp>(op);
}

LogicalResult RunOp::verify() {
  llvm::SmallDenseMap<Value, int, 4> uses;
  for (Value value : getAccessArgs())
    if (isRing(value.getType()) && uses[value]++ != 0)
      return emitOpError("hands a ring to the access half twice");
  for (Value value : getComputeArgs())
    if (isRing(value.getType()) && uses[value]++ != 1)
      return emitOpError("does not hand each ring to both halves, once");
  for (auto [ring, count] : uses)
    if (count != 2)
      return emitOpError("does not hand each ring to both halves, once");
  return success();
}

static FailureOr<func::FuncOp>
lookupHalf(RunOp run, SymbolTableCollection &symbols, FlatSymbolRefAttr name,
           Half half, TypeRange arguments, TypeRange results) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(run, name);
  if (!function)
    return run.emitOpError("runs ") << name << ", which is no function";
  auto attribute = function->getAttrOfType<HalfAttr>(RingDialect::halfAttr);
  if (!attribute || attribute.getValue() != half)
    return run.emitOpError("runs ") << name << " as the " << stringifyHalf(half)
                                    << " half, which it does not say it is";
  FunctionType type = function.getFunctionType();
  if (TypeRange(type.getInputs()) != arguments ||
      TypeRange(type.getResults()) != results)
    return run.emitOpError("runs ")
           << name << " as a function of type (" << arguments << ") -> ("
           << results << "), but it is of type " << type;
  return function;
}

/// Whether `function` is among the halves that `run` runs, or that these do.
static bool runsItself(RunOp run, func::FuncOp function,
                       SymbolTableCollection &symbols) {
  SmallVector<RunOp> open = {run};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    RunOp next = open.pop_back_val();
    for (FlatSymbolRefAttr name :
         {next.getAccessAttr(), next.getComputeAttr()}) {
      auto half = symbols.lookupNearestSymbolFrom<func::FuncOp>(next, name);
      if (half == function)
        return true;
      if (half && seen.insert(half).second)
        half.walk([&](RunOp inner) { open.push_back(inner); });
    }
  }
  return false;
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto around = (*this)->getParentOfType<func::FuncOp>();
  if (around && runsItself(*this, around, symbols))
    return emitOpError("stands in ")
           << SymbolRefAttr::get(around) << ", which it runs itself";
  FailureOr<func::FuncOp> access =
      lookupHalf(*this, symbols, getAccessAttr(), Half::access,
                 getAccessArgs().getTypes(), TypeRange());
  if (failed(access))
    return failure();
  FailureOr<func::FuncOp> compute =
      lookupHalf(*this, symbols, getComputeAttr(), Half::compute,
                 getComputeArgs().getTypes(), getResultTypes());
  if (failed(compute))
    return failure();
  if (access->isExternal() || compute->isExternal())
    return success();
  return verifyBalance(*this, *access, *compute);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The slot of an operand must fit what its ring says of operands.
static LogicalResult verifySlot(Operation *op, DataType ring, SlotType slot,
                                int64_t token) {
  if (token < 0)
    return op->emitOpError("is for token ")
           << token << "; ids are not negative";
  int64_t bytes = getOperandBytes(slot.getOperandType());
  if (bytes <= ring.getOperandBytes())
    return success();
  return op->emitOpError("is about ")
         << bytes << " bytes in a ring whose operands take up to "
         << ring.getOperandBytes();
}

LogicalResult AcquireOp::verify() {
  return verifySlot(*this, getRing().getType(), getSlot().getType(),
                    static_cast<int64_t>(getToken()));
}

LogicalResult WaitOp::verify() {
  return verifySlot(*this, getRing().getType(), getSlot().getType(),
                    static_cast<int64_t>(getToken()));
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static LogicalResult verifyCarries(Operation *op, TokensType tokens,
                                   Type value) {
  if (tokens.canCarry(value))
    return success();
  return op->emitOpError("is about a value of type ")
         << value << ", which tokens of " << tokens << " cannot carry";
}

LogicalResult PushOp::verify() {
  TokensType tokens = getRing().getType();
  auto id = static_cast<int64_t>(getId());
  if (id < 0)
    return emitOpError("pushes token ") << id << "; ids are not negative";
  if (tokens.getIdBits() > 0 && id >= tokens.getEndId())
    return emitOpError("pushes token ") << id << ", but ids of " << tokens
                                        << " end at " << tokens.getEndId() - 1;
  if (getValue())
    return verifyCarries(*this, tokens, getValue().getType());
  return success();
}

LogicalResult TraceTokenOp::verify() {
  Type type = getValue() ? getValue().getType() : Type();
  if (!type || (isOperandType(type) && getOperandBytes(type) == slotBytes &&
                !isa<VectorType>(type)))
    return success();
  return emitOpError("reports a ") << type << ", which no token can carry";
}

/// Whether it follows is a question only where it may.
static LogicalResult verifyMayFollow(Operation *op, TokensType tokens,
                                     Type value) {
  if (failed(verifyCarries(op, tokens, value)))
    return failure();
  if (tokens.mayFollow(value))
    return success();
  return op->emitOpError("asks whether a ")
         << value << " follows a token of " << tokens << ", which always fits";
}

LogicalResult FollowsOp::verify() {
  return verifyMayFollow(*this, getRing().getType(), getValue().getType());
}

LogicalResult TokenFollowsOp::verify() {
  return verifyMayFollow(*this, getRing().getType(), getValueType());
}

LogicalResult TokenValueOp::verify() {
  return verifyCarries(*this, getRing().getType(), getValue().getType());
}

#define GET_OP_CLASSES
#include "ember/Dialect/Ring/IR/RingOps.cpp.inc"
