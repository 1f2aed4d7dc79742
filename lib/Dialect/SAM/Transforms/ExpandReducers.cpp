//===- ExpandReducers.cpp - Reducers of points ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a reducer along coordinates is a point: its own coordinates and,
// held over them, those of the levels that stay around the one that goes away.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/Transforms/Passes.h"

#include "ember/Dialect/SAM/IR/Coordinates.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace ember::sam {
#define GEN_PASS_DEF_SAMEXPANDREDUCERS
#include "ember/Dialect/SAM/Transforms/Passes.h.inc"
} // namespace ember::sam

using namespace mlir;
using namespace ember;
using namespace ember::sam;

/// Blocks that a stream leads to, or comes from.
using Blocks = llvm::SetVector<Operation *>;

static void collectBehind(Operation *op, Blocks &blocks) {
  for (Operation *user : op->getUsers())
    if (blocks.insert(user))
      collectBehind(user, blocks);
}

static void collectBefore(Operation *op, Blocks &blocks) {
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp();
        producer && blocks.insert(producer))
      collectBefore(producer, blocks);
}

namespace {
/// One reducer along coordinates.
class ReducerExpansion {
public:
  explicit ReducerExpansion(ReduceOp reduce)
      : reduce(reduce), builder(reduce.getLoc(), reduce) {}

  /// Why it stays; empty if it was expanded.
  StringRef run() {
    if (!findLevels())
      return "nothing says the coordinates of the levels around";
    collectBehind(reduce, behind);
    if (StringRef reason = findUse(); !reason.empty())
      return reason;
    expand();
    return "";
  }

private:
  /// The coordinates of all levels, outermost first, and which goes away.
  bool findLevels() {
    llvm::append_range(levels, reduce.getCoordinates());
    while (Value around = findCoordinatesAround(levels.front()))
      levels.insert(levels.begin(), around);
    unsigned depth = *getDepth(reduce.getValues().getType());
    if (levels.size() != depth)
      return false;
    gone = depth - reduce.getCoordinates().size() - 1;
    return true;
  }

  StringRef findUse() {
    cin::Function function = cin::Function::lookup(reduce, reduce.getCallee());
    TypedAttr identity = function.getIdentity(
        cast<ValuesType>(reduce.getValues().getType()).getElement());
    for (Operation *op : behind) {
      if (!isa<CrdDropOp, RepeatSignalOp, RepeatOp, LocateOp, WriteLevelOp,
               WriteValuesOp, StoreOp>(op))
        return "more than droppers and writers follow it";
      // References to store at follow outer coordinates as they are scanned.
      if (gone && isa<StoreOp>(op))
        return "its values are stored by references, level by level";
      Value tensor;
      if (auto values = dyn_cast<WriteValuesOp>(op))
        tensor = values.getTensor();
      else if (auto store = dyn_cast<StoreOp>(op))
        tensor = store.getTensor();
      std::string reason;
      if (tensor &&
          !cin::areSame(TensorFormat::of(tensor.getType(), reason)->fill,
                        identity))
        return "fibers without values are seen in the result";
    }
    return "";
  }

  /// The coordinates of a level for each value.
  Value hold(unsigned level) {
    Value held = levels[level];
    for (Value inner : ArrayRef(levels).drop_front(level + 1))
      held = CrdHoldOp::create(builder, held, inner).getHeld();
    return held;
  }

  void expand() {
    SmallVector<Value> points;
    for (unsigned level = 0; level < levels.size(); ++level)
      if (level != gone)
        points.push_back(StopDropOp::create(builder, hold(level)));
    Value values = StopDropOp::create(builder, reduce.getValues());
    auto combined = AccumulateOp::create(builder, reduce.getCallee(), gone > 0,
                                         values, points);
    Blocks before;
    collectBefore(combined, before);
    auto isAfter = [&](OpOperand &use) {
      return use.getOwner() != combined && !before.contains(use.getOwner());
    };
    for (unsigned level = 0; level < gone; ++level)
      levels[level].replaceUsesWithIf(combined.getUnique()[level], isAfter);
    reduce.getReduced().replaceAllUsesWith(combined.getReduced());
    for (auto [unique, made] : llvm::zip_equal(
             reduce.getUnique(), combined.getUnique().drop_front(gone)))
      unique.replaceAllUsesWith(made);
    reduce.erase();
  }

  ReduceOp reduce;
  ImplicitLocOpBuilder builder;
  SmallVector<Value> levels;
  unsigned gone = 0;
  Blocks behind;
};

struct SamExpandReducers
    : public ember::sam::impl::SamExpandReducersBase<SamExpandReducers> {
  void runOnOperation() override {
    SmallVector<ReduceOp> reducers;
    getOperation().walk([&](ReduceOp reduce) { reducers.push_back(reduce); });
    for (ReduceOp reduce : reducers) {
      if (reduce.getCoordinates().empty())
        continue;
      Location loc = reduce.getLoc();
      if (StringRef reason = ReducerExpansion(reduce).run(); !reason.empty())
        emitRemark(loc) << "a reducer along coordinates stays: " << reason;
    }
  }
};
} // namespace
