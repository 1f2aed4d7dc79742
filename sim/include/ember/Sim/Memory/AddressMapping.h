//===- AddressMapping.h - Where a line is -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address is fields of bits, in an order that is a parameter. The row takes
// all bits that the other fields leave, so there is a place for every line.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_ADDRESSMAPPING_H
#define EMBER_SIM_MEMORY_ADDRESSMAPPING_H

#include "ember/Sim/Memory/MemoryParameters.h"

#include <array>

namespace ember::sim {

struct DRAMLocation {
  uint32_t channel = 0;
  uint32_t pseudoChannel = 0;
  uint32_t rank = 0;
  uint32_t bankGroup = 0;
  /// Of its bank group.
  uint32_t bank = 0;
  /// The place of the line in its row.
  uint32_t column = 0;
  uint64_t row = 0;
};

class AddressMapping {
public:
  AddressMapping(const DRAMGeometry &geometry,
                 const AddressMappingParameters &parameters);

  DRAMLocation locate(uint64_t line) const;

  /// The line at a place: the inverse of `locate`.
  uint64_t lineAt(const DRAMLocation &location) const;

private:
  enum Field { channel, pseudoChannel, rank, bankGroup, bank, column, row };
  static constexpr unsigned fieldCount = 7;
  /// Where the bits of a field start, and how many they are.
  struct Bits {
    unsigned shift = 0;
    unsigned width = 0;
    uint64_t mask() const { return (uint64_t{1} << width) - 1; }
  };

  static std::array<Field, fieldCount> fieldsOf(FieldOrder order);
  /// Changes the fields that are hashed with the row; twice, back again.
  void hash(DRAMLocation &location) const;

  std::array<Bits, fieldCount> bits;
  unsigned interleaveBits;
  AddressHash kind;
};

} // namespace ember::sim

#endif
