//===- GraphIteration.cpp - The streams of a statement --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphIteration.h"

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

using namespace mlir;
using namespace ember;

using Side = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Trees of joiners
//===----------------------------------------------------------------------===//

namespace {
/// A set of coordinates as joiners make it: every operand at most once, and all
/// coordinates in place of complements, which are more than is needed.
struct JoinTree {
  enum class Kind : uint8_t { all, operand, join, meet };
  Kind kind = Kind::all;
  unsigned operand = 0;
  std::vector<JoinTree> parts = {};

  static JoinTree of(unsigned operand) { return {Kind::operand, operand}; }

  void collect(SmallVectorImpl<unsigned> &operands) const {
    if (kind == Kind::operand)
      operands.push_back(operand);
    for (const JoinTree &part : parts)
      part.collect(operands);
  }
};
} // namespace

using Kind = JoinTree::Kind;

/// A union of intersections, each of the operands of a mask.
using Meets = std::vector<OperandMask>;

/// Adds an intersection, unless there is one of fewer operands; those of more
/// go.
static void addMeet(Meets &meets, OperandMask meet) {
  if (llvm::any_of(meets,
                   [&](OperandMask known) { return (known & meet) == known; }))
    return;
  llvm::erase_if(meets,
                 [&](OperandMask known) { return (known & meet) == meet; });
  meets.push_back(meet);
}

static Meets makeMeets(const CoordinateSet &set) {
  return set.simplified().evaluate<Meets>(
      {}, {0}, [](unsigned number) { return Meets{OperandMask(1) << number}; },
      [](Meets a, Meets b) {
        for (OperandMask meet : b)
          addMeet(a, meet);
        return a;
      },
      [](Meets a, Meets b) {
        Meets both;
        for (OperandMask first : a)
          for (OperandMask second : b)
            addMeet(both, first | second);
        return both;
      },
      [](Meets) { return Meets{0}; });
}

/// Takes out what most intersections have in common, as long as several have.
static JoinTree factorMeets(ArrayRef<OperandMask> meets) {
  std::optional<unsigned> common;
  int64_t most = 1;
  for (unsigned number = 0; number < CoordinateSet::mostOperands; ++number) {
    int64_t count = llvm::count_if(
        meets, [&](OperandMask meet) { return meet >> number & 1; });
    if (count > most) {
      most = count;
      common = number;
    }
  }
  JoinTree whole{Kind::join};
  Meets rest, with;
  for (OperandMask meet : meets)
    if (common && meet >> *common & 1)
      with.push_back(meet & ~(OperandMask(1) << *common));
    else
      rest.push_back(meet);
  if (common) {
    // None of them is empty, as it would have taken the place of the others.
    JoinTree inner = factorMeets(with);
    JoinTree meet{Kind::meet, 0, {JoinTree::of(*common)}};
    if (inner.kind == Kind::meet)
      llvm::append_range(meet.parts, inner.parts);
    else
      meet.parts.push_back(inner);
    whole.parts.push_back(meet);
    if (!rest.empty()) {
      JoinTree others = factorMeets(rest);
      if (others.kind == Kind::join)
        llvm::append_range(whole.parts, others.parts);
      else
        whole.parts.push_back(others);
    }
  } else {
    for (OperandMask meet : rest) {
      JoinTree part{Kind::meet};
      for (unsigned number = 0; number < CoordinateSet::mostOperands; ++number)
        if (meet >> number & 1)
          part.parts.push_back(JoinTree::of(number));
      whole.parts.push_back(part.parts.size() == 1 ? part.parts.front() : part);
    }
  }
  return whole.parts.size() == 1 ? whole.parts.front() : whole;
}

static JoinTree makeTree(const CoordinateSet &set, unsigned operands) {
  Meets meets = makeMeets(set);
  if (meets == Meets{0})
    return {};
  JoinTree tree = factorMeets(meets);
  SmallVector<unsigned> used;
  tree.collect(used);
  llvm::sort(used);
  bool isRepeated = std::adjacent_find(used.begin(), used.end()) != used.end();
  if (!isRepeated && !used.empty())
    return tree;
  // What any operand stores is enough, too.
  if (operands == 1)
    return JoinTree::of(0);
  JoinTree any{Kind::join};
  for (unsigned number = 0; number < operands; ++number)
    any.parts.push_back(JoinTree::of(number));
  return any;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

SmallVector<unsigned> GraphIteration::getScopes(const AccessPath &path) const {
  SmallVector<unsigned> scopes;
  for (unsigned variable : paths.order)
    if (path.scopes[variable])
      scopes.push_back(variable);
  return scopes;
}

Value GraphIteration::repeat(Value stream, Value along) {
  Value &signal = signals[along];
  if (!signal)
    signal = sam::RepeatSignalOp::create(builder, along);
  Value &repeated = repeats[{stream, along}];
  if (!repeated)
    repeated = sam::RepeatOp::create(builder, stream, signal);
  return repeated;
}

Value GraphIteration::locate(const AccessPath &path, unsigned level,
                             Value repeated, Value along) {
  Value tensor =
      &path == &paths.result ? paths.resultTensor : tensors.lookup(path.array);
  return sam::LocateOp::create(builder, tensor, level, repeated, along,
                               path.isStrided(level, paths.places));
}

std::vector<GraphIteration::Operand>
GraphIteration::collectOperands(unsigned variable) {
  std::vector<Operand> operands;
  for (unsigned number : paths.variables[variable].accesses.set_bits()) {
    const AccessPath &path = paths.accesses[number];
    std::optional<unsigned> level = path.findLevel(variable);
    if (!level || path.format.levels[*level].kind == cin::LevelKind::dense)
      continue;
    cin::Fiber fiber{path.array, {}};
    for (unsigned above : ArrayRef(path.variables).take_front(*level + 1))
      fiber.coordinates.push_back(paths.variables[above].argument);
    auto known = llvm::find_if(operands, [&](const Operand &operand) {
      return operand.fiber == fiber &&
             references[operand.accesses.front()] == references[number];
    });
    if (known != operands.end()) {
      known->accesses.push_back(number);
      continue;
    }
    operands.push_back({fiber, {number}, {}, {}});
  }
  return operands;
}

CoordinateSet GraphIteration::deriveSet(unsigned variable,
                                        ArrayRef<Operand> operands) const {
  const StatementVariable &bound = paths.variables[variable];
  SmallVector<cin::ReduceOp> around =
      paths.findReductionsAround(variable, paths.places);
  llvm::BitVector visited(1u << operands.size());
  for (OperandMask region = 0; region < visited.size(); ++region) {
    SmallVector<cin::Fiber> stored, absent;
    for (auto [number, operand] : llvm::enumerate(operands))
      (region >> number & 1 ? stored : absent).push_back(operand.fiber);
    cin::AbstractValues values(std::move(stored), std::move(absent));
    if (cin::ReduceOp reduce = bound.reduce)
      visited[region] = !values.isIdentity(reduce);
    else
      visited[region] =
          !values.of(const_cast<cin::AssignOp &>(paths.assign).getValue())
               .is(paths.result.format.fill);
    // A loop around it combines what is here with other values.
    for (cin::ReduceOp reduce : around)
      if (!values.isIdentity(reduce))
        visited.set(region);
  }
  return CoordinateSet::ofRegions(visited, operands.size());
}

Value GraphIteration::scanAll(unsigned variable) {
  for (unsigned number : paths.variables[variable].accesses.set_bits()) {
    const AccessPath &path = paths.accesses[number];
    if (std::optional<unsigned> level = path.findLevel(variable))
      return sam::ScanOp::create(builder, tensors.lookup(path.array), *level,
                                 references[number], /*all=*/true, Value())
          .getCoordinates();
  }
  // The result alone has it.
  Value above = root;
  for (unsigned outer : paths.order) {
    if (outer == variable)
      break;
    above = repeat(above, coordinates[outer]);
  }
  return sam::ScanOp::create(builder, paths.resultTensor,
                             *paths.result.findLevel(variable), above,
                             /*all=*/true, Value())
      .getCoordinates();
}

Value GraphIteration::scanDense(unsigned variable, llvm::SmallBitVector &rest) {
  for (unsigned number : rest.set_bits()) {
    const AccessPath &path = paths.accesses[number];
    std::optional<unsigned> level = path.findLevel(variable);
    // References to what is all dense are never to nothing.
    if (!level || !path.format.isDense() ||
        path.isStrided(*level, paths.places))
      continue;
    auto scan = sam::ScanOp::create(builder, tensors.lookup(path.array), *level,
                                    references[number], /*all=*/false, Value());
    references[number] = scan.getPositions();
    rest.reset(number);
    return scan.getCoordinates();
  }
  return {};
}

namespace {
/// Coordinates, and the operands whose positions are beside them.
struct Joined {
  Value coordinates;
  SmallVector<unsigned> operands;
  SmallVector<Value> positions;

  Side getSide() const {
    Side side = {coordinates};
    llvm::append_range(side, positions);
    return side;
  }
};
} // namespace

/// Whether a side is what a scanner that nobody else listens to scans.
static bool isScanned(const Joined &side) {
  auto scan = side.coordinates.getDefiningOp<sam::ScanOp>();
  return scan && !scan.getAll() && !scan.getSkip() &&
         scan.getCoordinates().use_empty();
}

/// One intersecter of all sides, which tells their scanners what it needs next.
static Operation *gallop(ImplicitLocOpBuilder &builder, ArrayRef<Joined> sides,
                         ArrayRef<Side> streams) {
  auto op = sam::IntersectOp::create(builder, streams, /*gallop=*/true);
  unsigned skip = op->getNumResults() - sides.size();
  for (const Joined &side : sides)
    side.coordinates.getDefiningOp<sam::ScanOp>().getSkipMutable().assign(
        op->getResult(skip++));
  return op;
}

/// One joiner of all sides.
static Joined joinAll(ImplicitLocOpBuilder &builder, ArrayRef<Joined> sides,
                      bool isUnion, bool gallops) {
  SmallVector<Side> streams;
  Joined whole;
  for (const Joined &side : sides) {
    streams.push_back(side.getSide());
    llvm::append_range(whole.operands, side.operands);
  }
  Operation *op =
      isUnion ? sam::UnionOp::create(builder, ArrayRef(streams)).getOperation()
      : gallops && llvm::all_of(sides, isScanned)
          ? gallop(builder, sides, streams)
          : sam::IntersectOp::create(builder, ArrayRef(streams)).getOperation();
  whole.coordinates = op->getResult(0);
  llvm::append_range(whole.positions, op->getResults().drop_front().take_front(
                                          whole.operands.size()));
  return whole;
}

/// The bits of a set of words.
static Value joinWords(ImplicitLocOpBuilder &builder, const JoinTree &tree,
                       ArrayRef<Value> words) {
  if (tree.kind == Kind::operand)
    return words[tree.operand];
  SmallVector<Value> sides =
      llvm::map_to_vector(tree.parts, [&](const JoinTree &part) {
        return joinWords(builder, part, words);
      });
  if (tree.kind == Kind::join)
    return sam::BVUnionOp::create(builder, sides);
  return sam::BVIntersectOp::create(builder, sides);
}

Value GraphIteration::joinBits(unsigned width,
                               llvm::function_ref<Value(ArrayRef<Value>)> join,
                               std::vector<Operand> &operands) {
  SmallVector<Value> words, positions;
  for (const Operand &operand : operands) {
    auto scan = sam::BVScanOp::create(
        builder, tensors.lookup(operand.fiber.array), operand.fiber.depth() - 1,
        references[operand.accesses.front()], width);
    words.push_back(scan.getWords());
    positions.push_back(scan.getPositions());
  }
  auto expand = sam::BVExpandOp::create(builder, join(words), words, positions);
  for (auto [operand, found] : llvm::zip(operands, expand.getReferences()))
    operand.positions = found;
  return expand.getCoordinates();
}

LogicalResult GraphIteration::checkBits(unsigned variable,
                                        ArrayRef<Operand> operands) const {
  if (!paths.variables[variable].width)
    return success();
  for (const Operand &operand : operands) {
    const cin::Level &level = operand.fiber.getLevel();
    if (level.kind != cin::LevelKind::compressed || !level.isUnique)
      return paths.statement.emitOpError()
             << "is to join '" << paths.variables[variable].name
             << "' by words of bits, and level " << operand.fiber.depth() - 1
             << " of '" << paths.getName(operand.fiber.array)
             << "' is not compressed with different coordinates";
  }
  return success();
}

Value GraphIteration::join(unsigned variable, const CoordinateSet &set,
                           std::vector<Operand> &operands) {
  bool gallops = paths.variables[variable].gallops;
  auto single = [&](unsigned number) {
    return Joined{
        operands[number].coordinates, {number}, {operands[number].positions}};
  };
  auto build = [&](auto &self, const JoinTree &tree) -> Joined {
    if (tree.kind == Kind::operand)
      return single(tree.operand);
    if (tree.kind == Kind::all)
      return Joined{scanAll(variable), {}, {}};
    SmallVector<Joined> sides;
    for (const JoinTree &part : tree.parts)
      sides.push_back(self(self, part));
    return joinAll(builder, sides, tree.kind == Kind::join, gallops);
  };
  JoinTree tree = makeTree(set, operands.size());
  if (paths.variables[variable].width && tree.kind != Kind::all)
    return joinBits(
        *paths.variables[variable].width,
        [&](ArrayRef<Value> words) { return joinWords(builder, tree, words); },
        operands);
  Joined whole = build(build, tree);
  // Operands that decide on nothing are looked at where they have something.
  SmallVector<Joined> all = {whole};
  for (unsigned number = 0; number < operands.size(); ++number)
    if (!llvm::is_contained(whole.operands, number))
      all.push_back(single(number));
  if (all.size() > 1) {
    Value decisive = whole.coordinates;
    whole = joinAll(builder, all, /*isUnion=*/true, /*gallops=*/false);
    if (tree.kind != Kind::all)
      whole = joinAll(builder, {whole, Joined{decisive, {}, {}}},
                      /*isUnion=*/false, /*gallops=*/false);
  }
  for (auto [number, positions] : llvm::zip(whole.operands, whole.positions))
    operands[number].positions = positions;
  return whole.coordinates;
}

LogicalResult GraphIteration::buildVariable(unsigned variable) {
  std::vector<Operand> operands = collectOperands(variable);
  if (operands.size() > CoordinateSet::mostOperands)
    return paths.statement.emitOpError()
           << "reads " << operands.size() << " fibers along '"
           << paths.variables[variable].name << "', and at most "
           << CoordinateSet::mostOperands << " are joined";
  if (failed(checkBits(variable, operands)))
    return failure();
  for (Operand &operand : operands) {
    auto scan = sam::ScanOp::create(
        builder, tensors.lookup(operand.fiber.array), operand.fiber.depth() - 1,
        references[operand.accesses.front()],
        /*all=*/false, Value());
    operand.coordinates = scan.getCoordinates();
    operand.positions = scan.getPositions();
  }
  // Writers of dense levels take all coordinates.
  std::optional<unsigned> written = paths.result.findLevel(variable);
  bool isWhole =
      written && !paths.result.format.isDense() &&
      paths.result.format.levels[*written].kind == cin::LevelKind::dense;
  llvm::SmallBitVector rest = paths.variables[variable].accesses;
  Value merged = operands.empty() ? scanDense(variable, rest) : Value();
  if (!merged) {
    CoordinateSet set = isWhole || paths.required[variable] || operands.empty()
                            ? CoordinateSet::all()
                            : deriveSet(variable, operands);
    merged = join(variable, set, operands);
  }
  coordinates[variable] = merged;
  for (const Operand &operand : operands)
    for (unsigned number : operand.accesses) {
      references[number] = operand.positions;
      rest.reset(number);
    }
  for (unsigned number : rest.set_bits()) {
    const AccessPath &path = paths.accesses[number];
    Value repeated = repeat(references[number], merged);
    std::optional<unsigned> level = path.findLevel(variable);
    references[number] =
        level ? locate(path, *level, repeated, merged) : repeated;
  }
  return success();
}

LogicalResult GraphIteration::build() {
  root = sam::RootOp::create(builder);
  coordinates.resize(paths.variables.size());
  references.assign(paths.accesses.size(), root);
  for (unsigned variable : paths.order)
    if (failed(buildVariable(variable)))
      return failure();
  return success();
}
