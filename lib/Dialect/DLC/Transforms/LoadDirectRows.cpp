//===- LoadDirectRows.cpp - Rows that the execute unit finds itself -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %v = mem_str %own[%i, %e]
//   register_callback %vertices, ite, 0    register_callback %vertices, ite, 0
//   register_operand %v for 1
//   case 0 {                               case 0 {
//   ^bb0(%b):                              ^bb0(%b):
//     yield %b + 1                   =>      yield %b + 1
//   }                                      }
//   case 1 {                               case 1 {
//   ^bb0(%b):                              ^bb0(%b):
//     for %k { pop_operand } }               for %k { load %own[%b, 16 * %k] }
//     }
//
//===----------------------------------------------------------------------===//

#include "PoppedRow.h"

#include "ember/Analysis/IndexExpr.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::dlc {
#define GEN_PASS_DEF_LOADDIRECTROWS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

namespace {
/// Rows of one program that follow its outermost unit.
class DirectRows {
public:
  explicit DirectRows(ComputeLoopOp loop);

  /// Returns how many rows are loaded instead of popped.
  unsigned run();

private:
  bool counts(unsigned number, int64_t step);
  bool isDirect(PoppedRow row);
  void load(PoppedRow row, Block &body);

  ComputeLoopOp loop;
  SmallVector<CaseParts> cases;
  NewTUOp root;
  /// The register that has the iteration of `root`.
  std::optional<unsigned> counter;
};
} // namespace

/// What `value`, of a region of a program, is outside of it.
static Value getOutside(Value value) {
  Value captured = getCaptured(value);
  return captured ? captured : value;
}

DirectRows::DirectRows(ComputeLoopOp loop)
    : loop(loop), cases(collectCases(loop)) {
  for (auto unit : loop.getProgram().getAccessBody()->getOps<NewTUOp>())
    if (!unit.getParent())
      root = unit;
  std::optional<int64_t> step =
      root ? getConstantIntValue(root.getStep()) : std::nullopt;
  if (!step || root.getVectorLength())
    return;
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    if (counts(number, *step))
      counter = number;
}

/// True if the register begins one step before the first iteration of `root`,
/// and a case that each iteration begins with, and no other one, adds the step.
bool DirectRows::counts(unsigned number, int64_t step) {
  IndexExprs exprs;
  Value init = loop.getIterArgs()[number];
  if (!init.getType().isIndex() ||
      (exprs.of(getOutside(init)) - exprs.of(getOutside(root.getLowerBound())))
              .asConstant() != -step)
    return false;
  bool isCounted = false;
  for (CaseParts &parts : cases) {
    Value before = parts.body->getArgument(number);
    Value behind = parts.body->getTerminator()->getOperand(number);
    if (before == behind)
      continue;
    RegisterCallbackOp callback = parts.callback;
    auto sum = behind.getDefiningOp<arith::AddIOp>();
    if (isCounted || !sum || sum.getLhs() != before ||
        getConstantIntValue(sum.getRhs()) != step || callback.getTu() != root ||
        callback.getEvent() != Event::ite || callback.getMask() ||
        callback.getToggle())
      return false;
    isCounted = true;
  }
  return isCounted;
}

/// True if the row stays for more than one traversal, and what selects it is
/// what the counter has, or the same for all of the program.
bool DirectRows::isDirect(PoppedRow row) {
  bool isCounted = false;
  for (Value index : row.source.getIndices().drop_back()) {
    if (getCaptured(index))
      continue;
    auto visited = index.getDefiningOp<GetIndVarOp>();
    if (!visited || visited.getTu() != root)
      return false;
    isCounted = true;
  }
  return isCounted && row.unit.getParentUnit() != root && row.unit != root;
}

void DirectRows::load(PoppedRow row, Block &body) {
  MemStrOp source = row.source;
  Location loc = source.getLoc();
  OpBuilder builder(row.pop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value memory = loop.getProgram().getInCompute(builder, source.getMemref());
  SmallVector<Value> indices;
  for (Value index : source.getIndices().drop_back())
    indices.push_back(getCaptured(index)
                          ? loop.getProgram().getInCompute(builder, index)
                          : body.getArgument(*counter));
  Value place = builder.createOrFold<arith::MulIOp>(
      loc, row.walk.getInductionVar(), constant(row.lanes));
  Value column =
      builder.createOrFold<arith::AddIOp>(loc, place, constant(row.begin));
  indices.push_back(column);
  Value popped = row.pop.getResult();
  auto vector = dyn_cast<VectorType>(popped.getType());
  Value value;
  if (!vector) {
    value = memref::LoadOp::create(builder, loc, memory, indices);
  } else if (!source.getMask()) {
    value = vector::LoadOp::create(builder, loc, vector, memory, indices);
  } else {
    Value left =
        builder.createOrFold<arith::SubIOp>(loc, constant(row.end), column);
    Value mask = vector::CreateMaskOp::create(
        builder, loc, VectorType::get(row.lanes, builder.getI1Type()), left);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
    value = vector::MaskedLoadOp::create(builder, loc, vector, memory, indices,
                                         mask, zero);
  }
  popped.replaceAllUsesWith(value);
  row.pop.erase();
  row.push.erase();
}

unsigned DirectRows::run() {
  unsigned loaded = 0;
  if (!counter)
    return loaded;
  for (CaseParts &parts : cases)
    for (size_t number = 0; number < parts.pops.size(); ++number)
      if (std::optional<PoppedRow> row = PoppedRow::of(parts, number);
          row && isDirect(*row)) {
        load(*row, *parts.body);
        ++loaded;
      }
  return loaded;
}

namespace {
struct LoadDirectRows : public dlc::impl::LoadDirectRowsBase<LoadDirectRows> {
  using LoadDirectRowsBase::LoadDirectRowsBase;

  void runOnOperation() override {
    for (ProgramOp program : getNumberedPrograms(getOperation()))
      loaded += DirectRows(program.getComputeLoop()).run();
  }
};
} // namespace
