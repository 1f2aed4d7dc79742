//===- ComputeProgram.cpp - The compute program as a loop -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeProgram.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

SmallVector<Value> ComputeProgram::emit(OpBuilder &builder) {
  for (Operation &op : body->without_terminator()) {
    if (&op == loop)
      values.map(loop.getResults(), emitLoop(builder));
    else
      builder.clone(op, values);
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value yielded) { return values.lookup(yielded); });
}

SmallVector<Value> ComputeProgram::emitLoop(OpBuilder &builder) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  for (Value init : loop.getIterArgs())
    inits.push_back(values.lookup(init));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Type> tokenAndTypes{builder.getI64Type()};
  llvm::append_range(tokenAndTypes, types);

  auto whileOp = scf::WhileOp::create(builder, loc, tokenAndTypes, inits);
  tokens = whileOp;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), loc);
  Block *before = builder.createBlock(&whileOp.getBefore(), {}, types, locs);
  auto pop = ring::PopOp::create(builder, loc, builder.getI64Type(),
                                 builder.getI1Type(), rings.tokens);
  Value goesOn = pop.getMore();
  if (loop.getWeights())
    goesOn = expect(builder, goesOn, 1 - 1 / (getTotalWeight() + 1));
  SmallVector<Value> passed{pop.getToken()};
  llvm::append_range(passed, before->getArguments());
  scf::ConditionOp::create(builder, loc, goesOn, passed);

  locs.push_back(loc);
  Block *after =
      builder.createBlock(&whileOp.getAfter(), {}, tokenAndTypes, locs);
  emitCases(builder, after->getArgument(0), after->getArguments().drop_front());
  return llvm::to_vector_of<Value>(whileOp.getResults().drop_front());
}

/// Emits the choice between the cases as the body of the loop over tokens.
void ComputeProgram::emitCases(OpBuilder &builder, Value token,
                               ValueRange registers) {
  Location loc = loop.getLoc();
  Value id = ring::TokenIdOp::create(builder, loc, builder.getI64Type(), token,
                                     rings.tokens);
  if (loop.getWeights())
    return emitLikelyCases(builder, id, token, registers);
  id = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), id);
  auto cases = scf::IndexSwitchOp::create(
      builder, loc, registers.getTypes(), id, loop.getCases(),
      static_cast<unsigned>(loop.getCases().size()));
  scf::YieldOp::create(builder, loc, cases.getResults());
  for (auto [number, from, to] : llvm::zip_equal(
           loop.getCases(), loop.getCaseRegions(), cases.getCaseRegions())) {
    builder.createBlock(&to);
    emitCase(builder, number, from, token, registers);
  }
  builder.createBlock(&cases.getDefaultRegion());
  emitNoCase(builder, registers);
}

void ComputeProgram::emitNoCase(OpBuilder &builder, ValueRange registers) {
  FailWithMessageOp::create(builder, loop.getLoc(),
                            "the compute program has no case for a token");
  scf::YieldOp::create(builder, loop.getLoc(), registers);
}

/// What a case counts for: one that is never expected still might come.
static double getLikelihood(int64_t weight) {
  return static_cast<double>(std::max<int64_t>(weight, 1));
}

double ComputeProgram::getTotalWeight() const {
  double total = 0;
  std::optional<ArrayRef<int64_t>> weights = ComputeLoopOp(loop).getWeights();
  for (int64_t weight : *weights)
    total += getLikelihood(weight);
  return total;
}

Value ComputeProgram::expect(OpBuilder &builder, Value condition,
                             double probability) {
  Location loc = loop.getLoc();
  Value yes = LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return LLVM::ExpectWithProbabilityOp::create(
      builder, loc, condition.getType(), condition, yes,
      builder.getF64FloatAttr(probability));
}

/// Emits the choice between weighted cases: tests in the order of the cases.
/// LLVM makes a switch of them and orders that anew, but by how likely each
/// test is said to succeed.
void ComputeProgram::emitLikelyCases(OpBuilder &builder, Value id, Value token,
                                     ValueRange registers) {
  Location loc = loop.getLoc();
  double left = getTotalWeight();
  for (auto [number, weight, body] : llvm::zip_equal(
           loop.getCases(), *loop.getWeights(), loop.getCaseRegions())) {
    Value wanted = arith::ConstantOp::create(builder, loc,
                                             builder.getI64IntegerAttr(number));
    Value matches = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::eq, id, wanted);
    double likelihood = getLikelihood(weight);
    matches = expect(builder, matches, std::min(1.0, likelihood / left));
    left -= likelihood;
    auto choice = scf::IfOp::create(builder, loc, registers.getTypes(), matches,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    scf::YieldOp::create(builder, loc, choice.getResults());
    builder.setInsertionPointToStart(&choice.getThenRegion().front());
    emitCase(builder, number, body, token, registers);
    builder.setInsertionPointToStart(&choice.getElseRegion().front());
  }
  emitNoCase(builder, registers);
}

void ComputeProgram::emitCase(OpBuilder &builder, int64_t id, Region &body,
                              Value token, ValueRange registers) {
  currentToken = id;
  IRMapping inside = values;
  Block &block = body.front();
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), registers))
    inside.map(argument, value);
  // Its operand, if there is one, comes before all others.
  for (auto read : block.getOps<TokenValueOp>())
    inside.map(read.getResult(), readTokenValue(builder, read, token));
  for (Operation &op : block.without_terminator())
    if (!isa<TokenValueOp>(op))
      builder.clone(op, inside);
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(inside.lookup(value));
  scf::YieldOp::create(builder, block.getTerminator()->getLoc(), yielded);
  lowerPops(*builder.getBlock());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value ComputeProgram::popElement(OpBuilder &builder, Location loc, Type type) {
  auto slot = ring::WaitOp::create(builder, loc, ring::SlotType::get(type),
                                   rings.data, currentToken);
  Value value = ring::LoadOp::create(builder, loc, type, slot);
  ring::ReleaseOp::create(builder, loc, slot);
  return value;
}

Value ComputeProgram::readTokenValue(OpBuilder &builder, TokenValueOp read,
                                     Value token) {
  Location loc = read.getLoc();
  Type type = read.getResult().getType();
  auto getHeld = [&](OpBuilder &at) -> Value {
    return ring::TokenValueOp::create(at, loc, type, token, rings.tokens);
  };
  if (!rings.getTokensType().mayFollow(type))
    return getHeld(builder);
  Value follows = ring::TokenFollowsOp::create(
      builder, loc, builder.getI1Type(), token, rings.tokens, type);
  auto choice = scf::IfOp::create(
      builder, loc, follows,
      [&](OpBuilder &inside, Location) {
        scf::YieldOp::create(inside, loc, popElement(inside, loc, type));
      },
      [&](OpBuilder &inside, Location) {
        scf::YieldOp::create(inside, loc, getHeld(inside));
      });
  return choice.getResult(0);
}

void ComputeProgram::lowerPops(Block &body) {
  SmallVector<PopOperandOp> pops;
  // A case may hold a pair of its own, which pops from queues of its own.
  body.walk([&](PopOperandOp pop) {
    if (!pop->getParentOfType<ComputeLoopOp>())
      pops.push_back(pop);
  });
  for (PopOperandOp pop : pops) {
    if (pop.getSize()) {
      if (!popWhereLoaded(pop))
        popIntoMemory(pop);
      continue;
    }
    OpBuilder builder(pop);
    pop.replaceAllUsesWith(
        popElement(builder, pop.getLoc(), pop.getResult().getType()));
    pop.erase();
  }
}

/// The only use of `buffer`, if it loads element k in iteration k of a loop in
/// the same block that runs as often as the buffer is long.
static memref::LoadOp getInOrderLoad(PopOperandOp buffer) {
  if (!buffer.getResult().hasOneUse())
    return nullptr;
  auto load = dyn_cast<memref::LoadOp>(*buffer.getResult().getUsers().begin());
  if (!load)
    return nullptr;
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop || loop->getBlock() != buffer->getBlock() ||
      load.getIndices().front() != loop.getInductionVar() ||
      !isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1) ||
      !isEqualConstantIntOrValue(loop.getUpperBound(), buffer.getSize()))
    return nullptr;
  return load;
}

/// True if nothing between `buffer` and the end of `reader` uses the queues, so
/// that popping the buffer may wait until `reader`. Pops before it have been
/// lowered already, those after it not yet.
static bool mayWaitUntil(scf::ForOp reader, PopOperandOp buffer) {
  for (Operation *op = buffer->getNextNode(); op; op = op->getNextNode()) {
    WalkResult walk =
        op->walk([](PopOperandOp) { return WalkResult::interrupt(); });
    if (walk.wasInterrupted())
      return false;
    if (op == reader)
      return true;
  }
  return false;
}

/// Replaces the loads of a buffer's elements by pops, so that none is copied.
bool ComputeProgram::popWhereLoaded(PopOperandOp buffer) {
  memref::LoadOp load = getInOrderLoad(buffer);
  if (!load)
    return false;
  auto reader = cast<scf::ForOp>(load->getParentOp());
  if (!mayWaitUntil(reader, buffer))
    return false;
  OpBuilder builder(load);
  load.replaceAllUsesWith(
      popElement(builder, load.getLoc(), buffer.getEntryType()));
  load.erase();
  buffer.erase();
  return true;
}

/// Memory for the elements of `pop`: one piece for all tokens if the size is
/// the same for all.
Value ComputeProgram::allocateBuffer(PopOperandOp pop) {
  OpBuilder builder(pop);
  Location loc = pop.getLoc();
  Value size = pop.getSize();
  APInt constant;
  bool isFixed = !tokens->isAncestor(size.getParentRegion()->getParentOp());
  if (matchPattern(size, m_ConstantInt(&constant))) {
    builder.setInsertionPoint(tokens);
    size =
        arith::ConstantIndexOp::create(builder, loc, constant.getSExtValue());
    isFixed = true;
  }
  if (isFixed)
    builder.setInsertionPoint(tokens);
  // A traversal of nothing pushes nothing, whatever its bounds say.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  size = arith::MaxSIOp::create(builder, loc, size, zero);
  Value memory = memref::AllocOp::create(
      builder, loc, cast<MemRefType>(pop.getResult().getType()),
      ValueRange{size});
  if (isFixed)
    builder.setInsertionPointAfter(tokens);
  else
    builder.setInsertionPoint(pop->getBlock()->getTerminator());
  memref::DeallocOp::create(builder, loc, memory);
  return memory;
}

void ComputeProgram::popIntoMemory(PopOperandOp buffer) {
  Value memory = allocateBuffer(buffer);
  OpBuilder builder(buffer);
  Location loc = buffer.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  scf::ForOp::create(builder, loc, zero, buffer.getSize(), one, ValueRange(),
                     [&](OpBuilder &inside, Location, Value k, ValueRange) {
                       Value element =
                           popElement(inside, loc, buffer.getEntryType());
                       memref::StoreOp::create(inside, loc, element, memory, k);
                       scf::YieldOp::create(inside, loc);
                     });
  buffer.replaceAllUsesWith(memory);
  buffer.erase();
}
