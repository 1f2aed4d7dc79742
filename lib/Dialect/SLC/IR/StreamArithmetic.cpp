//===- StreamArithmetic.cpp - Integer arithmetic as streams ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::slc;

/// The ALU stream operation that computes what `op` does.
static std::optional<AluOp> getAluOp(Operation *op) {
  return TypeSwitch<Operation *, std::optional<AluOp>>(op)
      .Case([](arith::AddIOp) { return AluOp::add; })
      .Case([](arith::SubIOp) { return AluOp::sub; })
      .Case([](arith::MulIOp) { return AluOp::mul; })
      .Case([](arith::DivSIOp) { return AluOp::divs; })
      .Case([](arith::DivUIOp) { return AluOp::divu; })
      .Case([](arith::RemSIOp) { return AluOp::rems; })
      .Case([](arith::RemUIOp) { return AluOp::remu; })
      .Case([](arith::AndIOp) { return AluOp::and_; })
      .Case([](arith::OrIOp) { return AluOp::or_; })
      .Case([](arith::XOrIOp) { return AluOp::xor_; })
      .Case([](arith::ShLIOp) { return AluOp::shl; })
      .Case([](arith::ShRSIOp) { return AluOp::shrs; })
      .Case([](arith::ShRUIOp) { return AluOp::shru; })
      .Case([](arith::MinSIOp) { return AluOp::mins; })
      .Case([](arith::MaxSIOp) { return AluOp::maxs; })
      .Case([](arith::MinUIOp) { return AluOp::minu; })
      .Case([](arith::MaxUIOp) { return AluOp::maxu; })
      .Default([](Operation *) { return std::nullopt; });
}

static bool isConversion(Operation *op) {
  return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
             arith::ExtUIOp, arith::TruncIOp>(op);
}

bool ember::slc::isStreamArithmetic(Operation *op) {
  return op->getNumResults() == 1 &&
         op->getResult(0).getType().isIntOrIndex() &&
         (getAluOp(op) || isConversion(op) ||
          isa<arith::CmpIOp, arith::SelectOp>(op));
}

Value ember::slc::createStreamArithmetic(OpBuilder &builder, Operation *op,
                                         ValueRange operands) {
  Location loc = op->getLoc();
  Type type = StreamType::get(op->getResult(0).getType());
  Value lhs = operands.front();
  bool isStream = llvm::any_of(
      operands, [](Value value) { return isa<StreamType>(value.getType()); });
  // What is fixed and yet cannot move out of the nest, as a division by what
  // may be zero where the nest does not run, starts from a stream of its own.
  if (!isStream)
    lhs = FwdStrOp::create(builder, loc, StreamType::get(lhs.getType()), lhs);
  if (std::optional<AluOp> opcode = getAluOp(op))
    return AluStrOp::create(builder, loc, type, *opcode, lhs, operands[1]);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return CmpStrOp::create(
        builder, loc, type,
        *symbolizeCmpPredicate(
            arith::stringifyCmpIPredicate(compare.getPredicate())),
        lhs, operands[1]);
  if (isa<arith::SelectOp>(op))
    return SelStrOp::create(builder, loc, type, lhs, operands[1], operands[2]);
  bool isUnsigned = isa<arith::IndexCastUIOp, arith::ExtUIOp>(op);
  return CastStrOp::create(builder, loc, type, lhs, isUnsigned);
}
