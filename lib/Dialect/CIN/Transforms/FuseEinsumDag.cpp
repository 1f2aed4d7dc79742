//===- FuseEinsumDag.cpp - Sweeps of statements that pass tiles on --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph says what is worth it; whether it may be done is seen here, of the
// arrays that statements name.
//
//===----------------------------------------------------------------------===//

#include "ScheduledStatement.h"
#include "Statement.h"
#include "SweepTiles.h"

#include "ember/Dialect/CIN/IR/Reuse.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace ember::cin {
#define GEN_PASS_DEF_FUSEEINSUMDAG
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

static constexpr auto byRule =
    remark::RemarkOpts::name("Sweep").category("cin-sweeps");

namespace {
/// Dimensions that the statements of an evaluation ask to be of one size.
class SameSizes {
public:
  explicit SameSizes(EvaluateOp evaluate) {
    for (auto statement : evaluate.getRegion().getOps<ForallOp>())
      for (BlockArgument variable : getBoundVariables(statement)) {
        if (getRange(variable).first)
          continue;
        SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
        for (ArrayDimension dimension : dimensions)
          classes.unionSets(keyOf(dimensions.front()), keyOf(dimension));
      }
  }

  bool areSame(ArrayDimension a, ArrayDimension b) const {
    int64_t first = sizeOf(a), second = sizeOf(b);
    if (!ShapedType::isDynamic(first) && first == second)
      return true;
    return a == b || classes.isEquivalent(keyOf(a), keyOf(b));
  }

private:
  using Key = std::pair<void *, unsigned>;
  static Key keyOf(ArrayDimension dimension) {
    return {dimension.array.getAsOpaquePointer(), dimension.dimension};
  }
  static int64_t sizeOf(ArrayDimension dimension) {
    return cast<ShapedType>(dimension.array.getType())
        .getDimSize(dimension.dimension);
  }

  llvm::EquivalenceClasses<Key> classes;
};

/// Makes sweeps of the statements of one evaluation.
class SweepBuilder {
public:
  SweepBuilder(EvaluateOp evaluate, int64_t tileBytes, unsigned &number)
      : evaluate(evaluate), sizes(evaluate), tileBytes(tileBytes),
        number(number) {}

  void run();

private:
  /// Why a statement cannot be of the sweep that is being made; empty if it
  /// can.
  std::string findObstacle(SweepStatement &next);
  void add(SweepStatement next);
  void finish();
  int64_t chooseRows() const;

  EvaluateOp evaluate;
  SameSizes sizes;
  int64_t tileBytes;
  unsigned &number;
  SmallVector<SweepStatement> sweep;
};
} // namespace

/// An element that a statement reads or writes.
namespace {
struct Element {
  Value array;
  ValueRange indices;
};
} // namespace

static SmallVector<Element> findElements(ForallOp statement) {
  SmallVector<Element> elements;
  statement.walk([&](Operation *op) {
    if (auto access = dyn_cast<AccessOp>(op))
      elements.push_back({access.getArray(), access.getIndices()});
    else if (auto assign = dyn_cast<AssignOp>(op))
      elements.push_back({assign.getArray(), assign.getIndices()});
  });
  return elements;
}

/// Whether `other` touches what `writer` writes only at the value of its own
/// dominant variable that `writer` is at.
static bool touchesOwnTile(SweepStatement &writer, SweepStatement &other) {
  Value written = writer.assign.getArray();
  SmallVector<Element> elements = findElements(other.statement);
  auto touches = [&](Element &element) { return element.array == written; };
  if (writer.isContracted())
    return llvm::none_of(elements, touches);
  auto indices = writer.assign.getIndices();
  unsigned dimension = llvm::find(indices, writer.variable) - indices.begin();
  return llvm::all_of(elements, [&](Element &element) {
    return !touches(element) || element.indices[dimension] == other.variable;
  });
}

/// Whether two statements go over the same array by their dominant variables:
/// tiles that one has read are in a cache for the other.
static bool shareTiles(SweepStatement &a, SweepStatement &b) {
  SmallVector<ArrayDimension> others = getIndexedDimensions(b.variable);
  return llvm::any_of(getIndexedDimensions(a.variable),
                      [&](ArrayDimension dimension) {
                        return llvm::is_contained(others, dimension);
                      });
}

std::string SweepBuilder::findObstacle(SweepStatement &next) {
  auto nameOf = [&](SweepStatement &part) {
    return evaluate.getNameOf(part.assign.getArray());
  };
  SweepStatement &first = sweep.front();
  bool isJoined = llvm::any_of(sweep, [&](SweepStatement &part) {
    return Reuse::of(part.statement)->step == Reuse::of(next.statement)->step ||
           shareTiles(part, next);
  });
  if (!isJoined)
    return "it is of another step than " + nameOf(first) +
           ", and reads none of the same tiles";
  for (SweepStatement &part : sweep) {
    if (part.assign.getArray() == next.assign.getArray() &&
        (part.isContracted() || next.isContracted()))
      return nameOf(part) + " is assigned to before it";
    if (!touchesOwnTile(part, next))
      return "it needs more than a tile of " + nameOf(part);
    if (!touchesOwnTile(next, part))
      return "what is assigned to " + nameOf(part) +
             " needs more than a tile of what it overwrites";
  }
  bool isTied = llvm::any_of(sweep, [&](SweepStatement &part) {
    return sizes.areSame(getIndexedDimensions(part.variable).front(),
                         getIndexedDimensions(next.variable).front());
  });
  if (!isTied)
    return "nothing says that its dominant variable has as many values as "
           "that of " +
           nameOf(first);
  return "";
}

/// As many rows as tiles of all arrays hold together, a power of two: what a
/// sum is of follows from shapes alone.
int64_t SweepBuilder::chooseRows() const {
  // Of a row whose length nobody knows.
  constexpr int64_t assumedElements = 16, leastRows = 16;
  llvm::MapVector<Value, int64_t> rows;
  for (const SweepStatement &part : sweep)
    for (ArrayDimension like : getIndexedDimensions(part.variable)) {
      auto type = dyn_cast<MemRefType>(like.array.getType());
      if (!type)
        continue;
      int64_t elements = 1;
      for (auto [dimension, size] : llvm::enumerate(type.getShape()))
        if (dimension != like.dimension)
          elements *= ShapedType::isDynamic(size) ? assumedElements : size;
      rows[like.array] =
          elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    }
  int64_t bytes = 1;
  for (auto [array, mine] : rows)
    bytes += mine;
  return std::max<int64_t>(
      leastRows,
      llvm::bit_floor<uint64_t>(tileBytes / std::max<int64_t>(bytes, 1)));
}

void SweepBuilder::finish() {
  if (sweep.size() > 1) {
    int64_t rows = chooseRows();
    std::string names;
    for (SweepStatement &part : sweep)
      names += (names.empty() ? "" : ", ") +
               evaluate.getNameOf(part.assign.getArray());
    remark::passed(sweep.front().assign.getLoc(), byRule)
        << names << " are one sweep over tiles of " << std::to_string(rows)
        << " rows";
    Operation *last = sweep.back().statement;
    for (SweepStatement &part : sweep)
      tileForSweep(part, rows, number, last);
    ++number;
  }
  sweep.clear();
}

void SweepBuilder::add(SweepStatement next) {
  if (!sweep.empty())
    if (std::string obstacle = findObstacle(next); !obstacle.empty()) {
      remark::missed(next.assign.getLoc(), byRule)
          << evaluate.getNameOf(next.assign.getArray())
          << " begins another sweep: " << obstacle;
      finish();
    }
  sweep.push_back(next);
}

void SweepBuilder::run() {
  for (Operation &op :
       llvm::make_early_inc_range(evaluate.getRegion().front())) {
    auto statement = dyn_cast<ForallOp>(op);
    if (!statement) {
      // Others run where they stand.
      if (!isa<ApplyOp, AssembleOp, ExtentOp, LiteralOp, SameSizeOp,
               TemporaryOp>(op))
        finish();
      continue;
    }
    llvm::Expected<SweepStatement> part = SweepStatement::of(statement);
    if (part) {
      add(*part);
      continue;
    }
    finish();
    std::string reason = llvm::toString(part.takeError());
    if (Reuse::of(statement))
      remark::missed(statement.getLoc(), byRule)
          << "the statement is in no sweep: " << reason;
  }
  finish();
}

namespace {
struct FuseEinsumDag
    : public ember::cin::impl::FuseEinsumDagBase<FuseEinsumDag> {
  using FuseEinsumDagBase::FuseEinsumDagBase;

  void runOnOperation() override {
    unsigned number = 0;
    getOperation()->walk([&](EvaluateOp evaluate) {
      if (evaluate.getNumResults() == 0)
        SweepBuilder(evaluate, tileBytes, number).run();
    });
  }
};
} // namespace
