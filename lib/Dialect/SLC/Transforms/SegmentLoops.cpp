//===- SegmentLoops.cpp - Loops over segments of coordinates --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLoops.h"

#include "ember/Conversion/StreamCode/SegmentCode.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace {
/// A search for the end of a segment, as the sparsifier writes it.
struct SegmentSearch {
  Value coordinates, begin, limit;
};

/// An `scf.while` over segments.
struct SegmentWhile {
  SegmentRange range;
  /// Positions of the carried begin and end of a segment.
  unsigned begin, end;
};
} // namespace

/// The loads of a vector that `lhs` and `rhs` are, after the same conversions,
/// which keep numbers apart; nothing if they are none.
static std::optional<std::pair<memref::LoadOp, memref::LoadOp>>
getCoordinateLoads(Value lhs, Value rhs) {
  auto bits = [](Type type) {
    return type.isIndex() ? IndexType::kInternalStorageBitWidth
                          : type.getIntOrFloatBitWidth();
  };
  while (true) {
    Operation *left = lhs.getDefiningOp(), *right = rhs.getDefiningOp();
    if (!left || !right || left->getName() != right->getName() ||
        lhs.getType() != rhs.getType())
      return std::nullopt;
    if (auto load = dyn_cast<memref::LoadOp>(left)) {
      auto other = cast<memref::LoadOp>(right);
      if (load.getMemRef() != other.getMemRef() ||
          load.getMemRefType().getRank() != 1)
        return std::nullopt;
      return std::pair(load, other);
    }
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
             arith::ExtUIOp>(left))
      return std::nullopt;
    Value from = left->getOperand(0);
    if (from.getType() != right->getOperand(0).getType() ||
        bits(lhs.getType()) < bits(from.getType()))
      return std::nullopt;
    lhs = from;
    rhs = right->getOperand(0);
  }
}

/// Matches `position ult limit` and returns the limit.
static Value matchIsBelow(Value condition, Value position) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
      compare.getLhs() == position)
    return compare.getRhs();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::ugt &&
      compare.getRhs() == position)
    return compare.getLhs();
  return nullptr;
}

/// True if `block` has `count` operations before its terminator.
static bool hasLength(Block &block, int64_t count) {
  return llvm::range_size(block.without_terminator()) ==
         static_cast<size_t>(count);
}

/// Matches `if %p < limit then crd[begin] = crd[%p] else false`.
static std::optional<SegmentSearch> matchIsSame(scf::IfOp goesOn, Value begin,
                                                Value position) {
  if (!goesOn.elseBlock() || goesOn.getNumResults() != 1 ||
      !hasLength(*goesOn.elseBlock(), 0) ||
      !matchPattern(goesOn.elseYield().getOperand(0), m_Zero()))
    return std::nullopt;
  Value limit = matchIsBelow(goesOn.getCondition(), position);
  auto compare =
      goesOn.thenYield().getOperand(0).getDefiningOp<arith::CmpIOp>();
  if (!limit || !compare || compare->getBlock() != goesOn.thenBlock() ||
      compare.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  auto loads = getCoordinateLoads(compare.getLhs(), compare.getRhs());
  if (!loads)
    return std::nullopt;
  auto [first, other] = *loads;
  // Elsewhere, something may store to the coordinates in between.
  if (first->getBlock() != goesOn.thenBlock() ||
      other->getBlock() != goesOn.thenBlock())
    return std::nullopt;
  if (first.getIndices().front() == position)
    std::swap(first, other);
  bool isAll = llvm::all_of(
      goesOn.thenBlock()->without_terminator(), [&](Operation &op) {
        return &op == first || &op == other || isPure(&op);
      });
  if (!isAll || first.getIndices().front() != begin ||
      other.getIndices().front() != position)
    return std::nullopt;
  return SegmentSearch{first.getMemRef(), begin, limit};
}

/// Matches `%p = begin; while %p < limit and crd[begin] = crd[%p]: %p += 1`.
static std::optional<SegmentSearch> matchSearch(Value value) {
  auto loop = value.getDefiningOp<scf::WhileOp>();
  if (!loop || loop.getInits().size() != 1 || loop.getNumResults() != 1)
    return std::nullopt;
  Value position = loop.getBeforeArguments().front();
  scf::ConditionOp condition = loop.getConditionOp();
  auto goesOn = condition.getCondition().getDefiningOp<scf::IfOp>();
  auto next = loop.getYieldOp().getOperand(0).getDefiningOp<arith::AddIOp>();
  if (condition.getArgs().front() != position || !goesOn || !next ||
      !hasLength(*loop.getBeforeBody(), 2) ||
      !hasLength(*loop.getAfterBody(), 1) ||
      next.getLhs() != loop.getAfterArguments().front() ||
      !matchPattern(next.getRhs(), m_One()))
    return std::nullopt;
  return matchIsSame(goesOn, loop.getInits().front(), position);
}

/// Matches a loop over segments that carries where one begins and ends.
static std::optional<SegmentWhile> matchSegmentWhile(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  if (!hasLength(*loop.getBeforeBody(), 1) ||
      condition.getArgs() != loop.getBeforeArguments())
    return std::nullopt;
  OperandRange next = loop.getYieldOp().getResults();
  for (auto [end, value] : llvm::enumerate(next)) {
    std::optional<SegmentSearch> search = matchSearch(value);
    if (!search || search->begin != loop.getAfterArguments()[end] ||
        value.getParentBlock() != loop.getAfterBody())
      continue;
    auto begin = llvm::find(next, loop.getAfterArguments()[end]);
    if (begin == next.end())
      continue;
    SegmentWhile segments;
    segments.end = end;
    segments.begin = begin - next.begin();
    Value first = loop.getInits()[segments.begin];
    segments.range = {search->coordinates, first, search->limit};
    std::optional<SegmentSearch> initial = matchSearch(loop.getInits()[end]);
    bool isSame = initial && initial->coordinates == search->coordinates &&
                  initial->begin == first && initial->limit == search->limit;
    bool isFixed = loop.isDefinedOutsideOfLoop(search->coordinates) &&
                   loop.isDefinedOutsideOfLoop(search->limit);
    bool isRead = loop.getResult(segments.begin).use_empty() &&
                  loop.getResult(segments.end).use_empty();
    Value limit = matchIsBelow(condition.getCondition(),
                               loop.getBeforeArguments()[segments.begin]);
    if (isSame && isFixed && isRead && limit == search->limit)
      return segments;
  }
  return std::nullopt;
}

/// True if `coordinates` are the same in all iterations of `loop` as they were
/// in the search for the end of the first segment, `first`, in front of it.
static bool areUnchanged(Value coordinates, Operation *first, scf::WhileOp loop,
                         const MemoryAliasing &aliasing) {
  if (first->getBlock() != loop->getBlock())
    return false;
  for (Operation *op = first; op != loop->getNextNode(); op = op->getNextNode())
    if (!NestMemory(op, aliasing).isReadOnly(coordinates))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Erases the search that `value` was, if nobody needs it any more.
static void eraseSearch(Value value) {
  if (value.use_empty())
    value.getDefiningOp()->erase();
}

static void formSegmentLoop(scf::WhileOp loop, const SegmentWhile &segments) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  const SegmentRange &range = segments.range;
  SmallVector<Value> initial{range.lower};
  SmallVector<unsigned> others;
  for (unsigned i = 0; i < loop.getInits().size(); ++i)
    if (i != segments.begin && i != segments.end) {
      others.push_back(i);
      initial.push_back(loop.getInits()[i]);
    }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count =
      slc::SegmentCountOp::create(builder, loc, builder.getIndexType(),
                                  range.coordinates, range.lower, range.upper);
  auto counted = scf::ForOp::create(builder, loc, zero, count, one, initial);
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(counted.getBody());
  Value begin = counted.getRegionIterArgs().front();
  Value end = slc::SegmentEndOp::create(builder, loc, builder.getIndexType(),
                                        range.coordinates, begin, range.upper);

  scf::YieldOp yield = loop.getYieldOp();
  Value search = yield.getResults()[segments.end];
  SmallVector<Value> next{end};
  for (unsigned i : others)
    next.push_back(yield.getResults()[i]);
  SmallVector<Value> arguments(loop.getInits().size());
  arguments[segments.begin] = begin;
  arguments[segments.end] = end;
  for (auto [i, carried] :
       llvm::zip(others, counted.getRegionIterArgs().drop_front()))
    arguments[i] = carried;
  for (auto [argument, value] :
       llvm::zip_equal(loop.getAfterArguments(), arguments)) {
    for (Value &handed : next)
      if (handed == argument)
        handed = value;
    argument.replaceAllUsesWith(value);
  }
  yield->erase();
  eraseSearch(search);
  counted.getBody()->getOperations().splice(
      counted.getBody()->end(), loop.getAfterBody()->getOperations());
  builder.setInsertionPointToEnd(counted.getBody());
  scf::YieldOp::create(builder, loc, next);

  for (auto [i, result] : llvm::zip(others, counted.getResults().drop_front()))
    loop.getResult(i).replaceAllUsesWith(result);
  Value first = loop.getInits()[segments.end];
  loop->erase();
  eraseSearch(first);
}

void ember::formSegmentLoops(ModuleOp module, const MemoryAliasing &aliasing) {
  SmallVector<scf::WhileOp> loops;
  module->walk([&](scf::WhileOp loop) {
    if (!loop->getParentOfType<slc::LoopOpInterface>())
      loops.push_back(loop);
  });
  // Searches are loops too, and go away with the loop that they belong to.
  SmallVector<std::pair<scf::WhileOp, SegmentWhile>> matched;
  for (scf::WhileOp loop : loops)
    if (std::optional<SegmentWhile> segments = matchSegmentWhile(loop))
      if (areUnchanged(segments->range.coordinates,
                       loop.getInits()[segments->end].getDefiningOp(), loop,
                       aliasing))
        matched.push_back({loop, *segments});
  for (auto &[loop, segments] : matched)
    formSegmentLoop(loop, segments);
}

//===----------------------------------------------------------------------===//
// Restoring
//===----------------------------------------------------------------------===//

static void restoreSegmentLoop(scf::ForOp loop, slc::SegmentEndOp end) {
  OpBuilder builder(loop);
  Operation *count = loop.getUpperBound().getDefiningOp();
  ValueRange carried = loop.getInitArgs();
  SegmentRange range{end.getCoordinates(), carried.front(), end.getLimit()};
  auto visit = [&](Value begin, Value last, ValueRange values) {
    IRMapping mapping;
    mapping.map(loop.getRegionIterArgs().front(), begin);
    mapping.map(loop.getRegionIterArgs().drop_front(), values);
    mapping.map(end.getResult(), last);
    for (Operation &op : loop.getBody()->without_terminator())
      if (&op != end)
        builder.clone(op, mapping);
    SmallVector<Value> next;
    for (Value value : loop.getYieldedValues().drop_front())
      next.push_back(mapping.lookupOrDefault(value));
    return next;
  };
  SmallVector<Value> results = emitSegmentLoop(builder, loop.getLoc(), range,
                                               carried.drop_front(), visit);
  for (auto [result, value] :
       llvm::zip_equal(loop.getResults().drop_front(), results))
    result.replaceAllUsesWith(value);
  loop->erase();
  if (count->use_empty())
    count->erase();
}

void ember::restoreSegmentLoops(ModuleOp module) {
  SmallVector<slc::SegmentEndOp> ends;
  module->walk([&](slc::SegmentEndOp end) { ends.push_back(end); });
  // What is nested comes first: restoring clones it.
  for (slc::SegmentEndOp end : llvm::reverse(ends)) {
    auto loop = dyn_cast<scf::ForOp>(end->getParentOp());
    if (loop && loop->hasAttr("slc.decouple"))
      continue;
    if (loop) {
      restoreSegmentLoop(loop, end);
      continue;
    }
    // Of a loop whose segments the execute unit follows.
    OpBuilder builder(end);
    end.getResult().replaceAllUsesWith(emitSegmentEnd(
        builder, end.getLoc(),
        {end.getCoordinates(), end.getPosition(), end.getLimit()},
        end.getPosition()));
    end->erase();
  }
}
