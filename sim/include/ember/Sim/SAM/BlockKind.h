//===- BlockKind.h - The blocks of a Sparse Abstract Machine ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of blocks: their names, their ports, and by how many levels the
// streams of a port are nested deeper than the shallowest of the block.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_BLOCKKIND_H
#define EMBER_SIM_SAM_BLOCKKIND_H

#include "ember/Sim/SAM/Token.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace ember::sim::sam {

enum class BlockKind : uint8_t {
  scanCompressed,
  scanDense,
  scanSingleton,
  scanBitvector,
  scanLinkedList,
  repeatSignal,
  repeat,
  intersect,
  unite,
  array,
  locate,
  multiply,
  add,
  maximum,
  minimum,
  compute,
  reduce,
  accumulate1,
  accumulate2,
  reduceAlong,
  coordinateHold,
  coordinateDrop,
  stopDrop,
  emptyFiberStopDrop,
  split,
  flatten,
  parallelize,
  serialize,
  buffer,
  bitsConvert,
  bitsChunk,
  bitsScan,
  bitsIntersect,
  bitsUnion,
  store,
  writeCompressed,
  writeValues,
};
inline constexpr unsigned numBlockKinds = unsigned(BlockKind::writeValues) + 1;

/// How deeply the lists of a port are nested, next to the block's base.
/// `points`: no lists at all, as behind blocks that drop stops.
struct PortInfo {
  llvm::StringLiteral name;
  StreamType type;
  int8_t depth = 0;
  bool isOptional = false;
  bool arePoints = false;
};

struct BlockInfo {
  llvm::StringLiteral name;
  llvm::ArrayRef<PortInfo> inputs;
  llvm::ArrayRef<PortInfo> outputs;
};

const BlockInfo &infoOf(BlockKind kind);
std::optional<BlockKind> blockKindNamed(llvm::StringRef name);

inline bool isScanner(BlockKind kind) {
  return kind <= BlockKind::scanLinkedList;
}
inline bool isJoiner(BlockKind kind) {
  return kind == BlockKind::intersect || kind == BlockKind::unite;
}
inline bool isWriter(BlockKind kind) { return kind >= BlockKind::store; }
inline bool isArithmetic(BlockKind kind) {
  return kind >= BlockKind::multiply && kind <= BlockKind::minimum;
}

/// Of a block that has the most.
inline constexpr unsigned maxInputs = 8;
inline constexpr unsigned maxOutputs = 8;

} // namespace ember::sim::sam

#endif
