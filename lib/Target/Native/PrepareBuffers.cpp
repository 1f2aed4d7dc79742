//===- PrepareBuffers.cpp - Buffers and copies safe to lower --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_PREPAREBUFFERS
#include "ember/Target/Native/Passes.h.inc"

namespace {
struct PrepareBuffers : impl::PrepareBuffersBase<PrepareBuffers> {
  using Base::Base;
  void runOnOperation() override;

private:
  void prepareAlloca(memref::AllocaOp alloca, int64_t &stackLeft);
};
} // namespace

/// The size of `type` in bytes, if it is static and its elements have a size.
static std::optional<int64_t> staticBytes(MemRefType type,
                                          const DataLayout &layout) {
  Type element = getElementTypeOrSelf(type.getElementType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !element.isIntOrIndexOrFloat())
    return std::nullopt;
  int64_t bytes = layout.getTypeSize(type.getElementType()).getFixedValue();
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow<int64_t>(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

/// Whether `memref`, or a view of it, is handed on by a terminator: then a
/// second buffer may be in use while the first still is.
static bool leavesItsBlock(Value memref) {
  return llvm::any_of(memref.getUsers(), [](Operation *user) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return true;
    return llvm::any_of(user->getResults(), [](Value result) {
      return isa<BaseMemRefType>(result.getType()) && leavesItsBlock(result);
    });
  });
}

/// Fills a buffer of integers: what is read before it is written may become an
/// index, which must be some number, if any.
static void clearBuffer(memref::AllocaOp alloca) {
  MemRefType type = alloca.getType();
  if (!type.getElementType().isIntOrIndex())
    return;
  OpBuilder builder(alloca->getContext());
  builder.setInsertionPointAfter(alloca);
  Location loc = alloca.getLoc();
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> counters;
  for (int64_t size : type.getShape()) {
    Value end = arith::ConstantIndexOp::create(builder, loc, size);
    auto loop = scf::ForOp::create(builder, loc, first, end, step);
    counters.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  memref::StoreOp::create(builder, loc, zero, alloca, counters);
}

/// Small stack buffers move to the entry of the function, others come from the
/// runtime until their block ends.
void PrepareBuffers::prepareAlloca(memref::AllocaOp alloca,
                                   int64_t &stackLeft) {
  auto func = alloca->getParentOfType<func::FuncOp>();
  if (!func || leavesItsBlock(alloca))
    return;
  std::optional<int64_t> bytes =
      staticBytes(alloca.getType(), DataLayout::closest(func));
  if (bytes && *bytes <= stackLeft) {
    stackLeft -= *bytes;
    Block &entry = func.getBody().front();
    if (alloca->getBlock() != &entry)
      alloca->moveBefore(&entry, entry.begin());
    if (clearIntegers)
      clearBuffer(alloca);
    return;
  }
  OpBuilder builder(alloca);
  auto alloc = memref::AllocOp::create(
      builder, alloca.getLoc(), alloca.getType(), alloca.getDynamicSizes(),
      alloca.getSymbolOperands(), alloca.getAlignmentAttr());
  alloca.replaceAllUsesWith(alloc.getResult());
  builder.setInsertionPoint(alloc->getBlock()->getTerminator());
  memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  alloca.erase();
}

/// A copy that is one block of memory on both sides stays as it is; others
/// become a loop nest over the elements.
static void expandCopy(memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!source || !target ||
      (source.getLayout().isIdentity() && target.getLayout().isIdentity()))
    return;
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> counters;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    Value size = memref::DimOp::create(builder, loc, copy.getSource(), dim);
    auto loop = scf::ForOp::create(builder, loc, zero, size, one);
    counters.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  Value element =
      memref::LoadOp::create(builder, loc, copy.getSource(), counters);
  memref::StoreOp::create(builder, loc, element, copy.getTarget(), counters);
  copy.erase();
}

void PrepareBuffers::runOnOperation() {
  SmallVector<memref::AllocaOp> allocas;
  SmallVector<memref::CopyOp> copies;
  getOperation().walk([&](Operation *op) {
    if (auto alloca = dyn_cast<memref::AllocaOp>(op))
      allocas.push_back(alloca);
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      copies.push_back(copy);
  });
  int64_t stackLeft = maxStackBytes;
  for (memref::AllocaOp alloca : allocas)
    prepareAlloca(alloca, stackLeft);
  llvm::for_each(copies, expandCopy);
}

} // namespace ember::native
