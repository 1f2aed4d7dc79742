//===- Conformance.cpp - Measured timing as tests -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace ember::sim::sam {

std::vector<std::string> conformanceFiles() {
  std::vector<std::string> files;
  for (StringRef path :
       {EMBER_SOURCE_DIR "/test/Sim/SAM/conformance.json",
        EMBER_SOURCE_DIR "/../shared/reference/sam_conformance.json"})
    if (sys::fs::exists(path))
      files.push_back(path.str());
  return files;
}

json::Value readJSON(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  EXPECT_TRUE(buffer) << path.str();
  return buffer ? cantFail(json::parse((*buffer)->getBuffer()))
                : json::Value(json::Object());
}

static Token tokenOf(const json::Value &value, StreamType type) {
  if (std::optional<StringRef> text = value.getAsString())
    return cantFail(parseToken(*text, type));
  if (type == StreamType::value)
    return Token::number(*value.getAsNumber());
  return Token::integer(*value.getAsInteger());
}

static std::vector<TimedToken> timeline(const json::Array &array,
                                        StreamType type) {
  std::vector<TimedToken> tokens;
  for (auto [cycle, value] : enumerate(array))
    if (value.kind() != json::Value::Null)
      tokens.push_back({tokenOf(value, type), cycle});
  return tokens;
}

std::string printTimeline(ArrayRef<TimedToken> tokens, StreamType type) {
  std::string text;
  uint64_t cycle = 0;
  for (const TimedToken &token : tokens) {
    for (; cycle < token.cycle; ++cycle)
      text += ". ";
    text += printToken(token.token, type) + " ";
    ++cycle;
  }
  return text;
}

static std::vector<int64_t> integers(const json::Array &array) {
  std::vector<int64_t> values;
  for (const json::Value &value : array)
    values.push_back(*value.getAsInteger());
  return values;
}

static Tensor compressedTensor(StringRef name, std::vector<int64_t> segments,
                               std::vector<int64_t> coordinates) {
  Tensor tensor;
  tensor.name = name.str();
  // Fibers of references are those of a level inside of a dense one.
  Level outer, inner;
  outer.format = Level::Format::dense;
  outer.size = int64_t(segments.size()) - 1;
  inner.size = 1 << 20;
  inner.segments = std::move(segments);
  inner.coordinates = std::move(coordinates);
  tensor.values.resize(inner.coordinates.size());
  tensor.levels = {outer, inner};
  return tensor;
}

/// What the block reads, from its parameters.
static void addMemory(Graph &graph, Block &block, const json::Object &params) {
  Tensor tensor;
  tensor.name = "T";
  if (block.kind == BlockKind::scanCompressed) {
    tensor = compressedTensor("T", integers(*params.getArray("seg")),
                              integers(*params.getArray("crd")));
    block.level = 1;
  } else if (block.kind == BlockKind::scanDense ||
             block.kind == BlockKind::locate) {
    tensor.levels.emplace_back().format = Level::Format::dense;
    tensor.levels[0].size = *params.getInteger("dim");
    tensor.values.resize(tensor.levels[0].size);
  } else if (block.kind == BlockKind::array) {
    for (const json::Value &value : *params.getArray("values"))
      tensor.values.push_back(*value.getAsNumber());
    tensor.levels.emplace_back().format = Level::Format::dense;
    tensor.levels[0].size = tensor.values.size();
  } else {
    return;
  }
  block.tensor = cantFail(graph.addTensor(std::move(tensor)));
}

static void buildGalloping(BlockVector &vector, const json::Object &params) {
  Graph &graph = vector.graph;
  unsigned join = cantFail(graph.addBlock({"intersect", BlockKind::intersect}));
  for (std::string side : {"1", "2"}) {
    std::vector<int64_t> coordinates = integers(*params.getArray("crd" + side));
    Block scan{"scan" + side, BlockKind::scanCompressed};
    scan.level = 1;
    scan.tensor = cantFail(graph.addTensor(compressedTensor(
        "T" + side, {0, int64_t(coordinates.size())}, coordinates)));
    unsigned number = cantFail(graph.addBlock(scan));
    cantFail(graph.connect(number, "crd", join, "crd" + side));
    cantFail(graph.connect(number, "ref", join, "ref" + side));
    cantFail(graph.connect(join, "skip" + side, number, "skip"));
    cantFail(graph.addRoot(number));
  }
  vector.checked = {join};
}

BlockVector buildVector(const json::Object &object) {
  BlockVector vector;
  Graph &graph = vector.graph;
  vector.name = object.getString("block")->str();
  vector.isQuirk =
      StringRef(object.getString("note").value_or("")).contains("quirk");
  vector.doneCycle = *object.getInteger("done_cycle");
  const json::Object &params = *object.getObject("params");
  if (StringRef(vector.name).contains("skipping")) {
    buildGalloping(vector, params);
  } else {
    Block block{"block", *blockKindNamed(vector.name)};
    block.result = "X";
    block.negatesSecond = params.getBoolean("neg2").value_or(false);
    block.factor = params.getInteger("factor").value_or(1);
    block.keepsCoordinate = params.getBoolean("keep_coordinate").value_or(true);
    block.width = params.getInteger("width").value_or(64);
    block.size = params.getInteger("size").value_or(64);
    block.emitsZeros = params.getBoolean("emit_zeros").value_or(false);
    if (const json::Array *words = params.getArray("words"))
      for (int64_t word : integers(*words))
        block.words.push_back(word);
    addMemory(graph, block, params);
    unsigned number = cantFail(graph.addBlock(block));
    for (auto [port, input] : enumerate(infoOf(block.kind).inputs))
      if (const json::Array *tokens =
              object.getObject("in")->getArray(input.name)) {
        StreamType type = input.type;
        if (type == StreamType::any)
          type = StreamType::coordinate;
        cantFail(graph.feed(number, input.name, timeline(*tokens, type)));
      }
    vector.checked = {number};
  }
  cantFail(graph.verify());
  for (const auto &[key, value] : *object.getObject("out")) {
    StringRef name = key;
    unsigned block = vector.checked[0];
    if (vector.graph.getBlocks().size() > 1 &&
        (name == "crd1" || name == "crd2")) {
      block = *graph.findBlock(("scan" + name.take_back(1)).str());
      name = "crd";
    }
    for (auto [port, output] :
         enumerate(infoOf(graph.getBlocks()[block].kind).outputs))
      if (output.name == name) {
        StreamType type = output.type == StreamType::any
                              ? StreamType::coordinate
                              : output.type;
        vector.outputs.push_back(
            {block, unsigned(port),
             printTimeline(timeline(*value.getAsArray(), type), type)});
      }
  }
  EXPECT_EQ(vector.outputs.size(), object.getObject("out")->size());
  if (const json::Object *stored = object.getObject("stored"))
    vector.stored = formatv("{0}", *stored->get("arr"));
  return vector;
}

namespace {
struct Factor {
  std::string tensor;
  std::string indices;
};
} // namespace

Elements withoutZeros(Elements elements) {
  std::erase_if(elements, [](const auto &entry) { return entry.second == 0; });
  return elements;
}

Elements evaluate(StringRef expression, const Graph &graph,
                  const json::Object &tensors, const json::Object &dims) {
  auto parse = [](StringRef text) {
    auto [name, rest] = text.split('(');
    std::string indices;
    for (char letter : rest.split(')').first)
      if (letter != ',')
        indices += letter;
    return Factor{name.str(), indices};
  };
  std::map<std::string, Elements> values;
  for (const Tensor &tensor : graph.getTensors()) {
    StringRef own = *tensors.getObject(tensor.name)->getString("indices");
    for (const auto &[coordinates, value] : elementsOf(tensor)) {
      std::vector<int64_t> key(own.size());
      for (auto [coordinate, index] : zip_equal(coordinates, tensor.indices))
        key[own.find(index)] = coordinate;
      values[tensor.name][key] = value;
    }
  }
  auto [left, right] = expression.split('=');
  Factor result = parse(left);
  Elements sums;
  while (!right.empty()) {
    double sign = right.consume_front("-") ? -1 : 1;
    right.consume_front("+");
    size_t length = std::min(right.find('+'), right.find('-'));
    SmallVector<StringRef> texts;
    right.take_front(length).split(texts, '*');
    right = length == StringRef::npos ? "" : right.drop_front(length);
    std::vector<Factor> factors;
    std::string indices = result.indices;
    for (StringRef text : texts) {
      factors.push_back(parse(text));
      for (char index : factors.back().indices)
        if (!StringRef(indices).contains(index))
          indices += index;
    }
    std::vector<int64_t> point(indices.size());
    bool hasPoint = true;
    std::vector<int64_t> sizes;
    for (char index : indices) {
      sizes.push_back(*dims.getInteger(StringRef(&index, 1)));
      hasPoint &= sizes.back() > 0;
    }
    while (hasPoint) {
      double product = sign;
      for (const Factor &factor : factors) {
        std::vector<int64_t> key;
        for (char index : factor.indices)
          key.push_back(point[indices.find(index)]);
        auto found = values[factor.tensor].find(key);
        product *= found == values[factor.tensor].end() ? 0 : found->second;
        if (product == 0)
          break;
      }
      if (product != 0)
        sums[{point.begin(), point.begin() + result.indices.size()}] += product;
      hasPoint = false;
      for (size_t axis = point.size(); axis-- > 0 && !hasPoint;) {
        hasPoint = ++point[axis] < sizes[axis];
        if (!hasPoint)
          point[axis] = 0;
      }
    }
  }
  return withoutZeros(sums);
}

} // namespace ember::sim::sam
