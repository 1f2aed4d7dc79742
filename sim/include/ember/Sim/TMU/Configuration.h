//===- Configuration.h - What a TMU is told to do ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of a Tensor Marshaling Unit, as a compiler writes them to a file:
//
//   {"programs": [{"name": "bag.0", "idBits": 2,
//     "captures": [{"name": "table", "kind": "memory", "type": "f32"}],
//     "chunk": {"bytes": 2048, "tokenBytes": 512},
//     "layers": [{"kind": "lockstep",
//       "units": [{"kind": "dense", "lower": {"constant": 0}, ...,
//         "streams": [{"kind": "position"}, ...]}, ...],
//       "pushes": {"beg": [], "ite": [{"token": 0}, ...], "end": []}}, ...]}]}
//
// Layers form one chain, outermost first, with a traversal unit a lane. A
// stream has an element at each step of its unit, made of constants, captures,
// elements of streams before it in its unit, and those of layers around. What
// is read here is valid: no index is out of range and no type is missing.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_CONFIGURATION_H
#define EMBER_SIM_TMU_CONFIGURATION_H

#include "ember/Sim/TMU/ElementType.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ember::sim {

/// What a value is taken from.
struct OperandRef {
  enum class Kind : uint8_t { none, constant, capture, stream };

  Kind kind = Kind::none;
  uint64_t constant = 0;
  uint32_t capture = 0;
  uint32_t layer = 0;
  uint32_t lane = 0;
  uint32_t stream = 0;
  /// The stream's number among those of all lanes of its layer.
  uint32_t element = 0;

  explicit operator bool() const { return kind != Kind::none; }
  bool operator==(const OperandRef &) const = default;
};

enum class StreamKind : uint8_t {
  position,
  count,
  segmentEnd,
  memory,
  store,
  alu,
  compare,
  select,
  cast,
  forward,
  accumulate,
};

enum class AluOperation : uint8_t {
  add,
  sub,
  mul,
  divs,
  divu,
  rems,
  remu,
  bitAnd,
  bitOr,
  bitXor,
  shl,
  shrs,
  shru,
  mins,
  maxs,
  minu,
  maxu,
};

enum class Predicate : uint8_t {
  eq,
  ne,
  slt,
  sle,
  sgt,
  sge,
  ult,
  ule,
  ugt,
  uge,
};

/// Where a stream asks memory: by default, at the last level.
enum class MemoryLevel : uint8_t { lastLevel, l1, l2, memory };

struct Stream {
  StreamKind kind = StreamKind::position;
  /// Of its elements; of a store, of what it writes.
  ElementType type;
  /// Of a comparison or a cast, that of the inputs.
  ElementType inputType;
  AluOperation operation = AluOperation::add;
  Predicate predicate = Predicate::eq;
  bool signExtends = false;
  llvm::SmallVector<OperandRef, 3> inputs;
  /// Of an accumulation.
  OperandRef initial;
  // Of memory and stores.
  uint32_t capture = 0;
  uint32_t elements = 1;
  OperandRef position, mask, otherwise, value;
  MemoryLevel level = MemoryLevel::lastLevel;
  bool nontemporal = false;
  /// Of a memory stream that is read by pushes of tokens on a condition alone:
  /// the condition, by number; elements are loaded where it holds.
  int32_t condition = -1;
  /// Of memory and stores, the number among those of all lanes of the layer.
  uint32_t access = 0;

  /// Of its queue's entries.
  uint64_t entryBytes() const {
    return elements * llvm::divideCeil(type.bits, 8u);
  }
  bool isMemory() const {
    return kind == StreamKind::memory || kind == StreamKind::store;
  }
};

enum class UnitKind : uint8_t { dense, index, range, segment };

struct TraversalUnit {
  UnitKind kind = UnitKind::dense;
  /// `upper` is the size of an index unit.
  OperandRef lower, upper, step;
  uint32_t coordinates = 0;
  uint32_t queue = 1;
  std::vector<Stream> streams;
  /// The number of its first stream among those of all lanes of the layer.
  uint32_t firstElement = 0;
  /// Of a segment unit, the number of its reads of coordinates, as of streams.
  uint32_t access = 0;
};

/// A condition of tokens: an element differs from the one at the step before of
/// a layer, or is the first one of a fiber.
struct ChangeCondition {
  OperandRef stream;
  bool same = false;
  uint32_t layer = 0;
};

struct Push {
  bool isToken = false;
  uint32_t token = 0;
  llvm::SmallVector<OperandRef, 1> mask;
  int32_t condition = -1;
  // Of a token.
  OperandRef value;
  ElementType type;
  bool follows = false;
  bool hasReserve = false;
  uint32_t reserve = 0;
  // Of an operand.
  llvm::SmallVector<OperandRef, 8> streams;
  uint32_t elements = 1;
  uint32_t bytes = 0;
};

/// What is known of the pushes of a token.
struct TokenInfo {
  bool hasReserve = false;
  uint32_t reserve = 0;
  /// Some of its operands are pushed before it.
  bool operandsFirst = false;
};

enum class LayerKind : uint8_t { single, broadcast, lockstep };
enum class PushEvent : uint8_t { begin, step, end };

struct Layer {
  LayerKind kind = LayerKind::single;
  std::vector<TraversalUnit> units;
  std::array<std::vector<Push>, 3> pushes;
  /// Streams, and those that ask memory, of all lanes.
  uint32_t elements = 0;
  uint32_t accesses = 0;

  /// The shortest of its units, which step together.
  uint32_t queue() const {
    uint32_t least = units.front().queue;
    for (const TraversalUnit &unit : units)
      least = std::min(least, unit.queue);
    return least;
  }
  const std::vector<Push> &pushesAt(PushEvent event) const {
    return pushes[static_cast<unsigned>(event)];
  }
};

struct Capture {
  std::string name;
  bool isMemory = false;
  ElementType type;
};

struct TMUProgram {
  /// So many have a bit of a word each.
  static constexpr unsigned mostConditions = 64;

  std::string name;
  std::vector<Capture> captures;
  uint32_t idBits = 0;
  uint32_t chunkBytes = 0;
  uint32_t tokenBytes = 0;
  std::vector<Layer> layers;
  std::vector<ChangeCondition> conditions;
  /// By number; those that are not pushed have no meaning.
  std::vector<TokenInfo> tokens;

  uint32_t tokenSlots() const { return tokenBytes / 8; }
  /// The word that ends the program.
  uint64_t endWord() const { return ~uint64_t{0}; }
  /// The word after which the next chunk is to be taken.
  uint64_t nextWord() const {
    return idBits ? (uint64_t{1} << idBits) - 1 : ~uint64_t{1};
  }
};

struct Configuration {
  std::vector<TMUProgram> programs;

  /// The error names what is wrong by its path, "programs[0].layers[1].units[3]
  /// .streams[2].inputs[0]: ...".
  static llvm::Expected<Configuration> read(const llvm::json::Value &value);
  static llvm::Expected<Configuration> parse(llvm::StringRef text);
  static llvm::Expected<Configuration> readFile(llvm::StringRef path);
};

} // namespace ember::sim

#endif
