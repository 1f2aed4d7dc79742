//===- Decoder.h - Instructions from their encodings ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's layer of machine code decodes. What an instruction does comes from the
// table of semantics; which registers it reads and writes, from LLVM's
// description; how long it takes and where, from LLVM's scheduling models: that
// of neoverse-n1, and of neoverse-v1 for what N1 does not have, which is SVE.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_DECODER_H
#define EMBER_SIM_CORE_DECODER_H

#include "ember/Sim/Core/State.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ember::sim {

/// Names of what instructions depend on, of all kinds.
inline constexpr unsigned firstVectorName = 32;
inline constexpr unsigned firstPredicateName = 64;
inline constexpr unsigned flagsName = 80;
inline constexpr unsigned firstFaultName = 81;
inline constexpr unsigned registerNames = 82;

enum class PortKind : uint8_t {
  branch,
  /// Arithmetic of one cycle.
  simple,
  /// Multiplication, division, and what moves between files of registers.
  complex,
  /// Either of the two.
  integer,
  memory,
  storeData,
  vector,
};
inline constexpr unsigned portKinds = 7;

/// One pass through a port.
struct MicroOperation {
  PortKind kind;
  /// Of the units of that kind: any if 0, or just the first or the second.
  uint8_t unit = 0;
  /// For how long no other can begin there.
  uint16_t cycles = 1;
};

enum class BranchKind : uint8_t {
  none,
  conditional,
  jump,
  call,
  indirect,
  indirectCall,
  doesReturn,
};

/// All that is known of an instruction before it is executed.
struct StaticInstruction {
  Instruction functional;
  llvm::SmallVector<uint8_t, 8> sources;
  llvm::SmallVector<uint8_t, 4> destinations;
  /// At least one.
  llvm::SmallVector<MicroOperation, 4> operations;
  /// From all sources to the result; without the memory's part for loads.
  uint16_t latency = 1;
  /// The address register that it changes, which is known a cycle after it
  /// was issued; registerNames if there is none.
  uint8_t movedBase = registerNames;
  BranchKind branch = BranchKind::none;
  bool load = false;
  bool store = false;
  /// Nothing younger starts before it is done: barriers.
  bool serialises = false;
};

class Decoder {
public:
  static llvm::Expected<std::unique_ptr<Decoder>> create();
  virtual ~Decoder() = default;

  /// An error says what is not supported, and where.
  virtual llvm::Expected<StaticInstruction> decode(uint32_t encoding,
                                                   uint64_t pc) = 0;
  virtual std::string print(uint32_t encoding, uint64_t pc) = 0;
};

} // namespace ember::sim

#endif
