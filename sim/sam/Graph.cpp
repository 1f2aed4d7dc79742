//===- Graph.cpp - Blocks joined by streams -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/Graph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

template <typename... Arguments>
static Error graphError(const char *format, Arguments &&...arguments) {
  return createStringError(
      formatv(format, std::forward<Arguments>(arguments)...).str());
}

static std::string namesOf(ArrayRef<PortInfo> ports) {
  return join(
      map_range(ports, [](const PortInfo &port) { return port.name.str(); }),
      ", ");
}

static std::optional<unsigned> findPort(ArrayRef<PortInfo> ports,
                                        StringRef name) {
  const auto *found =
      find_if(ports, [&](const PortInfo &port) { return port.name == name; });
  if (found == ports.end())
    return std::nullopt;
  return unsigned(found - ports.begin());
}

Expected<unsigned> Graph::addTensor(Tensor tensor) {
  if (Error error = tensor.verify())
    return std::move(error);
  auto [entry, isNew] = tensorNumbers.try_emplace(tensor.name, tensors.size());
  if (!isNew)
    return graphError("there are two tensors '{0}'", tensor.name);
  tensors.push_back(std::move(tensor));
  return entry->second;
}

Error Graph::replaceTensor(unsigned number, Tensor tensor) {
  if (Error error = tensor.verify())
    return error;
  auto format = [](const Level &level) { return level.format; };
  if (!equal(map_range(tensor.levels, format),
             map_range(tensors[number].levels, format)))
    return graphError("tensor '{0}' is replaced by one of other levels",
                      tensors[number].name);
  tensors[number] = std::move(tensor);
  return Error::success();
}

Expected<unsigned> Graph::addBlock(Block block) {
  auto [entry, isNew] = blockNumbers.try_emplace(block.name, blocks.size());
  if (!isNew)
    return graphError("there are two blocks '{0}'", block.name);
  blocks.push_back(std::move(block));
  sources.emplace_back();
  consumers.emplace_back();
  types.emplace_back();
  return entry->second;
}

std::optional<unsigned> Graph::findBlock(StringRef name) const {
  auto found = blockNumbers.find(name);
  return found == blockNumbers.end() ? std::nullopt
                                     : std::optional(found->second);
}

std::optional<unsigned> Graph::findTensor(StringRef name) const {
  auto found = tensorNumbers.find(name);
  return found == tensorNumbers.end() ? std::nullopt
                                      : std::optional(found->second);
}

bool Graph::isConnected(unsigned block, unsigned input) const {
  return sources[block][input].block != noIndex || feeds.count({block, input});
}

ArrayRef<TimedToken> Graph::fedTo(unsigned block, unsigned input) const {
  auto found = feeds.find({block, input});
  return found == feeds.end() ? ArrayRef<TimedToken>()
                              : ArrayRef<TimedToken>(found->second);
}

std::string Graph::nameOfOutput(PortRef output) const {
  const Block &block = blocks[output.block];
  return block.name + "." + infoOf(block.kind).outputs[output.port].name.str();
}

std::string Graph::nameOfInput(PortRef input) const {
  const Block &block = blocks[input.block];
  return block.name + "." + infoOf(block.kind).inputs[input.port].name.str();
}

Error Graph::connect(unsigned from, StringRef output, unsigned to,
                     StringRef input) {
  const BlockInfo &producer = infoOf(blocks[from].kind),
                  &consumer = infoOf(blocks[to].kind);
  std::optional<unsigned> outputPort = findPort(producer.outputs, output);
  if (!outputPort)
    return graphError(
        "block '{0}' of kind {1} has no output '{2}'; it has: {3}",
        blocks[from].name, producer.name, output, namesOf(producer.outputs));
  std::optional<unsigned> inputPort = findPort(consumer.inputs, input);
  if (!inputPort)
    return graphError("block '{0}' of kind {1} has no input '{2}'; it has: {3}",
                      blocks[to].name, consumer.name, input,
                      namesOf(consumer.inputs));
  if (isConnected(to, *inputPort))
    return graphError("input '{0}' is connected twice",
                      nameOfInput({to, *inputPort}));
  bool leavesSkips = producer.outputs[*outputPort].type == StreamType::skip;
  bool takesSkips = consumer.inputs[*inputPort].type == StreamType::skip;
  if (leavesSkips != takesSkips)
    return graphError("'{0} -> {1}' joins a stream of skips and another one; "
                      "gallop edges lead "
                      "from skip1 or skip2 of a joiner to skip of a scanner",
                      nameOfOutput({from, *outputPort}),
                      nameOfInput({to, *inputPort}));
  sources[to][*inputPort] = {from, *outputPort};
  consumers[from][*outputPort].push_back({to, *inputPort});
  return Error::success();
}

Error Graph::feed(unsigned block, StringRef input,
                  std::vector<TimedToken> tokens) {
  const BlockInfo &info = infoOf(blocks[block].kind);
  std::optional<unsigned> port = findPort(info.inputs, input);
  if (!port)
    return graphError("block '{0}' of kind {1} has no input '{2}'; it has: {3}",
                      blocks[block].name, info.name, input,
                      namesOf(info.inputs));
  if (isConnected(block, *port))
    return graphError("input '{0}' is connected twice",
                      nameOfInput({block, *port}));
  for (auto [position, token] : enumerate(tokens))
    if (position && token.cycle <= tokens[position - 1].cycle)
      return graphError("token {0} fed to '{1}' comes in cycle {2}, not after "
                        "the one before it",
                        position, nameOfInput({block, *port}), token.cycle);
  feeds[{block, *port}] = std::move(tokens);
  return Error::success();
}

Error Graph::addRoot(unsigned block) {
  return feed(block, "ref", {{Token::integer(0), 0}, {Token::done(), 1}});
}

bool Graph::hasGallopEdges() const {
  for (auto [number, block] : enumerate(blocks))
    for (auto [port, input] : enumerate(infoOf(block.kind).inputs))
      if (input.type == StreamType::skip && isConnected(number, port))
        return true;
  return false;
}

StreamType Graph::inputTypeOf(unsigned block, unsigned input) const {
  StreamType type = infoOf(blocks[block].kind).inputs[input].type;
  PortRef source = sources[block][input];
  if (type != StreamType::any || source.block == noIndex)
    return type;
  return types[source.block][source.port];
}

Error Graph::verifyBlock(unsigned number) const {
  const Block &block = blocks[number];
  const BlockInfo &info = infoOf(block.kind);
  for (auto [port, input] : enumerate(info.inputs))
    if (!input.isOptional && !isConnected(number, port))
      return graphError("block '{0}': nothing is connected to its input '{1}'",
                        block.name, input.name);
  if (Error error = verifyLevel(block))
    return error;
  if (Error error = verifyParameters(number))
    return error;
  return verifyBits(number);
}

/// Which levels a scanner reads, and how they are called.
static bool isScanned(BlockKind kind, Level::Format format) {
  switch (format) {
  case Level::Format::dense:
    return kind == BlockKind::scanDense || kind == BlockKind::locate;
  case Level::Format::compressed:
  case Level::Format::pointList:
    return kind == BlockKind::scanCompressed;
  case Level::Format::singleton:
    return kind == BlockKind::scanSingleton;
  case Level::Format::bitvector:
    return kind == BlockKind::scanBitvector;
  case Level::Format::linkedList:
    return kind == BlockKind::scanLinkedList;
  }
  return false;
}

static StringRef nameOf(Level::Format format) {
  static constexpr StringLiteral names[] = {
      "dense",       "compressed",  "a list of points",
      "a singleton", "a bitvector", "a linked list"};
  return names[unsigned(format)];
}

Error Graph::verifyLevel(const Block &block) const {
  bool readsLevel = isScanner(block.kind) || block.kind == BlockKind::locate;
  bool readsValues =
      block.kind == BlockKind::array || block.kind == BlockKind::store;
  if (!readsLevel && !readsValues)
    return Error::success();
  const BlockInfo &info = infoOf(block.kind);
  if (block.tensor >= tensors.size())
    return graphError("block '{0}' of kind {1} names no tensor", block.name,
                      info.name);
  const Tensor &tensor = tensors[block.tensor];
  if (block.kind == BlockKind::store)
    for (auto [number, level] : enumerate(tensor.levels))
      if (level.format != Level::Format::dense)
        return graphError("block '{0}' stores to places of tensor '{1}', whose "
                          "level {2} is {3}, not dense",
                          block.name, tensor.name, number,
                          nameOf(level.format));
  if (readsValues)
    return Error::success();
  if (block.level >= tensor.levels.size())
    return graphError(
        "block '{0}' reads level {1} of tensor '{2}', which has {3}",
        block.name, block.level, tensor.name, tensor.levels.size());
  Level::Format format = tensor.levels[block.level].format;
  if (isScanned(block.kind, format))
    return Error::success();
  return graphError("block '{0}' of kind {1} reads level {2} of tensor "
                    "'{3}', which is {4}",
                    block.name, info.name, block.level, tensor.name,
                    nameOf(format));
}

Error Graph::verifyParameters(unsigned number) const {
  const Block &block = blocks[number];
  bool takesParts =
      block.kind == BlockKind::split || block.kind == BlockKind::flatten;
  if (takesParts && block.factor < 1)
    return graphError("block '{0}': a part of {1} coordinates", block.name,
                      block.factor);
  if (block.kind == BlockKind::compute && !block.function)
    return graphError("block '{0}' names no function", block.name);
  if (block.kind == BlockKind::compute)
    for (unsigned port = 0; port < infoOf(block.kind).inputs.size(); ++port)
      if (isConnected(number, port) != (port < block.numOperands))
        return graphError("block '{0}' computes of {1} operands, but its input "
                          "'{2}' is {3}connected",
                          block.name, block.numOperands,
                          infoOf(block.kind).inputs[port].name,
                          isConnected(number, port) ? "" : "not ");
  if (block.combiner < BlockKind::multiply ||
      block.combiner > BlockKind::minimum)
    return graphError("block '{0}' combines by {1}, and values are combined by "
                      "mul, add, max and min",
                      block.name, infoOf(block.combiner).name);
  if (block.kind == BlockKind::buffer && !block.capacity)
    return graphError("block '{0}' has no room for a token", block.name);
  bool hasLanes = block.kind == BlockKind::parallelize ||
                  block.kind == BlockKind::serialize;
  unsigned mostLanes =
      block.kind == BlockKind::parallelize ? maxOutputs : maxInputs - 1;
  if (hasLanes && (!block.lanes || block.lanes > mostLanes))
    return graphError("block '{0}' has {1} lanes, and there may be 1 to {2}",
                      block.name, block.lanes, mostLanes);
  if (block.kind == BlockKind::parallelize)
    for (unsigned port = block.lanes; port < maxOutputs; ++port)
      if (!consumers[number][port].empty())
        return graphError("'{0}' is connected, and block '{1}' has {2} lanes",
                          nameOfOutput({number, port}), block.name,
                          block.lanes);
  // Ports of one kind are used in their order.
  ArrayRef<PortInfo> inputs = infoOf(block.kind).inputs;
  bool isInOrder = block.kind == BlockKind::serialize ||
                   block.kind == BlockKind::compute ||
                   block.kind == BlockKind::reduceAlong;
  for (unsigned port = 1; isInOrder && port < inputs.size(); ++port)
    if (isConnected(number, port) && !isConnected(number, port - 1))
      return graphError("block '{0}': nothing is connected to its input "
                        "'{1}', and something to '{2}'",
                        block.name, inputs[port - 1].name, inputs[port].name);
  if (block.kind == BlockKind::serialize)
    for (unsigned port = 2; port < inputs.size(); ++port)
      if (isConnected(number, port) != (port <= block.lanes))
        return graphError("block '{0}' has {1} lanes, but its input '{2}' is "
                          "{3}connected",
                          block.name, block.lanes, inputs[port].name,
                          isConnected(number, port) ? "" : "not ");
  return Error::success();
}

Error Graph::verifyBits(unsigned number) const {
  const Block &block = blocks[number];
  if (block.kind == BlockKind::bitsChunk) {
    if (!block.width || block.width > 64 || !block.size ||
        block.size % block.width)
      return graphError(
          "block '{0}': parts of {1} bits, of at most 64, do not make {2}",
          block.name, block.width, block.size);
    PortRef source = sources[number][0];
    bool isWide = source.block != noIndex &&
                  blocks[source.block].kind == BlockKind::bitsConvert &&
                  blocks[source.block].size > 64;
    unsigned given = isWide ? blocks[source.block].size : 64;
    if (isWide ? given != block.size : block.size > given)
      return graphError("block '{0}' takes words of {1} bits apart, and '{2}' "
                        "has words of {3}",
                        block.name, block.size, nameOfInput({number, 0}),
                        given);
  }
  if (block.kind != BlockKind::bitsConvert || block.size <= 64)
    return Error::success();
  for (PortRef consumer : consumers[number][0])
    if (blocks[consumer.block].kind != BlockKind::bitsChunk)
      return graphError("'{0} -> {1}': words of {2} bits are taken apart by "
                        "bv_chunk first",
                        nameOfOutput({number, 0}), nameOfInput(consumer),
                        block.size);
  return Error::success();
}

int Graph::depthOf(unsigned number, const PortInfo &port) const {
  const Block &block = blocks[number];
  bool isLane = block.kind == BlockKind::serialize && port.name != "outer";
  return port.depth + (isLane ? int(block.itemDepth) : 0);
}

Error Graph::verifyStreams() {
  for (unsigned number : order) {
    const Block &block = blocks[number];
    const BlockInfo &info = infoOf(block.kind);
    for (auto [port, input] : enumerate(info.inputs)) {
      PortRef source = sources[number][port];
      if (source.block == noIndex)
        continue;
      StreamType given = types[source.block][source.port];
      StreamType wanted = input.type;
      if (isWriter(block.kind))
        wanted = block.kind == BlockKind::store ? input.type
                 : block.kind == BlockKind::writeValues
                     ? StreamType::value
                     : StreamType::coordinate;
      if (given == wanted || wanted == StreamType::any ||
          given == StreamType::any ||
          (holdsIntegers(given) && holdsIntegers(wanted)))
        continue;
      return graphError(
          "'{0} -> {1}' joins a stream of type {2} and an input of type {3}",
          nameOfOutput(source), nameOfInput({number, unsigned(port)}),
          nameOf(given), nameOf(wanted));
    }
    for (auto [port, output] : enumerate(info.outputs))
      types[number][port] =
          output.type == StreamType::any ? inputTypeOf(number, 0) : output.type;
  }
  return Error::success();
}

/// Lists are nested alike where streams meet: a scanner adds a level, a reducer
/// removes one. What is fed from outside may be of any depth, and so may
/// points, which have no lists.
Error Graph::verifyDepths() {
  std::vector<std::array<std::optional<int>, maxOutputs>> depths(blocks.size());
  auto sourceName = [&](PortRef input) {
    PortRef source = sources[input.block][input.port];
    return source.block == noIndex ? "outside" : nameOfOutput(source);
  };
  for (unsigned number : order) {
    const Block &block = blocks[number];
    const BlockInfo &info = infoOf(block.kind);
    std::optional<int> base;
    PortRef basePort;
    for (auto [port, input] : enumerate(info.inputs)) {
      if (input.type == StreamType::skip || input.arePoints)
        continue;
      PortRef source = sources[number][port];
      std::optional<int> depth;
      if (source.block != noIndex)
        depth = depths[source.block][source.port];
      else if (ArrayRef<TimedToken> fed = fedTo(number, port);
               fed.size() == 2 && fed[0].token == Token::integer(0) &&
               fed[1].token.isDone())
        depth = 0;
      if (!depth)
        continue;
      int mine = *depth - depthOf(number, input);
      if (mine < 0)
        return graphError("input '{0}' takes lists, but '{1}' has none",
                          nameOfInput({number, unsigned(port)}),
                          sourceName({number, unsigned(port)}));
      if (base && mine != *base)
        return graphError("block '{0}': stops that cannot meet. Input '{1}', "
                          "from '{2}', is nested {3} deep; "
                          "with '{4}', from '{5}', it would have to be {6}",
                          block.name, input.name,
                          sourceName({number, unsigned(port)}), *depth,
                          info.inputs[basePort.port].name, sourceName(basePort),
                          *base + depthOf(number, input));
      if (!base)
        basePort = {number, unsigned(port)};
      base = mine;
    }
    if (block.kind == BlockKind::accumulate1 ||
        block.kind == BlockKind::accumulate2)
      base = 1;
    for (auto [port, output] : enumerate(info.outputs))
      if (base && !output.arePoints)
        depths[number][port] = *base + depthOf(number, output);
  }
  return Error::success();
}

Error Graph::findOrder() {
  order.clear();
  std::vector<unsigned> missing(blocks.size());
  auto isOrdering = [&](PortRef input) {
    return infoOf(blocks[input.block].kind).inputs[input.port].type !=
           StreamType::skip;
  };
  for (auto [number, block] : enumerate(blocks))
    for (unsigned port = 0; port < infoOf(block.kind).inputs.size(); ++port)
      missing[number] += sources[number][port].block != noIndex &&
                         isOrdering({unsigned(number), port});
  for (unsigned number = 0; number < blocks.size(); ++number)
    if (!missing[number])
      order.push_back(number);
  for (size_t next = 0; next < order.size(); ++next)
    for (const auto &ports : consumers[order[next]])
      for (PortRef input : ports)
        if (isOrdering(input) && !--missing[input.block])
          order.push_back(input.block);
  if (order.size() == blocks.size())
    return Error::success();
  // Walks back from any block that is left until one comes again.
  unsigned at = find_if(missing, [](unsigned count) { return count != 0; }) -
                missing.begin();
  std::vector<unsigned> walk;
  while (!is_contained(walk, at)) {
    walk.push_back(at);
    for (unsigned port = 0; port < infoOf(blocks[at].kind).inputs.size();
         ++port) {
      PortRef source = sources[walk.back()][port];
      if (source.block != noIndex && missing[source.block] &&
          isOrdering({walk.back(), port})) {
        at = source.block;
        break;
      }
    }
  }
  std::string text = blocks[at].name;
  for (size_t i = walk.size(); i-- > 0;) {
    text += " -> " + blocks[walk[i]].name;
    if (walk[i] == at)
      break;
  }
  return graphError(
      "blocks wait for each other: {0}. Only gallop edges may lead back", text);
}

Error Graph::verifyWriters() const {
  std::map<std::pair<std::string, unsigned>, StringRef> writers;
  for (const Block &block : blocks) {
    if (!isWriter(block.kind))
      continue;
    if (block.result.empty())
      return graphError("block '{0}' names no tensor to write", block.name);
    unsigned level =
        block.kind == BlockKind::writeCompressed ? block.level : noIndex;
    auto [entry, isNew] =
        writers.try_emplace({block.result, level}, block.name);
    if (!isNew)
      return graphError("blocks '{0}' and '{1}' write the same part of '{2}'",
                        entry->second, block.name, block.result);
  }
  return Error::success();
}

Error Graph::verify() {
  if (blocks.empty())
    return graphError("the graph has no blocks");
  for (unsigned number = 0; number < blocks.size(); ++number)
    if (Error error = verifyBlock(number))
      return error;
  if (Error error = findOrder())
    return error;
  if (Error error = verifyStreams())
    return error;
  if (Error error = verifyDepths())
    return error;
  return verifyWriters();
}

} // namespace ember::sim::sam
