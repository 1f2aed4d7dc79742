//===- ReferenceUnit.h - A TMU as a loop nest -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the chunks of a program are, from the text of its configuration alone:
// loops that call themselves, on values of any type in words. It shares nothing
// with the simulator, so that both being wrong in the same way takes two
// mistakes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_TMU_REFERENCEUNIT_H
#define EMBER_UNITTESTS_SIM_TMU_REFERENCEUNIT_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ember::sim {

class ReferenceUnit {
public:
  /// Memory at addresses of the guest's, bytes that may be used.
  using Memory = std::function<uint8_t *(uint64_t address, uint64_t bytes)>;

  ReferenceUnit(const llvm::json::Object &program,
                std::vector<uint64_t> captures, Memory memory);

  void run();

  std::vector<std::vector<uint8_t>> chunks;
  bool failed = false;
  uint64_t loadedBytes = 0;
  /// Bytes of tokens, operands, and words that end chunks.
  uint64_t pushedBytes = 0;
  uint64_t tokens = 0, operands = 0;

private:
  using Object = llvm::json::Object;
  struct Lane {
    bool on = false;
    int64_t next = 0, upper = 0, step = 1;
    uint64_t count = 0;
    std::vector<uint64_t> values, sums;
  };
  struct Toggle {
    uint64_t before = 0;
    bool first = true, changed = false;
  };

  void fiber(size_t layer);
  bool stepLane(size_t layer, size_t lane);
  std::optional<uint64_t> evaluate(const Object &stream, size_t layer,
                                   size_t lane, size_t index, int64_t position,
                                   int64_t end);
  std::optional<uint64_t> access(const Object &stream, size_t layer,
                                 size_t lane, int64_t position);
  uint64_t value(const Object *operand) const;
  const Object &unitOf(size_t layer, size_t lane) const;
  void push(size_t layer, const char *event);
  void pushOne(const Object &push);
  const Object *tokenOf(int64_t id, size_t &layer, std::string &event) const;
  bool holds(const Object &push);
  void word(uint64_t word);
  void makeRoom(const Object &token);
  bool operand(uint64_t bytes, const uint8_t *from, const Object &token);
  bool operandsComeFirst(int64_t id) const;
  void turn();

  const Object &program;
  const std::vector<uint64_t> captures;
  Memory memory;
  int64_t idBits, chunkBytes, tokenBytes;
  std::vector<std::vector<Lane>> layers;
  std::map<int64_t, Toggle> toggles;
  std::map<int64_t, int> open;
  std::vector<uint8_t> chunk;
  int64_t slot = 0, free = 0;
};

} // namespace ember::sim

#endif
