//===- ChunkCode.cpp - Tokens and operands out of chunks ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkCode.h"

#include "ember/Conversion/RingToNative/OperandAccess.h"
#include "ember/Conversion/RingToNative/TokenLayout.h"
#include "ember/Conversion/RingToTMU/UnitRegisters.h"
#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::ring;

/// Ends a program; other words with its id say to go on to the next chunk.
static constexpr int64_t endWord = -1;
/// That word where the whole word is the id.
static constexpr int64_t nextWord = -2;

namespace {
/// The code of one compute half. Where it stands in the chunk is in memory that
/// becomes registers.
class ChunkCode {
public:
  ChunkCode(func::FuncOp compute, tmu::ProgramOp program, Value registers);

  void lower(Operation *op);

private:
  Value constant(Location loc, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value createPointer(Location loc) {
    return LLVM::AllocaOp::create(builder, loc, pointer, pointer,
                                  constant(loc, 1));
  }
  Value load(Location loc, Value place) {
    return LLVM::LoadOp::create(builder, loc, pointer, place);
  }
  void store(Location loc, Value value, Value place) {
    LLVM::StoreOp::create(builder, loc, value, place);
  }
  Value offset(Location loc, Value base, int64_t bytes) {
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  void takeChunk(Location loc);
  void goOn(Location loc);
  Value popToken(Location loc, const TokenLayout &layout, bool hasIds);
  Value findOperand(Location loc, int64_t bytes, bool isChecked);

  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  tmu::MachineAttr machine;
  Value registers;
  /// Where the next token and operand are, and where the chunk ends.
  Value tokens, operands, end;
  /// Whose operands never cross the end of a chunk.
  llvm::DenseSet<int64_t> reserved;
  llvm::DenseMap<Value, Value> places;
};
} // namespace

ChunkCode::ChunkCode(func::FuncOp compute, tmu::ProgramOp program,
                     Value registers)
    : builder(compute.getContext()),
      pointer(LLVM::LLVMPointerType::get(compute.getContext())),
      machine(program.getMachineAttr()), registers(registers) {
  program.walk([&](tmu::SetControlTokenOp token) {
    if (token.getReserve())
      reserved.insert(static_cast<int64_t>(token.getId()));
  });
  Location loc = compute.getLoc();
  builder.setInsertionPointToStart(&compute.front());
  tokens = createPointer(loc);
  operands = createPointer(loc);
  end = createPointer(loc);
  takeChunk(loc);
}

/// Waits for a chunk.
void ChunkCode::takeChunk(Location loc) {
  Value place = offset(loc, registers, tmu::chunkRegister);
  Value chunk = LLVM::LoadOp::create(builder, loc, pointer, place,
                                     /*alignment=*/8, /*isVolatile=*/true);
  store(loc, chunk, tokens);
  store(loc, offset(loc, chunk, machine.getTokens()), operands);
  store(loc, offset(loc, chunk, machine.getChunk()), end);
}

void ChunkCode::goOn(Location loc) {
  Value place = offset(loc, registers, tmu::handBackRegister);
  LLVM::StoreOp::create(builder, loc, constant(loc, 0), place, /*alignment=*/8,
                        /*isVolatile=*/true);
  takeChunk(loc);
}

Value ChunkCode::popToken(Location loc, const TokenLayout &layout,
                          bool hasIds) {
  Type word = builder.getI64Type();
  auto read = [&]() -> Value {
    return LLVM::LoadOp::create(builder, loc, word, load(loc, tokens));
  };
  auto skip = scf::WhileOp::create(builder, loc, TypeRange{word}, ValueRange{});
  builder.createBlock(&skip.getBefore());
  Value token = read();
  Value isNext;
  if (hasIds) {
    Value isControl = arith::XOrIOp::create(
        builder, loc, layout.getMore(builder, loc, token),
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
    Value isNoEnd = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, token, constant(loc, endWord));
    isNext = arith::AndIOp::create(builder, loc, isControl, isNoEnd);
  } else {
    isNext = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   token, constant(loc, nextWord));
  }
  scf::ConditionOp::create(builder, loc, isNext, token);
  builder.createBlock(&skip.getAfter(), {}, word, loc);
  goOn(loc);
  scf::YieldOp::create(builder, loc);
  builder.setInsertionPointAfter(skip);
  store(loc, offset(loc, load(loc, tokens), tmu::wordBytes), tokens);
  return skip.getResult(0);
}

/// Where the next operand is, at a multiple of its size.
Value ChunkCode::findOperand(Location loc, int64_t bytes, bool isChecked) {
  Type word = builder.getI64Type();
  Value before =
      LLVM::PtrToIntOp::create(builder, loc, word, load(loc, operands));
  Value rounded =
      arith::AddIOp::create(builder, loc, before, constant(loc, bytes - 1));
  Value place =
      arith::AndIOp::create(builder, loc, rounded, constant(loc, -bytes));
  if (isChecked) {
    Value last = LLVM::PtrToIntOp::create(builder, loc, word, load(loc, end));
    Value behind =
        arith::AddIOp::create(builder, loc, place, constant(loc, bytes));
    Value isPast = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ugt, behind, last);
    auto choice = scf::IfOp::create(builder, loc, TypeRange{word}, isPast,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(choice.thenBlock());
    goOn(loc);
    Value first =
        LLVM::PtrToIntOp::create(builder, loc, word, load(loc, operands));
    scf::YieldOp::create(builder, loc, first);
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, place);
    builder.setInsertionPointAfter(choice);
    place = choice.getResult(0);
  }
  return LLVM::IntToPtrOp::create(builder, loc, pointer, place);
}

void ChunkCode::lower(Operation *op) {
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto bytesOf = [](TypedValue<SlotType> slot) {
    return tmu::getOperandBytes(slot.getType().getOperandType());
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](WaitOp wait) {
        auto slot = wait.getSlot();
        places[slot] = findOperand(
            loc, bytesOf(slot),
            !reserved.contains(static_cast<int64_t>(wait.getToken())));
      })
      .Case([&](LoadOp load) {
        load.getValue().replaceAllUsesWith(loadOperand(
            builder, loc, load.getValue().getType(),
            places.lookup(load.getSlot()), bytesOf(load.getSlot())));
      })
      .Case([&](ReleaseOp release) {
        Value behind = offset(loc, places.lookup(release.getSlot()),
                              bytesOf(release.getSlot()));
        store(loc, behind, operands);
      })
      .Case([&](PopOp pop) {
        TokenLayout layout(pop.getRing().getType());
        Value token =
            popToken(loc, layout, pop.getRing().getType().getIdBits() != 0);
        pop.getMore().replaceAllUsesWith(layout.getMore(builder, loc, token));
        pop.getToken().replaceAllUsesWith(token);
      })
      .Case([&](TokenIdOp id) {
        TokenLayout layout(id.getRing().getType());
        id.getId().replaceAllUsesWith(
            layout.getId(builder, loc, id.getToken()));
      })
      .Case([&](TokenFollowsOp follows) {
        TokenLayout layout(follows.getRing().getType());
        follows.getResult().replaceAllUsesWith(
            layout.getFollows(builder, loc, follows.getToken()));
      })
      .Case([&](TokenValueOp value) {
        TokenLayout layout(value.getRing().getType());
        value.getValue().replaceAllUsesWith(layout.getValue(
            builder, loc, value.getValue().getType(), value.getToken()));
      });
}

LogicalResult ember::lowerComputeHalf(func::FuncOp compute,
                                      tmu::ProgramOp program) {
  if (compute.isExternal())
    return compute.emitOpError("is the compute half of a program, but has no "
                               "body");
  BitVector rings(compute.getNumArguments());
  for (auto [number, type] : llvm::enumerate(compute.getArgumentTypes()))
    if (isRing(type))
      rings.set(number);
  MLIRContext *context = compute.getContext();
  unsigned last = compute.getNumArguments();
  if (failed(compute.insertArgument(last, LLVM::LLVMPointerType::get(context),
                                    {}, compute.getLoc())))
    return failure();
  SmallVector<Operation *> ops;
  compute.walk([&](Operation *op) {
    if (isOfHalf(op))
      ops.push_back(op);
  });
  ChunkCode code(compute, program, compute.getArgument(last));
  for (Operation *op : ops)
    code.lower(op);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  rings.push_back(false);
  compute->removeAttr(RingDialect::halfAttr);
  return compute.eraseArguments(rings);
}
