//===- Results.cpp - Tensors from the streams that were written -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writers keep the streams that they took. How many fibers a level has follows
// from the level around it: a fiber without coordinates still ends with a stop,
// which stands for no fiber below. Droppers let the stops of dropped fibers
// pass, so behind them only fibers with coordinates count.
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/GraphFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

namespace {
struct Fiber {
  std::vector<Token> tokens;
  /// Whether a coordinate around it has this fiber, rather than a list that has
  /// no coordinates.
  bool isReal = true;
};
using Fibers = std::vector<Fiber>;

struct Writers {
  std::map<unsigned, unsigned> levels;
  unsigned values = noIndex;
  /// What stores them by references, if anything does.
  unsigned stored = noIndex;
};
} // namespace

/// The lists that stops end. What no stop ends is one as well.
static Fibers fibersOf(ArrayRef<Token> tokens, bool keepsMissing) {
  Fibers fibers(1);
  for (const Token &token : tokens) {
    if (token.isStop())
      fibers.emplace_back();
    else if (token.isData() || (token.isEmpty() && keepsMissing))
      fibers.back().tokens.push_back(token);
  }
  if (fibers.back().tokens.empty())
    fibers.pop_back();
  return fibers;
}

/// One list of children for each coordinate of the fibers around.
static bool arrange(const Fibers &parents, Fibers children, bool onlyNonempty,
                    Fibers &arranged) {
  if (onlyNonempty)
    erase_if(children, [](const Fiber &fiber) { return fiber.tokens.empty(); });
  size_t next = 0;
  for (const Fiber &parent : parents) {
    size_t count = parent.tokens.size();
    // The stop of a list without coordinates stands for no list inside.
    if (!count && !onlyNonempty && next < children.size() &&
        children[next].tokens.empty()) {
      arranged.push_back({{}, false});
      ++next;
    }
    if (count > children.size() - next)
      return false;
    arranged.insert(arranged.end(), children.begin() + next,
                    children.begin() + next + count);
    next += count;
  }
  return next == children.size();
}

/// The last value at each place of a tensor whose levels are dense.
static Elements scatter(const Graph &graph, unsigned block,
                        ArrayRef<Token> tokens) {
  const Tensor &tensor = graph.getTensors()[graph.getBlocks()[block].tensor];
  Elements elements;
  for (size_t at = 0; at + 1 < tokens.size(); at += 2) {
    if (!tokens[at].isData())
      continue;
    int64_t place = tokens[at].integer();
    std::vector<int64_t> coordinates(tensor.levels.size());
    for (size_t level = coordinates.size(); level-- > 0;) {
      coordinates[level] = place % tensor.levels[level].size;
      place /= tensor.levels[level].size;
    }
    elements[coordinates] =
        tokens[at + 1].isData() ? tokens[at + 1].number() : 0;
  }
  return elements;
}

/// Values beside the coordinates of the innermost level.
static bool pairValues(const Fibers &coordinates, const Fibers &values,
                       std::vector<Token> &paired) {
  bool areAlike = coordinates.size() == values.size();
  for (size_t i = 0; areAlike && i < values.size(); ++i) {
    const std::vector<Token> &beside = coordinates[i].tokens,
                             &tokens = values[i].tokens;
    bool isSumOfNothing =
        beside.empty() && tokens.size() == 1 && tokens[0].number() == 0;
    areAlike = isSumOfNothing || beside.size() == tokens.size();
    if (!isSumOfNothing)
      append_range(paired, tokens);
  }
  if (areAlike)
    return true;
  paired.clear();
  size_t count = 0;
  for (const Fiber &fiber : values)
    append_range(paired, fiber.tokens);
  for (const Fiber &fiber : coordinates)
    count += fiber.tokens.size();
  return count == paired.size();
}

static Expected<Elements> assemble(const Graph &graph, const Run &run,
                                   StringRef name, const Writers &writers,
                                   Quirks quirks) {
  auto wrong = [&](const std::string &what) {
    return createStringError(formatv("result '{0}': {1}", name, what));
  };
  auto nameOf = [&](unsigned block) { return graph.getBlocks()[block].name; };
  bool keepsMissing = quirks == Quirks::reference;
  if (writers.stored != noIndex)
    return scatter(graph, writers.stored, run.written.at(writers.stored));
  if (writers.values == noIndex)
    return wrong("no block writes its values");
  std::vector<unsigned> nesting;
  if (auto given = graph.getNesting().find(name.str());
      given != graph.getNesting().end())
    nesting = given->second;
  else
    for (const auto &[level, block] : writers.levels)
      nesting.push_back(level);
  if (nesting.size() != writers.levels.size())
    return wrong(formatv("{0} levels are nested, but blocks write {1}",
                         nesting.size(), writers.levels.size()));
  // Fibers of each level, and those of the values.
  std::vector<Fibers> levels;
  unsigned around = noIndex;
  for (unsigned level : nesting) {
    auto writer = writers.levels.find(level);
    if (writer == writers.levels.end())
      return wrong(formatv("no block writes its level {0}", level));
    unsigned block = writer->second;
    Fibers fibers = fibersOf(run.written.at(block), keepsMissing), arranged;
    PortRef source = graph.sourceOf(block, 0);
    bool areDropped =
        source.block != noIndex && source.port == 1 &&
        graph.getBlocks()[source.block].kind == BlockKind::coordinateDrop;
    if (levels.empty())
      arranged = fibers.empty() ? Fibers(1) : std::move(fibers);
    else if (!arrange(levels.back(), std::move(fibers),
                      areDropped || keepsMissing, arranged) &&
             !keepsMissing)
      return wrong(formatv(
          "the fibers that {0} took are not those of the coordinates that {1} "
          "took",
          nameOf(block), nameOf(around)));
    levels.push_back(std::move(arranged));
    around = block;
  }
  Fibers values = fibersOf(run.written.at(writers.values), keepsMissing);
  if (levels.empty()) {
    if (values.size() != 1 || values[0].tokens.size() != 1)
      return wrong(
          formatv("{0} took other than one value", nameOf(writers.values)));
    return Elements{{{}, values[0].tokens[0].number()}};
  }
  std::vector<Token> paired;
  Fibers written = fibersOf(run.written.at(around), keepsMissing);
  if (!pairValues(written, values, paired))
    return wrong(
        formatv("{0} took another number of values than {1} took coordinates",
                nameOf(writers.values), nameOf(around)));
  // Coordinates from the outside in: an element a coordinate, then its fiber.
  std::vector<std::vector<int64_t>> places(1);
  for (const Fibers &fibers : levels) {
    std::vector<std::vector<int64_t>> deeper;
    size_t number = 0;
    for (const Fiber &fiber : fibers) {
      if (!fiber.isReal)
        continue;
      if (number >= places.size())
        return wrong("its outermost level has more than one fiber");
      for (const Token &coordinate : fiber.tokens) {
        deeper.push_back(places[number]);
        deeper.back().push_back(coordinate.isData() ? coordinate.integer() : 0);
      }
      ++number;
    }
    places = std::move(deeper);
  }
  if (places.size() != paired.size())
    return wrong("its levels do not fit together");
  Elements elements;
  for (auto [place, value] : zip_equal(places, paired)) {
    std::vector<int64_t> key(place.size());
    for (auto [coordinate, level] : zip_equal(place, nesting)) {
      if (level >= key.size())
        return wrong(
            "the levels of its nesting are not those that are written");
      key[level] = coordinate;
    }
    elements[key] += value.isData() ? value.number() : 0;
  }
  return elements;
}

static std::map<std::string, Writers> findWriters(const Graph &graph) {
  std::map<std::string, Writers> writers;
  for (auto [number, block] : enumerate(graph.getBlocks())) {
    if (block.kind == BlockKind::store)
      writers[block.result].stored = number;
    else if (block.kind == BlockKind::writeValues)
      writers[block.result].values = number;
    else if (block.kind == BlockKind::writeCompressed)
      writers[block.result].levels[block.level] = number;
  }
  return writers;
}

Expected<Elements> resultOf(const Graph &graph, const Run &run, StringRef name,
                            Quirks quirks) {
  return assemble(graph, run, name, findWriters(graph)[name.str()], quirks);
}

Expected<std::map<std::string, Elements>>
resultsOf(const Graph &graph, const Run &run, Quirks quirks) {
  std::map<std::string, Elements> results;
  for (const auto &[name, parts] : findWriters(graph)) {
    Expected<Elements> elements = assemble(graph, run, name, parts, quirks);
    if (!elements)
      return elements.takeError();
    results[name] = std::move(*elements);
  }
  return results;
}

} // namespace ember::sim::sam
