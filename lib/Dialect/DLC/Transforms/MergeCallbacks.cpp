//===- MergeCallbacks.cpp - Begin a segment where the last one ends -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//                                          if %n > 0 { begin }
//   %bag = new_tu %c0 to %n                %bag = new_tu %c0 to %n
//   register_callback %bag, ite, 0
//   %seg = new_tu ... in %bag          =>  %seg = new_tu ... in %bag
//   register_callback %seg, end, 1         register_callback %seg, end, 1
//   case 0 { begin }
//   case 1 { finish }                      case 1 { ^bb0(%left):
//                                            finish
//                                            if %left > 1 { begin }
//                                            yield %left - 1 }
//
//===----------------------------------------------------------------------===//

#include "ComputeLoopEditing.h"
#include "NestPosition.h"
#include "ScalarOperands.h"

#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace ember::dlc {
#define GEN_PASS_DEF_MERGECALLBACKS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

namespace {
/// What is done first and last in each iteration of the outermost unit.
struct Frame {
  NewTUOp unit;
  CaseParts begin, finish;
};
} // namespace

/// The outermost unit, if how often it iterates is known beforehand.
static NewTUOp getCountedRoot(ComputeLoopOp loop) {
  for (NewTUOp unit : loop.getProgram().getAccessBody()->getOps<NewTUOp>())
    if (!unit.getParent() && iteratesAlike(unit))
      return unit;
  return nullptr;
}

/// None unless the first token of each iteration brings nothing, and both it
/// and the last one are always there.
static std::optional<Frame> getFrame(ComputeLoopOp loop) {
  Frame frame{getCountedRoot(loop), {}, {}};
  if (!frame.unit)
    return std::nullopt;
  RegisterCallbackOp first, last;
  for (CaseParts &parts : collectCases(loop)) {
    RegisterCallbackOp callback = parts.callback;
    auto unit = callback.getTu().getDefiningOp<NewTUOp>();
    Event event = callback.getPushEvent();
    if (unit == frame.unit) {
      // It would have to come before the first token that is merged.
      if (event == Event::beg)
        return std::nullopt;
      if (event == Event::ite && (!first || callback->isBeforeInBlock(first))) {
        first = callback;
        frame.begin = parts;
      }
    } else if (unit.getParent() == frame.unit.getResult() &&
               event == Event::end &&
               (!last || last->isBeforeInBlock(callback))) {
      last = callback;
      frame.finish = parts;
    }
  }
  auto isSure = [](RegisterCallbackOp callback) {
    return callback && !callback.getToggle() && !callback.getMask();
  };
  bool merges = isSure(first) && isSure(last) && !first.getValue() &&
                frame.begin.pushes.empty();
  return merges ? std::optional(frame) : std::nullopt;
}

/// Runs the case `begin` if `condition` holds; `registers` are what it gets,
/// and then what it yields.
static void emitBegin(OpBuilder &builder, Block &begin, Value condition,
                      MutableArrayRef<Value> registers) {
  Operation *yield = begin.getTerminator();
  SmallVector<unsigned> changed;
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    if (value != begin.getArgument(i))
      changed.push_back(i);
  auto pick = [&](auto get) {
    return llvm::map_to_vector(changed,
                               [&](unsigned i) -> Value { return get(i); });
  };
  Location loc = yield->getLoc();
  auto runs = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &inner, Location) {
        IRMapping copies;
        copies.map(begin.getArguments(), ValueRange(registers));
        for (Operation &op : begin.without_terminator())
          inner.clone(op, copies);
        scf::YieldOp::create(inner, loc, pick([&](unsigned i) {
                               return copies.lookupOrDefault(
                                   yield->getOperand(i));
                             }));
      },
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc,
                             pick([&](unsigned i) { return registers[i]; }));
      });
  for (auto [i, result] : llvm::zip_equal(changed, runs.getResults()))
    registers[i] = result;
}

static Value isPositive(OpBuilder &builder, Location loc, Value number) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, number,
                               zero);
}

static void merge(ComputeLoopOp &loop, Frame frame) {
  Block &begin = *frame.begin.body, &finish = *frame.finish.body;
  Location loc = frame.finish.callback->getLoc();
  addRegisters(loop, Builder(loop).getIndexType());

  OpBuilder before(loop);
  Value trips =
      emitTrips(before, loc, Traversal::of(frame.unit, [&](Value fixed) {
                  return loop.getProgram().getInCompute(before, fixed);
                }));
  SmallVector<Value> inits(loop.getIterArgs());
  inits.back() = trips;
  emitBegin(before, begin, isPositive(before, loc, trips), inits);
  loop.getIterArgsMutable().assign(inits);

  Operation *yield = finish.getTerminator();
  OpBuilder atEnd(yield);
  SmallVector<Value> registers(yield->getOperands());
  Value one = arith::ConstantIndexOp::create(atEnd, loc, 1);
  registers.back() =
      arith::SubIOp::create(atEnd, loc, finish.getArguments().back(), one);
  emitBegin(atEnd, begin, isPositive(atEnd, loc, registers.back()), registers);
  yield->setOperands(registers);

  int64_t id = frame.begin.callback.getId();
  frame.begin.callback->erase();
  eraseCase(loop, id);
}

namespace {
struct MergeCallbacks : public dlc::impl::MergeCallbacksBase<MergeCallbacks> {
  using MergeCallbacksBase::MergeCallbacksBase;

  void runOnOperation() override {
    for (ProgramOp program : getNumberedPrograms(getOperation())) {
      ComputeLoopOp loop = program.getComputeLoop();
      while (std::optional<Frame> frame = getFrame(loop)) {
        merge(loop, *frame);
        ++merged;
      }
    }
  }
};
} // namespace
