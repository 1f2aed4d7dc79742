//===- QueuePadding.cpp - Send scalars as vectors -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars that must cross are made as large as the vectors (paper, section
// 7.3):
//
//                                       %wide = slc.fwd_str %w : f32
//   slc.callback end {                      -> vector<16xf32>
//     %x = slc.str_to_val %w      =>    slc.callback end {
//                                         %xs = slc.str_to_val %wide
//                                         %x = vector.extract %xs[0]
//
//===----------------------------------------------------------------------===//

#include "QueueAlignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::CallbackOp;
using ember::slc::StreamType;
using ember::slc::StrToValOp;

/// `stream` in all lanes of `type`, for the loop that `callback` stands in:
/// where the stream is defined in that loop's body, else at its start, and so
/// before a nested loop.
static Value getWideStream(CallbackOp callback, Value stream, VectorType type) {
  Block *body = callback->getBlock();
  for (Operation *user : stream.getUsers()) {
    auto forward = dyn_cast<slc::FwdStrOp>(user);
    if (forward && forward->getBlock() == body &&
        slc::getStreamElementType(forward.getType()) == type &&
        forward->isBeforeInBlock(callback))
      return forward.getResult();
  }
  OpBuilder builder(callback.getContext());
  Operation *definition = stream.getDefiningOp();
  if (definition && definition->getBlock() == body)
    builder.setInsertionPointAfter(definition);
  else
    builder.setInsertionPointToStart(body);
  return slc::FwdStrOp::create(builder, callback.getLoc(),
                               StreamType::get(type), stream);
}

/// `flag`, a stream of i1, of which no vector is made of whole bytes, in bytes.
static Value getByteStream(Value flag) {
  auto type = StreamType::get(IntegerType::get(flag.getContext(), 8));
  for (Operation *user : flag.getUsers()) {
    auto cast = dyn_cast<slc::CastStrOp>(user);
    if (cast && cast.getIsUnsigned() && cast.getType() == type &&
        cast->getBlock() == flag.getParentBlock())
      return cast.getResult();
  }
  OpBuilder builder(flag.getContext());
  builder.setInsertionPointAfterValue(flag);
  return slc::CastStrOp::create(builder, flag.getLoc(), type, flag,
                                /*isUnsigned=*/true);
}

/// Sends what `toVal` reads as a vector of `bytes` bytes; fails if no such
/// vector has it.
static LogicalResult pad(CallbackOp callback, StrToValOp toVal, int64_t bytes) {
  Type scalar = toVal.getValue().getType();
  Value stream = toVal.getStream();
  bool isFlag = scalar.isInteger(1);
  int64_t size = getOperandBytes(scalar);
  if ((isFlag && toVal.getLane()) || bytes % size != 0)
    return failure();
  if (isFlag) {
    stream = getByteStream(stream);
    scalar = slc::getStreamElementType(stream.getType());
  }
  if (std::optional<int64_t> lane = toVal.getLane()) {
    // The stream is a vector already, and may be sent as that.
    if (getOperandBytes(slc::getStreamElementType(stream.getType())) % bytes)
      return failure();
  } else {
    stream = getWideStream(callback, stream,
                           VectorType::get({bytes / size}, scalar));
  }
  OpBuilder builder(toVal);
  Value vector = StrToValOp::create(builder, toVal.getLoc(), stream);
  Value element = vector::ExtractOp::create(builder, toVal.getLoc(), vector,
                                            toVal.getLane().value_or(0));
  if (isFlag)
    element = arith::TruncIOp::create(builder, toVal.getLoc(),
                                      builder.getI1Type(), element);
  toVal.getValue().replaceAllUsesWith(element);
  toVal.erase();
  return success();
}

unsigned ember::slcv::padScalars(CallbackOp callback, int64_t bytes) {
  unsigned padded = 0;
  for (StrToValOp toVal : getScalarReads(callback)) {
    Type type = toVal.getValue().getType();
    if (getOperandBytes(type) % bytes == 0)
      continue;
    if (succeeded(pad(callback, toVal, bytes)))
      ++padded;
    else
      emitRemark(toVal.getLoc())
          << "queue not aligned: no vector of " << bytes
          << " bytes can hold an operand of type " << type;
  }
  return padded;
}
