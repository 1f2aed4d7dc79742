//===- AddressMapping.cpp - Where a line is -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/AddressMapping.h"

#include "ember/Sim/Memory/Request.h"

#include <bit>

using namespace ember::sim;

std::array<AddressMapping::Field, AddressMapping::fieldCount>
AddressMapping::fieldsOf(FieldOrder order) {
  // From the lowest bits on.
  switch (order) {
  case FieldOrder::bankGroupsFirst:
    return {channel, pseudoChannel, bankGroup, column, bank, rank, row};
  case FieldOrder::columnsFirst:
    return {channel, pseudoChannel, column, bankGroup, bank, rank, row};
  case FieldOrder::banksFirst:
    return {channel, pseudoChannel, bankGroup, bank, rank, column, row};
  case FieldOrder::channelsLast:
    return {bankGroup, column, bank, rank, pseudoChannel, channel, row};
  }
  return {};
}

AddressMapping::AddressMapping(const DRAMGeometry &geometry,
                               const AddressMappingParameters &parameters)
    : interleaveBits(std::countr_zero(parameters.interleave)),
      kind(parameters.hash) {
  auto widthOf = [](uint64_t count) {
    return static_cast<unsigned>(std::countr_zero(count));
  };
  bits[channel].width = widthOf(geometry.channels);
  bits[pseudoChannel].width = widthOf(geometry.pseudoChannels);
  bits[rank].width = widthOf(geometry.ranks);
  bits[bankGroup].width = widthOf(geometry.bankGroups);
  bits[bank].width = widthOf(geometry.banks);
  bits[column].width = widthOf(geometry.linesOfRow()) - interleaveBits;
  unsigned total = interleaveBits;
  for (unsigned field = 0; field < row; ++field)
    total += bits[field].width;
  bits[row].width =
      64 - static_cast<unsigned>(std::countr_zero(lineBytes)) - total;
  unsigned shift = interleaveBits;
  for (Field field : fieldsOf(parameters.order)) {
    bits[field].shift = shift;
    shift += bits[field].width;
  }
}

void AddressMapping::hash(DRAMLocation &location) const {
  if (kind == AddressHash::none)
    return;
  uint64_t rest = location.row;
  auto mix = [&](uint32_t &value, Field field) {
    value ^= static_cast<uint32_t>(rest & bits[field].mask());
    rest >>= bits[field].width;
  };
  mix(location.bankGroup, bankGroup);
  mix(location.bank, bank);
  if (kind != AddressHash::banksAndChannels)
    return;
  mix(location.channel, channel);
  mix(location.pseudoChannel, pseudoChannel);
}

DRAMLocation AddressMapping::locate(uint64_t line) const {
  auto valueOf = [&](Field field) {
    return static_cast<uint32_t>(line >> bits[field].shift &
                                 bits[field].mask());
  };
  DRAMLocation location;
  location.channel = valueOf(channel);
  location.pseudoChannel = valueOf(pseudoChannel);
  location.rank = valueOf(rank);
  location.bankGroup = valueOf(bankGroup);
  location.bank = valueOf(bank);
  uint64_t low = line & ((uint64_t{1} << interleaveBits) - 1);
  location.column =
      static_cast<uint32_t>(valueOf(column) << interleaveBits | low);
  location.row = line >> bits[row].shift & bits[row].mask();
  hash(location);
  return location;
}

uint64_t AddressMapping::lineAt(const DRAMLocation &at) const {
  DRAMLocation location = at;
  hash(location);
  auto place = [&](uint64_t value, Field field) {
    return value << bits[field].shift;
  };
  uint64_t low = location.column & ((uint64_t{1} << interleaveBits) - 1);
  return place(location.channel, channel) |
         place(location.pseudoChannel, pseudoChannel) |
         place(location.rank, rank) | place(location.bankGroup, bankGroup) |
         place(location.bank, bank) |
         place(location.column >> interleaveBits, column) | low |
         place(location.row, row);
}
