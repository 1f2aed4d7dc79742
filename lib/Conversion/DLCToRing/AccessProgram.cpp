//===- AccessProgram.cpp - The access program as loops --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessProgram.h"

#include "ember/Conversion/StreamCode/SegmentCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

//===----------------------------------------------------------------------===//
// The chain of units
//===----------------------------------------------------------------------===//

AccessProgram::AccessProgram(ProgramOp program, IRMapping &values, Rings rings,
                             Instrumentation *instrumentation)
    : body(program.getAccessBody()), values(values), rings(rings),
      instrumentation(instrumentation) {
  collectUnits();
}

static int64_t getToken(Operation *registration) {
  if (auto callback = dyn_cast<RegisterCallbackOp>(registration))
    return callback.getId();
  return cast<RegisterOperandOp>(registration).getId();
}

void AccessProgram::orderRegistrations(SmallVector<Operation *> &ops) {
  // The two queues are independent, so operands may follow their token where
  // the program names them first: a consumer that waits for the token cannot
  // make room for operands.
  for (size_t begin = 0; begin < ops.size();) {
    size_t end = begin;
    while (end < ops.size() && getToken(ops[end]) == getToken(ops[begin]))
      ++end;
    auto *token = std::find_if(ops.begin() + begin, ops.begin() + end,
                               llvm::IsaPred<RegisterCallbackOp>);
    if (token != ops.begin() + end)
      std::rotate(ops.begin() + begin, token, token + 1);
    begin = end;
  }
}

void AccessProgram::collectUnits() {
  llvm::DenseMap<Value, size_t> numbers;
  auto registrations = [&](Value tu, Event event) -> auto & {
    Unit &unit = units[numbers.lookup(tu)];
    return event == Event::beg   ? unit.atBegin
           : event == Event::ite ? unit.atIteration
                                 : unit.atEnd;
  };
  for (Operation &op : body->without_terminator()) {
    if (auto unit = dyn_cast<NewTUOp>(op)) {
      numbers[unit.getResult()] = units.size();
      units.push_back({unit, {}, {}, {}, {}, {}});
    } else if (auto callback = dyn_cast<RegisterCallbackOp>(op)) {
      registrations(callback.getTu(), callback.getPushEvent()).push_back(&op);
      callbacks[static_cast<int64_t>(callback.getId())] = callback;
      size_t number = numbers.lookup(callback.getTu());
      if (callback.getToggle())
        units[callback.getEvent() == Event::ite ? number : number - 1]
            .toggled.push_back(callback);
    } else if (auto operand = dyn_cast<RegisterOperandOp>(op)) {
      registrations(operand.getTu(), operand.getEvent()).push_back(&op);
    } else if (op.hasTrait<OfAccessProgram>()) {
      units[numbers.lookup(op.getOperand(0))].streams.push_back(&op);
    }
  }
  for (Unit &unit : units)
    for (auto *ops : {&unit.atBegin, &unit.atIteration, &unit.atEnd})
      orderRegistrations(*ops);
}

RegisterCallbackOp AccessProgram::findOnlyReader(Operation *stream) {
  RegisterCallbackOp reader;
  for (Operation *user : stream->getUsers()) {
    auto operand = dyn_cast<RegisterOperandOp>(user);
    if (!operand || operand.getTu() != stream->getOperand(0))
      return nullptr;
    auto callback = callbacks.lookup(static_cast<int64_t>(operand.getId()));
    if (reader && reader != callback)
      return nullptr;
    reader = callback;
  }
  bool isToggled =
      reader && reader.getToggle() && reader.getEvent() == Event::end;
  return isToggled ? reader : nullptr;
}

void AccessProgram::emit(OpBuilder &builder) {
  for (Operation &op : *body)
    if (op.hasTrait<OpTrait::ConstantLike>())
      builder.clone(op, values);
  emitUnit(builder, units);
  Location loc = builder.getUnknownLoc();
  if (instrumentation)
    instrumentation->traceDone(builder, loc);
  ring::EndOp::create(builder, loc, rings.tokens);
}

void AccessProgram::emitUnit(OpBuilder &builder, ArrayRef<Unit> chain) {
  if (chain.empty())
    return;
  const Unit &unit = chain.front();
  Location loc = unit.op->getLoc();
  emitRegistrations(builder, unit.atBegin);
  if (NewTUOp(unit.op).getCoordinates()) {
    emitSegments(builder, chain);
    emitRegistrations(builder, unit.atEnd);
    return;
  }
  auto traversal =
      Traversal::of(unit.op, [&](Value operand) { return lookup(operand); });
  TraversalRange range = emitRange(builder, loc, traversal);
  Carried carried = collectCarried(builder, unit);
  auto loop = scf::ForOp::create(builder, loc, range.lower, range.upper,
                                 range.step, carried.initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Control control =
        emitControl(builder, unit.op, traversal, range, loop.getInductionVar());
    SmallVector<Value> next = emitIteration(builder, chain, control, carried,
                                            loop.getRegionIterArgs());
    if (!next.empty())
      scf::YieldOp::create(builder, loc, next);
  }
  emitRegistrations(builder, unit.atEnd);
}

SmallVector<Value> AccessProgram::emitIteration(OpBuilder &builder,
                                                ArrayRef<Unit> chain,
                                                const Control &control,
                                                const Carried &carried,
                                                ValueRange before) {
  const Unit &unit = chain.front();
  Location loc = unit.op->getLoc();
  for (auto [i, sum] : llvm::enumerate(carried.sums))
    values.map(AccStrOp(sum).getResult(), before[i]);
  for (Operation *stream : unit.streams) {
    if (auto store = dyn_cast<StoreStrOp>(stream))
      emitStore(builder, store);
    else if (isa<MemStrOp>(stream) && findOnlyReader(stream))
      continue; // Loaded where it is pushed.
    else if (!isa<AccStrOp>(stream))
      values.map(stream->getResult(0), emitStream(builder, stream, control));
  }
  emitConditions(builder, unit, carried, before);
  emitRegistrations(builder, unit.atIteration);
  emitUnit(builder, chain.drop_front());
  return emitNext(builder, loc, carried);
}

/// A unit whose next position is found by comparing coordinates.
void AccessProgram::emitSegments(OpBuilder &builder, ArrayRef<Unit> chain) {
  const Unit &unit = chain.front();
  NewTUOp op = unit.op;
  Location loc = op.getLoc();
  Value coordinates = op.getCoordinates();
  SegmentRange range{lookup(coordinates), lookup(op.getLowerBound()),
                     lookup(op.getUpperBound())};
  Carried carried = collectCarried(builder, unit);
  SmallVector<Value> initial = carried.initial;
  initial.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  auto visit = [&](Value begin, Value end, ValueRange before) {
    Value count = before.back();
    Control control{begin, count, /*mask=*/Value(), end};
    SmallVector<Value> next =
        emitIteration(builder, chain, control, carried, before.drop_back());
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    next.push_back(arith::AddIOp::create(builder, loc, count, one));
    return next;
  };
  auto countLoad = [&](OpBuilder &at, Value position) {
    if (!instrumentation)
      return;
    StreamAccess access;
    access.memref = range.coordinates;
    access.indices = {position};
    instrumentation->countAccess(
        at, loc, coordinates, access,
        cast<MemRefType>(coordinates.getType()).getElementType(),
        /*isStore=*/false);
  };
  emitSegmentLoop(builder, loc, range, initial, visit, countLoad);
}

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

AccessProgram::Carried AccessProgram::collectCarried(OpBuilder &builder,
                                                     const Unit &unit) {
  Location loc = unit.op->getLoc();
  Carried carried;
  for (Operation *stream : unit.streams)
    if (auto sum = dyn_cast<AccStrOp>(stream)) {
      carried.sums.push_back(sum);
      carried.initial.push_back(lookup(sum.getInitial()));
    }
  for (RegisterCallbackOp callback : unit.toggled)
    carried.toggles.insert(callback.getToggle());
  auto constant = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, loc, value);
  };
  for (Value stream : carried.toggles)
    carried.initial.push_back(constant(
        builder.getZeroAttr(slc::getStreamElementType(stream.getType()))));
  if (!carried.toggles.empty())
    carried.initial.push_back(constant(builder.getBoolAttr(true)));
  return carried;
}

void AccessProgram::emitConditions(OpBuilder &builder, const Unit &unit,
                                   const Carried &carried, ValueRange before) {
  if (carried.toggles.empty())
    return;
  Location loc = unit.op->getLoc();
  Value isFirst = before.back();
  llvm::SmallDenseMap<Value, Value, 2> changes;
  for (auto [stream, element] :
       llvm::zip(carried.toggles, before.drop_front(carried.sums.size()))) {
    Value differs = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, lookup(stream), element);
    changes[stream] = arith::OrIOp::create(builder, loc, isFirst, differs);
  }
  for (RegisterCallbackOp callback : unit.toggled) {
    Value condition = changes.lookup(callback.getToggle());
    if (callback.getWhereSame())
      condition = arith::XOrIOp::create(
          builder, loc, condition,
          arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
    conditions[static_cast<int64_t>(callback.getId())] = condition;
  }
}

SmallVector<Value> AccessProgram::emitNext(OpBuilder &builder, Location loc,
                                           const Carried &carried) {
  SmallVector<Value> next;
  for (AccStrOp sum : carried.sums)
    next.push_back(arith::AddIOp::create(builder, sum.getLoc(),
                                         lookup(sum.getResult()),
                                         lookup(sum.getInput())));
  for (Value stream : carried.toggles)
    next.push_back(lookup(stream));
  if (!carried.toggles.empty())
    next.push_back(
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false)));
  return next;
}

AccessProgram::Control AccessProgram::emitControl(OpBuilder &builder,
                                                  NewTUOp unit,
                                                  const Traversal &traversal,
                                                  const TraversalRange &range,
                                                  Value position) {
  Location loc = unit.getLoc();
  Control control;
  control.visited = emitVisited(builder, loc, traversal, range, position);
  if (llvm::any_of(unit.getResult().getUsers(), llvm::IsaPred<GetIterCountOp>))
    control.count = emitIterationCount(builder, loc, range, position);
  if (traversal.lanes)
    control.mask = emitMask(builder, loc, traversal, range, position);
  return control;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

StreamAccess AccessProgram::describeAccess(slc::MemoryStreamOpInterface op) {
  return StreamAccess::of(op, [&](Value operand) { return lookup(operand); });
}

void AccessProgram::emitStore(OpBuilder &builder, StoreStrOp store) {
  Location loc = store.getLoc();
  StreamAccess access = describeAccess(store);
  Value element = lookup(store.getStream());
  if (instrumentation)
    instrumentation->countAccess(builder, loc, store.getMemref(), access,
                                 element.getType(), /*isStore=*/true);
  emitStreamStore(builder, loc, access, element);
}

Value AccessProgram::emitStream(OpBuilder &builder, Operation *op,
                                const Control &control) {
  Location loc = op->getLoc();
  Type element = slc::getStreamElementType(op->getResult(0).getType());
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](GetIndVarOp) { return control.visited; })
      .Case([&](GetIterCountOp) { return control.count; })
      .Case([&](GetMaskOp) { return control.mask; })
      .Case([&](GetSegmentEndOp) { return control.segmentEnd; })
      .Case([&](MemStrOp load) {
        StreamAccess access = describeAccess(load);
        if (instrumentation)
          instrumentation->countAccess(builder, loc, load.getMemref(), access,
                                       element, /*isStore=*/false);
        return emitStreamLoad(builder, loc, access, element);
      })
      .Case([&](slc::StreamOpInterface stream) {
        return emitStreamElement(
            builder, stream, [&](Value input) { return lookup(input); },
            control.mask);
      });
}

//===----------------------------------------------------------------------===//
// Registrations
//===----------------------------------------------------------------------===//

Value AccessProgram::readStream(OpBuilder &builder, Location loc, Value stream,
                                std::optional<int64_t> lane) {
  Value element = lookup(stream);
  if (!lane)
    return element;
  return vector::ExtractOp::create(builder, loc, element, *lane);
}

void AccessProgram::emitOperand(OpBuilder &builder, Location loc, int64_t token,
                                Value stream, Value value) {
  auto slot = ring::AcquireOp::create(
      builder, loc, ring::SlotType::get(value.getType()), rings.data, token);
  ring::StoreOp::create(builder, loc, value, slot);
  if (instrumentation)
    instrumentation->traceOperand(builder, loc, stream, slot);
  ring::CommitOp::create(builder, loc, slot);
}

void AccessProgram::emitToken(OpBuilder &builder, RegisterCallbackOp callback) {
  Location loc = callback.getLoc();
  auto id = static_cast<int64_t>(callback.getId());
  Value value, follows;
  if (callback.getValue()) {
    value = readStream(builder, loc, callback.getValue(), callback.getLane());
    if (rings.getTokensType().mayFollow(value.getType()))
      follows = ring::FollowsOp::create(builder, loc, builder.getI1Type(),
                                        value, rings.tokens);
  }
  if (instrumentation)
    instrumentation->traceToken(builder, callback, value, follows);
  ring::PushOp::create(builder, loc, rings.tokens, id, value);
  if (!follows)
    return;
  scf::IfOp::create(builder, loc, follows, [&](OpBuilder &inside, Location) {
    emitOperand(inside, loc, id, callback.getValue(), value);
    scf::YieldOp::create(inside, loc);
  });
}

void AccessProgram::emitRegistration(OpBuilder &builder, Operation *op) {
  if (auto callback = dyn_cast<RegisterCallbackOp>(op))
    return emitToken(builder, callback);
  auto operand = cast<RegisterOperandOp>(op);
  Location loc = op->getLoc();
  Operation *stream = operand.getStream().getDefiningOp();
  if (isa<MemStrOp>(stream) && findOnlyReader(stream))
    values.map(operand.getStream(), emitStream(builder, stream, Control()));
  emitOperand(builder, loc, getToken(op), operand.getStream(),
              readStream(builder, loc, operand.getStream(), operand.getLane()));
}

Value AccessProgram::getCondition(OpBuilder &builder, Location loc,
                                  int64_t token) {
  if (Value mask = callbacks.lookup(token).getMask())
    return emitAnyLane(builder, loc, lookup(mask));
  return conditions.lookup(token);
}

void AccessProgram::emitRegistrations(OpBuilder &builder,
                                      ArrayRef<Operation *> ops) {
  while (!ops.empty()) {
    // What belongs to one token stands together, the token first.
    int64_t token = getToken(ops.front());
    ArrayRef<Operation *> group =
        ops.take_while([&](Operation *op) { return getToken(op) == token; });
    ops = ops.drop_front(group.size());
    Location loc = group.front()->getLoc();
    Value condition = getCondition(builder, loc, token);
    if (!condition) {
      for (Operation *op : group)
        emitRegistration(builder, op);
      continue;
    }
    scf::IfOp::create(builder, loc, condition,
                      [&](OpBuilder &inside, Location loc) {
                        for (Operation *op : group)
                          emitRegistration(inside, op);
                        scf::YieldOp::create(inside, loc);
                      });
  }
}
