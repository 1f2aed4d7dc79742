//===- LayerPipeline.cpp - When traversal units step ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/LayerPipeline.h"

#include "llvm/ADT/STLExtras.h"

using namespace ember::sim;

/// Streams of more than this many in a unit share keys with the next layer's.
static constexpr uint32_t keysOfLayer = 64;

LayerPipeline::LayerPipeline(const TMUParameters &parameters, Engine &engine,
                             Traversal &traversal, LineFetcher &fetcher,
                             std::vector<LayerCounters> &counters,
                             TMUTrace *trace)
    : parameters(parameters), engine(engine), traversal(traversal),
      fetcher(fetcher), counters(counters), observer(trace),
      layers(traversal.program().layers.size()) {
  for (unsigned i = 0; i < layers.size(); ++i)
    plan(i);
}

//===----------------------------------------------------------------------===//
// What depends on what
//===----------------------------------------------------------------------===//

namespace {
/// Streams that were looked at; others share them.
using Seen = llvm::DenseSet<std::pair<uint32_t, uint32_t>>;
} // namespace

static bool isNew(Seen &seen, const OperandRef &operand, bool before) {
  return seen.insert({operand.layer, operand.element * 2 + before}).second;
}

void LayerPipeline::collect(const OperandRef &operand, bool before,
                            std::vector<Dependence> &result) const {
  Seen seen;
  collect(operand, before, seen, result);
}

void LayerPipeline::collect(const OperandRef &operand, bool before,
                            llvm::DenseSet<std::pair<uint32_t, uint32_t>> &seen,
                            std::vector<Dependence> &result) const {
  if (operand.kind != OperandRef::Kind::stream || !isNew(seen, operand, before))
    return;
  const TraversalUnit &unit =
      traversal.program().layers[operand.layer].units[operand.lane];
  const Stream &stream = unit.streams[operand.stream];
  auto add = [&](uint32_t access) {
    for (const Dependence &known : result)
      if (known.layer == operand.layer && known.access == access &&
          known.before == before)
        return;
    result.push_back({operand.layer, access, before});
  };
  switch (stream.kind) {
  case StreamKind::memory:
    // It is there when its own request was answered, whose address is not
    // needed any more.
    add(stream.access);
    // Where the mask is off, there was no request: `otherwise` and the mask
    // have to be there.
    if (stream.mask) {
      collect(stream.mask, before, seen, result);
      collect(stream.otherwise, before, seen, result);
    }
    break;
  case StreamKind::segmentEnd:
    add(unit.access);
    break;
  case StreamKind::accumulate:
    collect(stream.initial, false, seen, result);
    collect(stream.inputs[0], true, seen, result);
    break;
  default:
    for (const OperandRef &input : stream.inputs)
      collect(input, before, seen, result);
  }
}

void LayerPipeline::plan(unsigned layer) {
  const Layer &code = traversal.program().layers[layer];
  State &state = layers[layer];
  state.queue = code.queue();
  state.mask = std::bit_ceil(state.queue) - 1;
  state.accesses.resize(code.accesses);
  state.linesLeft.resize((state.mask + 1) * code.accesses);
  state.elementsLeft.resize(state.mask + 1);
  uint32_t next = 0;
  for (auto [lane, unit] : llvm::enumerate(code.units)) {
    state.lanes.push_back(next);
    for (const OperandRef *bound : {&unit.lower, &unit.upper})
      collect(*bound, false, state.bounds);
    uint32_t first = next;
    auto add = [&](const Stream *stream, bool isLoad) -> Access & {
      Access &access = state.accesses[next];
      access.stream = stream;
      access.isLoad = isLoad;
      access.lane = static_cast<uint32_t>(lane);
      access.key = layer * keysOfLayer + (next - first) % keysOfLayer;
      ++next;
      return access;
    };
    if (unit.kind == UnitKind::segment) {
      state.coordinates.push_back(next);
      add(nullptr, true);
    }
    for (const Stream &stream : unit.streams) {
      if (!stream.isMemory())
        continue;
      Access &access = add(&stream, stream.kind == StreamKind::memory);
      collect(stream.position, false, access.dependences);
      collect(stream.mask, false, access.dependences);
      if (stream.condition >= 0) {
        // Whether it is loaded follows from a change of another stream.
        const OperandRef &changes =
            traversal.program().conditions[stream.condition].stream;
        collect(changes, false, access.dependences);
        collect(changes, true, access.dependences);
      }
    }
  }
  state.lanes.push_back(next);
}

bool LayerPipeline::isThere(const Dependence &dependence, unsigned layer,
                            uint64_t step) const {
  // The step of the dependence's layer around this one.
  for (unsigned i = layer; i > dependence.layer; --i)
    step = traversal.parent(i, step);
  const State &state = layers[dependence.layer];
  if (dependence.before) {
    if (step == state.consumed)
      return true;
    --step;
  }
  return !state.linesLeft[(step & state.mask) * state.accesses.size() +
                          dependence.access];
}

bool LayerPipeline::areThere(llvm::ArrayRef<Dependence> dependences,
                             unsigned layer, uint64_t step) const {
  return llvm::all_of(dependences, [&](const Dependence &dependence) {
    return isThere(dependence, layer, step);
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

bool LayerPipeline::produce(unsigned layer) {
  State &state = layers[layer];
  switch (traversal.find(layer, state.produced, state.fiber)) {
  case Traversal::Found::step:
    break;
  case Traversal::Found::over:
    state.phase = Phase::ending;
    state.cyclesLeft = parameters.fiberCycles;
    return false;
  case Traversal::Found::failed:
    state.phase = Phase::over;
    state.activity = LayerActivity::over;
    return false;
  }
  uint64_t slot = state.produced & state.mask;
  uint32_t *lines = state.linesLeft.data() + slot * state.accesses.size();
  llvm::ArrayRef<StreamAccess> accesses =
      traversal.accesses(layer, state.produced);
  uint32_t elements = 0;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const StreamAccess &access = accesses[i];
    bool asks = access.bytes && state.accesses[i].isLoad;
    lines[i] =
        asks ? static_cast<uint32_t>(lineOf(access.address + access.bytes - 1) -
                                     lineOf(access.address) + 1)
             : 0;
    elements += asks;
  }
  state.elementsLeft[slot] = elements;
  state.unasked += elements;
  ++state.produced;
  ++state.fiberSteps;
  ++counters[layer].steps;
  counters[layer].queue.add(engine.now(), 1);
  return true;
}

bool LayerPipeline::stepLayer(unsigned layer) {
  State &state = layers[layer];
  if (state.phase == Phase::waiting) {
    bool exists =
        layer ? layers[layer - 1].produced > state.fiber : state.fiber == 0;
    if (!exists) {
      bool outerOver =
          layer ? layers[layer - 1].phase == Phase::over : state.fiber > 0;
      if (outerOver)
        state.phase = Phase::over;
      state.activity = outerOver ? LayerActivity::over : LayerActivity::outer;
      return false;
    }
    if (layer && !areThere(state.bounds, layer - 1, state.fiber)) {
      state.activity = LayerActivity::memory;
      return false;
    }
    state.phase = Phase::beginning;
    state.cyclesLeft = parameters.fiberCycles;
    state.fiberSince = engine.now();
    state.fiberSteps = 0;
  }
  state.activity = LayerActivity::busy;
  if (state.phase == Phase::beginning) {
    if (state.cyclesLeft) {
      --state.cyclesLeft;
      return true;
    }
    state.phase = Phase::walking;
  }
  if (state.phase == Phase::walking) {
    for (uint64_t i = 0; i < parameters.stepsPerCycle; ++i) {
      if (state.produced - state.consumed >= state.queue) {
        if (!i)
          state.activity = LayerActivity::full;
        return i;
      }
      bool known = llvm::all_of(state.coordinates, [&](uint32_t access) {
        return isThere({layer, access, true}, layer, state.produced);
      });
      if (!known) {
        if (!i)
          state.activity = LayerActivity::memory;
        return i;
      }
      if (!produce(layer)) {
        if (state.phase == Phase::over)
          return true;
        break;
      }
    }
    if (state.phase == Phase::walking)
      return true;
    // The cycle in which a fiber turns out to be over is that of its end,
    // unless it had a step too.
  }
  if (state.phase == Phase::over)
    return false;
  if (state.cyclesLeft) {
    --state.cyclesLeft;
    if (state.cyclesLeft)
      return true;
  }
  ++counters[layer].fibers;
  if (observer)
    observer->fiber(layer, state.fiberSince, engine.now(), state.fiberSteps);
  ++state.fiber;
  state.phase = Phase::waiting;
  return true;
}

bool LayerPipeline::step() {
  bool moved = false;
  // Inner ones first: what an outer one makes is seen in the next cycle.
  for (auto layer = static_cast<unsigned>(layers.size()); layer--;)
    moved |= stepLayer(layer);
  return moved;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

bool LayerPipeline::askFor(unsigned layer, uint32_t index, uint64_t &lines,
                           bool &asked) {
  State &state = layers[layer];
  Access &access = state.accesses[index];
  bool moved = false;
  while (access.step < state.produced) {
    const StreamAccess &element = traversal.accesses(layer, access.step)[index];
    if (!element.bytes) {
      ++access.step;
      continue;
    }
    if (!areThere(access.dependences, layer, access.step))
      return moved;
    uint64_t line = lineOf(element.address) + access.line;
    ElementWaiter waiter{layer, index, access.step};
    if (!fetcher.join(line, waiter, access.key)) {
      if (!lines)
        return moved;
      if (!fetcher.hasRoom()) {
        limited = true;
        return moved;
      }
      fetcher.load(line, access.stream, waiter, access.key);
      --lines;
      asked = true;
    }
    moved = true;
    if (line == lineOf(element.address + element.bytes - 1)) {
      access.line = 0;
      ++access.step;
      --state.unasked;
    } else {
      ++access.line;
    }
  }
  return moved;
}

bool LayerPipeline::ask(uint64_t lines) {
  bool moved = false;
  // Line by line, so that all lanes share one before any asks for the next.
  limited = false;
  uint64_t left;
  do {
    left = std::min<uint64_t>(lines, 1);
    lines -= left;
    moved |= arbitrate(left);
  } while (lines && !left);
  return moved;
}

bool LayerPipeline::arbitrate(uint64_t &lines) {
  bool moved = false;
  for (unsigned layer = 0; layer < layers.size(); ++layer) {
    State &state = layers[layer];
    if (!state.unasked)
      continue;
    auto count = static_cast<uint32_t>(state.lanes.size() - 1);
    uint32_t first = state.nextLane;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t lane = (first + i) % count;
      bool asked = false;
      for (uint32_t access = state.lanes[lane]; access < state.lanes[lane + 1];
           ++access)
        if (state.accesses[access].isLoad)
          moved |= askFor(layer, access, lines, asked);
      if (asked)
        state.nextLane = (lane + 1) % count;
    }
  }
  return moved;
}

void LayerPipeline::arrived(const ElementWaiter &waiter) {
  State &state = layers[waiter.layer];
  uint64_t slot = waiter.step & state.mask;
  uint32_t &lines =
      state.linesLeft[slot * state.accesses.size() + waiter.access];
  if (!--lines)
    --state.elementsLeft[slot];
}

//===----------------------------------------------------------------------===//
// Use
//===----------------------------------------------------------------------===//

TraversalOrder::Kind LayerPipeline::find(unsigned layer, uint64_t step,
                                         uint64_t parent) {
  State &state = layers[layer];
  using Kind = TraversalOrder::Kind;
  if (step < state.produced && traversal.parent(layer, step) == parent)
    return state.elementsLeft[step & state.mask] ? Kind::wait : Kind::step;
  if (step < state.produced || state.fiber > parent)
    return Kind::end;
  bool failed = state.phase == Phase::over;
  return failed ? Kind::failed : Kind::wait;
}

void LayerPipeline::release(unsigned layer) {
  State &state = layers[layer];
  ++state.consumed;
  // Streams that had nothing to ask for may not have come by.
  for (Access &access : state.accesses)
    access.step = std::max(access.step, state.consumed);
  traversal.release(layer);
  counters[layer].queue.add(engine.now(), -1);
}

std::string LayerPipeline::waits() const {
  static constexpr const char *names[] = {"", "for a step around it",
                                          "for its bounds",
                                          "for room in its queues", ""};
  std::string text;
  for (auto [index, state] : llvm::enumerate(layers)) {
    const char *what = names[static_cast<unsigned>(state.activity)];
    if (*what)
      text += "layer " + std::to_string(index) + " " + what + "\n";
  }
  return text;
}
