//===- SimplifyStatement.cpp - What a statement computes twice ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing in a statement is written before its assignment, so that two accesses
// to one element are one value.
//
//===----------------------------------------------------------------------===//

#include "Statement.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace ember::cin;

static bool isExpression(Operation *op) {
  return isa<AccessOp, ApplyOp, CallOp, ExtentOp, LiteralOp, ReduceOp,
             StoredOp>(op);
}

//===----------------------------------------------------------------------===//
// Values of calls
//===----------------------------------------------------------------------===//

static TypedAttr getNumber(Value value) {
  auto literal = value.getDefiningOp<LiteralOp>();
  return literal ? literal.getValue() : TypedAttr();
}

/// What a conversion to a wider float and back leaves as it was; null if it is
/// something else.
static Value findRoundTrip(CallOp convert) {
  auto inner = convert.getOperands().front().getDefiningOp<CallOp>();
  if (!inner || !inner.getFunction().is("convert"))
    return {};
  Value original = inner.getOperands().front();
  auto narrow = dyn_cast<FloatType>(original.getType());
  auto wide = dyn_cast<FloatType>(inner.getType());
  bool isKept = narrow && wide && narrow.getWidth() < wide.getWidth() &&
                narrow == convert.getType();
  return isKept ? original : Value();
}

/// Another value that `call` is equal to, to the bit; null if there is none. An
/// annihilator is none: 0 times infinity is no 0.
static Value findValue(CallOp call) {
  Function function = call.getFunction();
  OperandRange operands = call.getOperands();
  if (function.is("convert"))
    return operands[0].getType() == call.getType() ? operands[0]
                                                   : findRoundTrip(call);
  if (function.chooses()) {
    if (operands[1] == operands[2])
      return operands[1];
    if (TypedAttr number = getNumber(operands[0]))
      return cast<IntegerAttr>(number).getValue().isZero() ? operands[2]
                                                           : operands[1];
    return {};
  }
  // Adding a zero changes the sign of another one.
  bool isExact = function.getBuiltin() && function.getArity() == 2 &&
                 function.takes(call.getType()) &&
                 !(function.is("add") && isa<FloatType>(call.getType()));
  if (isExact)
    for (const SpecialValue &special : function.getSpecial(call.getType()))
      for (unsigned operand : {0u, 1u})
        if (!special.result && special.isAt(operand) &&
            getNumber(operands[operand]) == special.value)
          return operands[1 - operand];
  if (!function.is("neg"))
    return {};
  auto inner = operands[0].getDefiningOp<CallOp>();
  return inner && inner.getFunction().is("neg") ? inner.getOperands().front()
                                                : Value();
}

/// Folds a call of literals, or of one that changes nothing. True if it did.
static bool simplifyCall(CallOp call) {
  if (Value value = findValue(call)) {
    call.replaceAllUsesWith(value);
    call.erase();
    return true;
  }
  SmallVector<TypedAttr> numbers =
      llvm::map_to_vector(call.getOperands(), getNumber);
  if (!llvm::all_of(numbers, [](TypedAttr number) { return !!number; }))
    return false;
  TypedAttr value = foldCall(call.getFunction(), numbers, call.getType());
  if (!value)
    return false;
  OpBuilder builder(call);
  Value literal =
      LiteralOp::create(builder, call.getLoc(), call.getType(), value);
  call.replaceAllUsesWith(literal);
  call.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Where values are computed
//===----------------------------------------------------------------------===//

/// Whether an access is in bounds wherever its indices are known: they are
/// variables without ranges.
static bool isInBounds(AccessOp access) {
  return llvm::all_of(access.getIndices(), [](Value index) {
    auto variable = dyn_cast<BlockArgument>(index);
    if (!variable)
      return false;
    auto forall = dyn_cast<ForallOp>(variable.getOwner()->getParentOp());
    return forall && !forall.getRanged()[variable.getArgNumber()];
  });
}

/// Moves what depends on no variable of `reduce` in front of it. What its
/// condition guards stays inside.
static void moveOut(ReduceOp reduce) {
  bool isGuarded = !!reduce.getYield().getCondition();
  for (Operation &op :
       llvm::make_early_inc_range(reduce.getBody()->without_terminator())) {
    auto access = dyn_cast<AccessOp>(op);
    bool mayMove = !isGuarded || isa<LiteralOp, ExtentOp>(op) ||
                   (access && isInBounds(access));
    bool isInvariant = true;
    op.walk([&](Operation *part) {
      for (Value operand : part->getOperands())
        isInvariant &=
            !reduce.getRegion().isAncestor(operand.getParentRegion()) ||
            op.isAncestor(operand.getParentBlock()->getParentOp());
    });
    if (mayMove && isInvariant)
      op.moveBefore(reduce);
  }
}

namespace {
/// Values by what computes them, in one region and those around it.
class KnownValues {
public:
  /// Whether `op` was computed before, and is replaced then.
  bool replace(Operation *op) {
    for (Operation *known : llvm::reverse(all))
      if (isSame(known, op)) {
        op->replaceAllUsesWith(known);
        return true;
      }
    all.push_back(op);
    return false;
  }
  size_t size() const { return all.size(); }
  /// Forgets what is not visible any more.
  void truncate(size_t count) { all.truncate(count); }

private:
  static bool isSame(Operation *a, Operation *b) {
    return a->getName() == b->getName() &&
           OperationEquivalence::isEquivalentTo(
               a, b, OperationEquivalence::IgnoreLocations);
  }

  SmallVector<Operation *> all;
};
} // namespace

static void share(Block &block, KnownValues &known) {
  size_t before = known.size();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        share(inner, known);
    if (isExpression(&op) && known.replace(&op))
      op.erase();
  }
  known.truncate(before);
}

void ember::cin::simplifyStatement(ForallOp statement) {
  statement.walk([](CallOp call) { (void)simplifyCall(call); });
  statement.walk([](ReduceOp reduce) { moveOut(reduce); });
  KnownValues known;
  share(*statement.getBody(), known);
  // Reductions last, of which what they used is dead then.
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> dead;
    statement.walk([&](Operation *op) {
      if (isExpression(op) && op->use_empty())
        dead.push_back(op);
    });
    for (Operation *op : dead) {
      // One may stand in another.
      bool isInOther = llvm::any_of(dead, [&](Operation *other) {
        return other != op && other->isProperAncestor(op);
      });
      if (isInOther)
        continue;
      op->erase();
      changed = true;
    }
  }
}
