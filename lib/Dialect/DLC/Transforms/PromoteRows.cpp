//===- PromoteRows.cpp - Rows that cases add to, in registers -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compute_loop iter_args(-1)           %row = alloca
//   case 1 {                             compute_loop iter_args(-1, false)
//   ^bb0(%b):                            case 1 {
//     %v = pop_operand                   ^bb0(%b, %begun):
//     %a = load %out[%b, 0]                %v = pop_operand
//     store %a + %v, %out[%b, 0]           %a = load %row[0]
//     yield %b                             store %a + %v, %row[0]
//   }                                      yield %b, %begun
//   case 0 {                       =>    }
//   ^bb0(%b):                            case 0 {
//     %n = %b + 1                        ^bb0(%b, %begun):
//     store 0, %out[%n, 0]                 if %begun { copy %row to %out[%b] }
//     yield %n                             %n = %b + 1
//   }                                      copy %out[%n] to %row
//                                          store 0, %row[0]
//                                          yield %n, true
//                                        }
//                                        if %begun { copy %row to %out[%b] }
//
// Loops over a row that is known to be short are unrolled by LLVM, which then
// keeps the row in registers.
//
//===----------------------------------------------------------------------===//

#include "ComputeLoopEditing.h"

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::dlc {
#define GEN_PASS_DEF_PROMOTEROWS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
/// An index of the row: of a register of the execute unit, or fixed.
struct RowIndex {
  unsigned number = 0;
  Value fixed;
};

/// Memory of which the cases of a program work on one row at a time.
class RowPromotion {
public:
  RowPromotion(ComputeLoopOp &loop, BlockArgument memory)
      : loop(loop), memory(memory), type(cast<MemRefType>(memory.getType())) {}

  /// True if nothing that the program does needs rows in memory.
  bool isPossible(const MemoryAliasing &aliasing);
  /// How many registers of `bits` a row takes.
  int64_t countRegisters(int64_t bits) const;
  void run();

private:
  bool isAlone(const MemoryAliasing &aliasing);
  bool collect();
  bool findRow();
  bool isOfRow(const MemoryAccess &access, ValueRange registers);
  bool sortCases();

  SmallVector<Value> rowOf(ValueRange registers);
  Value read(OpBuilder &builder, Value base, ValueRange indices, Value mask);
  void write(OpBuilder &builder, Value value, Value base, ValueRange indices,
             Value mask);
  void copy(OpBuilder &builder, ValueRange registers, bool isWriteBack);
  void prefetch(OpBuilder &builder, ValueRange registers);
  void writeBack(OpBuilder &builder, ValueRange registers);
  void begin(Block &body);
  bool endsWithRow(const MemoryAccess &access) const;
  void replace(const MemoryAccess &access);

  ComputeLoopOp &loop;
  BlockArgument memory;
  MemRefType type;
  /// By case.
  llvm::MapVector<Block *, SmallVector<MemoryAccess>> accesses;
  SmallVector<RowIndex> row;
  /// Cases that go on to another row.
  SmallVector<Block *> begins;
  /// The most elements that an access has.
  int64_t lanes = 1;
  /// The number of the register that says whether there is a row.
  unsigned begun = 0;
  Value buffer;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is possible
//===----------------------------------------------------------------------===//

/// No other memory that the program uses has elements of `memory`, and all that
/// the compute program does with memory is known.
bool RowPromotion::isAlone(const MemoryAliasing &aliasing) {
  ProgramOp program = loop.getProgram();
  for (BlockArgument other : program.getComputeBody()->getArguments())
    if (other != memory && isa<BaseMemRefType>(other.getType()) &&
        aliasing.alias(getCaptured(memory), getCaptured(other)))
      return false;
  BlockArgument streamed =
      program.getAccessBody()->getArgument(memory.getArgNumber());
  if (!streamed.use_empty())
    return false;
  WalkResult walk = program.getCompute().walk([&](Operation *op) {
    bool isKnown = isMemoryEffectFree(op) ||
                   op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   isa<DLCDialect, EmberDialect>(op->getDialect()) ||
                   forEachMemRefEffect(op, [](Value, bool) {});
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// True if each value that `index` takes will be a constant once loops are
/// unrolled.
static bool isKnownOnceUnrolled(Value index) {
  if (getConstantIntValue(index))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto walk = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return walk && index == walk.getInductionVar() && walk.getStaticTripCount();
  }
  Operation *op = index.getDefiningOp();
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
         llvm::all_of(op->getOperands(), isKnownOnceUnrolled);
}

bool RowPromotion::collect() {
  for (Operation *user : memory.getUsers()) {
    if (isa<memref::DimOp>(user))
      continue;
    std::optional<MemoryAccess> access = MemoryAccess::of(user);
    Block *body = user->getBlock();
    while (body && body->getParentOp() != loop)
      body = body->getParentOp()->getBlock();
    if (!access || access->memref != memory || access->stored == memory ||
        !body || !isKnownOnceUnrolled(access->indices.back()))
      return false;
    auto vector = dyn_cast<VectorType>(access->type);
    if (vector && (vector.getRank() != 1 || vector.isScalable()))
      return false;
    lanes = std::max(lanes, vector ? vector.getNumElements() : 1);
    accesses[body].push_back(*access);
  }
  return true;
}

/// The registers of `body` behind its case.
static ValueRange nextRegisters(Block *body) {
  return body->getTerminator()->getOperands();
}

/// The row is what a case finds in registers and stores to.
bool RowPromotion::findRow() {
  for (auto &[body, found] : accesses)
    for (const MemoryAccess &access : found) {
      if (!access.isStore())
        continue;
      row.clear();
      bool isKept = false;
      for (Value index : access.indices.drop_back()) {
        RowIndex one;
        auto argument = dyn_cast<BlockArgument>(index);
        if (argument && argument.getOwner() == body) {
          one.number = argument.getArgNumber();
          isKept = true;
        } else if (index.getParentRegion()->isProperAncestor(
                       body->getParent())) {
          one.fixed = index;
        } else {
          isKept = false;
          break;
        }
        row.push_back(one);
      }
      if (isKept && row.size() + 1 == access.indices.size())
        return true;
    }
  return false;
}

SmallVector<Value> RowPromotion::rowOf(ValueRange registers) {
  return llvm::map_to_vector(row, [&](const RowIndex &index) {
    return index.fixed ? index.fixed : registers[index.number];
  });
}

bool RowPromotion::isOfRow(const MemoryAccess &access, ValueRange registers) {
  return llvm::equal(access.indices.drop_back(), rowOf(registers));
}

/// True if `op` runs whenever the case `body` does.
static bool runsAlways(Operation *op, Block *body) {
  while (op->getBlock() != body) {
    auto walk = dyn_cast<scf::ForOp>(op->getParentOp());
    std::optional<APInt> trips =
        walk ? walk.getStaticTripCount() : std::nullopt;
    if (!trips || trips->isZero())
      return false;
    op = walk;
  }
  return true;
}

/// Each case either stays in its row, or goes on to another one, of which it
/// then uses some element: there is such a row.
bool RowPromotion::sortCases() {
  for (Region &region : loop.getCaseRegions()) {
    Block *body = &region.front();
    ArrayRef<MemoryAccess> mine = accesses[body];
    SmallVector<Value> registers(body->getArguments());
    bool stays = llvm::equal(rowOf(registers), rowOf(nextRegisters(body)));
    if (!stays) {
      begins.push_back(body);
      registers = SmallVector<Value>(nextRegisters(body));
      if (llvm::none_of(mine, [&](const MemoryAccess &access) {
            return runsAlways(access.op, body);
          }))
        return false;
    }
    if (!llvm::all_of(mine, [&](const MemoryAccess &access) {
          return isOfRow(access, registers);
        }))
      return false;
  }
  return !begins.empty();
}

bool RowPromotion::isPossible(const MemoryAliasing &aliasing) {
  Type element = type.getElementType();
  return type.getRank() > 1 && type.getShape().back() > 0 &&
         element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0 &&
         collect() && findRow() && sortCases() && isAlone(aliasing);
}

int64_t RowPromotion::countRegisters(int64_t bits) const {
  int64_t length = type.getShape().back();
  if (lanes == 1)
    return length;
  return static_cast<int64_t>(llvm::divideCeil(
      length, std::max<int64_t>(1, bits / type.getElementTypeBitWidth())));
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// `lanes` elements from `indices` on; where there is a mask, those it has on.
Value RowPromotion::read(OpBuilder &builder, Value base, ValueRange indices,
                         Value mask) {
  Location loc = loop.getLoc();
  if (lanes == 1)
    return memref::LoadOp::create(builder, loc, base, indices);
  auto vector = VectorType::get(lanes, type.getElementType());
  if (!mask)
    return vector::LoadOp::create(builder, loc, vector, base, indices);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  return vector::MaskedLoadOp::create(builder, loc, vector, base, indices, mask,
                                      zero);
}

void RowPromotion::write(OpBuilder &builder, Value value, Value base,
                         ValueRange indices, Value mask) {
  Location loc = loop.getLoc();
  if (lanes == 1)
    memref::StoreOp::create(builder, loc, value, base, indices);
  else if (!mask)
    vector::StoreOp::create(builder, loc, value, base, indices);
  else
    vector::MaskedStoreOp::create(builder, loc, base, indices, mask, value);
}

/// Copies the row that `registers` select to the buffer, or back.
void RowPromotion::copy(OpBuilder &builder, ValueRange registers,
                        bool isWriteBack) {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t length = type.getShape().back();
  Value end = constant(length);
  auto walk =
      scf::ForOp::create(builder, loc, constant(0), end, constant(lanes));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(walk.getBody());
  Value column = walk.getInductionVar();
  SmallVector<Value> indices = rowOf(registers);
  indices.push_back(column);
  Value mask;
  if (length % lanes != 0) {
    Value left = arith::SubIOp::create(builder, loc, end, column);
    mask = vector::CreateMaskOp::create(
        builder, loc, VectorType::get(lanes, builder.getI1Type()), left);
  }
  if (isWriteBack)
    write(builder, read(builder, buffer, column, Value()), memory, indices,
          mask);
  else
    write(builder, read(builder, memory, indices, mask), buffer, column,
          Value());
}

/// Has the lines that the row will be written back to come meanwhile: stores
/// that wait for them would have what the core tells the access unit wait, too.
void RowPromotion::prefetch(OpBuilder &builder, ValueRange registers) {
  Location loc = loop.getLoc();
  int64_t line = TargetAttr::of(loop).getCacheLineBytes() * 8 /
                 type.getElementTypeBitWidth();
  for (int64_t column = 0; column < type.getShape().back(); column += line) {
    SmallVector<Value> indices = rowOf(registers);
    indices.push_back(arith::ConstantIndexOp::create(builder, loc, column));
    memref::PrefetchOp::create(builder, loc, memory, indices, /*isWrite=*/true,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// Writes the row of `registers` back, if there is one.
void RowPromotion::writeBack(OpBuilder &builder, ValueRange registers) {
  auto exists =
      scf::IfOp::create(builder, loop.getLoc(), registers[begun], false);
  OpBuilder inside = exists.getThenBodyBuilder();
  copy(inside, registers, /*isWriteBack=*/true);
}

/// At the begin of a row the last one goes back to memory.
void RowPromotion::begin(Block &body) {
  auto builder = OpBuilder::atBlockBegin(&body);
  writeBack(builder, body.getArguments());
  Operation *first = nullptr;
  for (const MemoryAccess &access : accesses[&body]) {
    Operation *op = body.findAncestorOpInBlock(*access.op);
    if (!first || op->isBeforeInBlock(first))
      first = op;
  }
  builder.setInsertionPoint(first);
  copy(builder, nextRegisters(&body), /*isWriteBack=*/false);
  prefetch(builder, nextRegisters(&body));
  Value yes = arith::ConstantIntOp::create(builder, loop.getLoc(), 1, 1);
  body.getTerminator()->setOperand(begun, yes);
}

/// True if the mask leaves out nothing but what is behind the row.
bool RowPromotion::endsWithRow(const MemoryAccess &access) const {
  auto mask = access.mask.getDefiningOp<vector::CreateMaskOp>();
  auto left = mask ? mask.getOperands().back().getDefiningOp<arith::SubIOp>()
                   : arith::SubIOp();
  return left && left.getRhs() == access.indices.back() &&
         getConstantIntValue(left.getLhs()) == type.getShape().back();
}

/// Has the access go to the buffer. What masks leave out is read and written,
/// too: registers have no masks. What is behind the row is never written back.
void RowPromotion::replace(const MemoryAccess &access) {
  OpBuilder builder(access.op);
  Location loc = access.op->getLoc();
  Value column = access.indices.back();
  auto vector = dyn_cast<VectorType>(access.type);
  auto load = [&]() -> Value {
    if (!vector)
      return memref::LoadOp::create(builder, loc, buffer, column);
    return vector::LoadOp::create(builder, loc, vector, buffer, column);
  };
  if (!access.isStore()) {
    Value value = load();
    if (access.mask)
      value = arith::SelectOp::create(builder, loc, access.mask, value,
                                      access.passThrough);
    access.op->getResult(0).replaceAllUsesWith(value);
  } else {
    Value value = access.stored;
    if (access.mask && !endsWithRow(access))
      value = arith::SelectOp::create(builder, loc, access.mask, value, load());
    if (vector)
      vector::StoreOp::create(builder, loc, value, buffer, column);
    else
      memref::StoreOp::create(builder, loc, value, buffer, column);
  }
  access.op->erase();
}

void RowPromotion::run() {
  begun = loop.getNumResults();
  OpBuilder builder(loop);
  addRegisters(loop, builder.getI1Type());
  builder.setInsertionPoint(loop);
  // The last vector may end behind the row.
  int64_t length = type.getShape().back();
  bool isMasked = llvm::any_of(accesses, [](const auto &found) {
    return llvm::any_of(found.second,
                        [](const auto &access) { return bool(access.mask); });
  });
  if (isMasked || length % lanes != 0)
    length += lanes - 1;
  buffer = memref::AllocaOp::create(
      builder, loop.getLoc(), MemRefType::get(length, type.getElementType()),
      builder.getI64IntegerAttr(64));
  for (Block *body : begins)
    begin(*body);
  for (auto &[body, found] : accesses)
    for (const MemoryAccess &access : found)
      replace(access);
  builder.setInsertionPointAfter(loop);
  writeBack(builder, loop.getResults());
}

namespace {
struct PromoteRows : public dlc::impl::PromoteRowsBase<PromoteRows> {
  using PromoteRowsBase::PromoteRowsBase;

  void runOnOperation() override {
    auto target = TargetAttr::of(getOperation());
    int64_t bits = vectorBits ? vectorBits : target.getVectorBits();
    int64_t registers =
        vectorRegisters ? vectorRegisters : target.getVectorRegisters();
    if (bits <= 0)
      return;
    MemoryAliasing aliasing(getOperation(), mayAlias);
    for (ProgramOp program : getNumberedPrograms(getOperation())) {
      ComputeLoopOp loop = program.getComputeLoop();
      // As many are left for what is computed.
      int64_t left = registers / 2;
      for (BlockArgument memory : program.getComputeBody()->getArguments()) {
        if (!isa<MemRefType>(memory.getType()))
          continue;
        RowPromotion promotion(loop, memory);
        if (!promotion.isPossible(aliasing) ||
            promotion.countRegisters(bits) > left)
          continue;
        left -= promotion.countRegisters(bits);
        promotion.run();
        ++promoted;
      }
    }
  }
};
} // namespace
