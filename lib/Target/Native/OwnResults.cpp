//===- OwnResults.cpp - Results are the caller's to free ------------------===//
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
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_OWNRESULTS
#include "ember/Target/Native/Passes.h.inc"

namespace {
struct OwnResults : impl::OwnResultsBase<OwnResults> {
  using Base::Base;
  void runOnOperation() override;
};

/// What one function hands on to its caller.
class ReturnedMemory {
public:
  explicit ReturnedMemory(SymbolTableCollection &symbols) : symbols(symbols) {}

  /// Copies what `handed`, an operand of a terminator, is, unless it is memory
  /// of its own.
  void own(OpOperand &handed);
  bool areAllOwned(func::FuncOp function);

private:
  bool isOwned(Value memref);

  SymbolTableCollection &symbols;
  /// What something is handed on of already.
  llvm::SmallDenseSet<Value, 4> given;
  llvm::SmallPtrSet<Operation *, 4> visited;
};
} // namespace

static Value getViewed(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool ReturnedMemory::areAllOwned(func::FuncOp function) {
  // One that calls itself hands on what it is not sure to own.
  if (function.isExternal() || !visited.insert(function).second)
    return false;
  ReturnedMemory callee(symbols);
  callee.visited = visited;
  bool areOwned = true;
  function.walk([&](func::ReturnOp back) {
    for (Value value : back.getOperands())
      if (isa<MemRefType>(value.getType()))
        areOwned &= callee.isOwned(value);
  });
  return areOwned;
}

bool ReturnedMemory::isOwned(Value memref) {
  Value whole = getViewed(memref);
  if (whole.getDefiningOp<memref::AllocOp>())
    return given.insert(whole).second;
  auto call = whole.getDefiningOp<func::CallOp>();
  if (!call || !given.insert(whole).second)
    return false;
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  return callee && areAllOwned(callee);
}

/// Memory for elements that lie as those of `memref` do.
static Value allocateAlike(OpBuilder &builder, Location loc, Value memref) {
  auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = arith::AddIOp::create(builder, loc, parts.getOffset(), one);
  for (auto [size, stride] : llvm::zip(parts.getSizes(), parts.getStrides())) {
    Value span = arith::MulIOp::create(builder, loc, size, stride);
    count = arith::AddIOp::create(builder, loc, count, span);
  }
  auto type = cast<MemRefType>(memref.getType());
  auto line = MemRefType::get(ShapedType::kDynamic, type.getElementType());
  Value memory = memref::AllocOp::create(builder, loc, line, count);
  auto [strides, offset] = type.getStridesAndOffset();
  auto getKnown = [&](ArrayRef<int64_t> known, ValueRange values) {
    SmallVector<OpFoldResult> mixed = getAsOpFoldResult(values);
    for (auto [place, number] : llvm::enumerate(known))
      if (!ShapedType::isDynamic(number))
        mixed[place] = builder.getIndexAttr(number);
    return mixed;
  };
  return memref::ReinterpretCastOp::create(
      builder, loc, type, memory, getKnown(offset, parts.getOffset()).front(),
      getKnown(type.getShape(), parts.getSizes()),
      getKnown(strides, parts.getStrides()));
}

/// A copy of `memref` in front of `user`, of the same type.
static Value copyBefore(Operation *user, Value memref) {
  OpBuilder builder(user);
  Location loc = user->getLoc();
  auto type = cast<MemRefType>(memref.getType());
  auto whole =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value copy;
  if (memref::CastOp::areCastCompatible(whole, type)) {
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(memref::DimOp::create(builder, loc, memref, dim));
    copy = memref::AllocOp::create(builder, loc, whole, sizes);
    if (whole != type)
      copy = memref::CastOp::create(builder, loc, type, copy);
  } else {
    copy = allocateAlike(builder, loc, memref);
  }
  memref::CopyOp::create(builder, loc, memref, copy);
  return copy;
}

void ReturnedMemory::own(OpOperand &handed) {
  Value memref = handed.get();
  auto result = dyn_cast<OpResult>(getViewed(memref));
  auto branch = result ? dyn_cast<scf::IfOp>(result.getOwner()) : scf::IfOp();
  if (branch && given.insert(result).second) {
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      own(block->getTerminator()->getOpOperand(result.getResultNumber()));
    return;
  }
  if (!isOwned(memref))
    handed.set(copyBefore(handed.getOwner(), memref));
}

void OwnResults::runOnOperation() {
  SymbolTableCollection symbols;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    ReturnedMemory memory(symbols);
    function.walk([&](func::ReturnOp back) {
      for (OpOperand &operand : back->getOpOperands())
        if (isa<MemRefType>(operand.get().getType()))
          memory.own(operand);
    });
  }
}

} // namespace ember::native
