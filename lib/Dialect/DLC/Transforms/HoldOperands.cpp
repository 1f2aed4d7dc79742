//===- HoldOperands.cpp - Send what stays once ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   register_callback %e, end, 0         register_callback %e, end, 0
//       announced                            announced on same %v
//   register_operand %e, ite, %left      register_operand %e, ite, %right for 0
//       for 0                         => register_callback %e, end, 1
//   register_operand %e, ite, %right         announced on %v
//       for 0                            register_operand %e, ite, %left for 1
//                                        register_operand %e, ite, %right for 1
//   case 0 { for %k {                    case 0 { for %k {
//     %l = pop_operand                     %l = load %held[%k]
//     %r = pop_operand } }                 %r = pop_operand } }
//                                        case 1 { for %k {
//                                          %l = pop_operand
//                                          store %l, %held[%k]
//                                          %r = pop_operand } }
//
//===----------------------------------------------------------------------===//

#include "ComputeLoopEditing.h"
#include "ScalarOperands.h"

#include "ember/Analysis/StreamAdvance.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ember::dlc {
#define GEN_PASS_DEF_HOLDOPERANDS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

namespace {
/// An operand that the execute unit can do without from the second iteration
/// on.
struct HeldOperand {
  RegisterOperandOp push;
  PopOperandOp pop;
  /// The type of the register; null if the operand is the element of a row,
  /// which memory holds.
  Type type;
  /// By how much the register grows in each iteration.
  int64_t advance = 0;
  /// What the register begins with, if that is fixed; null if it is sent.
  Value start;
  /// A scalar that queue alignment has padded to a vector.
  bool isPadded = false;
};

/// Splits one case in two: one for the first iteration of a traversal, which
/// gets all operands, and one for the others.
class CaseSplit {
public:
  CaseSplit(ComputeLoopOp &loop, CaseParts parts)
      : loop(loop), parts(std::move(parts)) {}

  /// Returns how many operands are held.
  unsigned run();

private:
  std::optional<HeldOperand> classify(RegisterOperandOp push, PopOperandOp pop,
                                      const StreamAdvance &advance);
  bool isRowElement(PopOperandOp pop);
  Value getStart(Value stream);
  Value createToggle();
  void registerFirst(int64_t first, Value toggle);
  Value allocateRow(Type element);
  void writeFirst(Block &body, const IRMapping &copies);
  void readOthers();

  ComputeLoopOp &loop;
  CaseParts parts;
  /// The unit that the case's callback ends, and the one around it.
  NewTUOp row, around;
  SmallVector<HeldOperand> held;
  /// For each, the number of its register, or the memory of its row.
  SmallVector<unsigned> registers;
  SmallVector<Value> rows;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is held
//===----------------------------------------------------------------------===//

/// True if `pop` pops the k-th element of a row in the k-th iteration of a loop
/// of the case, and how long rows are is fixed.
bool CaseSplit::isRowElement(PopOperandOp pop) {
  auto walk = dyn_cast<scf::ForOp>(pop->getParentOp());
  return row.hasFixedBounds() && getConstantIntValue(row.getStep()) && walk &&
         walk->getBlock() == parts.body &&
         matchPattern(walk.getLowerBound(), m_Zero()) &&
         matchPattern(walk.getStep(), m_One());
}

/// The first element, in each traversal, of what the unit around the row counts
/// from a fixed number.
Value CaseSplit::getStart(Value stream) {
  auto visited = stream.getDefiningOp<GetIndVarOp>();
  bool isFixed = visited && visited.getTu() == around.getResult() &&
                 !isa<slc::StreamType>(around.getLowerBound().getType());
  return isFixed ? around.getLowerBound() : Value();
}

std::optional<HeldOperand> CaseSplit::classify(RegisterOperandOp push,
                                               PopOperandOp pop,
                                               const StreamAdvance &advance) {
  Type type = pop.getResult().getType();
  if (isa<MemRefType>(type))
    return std::nullopt;
  HeldOperand operand;
  operand.push = push;
  operand.pop = pop;
  if (pop->getBlock() != parts.body) {
    bool stays = advance.stays(push.getStream()) && isRowElement(pop);
    return stays ? std::optional(operand) : std::nullopt;
  }
  operand.type = type;
  if (std::optional<ScalarOperand> scalar = ScalarOperand::of(push, pop)) {
    std::optional<int64_t> step = advance.of(scalar->stream);
    // A lane of what grows is no number of its own.
    if (!step || (*step != 0 && scalar->lane))
      return std::nullopt;
    operand.type = scalar->type;
    operand.advance = *step;
    operand.isPadded = scalar->isPadded;
    operand.start = getStart(scalar->stream);
    return operand;
  }
  return advance.stays(push.getStream()) ? std::optional(operand)
                                         : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Access program
//===----------------------------------------------------------------------===//

/// A stream that changes from one traversal of the unit around the row to the
/// next at most: the number of that traversal, or nothing.
Value CaseSplit::createToggle() {
  NewTUOp outer = around.getParentUnit();
  OpBuilder builder(row);
  auto type = slc::StreamType::get(builder.getIndexType());
  if (outer && !outer.getVectorLength()) {
    for (Operation *user : outer.getResult().getUsers())
      if (isa<GetIndVarOp>(user) && user->isBeforeInBlock(row))
        return user->getResult(0);
    builder.setInsertionPointAfter(outer);
    return GetIndVarOp::create(builder, row.getLoc(), type, outer);
  }
  Value zero = arith::ConstantIndexOp::create(builder, row.getLoc(), 0);
  return FwdStrOp::create(builder, row.getLoc(), type, around, zero);
}

/// Registers the callback `first` for the iterations in which `toggle` is new,
/// with all operands of the case but those whose start is fixed; the case keeps
/// the others.
void CaseSplit::registerFirst(int64_t first, Value toggle) {
  RegisterCallbackOp callback = parts.callback;
  // At each event, the new registrations follow those of the case.
  Operation *lastBegin = callback, *last = callback;
  for (RegisterOperandOp push : parts.pushes) {
    if (push.getEvent() == Event::beg && lastBegin->isBeforeInBlock(push))
      lastBegin = push;
    if (last->isBeforeInBlock(push))
      last = push;
  }
  OpBuilder atBegin(callback->getContext()), behind(callback->getContext());
  atBegin.setInsertionPointAfter(lastBegin);
  RegisterCallbackOp::create(atBegin, callback.getLoc(), callback.getTu(),
                             callback.getEvent(), first, /*announced=*/true,
                             toggle);
  behind.setInsertionPointAfter(last);
  for (RegisterOperandOp push : parts.pushes) {
    if (llvm::any_of(held, [&](HeldOperand &operand) {
          return operand.push == push && operand.start;
        }))
      continue;
    OpBuilder &builder = push.getEvent() == Event::beg ? atBegin : behind;
    auto copy = cast<RegisterOperandOp>(builder.clone(*push));
    copy.setId(first);
  }
  callback.getToggleMutable().assign(toggle);
  callback.setWhereSame(true);
}

//===----------------------------------------------------------------------===//
// Compute program
//===----------------------------------------------------------------------===//

/// Memory for one row, as long as the compute program runs.
Value CaseSplit::allocateRow(Type element) {
  Location loc = row.getLoc();
  OpBuilder builder(loop);
  auto here = [&](Value fixed) {
    return loop.getProgram().getInCompute(builder, fixed);
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  bool spread =
      row.getVectorLength() && row.getConfig() == slcv::LoopConfig::vector;
  int64_t lanes = spread ? static_cast<int64_t>(*row.getVectorLength()) : 1;
  Value distance = builder.createOrFold<arith::MulIOp>(
      loc, here(row.getStep()),
      arith::ConstantIndexOp::create(builder, loc, lanes));
  Value length = builder.createOrFold<arith::SubIOp>(
      loc, here(row.getUpperBound()), here(row.getLowerBound()));
  // A row with no elements may be given by any bounds.
  length = builder.createOrFold<arith::MaxSIOp>(loc, length, zero);
  Value size = builder.createOrFold<arith::CeilDivSIOp>(loc, length, distance);
  Value memory = memref::AllocOp::create(
      builder, loc, MemRefType::get({ShapedType::kDynamic}, element),
      ValueRange{size});
  builder.setInsertionPointAfter(loop);
  memref::DeallocOp::create(builder, loc, memory);
  return memory;
}

/// Makes the first iteration's case, the copies in `body`, put what it pops
/// where the other case finds it.
void CaseSplit::writeFirst(Block &body, const IRMapping &copies) {
  Operation *yield = body.getTerminator();
  for (auto [i, operand] : llvm::enumerate(held)) {
    Value popped = copies.lookup(operand.pop.getResult());
    OpBuilder builder(popped.getContext());
    builder.setInsertionPointAfterValue(popped);
    Location loc = operand.pop.getLoc();
    if (!operand.type) {
      auto walk = cast<scf::ForOp>(popped.getParentBlock()->getParentOp());
      memref::StoreOp::create(builder, loc, popped, rows[i],
                              walk.getInductionVar());
      continue;
    }
    if (operand.start) {
      Value start = loop.getProgram().getInCompute(builder, operand.start);
      replaceScalar(popped.getDefiningOp<PopOperandOp>(), operand.isPadded,
                    start);
      yield->setOperand(registers[i], start);
      continue;
    }
    if (operand.isPadded)
      popped = vector::ExtractOp::create(builder, loc, popped, int64_t(0));
    yield->setOperand(registers[i], popped);
  }
}

/// Makes the case of the other iterations read what it does not pop any more.
void CaseSplit::readOthers() {
  Operation *yield = parts.body->getTerminator();
  for (auto [i, operand] : llvm::enumerate(held)) {
    OpBuilder builder(operand.pop);
    Location loc = operand.pop.getLoc();
    if (!operand.type) {
      auto walk = cast<scf::ForOp>(operand.pop->getParentOp());
      Value element =
          memref::LoadOp::create(builder, loc, rows[i], walk.getInductionVar());
      operand.pop.getResult().replaceAllUsesWith(element);
      operand.pop.erase();
      operand.push.erase();
      continue;
    }
    Value value = parts.body->getArgument(registers[i]);
    if (operand.advance != 0) {
      Value step = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(operand.type, operand.advance));
      value = arith::AddIOp::create(builder, loc, value, step);
      yield->setOperand(registers[i], value);
    }
    if (std::optional<ScalarOperand> scalar =
            ScalarOperand::of(operand.push, operand.pop)) {
      scalar->replace(value);
      continue;
    }
    operand.pop.getResult().replaceAllUsesWith(value);
    operand.pop.erase();
    operand.push.erase();
  }
}

unsigned CaseSplit::run() {
  RegisterCallbackOp callback = parts.callback;
  // What is pushed while a traversal goes on belongs to an announced callback
  // alone, so that a second one with the same operands disturbs no other. With
  // a mask, the first iteration might be left out.
  if (!callback.getAnnounced() || callback.getToggle() || callback.getValue() ||
      callback.getMask())
    return 0;
  row = callback.getTu().getDefiningOp<NewTUOp>();
  around = row.getParentUnit();
  if (!around)
    return 0;
  StreamAdvance advance(around);
  for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops))
    if (std::optional<HeldOperand> operand = classify(push, pop, advance))
      held.push_back(*operand);
  if (held.empty())
    return 0;

  SmallVector<Type> types;
  unsigned next = loop.getNumResults();
  for (HeldOperand &operand : held) {
    registers.push_back(operand.type ? next++ : 0);
    rows.push_back(operand.type ? Value() : allocateRow(operand.pop.getType()));
    if (operand.type)
      types.push_back(operand.type);
  }
  int64_t first = addRegistersAndCase(loop, types);
  registerFirst(first, createToggle());
  Block &body = loop.getCaseRegions().back().front();
  IRMapping copies;
  copies.map(parts.body->getArguments(), body.getArguments());
  auto builder = OpBuilder::atBlockBegin(&body);
  for (Operation &op : *parts.body)
    builder.clone(op, copies);
  writeFirst(body, copies);
  readOthers();
  return held.size();
}

namespace {
struct HoldOperands : public dlc::impl::HoldOperandsBase<HoldOperands> {
  using HoldOperandsBase::HoldOperandsBase;

  void runOnOperation() override {
    for (ProgramOp program : getNumberedPrograms(getOperation())) {
      ComputeLoopOp loop = program.getComputeLoop();
      for (size_t i = 0, e = loop.getCases().size(); i != e; ++i)
        operands += CaseSplit(loop, collectCases(loop)[i]).run();
    }
  }
};
} // namespace
