//===- DefinePoison.cpp - Every integer is some number --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation whose result is poison for some operands (a shift by too much,
// a float that no integer is near to, an overflow said not to happen) would let
// LLVM assume those operands away, and with them the checks of an index that
// was computed so. Here such results become arbitrary, but fixed, numbers.
//
//===----------------------------------------------------------------------===//

#include "CheckCollector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ember::checks {

/// Takes back promises about the operands of integer arithmetic.
static void dropPromises(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
            arith::TruncIOp>([](auto arithmetic) {
        arithmetic.setOverflowFlags(arith::IntegerOverflowFlags::none);
      })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::ShRUIOp, arith::ShRSIOp>(
          [](auto exact) { exact.setIsExact(false); });
}

/// Whether the result of `op` may be poison without a promise.
static bool mayBePoison(Operation *op) {
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op)) {
    APInt amount;
    return !matchPattern(op->getOperand(1), m_ConstantInt(&amount)) ||
           amount.uge(amount.getBitWidth());
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return !extract.getDynamicPosition().empty();
  return isa<arith::FPToSIOp, arith::FPToUIOp, ub::PoisonOp>(op);
}

/// Replaces uses of `value` by a number that it stands for from now on.
static void freeze(Value value) {
  Type type = value.getType();
  // A memref of integers is no integer: the registers of a decoupled program
  // may hold one that is not allocated yet.
  bool isNumber = type.isIntOrIndex() || isa<VectorType>(type);
  if (!isNumber || !getElementTypeOrSelf(type).isIntOrIndex())
    return;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  // Indices have no frozen form: they go through integers of their width.
  Type wide = builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  bool isIndex = getElementTypeOrSelf(type).isIndex();
  SmallPtrSet<Operation *, 4> ours;
  auto record = [&](Value made) {
    ours.insert(made.getDefiningOp());
    return made;
  };
  Value number = value;
  if (isIndex)
    number = record(arith::IndexCastOp::create(builder, loc, wide, number));
  number = record(LLVM::FreezeOp::create(builder, loc, number));
  if (isIndex)
    number = record(arith::IndexCastOp::create(builder, loc, type, number));
  value.replaceAllUsesExcept(number, ours);
}

void definePoison(Operation *op) {
  dropPromises(op);
  if (mayBePoison(op))
    freeze(op->getResult(0));
}

} // namespace ember::checks
