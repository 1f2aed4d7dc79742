//===- BlockParameters.cpp - Members of nodes and machines ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockParameters.h"

#include "ember/Sim/SAM/GraphFile.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace ember::sim::sam {

Expected<int64_t> integerOf(const json::Object &object, StringRef member,
                            int64_t byDefault, int64_t least, int64_t most) {
  const json::Value *value = object.get(member);
  if (!value)
    return byDefault;
  std::optional<int64_t> number = value->getAsInteger();
  if (!number || *number < least || *number > most)
    return fileError("'{0}': expected an integer from {1} to {2}", member,
                     least, most);
  return *number;
}

/// Functions of a file, with how many operands they have. Programs that build
/// graphs give any other function.
static std::optional<std::pair<double (*)(ArrayRef<double>), size_t>>
functionNamed(StringRef name) {
  struct Named {
    StringLiteral name;
    double (*compute)(ArrayRef<double>);
    size_t operands;
  };
  static constexpr Named functions[] = {
      {"neg", [](ArrayRef<double> x) { return -x[0]; }, 1},
      {"abs", [](ArrayRef<double> x) { return std::abs(x[0]); }, 1},
      {"sqrt", [](ArrayRef<double> x) { return std::sqrt(x[0]); }, 1},
      {"exp", [](ArrayRef<double> x) { return std::exp(x[0]); }, 1},
      {"log", [](ArrayRef<double> x) { return std::log(x[0]); }, 1},
      {"tanh", [](ArrayRef<double> x) { return std::tanh(x[0]); }, 1},
      {"relu", [](ArrayRef<double> x) { return std::max(x[0], 0.0); }, 1},
      {"sub", [](ArrayRef<double> x) { return x[0] - x[1]; }, 2},
      {"div", [](ArrayRef<double> x) { return x[0] / x[1]; }, 2},
      {"pow", [](ArrayRef<double> x) { return std::pow(x[0], x[1]); }, 2},
      {"fma", [](ArrayRef<double> x) { return x[0] * x[1] + x[2]; }, 3},
      {"select", [](ArrayRef<double> x) { return x[0] != 0 ? x[1] : x[2]; }, 3},
  };
  const Named *found = find_if(
      functions, [&](const Named &known) { return known.name == name; });
  if (found == std::end(functions))
    return std::nullopt;
  return std::pair(found->compute, found->operands);
}

static Error readFunction(Block &block, StringRef name) {
  auto found = functionNamed(name);
  if (!found)
    return fileError("node '{0}': there is no function '{1}'; there are neg, "
                     "abs, sqrt, exp, log, tanh, relu, sub, div, pow, fma and "
                     "select",
                     block.name, name);
  block.function = found->first;
  block.numOperands = found->second;
  return Error::success();
}

Error readBlockParameters(Block &block, const json::Object &object) {
  block.negatesSecond = object.getBoolean("neg2").value_or(false);
  block.dropsEmpty = object.getBoolean("drop_empty").value_or(false);
  block.keepsCoordinate = object.getBoolean("keep_coordinate").value_or(true);
  block.emitsZeros = object.getBoolean("emit_zeros").value_or(false);
  auto read = [&](StringRef member, auto &target, int64_t least,
                  int64_t most) -> Error {
    Expected<int64_t> value =
        integerOf(object, member, int64_t(target), least, most);
    if (!value)
      return joinErrors(fileError("node '{0}'", block.name), value.takeError());
    target = *value;
    return Error::success();
  };
  if (Error error = read("factor", block.factor, 1, int64_t(1) << 40))
    return error;
  if (Error error = read("width", block.width, 1, 64))
    return error;
  if (Error error = read("size", block.size, 1, 1 << 20))
    return error;
  if (Error error = read("lanes", block.lanes, 1, maxOutputs))
    return error;
  if (Error error = read("item_depth", block.itemDepth, 0, 100))
    return error;
  if (Error error = read("capacity", block.capacity, 1, int64_t(1) << 40))
    return error;
  if (std::optional<StringRef> name = object.getString("op")) {
    std::optional<BlockKind> combiner = blockKindNamed(*name);
    if (!combiner || *combiner < BlockKind::multiply ||
        *combiner > BlockKind::minimum)
      return fileError("node '{0}': 'op' is mul, add, max or min, not '{1}'",
                       block.name, *name);
    block.combiner = *combiner;
  }
  if (std::optional<StringRef> name = object.getString("function"))
    if (Error error = readFunction(block, *name))
      return error;
  if (const json::Array *words = object.getArray("words"))
    for (const json::Value &word : *words) {
      std::optional<uint64_t> bits = word.getAsUINT64();
      if (!bits)
        return fileError("node '{0}': 'words' are integers of 64 bits",
                         block.name);
      block.words.push_back(*bits);
    }
  return Error::success();
}

/// `{"mul": 2}`: how many blocks of a kind there are.
static Error readBlockCounts(Parameters &parameters, const json::Value &value) {
  const json::Object *counts = value.getAsObject();
  if (!counts)
    return fileError("'blockCounts' has a number for each kind of block");
  for (const auto &[name, count] : *counts) {
    std::optional<BlockKind> kind = blockKindNamed(name);
    if (!kind)
      return fileError("'blockCounts': there is no kind '{0}' of blocks", name);
    Expected<int64_t> number = integerOf(*counts, name, 1, 1, 1 << 20);
    if (!number)
      return joinErrors(fileError("'blockCounts'"), number.takeError());
    parameters.blockCounts[*kind] = *number;
  }
  return Error::success();
}

/// `[{"name": "buffer", "bytes": 65536, "bytesPerCycle": 64, ...}]`
static Error readMemoryLevels(Parameters &parameters,
                              const json::Value &value) {
  const json::Array *levels = value.getAsArray();
  if (!levels)
    return fileError("'memoryLevels' is a list, from the outside in");
  for (const json::Value &entry : *levels) {
    const json::Object *object = entry.getAsObject();
    if (!object)
      return fileError("'memoryLevels': expected objects");
    MemoryLevel level;
    std::string number = std::to_string(parameters.memoryLevels.size());
    level.name = object->getString("name").value_or(number).str();
    auto wrong = [&](Error error) {
      return joinErrors(fileError("memory level '{0}'", level.name),
                        std::move(error));
    };
    for (const auto &[name, member] : *object)
      if (!is_contained({"name", "bytes", "bytesPerCycle", "latency", "buffers",
                         "skipsEmptyTiles"},
                        StringRef(name)))
        return wrong(fileError(
            "'{0}' is unknown; there are name, bytes, bytesPerCycle, latency, "
            "buffers and skipsEmptyTiles",
            StringRef(name)));
    Expected<int64_t> bytes =
        integerOf(*object, "bytes", 0, 1, int64_t(1) << 50);
    if (!bytes)
      return wrong(bytes.takeError());
    Expected<int64_t> latency = integerOf(*object, "latency", 0, 0, 1 << 30);
    if (!latency)
      return wrong(latency.takeError());
    Expected<int64_t> buffers = integerOf(*object, "buffers", 2, 1, 1 << 20);
    if (!buffers)
      return wrong(buffers.takeError());
    level.bytesPerCycle = object->getNumber("bytesPerCycle").value_or(0);
    if (!*bytes || !(level.bytesPerCycle > 0))
      return wrong(fileError("'bytes' and 'bytesPerCycle' are positive"));
    level.bytes = *bytes;
    level.latency = *latency;
    level.buffers = *buffers;
    level.skipsEmptyTiles =
        object->getBoolean("skipsEmptyTiles").value_or(true);
    parameters.memoryLevels.push_back(std::move(level));
  }
  return Error::success();
}

Expected<Parameters> readParameters(const json::Object &object) {
  Parameters parameters;
  for (const auto &[name, value] : object) {
    StringRef member = name;
    if (member == "quirks") {
      StringRef text = value.getAsString().value_or("");
      if (text != "none" && text != "reference")
        return fileError("'quirks' is \"none\" or \"reference\"");
      parameters.quirks = text == "none" ? Quirks::none : Quirks::reference;
    } else if (member == "queueDepth") {
      if (value.getAsNull())
        continue;
      Expected<int64_t> depth =
          integerOf(object, member, 0, 1, int64_t(1) << 40);
      if (!depth)
        return depth.takeError();
      parameters.queueDepth = *depth;
    } else if (member == "arrayLatency") {
      Expected<int64_t> latency = integerOf(object, member, 1, 1, 1 << 20);
      if (!latency)
        return latency.takeError();
      parameters.arrayLatency = *latency;
    } else if (member == "arrayPorts") {
      Expected<int64_t> ports = integerOf(object, member, 1, 1, 1 << 20);
      if (!ports)
        return ports.takeError();
      parameters.arrayPorts = *ports;
    } else if (member == "elementBytes") {
      Expected<int64_t> bytes = integerOf(object, member, 4, 1, 1 << 20);
      if (!bytes)
        return bytes.takeError();
      parameters.elementBytes = *bytes;
    } else if (member == "blockCounts") {
      if (Error error = readBlockCounts(parameters, value))
        return std::move(error);
    } else if (member == "memoryLevels") {
      if (Error error = readMemoryLevels(parameters, value))
        return std::move(error);
    } else {
      return fileError(
          "'{0}' is unknown; there are queueDepth, arrayLatency, "
          "arrayPorts, blockCounts, memoryLevels, elementBytes and "
          "quirks",
          member);
    }
  }
  return parameters;
}

} // namespace ember::sim::sam
