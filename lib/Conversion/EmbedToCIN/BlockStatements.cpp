//===- BlockStatements.cpp - Gathered blocks as statements ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"
#include "ember/Conversion/EmbedToCIN/Statements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember;
using ember::embed::BlockScoresOp;
using ember::embed::GatherOp;

/// The number of a row: that of its block times the rows of a block, and its
/// place in the block.
static Value rowOf(StatementBuilder &builder, Value block, Value place,
                   int64_t blockSize) {
  return builder.apply(builder.getAffineDimExpr(0) * blockSize +
                           builder.getAffineDimExpr(1),
                       {block, place});
}

/// Stops unless `rows` are exactly those of the blocks that a dimension of
/// `blocks` has.
static void requireBlocks(StatementBuilder &builder, Value rows, Value blocks,
                          int64_t dimension, int64_t blockSize,
                          const Twine &message) {
  Value expected =
      arith::MulIOp::create(builder.before(), builder.size(blocks, dimension),
                            builder.constant(blockSize));
  builder.requireEqual(rows, expected, message);
}

void ember::writeStatements(GatherOp op) {
  StatementBuilder builder(
      op, {{"source", op.getSource()}, {"blocks", op.getBlocks()}});
  // Between equal types elements are copied as they are.
  Type from = getElementTypeOrSelf(op.getSource().getType());
  Type to = getElementTypeOrSelf(op.getInit().getType());
  Type type =
      from == to ? from : Type(embed::getComputeType(op->getOperandTypes()));
  builder.requireSameSize(op.getInit(), 2, op.getSource(), 1,
                          "embed.gather: the rows of the table are not as long "
                          "as the result needs");
  builder.requireSameSize(op.getBlocks(), 0, op.getInit(), 0,
                          "embed.gather: the result has not as many entries as "
                          "there are rows of blocks");
  int64_t size = op.getBlockSize();
  requireBlocks(builder, builder.size(op.getInit(), 1), op.getBlocks(), 1, size,
                "embed.gather: the result has no row for each gathered one");
  builder.forall({{"i"}, {"j"}}, [&](ValueRange ij) {
    Value block = builder.access(op.getBlocks(), ij);
    builder.forall({{"t", builder.literal(0), builder.literal(size)}, {"e"}},
                   [&](ValueRange te) {
                     Value row = rowOf(builder, block, te[0], size);
                     Value place = rowOf(builder, ij[1], te[0], size);
                     builder.assign(
                         builder.accessAs(type, op.getSource(), {row, te[1]}),
                         op.getInit(), {ij[0], place, te[1]});
                   });
  });
  builder.finish();
}

void ember::writeStatements(BlockScoresOp op) {
  StatementBuilder builder(op, {{"queries", op.getQueries()},
                                {"keys", op.getKeys()},
                                {"blocks", op.getBlocks()},
                                {"scale", op.getScale()}});
  FloatType type = embed::getComputeType(op->getOperandTypes());
  int64_t size = op.getBlockSize();
  builder.requireSameSize(
      op.getQueries(), 1, op.getKeys(), 1,
      "embed.block_scores: queries and keys differ in length");
  builder.requireSameSize(op.getInit(), 0, op.getQueries(), 0,
                          "embed.block_scores: there are not as many rows of "
                          "scores as queries");
  requireBlocks(builder, builder.size(op.getQueries(), 0), op.getBlocks(), 0,
                size,
                "embed.block_scores: queries do not fill the rows of blocks");
  requireBlocks(builder, builder.size(op.getInit(), 1), op.getBlocks(), 1, size,
                "embed.block_scores: there is no score for each gathered key");
  // All queries of a block with one block of keys, which is read once.
  builder.forall({{"i"}, {"j"}}, [&](ValueRange ij) {
    Value block = builder.access(op.getBlocks(), ij);
    Value none = builder.literal(0), all = builder.literal(size);
    builder.forall({{"s", none, all}, {"t", none, all}}, [&](ValueRange st) {
      Value query = rowOf(builder, ij[0], st[0], size);
      Value key = rowOf(builder, block, st[1], size);
      Value score = builder.reduce("add", {{"d"}}, type, [&](ValueRange d) {
        Value x = builder.accessAs(type, op.getQueries(), {query, d[0]});
        Value y = builder.accessAs(type, op.getKeys(), {key, d[0]});
        return builder.call("mul", {x, y});
      });
      if (Value scale = op.getScale())
        score =
            builder.times(score, builder.convert(builder.getName(scale), type));
      builder.assign(score, op.getInit(),
                     {query, rowOf(builder, ij[1], st[1], size)});
    });
  });
  builder.finish();
}
