//===- LayerPipeline.h - When traversal units step --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timing of a program's layers. The units of a layer begin a fiber once the
// step around it has its bounds, step while their queues have room, and end it;
// then they go on with the next one, so an outer layer runs ahead of those
// inside as far as its queues reach. A stream's request goes out when the
// elements that its address is made of are there: the arbiter takes outer
// layers first, units in turn, and streams in their order; within a queue, in
// order. A step can be used when all its elements are there.
//
// Units of a layer step together.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_LAYERPIPELINE_H
#define EMBER_SIM_TMU_LAYERPIPELINE_H

#include "ember/Sim/TMU/LineFetcher.h"
#include "ember/Sim/TMU/Marshaling.h"

#include "llvm/ADT/DenseSet.h"

#include <array>

namespace ember::sim {

/// What the units of a layer do in a cycle.
enum class LayerActivity : uint8_t {
  /// Steps, begins and ends of fibers.
  busy,
  /// No step around has a fiber for them.
  outer,
  /// The bounds of a fiber, or coordinates, are on their way.
  memory,
  /// The queues are full.
  full,
  /// All fibers are over.
  over,
};
inline constexpr unsigned layerActivities = 5;

/// Counts of a layer, over all programs.
struct LayerCounters {
  std::array<uint64_t, layerActivities> cycles = {};
  uint64_t steps = 0, fibers = 0;
  Occupancy queue;
};

class LayerPipeline {
public:
  /// `counters` has an entry for each layer.
  LayerPipeline(const TMUParameters &parameters, Engine &engine,
                Traversal &traversal, LineFetcher &fetcher,
                std::vector<LayerCounters> &counters, TMUTrace *trace);

  /// Layers step. True if one did.
  bool step();
  /// Asks for up to so many lines. True if any request was handled.
  bool ask(uint64_t lines);
  /// Lines were not asked for because too many are on their way.
  bool isLimited() const { return limited; }
  void arrived(const ElementWaiter &waiter);

  /// What a step of a fiber waits for, for `TraversalOrder::next`.
  TraversalOrder::Kind find(unsigned layer, uint64_t step, uint64_t parent);
  void release(unsigned layer);
  LayerActivity activity(unsigned layer) const {
    return layers[layer].activity;
  }
  std::string waits() const;

private:
  enum class Phase : uint8_t { waiting, beginning, walking, ending, over };

  /// An element of a stream that another one is made of.
  struct Dependence {
    uint32_t layer;
    uint32_t access;
    /// That of the step before.
    bool before;
  };
  /// A stream that asks memory, or the coordinates of a unit.
  struct Access {
    const Stream *stream = nullptr;
    bool isLoad = false;
    uint32_t lane = 0;
    /// For coalescing: the same in all lanes.
    uint32_t key = 0;
    std::vector<Dependence> dependences;
    /// The next step that asks, and the line of it.
    uint64_t step = 0;
    uint64_t line = 0;
  };
  struct State {
    Phase phase = Phase::waiting;
    LayerActivity activity = LayerActivity::outer;
    uint64_t queue = 1;
    uint64_t mask = 0;
    uint64_t produced = 0, consumed = 0;
    /// The step around whose fiber is walked.
    uint64_t fiber = 0;
    uint64_t cyclesLeft = 0;
    Tick fiberSince = 0;
    uint64_t fiberSteps = 0;
    std::vector<Access> accesses;
    /// Where accesses of a lane begin.
    std::vector<uint32_t> lanes;
    uint32_t nextLane = 0;
    /// Elements that have not asked.
    uint64_t unasked = 0;
    std::vector<Dependence> bounds;
    /// Accesses of coordinates, which the next step needs.
    std::vector<uint32_t> coordinates;
    /// Of kept steps, lines that an element waits for, and elements that wait.
    std::vector<uint32_t> linesLeft;
    std::vector<uint32_t> elementsLeft;
  };

  void plan(unsigned layer);
  void collect(const OperandRef &operand, bool before,
               std::vector<Dependence> &result) const;
  void collect(const OperandRef &operand, bool before,
               llvm::DenseSet<std::pair<uint32_t, uint32_t>> &seen,
               std::vector<Dependence> &result) const;
  bool isThere(const Dependence &dependence, unsigned layer,
               uint64_t step) const;
  bool areThere(llvm::ArrayRef<Dependence> dependences, unsigned layer,
                uint64_t step) const;
  bool stepLayer(unsigned layer);
  bool produce(unsigned layer);
  /// One pass over all lanes, for what is left of `lines`.
  bool arbitrate(uint64_t &lines);
  bool askFor(unsigned layer, uint32_t access, uint64_t &lines, bool &asked);

  const TMUParameters &parameters;
  Engine &engine;
  Traversal &traversal;
  LineFetcher &fetcher;
  std::vector<LayerCounters> &counters;
  TMUTrace *observer;
  std::vector<State> layers;
  bool limited = false;
};

} // namespace ember::sim

#endif
