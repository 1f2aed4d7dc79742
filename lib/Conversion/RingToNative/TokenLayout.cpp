//===- TokenLayout.cpp - What the bits of a token mean --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/RingToNative/TokenLayout.h"

#include "ember/Runtime/Queue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ember;

static Value wordConstant(OpBuilder &builder, Location loc, int64_t value) {
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
  int64_t width = ring::getValueBits(type);
  if (width < ring::wordBits)
    word = arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                   word);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, word);
  return word;
}

static Value plainToken(OpBuilder &builder, Location loc, int64_t token) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(token));
}

Value TokenLayout::encodeEnd(OpBuilder &builder, Location loc) {
  return plainToken(builder, loc, EMBER_DONE);
}

TokenLayout::Field TokenLayout::place(OpBuilder &builder, Location loc,
                                      Value value) const {
  Value word = toWord(builder, loc, value);
  int64_t headBits = idBits + 1;
  if (value.getType().isF64()) {
    Value mask = wordConstant(builder, loc, (int64_t(1) << headBits) - 1);
    Value zero = wordConstant(builder, loc, 0);
    Value lost = arith::AndIOp::create(builder, loc, word, mask);
    return {word, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        lost, zero)};
  }
  Value headWidth = wordConstant(builder, loc, headBits);
  Value field = arith::ShLIOp::create(builder, loc, word, headWidth);
  Value back = arith::ShRSIOp::create(builder, loc, field, headWidth);
  return {field, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       back, word)};
}

Value TokenLayout::encode(OpBuilder &builder, Location loc, int64_t id,
                          Value value) const {
  if (!value)
    return plainToken(builder, loc, id);
  Value head = wordConstant(builder, loc, id);
  if (!tokens.mayFollow(value.getType())) {
    Value word = toWord(builder, loc, value);
    Value idWidth = wordConstant(builder, loc, idBits);
    Value shifted = arith::ShLIOp::create(builder, loc, word, idWidth);
    return arith::OrIOp::create(builder, loc, shifted, head);
  }
  Value flag = wordConstant(builder, loc, id | (int64_t(1) << idBits));
  Field field = place(builder, loc, value);
  Value held = arith::OrIOp::create(builder, loc, field.bits, head);
  return arith::SelectOp::create(builder, loc, field.fits, held, flag);
}

Value TokenLayout::emitFollows(OpBuilder &builder, Location loc,
                               Value value) const {
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return arith::XOrIOp::create(builder, loc, place(builder, loc, value).fits,
                               yes);
}

Value TokenLayout::getId(OpBuilder &builder, Location loc, Value token) const {
  if (idBits == 0)
    return token;
  Value mask = wordConstant(builder, loc, tokens.getEndId());
  return arith::AndIOp::create(builder, loc, token, mask);
}

Value TokenLayout::getMore(OpBuilder &builder, Location loc,
                           Value token) const {
  Value id = getId(builder, loc, token);
  Value end = wordConstant(builder, loc, tokens.getEndId());
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, id, end);
}

Value TokenLayout::getFollows(OpBuilder &builder, Location loc,
                              Value token) const {
  Value flag = wordConstant(builder, loc, int64_t(1) << idBits);
  Value zero = wordConstant(builder, loc, 0);
  Value bit = arith::AndIOp::create(builder, loc, token, flag);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit,
                               zero);
}

Value TokenLayout::getValue(OpBuilder &builder, Location loc, Type type,
                            Value token) const {
  if (type.isF64()) {
    Value mask = wordConstant(builder, loc, -(int64_t(1) << (idBits + 1)));
    Value word = arith::AndIOp::create(builder, loc, token, mask);
    return fromWord(builder, loc, type, word);
  }
  int64_t headBits = tokens.mayFollow(type) ? idBits + 1 : idBits;
  Value headWidth = wordConstant(builder, loc, headBits);
  Value word = arith::ShRSIOp::create(builder, loc, token, headWidth);
  return fromWord(builder, loc, type, word);
}
