//===- ApproximateTrigonometry.cpp - Sines and cosines of vectors ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C library has sines of single numbers only. Angles are brought to within
// a quarter turn of a multiple of a half one by subtracting pi / 2 in three
// parts, and polynomials for both functions are chosen from by quadrant.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_APPROXIMATETRIGONOMETRY
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// The functions of one angle, in one block.
struct Functions {
  math::SinOp sine;
  math::CosOp cosine;

  Operation *first() {
    if (!sine || !cosine)
      return sine ? sine.getOperation() : cosine.getOperation();
    return sine->isBeforeInBlock(cosine) ? sine.getOperation()
                                         : cosine.getOperation();
  }
};

/// Builds sine and cosine of vectors of f32.
class Approximation : LaneCode {
public:
  Approximation(OpBuilder &builder, Location loc, Value angle)
      : LaneCode(builder, loc, cast<VectorType>(angle.getType())),
        angle(angle) {}

  /// Whether some lane is too far from zero, infinite or no number.
  Value isAnyFar();
  std::pair<Value, Value> getSineAndCosine();

private:
  Value inQuadrant(Value quadrant, Value even, Value odd);

  Value angle;
};

struct ApproximateTrigonometry
    : impl::ApproximateTrigonometryBase<ApproximateTrigonometry> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Up to here, what is left of an angle is right to the last bits.
static constexpr float farthest = 10000;

Value Approximation::isAnyFar() {
  Value size = math::AbsFOp::create(builder, angle);
  return vector::ReductionOp::create(builder, vector::CombiningKind::OR,
                                     compare(Predicate::UGT, size, farthest));
}

/// `even` or `odd` as the lowest bit of the quadrant says, negated as the next
/// one does.
Value Approximation::inQuadrant(Value quadrant, Value even, Value odd) {
  Value bit = arith::AndIOp::create(builder, quadrant, integer(1));
  Value isOdd =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, bit, integer(0));
  Value chosen = select(isOdd, odd, even);
  // The sign of a float is its highest bit.
  Value sign = arith::ShLIOp::create(
      builder, arith::AndIOp::create(builder, quadrant, integer(2)),
      integer(30));
  return fromBits(arith::XOrIOp::create(builder, bits(chosen), sign));
}

std::pair<Value, Value> Approximation::getSineAndCosine() {
  Value turns = math::RoundEvenOp::create(
      builder, multiply(angle, constant(0x1.45f306p-1f)));
  // pi / 2 as the sum of three floats.
  Value rest = multiplyAdd(turns, constant(-0x1.921fb4p+0f), angle);
  rest = multiplyAdd(turns, constant(-0x1.4442d0p-24f), rest);
  rest = multiplyAdd(turns, constant(-0x1.84698ap-48f), rest);

  // Minimax polynomials within an eighth of a turn around zero.
  Value square = multiply(rest, rest);
  Value sine = polynomial(
      square, {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f});
  sine = multiplyAdd(multiply(square, rest), sine, rest);
  Value cosine =
      polynomial(square, {2.443315711809948e-5f, -1.388731625493765e-3f,
                          4.166664568298827e-2f, -0.5f, 1.0f});

  Value quadrant = arith::FPToSIOp::create(builder, integers, turns);
  Value next = arith::AddIOp::create(builder, quadrant, integer(1));
  return {inQuadrant(quadrant, sine, cosine), inQuadrant(next, sine, cosine)};
}

/// The functions that may be approximated, by angle and block.
static llvm::MapVector<std::pair<Value, Block *>, Functions>
findFunctions(func::FuncOp function) {
  llvm::MapVector<std::pair<Value, Block *>, Functions> found;
  function.walk([&](arith::ArithFastMathInterface op) {
    if (!isa<math::SinOp, math::CosOp>(op) ||
        !bitEnumContainsAll(op.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::afn))
      return;
    Value angle = op->getOperand(0);
    VectorType type = LaneCode::getLanes(op);
    if (!type || type.getRank() != 1)
      return;
    Functions &functions = found[{angle, op->getBlock()}];
    if (auto sine = dyn_cast<math::SinOp>(*op))
      functions.sine = sine;
    else
      functions.cosine = cast<math::CosOp>(*op);
  });
  return found;
}

void ApproximateTrigonometry::runOnOperation() {
  for (auto &[place, functions] : findFunctions(getOperation())) {
    Operation *first = functions.first();
    // Of a function of another one, that has been replaced meanwhile.
    Value angle = first->getOperand(0);
    OpBuilder builder(first);
    Location loc = first->getLoc();
    Value isFar = Approximation(builder, loc, angle).isAnyFar();
    auto choice = scf::IfOp::create(
        builder, loc, isFar,
        [&](OpBuilder &inner, Location) {
          Value sine = math::SinOp::create(inner, loc, angle);
          Value cosine = math::CosOp::create(inner, loc, angle);
          scf::YieldOp::create(inner, loc, ValueRange{sine, cosine});
        },
        [&](OpBuilder &inner, Location) {
          auto [sine, cosine] =
              Approximation(inner, loc, angle).getSineAndCosine();
          scf::YieldOp::create(inner, loc, ValueRange{sine, cosine});
        });
    if (functions.sine) {
      functions.sine.replaceAllUsesWith(choice.getResult(0));
      functions.sine.erase();
    }
    if (functions.cosine) {
      functions.cosine.replaceAllUsesWith(choice.getResult(1));
      functions.cosine.erase();
    }
    ++approximated;
  }
}

} // namespace ember::loops
