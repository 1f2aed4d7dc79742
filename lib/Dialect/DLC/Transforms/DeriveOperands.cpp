//===- DeriveOperands.cpp - Do not send what can be worked out ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %q = new_tu %c0 to %n                  %q = new_tu %c0 to %n
//   %s = new_tu %c0 to %c4 in %q           %s = new_tu %c0 to %c4 in %q
//   %a = get_ind_var %q                    register_callback %s, ite, 0
//   register_callback %s, ite, 0       =>  case 0 {
//   register_operand %s, ite, %a for 0     ^bb0(%i, %a):
//   case 0 {                                 use %a
//     %x = pop_operand                       yield %i + 1, %a, or
//     use %x }                                     0, %a + 1 if that is %c4 }
//
//===----------------------------------------------------------------------===//

#include "ComputeLoopEditing.h"
#include "NestPosition.h"
#include "ScalarOperands.h"

#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember::dlc {
#define GEN_PASS_DEF_DERIVEOPERANDS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// The scalar operands that a case pops in its own body, one of each lane.
static SmallVector<ScalarOperand> collectScalars(const CaseParts &parts) {
  SmallVector<ScalarOperand> scalars;
  for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops))
    if (std::optional<ScalarOperand> scalar = ScalarOperand::of(push, pop);
        scalar && !scalar->lane && pop->getBlock() == parts.body)
      scalars.push_back(*scalar);
  return scalars;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Counts what is known of the iteration a token is from. Returns how many
/// operands need not be sent.
static unsigned countPositions(ComputeLoopOp &loop, size_t number) {
  CaseParts parts = collectCases(loop)[number];
  std::optional<Pushes> pushes = Pushes::of(parts.callback);
  if (!pushes)
    return 0;
  NestPosition position(loop.getProgram(), *pushes);
  SmallVector<ScalarOperand> known = collectScalars(parts);
  llvm::erase_if(known, [&](ScalarOperand &scalar) {
    return !position.request(scalar.stream);
  });
  if (known.empty())
    return 0;
  unsigned registers = position.getNumRegisters();
  Builder types(loop.getContext());
  addRegisters(loop, SmallVector<Type>(registers, types.getIndexType()));
  position.begin(parts.body->getArguments());
  auto builder = OpBuilder::atBlockBegin(parts.body);
  SmallVector<Value> elements;
  for (ScalarOperand &scalar : known)
    elements.push_back(position.emit(builder, scalar.stream));
  for (auto [scalar, element] : llvm::zip_equal(known, elements))
    scalar.replace(element);
  Operation *yield = parts.body->getTerminator();
  OpBuilder atEnd(yield), before(loop);
  yield->setOperands(yield->getNumOperands() - registers, registers,
                     position.emitNext(atEnd, before));
  return known.size();
}

//===----------------------------------------------------------------------===//
// What is sent twice
//===----------------------------------------------------------------------===//

/// A stream with the elements of `stream` wherever `pushes` says.
static Value getSameElements(Value stream, Pushes pushes) {
  auto visited = stream.getDefiningOp<GetIndVarOp>();
  bool isFirst = visited && pushes.first &&
                 visited.getTu() == pushes.first.getResult() &&
                 !pushes.first.getVectorLength();
  return isFirst ? pushes.first.getLowerBound() : stream;
}

/// The scalar that the case reads from an operand.
static Value readScalar(ScalarOperand &scalar) {
  Value popped = scalar.pop.getResult();
  if (!scalar.isPadded)
    return popped;
  OpBuilder builder(scalar.pop.getContext());
  builder.setInsertionPointAfterValue(popped);
  return vector::ExtractOp::create(builder, scalar.pop.getLoc(), popped,
                                   int64_t(0));
}

static unsigned sendOnce(const CaseParts &parts) {
  Pushes pushes = Pushes::of(parts.callback).value_or(Pushes());
  llvm::MapVector<Value, ScalarOperand> sent;
  unsigned dropped = 0;
  for (ScalarOperand &scalar : collectScalars(parts)) {
    auto [first, isNew] =
        sent.insert({getSameElements(scalar.stream, pushes), scalar});
    // A type other than the stream's would have to be converted.
    if (isNew || first->second.type != scalar.type)
      continue;
    scalar.replace(readScalar(first->second));
    ++dropped;
  }
  return dropped;
}

//===----------------------------------------------------------------------===//
// Two of which only one thing matters
//===----------------------------------------------------------------------===//

static std::optional<slc::AluOp> getOpcode(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<slc::AluOp>>(op)
      .Case([](arith::AddIOp) { return slc::AluOp::add; })
      .Case([](arith::SubIOp) { return slc::AluOp::sub; })
      .Case([](arith::MulIOp) { return slc::AluOp::mul; })
      .Default(std::nullopt);
}

/// What is done with `left` and `right` where nothing else is, such as the
/// length of a segment; null if there is no such operation.
static Operation *getOnlyUse(ScalarOperand &left, ScalarOperand &right) {
  auto read = [](ScalarOperand &scalar) -> Value {
    Value popped = scalar.pop.getResult();
    if (!scalar.isPadded)
      return popped;
    return popped.hasOneUse() ? popped.getUsers().begin()->getResult(0)
                              : Value();
  };
  Value a = read(left), b = read(right);
  if (!a || !b || a == b || !a.hasOneUse() || !b.hasOneUse() ||
      left.type != right.type ||
      left.push.getEvent() != right.push.getEvent() ||
      left.push.getTu() != right.push.getTu())
    return nullptr;
  Operation *user = *a.getUsers().begin();
  bool both = user->getNumOperands() == 2 && user->getOperand(0) == a &&
              user->getOperand(1) == b;
  return both && getOpcode(user) ? user : nullptr;
}

/// Lets the access unit compute `user`, and sends the result.
static void sendResult(Operation *user, ScalarOperand &left,
                       ScalarOperand &right) {
  // The units that streams advance with are nested in each other, and the
  // later push stands behind both.
  bool leftIsLast = right.push->isBeforeInBlock(left.push);
  ScalarOperand &last = leftIsLast ? left : right;
  Value unit = left.stream.getDefiningOp()->getOperand(0);
  Value other = right.stream.getDefiningOp()->getOperand(0);
  if (unit.getDefiningOp()->isBeforeInBlock(other.getDefiningOp()))
    unit = other;
  OpBuilder builder(last.push), compute(last.pop);
  Location loc = user->getLoc();
  Value result = AluStrOp::create(builder, loc, left.stream.getType(), unit,
                                  *getOpcode(user), left.stream, right.stream);
  if (last.isPadded)
    result = FwdStrOp::create(builder, loc, last.push.getStream().getType(),
                              unit, result);
  RegisterOperandOp::create(builder, loc, last.push.getTu(),
                            last.push.getEvent(), result,
                            /*lane=*/IntegerAttr(), last.push.getId());
  Value popped = PopOperandOp::create(compute, loc,
                                      last.pop.getResult().getType(), Value());
  if (last.isPadded)
    popped = vector::ExtractOp::create(compute, loc, popped, int64_t(0));
  user->getResult(0).replaceAllUsesWith(popped);
  user->erase();
  left.replace(popped);
  right.replace(popped);
}

static unsigned sendResults(ComputeLoopOp loop, size_t number) {
  for (unsigned sent = 0;; ++sent) {
    CaseParts parts = collectCases(loop)[number];
    SmallVector<ScalarOperand> scalars = collectScalars(parts);
    Operation *user = nullptr;
    for (ScalarOperand &left : scalars)
      for (ScalarOperand &right : scalars)
        if (!user && (user = getOnlyUse(left, right)))
          sendResult(user, left, right);
    if (!user)
      return sent;
  }
}

namespace {
struct DeriveOperands : public dlc::impl::DeriveOperandsBase<DeriveOperands> {
  using DeriveOperandsBase::DeriveOperandsBase;

  void runOnOperation() override {
    for (ProgramOp program : getNumberedPrograms(getOperation())) {
      ComputeLoopOp loop = program.getComputeLoop();
      for (size_t i = 0, e = loop.getCases().size(); i != e; ++i) {
        operands += countPositions(loop, i);
        operands += sendOnce(collectCases(loop)[i]);
        operands += sendResults(loop, i);
      }
    }
  }
};
} // namespace
