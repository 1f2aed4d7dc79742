//===- GraphFile.cpp - Graphs and their tensors as JSON -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/GraphFile.h"

#include "BlockParameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace ember::sim::sam {

/// Larger tensors are not filled element by element.
static constexpr int64_t mostDraws = int64_t(1) << 26;

namespace {
class GraphReader {
public:
  GraphReader(const json::Object &kernel, const json::Object &filling)
      : kernel(kernel), filling(filling) {}

  Expected<Graph> read();

private:
  Error readTensors();
  Expected<Tensor> readTensor(StringRef name, const json::Object &object,
                              unsigned position);
  Expected<Elements> readElements(StringRef name, const json::Array &array,
                                  ArrayRef<int64_t> sizes);
  Expected<Elements> draw(StringRef name, ArrayRef<int64_t> sizes,
                          unsigned position);
  Error readNode(StringRef name, const json::Object &object);
  Error readLevel(Block &block, const json::Object &object);
  Error readEdge(StringRef text);
  Error readNesting();
  Expected<unsigned> blockNamed(StringRef name) const;

  const json::Object &kernel;
  const json::Object &filling;
  Graph graph;
};
} // namespace

Expected<Elements> GraphReader::readElements(StringRef name,
                                             const json::Array &array,
                                             ArrayRef<int64_t> sizes) {
  Elements elements;
  for (auto [position, entry] : enumerate(array)) {
    const json::Array *pair = entry.getAsArray();
    const json::Array *coordinates =
        pair && pair->size() == 2 ? (*pair)[0].getAsArray() : nullptr;
    std::optional<double> value =
        coordinates ? (*pair)[1].getAsNumber() : std::nullopt;
    if (!value || coordinates->size() != sizes.size())
      return fileError(
          "tensor '{0}': element {1} is not [[{2} coordinates], value]", name,
          position, sizes.size());
    std::vector<int64_t> key;
    for (auto [coordinate, size] : zip_equal(*coordinates, sizes)) {
      std::optional<int64_t> number = coordinate.getAsInteger();
      if (!number || *number < 0 || *number >= size)
        return fileError(
            "tensor '{0}': element {1} has a coordinate that is not below {2}",
            name, position, size);
      key.push_back(*number);
    }
    if (!elements.try_emplace(key, *value).second)
      return fileError("tensor '{0}': element {1} is there twice", name,
                       position);
  }
  return elements;
}

Expected<Elements> GraphReader::draw(StringRef name, ArrayRef<int64_t> sizes,
                                     unsigned position) {
  if (sizes.empty())
    return Elements{{{}, 2.0 + position}};
  Expected<int64_t> seed = integerOf(filling, "seed", 0, 0, int64_t(1) << 32);
  if (!seed)
    return seed.takeError();
  double density = 1;
  if (const json::Object *densities = filling.getObject("density"))
    density = densities->getNumber(name).value_or(1);
  if (!(density >= 0 && density <= 1))
    return fileError("tensor '{0}': density {1} is not between 0 and 1", name,
                     density);
  int64_t draws = 1;
  for (int64_t size : sizes)
    if (MulOverflow(draws, size, draws) || draws > mostDraws)
      return fileError("tensor '{0}' has too many places to draw elements",
                       name);
  SplitMix64 random(10 * uint64_t(*seed) + position);
  auto threshold = uint64_t(std::floor(density * 9007199254740992.0));
  Elements elements;
  std::vector<int64_t> coordinates(sizes.size());
  for (int64_t number = 0; number < draws; ++number) {
    uint64_t drawn = random();
    if (drawn >> 11 < threshold)
      elements.emplace_hint(elements.end(), coordinates,
                            double(1 + (drawn & 0x7ff) % 9));
    for (size_t axis = sizes.size(); axis-- > 0;) {
      if (++coordinates[axis] < sizes[axis])
        break;
      coordinates[axis] = 0;
    }
  }
  return elements;
}

static std::optional<Level::Format> formatOf(char letter) {
  switch (letter) {
  case 'd':
    return Level::Format::dense;
  case 's':
    return Level::Format::compressed;
  case 'u':
    return Level::Format::pointList;
  case 'q':
    return Level::Format::singleton;
  case 'b':
    return Level::Format::bitvector;
  case 'l':
    return Level::Format::linkedList;
  default:
    return std::nullopt;
  }
}

Expected<Tensor> GraphReader::readTensor(StringRef name,
                                         const json::Object &object,
                                         unsigned position) {
  StringRef indices = object.getString("indices").value_or("");
  StringRef levels = object.getString("levels").value_or(indices);
  StringRef format = object.getString("format").value_or("");
  if (levels.size() != indices.size() || format.size() != indices.size() ||
      any_of(levels, [&](char index) {
        return indices.count(index) != 1 || levels.count(index) != 1;
      }))
    return fileError(
        "tensor '{0}': indices '{1}', levels '{2}' and format '{3}' do not fit "
        "together",
        name, indices, levels, format);
  const json::Object *dims = filling.getObject("dims");
  std::vector<int64_t> sizes;
  for (char index : indices) {
    std::optional<int64_t> size = dims ? dims->getInteger(StringRef(&index, 1))
                                       : std::optional<int64_t>();
    if (!size || *size < 0 || *size > int64_t(1) << 40)
      return fileError("tensor '{0}': 'dims' has no size for index '{1}'", name,
                       index);
    sizes.push_back(*size);
  }
  const json::Array *given = object.getArray("elements");
  Expected<Elements> elements =
      given ? readElements(name, *given, sizes) : draw(name, sizes, position);
  if (!elements)
    return elements.takeError();
  std::vector<Level::Format> formats;
  std::vector<int64_t> levelSizes;
  int64_t positions = 1;
  for (auto [index, letter] : zip_equal(levels, format)) {
    std::optional<Level::Format> levelFormat = formatOf(letter);
    if (!levelFormat)
      return fileError("tensor '{0}': a level is d (dense), s (compressed), u "
                       "(a list of points), q (a singleton), b (a bitvector) "
                       "or l (a linked list), not '{1}'",
                       name, letter);
    bool isInside =
        !formats.empty() && (formats.back() == Level::Format::pointList ||
                             formats.back() == Level::Format::singleton);
    if (levelFormat == Level::Format::singleton && !isInside)
      return fileError("tensor '{0}': a singleton (q) is inside of a list of "
                       "points (u) or of a singleton",
                       name);
    formats.push_back(*levelFormat);
    levelSizes.push_back(sizes[indices.find(index)]);
    if (letter != 'd')
      positions = std::max<int64_t>(elements->size(), 1);
    else if (MulOverflow(positions, levelSizes.back(), positions) ||
             positions > mostDraws)
      return fileError("tensor '{0}': its dense levels have too many positions",
                       name);
  }
  Elements stored;
  if (levels == indices)
    stored = std::move(*elements);
  else
    for (const auto &[coordinates, value] : *elements) {
      std::vector<int64_t> key;
      for (char index : levels)
        key.push_back(coordinates[indices.find(index)]);
      stored.emplace(std::move(key), value);
    }
  Tensor tensor = buildTensor(name, formats, levelSizes, stored);
  for (char index : levels)
    tensor.indices.emplace_back(1, index);
  return tensor;
}

/// The tensors in the order of the expression, then by name: JSON objects have
/// none, but the position of a tensor is part of its seed.
static std::vector<std::string> orderOfTensors(const json::Object &tensors,
                                               StringRef expression) {
  std::vector<std::string> names;
  for (const auto &[name, value] : tensors)
    names.push_back(name.str());
  auto place = [&](StringRef name) {
    size_t at = expression.find('=');
    while ((at = expression.find(name, at)) != StringRef::npos) {
      bool begins = !at || !isAlnum(expression[at - 1]);
      size_t behind = at + name.size();
      if (begins &&
          (behind == expression.size() || !isAlnum(expression[behind])))
        return at;
      ++at;
    }
    return StringRef::npos;
  };
  llvm::sort(names, [&](const std::string &a, const std::string &b) {
    return std::pair(place(a), a) < std::pair(place(b), b);
  });
  return names;
}

Error GraphReader::readTensors() {
  const json::Object *tensors = kernel.getObject("tensors");
  if (!tensors)
    return fileError("the file has no 'tensors'");
  StringRef expression = kernel.getString("expression").value_or("");
  for (auto [position, name] :
       enumerate(orderOfTensors(*tensors, expression))) {
    const json::Object *object = tensors->getObject(name);
    if (!object)
      return fileError("tensor '{0}' is not an object", name);
    Expected<Tensor> tensor = readTensor(name, *object, position);
    if (!tensor)
      return tensor.takeError();
    Expected<unsigned> number = graph.addTensor(std::move(*tensor));
    if (!number)
      return number.takeError();
  }
  return Error::success();
}

Error GraphReader::readLevel(Block &block, const json::Object &object) {
  StringRef name = object.getString("tensor").value_or("");
  if (block.kind == BlockKind::store)
    block.result = object.getString("result").value_or("").str();
  else if (isWriter(block.kind)) {
    block.result = name.str();
    StringRef level = object.getString("level").value_or("");
    if (block.kind == BlockKind::writeCompressed &&
        (level.getAsInteger(10, block.level) || block.level > 255))
      return fileError(
          "node '{0}': 'level' is the number of a level as a string, \"0\"",
          block.name);
    return Error::success();
  }
  if (name.empty())
    return Error::success();
  std::optional<unsigned> tensor = graph.findTensor(name);
  if (!tensor)
    return fileError("node '{0}' reads tensor '{1}', which is not there",
                     block.name, name);
  block.tensor = *tensor;
  std::optional<StringRef> index = object.getString("index");
  if (!index)
    return Error::success();
  const auto &indices = graph.getTensors()[*tensor].indices;
  auto found = find(indices, index->str());
  if (found == indices.end())
    return fileError("node '{0}': tensor '{1}' has no index '{2}'", block.name,
                     name, *index);
  block.level = found - indices.begin();
  return Error::success();
}

Error GraphReader::readNode(StringRef name, const json::Object &object) {
  Block block;
  block.name = name.str();
  StringRef kindName = object.getString("kind").value_or("");
  std::optional<BlockKind> kind = blockKindNamed(kindName);
  if (!kind)
    return fileError("node '{0}' is of the unknown kind '{1}'", name, kindName);
  block.kind = *kind;
  if (Error error = readBlockParameters(block, object))
    return error;
  if (Error error = readLevel(block, object))
    return error;
  if (block.kind == BlockKind::bitsScan && block.tensor != noIndex) {
    const Tensor &tensor = graph.getTensors()[block.tensor];
    if (block.level >= tensor.levels.size() ||
        tensor.levels[block.level].format != Level::Format::bitvector)
      return fileError("node '{0}' scans the words of tensor '{1}', level {2}, "
                       "which is no bitvector",
                       name, tensor.name, block.level);
    block.words = bitsOf(tensor.levels[block.level]);
  }
  return graph.addBlock(std::move(block)).takeError();
}

Expected<unsigned> GraphReader::blockNamed(StringRef name) const {
  if (std::optional<unsigned> number = graph.findBlock(name))
    return *number;
  return fileError("there is no node '{0}'", name);
}

Error GraphReader::readEdge(StringRef text) {
  auto [from, to] = text.split(" -> ");
  auto [producer, output] = from.trim().rsplit('.');
  auto [consumer, input] = to.trim().rsplit('.');
  if (output.empty() || input.empty())
    return fileError("edge '{0}' is not 'node.port -> node.port'", text);
  Expected<unsigned> first = blockNamed(producer);
  if (!first)
    return joinErrors(fileError("edge '{0}'", text), first.takeError());
  Expected<unsigned> second = blockNamed(consumer);
  if (!second)
    return joinErrors(fileError("edge '{0}'", text), second.takeError());
  return graph.connect(*first, output, *second, input);
}

/// From the indices on the left of the expression and the order of levels.
Error GraphReader::readNesting() {
  StringRef expression = kernel.getString("expression").value_or("");
  std::optional<StringRef> levels = kernel.getString("result_levels");
  auto [result, rest] = expression.split('(');
  if (rest.empty() || result.contains('='))
    return Error::success();
  std::string indices;
  for (char letter : rest.split(')').first)
    if (isAlpha(letter))
      indices += letter;
  graph.setIndices(result.trim(), indices);
  if (!levels)
    return Error::success();
  std::vector<unsigned> nesting;
  for (char index : *levels) {
    size_t place = StringRef(indices).find(index);
    if (place == StringRef::npos)
      return fileError(
          "'result_levels' has index '{0}', which the result has not", index);
    nesting.push_back(place);
  }
  graph.setNesting(result.trim(), std::move(nesting));
  return Error::success();
}

Expected<Graph> GraphReader::read() {
  if (Error error = readTensors())
    return std::move(error);
  const json::Object *object = kernel.getObject("graph");
  const json::Object *nodes = object ? object->getObject("nodes") : nullptr;
  const json::Array *edges = object ? object->getArray("edges") : nullptr;
  const json::Array *roots = object ? object->getArray("roots") : nullptr;
  if (!nodes || !edges || !roots)
    return fileError(
        "the file has no 'graph' with 'nodes', 'edges' and 'roots'");
  // By name, so that a file means the same wherever it is read.
  std::map<std::string, const json::Object *> sorted;
  for (const auto &[name, value] : *nodes)
    sorted[name.str()] = value.getAsObject();
  for (const auto &[name, node] : sorted) {
    if (!node)
      return fileError("node '{0}' is not an object", name);
    if (Error error = readNode(name, *node))
      return std::move(error);
  }
  for (const json::Value &edge : *edges)
    if (Error error = readEdge(edge.getAsString().value_or("")))
      return std::move(error);
  for (const json::Value &root : *roots) {
    Expected<unsigned> number = blockNamed(root.getAsString().value_or(""));
    if (!number)
      return joinErrors(fileError("a root"), number.takeError());
    if (Error error = graph.addRoot(*number))
      return std::move(error);
  }
  if (Error error = readNesting())
    return std::move(error);
  if (Error error = graph.verify())
    return std::move(error);
  return std::move(graph);
}

Expected<Graph> readGraph(const json::Object &kernel,
                          const json::Object &filling) {
  return GraphReader(kernel, filling).read();
}

Expected<Graph> readGraphFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fileError("'{0}': {1}", path, buffer.getError().message());
  Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return fileError("'{0}': {1}", path, toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return fileError("'{0}': expected an object", path);
  Expected<Graph> graph = readGraph(*object, *object);
  if (!graph)
    return fileError("'{0}': {1}", path, toString(graph.takeError()));
  return graph;
}

} // namespace ember::sim::sam
