//===- OrderCost.cpp - What an order of loops costs -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderCost.h"

#include "OrderChoice.h"
#include "RowMask.h"
#include "RowReductions.h"
#include "Statement.h"
#include "ember/Dialect/CIN/IR/CoordinateOrder.h"
#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

#include <cmath>

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// In visits of an innermost loop that looks up one element.
static constexpr double kLoop = 2, kUnforeseen = 10, kMerge = 2, kSearch = 4,
                        kSearchStep = 5, kScattered = 5, kContiguous = 0.125,
                        kDense = 0.1, kWorkspace = 0.5, kAppend = 4, kMark = 2,
                        kCopy = 3, kMemory = 0.4;

/// Elements of a cache near the processor, and of one of its lines.
static constexpr double kNear = 8192, kLine = 16;

/// To find one of `length` coordinates in order.
static double getSearchCost(double length) {
  return kSearch + kSearchStep * std::log2(2 + length);
}

struct OrderCost::Nest {
  /// How often the innermost body is entered.
  double visits = 1;
  llvm::SmallVector<BlockArgument> bound;
  /// By access: the probability of what is bound of it, and how many of its
  /// levels are known.
  llvm::SmallVector<double> reached;
  llvm::SmallVector<unsigned> known;
};

static constexpr unsigned kMostMerged = 6;

/// The probability that a coordinate of each level is stored, whatever is
/// above, with sizes by level.
static SmallVector<double> getStored(FormatAttr format, double density,
                                     ArrayRef<double> sizes) {
  SmallVector<double> stored;
  double above = 1;
  for (auto [number, level] : llvm::enumerate(format.getLevels())) {
    double below = density;
    for (double size : sizes.drop_front(number + 1))
      below *= size;
    if (level.kind != LevelKind::dense)
      above = std::min(above, below);
    stored.push_back(above);
  }
  return stored;
}

OrderCost::OrderCost(ForallOp statement, AssignOp assign,
                     ArrayRef<BlockArgument> variables, VariableUses &uses,
                     Scenario scenario)
    : statement(statement), assign(assign), variables(variables), uses(uses),
      scenario(scenario) {
  for (BlockArgument variable : getBoundVariables(statement))
    extents[variable] = getExtent(variable);
  llvm::DenseMap<Value, double> densities;
  statement.walk([&](AccessOp access) {
    Value array = access.getArray();
    auto type = dyn_cast<ArrayType>(array.getType());
    if (!type)
      return;
    if (!densities.contains(array))
      densities[array] = getDensity(type, array);
    Stored mine{access, getCoordinates(type, access.getIndices()), {}, {}};
    SmallVector<double> &sizes = mine.sizes;
    for (Value coordinate : mine.coordinates) {
      auto variable = dyn_cast<BlockArgument>(coordinate);
      sizes.push_back(variable && extents.contains(variable) ? extents[variable]
                                                             : scenario.extent);
    }
    mine.stored = getStored(type.getFormat(), densities[array], sizes);
    accesses.push_back(std::move(mine));
  });
}

static std::optional<double> getKnownSize(ArrayDimension dimension) {
  auto type = cast<ShapedType>(dimension.array.getType());
  std::optional<int64_t> size = getHintedSize(dimension);
  if (!size && !type.isDynamicDim(dimension.dimension))
    size = type.getDimSize(dimension.dimension);
  if (!size)
    return std::nullopt;
  return std::max<double>(1, static_cast<double>(*size));
}

double OrderCost::getExtent(BlockArgument variable) {
  if (hasRange(variable)) {
    guesses = true;
    return scenario.stored;
  }
  for (const ArrayDimension &mine : getIndexedDimensions(variable))
    if (std::optional<double> size = getKnownSize(mine))
      return *size;
  guesses = true;
  return scenario.extent;
}

double OrderCost::getDensity(ArrayType type, Value array) {
  // A copy stores what it is one of: of levels that are dense behind all
  // others, that is all of what is below one position.
  auto assemble = array.getDefiningOp<AssembleOp>();
  if (auto regroup = assemble ? assemble.getValues().getDefiningOp<RegroupOp>()
                              : RegroupOp()) {
    Value given = regroup.getArray();
    FormatAttr format = regroup.getArray().getType().getFormat();
    double density = getDensity(regroup.getArray().getType(), given);
    for (unsigned number = format.getLevels().size();
         number-- > 0 && format.getLevels()[number].kind == LevelKind::dense;)
      density *= getKnownSize({given, format.getOrder()[number]})
                     .value_or(scenario.extent);
    return std::min(1.0, density);
  }
  if (std::optional<double> density = getHintedDensity(array))
    return *density;
  // Of what a statement before appends to, that says it.
  for (Operation *user : array.getUsers()) {
    auto append = dyn_cast<AssignOp>(user);
    ForallOp before = append ? getStatement(append) : ForallOp();
    if (!before || !before->isBeforeInBlock(statement) || scenario.depth == 0)
      continue;
    LoopChain chain(before);
    if (chain.getAssignment() != append)
      continue;
    VariableUses theirs;
    Scenario deeper = scenario;
    --deeper.depth;
    OrderCost cost(before, append, chain.variables, theirs, deeper);
    return cost.estimateDensity(
        ScheduledOrder(findNaturalOrder(before, append, chain.variables)));
  }
  guesses = true;
  int64_t rank = type.getRank();
  if (rank < 2)
    return std::min(0.1, scenario.stored / std::sqrt(scenario.extent));
  return std::min(0.5, scenario.stored /
                           std::pow(scenario.extent, double(rank - 1)));
}

const OrderCost::Stored &OrderCost::find(AccessOp access) const {
  const auto *found = llvm::find_if(
      accesses, [&](const Stored &mine) { return mine.access == access; });
  return *found;
}

double OrderCost::getRows(AccessOp access) {
  const Stored &mine = find(access);
  double rows = mine.stored.size() > 1 ? mine.stored.end()[-2] : 1;
  for (double size : llvm::drop_end(mine.sizes))
    rows *= size;
  return rows;
}

double OrderCost::getRowLength(AccessOp access) {
  const Stored &mine = find(access);
  double all = mine.stored.back();
  for (double size : mine.sizes)
    all *= size;
  return all / std::max(1.0, getRows(access));
}

/// Whether coordinates of a fiber are found without walking all of it.
static bool isSearched(const Fiber &fiber) {
  const Level &level = fiber.getLevel();
  return level.isOrdered && level.isUnique;
}

static bool areOrdered(ArrayRef<Fiber> fibers) {
  return llvm::all_of(
      fibers, [](const Fiber &fiber) { return fiber.getLevel().isOrdered; });
}

std::pair<double, double> OrderCost::visit(ArrayRef<Fiber> fibers,
                                           ArrayRef<double> parts,
                                           double extent, ReduceOp reduce) {
  if (fibers.empty() || fibers.size() > kMostMerged)
    return {1, 1};
  std::vector<std::pair<void *, unsigned>> names;
  for (const Fiber &fiber : fibers)
    names.emplace_back(fiber.coordinates.back().getAsOpaquePointer(),
                       fiber.depth());
  for (const Fiber &fiber : fibers)
    names.emplace_back(fiber.array.getAsOpaquePointer(), 0);
  std::vector<bool> &regions =
      visited[{reduce ? reduce.getOperation() : nullptr, names}];
  unsigned count = 1u << fibers.size();
  if (regions.empty()) {
    TypedAttr initial;
    for (unsigned region = 0; region < count; ++region) {
      SmallVector<Fiber> stored, absent;
      for (auto [number, fiber] : llvm::enumerate(fibers))
        (region >> number & 1 ? stored : absent).push_back(fiber);
      AbstractValues values(stored, absent);
      bool isSkipped = false;
      if (reduce) {
        isSkipped = values.isIdentity(reduce);
      } else {
        AbstractValue value = values.of(assign.getValue());
        if (region == 0 && value.kind == AbstractValue::Kind::constant)
          initial = value.value;
        isSkipped = initial && value.is(initial);
        if (auto type = dyn_cast<ArrayType>(assign.getArray().getType()))
          isSkipped = value.is(type.getFormat().getFill());
        else if (assign.isCombining())
          isSkipped = false;
      }
      regions.push_back(!isSkipped);
    }
  }
  // What is in no order is walked alone, or not at all.
  bool isAlone = fibers.size() == 1 && !regions[0];
  if (!areOrdered(fibers) && !isAlone)
    return {1, INFINITY};
  double part = 0, walked = 0, listed = 0, shortest = 1;
  bool needsAll = regions[0];
  for (unsigned region = 0; region < count; ++region) {
    double chance = regions[region];
    for (size_t i = 0; i < fibers.size(); ++i)
      chance *= region >> i & 1 ? parts[i] : 1 - parts[i];
    part += chance;
  }
  bool hasLeader = false;
  for (size_t i = 0; i < fibers.size(); ++i) {
    bool isLeader = true;
    for (unsigned region = 0; region < count; ++region)
      isLeader &= !regions[region] || (region >> i & 1);
    walked += parts[i];
    if (!isSearched(fibers[i]))
      listed += parts[i];
    if (isLeader)
      shortest = std::min(shortest, parts[i]);
    hasLeader |= isLeader;
  }
  double step = fibers.size() > 1 ? kMerge : 1;
  if (needsAll)
    return {part, step};
  // Of an intersection, what is much shorter leads, and others are looked up in
  // by searching. A list that cannot be searched is walked in full.
  double cost = walked * step;
  if (hasLeader && fibers.size() > 1) {
    double longest = *llvm::max_element(parts) * extent;
    cost =
        std::min(cost, listed * step + shortest * (1 + getSearchCost(longest)));
  }
  return {part, std::min(step, cost)};
}

bool OrderCost::isScattered(BlockArgument variable, Operation *scope) {
  bool isFar = false;
  auto look = [&](Value array, OperandRange indices) {
    auto stored = dyn_cast<ArrayType>(array.getType());
    if (stored && !stored.getFormat().isDense())
      return;
    for (auto [number, index] : llvm::enumerate(indices)) {
      bool isOfRow =
          number + 1 < indices.size() || index.getDefiningOp<AccessOp>();
      isFar |= isOfRow && uses.depends(index, variable);
    }
  };
  scope->walk(
      [&](AccessOp access) { look(access.getArray(), access.getIndices()); });
  look(assign.getArray(), assign.getIndices());
  return isFar;
}

double OrderCost::enter(Nest &nest, ArrayRef<BlockArgument> some,
                        ReduceOp reduce, const ScheduledOrder &order) {
  double cost = 0;
  if (nest.reached.empty()) {
    nest.reached.assign(accesses.size(), 1);
    nest.known.assign(accesses.size(), 0);
  }
  Operation *scope = reduce ? reduce.getOperation() : statement.getOperation();
  for (BlockArgument variable : some) {
    BlockArgument around =
        nest.bound.empty() ? BlockArgument() : nest.bound.back();
    nest.bound.push_back(variable);
    SmallVector<Fiber> fibers;
    SmallVector<double> parts;
    double searches = 0;
    for (auto [number, mine] : llvm::enumerate(accesses)) {
      if (!scope->isAncestor(mine.access))
        continue;
      unsigned &known = nest.known[number];
      auto levels = cast<ArrayType>(mine.access.getArray().getType())
                        .getFormat()
                        .getLevels();
      // The first level that is not known is the loop's, or has been bound, and
      // is looked for.
      bool isWalked = known < levels.size() &&
                      mine.coordinates[known] == variable &&
                      !hasRange(variable);
      while (known < levels.size() &&
             llvm::all_of(
                 uses.of(mine.coordinates[known]),
                 [&](Value needed) {
                   return llvm::is_contained(nest.bound, needed);
                 })) {
        const Level &level = levels[known];
        double above = known ? mine.stored[known - 1] : 1;
        double part = mine.stored[known] / std::max(above, 1e-300);
        if (level.kind == LevelKind::dense) {
          isWalked = false;
        } else if (isWalked) {
          Fiber fiber{mine.access.getArray(),
                      llvm::to_vector(
                          ArrayRef(mine.coordinates).take_front(known + 1))};
          if (!llvm::is_contained(fibers, fiber)) {
            fibers.push_back(fiber);
            parts.push_back(
                std::min(1.0, mine.stored[known] / nest.reached[number]));
          }
          nest.reached[number] = mine.stored[known];
          isWalked = false;
        } else if (level.kind != LevelKind::bitmap) {
          if (!level.isOrdered && !level.isUnique)
            return INFINITY;
          double length = part * scenario.extent;
          searches +=
              level.isOrdered ? getSearchCost(length) : kSearch + length;
        }
        ++known;
      }
    }
    // What is appended in another order is not in the format.
    if (!reduce && !areOrdered(fibers) && isAppendedInOrder(assign, variable))
      return INFINITY;
    double extent = extents[variable];
    auto [part, walk] = visit(fibers, parts, extent, reduce);
    // A loop over all coordinates that is innermost is its body.
    if (fibers.empty() && variable == some.back())
      walk = 0;
    // A processor foresees the end of a loop that is as long as before.
    bool isAnew = around && llvm::any_of(fibers, [&](const Fiber &fiber) {
                    return llvm::any_of(llvm::drop_end(fiber.coordinates),
                                        [&](Value above) {
                                          return uses.depends(above, around);
                                        });
                  });
    cost += nest.visits * (kLoop + (isAnew ? kUnforeseen : 0) + extent * walk);
    nest.visits *= std::max(extent * part, 1e-3);
    cost += nest.visits * searches;
  }
  if (!some.empty()) {
    BlockArgument last = some.back();
    bool walksLast = llvm::any_of(accesses, [&](Stored &mine) {
      auto type = cast<ArrayType>(mine.access.getArray().getType());
      for (auto [coordinate, level] :
           llvm::zip_equal(mine.coordinates, type.getFormat().getLevels()))
        if (coordinate == last && level.kind != LevelKind::dense &&
            scope->isAncestor(mine.access))
          return true;
      return false;
    });
    bool isFar = isScattered(last, scope);
    cost += nest.visits * (isFar ? kScattered : walksLast ? 1 : kContiguous);
  }
  return cost;
}

std::pair<double, double> OrderCost::append(ArrayRef<ReduceOp> added,
                                            ArrayRef<BlockArgument> rows,
                                            double times, double terms) {
  double size = 1;
  for (BlockArgument row : rows)
    size *= extents[row];
  // Rows are walked one by one, and what is in them alone. A workspace that
  // knows what it stores has memory for all, once.
  double around = times * kLoop * size / extents[rows.back()];
  double cost = size * kWorkspace + around;
  std::optional<RowNeed> need;
  if (rows.size() == 1)
    need = findRowNeed(assign, rows.front(), added, uses);
  double kept = std::min(terms, times * size);
  if (!need)
    return {cost + terms * kAppend, kept};
  SmallVector<double> parts;
  double marked = 0;
  for (AccessOp access : need->walked) {
    const auto *mine = llvm::find_if(accesses, [&](const Stored &stored) {
      return stored.access == access;
    });
    ArrayRef<double> stored = mine->stored;
    double above = stored.size() > 1 ? stored[stored.size() - 2] : 1;
    parts.push_back(std::min(1.0, stored.back() / std::max(above, 1e-300)));
    marked += times * size * parts.back();
  }
  if (need->needed.all())
    return {cost + terms * kAppend + marked, kept + marked};
  double part = 0;
  for (unsigned region : need->needed.set_bits()) {
    double chance = 1;
    for (auto [number, stored] : llvm::enumerate(parts))
      chance *= region >> number & 1 ? stored : 1 - stored;
    part += chance;
  }
  // Where marks lead, sums are looked up where they are, and need no list.
  double each = need->needed[0] ? kAppend : 1;
  return {cost + terms * part * each + marked * kMark, kept * part + marked};
}

double OrderCost::estimateCopy(Value copy) {
  auto *mine = llvm::find_if(accesses, [&](Stored &stored) {
    return stored.access.getArray() == copy;
  });
  auto regroup = cast<AssembleOp>(copy.getDefiningOp())
                     .getValues()
                     .getDefiningOp<RegroupOp>();
  FormatAttr format = cast<ArrayType>(copy.getType()).getFormat();
  FormatAttr given = regroup.getArray().getType().getFormat();
  double elements = mine->stored.back(), slots = 1, cost = 0;
  for (double size : mine->sizes)
    elements *= size;
  // What a bitmap leaves out is looked at, too.
  SmallVector<double> sizes;
  for (unsigned dimension : given.getOrder())
    sizes.push_back(mine->sizes[format.getLevelOf(dimension)]);
  double density = getDensity(regroup.getArray().getType(), regroup.getArray());
  SmallVector<double> stored = getStored(given, density, sizes);
  for (auto [number, level] : llvm::enumerate(given.getLevels())) {
    slots *= sizes[number];
    if (level.kind == LevelKind::bitmap)
      cost += slots * (number ? stored[number - 1] : 1);
  }
  // Once for each dimension that it is sorted by.
  for (unsigned dimension :
       RegroupOp::getSortedDimensions(given, regroup.getOrder()))
    cost +=
        elements * kCopy + mine->sizes[format.getLevelOf(dimension)] * kLoop;
  return cost;
}

double OrderCost::estimateTraffic(const ScheduledOrder &order) {
  SmallVector<OperandRange> indexed = {assign.getIndices()};
  bool isDense = !isa<ArrayType>(assign.getArray().getType());
  statement.walk([&](AccessOp access) {
    isDense &= !isa<ArrayType>(access.getArray().getType());
    indexed.push_back(access.getIndices());
  });
  // What is looked up may be anywhere.
  auto isPlain = [](Value index) {
    auto variable = dyn_cast<BlockArgument>(index);
    return variable && !hasRange(variable);
  };
  for (OperandRange indices : indexed)
    isDense &= llvm::all_of(indices, isPlain);
  if (!isDense)
    return 0;
  double traffic = 0;
  for (OperandRange indices : indexed) {
    // From the innermost loop outwards, as long as what they touch stays.
    double touched = 1, times = 1;
    bool stays = true;
    for (BlockArgument variable : llvm::reverse(order.all())) {
      double extent = extents.lookup(variable);
      bool isIndex = llvm::is_contained(indices, variable);
      stays &= !isIndex || touched * extent <= kNear;
      if (stays)
        touched *= isIndex ? extent : 1;
      else
        times *= extent;
    }
    // A line comes as a whole.
    bool isLine = !indices.empty() && touched == 1;
    traffic += times * (isLine ? kLine : touched);
  }
  return kMemory * traffic;
}

double OrderCost::estimate(const ScheduledOrder &order) {
  RowReductions sums(statement, order.sort(variables), order, uses);
  Nest around;
  double cost = enter(around, sums.outer(), nullptr, order);
  SmallVector<ReduceOp> added = sums.find(assign->getOperands());
  double rowSize = 1;
  for (BlockArgument row : sums.rows())
    rowSize *= extents[row];
  bool isSparse = isa<ArrayType>(assign.getArray().getType());
  double terms = 0;
  for (ReduceOp reduce : added) {
    Nest mine = around;
    SmallVector<BlockArgument> loops = sums.getOuter(reduce);
    llvm::append_range(loops, sums.rows());
    loops = order.sort(loops);
    SmallVector<BlockArgument> inner;
    for (BlockArgument variable : reduce.getVariables())
      if (!llvm::is_contained(loops, variable))
        inner.push_back(variable);
    llvm::append_range(loops, order.sort(inner));
    cost += enter(mine, loops, reduce, order);
    terms += mine.visits;
    if (!isSparse)
      cost += around.visits * rowSize * kDense;
  }
  Nest inside = around;
  if (!sums.rows().empty()) {
    double rows = enter(inside, sums.rows(), nullptr, order);
    if (isSparse && !added.empty()) {
      auto [appended, kept] = append(added, sums.rows(), around.visits, terms);
      cost += appended;
      inside.visits = kept;
    } else {
      cost += rows * (added.size() == 1 && !isSparse ? 0.5 : 1);
    }
  }
  assigned = inside.visits;
  // Reductions that are values, each where what it depends on is bound.
  statement.walk([&](ReduceOp reduce) {
    bool isAdded =
        llvm::any_of(added, [&](ReduceOp sum) { return sum == reduce; });
    if (isAdded)
      return;
    Nest mine;
    // Loops that it does not depend on do not surround it.
    double visits = 1;
    SmallVector<BlockArgument> needed;
    for (BlockArgument variable : order.all())
      if (uses.depends(reduce.getResult(), variable) &&
          !llvm::is_contained(llvm::to_vector(reduce.getVariables()), variable))
        needed.push_back(variable);
    bool isOfRows = sums.dependsOnRows(reduce.getResult());
    size_t depth = 0;
    for (auto [number, variable] : llvm::enumerate(sums.outer()))
      if (llvm::is_contained(needed, variable))
        depth = number + 1;
    Nest outside;
    (void)enter(outside, sums.outer().take_front(depth), nullptr, order);
    visits = isOfRows ? inside.visits : outside.visits;
    mine = isOfRows ? inside : outside;
    mine.visits = visits;
    for (BlockArgument variable : needed)
      if (!llvm::is_contained(mine.bound, variable))
        (void)enter(mine, variable, nullptr, order);
    cost += enter(mine, order.sort(llvm::to_vector(reduce.getVariables())),
                  reduce, order);
  });
  return cost;
}

double OrderCost::estimateDensity(const ScheduledOrder &order) {
  (void)estimate(order);
  double elements = 1;
  for (BlockArgument variable : variables)
    elements *= extents[variable];
  return std::clamp(assigned / elements, 1e-18, 1.0);
}
