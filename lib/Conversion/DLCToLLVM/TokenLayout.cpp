//===- TokenLayout.cpp - What the bits of a token mean --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TokenLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

static constexpr int64_t wordBits = 64;

TokenLayout::TokenLayout(ConfigAccessOp access) {
  int64_t largest = 0;
  bool hasValues = false;
  for (auto callback : access.getBody()->getOps<RegisterCallbackOp>()) {
    largest = std::max<int64_t>(largest, callback.getId());
    hasValues |= static_cast<bool>(callback.getValue());
  }
  // One number more than the largest id, for the last token.
  if (hasValues)
    idBits = llvm::Log2_64_Ceil(static_cast<uint64_t>(largest) + 2);
}

int64_t TokenLayout::doneId() const {
  return idBits == 0 ? doneToken : (int64_t(1) << idBits) - 1;
}

static int64_t getBits(Type type) {
  return type.isIndex() ? wordBits : type.getIntOrFloatBitWidth();
}

bool TokenLayout::mayFollow(Type type) const {
  return getBits(type) > wordBits - idBits;
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

/// Sign-extended, so that small negative integers need few bits.
Value TokenLayout::toWord(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  Type type = value.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  if (isa<FloatType>(type)) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(builder, loc, bits, value);
  }
  if (value.getType() == i64)
    return value;
  return arith::ExtSIOp::create(builder, loc, i64, value);
}

/// The value that toWord() made `word` of.
static Value fromWord(OpBuilder &builder, Location loc, Type type, Value word) {
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, word);
  int64_t width = getBits(type);
  if (width < wordBits)
    word = arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                   word);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, word);
  return word;
}

TokenLayout::Word TokenLayout::encode(OpBuilder &builder, Location loc,
                                      int64_t id, Value value) const {
  if (!value)
    return {LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                     builder.getI64IntegerAttr(id)),
            Value()};
  Value head = constant(builder, loc, id);
  Type type = value.getType();
  Value word = toWord(builder, loc, value);
  Value idWidth = constant(builder, loc, idBits);
  if (!mayFollow(type)) {
    Value shifted = arith::ShLIOp::create(builder, loc, word, idWidth);
    return {arith::OrIOp::create(builder, loc, shifted, head), Value()};
  }
  Value flag = constant(builder, loc, id | (int64_t(1) << idBits));
  int64_t headBits = idBits + 1;
  Value field, fits;
  if (type.isF64()) {
    Value mask = constant(builder, loc, (int64_t(1) << headBits) - 1);
    Value zero = constant(builder, loc, 0);
    Value lost = arith::AndIOp::create(builder, loc, word, mask);
    fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lost,
                                 zero);
    field = word;
  } else {
    Value headWidth = constant(builder, loc, headBits);
    field = arith::ShLIOp::create(builder, loc, word, headWidth);
    Value back = arith::ShRSIOp::create(builder, loc, field, headWidth);
    fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, back,
                                 word);
  }
  Value held = arith::OrIOp::create(builder, loc, field, head);
  Value bits = arith::SelectOp::create(builder, loc, fits, held, flag);
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return {bits, arith::XOrIOp::create(builder, loc, fits, yes)};
}

Value TokenLayout::getId(OpBuilder &builder, Location loc, Value token) const {
  if (idBits == 0)
    return token;
  Value mask = constant(builder, loc, doneId());
  return arith::AndIOp::create(builder, loc, token, mask);
}

Value TokenLayout::getFollows(OpBuilder &builder, Location loc, Type type,
                              Value token) const {
  if (!mayFollow(type))
    return Value();
  Value flag = constant(builder, loc, int64_t(1) << idBits);
  Value zero = constant(builder, loc, 0);
  Value bit = arith::AndIOp::create(builder, loc, token, flag);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit,
                               zero);
}

Value TokenLayout::getValue(OpBuilder &builder, Location loc, Type type,
                            Value token) const {
  if (type.isF64()) {
    Value mask = constant(builder, loc, -(int64_t(1) << (idBits + 1)));
    Value word = arith::AndIOp::create(builder, loc, token, mask);
    return fromWord(builder, loc, type, word);
  }
  int64_t headBits = mayFollow(type) ? idBits + 1 : idBits;
  Value headWidth = constant(builder, loc, headBits);
  Value word = arith::ShRSIOp::create(builder, loc, token, headWidth);
  return fromWord(builder, loc, type, word);
}
