//===- SweepTiles.cpp - Statements over the tiles of a sweep --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   forall (q, n): D[q, n] = sum k: P[k, q] * S[k, n]
//     ->
//   forall (t, q, n): E[t, q, n] = sum k in 16*t to min(16*t + 16, size):
//                                      P[k, q] * S[k, n]
//   forall (q, n): D[q, n] = sum t: E[t, q, n]
//
//===----------------------------------------------------------------------===//

#include "SweepTiles.h"
#include "LoopOrder.h"
#include "OrderChoice.h"
#include "ScheduledStatement.h"
#include "SplitVariable.h"
#include "Statement.h"
#include "VariableUses.h"

#include "ember/Dialect/CIN/IR/Reuse.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ember::cin;

//===----------------------------------------------------------------------===//
// Which statements
//===----------------------------------------------------------------------===//

static llvm::Error refuse(const Twine &reason) {
  return llvm::createStringError(reason);
}

/// The variable of a statement that has a name; null if none has, or several.
static BlockArgument findVariable(ForallOp statement, StringRef name) {
  BlockArgument found;
  for (BlockArgument variable : getBoundVariables(statement)) {
    if (getVariableName(variable) != name)
      continue;
    if (found)
      return nullptr;
    found = variable;
  }
  return found;
}

/// Whether a sum may be one of parts: its terms are in no order, and it begins
/// with something.
static bool hasParts(ReduceOp sum) {
  return !sum.getRest() && !sum.getOtherwise() && !sum.getContinued() &&
         sum.getFunction().getIdentity(sum.getType());
}

llvm::Expected<SweepStatement> SweepStatement::of(ForallOp statement) {
  std::optional<Reuse> reuse = Reuse::of(statement);
  if (!reuse || reuse->rank.empty())
    return refuse("no variable dominates it");
  if (statement.getSchedule())
    return refuse("it has a schedule of its own");
  SmallVector<ForallOp> loops;
  AssignOp assign = getAssignment(statement, loops);
  if (!assign || loops.size() != 1)
    return refuse("it is no assignment in loops of which no range depends on "
                  "another one");
  BlockArgument variable = findVariable(statement, reuse->rank);
  if (!variable)
    return refuse("it has no variable of its own that is called '" +
                  reuse->rank + "'");
  bool isPlain = isa<MemRefType>(assign.getArray().getType()) &&
                 !assign.getArray().getDefiningOp<CompactOp>() &&
                 !assign.getCondition() && !assign.getFirst();
  if (!isPlain)
    return refuse("it does not assign to each element of a dense array");
  auto temporary = assign.getArray().getDefiningOp<TemporaryOp>();
  if (temporary && !temporary.getInitial())
    return refuse("it assigns to a temporary without a value to begin with, "
                  "which tiles would have to be seen to assign to as a whole");
  VariableUses uses;
  if (getRange(variable).first || LoopOrder(statement, uses).walks(variable) ||
      getIndexedDimensions(variable).empty())
    return refuse("its dominant variable has a range, or walks what a format "
                  "stores");
  SweepStatement part{statement, assign, variable, {}};
  Operation *binding = variable.getOwner()->getParentOp();
  if (binding == statement) {
    if (llvm::count(assign.getIndices(), variable) != 1)
      return refuse("its dominant variable is no index of its result");
    return part;
  }
  part.sum = dyn_cast<ReduceOp>(binding);
  bool isSummed = part.sum && assign.getValue() == part.sum.getResult() &&
                  hasParts(part.sum) &&
                  (!assign.isCombining() ||
                   assign.getCalleeAttr() == part.sum.getCalleeAttr());
  if (!isSummed)
    return refuse("it computes something else of the sum over its dominant "
                  "variable than to assign it");
  for (BlockArgument outer : statement.getVariables())
    if (getRange(outer).first || getIndexedDimensions(outer).empty())
      return refuse("an index of its result has a range");
  return part;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static StringAttr toName(BlockArgument variable) {
  return StringAttr::get(variable.getContext(), getVariableName(variable));
}

/// Makes a statement with loops over tiles outside, over what is in them next,
/// and over other indices of the result, in this order, part of a sweep. Sums
/// are inside of a row, where formats allow that: what a row of the result is
/// computed from is little.
static void orderLoops(ForallOp statement, ArrayRef<BlockArgument> loops,
                       int64_t number) {
  nameVariables(statement);
  SmallVector<BlockArgument> all(loops.take_front(2));
  for (BlockArgument variable : getBoundVariables(statement))
    if (isa<ReduceOp>(variable.getOwner()->getParentOp()) &&
        !llvm::is_contained(loops, variable))
      all.push_back(variable);
  llvm::append_range(all, loops.drop_front(2));
  LoopChain chain(statement);
  OrderChoice choice(statement, chain.getAssignment(), chain.variables);
  if (choice.restrictTo(all))
    loops = all;
  MLIRContext *context = statement.getContext();
  SmallVector<StringAttr> order = llvm::map_to_vector(loops, toName);
  Sweep{number, order.front().str()}.setOn(statement);
  // Where none of these is possible, it has loops of its own.
  if (choice.restrictTo(loops))
    statement.setScheduleAttr(ScheduleAttr::get(
        context, RelationAttr::get(context, RelationKind::reorder, order,
                                   /*factor=*/0, /*expression=*/nullptr)));
}

static Value apply(ImplicitLocOpBuilder &builder, AffineExpr expr,
                   ValueRange operands) {
  return ApplyOp::create(builder, builder.getIndexType(),
                         AffineMap::get(operands.size(), 0, expr), operands);
}

static void tileIndex(SweepStatement &part, int64_t factor, int64_t sweep) {
  unsigned number = part.variable.getArgNumber();
  std::string name = getVariableName(part.variable);
  Builder builder(part.statement.getContext());
  part.statement->removeAttr(reuseAttr);
  splitVariable(part.statement, part.variable,
                builder.getStringAttr(name + "_tile"),
                builder.getStringAttr(name), factor);
  LoopChain chain(part.statement);
  SmallVector<BlockArgument> around(chain.loops[1].getVariables());
  SmallVector<BlockArgument> order = {around[number], chain.variables.back()};
  around.erase(around.begin() + number);
  llvm::append_range(order, around);
  orderLoops(part.statement, order, sweep);
}

namespace {
/// Divides a sum into those of tiles.
class TiledSum {
public:
  TiledSum(SweepStatement &part, int64_t factor, int64_t sweep)
      : part(part), factor(factor), sweep(sweep),
        sizes(part.statement.getLoc(), part.statement) {}

  void run() {
    askForSizes();
    makeParts();
    makeStatement();
    addUp();
  }

private:
  /// What each variable asks of the arrays that it is an index of.
  void askForSizes();
  /// The extent of a variable's first dimension; a number if it is one.
  OpFoldResult getExtent(BlockArgument variable);
  /// An array for sums of tiles.
  void makeParts();
  /// The statement that leaves sums of tiles.
  void makeStatement();
  void addUp();

  SweepStatement &part;
  int64_t factor, sweep;
  ImplicitLocOpBuilder sizes;
  Value parts;
};
} // namespace

void TiledSum::askForSizes() {
  SmallVector<BlockArgument> variables(part.statement.getVariables());
  variables.push_back(part.variable);
  for (BlockArgument variable : variables) {
    SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
    for (ArrayDimension other : ArrayRef(dimensions).drop_front())
      SameSizeOp::create(sizes, dimensions.front().array,
                         dimensions.front().dimension, other.array,
                         other.dimension, toName(variable),
                         /*message=*/nullptr);
  }
}

OpFoldResult TiledSum::getExtent(BlockArgument variable) {
  ArrayDimension like = getIndexedDimensions(variable).front();
  auto type = cast<ShapedType>(like.array.getType());
  if (!type.isDynamicDim(like.dimension))
    return sizes.getIndexAttr(type.getDimSize(like.dimension));
  return Value(ExtentOp::create(sizes, sizes.getIndexType(), like.array,
                                like.dimension));
}

void TiledSum::makeParts() {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  auto add = [&](OpFoldResult extent, bool areTiles) {
    if (auto number = dyn_cast<Attribute>(extent)) {
      int64_t size = cast<IntegerAttr>(number).getInt();
      shape.push_back(areTiles ? llvm::divideCeil(size, factor) : size);
      return;
    }
    auto size = cast<Value>(extent);
    if (areTiles)
      size = apply(sizes,
                   (sizes.getAffineDimExpr(0) + (factor - 1)).floorDiv(factor),
                   size);
    shape.push_back(ShapedType::kDynamic);
    dynamic.push_back(size);
  };
  add(getExtent(part.variable), /*areTiles=*/true);
  for (BlockArgument variable : part.statement.getVariables())
    add(getExtent(variable), /*areTiles=*/false);
  auto evaluate = part.statement->getParentOfType<EvaluateOp>();
  std::string name = evaluate.getNameOf(part.assign.getArray());
  name = StringRef(name).ltrim('\'').rtrim('\'').str() + "_tiles";
  parts = TemporaryOp::create(sizes, MemRefType::get(shape, part.sum.getType()),
                              dynamic, TypedAttr(), sizes.getStringAttr(name),
                              /*kept=*/true);
}

void TiledSum::makeStatement() {
  auto copy = cast<ForallOp>(sizes.clone(*part.statement));
  copy->removeAttr(reuseAttr);
  SmallVector<ForallOp> loops;
  AssignOp assign = getAssignment(copy, loops);
  auto sum = assign.getValue().getDefiningOp<ReduceOp>();
  BlockArgument variable = sum.getVariables()[part.variable.getArgNumber()];
  // A loop over tiles around what there is.
  SmallVector<Attribute> names = {
      sizes.getStringAttr(getVariableName(variable) + "_tile")};
  for (BlockArgument old : copy.getVariables())
    names.push_back(toName(old));
  auto around = ForallOp::create(sizes, ValueRange(), ValueRange(),
                                 SmallVector<bool>(names.size(), false),
                                 sizes.getArrayAttr(names), IterationAttr());
  Block &body = around.getRegion().emplaceBlock();
  Location location = sizes.getLoc();
  Value tile = body.addArgument(sizes.getIndexType(), location);
  SmallVector<Value> indices = {tile};
  for (BlockArgument old : copy.getVariables()) {
    indices.push_back(body.addArgument(old.getType(), location));
    old.replaceAllUsesWith(indices.back());
  }
  body.getOperations().splice(body.end(), copy.getBody()->getOperations());
  ArrayDimension like = getIndexedDimensions(variable).front();
  ImplicitLocOpBuilder inside(location, sum);
  AffineExpr begin = inside.getAffineDimExpr(0) * factor;
  Value size = ExtentOp::create(inside, inside.getIndexType(), like.array,
                                like.dimension);
  auto smaller = BuiltinAttr::get(inside.getContext(), findBuiltin("min"));
  Value end =
      CallOp::create(inside, inside.getIndexType(), smaller,
                     ValueRange{apply(inside, begin + factor, tile), size});
  setRange(variable, apply(inside, begin, tile), end);
  inside.setInsertionPoint(assign);
  AssignOp::create(inside, Attribute(), sum.getResult(), parts, indices,
                   /*condition=*/Value(), /*first=*/Value(), TypedAttr());
  assign.erase();
  copy.erase();
  // Rows outside: the sums of a tile stay where they are, and each row is read
  // once.
  SmallVector<BlockArgument> order(around.getVariables());
  order.insert(std::next(order.begin()), variable);
  orderLoops(around, order, sweep);
}

void TiledSum::addUp() {
  ReduceOp sum = part.sum;
  part.statement->removeAttr(reuseAttr);
  ImplicitLocOpBuilder inside(sum.getLoc(), sum);
  auto all = ReduceOp::create(
      inside, sum.getType(), ValueRange(), ValueRange(),
      inside.getDenseBoolArrayAttr({false}),
      inside.getStrArrayAttr({getVariableName(part.variable) + "_tile"}),
      IterationAttr(), sum.getCalleeAttr(), /*rest=*/TypedAttr(),
      /*otherwise=*/TypedAttr());
  Block &body = all.getRegion().emplaceBlock();
  SmallVector<Value> indices = {
      body.addArgument(inside.getIndexType(), inside.getLoc())};
  llvm::append_range(indices, part.statement.getVariables());
  inside.setInsertionPointToEnd(&body);
  Value element = AccessOp::create(inside, parts, indices);
  YieldOp::create(inside, element, /*condition=*/Value());
  sum.getResult().replaceAllUsesWith(all.getResult());
  sum.erase();
  simplifyStatement(part.statement);
}

void ember::cin::tileForSweep(SweepStatement &part, int64_t factor,
                              unsigned number, Operation *&last) {
  if (!part.isContracted()) {
    bool isLast = last == part.statement;
    tileIndex(part, factor, number);
    if (isLast)
      last = part.statement;
    return;
  }
  TiledSum(part, factor, number).run();
  // All of the sweep comes before what adds up.
  if (last != part.statement)
    part.statement->moveAfter(last);
  last = part.statement;
}
