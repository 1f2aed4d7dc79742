//===- EmbeddingGenerator.cpp - Random embedding operations ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation of the dialect, with its attributes and optional operands;
// results of some are read by others.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingGenerator.h"
#include "ember/Fuzz/Embeddings/EmbeddingArrays.h"
#include "ember/Fuzz/Embeddings/EmbeddingInputs.h"
#include <algorithm>
#include <numeric>

namespace ember::fuzz {

namespace {

/// The edges of a graph that operations share.
struct Graph {
  ValueId rows = 0, columns = 0;
  int64_t rowCount = 0, columnCount = 0, edgeCount = 0;
  bool isCoordinates = false;
};

class EmbeddingGenerator {
public:
  explicit EmbeddingGenerator(Random &random)
      : random(random), style(drawEmbeddingStyle(random)),
        arrays(random, style) {}

  Program generate();

private:
  void bag();
  void spMM();
  void sddMM();
  void message();
  void score();
  void gather();
  void blockScores();
  void blockValues();

  /// Starts an operation.
  void begin(Embedding::Kind kind);
  void add(Role role, ValueId value) {
    embedding.roles.push_back(role);
    operands.push_back(value);
  }
  void addValues(Role role, const char *name, std::vector<int64_t> shape) {
    add(role, arrays.values(name, std::move(shape)));
  }
  /// Ends it, with what it overwrites.
  void end(std::vector<int64_t> shape);

  /// Indices below `limit`, which are few where duplicates are wanted.
  std::vector<int64_t> indices(int64_t count, int64_t limit);
  void addIndices(Role role, const char *name, std::vector<int64_t> shape,
                  int64_t limit);
  /// Numbers of lookups or edges.
  std::vector<int64_t> segmentLengths(int64_t count, bool canHaveAny);
  void addTable(Role role, const char *name, int64_t rows, int64_t length,
                bool hasFixedRows = false);
  void drawFormat();
  void drawEdgeSteps();
  int64_t drawTables(std::vector<int64_t> &lengths);
  void addPaddings(int64_t rows, int64_t tables);
  void addSegments(std::vector<int64_t> lengths, int64_t lookups);
  void addGraph();
  Graph drawGraph();
  Embedding::Reduction drawReduction() {
    return random.pick({Embedding::Sum, Embedding::Mean, Embedding::Max});
  }
  int64_t drawBlockSize() { return random.pick<int64_t>({1, 1, 2, 3, 4, 8}); }

  Random &random;
  EmbeddingStyle style;
  EmbeddingArrays arrays;
  Embedding embedding;
  std::vector<ValueId> operands;
  std::vector<Graph> graphs;
  Graph graph;
  /// Set once something is wrong: of two things, either might be met first.
  bool isFaulty = false;
};

} // namespace

void EmbeddingGenerator::begin(Embedding::Kind kind) {
  embedding = {};
  embedding.kind = kind;
  operands.clear();
}

void EmbeddingGenerator::end(std::vector<int64_t> shape) {
  add(Role::Init, arrays.init(shape));
  arrays.append(std::move(embedding), std::move(operands), std::move(shape));
}

std::vector<int64_t> EmbeddingGenerator::indices(int64_t count, int64_t limit) {
  int64_t last = random.chance(0.2) ? std::min<int64_t>(limit, 2) : limit;
  std::vector<int64_t> numbers;
  for (; count > 0; --count)
    numbers.push_back(random.between(0, last - 1));
  return numbers;
}

void EmbeddingGenerator::addIndices(Role role, const char *name,
                                    std::vector<int64_t> shape, int64_t limit) {
  int64_t count = elementCount(shape);
  add(role, arrays.integers(name, style.index, std::move(shape),
                            indices(count, limit)));
}

std::vector<int64_t> EmbeddingGenerator::segmentLengths(int64_t count,
                                                        bool canHaveAny) {
  std::vector<int64_t> lengths;
  for (; count > 0; --count) {
    int64_t length = 0;
    switch (random.weighted({2, 2, 4, 1})) {
    case 1:
      length = 1;
      break;
    case 2:
      length = random.between(2, 5);
      break;
    case 3:
      length = random.between(6, 20);
      break;
    default:
      break;
    }
    lengths.push_back(canHaveAny ? length : 0);
  }
  return lengths;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

void EmbeddingGenerator::drawFormat() {
  if (random.chance(style.encodedTables))
    embedding.format = drawRowLayout(random);
}

void EmbeddingGenerator::addTable(Role role, const char *name, int64_t rows,
                                  int64_t length, bool hasFixedRows) {
  add(role,
      embedding.format
          ? arrays.encodedTable(rows, length, *embedding.format, hasFixedRows)
          : arrays.values(name, {rows, length}, hasFixedRows));
}

//===----------------------------------------------------------------------===//
// Bags
//===----------------------------------------------------------------------===//

/// Adds tables of rows of `lengths`; returns how many rows all have.
int64_t EmbeddingGenerator::drawTables(std::vector<int64_t> &lengths) {
  bool isHalfBytes =
      embedding.format && embedding.format->encoding->elementsOfByte() == 2;
  auto count = static_cast<int64_t>(random.weighted({14, 4, 2, 2, 1})) + 1;
  if (count > 4)
    count = random.between(5, 12);
  for (; count > 0; --count)
    lengths.push_back(arrays.someLength());
  int64_t fewest = 1000;
  for (int64_t &length : lengths) {
    // Types of several tables say how long rows are, of half bytes in pairs.
    if (lengths.size() > 1 && isHalfBytes)
      length += length % 2;
    int64_t rows = arrays.someCount();
    fewest = std::min(fewest, rows);
    addTable(Role::Table, "table", rows, length,
             /*hasFixedRows=*/lengths.size() > 1);
  }
  return fewest;
}

void EmbeddingGenerator::addSegments(std::vector<int64_t> lengths,
                                     int64_t lookups) {
  embedding.segments = random.pick(
      {Embedding::Offsets, Embedding::OpenOffsets, Embedding::Lengths});
  std::vector<int64_t> numbers = lengths;
  if (embedding.segments != Embedding::Lengths) {
    int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t(0));
    // Lookups in front of the first segment, or behind the last one.
    int64_t begin = random.between(0, lookups - total);
    numbers.clear();
    for (int64_t length : lengths) {
      numbers.push_back(begin);
      begin += length;
    }
    if (embedding.segments == Embedding::Offsets)
      numbers.push_back(begin);
  }
  auto count = static_cast<int64_t>(numbers.size());
  add(Role::Segments,
      arrays.integers("segments", style.offset, {count}, numbers));
}

/// Adds a row to skip, or none, for each table; seldom one that is no row.
void EmbeddingGenerator::addPaddings(int64_t rows, int64_t tables) {
  for (int64_t table = 0; table < tables; ++table) {
    int64_t padding = random.between(-1, rows - 1);
    if (!isFaulty && random.chance(0.02)) {
      isFaulty = true;
      padding = random.pick<int64_t>({-2, rows, INT64_MAX, INT64_MIN});
    }
    add(Role::Padding, arrays.indexScalar(padding));
  }
}

void EmbeddingGenerator::bag() {
  begin(Embedding::Bag);
  embedding.reduction = drawReduction();
  drawFormat();
  std::vector<int64_t> rowLengths;
  int64_t rows = drawTables(rowLengths), bags = arrays.someCount();
  auto tables = static_cast<int64_t>(rowLengths.size());
  std::vector<int64_t> lengths = segmentLengths(bags * tables, rows > 0);
  int64_t lookups = std::accumulate(lengths.begin(), lengths.end(), int64_t(0));
  if (rows > 0 && random.chance(0.2))
    lookups += random.between(1, 3);
  addIndices(Role::Indices, "indices", {lookups}, rows);
  addSegments(std::move(lengths), lookups);
  if (embedding.reduction != Embedding::Max && random.chance(0.4))
    addValues(Role::Weights, "weights", {lookups});
  if (random.chance(0.3))
    addPaddings(rows, tables);
  end({bags,
       std::accumulate(rowLengths.begin(), rowLengths.end(), int64_t(0))});
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Graph EmbeddingGenerator::drawGraph() {
  if (!graphs.empty() && random.chance(style.reuse))
    return random.pick(graphs);
  Graph drawn;
  drawn.rowCount = arrays.someCount();
  drawn.columnCount = arrays.someCount();
  drawn.isCoordinates = random.chance(0.4);
  std::vector<int64_t> degrees =
      segmentLengths(drawn.rowCount, drawn.columnCount > 0);
  std::vector<int64_t> rows, positions = {0};
  for (size_t row = 0; row < degrees.size(); ++row) {
    rows.insert(rows.end(), static_cast<size_t>(degrees[row]),
                static_cast<int64_t>(row));
    positions.push_back(positions.back() + degrees[row]);
  }
  drawn.edgeCount = positions.back();
  // Coordinates are in any order.
  for (size_t i = rows.size(); random.chance(0.5) && i-- > 1;)
    std::swap(rows[i], rows[random.position(i + 1)]);
  const std::vector<int64_t> &given = drawn.isCoordinates ? rows : positions;
  drawn.rows =
      arrays.integers(drawn.isCoordinates ? "rows" : "positions", style.offset,
                      {static_cast<int64_t>(given.size())}, given);
  drawn.columns = arrays.integers("columns", style.index, {drawn.edgeCount},
                                  indices(drawn.edgeCount, drawn.columnCount));
  graphs.push_back(drawn);
  return drawn;
}

void EmbeddingGenerator::addGraph() {
  graph = drawGraph();
  embedding.isCoordinates = graph.isCoordinates;
  add(Role::Rows, graph.rows);
  add(Role::Columns, graph.columns);
  if (random.chance(0.5))
    addValues(Role::Values, "values", {graph.edgeCount});
}

void EmbeddingGenerator::spMM() {
  begin(Embedding::SpMM);
  embedding.reduction = drawReduction();
  addGraph();
  drawFormat();
  int64_t length = arrays.someLength();
  addTable(Role::Dense, "dense", graph.columnCount, length);
  end({graph.rowCount, length});
}

void EmbeddingGenerator::drawEdgeSteps() {
  embedding.edge =
      random.pick({StepFunction::Mul, StepFunction::Mul, StepFunction::Add,
                   StepFunction::Sub, StepFunction::Min, StepFunction::Max,
                   StepFunction::Larger, StepFunction::Distance});
  if (random.chance(0.3))
    embedding.total = random.pick({StepFunction::Mul, StepFunction::Min,
                                   StepFunction::Max, StepFunction::Larger,
                                   StepFunction::Distance, StepFunction::Plus});
  if (random.chance(0.6))
    embedding.activation = random.pick(
        {StepFunction::Sigmoid, StepFunction::Relu, StepFunction::Exp,
         StepFunction::Abs, StepFunction::Neg, StepFunction::Halve});
}

void EmbeddingGenerator::sddMM() {
  begin(Embedding::SDDMM);
  drawEdgeSteps();
  addGraph();
  int64_t length = arrays.someLength();
  addValues(Role::Left, "left", {graph.rowCount, length});
  addValues(Role::Right, "right", {graph.columnCount, length});
  if (random.chance(0.4))
    add(Role::Scale, arrays.floatScalar());
  end({graph.edgeCount});
}

void EmbeddingGenerator::message() {
  begin(Embedding::Message);
  embedding.reduction = random.chance(0.25) ? Embedding::Mean : Embedding::Sum;
  embedding.combining =
      random.pick({StepFunction::Add, StepFunction::Add, StepFunction::Larger,
                   StepFunction::Min, StepFunction::Max, StepFunction::Mul,
                   StepFunction::Distance, StepFunction::Plus});
  drawEdgeSteps();
  if (random.chance(0.3))
    embedding.weighting =
        random.pick({StepFunction::Add, StepFunction::Sub, StepFunction::Min,
                     StepFunction::Larger, StepFunction::Distance});
  embedding.isVector = random.chance(0.4);
  addGraph();
  int64_t length = arrays.someLength();
  int64_t messageLength = embedding.isVector ? length : arrays.someLength();
  addValues(Role::Left, "left", {graph.rowCount, length});
  addValues(Role::Right, "right", {graph.columnCount, length});
  addValues(Role::Messages, "messages", {graph.columnCount, messageLength});
  if (random.chance(0.4))
    add(Role::Scale, arrays.floatScalar());
  end({graph.rowCount, messageLength});
}

//===----------------------------------------------------------------------===//
// Knowledge graphs
//===----------------------------------------------------------------------===//

void EmbeddingGenerator::score() {
  begin(Embedding::Score);
  embedding.model = random.pick({Embedding::TransE, Embedding::DistMult,
                                 Embedding::ComplEx, Embedding::RotatE});
  embedding.norm = random.between(1, 2);
  int64_t length = arrays.someLength();
  if (embedding.isComplex())
    length += length % 2;
  int64_t entities = arrays.someCount(), relations = arrays.someCount();
  int64_t triples = entities > 0 && relations > 0 ? arrays.someCount() : 0;
  addValues(Role::Entities, "entities", {entities, length});
  addValues(
      Role::Relations, "relations",
      {relations, embedding.model == Embedding::RotatE ? length / 2 : length});
  addIndices(Role::Heads, "heads", {triples}, entities);
  addIndices(Role::Types, "types", {triples}, relations);
  if (random.chance(0.5)) {
    addIndices(Role::Tails, "tails", {triples}, entities);
    end({triples});
  } else {
    end({triples, entities});
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void EmbeddingGenerator::gather() {
  begin(Embedding::Gather);
  embedding.blockSize = drawBlockSize();
  drawFormat();
  int64_t length = arrays.someLength(), blocks = arrays.someCount();
  int64_t entries = blocks > 0 ? arrays.someCount() : 0;
  int64_t chosen = random.between(random.chance(0.05) ? 0 : 1, 3);
  addTable(Role::Source, "source", blocks * embedding.blockSize, length);
  addIndices(Role::Blocks, "blocks", {entries, chosen}, blocks);
  end({entries, chosen * embedding.blockSize, length});
}

void EmbeddingGenerator::blockScores() {
  begin(Embedding::BlockScores);
  int64_t size = embedding.blockSize = drawBlockSize();
  int64_t length = arrays.someLength(), blocks = arrays.someCount();
  int64_t entries = blocks > 0 ? arrays.someCount() : 0;
  int64_t chosen = random.between(1, 3);
  addValues(Role::Queries, "queries", {entries * size, length});
  addValues(Role::Keys, "keys", {blocks * size, length});
  addIndices(Role::Blocks, "blocks", {entries, chosen}, blocks);
  if (random.chance(0.5))
    add(Role::Scale, arrays.floatScalar());
  end({entries * size, chosen * size});
}

void EmbeddingGenerator::blockValues() {
  begin(Embedding::BlockValues);
  int64_t size = embedding.blockSize = drawBlockSize();
  int64_t length = arrays.someLength(), blocks = arrays.someCount();
  int64_t entries = blocks > 0 ? arrays.someCount() : 0;
  int64_t chosen = random.between(1, 3);
  addValues(Role::BlockWeights, "weights", {entries * size, chosen * size});
  addValues(Role::BlockRows, "rows", {blocks * size, length});
  addIndices(Role::Blocks, "blocks", {entries, chosen}, blocks);
  end({entries * size, length});
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Program EmbeddingGenerator::generate() {
  using Write = void (EmbeddingGenerator::*)();
  static const std::vector<Write> writers = {
      &EmbeddingGenerator::bag,         &EmbeddingGenerator::bag,
      &EmbeddingGenerator::spMM,        &EmbeddingGenerator::spMM,
      &EmbeddingGenerator::sddMM,       &EmbeddingGenerator::message,
      &EmbeddingGenerator::message,     &EmbeddingGenerator::score,
      &EmbeddingGenerator::gather,      &EmbeddingGenerator::blockScores,
      &EmbeddingGenerator::blockValues,
  };
  for (size_t count = random.weighted({4, 4, 2}) + 1; count > 0; --count)
    (this->*random.pick(writers))();
  Program program = arrays.finish();
  program.isFaulty = isFaulty;
  if (!isFaulty)
    varyInputs(random, program);
  return program;
}

Program generateEmbeddings(Random &random) {
  return EmbeddingGenerator(random).generate();
}

} // namespace ember::fuzz
