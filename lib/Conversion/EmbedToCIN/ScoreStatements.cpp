//===- ScoreStatements.cpp - Scores of triples as statements --------------===//
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
using ember::embed::ScoreModel;
using ember::embed::ScoreOp;

namespace {
/// The statement of one operation.
class Scores {
public:
  explicit Scores(ScoreOp op);

  void write();

private:
  /// A row of entities or relations.
  struct Row {
    Value array, number;
  };
  void requireSizes();
  Value element(Row row, Value position) {
    return builder.accessAs(type, row.array, {row.number, position});
  }
  Value imaginary(Row row, Value position);
  /// A sum over the elements of rows; of complex numbers, over these.
  Value sum(llvm::function_ref<Value(Value)> term);
  Value norm(bool isRooted, llvm::function_ref<Value(Value)> term);
  Value score(Row head, Row relation, Row tail);
  Value translate(Row head, Row relation, Row tail);
  Value multiply(Row head, Row relation, Row tail);
  Value multiplyComplex(Row head, Row relation, Row tail);
  Value rotate(Row head, Row relation, Row tail);

  bool isComplex() {
    return op.getModel() == ScoreModel::complex ||
           op.getModel() == ScoreModel::rotate;
  }
  Value times(Value x, Value y) { return builder.call("mul", {x, y}); }
  Value plus(Value x, Value y) { return builder.call("add", {x, y}); }
  Value minus(Value x, Value y) { return builder.call("sub", {x, y}); }

  ScoreOp op;
  StatementBuilder builder;
  FloatType type;
  /// How many complex numbers a row holds; null if it holds real ones.
  Value length;
};
} // namespace

Scores::Scores(ScoreOp op)
    : op(op), builder(op, {{"entities", op.getEntities()},
                           {"relations", op.getRelations()},
                           {"heads", op.getHeads()},
                           {"types", op.getTypes()},
                           {"tails", op.getTails()}}),
      type(embed::getComputeType(op->getOperandTypes())) {}

void Scores::requireSizes() {
  StringRef fitting = "embed.score: the rows of entities and relations do not "
                      "fit together in length";
  if (isComplex()) {
    Value entity = builder.size(op.getEntities(), 1);
    Value one = builder.constant(1);
    Value half = arith::ShRUIOp::create(builder.before(), entity, one);
    Value whole = arith::ShLIOp::create(builder.before(), half, one);
    builder.requireEqual(whole, entity,
                         "embed.score: rows of complex numbers must be of even "
                         "length");
    bool isRotated = op.getModel() == ScoreModel::rotate;
    builder.requireEqual(builder.size(op.getRelations(), 1),
                         isRotated ? half : entity, fitting);
    length = builder.scalar("length", half);
  } else {
    builder.requireSameSize(op.getEntities(), 1, op.getRelations(), 1, fitting);
  }
  builder.requireSameSize(op.getHeads(), 0, op.getTypes(), 0,
                          "embed.score: there are not as many types as heads");
  builder.requireSameSize(op.getHeads(), 0, op.getInit(), 0,
                          "embed.score: there are not as many scores as heads");
  if (op.getTails())
    builder.requireSameSize(
        op.getHeads(), 0, op.getTails(), 0,
        "embed.score: there are not as many tails as heads");
  else
    builder.requireSameSize(op.getEntities(), 0, op.getInit(), 1,
                            "embed.score: there are not as many columns of "
                            "scores as entities");
}

/// Imaginary parts stand behind all real ones.
Value Scores::imaginary(Row row, Value position) {
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  return element(row, builder.apply(d0 + d1, {position, length}));
}

Value Scores::sum(llvm::function_ref<Value(Value)> term) {
  StatementBuilder::Variable position{"d"};
  if (length)
    position = {"d", builder.literal(0), length};
  return builder.reduce("add", position, type, [&](ValueRange variables) {
    return term(variables.front());
  });
}

Value Scores::norm(bool isRooted, llvm::function_ref<Value(Value)> term) {
  Value length = sum(term);
  return builder.call("neg", isRooted ? builder.call("sqrt", length) : length);
}

Value Scores::translate(Row head, Row relation, Row tail) {
  bool isSquared = op.getNorm() == 2;
  return norm(isSquared, [&](Value d) {
    Value moved = plus(element(head, d), element(relation, d));
    Value difference = minus(moved, element(tail, d));
    return isSquared ? times(difference, difference)
                     : builder.call("abs", difference);
  });
}

Value Scores::multiply(Row head, Row relation, Row tail) {
  return sum([&](Value d) {
    Value product = times(element(head, d), element(relation, d));
    return times(product, element(tail, d));
  });
}

/// Re((a + bi)(c + di)(e - fi)) = (ac - bd) e + (ad + bc) f.
Value Scores::multiplyComplex(Row head, Row relation, Row tail) {
  return sum([&](Value d) {
    Value a = element(head, d), b = imaginary(head, d);
    Value c = element(relation, d), e = imaginary(relation, d);
    Value real = minus(times(a, c), times(b, e));
    Value turned = plus(times(a, e), times(b, c));
    return plus(times(real, element(tail, d)),
                times(turned, imaginary(tail, d)));
  });
}

/// The head's numbers turned by the relation's angles, minus the tail's.
Value Scores::rotate(Row head, Row relation, Row tail) {
  bool isSquared = op.getNorm() == 2;
  return norm(isSquared, [&](Value d) {
    Value a = element(head, d), b = imaginary(head, d);
    Value angle = element(relation, d);
    Value cosine = builder.approximate("cos", angle);
    Value sine = builder.approximate("sin", angle);
    Value real =
        minus(minus(times(a, cosine), times(b, sine)), element(tail, d));
    Value turned =
        minus(plus(times(a, sine), times(b, cosine)), imaginary(tail, d));
    Value square = plus(times(real, real), times(turned, turned));
    return isSquared ? square : builder.call("sqrt", square);
  });
}

Value Scores::score(Row head, Row relation, Row tail) {
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

void Scores::write() {
  requireSizes();
  auto writeScore = [&](Value triple, Value entity) {
    Row head{op.getEntities(), builder.access(op.getHeads(), triple)};
    Row relation{op.getRelations(), builder.access(op.getTypes(), triple)};
    SmallVector<Value> place = {triple};
    if (entity)
      place.push_back(entity);
    else
      entity = builder.access(op.getTails(), triple);
    Value value = score(head, relation, {op.getEntities(), entity});
    builder.assign(value, op.getInit(), place);
  };
  if (op.getTails())
    builder.forall({{"q"}}, [&](ValueRange variables) {
      writeScore(variables[0], nullptr);
    });
  else
    builder.forall({{"q"}, {"t"}}, [&](ValueRange variables) {
      writeScore(variables[0], variables[1]);
    });
  builder.replace(op);
}

void ember::writeStatements(ScoreOp op) { Scores(op).write(); }
