//===- LowerPackedLanes.cpp - Vectors of i1 and i4 in memory --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_LOWERPACKEDLANES
#include "ember/Target/Native/Passes.h.inc"

/// The bits that an element of `width` bits takes in memory by itself.
static unsigned storedBits(unsigned width) {
  return std::max<unsigned>(8, llvm::PowerOf2Ceil(width));
}

/// Whether LLVM packs the elements of `type` closer than those of a memref.
static bool isPacked(VectorType type) {
  Type element = type.getElementType();
  return element.isInteger() && storedBits(element.getIntOrFloatBitWidth()) !=
                                    element.getIntOrFloatBitWidth();
}

/// The vector that memory holds for `type`: as many whole bytes each.
static VectorType storedType(VectorType type) {
  return VectorType::get(
      type.getShape(),
      IntegerType::get(type.getContext(),
                       storedBits(type.getElementTypeBitWidth())),
      type.getScalableDims());
}

/// The address of the element of `memref` at `indices`.
static Value addressOf(OpBuilder &builder, Location loc, Value memref,
                       ValueRange indices, VectorType stored) {
  auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value position = parts.getOffset();
  for (auto [index, stride] : llvm::zip_equal(indices, parts.getStrides())) {
    Value distance = arith::MulIOp::create(builder, loc, index, stride);
    position = arith::AddIOp::create(builder, loc, position, distance);
  }
  Value bytes = arith::ConstantIndexOp::create(
      builder, loc, stored.getElementTypeBitWidth() / 8);
  position = arith::MulIOp::create(builder, loc, position, bytes);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  address = arith::AddIOp::create(builder, loc, address, position);
  address =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
}

/// Rewrites the access `op`, of whatever kind, if its vector is packed.
template <typename Op> static void lowerAccess(Op op) {
  VectorType type = op.getVectorType();
  if (!isPacked(type) || type.getRank() != 1 ||
      op.getMemRefType().getElementType() != type.getElementType())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  VectorType stored = storedType(type);
  unsigned alignment = stored.getElementTypeBitWidth() / 8;
  Value address =
      addressOf(builder, loc, op.getBase(), op.getIndices(), stored);
  auto widen = [&](Value value) {
    return arith::ExtUIOp::create(builder, loc, stored, value);
  };
  auto replace = [&](Value loaded) {
    op->replaceAllUsesWith(ValueRange(
        arith::TruncIOp::create(builder, loc, type, loaded).getResult()));
  };
  if constexpr (std::is_same_v<Op, vector::LoadOp>)
    replace(LLVM::LoadOp::create(builder, loc, stored, address, alignment));
  else if constexpr (std::is_same_v<Op, vector::StoreOp>)
    LLVM::StoreOp::create(builder, loc, widen(op.getValueToStore()), address,
                          alignment);
  else if constexpr (std::is_same_v<Op, vector::MaskedLoadOp>)
    replace(LLVM::MaskedLoadOp::create(builder, loc, stored, address,
                                       op.getMask(), widen(op.getPassThru()),
                                       alignment));
  else
    LLVM::MaskedStoreOp::create(builder, loc, widen(op.getValueToStore()),
                                address, op.getMask(), alignment);
  op.erase();
}

/// Whether `func` moves packed vectors in the way that becomes the accesses
/// above only later.
static bool hasPackedTransfers(func::FuncOp func) {
  return func
      .walk([](VectorTransferOpInterface transfer) {
        return isPacked(transfer.getVectorType()) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct LowerPackedLanes : impl::LowerPackedLanesBase<LowerPackedLanes> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (hasPackedTransfers(func)) {
      RewritePatternSet patterns(&getContext());
      vector::populateVectorMaskMaterializationPatterns(
          patterns, /*force32BitVectorIndices=*/false);
      vector::populateVectorTransferLoweringPatterns(patterns,
                                                     /*maxTransferRank=*/1);
      if (failed(applyPatternsGreedily(func, std::move(patterns))))
        return signalPassFailure();
    }
    func.walk([](Operation *op) {
      TypeSwitch<Operation *>(op)
          .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
                vector::MaskedStoreOp>(
              [](auto access) { lowerAccess(access); });
    });
  }
};
} // namespace

} // namespace ember::native
