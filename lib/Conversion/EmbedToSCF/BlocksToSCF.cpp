//===- BlocksToSCF.cpp - Gathered blocks, and products with them, as loops ===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/Lowerings.h"
#include "ember/Conversion/EmbedToSCF/RowAccumulator.h"
#include "ember/Conversion/EmbedToSCF/StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using ember::embed::BlockValuesOp;
using ember::embed::GatherOp;

namespace {
/// The rows of the blocks that a row of block numbers names.
class GatheredRows {
public:
  GatheredRows(NestBuilder &builder, Value blocks, int64_t blockSize,
               Value source);

  /// A row's place among the gathered ones, and its number in the source.
  using EmitRow = llvm::function_ref<void(Value place, Value row)>;

  /// Emits `emit` for the first row of each block.
  void forEachBlock(Value block, EmitRow emit);
  /// Emits `emit` for each row of the block whose first row is given.
  void forEachRow(Value place, Value first, EmitRow emit);
  /// Emits `emit` for each row of each block.
  void forEach(Value block, EmitRow emit) {
    forEachBlock(block, [&](Value place, Value first) {
      forEachRow(place, first, emit);
    });
  }

private:
  Value firstRow(Value number);

  NestBuilder &builder;
  Value blocks, size;
  /// Of block numbers that lead outside; null where none is so large that its
  /// first row could wrap around.
  Value lowest, highest;
};
} // namespace

GatheredRows::GatheredRows(NestBuilder &builder, Value blocks,
                           int64_t blockSize, Value source)
    : builder(builder), blocks(blocks), size(builder.index(blockSize)) {
  Type type = cast<MemRefType>(blocks.getType()).getElementType();
  bool isNarrow = type.isInteger(32) && blockSize <= INT32_MAX;
  if (isNarrow || blockSize == 1)
    return;
  lowest = builder.index(-1);
  Value whole = arith::DivUIOp::create(builder, builder.size(source, 0), size);
  highest = arith::AddIOp::create(builder, whole, builder.index(1));
}

/// The number of a block's first row. Numbers that lead outside are brought to
/// ones just outside: all others would lead anywhere if the product wrapped.
Value GatheredRows::firstRow(Value number) {
  if (lowest) {
    number = arith::MaxSIOp::create(builder, number, lowest);
    number = arith::MinSIOp::create(builder, number, highest);
  }
  return arith::MulIOp::create(builder, number, size);
}

void GatheredRows::forEachBlock(Value block, EmitRow emit) {
  builder.loop(builder.size(blocks, 1), [&](Value chosen) {
    Value first = firstRow(builder.loadIndex(blocks, {block, chosen}));
    emit(arith::MulIOp::create(builder, chosen, size), first);
  });
}

void GatheredRows::forEachRow(Value place, Value first, EmitRow emit) {
  builder.loop(size, [&](Value token) {
    emit(arith::AddIOp::create(builder, place, token),
         arith::AddIOp::create(builder, first, token));
  });
}

/// Stops unless `rows` are exactly those of `count` blocks.
static void requireBlocks(NestBuilder &builder, Value rows, Value count,
                          int64_t blockSize, const Twine &message) {
  Value expected =
      arith::MulIOp::create(builder, count, builder.index(blockSize));
  builder.requireEqual(rows, expected, message);
}

void ember::emitLoops(NestBuilder &builder, GatherOp op) {
  // Between equal types elements are copied as they are.
  Type from = cast<MemRefType>(op.getSource().getType()).getElementType();
  Type to = cast<MemRefType>(op.getInit().getType()).getElementType();
  FloatType type = from == to ? cast<FloatType>(from)
                              : embed::getComputeType(op->getOperandTypes());
  StoredRows source(builder, op.getSource(), op.getFormatAttr(), type);
  Value length = builder.size(op.getInit(), 2);
  source.requireLength(length, "embed.gather");
  builder.sameSize(op.getInit(), 0, op.getBlocks(), 0,
                   "embed.gather: the result has not as many entries as there "
                   "are rows of blocks");
  requireBlocks(builder, builder.size(op.getInit(), 1),
                builder.size(op.getBlocks(), 1), op.getBlockSize(),
                "embed.gather: the result has no row for each gathered one");
  GatheredRows gathered(builder, op.getBlocks(), op.getBlockSize(),
                        op.getSource());
  builder.loop(builder.size(op.getBlocks(), 0), [&](Value block) {
    gathered.forEach(block, [&](Value place, Value row) {
      source.enter(row);
      source.forEach(length, [&](Value d) {
        builder.storeAs(source.element(d), op.getInit(), {block, place, d});
      });
    });
  });
}

/// Emits `emit` for each query row of a block: its number, and that within the
/// block.
static void
forEachQuery(NestBuilder &builder, Value block, int64_t blockSize,
             llvm::function_ref<void(Value query, Value token)> emit) {
  Value size = builder.index(blockSize);
  Value first = arith::MulIOp::create(builder, block, size);
  builder.loop(size, [&](Value token) {
    emit(arith::AddIOp::create(builder, first, token), token);
  });
}

void ember::emitLoops(NestBuilder &builder, BlockValuesOp op) {
  FloatType type = embed::getComputeType(op->getOperandTypes());
  Value length =
      builder.sameSize(op.getInit(), 1, op.getValues(), 1,
                       "embed.block_values: the rows of the result are not as "
                       "long as those of values");
  builder.sameSize(op.getInit(), 0, op.getScores(), 0,
                   "embed.block_values: there are not as many rows of the "
                   "result as of scores");
  requireBlocks(builder, builder.size(op.getScores(), 0),
                builder.size(op.getBlocks(), 0), op.getBlockSize(),
                "embed.block_values: scores do not fill the rows of blocks");
  requireBlocks(builder, builder.size(op.getScores(), 1),
                builder.size(op.getBlocks(), 1), op.getBlockSize(),
                "embed.block_values: there is no score for each gathered row");
  // The sums of all queries of a block are open at once, so that each block of
  // values is read once. They are kept in full precision.
  bool isWide =
      cast<MemRefType>(op.getInit().getType()).getElementType() == type;
  Value size = builder.index(op.getBlockSize());
  Value sums = op.getInit();
  if (!isWide)
    sums = builder.allocateScratch({size, length}, type, "rows of the result");
  RowAccumulator accumulator(builder, embed::Reduction::sum, sums, length,
                             builder.index(0), type);
  GatheredRows gathered(builder, op.getBlocks(), op.getBlockSize(),
                        op.getValues());
  builder.loop(builder.size(op.getBlocks(), 0), [&](Value block) {
    auto sumOf = [&](Value query, Value token) {
      return isWide ? query : token;
    };
    forEachQuery(builder, block, op.getBlockSize(),
                 [&](Value query, Value token) {
                   accumulator.begin(sumOf(query, token));
                 });
    gathered.forEachBlock(block, [&](Value place, Value first) {
      forEachQuery(
          builder, block, op.getBlockSize(), [&](Value query, Value token) {
            accumulator.resume(sumOf(query, token));
            gathered.forEachRow(place, first, [&](Value at, Value row) {
              Value score = builder.loadAs(type, op.getScores(), {query, at});
              accumulator.add(
                  /*isFirst=*/nullptr, /*isKept=*/nullptr, /*stored=*/nullptr,
                  [&](Value d) -> RowTerm {
                    return {builder.loadAs(type, op.getValues(), {row, d}),
                            score};
                  });
            });
          });
    });
    if (isWide)
      return;
    forEachQuery(
        builder, block, op.getBlockSize(), [&](Value query, Value token) {
          builder.loop(length, [&](Value d) {
            Value sum =
                memref::LoadOp::create(builder, sums, ValueRange{token, d});
            builder.storeAs(sum, op.getInit(), {query, d});
          });
        });
  });
  if (!isWide)
    memref::DeallocOp::create(builder, sums);
}
