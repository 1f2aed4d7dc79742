//===- ChunkReservation.cpp - Operands that stay in a chunk ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkReservation.h"

#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::tmu;
using ember::slc::Event;

std::optional<int64_t> ember::tmu::getConstantSteps(TUOpInterface unit) {
  std::optional<int64_t> length;
  if (auto dense = dyn_cast<SetDnsTUOp>(unit.getOperation())) {
    auto lower = getConstantIntValue(dense.getLowerBound());
    auto upper = getConstantIntValue(dense.getUpperBound());
    int64_t difference;
    if (lower && upper && !llvm::SubOverflow(*upper, *lower, difference))
      length = difference;
  } else if (auto indexed = dyn_cast<SetIdxTUOp>(unit.getOperation())) {
    length = getConstantIntValue(indexed.getSize());
  }
  if (!length)
    return std::nullopt;
  auto step = getConstantIntValue(unit.getStep());
  if (!step)
    return std::nullopt;
  return llvm::divideCeil(static_cast<uint64_t>(std::max<int64_t>(*length, 0)),
                          static_cast<uint64_t>(*step));
}

namespace {
/// What is pushed at the events of one fiber, in bytes, in its order.
struct TokenOperands {
  SetControlTokenOp token;
  SmallVector<int64_t> before, inside, behind;
  /// Some are of another layer than the token.
  bool isSpread = false;
};

/// Bytes of a row of operands, each aligned to its size, wherever it begins.
class WorstRow {
public:
  void add(int64_t bytes) {
    // What comes before leaves at least its own alignment.
    if (bytes > aligned)
      total += bytes - aligned;
    total += bytes;
    aligned = bytes;
  }
  void add(ArrayRef<int64_t> row) {
    for (int64_t bytes : row)
      add(bytes);
  }
  /// The same row `count` times: all but the first one take as much.
  void add(ArrayRef<int64_t> row, int64_t count) {
    if (count == 0 || row.empty())
      return;
    add(row);
    if (count == 1)
      return;
    int64_t first = total;
    add(row);
    int64_t rest;
    if (llvm::MulOverflow(total - first, count - 2, rest) ||
        llvm::AddOverflow(total, rest, total))
      total = INT64_MAX;
  }
  int64_t getTotal() const { return total; }

private:
  int64_t total = 0, aligned = 1;
};
} // namespace

static bool mayFollow(ProgramOp program, Value value) {
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      program, program.getComputeAttr());
  auto tokens = cast<ring::TokensType>(function.getArgumentTypes().back());
  return tokens.mayFollow(slc::getStreamElementType(value.getType()));
}

static llvm::MapVector<int64_t, TokenOperands>
collectOperands(ProgramOp program) {
  llvm::MapVector<int64_t, TokenOperands> tokens;
  auto &body = program.getConfiguration().front();
  for (auto token : body.getOps<SetControlTokenOp>()) {
    TokenOperands &operands = tokens[static_cast<int64_t>(token.getId())];
    operands.token = token;
    // A value that does not fit the token comes first.
    if (token.getValue() && mayFollow(program, token.getValue()))
      operands.before.push_back(wordBytes);
  }
  for (auto operand : body.getOps<SetOperandOp>()) {
    TokenOperands &operands = tokens[static_cast<int64_t>(operand.getId())];
    auto &row = operand.getEvent() == Event::beg   ? operands.before
                : operand.getEvent() == Event::ite ? operands.inside
                                                   : operands.behind;
    row.push_back(getOperandBytes(operand.getOperandType()));
    operands.isSpread |= operand.getLayer() != operands.token.getLayer();
  }
  return tokens;
}

/// The bytes to reserve; nothing where a row may have any length, or other
/// tokens come between.
static std::optional<int64_t> getReserved(const TokenOperands &operands) {
  SetControlTokenOp token = operands.token;
  if (operands.isSpread)
    return std::nullopt;
  WorstRow row;
  row.add(operands.before);
  if (token.getEvent() == Event::ite) {
    row.add(operands.inside);
    return row.getTotal();
  }
  bool isAnnounced = token.getAnnounced();
  if (operands.inside.empty() && !isAnnounced) {
    bool isAtOneEvent = token.getEvent() == Event::beg ||
                        operands.before.empty() ||
                        (token.getValue() && operands.before.size() == 1);
    row.add(operands.behind);
    return isAtOneEvent ? std::optional(row.getTotal()) : std::nullopt;
  }
  // While the fiber of an announced token lasts, nothing else is pushed.
  auto layer = token.getLayer().getDefiningOp<LayerOpInterface>();
  auto steps =
      getConstantSteps(layer.getUnits().front().getDefiningOp<TUOpInterface>());
  if (!isAnnounced)
    return std::nullopt;
  if (!operands.inside.empty()) {
    if (!steps)
      return std::nullopt;
    row.add(operands.inside, *steps);
  }
  row.add(operands.behind);
  return row.getTotal();
}

LogicalResult ember::tmu::reserveChunks(ProgramOp program,
                                        MachineAttr machine) {
  int64_t room = machine.getChunk() - machine.getTokens();
  for (auto &[id, operands] : collectOperands(program)) {
    std::optional<int64_t> bytes = getReserved(operands);
    bool isRow = operands.token.getAnnounced() && !operands.inside.empty();
    if (bytes && *bytes > room) {
      // A long row may go on in the next chunk.
      if (!isRow)
        return operands.token.emitOpError("has operands of ")
               << *bytes << " bytes, but a chunk of the output queue has "
               << room << " for them";
      bytes = std::nullopt;
    }
    if (bytes)
      operands.token.setReserve(*bytes);
    else
      operands.token.removeReserveAttr();
  }
  return success();
}
