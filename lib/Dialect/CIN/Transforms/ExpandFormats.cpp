//===- ExpandFormats.cpp - Loops over positions ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {
#define GEN_PASS_DEF_EXPANDFORMATS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// Rewrites the loops of one statement, outer ones first.
class Expander {
public:
  explicit Expander(ForallOp statement)
      : statement(statement),
        builder(statement.getLoc(), statement.getContext()) {}

  void run();

private:
  // Which arrays are expanded.
  bool isExpandable(AssembleOp array);
  bool isWalkedAlone(AccessOp access);
  /// The loop that is nested in `loop`, with nothing but expressions beside it.
  static ForallOp getOnlyLoop(ForallOp loop);

  // Loops.
  void expandAll(Region &region);
  /// Makes a loop over positions of one over coordinates, if it walks an array
  /// that is expanded: the new one, or the old one.
  Operation *expand(Operation *loop);
  /// Asks for what the variables of a loop ask of sizes.
  void keepSizes(Operation *loop);
  /// Gives a variable that takes all coordinates of a dense level a range, if
  /// nothing else says what they are.
  void keepRange(Operation *loop);
  /// A loop without operands of its own that takes the place and the body of
  /// `loop`: over the positions from `lower` to `upper`.
  Operation *replaceLoop(Operation *loop, Value lower, Value upper);
  /// Puts coordinates of a position in the place of the variables that have
  /// them.
  void setCoordinate(Fiber &fiber, Value variable, Value position);
  void replaceElements(Operation *loop, const Fiber &fiber);

  // Positions.
  /// Where a fiber is: in a loop that has come to it, or by its dense level.
  Value findPosition(const Fiber &fiber);
  Value getLevelArray(const Fiber &fiber, StringRef what);
  Value makeNumber(int64_t number);
  Value makeNext(Value position);
  Value makeIndex(Value value);
  Value call(StringRef function, ValueRange operands, Type type) {
    auto builtin =
        BuiltinAttr::get(builder.getContext(), findBuiltin(function));
    return CallOp::create(builder, type, builtin, operands);
  }

  ForallOp statement;
  ImplicitLocOpBuilder builder;
  llvm::DenseSet<Value> expanded;
  SmallVector<std::pair<Fiber, Value>> positions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which arrays
//===----------------------------------------------------------------------===//

/// The fiber that a loop walks to its end, if that is all it does.
static std::optional<Fiber> findWalked(Operation *loop) {
  auto reduce = dyn_cast<ReduceOp>(loop);
  std::optional<Fiber> walked = getLoneWalk(loop);
  if (!walked || !walked->getLevel().isListed() || isShifted(*walked) ||
      (reduce && reduce.getRest()))
    return std::nullopt;
  return walked;
}

ForallOp Expander::getOnlyLoop(ForallOp loop) {
  Block &body = *loop.getBody();
  if (body.empty())
    return nullptr;
  for (Operation &op : llvm::drop_end(body))
    if (!isa<AccessOp, ApplyOp, CallOp, StoredOp, ExtentOp, LiteralOp>(op))
      return nullptr;
  return dyn_cast<ForallOp>(body.back());
}

/// Whether a variable is an index of what is appended to, in the order of
/// loops.
static bool isAppended(BlockArgument variable) {
  return llvm::any_of(variable.getUsers(), [](Operation *user) {
    auto assign = dyn_cast<AssignOp>(user);
    return assign && isa<ArrayType>(assign.getArray().getType());
  });
}

static bool bindsOne(Operation *loop) {
  return loop->getRegion(0).getNumArguments() == 1;
}

/// Whether a variable has all coordinates of a dimension, and no other values.
static bool hasAll(BlockArgument variable, ArrayDimension dimension) {
  Operation *loop = variable.getOwner()->getParentOp();
  // It may be a number that the caller gives.
  if (!isa<ForallOp, ReduceOp>(loop))
    return false;
  ArrayRef<bool> ranged = isa<ForallOp>(loop)
                              ? cast<ForallOp>(loop).getRanged()
                              : cast<ReduceOp>(loop).getRanged();
  return !ranged[variable.getArgNumber()] && getLevelOperands(loop).empty() &&
         llvm::is_contained(getIndexedDimensions(variable), dimension);
}

bool Expander::isWalkedAlone(AccessOp access) {
  auto type = cast<ArrayType>(access.getArray().getType());
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  ArrayRef<Level> levels = type.getFormat().getLevels();
  for (auto [number, level] : llvm::enumerate(levels)) {
    auto variable = dyn_cast<BlockArgument>(coordinates[number]);
    if (level.kind == LevelKind::bitmap)
      return false;
    Operation *loop = variable ? variable.getOwner()->getParentOp() : nullptr;
    if (level.kind == LevelKind::dense) {
      // A position is checked by what it is looked up in, but only a variable
      // of all coordinates stays in its row, if there are rows above, or below.
      bool hasRows =
          number > 0 || (number + 1 < levels.size() &&
                         levels[number + 1].kind == LevelKind::dense);
      ArrayDimension dimension{access.getArray(),
                               type.getFormat().getDimensionOf(number)};
      if (hasRows && !(loop && bindsOne(loop) && hasAll(variable, dimension)))
        return false;
      continue;
    }
    if (variable && isAppended(variable))
      return false;
    std::optional<Fiber> fiber = loop ? findWalked(loop) : std::nullopt;
    if (!fiber || fiber->depth() != number + 1 || !fiber->contains(access))
      return false;
    if (level.isUnique)
      continue;
    auto forall = dyn_cast<ForallOp>(loop);
    ForallOp inner = forall ? getOnlyLoop(forall) : ForallOp();
    if (!inner || inner.getBody()->getArguments().size() != 1 ||
        inner.getBody()->getArgument(0) != coordinates[number + 1])
      return false;
  }
  return true;
}

bool Expander::isExpandable(AssembleOp array) {
  // Rows of bytes are no levels: --cin-expand-encodings.
  if (array.getEncoding())
    return false;
  bool isAccessed = false;
  for (Operation *user : array->getUsers()) {
    if (!statement->isAncestor(user))
      continue;
    auto access = dyn_cast<AccessOp>(user);
    if (isa<ExtentOp>(user))
      continue;
    if (!access || !isWalkedAlone(access))
      return false;
    isAccessed = true;
  }
  return isAccessed;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Value Expander::makeNumber(int64_t number) {
  auto map = AffineMap::getConstantMap(number, builder.getContext());
  return ApplyOp::create(builder, builder.getIndexType(), map, ValueRange());
}

Value Expander::makeNext(Value position) {
  AffineExpr first = builder.getAffineDimExpr(0);
  auto map = AffineMap::get(1, 0, first + 1);
  return ApplyOp::create(builder, builder.getIndexType(), map, position);
}

Value Expander::makeIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return call("convert", value, builder.getIndexType());
}

Value Expander::getLevelArray(const Fiber &fiber, StringRef what) {
  auto assembly = fiber.array.getDefiningOp<AssembleOp>();
  unsigned level = fiber.depth() - 1;
  unsigned first = assembly.getFirstArrayOf(level);
  bool isSecond =
      what == "coordinates" && fiber.getLevel().kind == LevelKind::compressed;
  return assembly.getLevels()[first + (isSecond ? 1 : 0)];
}

Value Expander::findPosition(const Fiber &fiber) {
  for (auto &[known, position] : positions)
    if (known == fiber)
      return position;
  Value coordinate = fiber.coordinates.back();
  if (fiber.depth() == 1)
    return coordinate;
  Fiber above{fiber.array, llvm::to_vector(llvm::drop_end(fiber.coordinates))};
  Value row = makeIndex(findPosition(above));
  Value size =
      ExtentOp::create(builder, builder.getIndexType(), fiber.array,
                       fiber.getFormat().getDimensionOf(fiber.depth() - 1));
  Type index = builder.getIndexType();
  Value begin = call("mul", {row, size}, index);
  return call("add", {begin, makeIndex(coordinate)}, index);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Operation *Expander::replaceLoop(Operation *loop, Value lower, Value upper) {
  Operation *made = nullptr;
  auto yes = builder.getDenseBoolArrayAttr({true});
  if (auto forall = dyn_cast<ForallOp>(loop)) {
    made = ForallOp::create(builder, lower, upper, yes, forall.getNamesAttr(),
                            IterationAttr());
  } else {
    auto reduce = cast<ReduceOp>(loop);
    made = ReduceOp::create(builder, reduce.getType(), lower, upper, yes,
                            reduce.getNamesAttr(), IterationAttr(),
                            reduce.getCalleeAttr(), /*rest=*/TypedAttr(),
                            reduce.getOtherwiseAttr());
    loop->getResult(0).replaceAllUsesWith(made->getResult(0));
  }
  made->getRegion(0).takeBody(loop->getRegion(0));
  loop->erase();
  return made;
}

void Expander::setCoordinate(Fiber &fiber, Value variable, Value position) {
  Value coordinate =
      AccessOp::create(builder, getLevelArray(fiber, "coordinates"), position);
  // Indices are integers of any type, and other values are not.
  auto isIndex = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == coordinate.getDefiningOp())
      return false;
    return isa<AccessOp, AssignOp, ApplyOp, ForallOp, ReduceOp>(user);
  };
  variable.replaceUsesWithIf(coordinate, isIndex);
  auto isOther = [&](OpOperand &use) {
    return use.getOwner() != coordinate.getDefiningOp();
  };
  if (llvm::any_of(variable.getUses(), isOther))
    variable.replaceUsesWithIf(makeIndex(coordinate), isOther);
  fiber.coordinates.back() = coordinate;
  positions.emplace_back(fiber, position);
}

void Expander::replaceElements(Operation *loop, const Fiber &fiber) {
  auto assembly = fiber.array.getDefiningOp<AssembleOp>();
  SmallVector<AccessOp> accesses;
  loop->walk([&](AccessOp access) {
    bool isRest = llvm::all_of(
        fiber.getFormat().getLevels().drop_front(fiber.depth()),
        [](const Level &level) { return level.kind == LevelKind::dense; });
    if (isRest && fiber.contains(access))
      accesses.push_back(access);
  });
  for (AccessOp access : accesses) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(access);
    Value position = findPosition(
        {fiber.array, getCoordinates(cast<ArrayType>(fiber.array.getType()),
                                     access.getIndices())});
    Value element;
    if (access.getStored())
      element = LiteralOp::create(builder, builder.getI1Type(),
                                  builder.getBoolAttr(true));
    else if (assembly.getLocating())
      element = makeIndex(position);
    else
      element = AccessOp::create(builder, assembly.getValues(), position);
    access.getResult().replaceAllUsesWith(element);
    access.erase();
  }
}

Operation *Expander::expand(Operation *loop) {
  std::optional<Fiber> found = findWalked(loop);
  if (!found || !expanded.contains(found->array))
    return loop;
  Fiber fiber = *found;
  builder.setLoc(loop->getLoc());
  builder.setInsertionPoint(loop);
  // The loops over the coordinates of one position become one.
  SmallVector<Value> variables = {loop->getRegion(0).getArgument(0)};
  SmallVector<Fiber> fibers = {fiber};
  while (!fibers.back().getLevel().isUnique) {
    ForallOp inner = getOnlyLoop(cast<ForallOp>(loop));
    Fiber below = fibers.back();
    below.coordinates.push_back(inner.getBody()->getArgument(0));
    // What is beside it is an expression, and may stand in it.
    Block &body = loop->getRegion(0).front();
    Block &innerBody = *inner.getBody();
    body.getOperations().splice(body.end(), innerBody.getOperations());
    Value variable = body.addArgument(builder.getIndexType(), inner.getLoc());
    innerBody.getArgument(0).replaceAllUsesWith(variable);
    below.coordinates.back() = variable;
    variables.push_back(variable);
    fibers.push_back(below);
    inner.erase();
  }
  Value lower, upper;
  Fiber above{fiber.array, llvm::to_vector(llvm::drop_end(fiber.coordinates))};
  Value before = above.depth() ? findPosition(above) : makeNumber(0);
  if (fiber.getLevel().kind == LevelKind::singleton) {
    lower = before;
    upper = makeNext(before);
  } else {
    Value segments = getLevelArray(fiber, "positions");
    lower = AccessOp::create(builder, segments, before);
    upper = AccessOp::create(builder, segments, makeNext(before));
  }
  Operation *made = replaceLoop(loop, lower, upper);
  Block &body = made->getRegion(0).front();
  builder.setInsertionPointToStart(&body);
  Value position = body.getArgument(0);
  for (auto [number, variable] : llvm::enumerate(variables)) {
    Fiber &mine = fibers[number];
    if (number)
      mine.coordinates = fibers[number - 1].coordinates;
    if (number)
      mine.coordinates.push_back(variable);
    setCoordinate(mine, variable, position);
  }
  body.eraseArguments(1, body.getNumArguments() - 1);
  replaceElements(made, fibers.back());
  return made;
}

void Expander::keepSizes(Operation *loop) {
  auto keep = [&](auto op) {
    for (BlockArgument variable : op.getVariables()) {
      unsigned number = variable.getArgNumber();
      SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
      // Workspaces are as long as what they are made for.
      llvm::erase_if(dimensions, [&](ArrayDimension dimension) {
        return isa<WhereOp>(dimension.array.getParentBlock()->getParentOp());
      });
      bool isExpanded = llvm::any_of(dimensions, [&](ArrayDimension dimension) {
        return expanded.contains(dimension.array);
      });
      if (op.getRanged()[number] || !isExpanded)
        continue;
      for (ArrayDimension other : llvm::drop_begin(dimensions))
        requireSameSize(builder, variable, dimensions.front(), other);
    }
  };
  if (auto forall = dyn_cast<ForallOp>(loop))
    keep(forall);
  else
    keep(cast<ReduceOp>(loop));
}

void Expander::keepRange(Operation *loop) {
  if (!bindsOne(loop) || !getLevelOperands(loop).empty())
    return;
  BlockArgument variable = loop->getRegion(0).getArgument(0);
  ArrayRef<bool> ranged = isa<ForallOp>(loop)
                              ? cast<ForallOp>(loop).getRanged()
                              : cast<ReduceOp>(loop).getRanged();
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  bool isSaid = llvm::any_of(dimensions, [&](ArrayDimension dimension) {
    return !expanded.contains(dimension.array);
  });
  if (ranged.front() || dimensions.empty() || isSaid)
    return;
  builder.setLoc(loop->getLoc());
  builder.setInsertionPoint(loop);
  Value size =
      ExtentOp::create(builder, builder.getIndexType(),
                       dimensions.front().array, dimensions.front().dimension);
  replaceLoop(loop, makeNumber(0), size);
}

void Expander::expandAll(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Operation *mine = &op;
      if (isa<ForallOp, ReduceOp>(mine))
        mine = expand(mine);
      for (Region &inner : mine->getRegions())
        expandAll(inner);
    }
}

void Expander::run() {
  auto evaluate = statement->getParentOfType<EvaluateOp>();
  for (auto array : evaluate.getRegion().getOps<AssembleOp>())
    if (isExpandable(array))
      expanded.insert(array);
  if (expanded.empty())
    return;
  // Bounds of the outermost loop stand in the statement, too.
  builder.setInsertionPoint(statement);
  auto around =
      ForallOp::create(builder, ValueRange(), ValueRange(), ArrayRef<bool>(),
                       ArrayAttr(), IterationAttr());
  Block &body = around.getRegion().emplaceBlock();
  statement->moveBefore(&body, body.end());
  SmallVector<Operation *> loops;
  around->walk([&](Operation *op) {
    if (isa<ForallOp, ReduceOp>(op) && op != around)
      loops.push_back(op);
  });
  builder.setInsertionPoint(around);
  for (Operation *loop : loops)
    keepSizes(loop);
  for (Operation *loop : loops)
    keepRange(loop);
  expandAll(around.getRegion());
}

namespace {
struct ExpandFormats
    : public ember::cin::impl::ExpandFormatsBase<ExpandFormats> {
  void runOnOperation() override {
    SmallVector<ForallOp> statements;
    getOperation()->walk([&](EvaluateOp evaluate) {
      llvm::append_range(statements, evaluate.getRegion().getOps<ForallOp>());
    });
    for (ForallOp statement : statements)
      Expander(statement).run();
  }
};
} // namespace
