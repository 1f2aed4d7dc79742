//===- RandomProgram.cpp - Random programs of TMUs ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

using namespace ember::sim;

std::string RandomProgram::anyValue(const std::vector<std::string> &own) {
  uint64_t kind = below(10);
  if (kind == 0)
    return constant(static_cast<int64_t>(below(9)) - 2);
  if (kind == 1)
    return capture(static_cast<unsigned>(RandomArrays::inputs +
                                         RandomArrays::outputs + below(2)));
  if ((kind < 5 || own.empty()) && !outer.empty()) {
    const auto &around = any(outer);
    if (!around.empty())
      return any(around);
  }
  return own.empty() ? constant(3) : any(own);
}

std::string RandomProgram::add(std::vector<std::string> &streams,
                               std::vector<std::string> &own, unsigned layer,
                               unsigned lane, const std::string &stream) {
  std::string name =
      element(layer, lane, static_cast<unsigned>(streams.size()));
  streams.push_back(stream);
  own.push_back(name);
  return name;
}

std::string RandomProgram::makeStream(std::vector<std::string> &streams,
                                      std::vector<std::string> &own,
                                      unsigned layer, unsigned lane) {
  static const std::vector<std::string> integers = {"index", "i32", "i64",
                                                    "i8",    "i1",  "i13"};
  uint64_t kind = below(12);
  auto value = [&] { return anyValue(own); };
  if (kind < 4) {
    std::string position =
        add(streams, own, layer, lane,
            alu("remu", value(), constant(RandomArrays::length)));
    bool stores = chance(15);
    auto array = static_cast<unsigned>(stores ? RandomArrays::inputs +
                                                    below(RandomArrays::outputs)
                                              : below(RandomArrays::inputs));
    std::string type = RandomArrays::types[array];
    std::string more;
    if (chance(30))
      more += ", \"mask\": " + value();
    unsigned bytes = ElementType::parse(type)->bytes();
    if (chance(30) && bytes < 8)
      more += ", \"elements\": " + std::to_string(8 / bytes);
    more += chance(20)   ? ", \"level\": \"l2\""
            : chance(10) ? ", \"level\": \"l1\""
            : chance(10) ? ", \"level\": \"memory\""
                         : "";
    if (chance(10))
      more += ", \"nontemporal\": true";
    if (stores) {
      streams.push_back(filled("{\"kind\": \"store\", \"capture\": $0, "
                               "\"type\": \"$1\", \"position\": $2, \"value\": "
                               "$3$4}",
                               array, type, position, value(), more));
      return "";
    }
    if (chance(30))
      more += ", \"otherwise\": " + value();
    return add(streams, own, layer, lane, load(array, type, position, more));
  }
  std::string type = any(integers);
  if (kind < 7) {
    static const std::vector<std::string> operations = {
        "add", "sub", "mul",  "divs", "divu", "rems", "remu", "and", "or",
        "xor", "shl", "shrs", "shru", "mins", "maxs", "minu", "maxu"};
    std::string operation = any(operations);
    bool divides =
        operation.substr(0, 3) == "div" || operation.substr(0, 3) == "rem";
    std::string second = divides && chance(97)
                             ? constant(static_cast<int64_t>(below(5)) * 2 - 5)
                             : value();
    return add(streams, own, layer, lane,
               filled("{\"kind\": \"alu\", \"op\": \"$0\", \"inputs\": [$1, "
                      "$2], \"type\": \"$3\"}",
                      operation, value(), second, type));
  }
  static const std::vector<std::string> predicates = {
      "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  static const std::vector<std::string> casts = {"zero-extend", "truncate",
                                                 "sign-extend"};
  switch (kind) {
  case 7:
    return add(streams, own, layer, lane,
               filled("{\"kind\": \"compare\", \"predicate\": \"$0\", "
                      "\"inputs\": [$1, $2], \"type\": \"$3\"}",
                      any(predicates), value(), value(), type));
  case 8:
    return add(streams, own, layer, lane,
               filled("{\"kind\": \"select\", \"inputs\": [$0, $1, $2], "
                      "\"type\": \"$3\"}",
                      value(), value(), value(), type));
  case 9:
    return add(streams, own, layer, lane,
               filled("{\"kind\": \"cast\", \"op\": \"$0\", \"from\": \"$1\", "
                      "\"to\": \"$2\", \"inputs\": [$3]}",
                      any(casts), type, any(integers), value()));
  case 10:
    return add(streams, own, layer, lane,
               filled("{\"kind\": \"forward\", \"inputs\": [$0]}", value()));
  default: {
    std::vector<std::string> none;
    return add(streams, own, layer, lane,
               filled("{\"kind\": \"accumulate\", \"inputs\": [$0], "
                      "\"initial\": $1, \"type\": \"$2\"}",
                      value(), anyValue(none), type));
  }
  }
}

std::string RandomProgram::makeUnit(unsigned layer, unsigned lane) {
  std::vector<std::string> streams, own;
  add(streams, own, layer, lane,
      chance(70) ? "{\"kind\": \"position\"}" : "{\"kind\": \"count\"}");
  uint64_t kind = below(10);
  bool isSegment = kind == 0;
  if (isSegment)
    add(streams, own, layer, lane, "{\"kind\": \"segmentEnd\"}");
  for (uint64_t left = below(5); left; --left)
    makeStream(streams, own, layer, lane);
  // The bounds of a range within.
  std::string lower =
      add(streams, own, layer, lane, alu("remu", anyValue(own), constant(20)));
  std::string length =
      add(streams, own, layer, lane, alu("remu", anyValue(own), constant(4)));
  add(streams, own, layer, lane, alu("add", lower, length));
  current.insert(current.end(), own.begin(), own.end());
  auto queue = static_cast<unsigned>(1 + below(6));
  auto start = static_cast<int64_t>(below(4));
  if (isSegment)
    return filled(
        "{\"kind\": \"segment\", \"coordinates\": $0, \"lower\": $1, "
        "\"upper\": $2, \"queue\": $3, \"streams\": $4}",
        static_cast<int64_t>(RandomArrays::coordinates), constant(start),
        constant(start + static_cast<int64_t>(below(9))), queue, list(streams));
  std::string step = constant(static_cast<int64_t>(1 + below(3)));
  if (kind < 5 && layer) {
    // The last three streams of a unit around are bounds.
    const auto &around = outer[layer - 1];
    auto end = around.size() - 1;
    return kind < 3 ? unit("range", around[end - 2], around[end], step, queue,
                           streams)
                    : unit("index", around[end - 2],
                           constant(static_cast<int64_t>(below(5))), step,
                           queue, streams);
  }
  return unit("dense", constant(start),
              constant(start + static_cast<int64_t>(below(7))), step, queue,
              streams);
}

void RandomProgram::makePushes() {
  auto layers = static_cast<unsigned>(units.size());
  auto visible = [&](unsigned layer, unsigned event) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < layer + (event == 1 ? 1u : 0u); ++i)
      all.insert(all.end(), outer[i].begin(), outer[i].end());
    return all;
  };
  static const std::vector<std::string> types = {"index", "i32", "f32", "f16",
                                                 "f64",   "i8",  "i1"};
  for (unsigned token = 0; token < 1 + below(3); ++token) {
    auto layer = static_cast<unsigned>(below(layers)),
         event = static_cast<unsigned>(below(3));
    std::vector<std::string> values = visible(layer, event);
    std::string condition;
    if (!values.empty() && chance(25))
      condition += ", \"mask\": " + list({any(values), any(values)});
    if (!values.empty() && chance(25))
      condition +=
          ", \"on\": " + any(values) + (chance(40) ? ", \"same\": true" : "");
    std::string text = "{\"token\": " + std::to_string(token) + condition;
    if (!values.empty() && chance(40)) {
      std::string type = any(types);
      bool wide = ElementType::parse(type)->bits > 60;
      text += ", \"value\": " + any(values) + ", \"valueType\": \"" + type +
              "\"" + (wide || chance(30) ? ", \"follows\": true" : "");
    }
    if (chance(60))
      text += ", \"reserve\": " +
              std::to_string(chance(90) ? 100 + below(28) : below(20));
    pushes[layer][event].push_back(text + "}");
    for (uint64_t left = below(3); left; --left) {
      auto at = chance(50) ? layer : static_cast<unsigned>(below(layers));
      auto when = chance(50) ? event : static_cast<unsigned>(below(3));
      std::vector<std::string> elements = visible(at, when);
      if (elements.empty())
        continue;
      std::string type = any(types);
      unsigned bytes = ElementType::parse(type)->bytes();
      unsigned count = chance(40) && bytes < 8 ? 8 / bytes : 1;
      std::vector<std::string> streams;
      for (uint64_t lanes = 1 + below(4); lanes; --lanes)
        streams.push_back(any(elements));
      auto all = static_cast<unsigned>(bytes * count * streams.size());
      // Flags may be pushed as bits.
      if (type == "i1" && chance(50))
        all = (all + 7) / 8;
      pushes[at][when].push_back(filled(
          "{\"operand\": $0, \"streams\": $1, \"type\": \"$2\", "
          "\"elements\": $3, \"bytes\": $4$5}",
          token, list(streams), type, count, std::bit_ceil(all), condition));
    }
  }
}

std::string RandomProgram::make() {
  auto layers = static_cast<unsigned>(1 + below(4));
  auto firstOfLanes = static_cast<unsigned>(below(layers + 1));
  auto lanes = static_cast<unsigned>(1 + below(4));
  std::vector<std::string> kinds;
  for (unsigned i = 0; i < layers; ++i) {
    bool isLast = i + 1 == firstOfLanes;
    kinds.push_back(i >= firstOfLanes ? "lockstep"
                    : isLast          ? "broadcast"
                                      : "single");
    unsigned count = i >= firstOfLanes ? lanes : 1;
    current.clear();
    units.emplace_back();
    for (unsigned lane = 0; lane < count; ++lane)
      units.back().push_back(makeUnit(i, lane));
    outer.push_back(current);
  }
  pushes.resize(layers);
  makePushes();
  std::vector<std::string> texts, captures;
  for (unsigned i = 0; i < layers; ++i)
    texts.push_back(
        layer(kinds[i], units[i], pushes[i][0], pushes[i][1], pushes[i][2]));
  for (const char *type : RandomArrays::types)
    captures.push_back(memoryCapture("array", type));
  captures.push_back(scalarCapture("a"));
  captures.push_back(scalarCapture("b"));
  return configuration(
      {program(captures, texts, 192, 64, chance(15) ? 0 : 2 + below(3) * 3)});
}
