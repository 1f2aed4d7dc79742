//===- CombiningKind.cpp - How reductions combine values ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/CombiningKind.h"

using namespace mlir;
using namespace ember;
using vector::CombiningKind;

std::optional<CombiningKind> ember::getCombiningKind(Operation *op,
                                                     unsigned carried) {
  if (isa<arith::SubFOp, arith::SubIOp>(op) && carried != 0)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<CombiningKind>>(op)
      .Case<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(
          [](auto) { return CombiningKind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return CombiningKind::MUL; })
      .Case([](arith::MaximumFOp) { return CombiningKind::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return CombiningKind::MINIMUMF; })
      .Case([](arith::MaxSIOp) { return CombiningKind::MAXSI; })
      .Case([](arith::MinSIOp) { return CombiningKind::MINSI; })
      .Case([](arith::MaxUIOp) { return CombiningKind::MAXUI; })
      .Case([](arith::MinUIOp) { return CombiningKind::MINUI; })
      .Case([](arith::AndIOp) { return CombiningKind::AND; })
      .Case([](arith::OrIOp) { return CombiningKind::OR; })
      .Case([](arith::XOrIOp) { return CombiningKind::XOR; })
      .Default([](Operation *) { return std::nullopt; });
}

TypedAttr ember::getNeutralElement(CombiningKind kind, Type type) {
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) -> TypedAttr {
    return IntegerAttr::get(type, value);
  };
  auto number = [&](const APFloat &value) -> TypedAttr {
    return FloatAttr::get(type, value);
  };
  auto floatType = dyn_cast<FloatType>(type);
  // Some 8-bit floats have no infinities.
  auto extreme = [&](bool isNegative) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    return number(APFloat::semanticsHasInf(semantics)
                      ? APFloat::getInf(semantics, isNegative)
                      : APFloat::getLargest(semantics, isNegative));
  };
  switch (kind) {
  case CombiningKind::ADD:
    // Only -0.0 added to -0.0 is -0.0.
    if (floatType)
      return number(APFloat::getZero(floatType.getFloatSemantics(),
                                     /*Negative=*/true));
    return integer(APInt::getZero(bits));
  case CombiningKind::MUL:
    if (floatType)
      return number(APFloat(floatType.getFloatSemantics(), 1));
    return integer(APInt(bits, 1));
  case CombiningKind::MAXIMUMF:
    return extreme(/*isNegative=*/true);
  case CombiningKind::MINIMUMF:
    return extreme(/*isNegative=*/false);
  case CombiningKind::MAXSI:
    return integer(APInt::getSignedMinValue(bits));
  case CombiningKind::MINSI:
    return integer(APInt::getSignedMaxValue(bits));
  case CombiningKind::MINUI:
  case CombiningKind::AND:
    return integer(APInt::getAllOnes(bits));
  default: // MAXUI, OR, XOR; no others are matched as reductions.
    return integer(APInt::getZero(bits));
  }
}
