//===- VariableOrder.cpp - The order of loops -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementPaths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace ember;

/// Of more variables, only one order is tried: that of levels.
static constexpr unsigned mostPermuted = 8;

namespace {
/// What is wrong with an order of variables.
struct OrderErrors {
  /// Tensors that would have to have their levels in another order.
  SmallVector<std::string> transposes;
  /// Reductions of a part of the statement that loops of all of it are in.
  SmallVector<std::string> scopes;
  /// Dense levels of the result that reducers do not fill.
  SmallVector<std::string> unfilled;
  /// Variables that may not be without coordinates, which is no error yet.
  size_t required = 0;

  size_t count() const {
    return required + 100 * transposes.size() + 1000 * unfilled.size() +
           100000 * scopes.size();
  }
};

class OrderSearch {
public:
  explicit OrderSearch(StatementPaths &paths) : paths(paths) {}

  OrderErrors check(ArrayRef<unsigned> order) const {
    SmallVector<unsigned> places(order.size());
    for (auto [place, variable] : llvm::enumerate(order))
      places[variable] = place;
    OrderErrors errors;
    for (const AccessPath &path : paths.accesses)
      if (!path.isFound(places))
        addTranspose(errors, path, places);
    if (!paths.result.isInOrder(places))
      addTranspose(errors, paths.result, places);
    checkFilled(errors, order);
    errors.required = paths.findRequired(places).count();
    for (unsigned outer = 0; outer < order.size(); ++outer)
      for (unsigned inner = outer + 1; inner < order.size(); ++inner)
        checkScopes(errors, order[outer], order[inner]);
    return errors;
  }

  /// The first order with the fewest errors that `keeps` some variables in
  /// theirs.
  SmallVector<unsigned> search(ArrayRef<unsigned> kept) const {
    SmallVector<unsigned> order = getNaturalOrder();
    if (order.size() > mostPermuted)
      return sortByLevels(order, kept);
    // Permutations in the order in which variables stand.
    SmallVector<unsigned> natural = order, permutation(order.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::optional<size_t> least;
    do {
      SmallVector<unsigned> candidate = llvm::map_to_vector(
          permutation, [&](unsigned at) { return natural[at]; });
      if (!isKept(candidate, kept))
        continue;
      size_t count = check(candidate).count();
      if (least && *least <= count)
        continue;
      least = count;
      order = candidate;
    } while (*least != 0 &&
             std::next_permutation(permutation.begin(), permutation.end()));
    return order;
  }

private:
  /// Those of the result by its levels, then the others as they stand.
  SmallVector<unsigned> getNaturalOrder() const {
    SmallVector<unsigned> order(paths.result.variables);
    for (unsigned variable = 0; variable < paths.variables.size(); ++variable)
      if (!llvm::is_contained(order, variable))
        order.push_back(variable);
    return order;
  }

  /// The variables that have to stand before one: those of levels above it, of
  /// accesses that share its scope, and those that are kept.
  llvm::SmallBitVector findBefore(unsigned variable,
                                  ArrayRef<unsigned> kept) const {
    llvm::SmallBitVector before(paths.variables.size());
    auto addPath = [&](const AccessPath &path) {
      std::optional<unsigned> level = path.findLevel(variable);
      bool isFree =
          !level || (path.format.levels[*level].kind == cin::LevelKind::dense &&
                     path.format.getDenseRun(*level).first == 0);
      for (unsigned above = 0; !isFree && above < *level; ++above)
        before.set(path.variables[above]);
    };
    for (const AccessPath &path : paths.accesses)
      addPath(path);
    if (!paths.result.format.isDense())
      addPath(paths.result);
    const auto *place = llvm::find(kept, variable);
    for (unsigned earlier :
         ArrayRef(kept.begin(), place == kept.end() ? kept.begin() : place))
      before.set(earlier);
    return before;
  }

  /// Each variable behind those that have to stand before it, as far as that
  /// goes.
  SmallVector<unsigned> sortByLevels(ArrayRef<unsigned> natural,
                                     ArrayRef<unsigned> kept) const {
    SmallVector<unsigned> sorted;
    llvm::SmallBitVector placed(natural.size());
    while (sorted.size() < natural.size()) {
      const auto *next = llvm::find_if(natural, [&](unsigned variable) {
        return !placed[variable] &&
               findBefore(variable, kept).reset(placed).none();
      });
      if (next == natural.end())
        return SmallVector<unsigned>(natural);
      sorted.push_back(*next);
      placed.set(*next);
    }
    return sorted;
  }

  static bool isKept(ArrayRef<unsigned> order, ArrayRef<unsigned> kept) {
    for (unsigned variable : order)
      if (!kept.empty() && kept.front() == variable)
        kept = kept.drop_front();
    return kept.empty();
  }

  void addTranspose(OrderErrors &errors, const AccessPath &path,
                    ArrayRef<unsigned> places) const {
    SmallVector<unsigned> sorted(path.variables);
    llvm::sort(sorted,
               [&](unsigned a, unsigned b) { return places[a] < places[b]; });
    std::string text = "'" + paths.getName(path.array) +
                       "' with its levels in the order " + spell(sorted) +
                       " instead of " + spell(path.variables);
    if (!llvm::is_contained(errors.transposes, text))
      errors.transposes.push_back(text);
  }

  /// A reducer behind inner loops has only what some value of its variable has,
  /// and a dense level beside others that are not has all.
  void checkFilled(OrderErrors &errors, ArrayRef<unsigned> order) const {
    if (paths.result.format.isDense())
      return;
    bool isInside = false;
    for (unsigned variable : order) {
      isInside |= paths.variables[variable].reduce != nullptr;
      std::optional<unsigned> level = paths.result.findLevel(variable);
      if (isInside && level &&
          paths.result.format.levels[*level].kind == cin::LevelKind::dense)
        errors.unfilled.push_back(paths.variables[variable].name);
    }
  }

  void checkScopes(OrderErrors &errors, unsigned outer, unsigned inner) const {
    const llvm::SmallBitVector &around = paths.variables[outer].accesses;
    llvm::SmallBitVector outside = paths.variables[inner].accesses;
    if (!outside.anyCommon(around))
      return;
    outside.reset(around);
    if (outside.any())
      errors.scopes.push_back("'" + paths.variables[inner].name +
                              "' inside of '" + paths.variables[outer].name +
                              "'");
  }

public:
  std::string spell(ArrayRef<unsigned> variables) const {
    return llvm::join(llvm::map_range(variables,
                                      [&](unsigned variable) {
                                        return paths.variables[variable].name;
                                      }),
                      ", ");
  }

private:
  StatementPaths &paths;
};
} // namespace

/// The variables that an option or a schedule names.
static FailureOr<SmallVector<unsigned>> findNamed(StatementPaths &paths,
                                                  ArrayRef<std::string> names) {
  SmallVector<unsigned> named;
  for (const std::string &name : names) {
    const auto *variable =
        llvm::find_if(paths.variables, [&](const StatementVariable &known) {
          return known.name == name;
        });
    unsigned number = variable - paths.variables.begin();
    if (variable == paths.variables.end() || llvm::is_contained(named, number))
      return paths.statement.emitOpError()
             << "is to have loops in the order " << llvm::join(names, ", ")
             << ", and '" << name
             << (variable == paths.variables.end() ? "' is no variable of it"
                                                   : "' is named twice");
    named.push_back(number);
  }
  return named;
}

/// Takes the order, after an error if formats do not allow it.
static LogicalResult acceptOrder(StatementPaths &paths, bool isAsked,
                                 bool transposes) {
  OrderSearch search(paths);
  OrderErrors errors = search.check(paths.order);
  if (!errors.scopes.empty())
    return paths.statement.emitOpError()
           << "has loops in the order " << search.spell(paths.order)
           << ": a loop of more terms, " << llvm::join(errors.scopes, ", ")
           << ", would stand inside of a reduction of fewer; reduce first in "
              "another statement, or choose another order";
  if (!errors.unfilled.empty() && errors.transposes.empty())
    return paths.statement.emitOpError()
           << "has loops in the order " << search.spell(paths.order) << ": '"
           << paths.getName(paths.result.array) << "' has a dense level for '"
           << errors.unfilled.front()
           << "' inside of a reduction, which does not make all of its "
              "coordinates; store it compressed, or all of the result dense";
  if (!errors.transposes.empty() && !transposes)
    return paths.statement.emitOpError()
           << "has no order of loops "
           << (isAsked ? "as asked for that all levels allow"
                       : "that all levels allow")
           << ": with " << search.spell(paths.order) << ", store "
           << llvm::join(errors.transposes, " and ")
           << ", or have copies made with --transpose";
  paths.places.resize(paths.order.size());
  for (auto [place, variable] : llvm::enumerate(paths.order))
    paths.places[variable] = place;
  paths.required = paths.findRequired(paths.places);
  return success();
}

LogicalResult ember::keepOrder(StatementPaths &paths,
                               ArrayRef<unsigned> order) {
  paths.order.assign(order.begin(), order.end());
  return acceptOrder(paths, /*isAsked=*/true, /*transposes=*/false);
}

LogicalResult ember::orderVariables(StatementPaths &paths,
                                    ArrayRef<std::string> names,
                                    bool transposes) {
  SmallVector<std::string> asked(names);
  if (cin::ScheduleAttr schedule = paths.statement.getScheduleAttr()) {
    for (cin::RelationAttr relation : schedule.getRelations())
      if (relation.getKind() != cin::RelationKind::reorder)
        return paths.statement.emitOpError()
               << "has the relation '" << cin::getName(relation.getKind())
               << "' in its schedule, and graphs follow 'reorder' alone";
    if (asked.empty())
      for (StringAttr name : schedule.getOrder())
        asked.push_back(name.str());
  }
  FailureOr<SmallVector<unsigned>> named = findNamed(paths, asked);
  if (failed(named))
    return failure();
  paths.order = OrderSearch(paths).search(*named);
  return acceptOrder(paths, !named->empty(), transposes);
}
