//===- StreamStores.cpp - Rows of large outputs past the caches -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for b { ...; store sums, out[b, :] }
//     ->
//   large = bytes of out >= least, and its rows are whole cache lines
//   for b {
//     ...
//     if large { store sums, out[b, :] {nontemporal} }
//     else { store sums, out[b, :] }
//   }
//   if large { fence }
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Analysis/SameValue.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <numeric>

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_STREAMSTORES
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// Stores of one block that lie side by side, in the order of their addresses.
using RowPart = SmallVector<MemoryAccess>;

/// The stores of one loop.
class LoopStreaming {
public:
  LoopStreaming(scf::ForOp loop, const MemoryAliasing &aliasing,
                int64_t lineBytes, int64_t leastBytes)
      : loop(loop), aliasing(aliasing), lineBytes(lineBytes),
        leastBytes(leastBytes), builder(loop) {}

  /// Returns how many stores may bypass the caches.
  unsigned run(StringRef fence);

private:
  bool collect();
  bool isOnlyWritten(Value memref);
  SmallVector<RowPart> findParts(Value memref);
  bool isApart(const MemoryAccess &store);
  bool fillsLines(const RowPart &part);
  bool isLineMultiple(const IndexExpr &elements, int64_t bytes);
  bool canJoin(const RowPart &part);
  Value createCondition(Value memref);
  void streamLoop(const RowPart &part, Value condition);
  void streamStores(const RowPart &part, Value condition);
  scf::ForOp rowLoopOf(const RowPart &part);

  scf::ForOp loop;
  const MemoryAliasing &aliasing;
  int64_t lineBytes, leastBytes;
  OpBuilder builder;
  IndexExprs exprs;
  /// Vector stores, by what they store to and the block they are in.
  llvm::MapVector<Value, llvm::MapVector<Block *, RowPart>> stores;
  /// What else in the loop reads or writes.
  SmallVector<Value> touched;
};

struct StreamStores : impl::StreamStoresBase<StreamStores> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// An output of as many of these is streamed. Measured: up to it, what reads
/// the output finds it in a cache.
static constexpr int64_t kSecondCaches = 16;

/// The bytes of an element in memory; 0 for types that are not streamed.
static int64_t elementBytes(Type element) {
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  return element.getIntOrFloatBitWidth() / 8;
}

/// The bytes of a vector in memory.
static int64_t bytesOf(const MemoryAccess &store) {
  auto vector = cast<VectorType>(store.type);
  return vector.getNumElements() * elementBytes(vector.getElementType());
}

//===----------------------------------------------------------------------===//
// Which stores
//===----------------------------------------------------------------------===//

/// Whether `op` stores a vector of ordinary elements, and may be told how.
static bool isStreamable(Operation *op) {
  auto store = dyn_cast<vector::StoreOp>(op);
  if (!store || store.getNontemporal())
    return false;
  VectorType vector = store.getVectorType();
  return vector.getRank() == 1 && !vector.isScalable() &&
         store.getMemRefType().isStrided() &&
         store.getMemRefType().getElementType() == vector.getElementType() &&
         elementBytes(vector.getElementType()) > 0 &&
         llvm::isPowerOf2_64(vector.getNumElements());
}

/// Gathers what the loop stores and reads; false if that is not known.
bool LoopStreaming::collect() {
  auto note = [&](Value memref, bool) { touched.push_back(memref); };
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (isMemoryEffectFree(op) || isa<memref::PrefetchOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    if (std::optional<MemoryAccess> access = MemoryAccess::of(op)) {
      if (isStreamable(op) && loop.isDefinedOutsideOfLoop(access->memref))
        stores[access->memref][op->getBlock()].push_back(*access);
      else
        touched.push_back(access->memref);
      return WalkResult::advance();
    }
    // A check that failed does not go on.
    if (isFailure(op))
      return WalkResult::advance();
    if (auto call = dyn_cast<ParallelCallOp>(op)) {
      for (Value operand : call.getInputs())
        if (isa<MemRefType>(operand.getType()))
          touched.push_back(operand);
      return WalkResult::advance();
    }
    return forEachMemRefEffect(op, note) ? WalkResult::advance()
                                         : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether the loop does nothing with the memory of `memref` but store vectors
/// there.
bool LoopStreaming::isOnlyWritten(Value memref) {
  auto aliases = [&](Value other) { return aliasing.alias(memref, other); };
  return llvm::none_of(touched, aliases) &&
         llvm::none_of(stores, [&](const auto &other) {
           return other.first != memref && aliases(other.first);
         });
}

/// The loop within this one that `part` is in.
scf::ForOp LoopStreaming::rowLoopOf(const RowPart &part) {
  auto inner = dyn_cast<scf::ForOp>(part.front().op->getParentOp());
  return inner == loop ? scf::ForOp() : inner;
}

/// Whether the loop is short code: what it is copied for is a row.
static bool isInnermost(scf::ForOp loop) {
  return loop->getNumResults() == 0 &&
         llvm::none_of(loop.getBody()->getOps<scf::ForOp>(),
                       [](scf::ForOp) { return true; });
}

/// Whether every iteration of the loops in this one stores somewhere else.
bool LoopStreaming::isApart(const MemoryAccess &store) {
  for (auto inner = store.op->getParentOfType<scf::ForOp>(); inner != loop;
       inner = inner->getParentOfType<scf::ForOp>()) {
    bool isUsed = llvm::any_of(store.indices, [&](Value index) {
      return exprs.of(index).coefficient(inner.getInductionVar()) != 0;
    });
    if (!isUsed)
      return false;
  }
  return true;
}

/// Whether a loop runs between two operations of a block: values that wait for
/// its end take registers from it.
static bool hasLoopBetween(Operation *from, Operation *to) {
  for (Operation *op = from->getNextNode(); op && op != to;
       op = op->getNextNode())
    if (op->walk([](LoopLikeOpInterface) {
            return WalkResult::interrupt();
          }).wasInterrupted())
      return true;
  return false;
}

/// Cuts the stores of each block to `memref` into parts that lie side by side.
SmallVector<RowPart> LoopStreaming::findParts(Value memref) {
  SmallVector<RowPart> parts;
  for (auto &[block, inBlock] : stores[memref])
    for (const MemoryAccess &store : inBlock) {
      auto continues = [&](const RowPart &part) {
        const MemoryAccess &last = part.back();
        return last.type == store.type &&
               last.op->getBlock() == store.op->getBlock() &&
               !hasLoopBetween(last.op, store.op) &&
               areSameValues(last.indices.drop_back(),
                             store.indices.drop_back(), exprs) &&
               (exprs.of(store.indices.back()) -
                exprs.of(last.indices.back())) ==
                   IndexExpr(cast<VectorType>(store.type).getNumElements());
      };
      auto *part = llvm::find_if(parts, continues);
      if (part == parts.end())
        parts.push_back({store});
      else
        part->push_back(store);
    }
  return parts;
}

/// Whether the product of `factors` is a multiple of `whole`: it need not fit.
static bool isMultiple(ArrayRef<int64_t> factors, int64_t whole) {
  int64_t rest = 1;
  for (int64_t factor : factors) {
    if (llvm::MulOverflow(rest, factor % whole, rest))
      return false;
    rest %= whole;
  }
  return rest == 0;
}

/// Whether `elements`, of `bytes` each, are a whole number of cache lines in
/// every iteration.
bool LoopStreaming::isLineMultiple(const IndexExpr &elements, int64_t bytes) {
  if (!isMultiple({elements.getConstant(), bytes}, lineBytes))
    return false;
  return llvm::all_of(elements.getTerms(), [&](const IndexExpr::Term &term) {
    int64_t step = 1;
    auto argument = dyn_cast<BlockArgument>(term.first);
    auto counts = argument
                      ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                      : scf::ForOp();
    if (counts && argument == counts.getInductionVar()) {
      auto lower = getConstantIntValue(counts.getLowerBound());
      auto by = getConstantIntValue(counts.getStep());
      if (lower && by)
        step = std::gcd(*lower, *by);
    }
    return isMultiple({term.second, step, bytes}, lineBytes);
  });
}

/// Whether `part`, or all iterations of its loop together, are whole lines,
/// where rows begin with lines.
bool LoopStreaming::fillsLines(const RowPart &part) {
  const MemoryAccess &first = part.front();
  auto type = cast<MemRefType>(first.memref.getType());
  int64_t bytes = elementBytes(type.getElementType());
  int64_t length = bytesOf(first) * static_cast<int64_t>(part.size());
  IndexExpr start = exprs.of(first.indices.back());
  if (length % lineBytes == 0 && isLineMultiple(start, bytes))
    return true;
  scf::ForOp rowLoop = rowLoopOf(part);
  auto lower =
      rowLoop ? getConstantIntValue(rowLoop.getLowerBound()) : std::nullopt;
  auto step = rowLoop ? getConstantIntValue(rowLoop.getStep()) : std::nullopt;
  std::optional<APInt> trips =
      rowLoop ? rowLoop.getStaticTripCount() : std::nullopt;
  if (!lower || !step || !trips)
    return false;
  Value counter = rowLoop.getInductionVar();
  int64_t advance;
  return !llvm::MulOverflow(start.coefficient(counter), *step, advance) &&
         !llvm::MulOverflow(advance, bytes, advance) && advance == length &&
         trips->getActiveBits() < 64 &&
         isMultiple({length, int64_t(trips->getZExtValue())}, lineBytes) &&
         isLineMultiple(start.substituted(counter, IndexExpr(*lower)), bytes);
}

/// Whether the stores of `part` can all be made where the last of them is:
/// nothing in between stores to the same memory.
bool LoopStreaming::canJoin(const RowPart &part) {
  Block *block = part.front().op->getBlock();
  Operation *first = part.front().op, *last = part.front().op;
  for (const MemoryAccess &store : part) {
    first = store.op->isBeforeInBlock(first) ? store.op : first;
    last = last->isBeforeInBlock(store.op) ? store.op : last;
  }
  for (auto &[other, inBlock] : stores[part.front().memref])
    for (const MemoryAccess &store : inBlock) {
      Operation *place = block->findAncestorOpInBlock(*store.op);
      bool isOfPart = llvm::any_of(
          part, [&](const MemoryAccess &own) { return own.op == store.op; });
      if (!isOfPart && place && first->isBeforeInBlock(place) &&
          place->isBeforeInBlock(last))
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Whether `memref` is large, and its rows are whole cache lines.
Value LoopStreaming::createCondition(Value memref) {
  Location loc = loop.getLoc();
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = elementBytes(type.getElementType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value elements = constant(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    elements =
        arith::MulIOp::create(builder, loc, elements,
                              memref::DimOp::create(builder, loc, memref, dim));
  Value result =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, elements,
                            constant(llvm::divideCeil(leastBytes, bytes)));
  // Where it begins, and how far rows are apart: all in bytes, all multiples
  // of a line if the bits of any of them are.
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value start =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  Value offset = getValueOrCreateConstantIndexOp(
      builder, loc, metadata.getConstifiedMixedOffset());
  Value bits = arith::AddIOp::create(
      builder, loc, start,
      arith::MulIOp::create(builder, loc, offset, constant(bytes)));
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  for (OpFoldResult stride : ArrayRef(strides).drop_back()) {
    Value apart = getValueOrCreateConstantIndexOp(builder, loc, stride);
    bits = arith::OrIOp::create(
        builder, loc, bits,
        arith::MulIOp::create(builder, loc, apart, constant(bytes)));
  }
  Value rest =
      arith::AndIOp::create(builder, loc, bits, constant(lineBytes - 1));
  Value isAligned = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, rest, constant(0));
  return arith::AndIOp::create(builder, loc, result, isAligned);
}

/// Makes a store bypass the caches. It begins with a line, or ends one.
static void bypassCaches(Operation *op, int64_t lineBytes) {
  auto store = cast<vector::StoreOp>(op);
  int64_t bytes = bytesOf(*MemoryAccess::of(op));
  store.setNontemporal(true);
  store.setAlignment(uint64_t(std::min(bytes, lineBytes)));
}

/// Copies the loop that `part` is in, for both cases of `condition`.
void LoopStreaming::streamLoop(const RowPart &part, Value condition) {
  scf::ForOp rowLoop = rowLoopOf(part);
  OpBuilder around(rowLoop);
  auto choice = scf::IfOp::create(around, rowLoop.getLoc(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::atBlockBegin(choice.elseBlock()).clone(*rowLoop);
  rowLoop->moveBefore(choice.thenBlock()->getTerminator());
  for (const MemoryAccess &store : part)
    bypassCaches(store.op, lineBytes);
}

/// Makes the stores of `part` where the last of them is, for both cases of
/// `condition`.
void LoopStreaming::streamStores(const RowPart &part, Value condition) {
  Operation *last = part.front().op;
  for (const MemoryAccess &store : part)
    last = last->isBeforeInBlock(store.op) ? store.op : last;
  OpBuilder around(last);
  auto choice = scf::IfOp::create(around, last->getLoc(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder otherwise = OpBuilder::atBlockBegin(choice.elseBlock());
  for (const MemoryAccess &store : part) {
    otherwise.clone(*store.op);
    store.op->moveBefore(choice.thenBlock()->getTerminator());
    bypassCaches(store.op, lineBytes);
  }
}

unsigned LoopStreaming::run(StringRef fence) {
  if (!collect())
    return 0;
  unsigned count = 0;
  Value any;
  SmallPtrSet<Operation *, 4> copied;
  for (Value memref : llvm::map_to_vector(
           stores, [](const auto &entry) { return entry.first; })) {
    if (!isOnlyWritten(memref))
      continue;
    SmallVector<RowPart> parts = findParts(memref);
    llvm::erase_if(parts, [&](const RowPart &part) {
      return !isApart(part.front()) || !fillsLines(part) || !canJoin(part);
    });
    Value condition;
    for (const RowPart &part : parts) {
      scf::ForOp rowLoop = rowLoopOf(part);
      bool isCopied = rowLoop && isInnermost(rowLoop);
      if (isCopied && !copied.insert(rowLoop).second)
        continue;
      if (!condition)
        condition = createCondition(memref);
      if (isCopied)
        streamLoop(part, condition);
      else
        streamStores(part, condition);
      count += part.size();
    }
    if (condition)
      any = any ? arith::OrIOp::create(builder, loop.getLoc(), any, condition)
                : condition;
  }
  if (any && !fence.empty()) {
    builder.setInsertionPointAfter(loop);
    scf::IfOp::create(
        builder, loop.getLoc(), any, [&](OpBuilder &inside, Location loc) {
          LLVM::CallIntrinsicOp::create(
              inside, loc, inside.getStringAttr(fence), ValueRange());
          scf::YieldOp::create(inside, loc);
        });
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void StreamStores::runOnOperation() {
  auto target = TargetAttr::of(getOperation());
  int64_t line = lineBytes ? lineBytes : target.getCacheLineBytes();
  int64_t second =
      secondCacheBytes ? secondCacheBytes : target.getSecondCacheBytes();
  int64_t least =
      minOutputBytes >= 0 ? minOutputBytes.getValue() : kSecondCaches * second;
  bool isTargets = fence == "target";
  StringRef intrinsic =
      isTargets ? target.getStoreFence() : StringRef(fence.getValue());
  // Who names a fence knows of such stores.
  if (isTargets && !target.getStreamingStores())
    return;
  if (least == 0 || !llvm::isPowerOf2_64(line))
    return;
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (loop->hasAttr(independentAttr) && !loop->hasAttr(piecesAttr))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    streamed += LoopStreaming(loop, aliasing, line, least).run(intrinsic);
}

} // namespace ember::loops
