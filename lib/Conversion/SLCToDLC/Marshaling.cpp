//===- Marshaling.cpp - Operands from streams to cases --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToDLC/Marshaling.h"

#include "ember/Conversion/StreamCode/Traversal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using ember::slc::BufferType;
using ember::slc::CallbackOp;
using ember::slc::Event;
using ember::slc::LoopOpInterface;
using ember::slc::StreamType;
using ember::slc::StrToValOp;
using ember::slcv::PushOp;

bool ember::readsBuffer(CallbackOp callback) {
  return callback
      .walk([](StrToValOp toVal) {
        return isa<BufferType>(toVal.getStream().getType())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// What a callback reads, in the order it is pushed and popped.
struct Reads {
  /// Streams with the lane that is read, if it is only one.
  llvm::SmallSetVector<std::pair<Value, IntegerAttr>, 8> scalars;
  llvm::SmallSetVector<Value, 2> buffers;
  /// The pushes that fill the buffers, in the order of the loop's body.
  SmallVector<PushOp> pushes;
};
} // namespace

static Reads collectReads(ArrayRef<CallbackOp> callbacks,
                          LoopOpInterface filled) {
  Reads reads;
  for (CallbackOp callback : callbacks)
    callback->walk([&](StrToValOp toVal) {
      if (isa<BufferType>(toVal.getStream().getType()))
        reads.buffers.insert(toVal.getStream());
      else
        reads.scalars.insert({toVal.getStream(), toVal.getLaneAttr()});
    });
  if (!filled)
    return reads;
  for (auto push : filled.getBody()->getOps<PushOp>())
    if (reads.buffers.contains(push.getBuffer()))
      reads.pushes.push_back(push);
  return reads;
}

/// True if `value`, seen by compute code, is the bound `bound` of an access
/// loop.
static bool isBound(Value value, Value bound) {
  auto toVal = value.getDefiningOp<StrToValOp>();
  std::optional<int64_t> constant = getConstantIntValue(bound);
  return value == bound || (toVal && toVal.getStream() == bound) ||
         (constant && getConstantIntValue(value) == constant);
}

/// The loop over row elements in which compute code reads each buffer that
/// `filled` fills exactly once, front to back; null if it does anything else
/// with one of them.
static scf::ForOp findRowLoop(const Reads &reads, LoopOpInterface filled,
                              Value mask) {
  auto traversal = Traversal::of(
      filled, [&](Value bound) { return slc::getWhereTrue(bound, mask); });
  if (reads.pushes.size() != reads.buffers.size())
    return nullptr;
  scf::ForOp rowLoop;
  for (Value buffer : reads.buffers) {
    memref::LoadOp load;
    for (Operation *user : buffer.getUsers()) {
      auto toVal = dyn_cast<StrToValOp>(user);
      if (!toVal || toVal.use_empty())
        continue;
      if (load || !toVal->hasOneUse())
        return nullptr;
      load = dyn_cast<memref::LoadOp>(*toVal->getUsers().begin());
      if (!load)
        return nullptr;
    }
    if (!load)
      return nullptr;
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    if (!loop || (rowLoop && loop != rowLoop) ||
        load.getIndices().front() != loop.getInductionVar() ||
        !isa<CallbackOp>(loop->getParentOp()) ||
        !matchPattern(loop.getLowerBound(), m_Zero()) ||
        !matchPattern(loop.getStep(), m_One()) ||
        !isTripBound(loop.getUpperBound(), traversal, isBound))
      return nullptr;
    rowLoop = loop;
  }
  return rowLoop;
}

/// Builds one case of the compute loop.
class Marshaling::CaseBuilder {
public:
  CaseBuilder(Marshaling &parent, OpBuilder &access, IRMapping &streams,
              int64_t id, Location loc, Value mask)
      : registers(parent.registers), access(access), streams(streams), id(id),
        loc(loc), mask(mask), region(std::make_unique<Region>()),
        builder(access.getContext()) {
    Block &block = region->emplaceBlock();
    for (unsigned i = 0; i < registers.size(); ++i)
      current.push_back(block.addArgument(registers.getType(i), loc));
    builder.setInsertionPointToStart(&block);
  }

  LogicalResult marshal(const Reads &reads, TraversalPoint point,
                        LoopOpInterface filled);
  void append(CallbackOp callback);
  std::unique_ptr<Region> finish(ArrayRef<RegisterCopy> copies);

private:
  void popScalar(Value stream, IntegerAttr lane, TraversalPoint point);
  Value emitTrips(LoopOpInterface loop, TraversalPoint begin);
  void popRow(const Reads &reads, Value trips);
  void streamRow(CallbackOp callback);
  Value valueOf(Value value);

  const ComputeRegisters &registers;
  OpBuilder &access;
  IRMapping &streams;
  int64_t id;
  Location loc;
  /// The stream that says where the case runs; null if it always does.
  Value mask;
  std::unique_ptr<Region> region;
  OpBuilder builder;
  /// The registers' contents at the insertion point.
  SmallVector<Value> current;
  /// Popped operands by stream and lane; memrefs by buffer.
  DenseMap<std::pair<Value, Attribute>, Value> popped;
  /// Set if buffers are popped inside compute code's own loop over the row.
  scf::ForOp rowLoop;
  SmallVector<PushOp> streamed;
  SmallVector<Value> memory;
};

/// Registers one operand and pops it.
void Marshaling::CaseBuilder::popScalar(Value stream, IntegerAttr lane,
                                        TraversalPoint point) {
  if (popped.contains({stream, lane}))
    return;
  auto push = dlc::RegisterOperandOp::create(access, loc, point.tu, point.event,
                                             streams.lookup(stream), lane, id);
  popped[{stream, lane}] =
      dlc::PopOperandOp::create(builder, loc, push.getOperandType(), Value());
}

/// The number of elements `loop` pushes into each buffer.
Value Marshaling::CaseBuilder::emitTrips(LoopOpInterface loop,
                                         TraversalPoint begin) {
  auto bound = [&](Value value) -> Value {
    bool isBound =
        value == loop.getLowerBound() || value == loop.getUpperBound();
    value = slc::getWhereTrue(value, mask);
    if (!isBound || !isa<StreamType>(value.getType()))
      return value;
    popScalar(value, IntegerAttr(), begin);
    return popped.lookup({value, IntegerAttr()});
  };
  return ember::emitTrips(builder, loc, Traversal::of(loop, bound));
}

/// Pops a row into memory, as a whole or, where the elements of several
/// buffers come interleaved, one by one.
void Marshaling::CaseBuilder::popRow(const Reads &reads, Value trips) {
  auto memrefOf = [](Value buffer) {
    return MemRefType::get({ShapedType::kDynamic},
                           cast<BufferType>(buffer.getType()).getElementType());
  };
  if (reads.pushes.size() == 1) {
    Value buffer = reads.buffers.front();
    popped[{buffer, IntegerAttr()}] =
        dlc::PopOperandOp::create(builder, loc, memrefOf(buffer), trips);
    return;
  }
  DenseMap<Value, int64_t> pushesPerStep, rank;
  for (PushOp push : reads.pushes)
    ++pushesPerStep[push.getBuffer()];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  for (Value buffer : reads.buffers) {
    Value size = arith::MulIOp::create(builder, loc, trips,
                                       constant(pushesPerStep[buffer]));
    Value row = memref::AllocOp::create(builder, loc, memrefOf(buffer),
                                        ValueRange{size});
    memory.push_back(row);
    popped[{buffer, IntegerAttr()}] = row;
  }
  auto loop = scf::ForOp::create(builder, loc, constant(0), trips, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  for (PushOp push : reads.pushes) {
    Value buffer = push.getBuffer();
    Value element = dlc::PopOperandOp::create(
        builder, loc, slc::getStreamElementType(push.getStream().getType()),
        Value());
    Value first = arith::MulIOp::create(builder, loc, loop.getInductionVar(),
                                        constant(pushesPerStep[buffer]));
    Value at =
        arith::AddIOp::create(builder, loc, first, constant(rank[buffer]++));
    memref::StoreOp::create(builder, loc, element,
                            popped.lookup({buffer, IntegerAttr()}), at);
  }
}

LogicalResult Marshaling::CaseBuilder::marshal(const Reads &reads,
                                               TraversalPoint point,
                                               LoopOpInterface filled) {
  bool buffered = !reads.buffers.empty();
  TraversalPoint begin{point.tu, buffered ? Event::beg : point.event};
  dlc::RegisterCallbackOp::create(access, loc, point.tu, point.event, id,
                                  /*announced=*/buffered, /*toggle=*/Value(),
                                  /*whereSame=*/false,
                                  mask ? streams.lookup(mask) : Value());
  for (auto [stream, lane] : reads.scalars)
    popScalar(stream, lane, begin);
  if (!buffered)
    return success();

  if (!filled || slc::getNestedLoop(filled) ||
      !filled.getBody()->getOps<CallbackOp>().empty())
    return emitError(loc, "reads a buffer that was not filled by a loop of "
                          "streams only right before it; its elements cannot "
                          "be told apart in the queue");
  if (filled.isLockstep())
    return emitError(loc, "reads a buffer that a loop with a range a lane "
                          "fills; its length is not known to compute code");
  rowLoop = findRowLoop(reads, filled, mask);
  if (rowLoop)
    streamed = reads.pushes;
  else
    popRow(reads, emitTrips(filled, begin));
  for (PushOp push : reads.pushes)
    dlc::RegisterOperandOp::create(access, push.getLoc(), point.tu, Event::ite,
                                   streams.lookup(push.getStream()),
                                   IntegerAttr(), id);
  return success();
}

Value Marshaling::CaseBuilder::valueOf(Value value) {
  if (std::optional<unsigned> number = registers.getRegister(value))
    return current[*number];
  return value;
}

/// Clones `callback`; where it walks its buffers front to back, each element is
/// popped in the loop that uses it (paper, figure 14c).
void Marshaling::CaseBuilder::append(CallbackOp callback) {
  IRMapping values;
  SmallVector<std::pair<PushOp, Operation *>> placeholders;
  callback.walk([&](StrToValOp toVal) {
    Value stream = toVal.getStream();
    Value value = popped.lookup({stream, toVal.getLaneAttr()});
    if (!value && !toVal.use_empty()) {
      // Stands for the row until its loads are known in the clone.
      auto row = ub::PoisonOp::create(builder, loc, toVal.getValue().getType(),
                                      ub::PoisonAttr::get(loc.getContext()));
      for (PushOp push : streamed)
        if (push.getBuffer() == stream)
          placeholders.emplace_back(push, row);
      value = row;
    }
    if (value)
      values.map(toVal.getValue(), value);
  });
  callback.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (registers.getRegister(operand))
        values.map(operand, valueOf(operand));
  });
  for (Operation &op : callback.getBody()->without_terminator())
    if (!isa<StrToValOp>(op))
      builder.clone(op, values);
  for (auto [result, yielded] : llvm::zip_equal(
           callback.getResults(), callback.getYield().getOperands())) {
    std::optional<unsigned> number = registers.getRegister(result);
    if (number)
      current[*number] = values.lookupOrDefault(yielded);
  }
  // str_to_vals of nested regions were cloned with their operations.
  region->walk([](StrToValOp toVal) { toVal.erase(); });

  llvm::sort(placeholders, [](auto &a, auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  Operation *previous = nullptr;
  for (auto [push, row] : placeholders) {
    auto load = cast<memref::LoadOp>(*row->getUsers().begin());
    OpBuilder::InsertionGuard guard(builder);
    if (previous)
      builder.setInsertionPointAfter(previous);
    else
      builder.setInsertionPointToStart(load->getBlock());
    auto pop = dlc::PopOperandOp::create(builder, loc, load.getType(), Value());
    load.replaceAllUsesWith(pop.getResult());
    load.erase();
    row->erase();
    previous = pop;
  }
}

std::unique_ptr<Region>
Marshaling::CaseBuilder::finish(ArrayRef<RegisterCopy> copies) {
  // Copies happen at once: all read before any writes.
  SmallVector<Value> next = current;
  for (const RegisterCopy &copy : copies)
    next[copy.to] = valueOf(copy.from);
  for (Value row : memory)
    memref::DeallocOp::create(builder, loc, row);
  dlc::YieldOp::create(builder, loc, next);
  return std::move(region);
}

LogicalResult Marshaling::addCase(OpBuilder &builder,
                                  ArrayRef<CallbackOp> callbacks,
                                  TraversalPoint point, LoopOpInterface filled,
                                  ArrayRef<RegisterCopy> copies,
                                  IRMapping &streams) {
  Location loc =
      callbacks.empty() ? root->getLoc() : callbacks.front()->getLoc();
  Value mask =
      callbacks.empty() ? Value() : CallbackOp(callbacks.front()).getMask();
  CaseBuilder builtCase(*this, builder, streams, regions.size(), loc, mask);
  if (failed(builtCase.marshal(collectReads(callbacks, filled), point, filled)))
    return failure();
  for (CallbackOp callback : callbacks)
    builtCase.append(callback);
  regions.push_back(builtCase.finish(copies));
  return success();
}

/// Something to put into a register before it is first written.
static Value emitUndefined(OpBuilder &builder, Location loc, Type type) {
  if (auto zero = builder.getZeroAttr(type))
    return arith::ConstantOp::create(builder, loc, zero);
  return ub::PoisonOp::create(builder, loc, type,
                              ub::PoisonAttr::get(builder.getContext()));
}

void Marshaling::finish(OpBuilder &builder) {
  Location loc = root->getLoc();
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (unsigned i = 0; i < registers.size(); ++i) {
    types.push_back(registers.getType(i));
    Value initial = registers.getInitial(i);
    inits.push_back(initial ? initial : emitUndefined(builder, loc, types[i]));
  }
  auto ids =
      llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(regions.size())));
  OperationState state(loc, dlc::ComputeLoopOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(types);
  state.getOrAddProperties<dlc::ComputeLoopOp::Properties>().cases =
      builder.getDenseI64ArrayAttr(ids);
  for (std::unique_ptr<Region> &region : regions)
    state.addRegion(std::move(region));
  Operation *loop = builder.create(state);
  SmallVector<Value> results;
  for (Value result : root->getResults())
    results.push_back(loop->getResult(*registers.getRegister(result)));
  dlc::YieldOp::create(builder, loc, results);
}
