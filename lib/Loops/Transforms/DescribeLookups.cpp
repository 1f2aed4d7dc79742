//===- DescribeLookups.cpp - Say which rows loops look up -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/LookupFinder.h"
#include "ember/Analysis/MemorySize.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_DESCRIBELOOKUPS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
struct DescribeLookups : impl::DescribeLookupsBase<DescribeLookups> {
  using Base::Base;
  void runOnOperation() override;

private:
  void describe(func::FuncOp function, const MemoryAliasing &aliasing);
};
} // namespace

/// Whether `row` is the value of `index`, converted.
static bool isIndexItself(Value row, memref::LoadOp index) {
  while (auto cast = row.getDefiningOp<arith::IndexCastOp>())
    row = cast.getIn();
  return row == index.getResult();
}

/// Whether an engine can find the rows of `lookup`: those of the table's first
/// dimension, from one element on.
static bool isPlain(const Lookup &lookup) {
  auto table = cast<MemRefType>(lookup.table.getType());
  auto indices = cast<MemRefType>(lookup.index->getOperand(0).getType());
  return !lookup.rows && table.getRank() <= 2 &&
         isIndexItself(lookup.start.front(), lookup.index) &&
         indices.getRank() == 1 && indices.isLastDimUnitStride() &&
         table.isLastDimUnitStride() &&
         getElementBytes(table.getElementType()) &&
         getElementBytes(indices.getElementType());
}

void DescribeLookups::describe(func::FuncOp function,
                               const MemoryAliasing &aliasing) {
  DenseSet<std::pair<Value, Value>> known;
  function.walk([&](scf::ForOp loop) {
    for (const Lookup &lookup : LookupFinder(loop, aliasing).find()) {
      Value indices = memref::LoadOp(lookup.index).getMemRef();
      Value table = lookup.table;
      // In front of all loops.
      Operation *outermost = loop;
      while (outermost->getParentOp() != function)
        outermost = outermost->getParentOp();
      auto isBefore = [&](Value value) {
        Operation *op = value.getDefiningOp();
        return !op || (op->getBlock() == outermost->getBlock() &&
                       op->isBeforeInBlock(outermost));
      };
      if (!isPlain(lookup) || !isBefore(indices) || !isBefore(table) ||
          !known.insert({indices, table}).second)
        continue;
      OpBuilder builder(outermost);
      bool isRow = cast<MemRefType>(table.getType()).getRank() == 2;
      int64_t first = isRow ? lookup.first.value_or(0) : 0;
      bool hasLength = isRow && lookup.first && lookup.length;
      DescribeLookupOp::create(builder, lookup.table.getLoc(), indices, table,
                               builder.getI64IntegerAttr(first),
                               hasLength
                                   ? builder.getI64IntegerAttr(*lookup.length)
                                   : IntegerAttr());
      ++described;
    }
  });
}

void DescribeLookups::runOnOperation() {
  auto aliasing = MemoryAliasing::forHints(getOperation());
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function.getBody().hasOneBlock())
      describe(function, aliasing);
}

} // namespace ember::loops
