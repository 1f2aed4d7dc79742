//===- ToggleCallbacks.cpp - Send coordinates only when they change -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   register_callback %t, ite, 0         register_callback %t, ite, 1 on %row
//   register_operand %t, ite, %row       register_operand %t, ite, %row for 1
//       for 0                        =>  register_callback %t, ite, 0
//   compute_loop                         compute_loop iter_args(...)
//   case 0 {                             case 0 { ^bb0(%r): use %r }
//     %r = pop_operand : use %r }        case 1 { %next = pop_operand: yield }
//
//===----------------------------------------------------------------------===//

#include "ComputeLoopEditing.h"
#include "ScalarOperands.h"

#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::dlc {
#define GEN_PASS_DEF_TOGGLECALLBACKS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

namespace {
/// Toggles the operands of one program.
class ProgramToggles {
public:
  ProgramToggles(ProgramOp program, ToggleChoice which)
      : loop(program.getComputeLoop()), which(which) {}

  /// Returns how many operands are not sent any more.
  unsigned run();

private:
  bool mayToggle(CaseParts &parts, ScalarOperand &operand);
  unsigned addRegister(ScalarOperand &operand);

  ComputeLoopOp loop;
  ToggleChoice which;
  /// The registers of the execute unit that hold elements of streams.
  llvm::SmallDenseMap<Value, unsigned> registers;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is worth it
//===----------------------------------------------------------------------===//

/// The stream that `stream` converts, or itself.
static Value stripConversions(Value stream) {
  while (true) {
    if (auto cast = stream.getDefiningOp<CastStrOp>())
      stream = cast.getInput();
    else if (auto forward = stream.getDefiningOp<FwdStrOp>();
             forward && isa<slc::StreamType>(forward.getInput().getType()))
      stream = forward.getInput();
    else
      return stream;
  }
}

/// True if `stream` reads an array position by position: a coordinate.
static bool isCoordinate(Value stream, Value unit) {
  auto load = stripConversions(stream).getDefiningOp<MemStrOp>();
  if (!load || load.getTu() != unit || load.getIndices().empty())
    return false;
  auto position = load.getIndices().back().getDefiningOp<GetIndVarOp>();
  return position && position.getTu() == unit;
}

/// Everything computed from `operand` in its case without touching memory.
static llvm::SmallPtrSet<Value, 16> findDerived(ScalarOperand &operand) {
  SmallVector<Value> pending{operand.pop.getResult()};
  llvm::SmallPtrSet<Value, 16> derived;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!derived.insert(value).second)
      continue;
    for (Operation *user : value.getUsers())
      if (isPure(user) && !user->hasTrait<OpTrait::IsTerminator>())
        llvm::append_range(pending, user->getResults());
  }
  return derived;
}

/// True if the case loads from and stores to a memref at places that depend on
/// the operand: it accumulates there, which only makes sense if places repeat.
static bool accumulatesAt(ScalarOperand &operand, Block *body) {
  llvm::SmallPtrSet<Value, 16> derived = findDerived(operand);
  llvm::SmallPtrSet<Value, 4> loaded, stored;
  body->walk([&](MemoryEffectOpInterface op) {
    bool isThere = llvm::any_of(op->getOperands(), [&](Value value) {
      return derived.contains(value);
    });
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (!isThere || !effect.getValue())
        continue;
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        loaded.insert(effect.getValue());
      else if (isa<MemoryEffects::Write>(effect.getEffect()))
        stored.insert(effect.getValue());
    }
  });
  return llvm::any_of(loaded,
                      [&](Value memref) { return stored.contains(memref); });
}

/// The first registration that acts in the iterations of `unit`: whatever has
/// to happen before all others stands before it.
static Operation *findFirstRegistration(Value unit) {
  for (Operation &op : *unit.getParentBlock()) {
    auto callback = dyn_cast<RegisterCallbackOp>(op);
    auto operand = dyn_cast<RegisterOperandOp>(op);
    bool acts = (callback && callback.getTu() == unit &&
                 callback.getPushEvent() == Event::ite) ||
                (operand && operand.getTu() == unit &&
                 operand.getEvent() == Event::ite);
    if (acts)
      return &op;
  }
  return nullptr;
}

bool ProgramToggles::mayToggle(CaseParts &parts, ScalarOperand &operand) {
  if (operand.lane || !operand.type.isIntOrIndex() ||
      operand.pop->getBlock() != parts.body)
    return false;
  // It toggles in the unit whose stream it is, before anything below runs.
  Value unit = operand.stream.getDefiningOp()->getOperand(0);
  auto unitOp = unit.getDefiningOp<NewTUOp>();
  if (!unitOp || unitOp.getVectorLength() ||
      isa<GetIndVarOp, GetIterCountOp>(operand.stream.getDefiningOp()))
    return false;
  Operation *first = findFirstRegistration(unit);
  if (first && first->isBeforeInBlock(operand.stream.getDefiningOp()))
    return false;
  if (which == ToggleChoice::all)
    return true;
  if (!isCoordinate(operand.stream, unit))
    return false;
  if (accumulatesAt(operand, parts.body))
    return true;
  emitRemark(operand.push.getLoc())
      << "operand of token " << parts.callback.getId()
      << " is sent each time: nothing shows that coordinates repeat";
  return false;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Adds a register that the callback of a new token writes whenever the stream
/// of `operand` changes; returns its number.
unsigned ProgramToggles::addRegister(ScalarOperand &operand) {
  Location loc = operand.push.getLoc();
  unsigned number = loop.getNumResults();
  int64_t id = addRegistersAndCase(loop, operand.type);
  Block &body = loop.getCaseRegions().back().front();
  auto builder = OpBuilder::atBlockBegin(&body);
  SmallVector<Value> next(body.getArguments());
  next.back() = PopOperandOp::create(builder, loc, operand.type, Value());
  YieldOp::create(builder, loc, next);

  Operation *stream = operand.stream.getDefiningOp();
  Value unit = stream->getOperand(0);
  if (Operation *first = findFirstRegistration(unit))
    builder.setInsertionPoint(first);
  else
    builder.setInsertionPointAfter(stream);
  RegisterCallbackOp::create(builder, loc, unit, Event::ite, id,
                             /*announced=*/false, operand.stream);
  RegisterOperandOp::create(builder, loc, unit, Event::ite, operand.stream,
                            IntegerAttr(), id);
  return number;
}

unsigned ProgramToggles::run() {
  unsigned toggled = 0;
  for (CaseParts &parts : collectCases(loop)) {
    // A toggled callback has nothing to be sent each time.
    if (parts.callback.getToggle())
      continue;
    for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops)) {
      std::optional<ScalarOperand> operand = ScalarOperand::of(push, pop);
      if (!operand || !mayToggle(parts, *operand))
        continue;
      auto known = registers.find(operand->stream);
      if (known == registers.end())
        known =
            registers.insert({operand->stream, addRegister(*operand)}).first;
      operand->replace(parts.body->getArgument(known->second));
      ++toggled;
    }
  }
  return toggled;
}

namespace {
struct ToggleCallbacks
    : public dlc::impl::ToggleCallbacksBase<ToggleCallbacks> {
  using ToggleCallbacksBase::ToggleCallbacksBase;

  void runOnOperation() override {
    if (which == ToggleChoice::none)
      return;
    for (ProgramOp program : getNumberedPrograms(getOperation()))
      operands += ProgramToggles(program, which).run();
  }
};
} // namespace
