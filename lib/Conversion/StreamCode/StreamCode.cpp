//===- StreamCode.cpp - Code for one element of a stream ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/StreamCode/StreamCode.h"

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "ember/Runtime/Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
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
// Accesses
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

/// What one lane does: gets the indices of its access, the lane's number and
/// the vector made so far, and gives back the vector with its own lane in it.
using LaneBody = llvm::function_ref<Value(
    OpBuilder &builder, ValueRange indices, Value lane, Value soFar)>;

/// Runs `body` for each lane that `mask` (which may be null) leaves on, in
/// order. One access a lane works for any layout and any mix of indices, and
/// each access can be checked on its own. `initial`, which may be null, is the
/// vector before the first lane; the result is the one after the last.
static Value emitLanes(OpBuilder &builder, Location loc, ValueRange indices,
                       int64_t count, Value mask, Value initial,
                       LaneBody body) {
  auto emitLane = [&](OpBuilder &at, Value lane, Value soFar) -> Value {
    SmallVector<Value> laneIndices;
    for (Value index : indices)
      laneIndices.push_back(
          isVector(index)
              ? vector::ExtractOp::create(at, loc, index, OpFoldResult(lane))
                    .getResult()
              : index);
    return body(at, laneIndices, lane, soFar);
  };
  auto yield = [&](OpBuilder &at, Value result) {
    scf::YieldOp::create(at, loc, result ? ValueRange(result) : ValueRange());
  };
  Value last = arith::ConstantIndexOp::create(builder, loc, count);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto lanes = scf::ForOp::create(
      builder, loc, zeroIndex(builder, loc), last, one,
      initial ? ValueRange(initial) : ValueRange(),
      [&](OpBuilder &at, Location, Value lane, ValueRange carried) {
        Value soFar = carried.empty() ? Value() : carried.front();
        if (!mask) {
          yield(at, emitLane(at, lane, soFar));
          return;
        }
        Value active =
            vector::ExtractOp::create(at, loc, mask, OpFoldResult(lane));
        auto emitActive = [&](OpBuilder &inside, Location) {
          yield(inside, emitLane(inside, lane, soFar));
        };
        if (!soFar) {
          scf::IfOp::create(at, loc, active, emitActive);
          yield(at, Value());
          return;
        }
        auto guarded = scf::IfOp::create(
            at, loc, active, emitActive,
            [&](OpBuilder &inside, Location) { yield(inside, soFar); });
        yield(at, guarded.getResult(0));
      });
  return initial ? lanes.getResult(0) : Value();
}

static Value emitZeros(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// What a load of `type` holds where nothing is loaded.
static Value emitOtherwise(OpBuilder &builder, Location loc,
                           const StreamAccess &access, Type type) {
  return access.otherwise ? emitBroadcast(builder, loc, access.otherwise, type)
                          : emitZeros(builder, loc, type);
}

Value ember::emitAnyLane(OpBuilder &builder, Location loc, Value mask) {
  if (!isVector(mask))
    return mask;
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     mask);
}

/// The indices of the element that lane 0 of a contiguous access addresses, or
/// that vector indices in the innermost dimension count from.
static SmallVector<Value> emitBase(OpBuilder &builder, Location loc,
                                   ValueRange indices, bool contiguous) {
  SmallVector<Value> base(indices);
  base.back() = contiguous
                    ? vector::ExtractOp::create(builder, loc, indices.back(), 0)
                          .getResult()
                    : zeroIndex(builder, loc);
  return base;
}

static Value emitAllLanes(OpBuilder &builder, Location loc, VectorType type) {
  auto lanes = VectorType::get(type.getShape(), builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(lanes, true));
}

StreamAccess StreamAccess::of(slc::MemoryStreamOpInterface op,
                              function_ref<Value(Value)> lookup) {
  auto lookupOptional = [&](Value value) {
    return value ? lookup(value) : Value();
  };
  StreamAccess access;
  access.memref = lookup(op.getMemref());
  access.indices = llvm::map_to_vector(op.getIndices(), lookup);
  access.mask = lookupOptional(op.getMask());
  access.otherwise = lookupOptional(op.getOtherwise());
  access.contiguous = op.getContiguous();
  access.repeat = static_cast<int64_t>(op.getRepeat());
  access.cacheLevel = op.getCacheLevelAttr();
  access.nontemporal = op.getNontemporal();
  return access;
}

/// Leaves the hints of `access` on `op`, for the passes that prefetch.
template <typename Op> static Op withHints(Op op, const StreamAccess &access) {
  if (access.cacheLevel)
    op->setAttr(cacheLevelAttr, access.cacheLevel);
  if constexpr (requires { op.setNontemporal(true); })
    if (access.nontemporal)
      op.setNontemporal(true);
  return op;
}

/// Which elements a load needs of which `repeat` lanes each hold one: those of
/// any active lane.
static Value emitElementMask(OpBuilder &builder, Location loc, Value mask,
                             int64_t repeat) {
  for (; mask && repeat > 1; repeat /= 2) {
    auto halves = vector::DeinterleaveOp::create(builder, loc, mask);
    mask = arith::OrIOp::create(builder, loc, halves.getResult(0),
                                halves.getResult(1));
  }
  return mask;
}

/// Each element of `vector` in as many lanes as `access` repeats it, which has
/// something else where its mask is off.
static Value emitRepeated(OpBuilder &builder, Location loc, Value vector,
                          const StreamAccess &access) {
  if (access.repeat == 1)
    return vector;
  for (int64_t repeat = access.repeat; repeat > 1; repeat /= 2)
    vector = vector::InterleaveOp::create(builder, loc, vector, vector);
  if (!access.mask)
    return vector;
  Value otherwise = emitOtherwise(builder, loc, access, vector.getType());
  return arith::SelectOp::create(builder, loc, access.mask, vector, otherwise);
}

/// Consecutive elements, each for one or more lanes.
static Value emitContiguousLoad(OpBuilder &builder, Location loc,
                                const StreamAccess &access, VectorType type) {
  SmallVector<Value> base =
      emitBase(builder, loc, access.indices, /*contiguous=*/true);
  auto elements = VectorType::get({type.getNumElements() / access.repeat},
                                  type.getElementType());
  Value mask = emitElementMask(builder, loc, access.mask, access.repeat);
  Value loaded;
  // With repeated elements, lanes are chosen behind.
  if (mask)
    loaded = withHints(vector::MaskedLoadOp::create(
                           builder, loc, elements, access.memref, base, mask,
                           access.repeat == 1
                               ? emitOtherwise(builder, loc, access, elements)
                               : emitZeros(builder, loc, elements)),
                       access);
  else
    loaded = withHints(
        vector::LoadOp::create(builder, loc, elements, access.memref, base),
        access);
  return emitRepeated(builder, loc, loaded, access);
}

Value ember::emitStreamLoad(OpBuilder &builder, Location loc,
                            const StreamAccess &access, Type element) {
  Value memref = access.memref, mask = access.mask;
  auto memrefType = cast<MemRefType>(memref.getType());
  auto vector = dyn_cast<VectorType>(element);
  if (!vector || element == memrefType.getElementType()) {
    auto load = [&](OpBuilder &at) -> Value {
      return withHints(memref::LoadOp::create(at, loc, memref, access.indices),
                       access);
    };
    if (!mask)
      return load(builder);
    auto guarded = scf::IfOp::create(
        builder, loc, mask,
        [&](OpBuilder &at, Location) {
          scf::YieldOp::create(at, loc, load(at));
        },
        [&](OpBuilder &at, Location) {
          scf::YieldOp::create(at, loc,
                               emitOtherwise(at, loc, access, element));
        });
    return guarded.getResult(0);
  }
  Value otherwise = emitOtherwise(builder, loc, access, vector);
  if (!indexesInnermostOnly(memrefType, access.indices))
    return emitLanes(
        builder, loc, access.indices, vector.getNumElements(), mask, otherwise,
        [&](OpBuilder &at, ValueRange indices, Value lane,
            Value soFar) -> Value {
          Value loaded = withHints(
              memref::LoadOp::create(at, loc, memref, indices), access);
          return vector::InsertOp::create(at, loc, loaded, soFar,
                                          OpFoldResult(lane));
        });

  if (access.contiguous)
    return emitContiguousLoad(builder, loc, access, vector);
  SmallVector<Value> base =
      emitBase(builder, loc, access.indices, /*contiguous=*/false);
  if (!mask)
    mask = emitAllLanes(builder, loc, vector);
  return withHints(vector::GatherOp::create(builder, loc, vector, memref, base,
                                            access.indices.back(), mask,
                                            otherwise),
                   access);
}

/// A processor's non-temporal stores need an alignment that rows rarely have
/// and are otherwise split into single elements: the hint of a store is for
/// access units only.
void ember::emitStreamStore(OpBuilder &builder, Location loc,
                            const StreamAccess &access, Value value) {
  Value memref = access.memref;
  auto memrefType = cast<MemRefType>(memref.getType());
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || value.getType() == memrefType.getElementType()) {
    memref::StoreOp::create(builder, loc, value, memref, access.indices);
    return;
  }
  // A scatter would do for one innermost vector of indices, but is no faster
  // than its lanes.
  if (!access.contiguous || !indexesInnermostOnly(memrefType, access.indices)) {
    emitLanes(
        builder, loc, access.indices, vector.getNumElements(), access.mask,
        Value(),
        [&](OpBuilder &at, ValueRange indices, Value lane, Value) -> Value {
          Value element =
              vector::ExtractOp::create(at, loc, value, OpFoldResult(lane));
          memref::StoreOp::create(at, loc, element, memref, indices);
          return Value();
        });
    return;
  }
  SmallVector<Value> base =
      emitBase(builder, loc, access.indices, access.contiguous);
  if (access.mask)
    vector::MaskedStoreOp::create(builder, loc, memref, base, access.mask,
                                  value);
  else
    vector::StoreOp::create(builder, loc, value, memref, base);
}

void ember::emitAccessCount(OpBuilder &builder, Location loc,
                            RuntimeCalls &calls, StringRef name,
                            const StreamAccess &access, Type element,
                            bool isStore) {
  auto vector = dyn_cast<VectorType>(element);
  Type i64 = builder.getI64Type();
  Value elements;
  if (vector && access.mask) {
    Value ones = arith::ExtUIOp::create(
        builder, loc, VectorType::get(vector.getShape(), i64), access.mask);
    elements = vector::ReductionOp::create(builder, loc,
                                           vector::CombiningKind::ADD, ones);
  } else if (access.mask) {
    elements = arith::ExtUIOp::create(builder, loc, i64, access.mask);
  } else {
    elements = arith::ConstantOp::create(
        builder, loc,
        builder.getI64IntegerAttr(vector ? vector.getNumElements() : 1));
  }
  auto level = access.cacheLevel
                   ? static_cast<int32_t>(access.cacheLevel.getValue())
                   : 0;
  auto flag = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  LLVM::LLVMFuncOp count = calls.declare(EMBER_RUNTIME(ember_count_access));
  LLVM::CallOp::create(builder, loc, count,
                       ValueRange{calls.stringConstant(builder, loc, name),
                                  elements, flag(isStore), flag(level),
                                  flag(access.nontemporal)});
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Value emitIntegerOp(OpBuilder &builder, Location loc, AluOp opcode,
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

/// Each operand in all lanes of `type`; divisors that `mask` switches off are
/// one.
static Value emitArithmetic(OpBuilder &builder, Location loc, AluOp opcode,
                            Value lhs, Value rhs, Type type, Value mask) {
  lhs = emitBroadcast(builder, loc, lhs, type);
  rhs = emitBroadcast(builder, loc, rhs, type);
  auto lanes = dyn_cast<VectorType>(type);
  bool isMasked =
      lanes && mask &&
      cast<VectorType>(mask.getType()).getShape() == lanes.getShape();
  if (isMasked && slc::isDivision(opcode)) {
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            lanes, builder.getIntegerAttr(lanes.getElementType(), 1)));
    rhs = arith::SelectOp::create(builder, loc, mask, rhs, ones);
  }
  return emitIntegerOp(builder, loc, opcode, lhs, rhs);
}

static Value emitComparison(OpBuilder &builder, Location loc,
                            slc::CmpPredicate predicate, Value lhs, Value rhs,
                            Type type) {
  Type operands = getElementTypeOrSelf(lhs.getType());
  if (auto lanes = dyn_cast<VectorType>(type))
    operands = lanes.cloneWith(std::nullopt, operands);
  auto named =
      arith::symbolizeCmpIPredicate(slc::stringifyCmpPredicate(predicate));
  return arith::CmpIOp::create(builder, loc, *named,
                               emitBroadcast(builder, loc, lhs, operands),
                               emitBroadcast(builder, loc, rhs, operands));
}

static Value emitIntegerCast(OpBuilder &builder, Location loc, Value value,
                             Type type, bool isUnsigned) {
  if (value.getType() == type)
    return value;
  Type from = getElementTypeOrSelf(value.getType());
  Type to = getElementTypeOrSelf(type);
  auto create = [&]<typename Op>() -> Value {
    return Op::create(builder, loc, type, value);
  };
  // What narrows does so by itself: see the pass split-index-casts.
  Type wide = builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  if ((from.isIndex() && to.getIntOrFloatBitWidth() < 64) ||
      (to.isIndex() && from.getIntOrFloatBitWidth() > 64)) {
    value = emitIntegerCast(builder, loc, value, wide, isUnsigned);
    return emitIntegerCast(builder, loc, value, type, isUnsigned);
  }
  if (from.isIndex() || to.isIndex())
    return isUnsigned ? create.operator()<arith::IndexCastUIOp>()
                      : create.operator()<arith::IndexCastOp>();
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return create.operator()<arith::TruncIOp>();
  return isUnsigned ? create.operator()<arith::ExtUIOp>()
                    : create.operator()<arith::ExtSIOp>();
}

Value ember::emitStreamElement(OpBuilder &builder, slc::StreamOpInterface op,
                               function_ref<Value(Value)> lookup, Value mask) {
  Location loc = op.getLoc();
  Type type = slc::getStreamElementType(op->getResult(0).getType());
  auto inputs = llvm::map_to_vector(op.getInputs(), lookup);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<slc::AluStrOp, slcv::VecAluStrOp, dlc::AluStrOp>([&](auto alu) {
        return emitArithmetic(builder, loc, alu.getOpcode(), inputs[0],
                              inputs[1], type, mask);
      })
      .Case<slc::CmpStrOp, dlc::CmpStrOp>([&](auto compare) {
        return emitComparison(builder, loc, compare.getPredicate(), inputs[0],
                              inputs[1], type);
      })
      .Case<slc::SelStrOp, dlc::SelStrOp>([&](auto) {
        return arith::SelectOp::create(
            builder, loc, inputs[0],
            emitBroadcast(builder, loc, inputs[1], type),
            emitBroadcast(builder, loc, inputs[2], type));
      })
      .Case<slc::CastStrOp, dlc::CastStrOp>([&](auto cast) {
        return emitIntegerCast(builder, loc, inputs[0], type,
                               cast.getIsUnsigned());
      })
      .Case<slc::FwdStrOp, dlc::FwdStrOp>(
          [&](auto) { return emitBroadcast(builder, loc, inputs[0], type); });
}
