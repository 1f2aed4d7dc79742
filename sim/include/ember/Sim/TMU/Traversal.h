//===- Traversal.h - What the units of a program do -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the layers of a program on guest memory, each as far as it is asked
// to: a layer may be steps ahead of those inside of it, as its traversal units
// are. A step is kept, with the elements of its streams and what they asked of
// memory, until it is released.
//
// One traversal runs for the values, in the program's order, and one for the
// timing, in whose order layers are ahead; that one stores nothing. Inputs do
// not change while a program runs, so both see the same.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_TRAVERSAL_H
#define EMBER_SIM_TMU_TRAVERSAL_H

#include "ember/Sim/Core/GuestMemory.h"
#include "ember/Sim/TMU/Configuration.h"

#include "llvm/ADT/ArrayRef.h"

namespace ember::sim {

/// Bytes that a stream loads or stores at a step; none where it is off.
struct StreamAccess {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

class Traversal {
public:
  enum class Found : uint8_t {
    /// A step of the fiber.
    step,
    /// The fiber has no more.
    over,
    /// The program did wrong, see `error`.
    failed,
  };

  /// All have to outlive it. Without `stores`, memory stays as it is.
  Traversal(const TMUProgram &program, std::vector<uint64_t> captures,
            GuestMemory &memory, bool stores);

  const TMUProgram &program() const { return code; }

  /// Whether step `number` of a layer is one of the fiber in step `parent` of
  /// the layer around (0 in the outermost one). Steps are asked for in order,
  /// while that of the layer around is kept.
  Found find(unsigned layer, uint64_t number, uint64_t parent);
  /// The oldest step of a layer is not needed any more.
  void release(unsigned layer) { ++layers[layer].first; }
  /// Keeps all that is left, up to so many steps.
  void finish(uint64_t most);

  /// Of a step that is kept: elements by number, words with zeros above.
  const uint64_t *elements(unsigned layer, uint64_t number) const {
    const Steps &steps = layers[layer];
    return steps.elements.data() +
           steps.slot(number) * code.layers[layer].elements;
  }
  llvm::ArrayRef<StreamAccess> accesses(unsigned layer, uint64_t number) const {
    const Steps &steps = layers[layer];
    size_t count = code.layers[layer].accesses;
    return {steps.accesses.data() + steps.slot(number) * count, count};
  }
  uint64_t parent(unsigned layer, uint64_t number) const {
    return layers[layer].heads[layers[layer].slot(number)].parent;
  }
  /// Whether conditions of the layer hold at a step, a bit each.
  uint64_t conditions(unsigned layer, uint64_t number) const {
    return layers[layer].heads[layers[layer].slot(number)].conditions;
  }
  bool isOn(unsigned layer, uint64_t number, unsigned lane) const {
    const Steps &steps = layers[layer];
    return steps
        .lanesOn[steps.slot(number) * code.layers[layer].units.size() + lane];
  }
  uint64_t value(const OperandRef &operand,
                 const uint64_t *const *bases) const {
    switch (operand.kind) {
    case OperandRef::Kind::constant:
      return operand.constant;
    case OperandRef::Kind::capture:
      return captures[operand.capture];
    case OperandRef::Kind::stream:
      return bases[operand.layer][operand.element];
    case OperandRef::Kind::none:
      break;
    }
    return 0;
  }

  /// What went wrong in the outermost layer in which something did.
  const std::string &error() const { return message; }

private:
  struct Head {
    uint64_t parent = 0;
    uint64_t conditions = 0;
  };
  /// Where a unit is.
  struct Position {
    int64_t next = 0;
    int64_t upper = 0;
    int64_t step = 1;
    uint64_t count = 0;
    bool on = false;
  };
  struct Change {
    uint32_t condition;
    uint64_t before;
  };
  /// Of a layer: steps that are kept, in a ring, and where its units are.
  struct Steps {
    size_t capacity = 0;
    uint64_t first = 0;
    uint64_t made = 0;
    /// The step of the layer around whose fiber is walked.
    uint64_t fiber = 0;
    bool inFiber = false;
    bool isFirst = false;
    bool failed = false;
    std::vector<uint64_t> elements;
    std::vector<StreamAccess> accesses;
    std::vector<Head> heads;
    std::vector<uint8_t> lanesOn;
    std::vector<Position> positions;
    /// Sums of accumulations, by element.
    std::vector<uint64_t> sums;
    std::vector<Change> changes;
    std::vector<const uint64_t *> bases;

    size_t slot(uint64_t number) const { return number & (capacity - 1); }
  };

  void grow(unsigned layer);
  void findBases(unsigned layer, uint64_t parent);
  void beginFiber(unsigned layer);
  bool makeStep(unsigned layer);
  bool stepUnit(unsigned layer, unsigned lane, size_t slot);
  bool findSegment(const TraversalUnit &unit, Position &at,
                   StreamAccess &access);
  bool load(const Stream &stream, uint64_t left, const Steps &steps,
            StreamAccess &access, uint64_t &result);
  bool store(const Stream &stream, uint64_t left, const Steps &steps,
             StreamAccess &access);
  bool compute(const Stream &stream, const Steps &steps, uint64_t &result);
  bool fail(unsigned layer, const llvm::Twine &what);

  const TMUProgram &code;
  const std::vector<uint64_t> captures;
  GuestMemory &memory;
  const bool stores;
  std::vector<Steps> layers;
  std::string message;
};

} // namespace ember::sim

#endif
