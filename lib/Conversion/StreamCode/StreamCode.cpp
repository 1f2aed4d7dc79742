//===- StreamCode.cpp - Code for one element of a stream ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/StreamCode/StreamCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using ember::slc::AluOp;

Value ember::emitBroadcast(OpBuilder &builder, Location loc, Value value,
                           Type type) {
  if (value.getType() == type || !isa<VectorType>(type))
    return value;
  return vector::BroadcastOp::create(builder, loc, type, value);
}

Value ember::emitLaneNumbers(OpBuilder &builder, Location loc, int64_t lanes) {
  return vector::StepOp::create(
      builder, loc, VectorType::get({lanes}, builder.getIndexType()));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

static Value zeroIndex(OpBuilder &builder, Location loc) {
  return arith::ConstantIndexOp::create(builder, loc, 0);
}

/// True if the only vector index is in an innermost dimension of unit stride,
/// so that the vector operations on memory can express the access.
static bool indexesInnermostOnly(MemRefType memref, ValueRange indices) {
  return !indices.empty() && memref.isLastDimUnitStride() &&
         isVector(indices.back()) &&
         llvm::none_of(indices.drop_back(), isVector);
}

/// One load a lane, guarded by the mask: works for any layout and any mix of
/// indices, and each access can be checked on its own.
static Value emitLaneLoads(OpBuilder &builder, Location loc, Value memref,
                           ValueRange indices, VectorType type, Value mask) {
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value last =
      arith::ConstantIndexOp::create(builder, loc, type.getNumElements());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loadLane = [&](OpBuilder &at, Value lane, Value into) -> Value {
    SmallVector<Value> laneIndices;
    for (Value index : indices)
      laneIndices.push_back(
          isVector(index)
              ? vector::ExtractOp::create(at, loc, index, OpFoldResult(lane))
                    .getResult()
              : index);
    Value element = memref::LoadOp::create(at, loc, memref, laneIndices);
    return vector::InsertOp::create(at, loc, element, into, OpFoldResult(lane));
  };
  auto lanes = scf::ForOp::create(
      builder, loc, zeroIndex(builder, loc), last, one, ValueRange{zeros},
      [&](OpBuilder &at, Location, Value lane, ValueRange carried) {
        Value into = carried.front();
        if (!mask) {
          scf::YieldOp::create(at, loc, loadLane(at, lane, into));
          return;
        }
        Value active =
            vector::ExtractOp::create(at, loc, mask, OpFoldResult(lane));
        auto guarded = scf::IfOp::create(
            at, loc, active,
            [&](OpBuilder &inside, Location) {
              scf::YieldOp::create(inside, loc, loadLane(inside, lane, into));
            },
            [&](OpBuilder &inside, Location) {
              scf::YieldOp::create(inside, loc, into);
            });
        scf::YieldOp::create(at, loc, guarded.getResults());
      });
  return lanes.getResult(0);
}

Value ember::emitStreamLoad(OpBuilder &builder, Location loc, Value memref,
                            ValueRange indices, Type element, Value mask,
                            bool contiguous) {
  auto memrefType = cast<MemRefType>(memref.getType());
  auto vector = dyn_cast<VectorType>(element);
  if (!vector || element == memrefType.getElementType())
    return memref::LoadOp::create(builder, loc, memref, indices);
  if (!indexesInnermostOnly(memrefType, indices))
    return emitLaneLoads(builder, loc, memref, indices, vector, mask);

  SmallVector<Value> base(indices);
  if (contiguous)
    base.back() = vector::ExtractOp::create(builder, loc, indices.back(), 0);
  else
    base.back() = zeroIndex(builder, loc);
  if (contiguous && !mask)
    return vector::LoadOp::create(builder, loc, vector, memref, base);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  if (contiguous)
    return vector::MaskedLoadOp::create(builder, loc, vector, memref, base,
                                        mask, zeros);
  if (!mask)
    mask = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            VectorType::get(vector.getShape(), builder.getI1Type()), true));
  return vector::GatherOp::create(builder, loc, vector, memref, base,
                                  indices.back(), mask, zeros);
}

void ember::emitLoadCount(OpBuilder &builder, Location loc,
                          native::RuntimeCalls &calls, StringRef name,
                          Type element, Value mask) {
  auto vector = dyn_cast<VectorType>(element);
  Type i64 = builder.getI64Type();
  Value elements;
  if (vector && mask) {
    Value ones = arith::ExtUIOp::create(
        builder, loc, VectorType::get(vector.getShape(), i64), mask);
    elements = vector::ReductionOp::create(builder, loc,
                                           vector::CombiningKind::ADD, ones);
  } else {
    elements = arith::ConstantOp::create(
        builder, loc,
        builder.getI64IntegerAttr(vector ? vector.getNumElements() : 1));
  }
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp count = calls.declare(
      "ember_count_load", LLVM::LLVMVoidType::get(builder.getContext()),
      {pointer, i64});
  LLVM::CallOp::create(
      builder, loc, count,
      ValueRange{calls.stringConstant(builder, loc, name), elements});
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool isDivision(AluOp opcode) {
  return opcode == AluOp::divs || opcode == AluOp::divu ||
         opcode == AluOp::rems || opcode == AluOp::remu;
}

Value ember::emitStreamArithmetic(OpBuilder &builder, Location loc,
                                  AluOp opcode, Value lhs, Value rhs, Type type,
                                  Value mask) {
  lhs = emitBroadcast(builder, loc, lhs, type);
  rhs = emitBroadcast(builder, loc, rhs, type);
  auto lanes = dyn_cast<VectorType>(type);
  bool isMasked =
      lanes && mask &&
      cast<VectorType>(mask.getType()).getShape() == lanes.getShape();
  if (isMasked && isDivision(opcode)) {
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            lanes, builder.getIntegerAttr(lanes.getElementType(), 1)));
    rhs = arith::SelectOp::create(builder, loc, mask, rhs, ones);
  }
  return emitIntegerOp(builder, loc, opcode, lhs, rhs);
}

Value ember::emitIntegerOp(OpBuilder &builder, Location loc, AluOp opcode,
                           Value lhs, Value rhs) {
  auto create = [&]<typename Op>() -> Value {
    return Op::create(builder, loc, lhs, rhs);
  };
  switch (opcode) {
  case AluOp::add:
    return create.operator()<arith::AddIOp>();
  case AluOp::sub:
    return create.operator()<arith::SubIOp>();
  case AluOp::mul:
    return create.operator()<arith::MulIOp>();
  case AluOp::divs:
    return create.operator()<arith::DivSIOp>();
  case AluOp::divu:
    return create.operator()<arith::DivUIOp>();
  case AluOp::rems:
    return create.operator()<arith::RemSIOp>();
  case AluOp::remu:
    return create.operator()<arith::RemUIOp>();
  case AluOp::and_:
    return create.operator()<arith::AndIOp>();
  case AluOp::or_:
    return create.operator()<arith::OrIOp>();
  case AluOp::xor_:
    return create.operator()<arith::XOrIOp>();
  case AluOp::shl:
    return create.operator()<arith::ShLIOp>();
  case AluOp::shrs:
    return create.operator()<arith::ShRSIOp>();
  case AluOp::shru:
    return create.operator()<arith::ShRUIOp>();
  case AluOp::mins:
    return create.operator()<arith::MinSIOp>();
  case AluOp::maxs:
    return create.operator()<arith::MaxSIOp>();
  case AluOp::minu:
    return create.operator()<arith::MinUIOp>();
  case AluOp::maxu:
    return create.operator()<arith::MaxUIOp>();
  }
  return lhs;
}

Value ember::emitIntegerCast(OpBuilder &builder, Location loc, Value value,
                             Type type, bool isUnsigned) {
  if (value.getType() == type)
    return value;
  Type from = getElementTypeOrSelf(value.getType());
  Type to = getElementTypeOrSelf(type);
  auto create = [&]<typename Op>() -> Value {
    return Op::create(builder, loc, type, value);
  };
  if (from.isIndex() || to.isIndex())
    return isUnsigned ? create.operator()<arith::IndexCastUIOp>()
                      : create.operator()<arith::IndexCastOp>();
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return create.operator()<arith::TruncIOp>();
  return isUnsigned ? create.operator()<arith::ExtUIOp>()
                    : create.operator()<arith::ExtSIOp>();
}
