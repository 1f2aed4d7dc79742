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
using ember::embed::BlockValuesOp;
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
  bool isCopy = from == to && !op.getFormat();
  Type type =
      isCopy ? from : Type(embed::getComputeType(op->getOperandTypes()));
  builder.readRows(op.getSource(), op.getFormatAttr(),
                   embed::getComputeType(op->getOperandTypes()), op.getInit(),
                   2,
                   "embed.gather: the rows of the table are not as long as the "
                   "result needs");
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
  builder.replace(op);
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
  builder.replace(op);
}

void ember::writeStatements(BlockValuesOp op) {
  StatementBuilder builder(op, {{"scores", op.getScores()},
                                {"values", op.getValues()},
                                {"blocks", op.getBlocks()}});
  FloatType type = embed::getComputeType(op->getOperandTypes());
  int64_t size = op.getBlockSize();
  Value init = op.getInit();
  builder.requireSameSize(init, 1, op.getValues(), 1,
                          "embed.block_values: the rows of the result are not "
                          "as long as those of values");
  builder.requireSameSize(init, 0, op.getScores(), 0,
                          "embed.block_values: there are not as many rows of "
                          "the result as of scores");
  requireBlocks(builder, builder.size(op.getScores(), 0), op.getBlocks(), 0,
                size,
                "embed.block_values: scores do not fill the rows of blocks");
  requireBlocks(builder, builder.size(op.getScores(), 1), op.getBlocks(), 1,
                size,
                "embed.block_values: there is no score for each gathered row");
  Value none, all;
  // The sums of all queries of a block are open at once, so that each block of
  // values is read once.
  auto add = [&](Value i, Value sums) {
    bool isResult = sums == init;
    auto rowIn = [&](Value s) {
      return isResult ? rowOf(builder, i, s, size) : s;
    };
    builder.forall({{"s", none, all}}, [&](ValueRange s) {
      builder.forall({{"e"}}, [&](ValueRange e) {
        builder.assign(builder.literal(type, 0), sums, {rowIn(s[0]), e[0]});
      });
    });
    builder.forall({{"j"}}, [&](ValueRange j) {
      Value block = builder.access(op.getBlocks(), {i, j[0]});
      builder.forall({{"s", none, all}, {"t", none, all}}, [&](ValueRange st) {
        Value at = rowOf(builder, j[0], st[1], size);
        Value row = rowOf(builder, block, st[1], size);
        Value query = rowOf(builder, i, st[0], size);
        Value score = builder.accessAs(type, op.getScores(), {query, at});
        builder.forall({{"e"}}, [&](ValueRange e) {
          Value value = builder.accessAs(type, op.getValues(), {row, e[0]});
          builder.assignInOrder(builder.times(value, score), sums,
                                {rowIn(st[0]), e[0]}, "add");
        });
      });
    });
  };
  // They are kept in full precision.
  bool isWide = getElementTypeOrSelf(init.getType()) == type;
  builder.forall({{"i"}}, [&](ValueRange i) {
    none = builder.literal(0);
    all = builder.literal(size);
    if (isWide) {
      add(i[0], init);
      return;
    }
    auto store = [&](Value sums) {
      builder.forall({{"s", none, all}}, [&](ValueRange s) {
        builder.forall({{"e"}}, [&](ValueRange e) {
          builder.assign(builder.access(sums, {s[0], e[0]}), init,
                         {rowOf(builder, i[0], s[0], size), e[0]});
        });
      });
    };
    builder.where(
        type, {{nullptr, size}, {init, 1}},
        [&](Value sums) { add(i[0], sums); }, store);
  });
  builder.replace(op);
}
