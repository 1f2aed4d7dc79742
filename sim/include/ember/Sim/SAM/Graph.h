//===- Graph.h - Blocks joined by streams -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a Sparse Abstract Machine is told to do: blocks with their parameters,
// the streams between their ports, the tensors that they read, and the results
// that they write. A graph is built by these functions or read from a file, and
// what an engine is given is verified.
//
//   Graph graph;
//   unsigned B = cantFail(graph.addTensor(tensor));
//   unsigned scan = cantFail(graph.addBlock({"scan_Bi",
//   BlockKind::scanCompressed})); graph.block(scan).tensor = B;
//   cantFail(graph.connect(scan, "crd", write, "in"));
//   cantFail(graph.addRoot(scan));
//   cantFail(graph.verify());
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_GRAPH_H
#define EMBER_SIM_SAM_GRAPH_H

#include "ember/Sim/SAM/BlockKind.h"
#include "ember/Sim/SAM/Tensor.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace ember::sim::sam {

inline constexpr unsigned noIndex = ~0u;

struct Block {
  std::string name;
  BlockKind kind = BlockKind::scanCompressed;

  /// Of what a scanner, a locator or an array reads: the tensor's number in the
  /// graph, and the level.
  unsigned tensor = noIndex;
  unsigned level = 0;
  /// Of a writer: the tensor that it writes, and the level; values have none.
  std::string result = {};
  /// Of add: whether the second operand is subtracted.
  bool negatesSecond = false;
  /// Of reduce: whether a list without values has no sum.
  bool dropsEmpty = false;
  /// Of what reduces: add, multiply, maximum or minimum.
  BlockKind combiner = BlockKind::add;
  /// Of alu: what it computes, of how many operands; nothing if it cannot.
  std::function<std::optional<double>(llvm::ArrayRef<double>)> function = {};
  unsigned numOperands = 1;
  /// Of locate: how far apart the places of two coordinates are, where dense
  /// levels are located in any order; 0 where they are in theirs.
  int64_t stride = 0;
  /// Of split and flatten: how many coordinates a part has, and whether inner
  /// coordinates stay what they were.
  int64_t factor = 1;
  bool keepsCoordinate = true;
  /// Of parallelize and serialize: how many lanes there are, and how deeply
  /// nested the items are that lanes take turns with.
  unsigned lanes = 2;
  unsigned itemDepth = 0;
  /// Of buffer: how many tokens wait in it, whatever the machine's queues hold.
  uint64_t capacity = 64;
  /// Of bv_chunk: bits of a part; of it and of bv_convert, of all.
  unsigned width = 64;
  unsigned size = 64;
  /// Of bv_scan: the words that are in memory.
  std::vector<uint64_t> words = {};
  /// Of bv_intersect: whether words without a common bit are shown.
  bool emitsZeros = false;
};

/// A port of a block, by numbers.
struct PortRef {
  unsigned block = noIndex;
  unsigned port = 0;

  bool operator==(const PortRef &) const = default;
};

class Graph {
public:
  /// Errors name what is there already, or unknown.
  llvm::Expected<unsigned> addTensor(Tensor tensor);
  llvm::Expected<unsigned> addBlock(Block block);
  llvm::Error connect(unsigned from, llvm::StringRef output, unsigned to,
                      llvm::StringRef input);
  /// Another tensor of the same levels, whose sizes may be others.
  llvm::Error replaceTensor(unsigned number, Tensor tensor);
  /// The port `ref` of a block takes the reference 0, then D.
  llvm::Error addRoot(unsigned block);
  /// In which order the levels of a result are nested, where not by number:
  /// {1, 0} says that level 1 is the outer one.
  void setNesting(llvm::StringRef result, std::vector<unsigned> levels) {
    nesting[result.str()] = std::move(levels);
  }
  /// The indices of a result's levels by their numbers, one letter each.
  void setIndices(llvm::StringRef result, std::string letters) {
    indices[result.str()] = std::move(letters);
  }
  std::string indicesOf(llvm::StringRef result) const {
    auto found = indices.find(result.str());
    return found == indices.end() ? std::string() : found->second;
  }
  /// A port takes tokens that come from outside, at the cycles they say.
  llvm::Error feed(unsigned block, llvm::StringRef input,
                   std::vector<TimedToken> tokens);

  Block &block(unsigned number) { return blocks[number]; }
  llvm::ArrayRef<Block> getBlocks() const { return blocks; }
  llvm::ArrayRef<Tensor> getTensors() const { return tensors; }
  std::optional<unsigned> findBlock(llvm::StringRef name) const;
  std::optional<unsigned> findTensor(llvm::StringRef name) const;

  /// Checks all that can be known before a run, and finds the order of blocks.
  llvm::Error verify();

  /// Once verified: producers before consumers, gallop edges aside.
  llvm::ArrayRef<unsigned> getOrder() const { return order; }
  /// Where the tokens of an input come from; of no block where they are fed.
  PortRef sourceOf(unsigned block, unsigned input) const {
    return sources[block][input];
  }
  llvm::ArrayRef<TimedToken> fedTo(unsigned block, unsigned input) const;
  bool isConnected(unsigned block, unsigned input) const;
  llvm::ArrayRef<PortRef> consumersOf(unsigned block, unsigned output) const {
    return consumers[block][output];
  }
  /// The type of a stream, where the port's own follows what is connected.
  StreamType typeOf(unsigned block, unsigned output) const {
    return types[block][output];
  }
  StreamType inputTypeOf(unsigned block, unsigned input) const;
  bool hasGallopEdges() const;
  const std::map<std::string, std::vector<unsigned>> &getNesting() const {
    return nesting;
  }

  /// `scan_Bi.crd`
  std::string nameOfOutput(PortRef output) const;
  std::string nameOfInput(PortRef input) const;

private:
  llvm::Error verifyBlock(unsigned number) const;
  llvm::Error verifyLevel(const Block &block) const;
  llvm::Error verifyParameters(unsigned number) const;
  llvm::Error verifyBits(unsigned number) const;
  /// How deep a port is, where the block's own parameters say so.
  int depthOf(unsigned block, const PortInfo &port) const;
  llvm::Error verifyStreams();
  llvm::Error verifyDepths();
  llvm::Error findOrder();
  llvm::Error verifyWriters() const;

  std::vector<Block> blocks;
  std::vector<Tensor> tensors;
  llvm::StringMap<unsigned> blockNumbers;
  llvm::StringMap<unsigned> tensorNumbers;
  std::vector<std::array<PortRef, maxInputs>> sources;
  std::vector<std::array<llvm::SmallVector<PortRef, 2>, maxOutputs>> consumers;
  std::vector<std::array<StreamType, maxOutputs>> types;
  std::map<std::pair<unsigned, unsigned>, std::vector<TimedToken>> feeds;
  std::vector<unsigned> order;
  std::map<std::string, std::vector<unsigned>> nesting;
  std::map<std::string, std::string> indices;
};

} // namespace ember::sim::sam

#endif
