//===- ConfigurationChecks.cpp - How pushes belong together ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigurationChecks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace ember::sim;

bool ember::sim::isPackedFlags(const Push &push) {
  size_t count = push.streams.size() * push.elements;
  return push.type == ElementType{1, false} && count > push.bytes &&
         (count + 7) / 8 <= push.bytes;
}

namespace {
class PushConnector {
public:
  PushConnector(TMUProgram &program, llvm::ArrayRef<PushOrigin> origins)
      : program(program), origins(origins) {}

  void connect();

private:
  Push &pushOf(const PushOrigin &origin) {
    return program.layers[origin.layer]
        .pushes[static_cast<unsigned>(origin.event)][origin.index];
  }
  /// When a push happens in a run in which each fiber has one step.
  std::pair<uint64_t, uint32_t> orderOf(const PushOrigin &origin) const;
  bool inOwnLayer(const PushOrigin &origin, uint32_t layer) const {
    return layer < origin.layer ||
           (layer == origin.layer && origin.event == PushEvent::step);
  }
  int32_t conditionOf(const PushOrigin &token);
  void connectOperand(const PushOrigin &operand);
  void findConditionalLoads();
  /// Gives streams and accesses their numbers.
  void number();

  TMUProgram &program;
  llvm::ArrayRef<PushOrigin> origins;
  llvm::DenseMap<uint32_t, const PushOrigin *> tokens;
};
} // namespace

std::pair<uint64_t, uint32_t>
PushConnector::orderOf(const PushOrigin &origin) const {
  uint64_t layers = program.layers.size();
  uint64_t order = origin.event == PushEvent::end
                       ? 3 * layers - origin.layer
                       : 2 * uint64_t{origin.layer} +
                             (origin.event == PushEvent::step ? 1 : 0);
  return {order, origin.index};
}

int32_t PushConnector::conditionOf(const PushOrigin &token) {
  if (!token.on)
    return -1;
  JSONPart on = token.part.find("on");
  if (token.on.kind != OperandRef::Kind::stream) {
    on.complain("only elements of streams change");
    return -1;
  }
  bool steps = token.event == PushEvent::step;
  if (!steps && !token.layer) {
    on.complain("there is no layer around in whose steps it could change");
    return -1;
  }
  ChangeCondition condition{token.on, token.same,
                            steps ? token.layer : token.layer - 1};
  for (auto [index, known] : llvm::enumerate(program.conditions))
    if (known.stream == condition.stream && known.same == condition.same &&
        known.layer == condition.layer)
      return static_cast<int32_t>(index);
  if (program.conditions.size() == TMUProgram::mostConditions)
    on.complain("more than " + llvm::Twine(TMUProgram::mostConditions) +
                " conditions");
  program.conditions.push_back(condition);
  return static_cast<int32_t>(program.conditions.size() - 1);
}

void PushConnector::connectOperand(const PushOrigin &operand) {
  Push &push = pushOf(operand);
  const PushOrigin *token = tokens.lookup(push.token);
  if (!token) {
    operand.part.complain("no token " + llvm::Twine(push.token) +
                          " is pushed that this could belong to");
    return;
  }
  const Push &owner = pushOf(*token);
  push.condition = owner.condition;
  if (operand.on && (!(operand.on == token->on) || operand.same != token->same))
    operand.part.find("on").complain("differs from that of token " +
                                     llvm::Twine(push.token));
  if (push.condition >= 0 &&
      !inOwnLayer(operand, program.conditions[push.condition].layer))
    operand.part.complain("happens where the condition of token " +
                          llvm::Twine(push.token) + " is not known");
  if (push.mask.empty()) {
    push.mask = owner.mask;
    for (const OperandRef &mask : push.mask)
      if (mask.kind == OperandRef::Kind::stream &&
          !inOwnLayer(operand, mask.layer))
        operand.part.complain("happens where the mask of token " +
                              llvm::Twine(push.token) + " is not known");
  }
  if (orderOf(operand) > orderOf(*token))
    return;
  program.tokens[push.token].operandsFirst = true;
  if (!owner.hasReserve)
    operand.part.complain("comes before token " + llvm::Twine(push.token) +
                          ", which needs a 'reserve' then");
}

void PushConnector::findConditionalLoads() {
  // How each memory stream is read: by the pushes of one condition, or
  // otherwise.
  constexpr int32_t otherwise = -1, unread = -2;
  std::vector<std::vector<std::vector<int32_t>>> readers;
  for (const Layer &layer : program.layers) {
    auto &lanes = readers.emplace_back();
    for (const TraversalUnit &unit : layer.units)
      lanes.emplace_back(unit.streams.size(), unread);
  }
  auto read = [&](const OperandRef &operand, int32_t condition) {
    if (operand.kind != OperandRef::Kind::stream)
      return;
    int32_t &reader = readers[operand.layer][operand.lane][operand.stream];
    reader = reader == unread || reader == condition ? condition : otherwise;
  };
  for (const Layer &layer : program.layers)
    for (const TraversalUnit &unit : layer.units) {
      for (const OperandRef &bound : {unit.lower, unit.upper, unit.step})
        read(bound, otherwise);
      for (const Stream &stream : unit.streams) {
        for (const OperandRef &input : stream.inputs)
          read(input, otherwise);
        for (const OperandRef &input :
             {stream.initial, stream.position, stream.mask, stream.otherwise,
              stream.value})
          read(input, otherwise);
      }
    }
  for (const ChangeCondition &condition : program.conditions)
    read(condition.stream, otherwise);
  for (const PushOrigin &origin : origins) {
    const Push &push = pushOf(origin);
    for (const OperandRef &mask : push.mask)
      read(mask, otherwise);
    read(push.value, otherwise);
    for (const OperandRef &stream : push.streams) {
      bool own = stream.layer == origin.layer;
      read(stream,
           own && push.condition >= 0 &&
                   program.conditions[push.condition].layer < origin.layer
               ? push.condition
               : otherwise);
    }
  }
  for (auto [layer, lanes] : llvm::zip(program.layers, readers))
    for (auto [unit, streams] : llvm::zip(layer.units, lanes))
      for (auto [stream, reader] : llvm::zip(unit.streams, streams))
        if (stream.kind == StreamKind::memory && reader >= 0)
          stream.condition = reader;
}

void PushConnector::connect() {
  uint32_t most = 0;
  for (const PushOrigin &origin : origins)
    most = std::max(most, pushOf(origin).token);
  program.tokens.resize(origins.empty() ? 0 : most + 1);
  for (const PushOrigin &origin : origins) {
    Push &push = pushOf(origin);
    if (!push.isToken)
      continue;
    if (!tokens.try_emplace(push.token, &origin).second)
      origin.part.find("token").complain(
          "token " + llvm::Twine(push.token) +
          " is pushed in two places, and operands could not be told apart");
    push.condition = conditionOf(origin);
    program.tokens[push.token] = {push.hasReserve, push.reserve, false};
  }
  for (const PushOrigin &origin : origins)
    if (!pushOf(origin).isToken)
      connectOperand(origin);
  findConditionalLoads();
  number();
}

void PushConnector::number() {
  for (Layer &layer : program.layers)
    for (TraversalUnit &unit : layer.units) {
      unit.firstElement = layer.elements;
      layer.elements += static_cast<uint32_t>(unit.streams.size());
      if (unit.kind == UnitKind::segment)
        unit.access = layer.accesses++;
      for (Stream &stream : unit.streams)
        if (stream.isMemory())
          stream.access = layer.accesses++;
    }
  auto resolve = [&](OperandRef &operand) {
    if (operand.kind == OperandRef::Kind::stream)
      operand.element =
          program.layers[operand.layer].units[operand.lane].firstElement +
          operand.stream;
  };
  for (Layer &layer : program.layers) {
    for (TraversalUnit &unit : layer.units) {
      for (OperandRef *bound : {&unit.lower, &unit.upper, &unit.step})
        resolve(*bound);
      for (Stream &stream : unit.streams) {
        llvm::for_each(stream.inputs, resolve);
        for (OperandRef *input :
             {&stream.initial, &stream.position, &stream.mask,
              &stream.otherwise, &stream.value})
          resolve(*input);
      }
    }
    for (std::vector<Push> &pushes : layer.pushes)
      for (Push &push : pushes) {
        llvm::for_each(push.mask, resolve);
        llvm::for_each(push.streams, resolve);
        resolve(push.value);
      }
  }
  for (ChangeCondition &condition : program.conditions)
    resolve(condition.stream);
}

void ember::sim::connectPushes(TMUProgram &program,
                               llvm::ArrayRef<PushOrigin> origins) {
  PushConnector(program, origins).connect();
}
