//===- ScoreToSCF.cpp - Scores of triples as loops ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ember;
using ember::embed::ScoreModel;
using ember::embed::ScoreOp;

namespace {
/// The loops of one operation.
class Scores {
public:
  Scores(NestBuilder &builder, ScoreOp op);

  void emit();

private:
  /// A row of entities or relations.
  struct Row {
    Value memref, number;
  };
  Value load(Row row, Value position) {
    return builder.loadAs(type, row.memref, {row.number, position});
  }
  Value loadImaginary(Row row, Value position);
  Value emitScore(Row head, Row relation, Row tail);
  Value translate(Row head, Row relation, Row tail);
  Value multiply(Row head, Row relation, Row tail);
  Value multiplyComplex(Row head, Row relation, Row tail);
  Value rotate(Row head, Row relation, Row tail);

  NestBuilder &builder;
  ScoreOp op;
  FloatType type;
  /// Elements of a row; of complex numbers, how many there are.
  Value length;
};
} // namespace

Scores::Scores(NestBuilder &builder, ScoreOp op)
    : builder(builder), op(op),
      type(embed::getComputeType(op->getOperandTypes())) {
  Value entity = builder.size(op.getEntities(), 1);
  Value relation = builder.size(op.getRelations(), 1);
  ScoreModel model = op.getModel();
  length = entity;
  if (model == ScoreModel::complex || model == ScoreModel::rotate) {
    Value one = builder.index(1);
    length = arith::ShRUIOp::create(builder, entity, one);
    builder.requireEqual(arith::ShLIOp::create(builder, length, one), entity,
                         "embed.score: rows of complex numbers must be of even "
                         "length");
  }
  builder.requireEqual(relation, model == ScoreModel::rotate ? length : entity,
                       "embed.score: the rows of entities and relations do not "
                       "fit together in length");
  Value triples = builder.size(op.getHeads(), 0);
  builder.requireEqual(builder.size(op.getTypes(), 0), triples,
                       "embed.score: there are not as many types as heads");
  builder.requireEqual(builder.size(op.getInit(), 0), triples,
                       "embed.score: there are not as many scores as heads");
  if (op.getTails())
    builder.requireEqual(builder.size(op.getTails(), 0), triples,
                         "embed.score: there are not as many tails as heads");
  else
    builder.sameSize(op.getInit(), 1, op.getEntities(), 0,
                     "embed.score: there are not as many columns of scores as "
                     "entities");
}

/// Imaginary parts stand behind all real ones.
Value Scores::loadImaginary(Row row, Value position) {
  return load(row, arith::AddIOp::create(builder, position, length));
}

Value Scores::translate(Row head, Row relation, Row tail) {
  bool isSquared = op.getNorm() == 2;
  Value sum = builder.sum(length, type, [&](Value d) -> Value {
    Value moved =
        arith::AddFOp::create(builder, load(head, d), load(relation, d));
    Value difference = arith::SubFOp::create(builder, moved, load(tail, d));
    if (isSquared)
      return arith::MulFOp::create(builder, difference, difference);
    return math::AbsFOp::create(builder, difference);
  });
  Value norm = isSquared ? math::SqrtOp::create(builder, sum) : sum;
  return arith::NegFOp::create(builder, norm);
}

Value Scores::multiply(Row head, Row relation, Row tail) {
  return builder.sum(length, type, [&](Value d) -> Value {
    Value product =
        arith::MulFOp::create(builder, load(head, d), load(relation, d));
    return arith::MulFOp::create(builder, product, load(tail, d));
  });
}

/// Re((a + bi)(c + di)(e - fi)) = (ac - bd) e + (ad + bc) f.
Value Scores::multiplyComplex(Row head, Row relation, Row tail) {
  return builder.sum(length, type, [&](Value d) -> Value {
    Value a = load(head, d), b = loadImaginary(head, d);
    Value c = load(relation, d), e = loadImaginary(relation, d);
    auto times = [&](Value x, Value y) -> Value {
      return arith::MulFOp::create(builder, x, y);
    };
    Value real = arith::SubFOp::create(builder, times(a, c), times(b, e));
    Value imaginary = arith::AddFOp::create(builder, times(a, e), times(b, c));
    return arith::AddFOp::create(builder, times(real, load(tail, d)),
                                 times(imaginary, loadImaginary(tail, d)));
  });
}

/// The head's numbers turned by the relation's angles, minus the tail's.
Value Scores::rotate(Row head, Row relation, Row tail) {
  bool isSquared = op.getNorm() == 2;
  Value sum = builder.sum(length, type, [&](Value d) -> Value {
    auto times = [&](Value x, Value y) -> Value {
      return arith::MulFOp::create(builder, x, y);
    };
    Value a = load(head, d), b = loadImaginary(head, d);
    Value angle = load(relation, d);
    Value cosine =
        math::CosOp::create(builder, angle, arith::FastMathFlags::afn);
    Value sine = math::SinOp::create(builder, angle, arith::FastMathFlags::afn);
    Value real = arith::SubFOp::create(
        builder,
        arith::SubFOp::create(builder, times(a, cosine), times(b, sine)),
        load(tail, d));
    Value imaginary = arith::SubFOp::create(
        builder,
        arith::AddFOp::create(builder, times(a, sine), times(b, cosine)),
        loadImaginary(tail, d));
    Value square = arith::AddFOp::create(builder, times(real, real),
                                         times(imaginary, imaginary));
    if (isSquared)
      return square;
    return math::SqrtOp::create(builder, square);
  });
  Value norm = isSquared ? math::SqrtOp::create(builder, sum) : sum;
  return arith::NegFOp::create(builder, norm);
}

Value Scores::emitScore(Row head, Row relation, Row tail) {
  switch (op.getModel()) {
  case ScoreModel::transe:
    return translate(head, relation, tail);
  case ScoreModel::distmult:
    return multiply(head, relation, tail);
  case ScoreModel::complex:
    return multiplyComplex(head, relation, tail);
  case ScoreModel::rotate:
    return rotate(head, relation, tail);
  }
  llvm_unreachable("all cases are covered");
}

void Scores::emit() {
  builder.loop(builder.size(op.getHeads(), 0), [&](Value triple) {
    Row head{op.getEntities(), builder.loadIndex(op.getHeads(), triple)};
    Row relation{op.getRelations(), builder.loadIndex(op.getTypes(), triple)};
    if (op.getTails()) {
      Row tail{op.getEntities(), builder.loadIndex(op.getTails(), triple)};
      builder.storeAs(emitScore(head, relation, tail), op.getInit(), triple);
      return;
    }
    builder.loop(builder.size(op.getEntities(), 0), [&](Value entity) {
      Row tail{op.getEntities(), entity};
      builder.storeAs(emitScore(head, relation, tail), op.getInit(),
                      {triple, entity});
    });
  });
}

void ember::emitLoops(NestBuilder &builder, ScoreOp op) {
  Scores(builder, op).emit();
}
