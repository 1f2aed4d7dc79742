//===- Semantics.h - What instructions do -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table from the names that LLVM gives to instructions to functions. The
// numbers behind those names are private to LLVM's target.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_SEMANTICS_H
#define EMBER_SIM_CORE_SEMANTICS_H

#include "ember/Sim/Core/State.h"

#include "llvm/ADT/StringMap.h"

namespace ember::sim {

/// Changes operands from their encoding to what the function takes.
using PrepareFunction = void (*)(Instruction &);

struct Semantics {
  ExecuteFunction execute = nullptr;
  PrepareFunction prepare = nullptr;
};

class SemanticsTable {
public:
  /// All that is known.
  static const SemanticsTable &get();

  /// Null if there is no such instruction.
  const Semantics *find(llvm::StringRef name) const {
    auto entry = entries.find(name);
    return entry == entries.end() ? nullptr : &entry->second;
  }
  size_t size() const { return entries.size(); }

  void add(const llvm::Twine &name, ExecuteFunction execute,
           PrepareFunction prepare = nullptr) {
    entries[name.str()] = {execute, prepare};
  }

private:
  SemanticsTable();

  llvm::StringMap<Semantics> entries;
};

void addScalarSemantics(SemanticsTable &table);
void addScalarMemorySemantics(SemanticsTable &table);
void addScalarFloatSemantics(SemanticsTable &table);
void addNeonSemantics(SemanticsTable &table);
void addNeonFloatSemantics(SemanticsTable &table);
void addNeonPermuteSemantics(SemanticsTable &table);
void addNeonMemorySemantics(SemanticsTable &table);
void addSVEIntegerSemantics(SemanticsTable &table);
void addSVEFloatSemantics(SemanticsTable &table);
void addSVEPermuteSemantics(SemanticsTable &table);
void addSVEPredicateSemantics(SemanticsTable &table);
void addSVEMemorySemantics(SemanticsTable &table);

/// The mask that a logical instruction's immediate stands for.
uint64_t logicalImmediate(uint64_t encoding, unsigned bits);

/// Whether the flags fulfil a condition.
inline bool holds(const State &state, unsigned condition) {
  bool result = true;
  switch (condition >> 1) {
  case 0:
    result = state.zero;
    break;
  case 1:
    result = state.carry;
    break;
  case 2:
    result = state.negative;
    break;
  case 3:
    result = state.overflow;
    break;
  case 4:
    result = state.carry && !state.zero;
    break;
  case 5:
    result = state.negative == state.overflow;
    break;
  case 6:
    result = state.negative == state.overflow && !state.zero;
    break;
  default:
    return true;
  }
  return result != static_cast<bool>(condition & 1);
}

} // namespace ember::sim

#endif
