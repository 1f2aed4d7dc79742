//===- ReferenceUnit.cpp - A TMU as a loop nest ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceUnit.h"

#include <algorithm>
#include <cstring>

using namespace ember::sim;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

static int bitsOf(StringRef type) {
  static const std::map<std::string, int> others = {
      {"index", 64}, {"f16", 16},     {"bf16", 16},  {"f32", 32},
      {"f64", 64},   {"f8E4M3FN", 8}, {"f8E5M2", 8},
  };
  auto found = others.find(type.str());
  if (found != others.end())
    return found->second;
  return std::stoi(type.drop_front().str());
}
static int bytesOf(StringRef type) {
  int bits = bitsOf(type), bytes = 1;
  while (8 * bytes < bits)
    bytes *= 2;
  return bytes;
}
static uint64_t cut(uint64_t word, int bits) {
  return bits == 64 ? word : word & ((uint64_t{1} << bits) - 1);
}
static int64_t withSign(uint64_t word, int bits) {
  word = cut(word, bits);
  if (bits < 64 && word >> (bits - 1))
    word -= uint64_t{1} << bits;
  return static_cast<int64_t>(word);
}

ReferenceUnit::ReferenceUnit(const Object &program,
                             std::vector<uint64_t> captures, Memory memory)
    : program(program), captures(std::move(captures)),
      memory(std::move(memory)),
      idBits(program.getInteger("idBits").value_or(0)),
      chunkBytes(*program.getObject("chunk")->getInteger("bytes")),
      tokenBytes(*program.getObject("chunk")->getInteger("tokenBytes")),
      chunk(chunkBytes), free(tokenBytes) {
  for (const auto &layer : *program.getArray("layers"))
    layers.emplace_back(layer.getAsObject()->getArray("units")->size());
}

const Object &ReferenceUnit::unitOf(size_t layer, size_t lane) const {
  const Object &object = *(*program.getArray("layers"))[layer].getAsObject();
  return *(*object.getArray("units"))[lane].getAsObject();
}

uint64_t ReferenceUnit::value(const Object *operand) const {
  if (!operand)
    return 0;
  if (auto constant = operand->getInteger("constant"))
    return static_cast<uint64_t>(*constant);
  if (auto capture = operand->getInteger("capture"))
    return captures[*capture];
  const Lane &lane =
      layers[*operand->getInteger("layer")][*operand->getInteger("lane")];
  return lane.values[*operand->getInteger("stream")];
}

void ReferenceUnit::run() {
  fiber(0);
  std::memset(chunk.data() + slot * 8, 0xff, 8);
  pushedBytes += 8;
  chunks.push_back(chunk);
}

void ReferenceUnit::fiber(size_t layer) {
  push(layer, "beg");
  std::vector<Lane> &lanes = layers[layer];
  for (size_t l = 0; l < lanes.size() && !failed; ++l) {
    const Object &unit = unitOf(layer, l);
    size_t streams = unit.getArray("streams")->size();
    lanes[l] = {};
    lanes[l].values.resize(streams);
    lanes[l].sums.resize(streams);
    if (layer && layers[layer - 1].size() == lanes.size() &&
        !layers[layer - 1][l].on)
      continue;
    lanes[l].on = true;
    lanes[l].next = static_cast<int64_t>(value(unit.getObject("lower")));
    lanes[l].upper = unit.getObject("size")
                         ? lanes[l].next + static_cast<int64_t>(
                                               value(unit.getObject("size")))
                         : static_cast<int64_t>(value(unit.getObject("upper")));
    if (unit.getObject("step"))
      lanes[l].step = static_cast<int64_t>(value(unit.getObject("step")));
    for (size_t s = 0; s < streams; ++s) {
      const Object &stream = *(*unit.getArray("streams"))[s].getAsObject();
      if (const Object *initial = stream.getObject("initial"))
        lanes[l].sums[s] =
            cut(value(initial), bitsOf(*stream.getString("type")));
    }
  }
  // Conditions of this layer begin anew.
  for (auto &[id, toggle] : toggles) {
    size_t home;
    std::string event;
    tokenOf(id, home, event);
    if ((event == "ite" ? home : home - 1) == layer)
      toggle.first = true;
  }
  while (!failed) {
    bool any = false;
    for (Lane &lane : lanes) {
      lane.on = lane.on && lane.next < lane.upper;
      any |= lane.on;
    }
    if (!any)
      break;
    for (size_t l = 0; l < lanes.size() && !failed; ++l) {
      std::fill(lanes[l].values.begin(), lanes[l].values.end(), 0);
      if (lanes[l].on && !stepLane(layer, l))
        failed = true;
    }
    if (failed)
      return;
    const Array &all = *program.getArray("layers");
    for (size_t other = 0; other < all.size(); ++other)
      for (const char *event : {"beg", "ite", "end"}) {
        size_t home = StringRef(event) == "ite" ? other : other - 1;
        if (home != layer)
          continue;
        const Object &pushes = *all[other].getAsObject()->getObject("pushes");
        for (const auto &each : *pushes.getArray(event)) {
          const Object &token = *each.getAsObject();
          if (!token.getInteger("token") || !token.getObject("on"))
            continue;
          Toggle &toggle = toggles[*token.getInteger("token")];
          uint64_t now = value(token.getObject("on"));
          toggle.changed = toggle.first || now != toggle.before;
          toggle.first = false;
          toggle.before = now;
        }
      }
    push(layer, "ite");
    if (layer + 1 < layers.size() && !failed)
      fiber(layer + 1);
  }
  if (!failed)
    push(layer, "end");
}

bool ReferenceUnit::stepLane(size_t layer, size_t l) {
  Lane &lane = layers[layer][l];
  const Object &unit = unitOf(layer, l);
  int64_t position = lane.next;
  if (*unit.getString("kind") == "segment") {
    size_t capture = *unit.getInteger("coordinates");
    StringRef type =
        *(*program.getArray("captures"))[capture].getAsObject()->getString(
            "type");
    auto at = [&](int64_t index) {
      uint64_t word = 0;
      std::memcpy(
          &word,
          memory(captures[capture] + index * bytesOf(type), bytesOf(type)),
          bytesOf(type));
      return word;
    };
    do
      ++lane.next;
    while (lane.next < lane.upper && at(lane.next) == at(position));
  }
  const Array &streams = *unit.getArray("streams");
  for (size_t s = 0; s < streams.size(); ++s) {
    std::optional<uint64_t> result =
        evaluate(*streams[s].getAsObject(), layer, l, s, position, lane.next);
    if (!result)
      return false;
    lane.values[s] = *result;
  }
  for (size_t s = 0; s < streams.size(); ++s) {
    const Object &stream = *streams[s].getAsObject();
    if (*stream.getString("kind") == "accumulate")
      lane.sums[s] = cut(
          lane.sums[s] + value((*stream.getArray("inputs"))[0].getAsObject()),
          bitsOf(*stream.getString("type")));
  }
  ++lane.count;
  if (*unit.getString("kind") != "segment")
    lane.next += lane.step;
  return true;
}

std::optional<uint64_t> ReferenceUnit::access(const Object &stream,
                                              size_t layer, size_t l,
                                              int64_t position) {
  bool isStore = *stream.getString("kind") == "store";
  StringRef type = *stream.getString("type");
  int bytes = bytesOf(type);
  int64_t elements = stream.getInteger("elements").value_or(1);
  uint8_t word[8] = {};
  if (stream.getObject("mask") && !(value(stream.getObject("mask")) & 1)) {
    uint64_t otherwise =
        cut(value(stream.getObject("otherwise")), bitsOf(type));
    for (int64_t e = 0; e < elements; ++e)
      std::memcpy(word + e * bytes, &otherwise, bytes);
  } else {
    uint64_t from = value(stream.getObject("value"));
    for (int64_t e = 0; e < elements; ++e) {
      if (elements > 1 && position + e >= layers[layer][l].upper)
        break;
      uint64_t address =
          captures[*stream.getInteger("capture")] +
          (value(stream.getObject("position")) + static_cast<uint64_t>(e)) *
              static_cast<uint64_t>(bytes);
      uint8_t *host = memory(address, bytes);
      if (!host)
        return std::nullopt;
      if (isStore) {
        std::memcpy(host, reinterpret_cast<uint8_t *>(&from) + e * bytes,
                    bytes);
      } else {
        std::memcpy(word + e * bytes, host, bytes);
        loadedBytes += bytes;
      }
    }
  }
  uint64_t result;
  std::memcpy(&result, word, 8);
  if (elements == 1)
    result = cut(result, bitsOf(type));
  return isStore ? 0 : result;
}

std::optional<uint64_t> ReferenceUnit::evaluate(const Object &stream,
                                                size_t layer, size_t l,
                                                size_t index, int64_t position,
                                                int64_t end) {
  StringRef kind = *stream.getString("kind");
  if (kind == "position")
    return position;
  if (kind == "count")
    return layers[layer][l].count;
  if (kind == "segmentEnd")
    return end;
  if (kind == "memory" || kind == "store")
    return access(stream, layer, l, position);
  if (kind == "accumulate")
    return layers[layer][l].sums[index];
  std::vector<uint64_t> in;
  for (const auto &input : *stream.getArray("inputs"))
    in.push_back(value(input.getAsObject()));
  if (kind == "forward")
    return in[0];
  if (kind == "cast") {
    int from = bitsOf(*stream.getString("from")),
        to = bitsOf(*stream.getString("to"));
    StringRef op = *stream.getString("op");
    bool isSigned = op == "sign-extend";
    return cut(isSigned ? static_cast<uint64_t>(withSign(in[0], from))
                        : cut(in[0], from),
               to);
  }
  int bits = bitsOf(*stream.getString("type"));
  if (kind == "select")
    return cut(in[0] & 1 ? in[1] : in[2], bits);
  uint64_t a = cut(in[0], bits), b = cut(in[1], bits);
  int64_t sa = withSign(a, bits), sb = withSign(b, bits);
  if (kind == "compare") {
    StringRef p = *stream.getString("predicate");
    return p == "eq"    ? a == b
           : p == "ne"  ? a != b
           : p == "slt" ? sa < sb
           : p == "sle" ? sa <= sb
           : p == "sgt" ? sa > sb
           : p == "sge" ? sa >= sb
           : p == "ult" ? a < b
           : p == "ule" ? a <= b
           : p == "ugt" ? a > b
                        : a >= b;
  }
  StringRef op = *stream.getString("op");
  auto number = [&]() -> std::optional<uint64_t> {
    if (op == "add")
      return a + b;
    if (op == "sub")
      return a - b;
    if (op == "mul")
      return a * b;
    if (op == "and")
      return a & b;
    if (op == "or")
      return a | b;
    if (op == "xor")
      return a ^ b;
    if (op == "mins")
      return std::min(sa, sb);
    if (op == "maxs")
      return std::max(sa, sb);
    if (op == "minu")
      return std::min(a, b);
    if (op == "maxu")
      return std::max(a, b);
    if (op == "shl")
      return b >= static_cast<uint64_t>(bits) ? 0 : a << b;
    if (op == "shru")
      return b >= static_cast<uint64_t>(bits) ? 0 : a >> b;
    if (op == "shrs")
      return sa >> std::min<uint64_t>(b, 63);
    if (!b)
      return std::nullopt;
    if (op == "divu")
      return a / b;
    if (op == "remu")
      return a % b;
    __int128 wideA = sa, wideB = sb;
    return static_cast<uint64_t>(op == "divs" ? wideA / wideB : wideA % wideB);
  }();
  if (!number)
    return std::nullopt;
  return cut(*number, bits);
}

//===----------------------------------------------------------------------===//
// Pushes
//===----------------------------------------------------------------------===//

const Object *ReferenceUnit::tokenOf(int64_t id, size_t &layer,
                                     std::string &event) const {
  const Array &all = *program.getArray("layers");
  for (layer = 0; layer < all.size(); ++layer)
    for (const char *name : {"beg", "ite", "end"}) {
      const Object &pushes = *all[layer].getAsObject()->getObject("pushes");
      for (const auto &push : *pushes.getArray(name))
        if (push.getAsObject()->getInteger("token") == id) {
          event = name;
          return push.getAsObject();
        }
    }
  return nullptr;
}

/// Whether operands are pushed before their token, where each fiber has one
/// step: the pushes of such a run are listed.
bool ReferenceUnit::operandsComeFirst(int64_t id) const {
  std::vector<const Object *> order;
  const Array &all = *program.getArray("layers");
  auto list = [&](size_t layer, const char *event) {
    const Object &pushes = *all[layer].getAsObject()->getObject("pushes");
    for (const auto &push : *pushes.getArray(event))
      order.push_back(push.getAsObject());
  };
  std::function<void(size_t)> visit = [&](size_t layer) {
    list(layer, "beg");
    list(layer, "ite");
    if (layer + 1 < all.size())
      visit(layer + 1);
    list(layer, "end");
  };
  visit(0);
  for (const Object *push : order) {
    if (push->getInteger("operand") == id)
      return true;
    if (push->getInteger("token") == id)
      return false;
  }
  return false;
}

bool ReferenceUnit::holds(const Object &push) {
  int64_t id = push.getInteger("token") ? *push.getInteger("token")
                                        : *push.getInteger("operand");
  size_t layer;
  std::string event;
  const Object &token = *tokenOf(id, layer, event);
  if (token.getObject("on") &&
      toggles[id].changed == token.getBoolean("same").value_or(false))
    return false;
  const Array *masks = push.getArray("mask");
  if (!masks || masks->empty())
    return true;
  return std::any_of(masks->begin(), masks->end(), [&](const auto &mask) {
    return value(mask.getAsObject()) & 1;
  });
}

void ReferenceUnit::push(size_t layer, const char *event) {
  const Object &object = *(*program.getArray("layers"))[layer].getAsObject();
  const Array &list = *object.getObject("pushes")->getArray(event);
  for (const auto &push : list)
    if (!failed && holds(*push.getAsObject()))
      pushOne(*push.getAsObject());
  // An instance is over with the event of its token.
  for (const auto &push : list)
    if (auto id = push.getAsObject()->getInteger("token"))
      if (open[*id] == 2)
        open[*id] = 0;
}

void ReferenceUnit::turn() {
  chunks.push_back(chunk);
  slot = 0;
  free = tokenBytes;
}

void ReferenceUnit::word(uint64_t bits) {
  std::memcpy(chunk.data() + slot * 8, &bits, 8);
  ++slot;
  pushedBytes += 8;
}

void ReferenceUnit::makeRoom(const Object &token) {
  auto reserve = token.getInteger("reserve");
  if (slot == tokenBytes / 8 - 1 || (reserve && free + *reserve > chunkBytes)) {
    word(idBits ? (uint64_t{1} << idBits) - 1 : ~uint64_t{1});
    turn();
  }
}

bool ReferenceUnit::operand(uint64_t bytes, const uint8_t *from,
                            const Object &token) {
  int64_t at = (free + static_cast<int64_t>(bytes) - 1) /
               static_cast<int64_t>(bytes) * static_cast<int64_t>(bytes);
  if (at + static_cast<int64_t>(bytes) > chunkBytes) {
    if (token.getInteger("reserve"))
      return false;
    turn();
    at = free;
  }
  std::memcpy(chunk.data() + at, from, bytes);
  free = at + static_cast<int64_t>(bytes);
  pushedBytes += bytes;
  ++operands;
  return true;
}

void ReferenceUnit::pushOne(const Object &push) {
  bool isToken = push.getInteger("token").has_value();
  int64_t id =
      isToken ? *push.getInteger("token") : *push.getInteger("operand");
  size_t home;
  std::string event;
  const Object &token = *tokenOf(id, home, event);
  bool first = operandsComeFirst(id);
  if (isToken) {
    if (open[id] == 0)
      makeRoom(token);
    if (first)
      open[id] = 2;
    ++tokens;
    const Object *carried = push.getObject("value");
    if (!carried) {
      word(static_cast<uint64_t>(id));
      return;
    }
    StringRef type = *push.getString("valueType");
    uint64_t extended =
        static_cast<uint64_t>(withSign(value(carried), bitsOf(type)));
    auto ids = static_cast<uint64_t>(id);
    if (!push.getBoolean("follows").value_or(false)) {
      word(extended << idBits | ids);
      return;
    }
    bool follows;
    uint64_t field;
    if (type == "f64") {
      follows = cut(extended, static_cast<int>(idBits) + 1) != 0;
      field = extended;
    } else {
      field = extended << (idBits + 1);
      // It fits if its highest bits are copies of its sign.
      int64_t top = static_cast<int64_t>(extended) >> (62 - idBits);
      follows = top != 0 && top != -1;
    }
    word(follows ? ids | uint64_t{1} << idBits : field | ids);
    if (!follows)
      return;
    uint64_t bits = cut(value(carried), bitsOf(type));
    if (!operand(bytesOf(type), reinterpret_cast<uint8_t *>(&bits), token))
      failed = true;
    return;
  }
  if (first && open[id] == 0) {
    makeRoom(token);
    open[id] = 1;
  }
  StringRef type = *push.getString("type");
  int64_t elements = push.getInteger("elements").value_or(1);
  std::vector<uint8_t> bytes(*push.getInteger("bytes"));
  size_t at = 0;
  size_t count = push.getArray("streams")->size() * elements;
  if (type == "i1" && bytes.size() < count) {
    // As bits, the first one lowest.
    for (const auto &stream : *push.getArray("streams"))
      for (int64_t e = 0; e < elements; ++e, ++at)
        if (value(stream.getAsObject()) >> 8 * e & 1)
          bytes[at / 8] |= 1 << at % 8;
    if (!operand(bytes.size(), bytes.data(), token))
      failed = true;
    return;
  }
  for (const auto &stream : *push.getArray("streams")) {
    uint64_t lane = value(stream.getAsObject());
    if (elements == 1)
      lane = cut(lane, bitsOf(type));
    for (int64_t e = 0; e < elements; ++e) {
      std::memcpy(bytes.data() + at,
                  reinterpret_cast<uint8_t *>(&lane) + e * bytesOf(type),
                  bytesOf(type));
      at += bytesOf(type);
    }
  }
  if (!operand(bytes.size(), bytes.data(), token))
    failed = true;
}
