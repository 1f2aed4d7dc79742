//===- UnitRegisters.h - Registers of a unit --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page of registers through which a core and its Tensor Marshaling Unit
// talk.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_RINGTOTMU_UNITREGISTERS_H
#define EMBER_CONVERSION_RINGTOTMU_UNITREGISTERS_H

#include <cstdint>

/// The page of the core that calls it. Only simulated programs have this
/// function.
extern "C" void *ember_access_unit(void);

namespace ember::tmu {

/// Offsets in the page, of words of 8 bytes.
enum UnitRegister : int64_t {
  /// Stored: the address of a program's number and captures.
  launchRegister = 0x00,
  /// Loaded: the address of the next chunk, once there is one.
  chunkRegister = 0x08,
  /// Stored: the oldest chunk goes back.
  handBackRegister = 0x10,
  /// Loaded, once the unit is done.
  doneRegister = 0x18,
};

} // namespace ember::tmu

#endif // EMBER_CONVERSION_RINGTOTMU_UNITREGISTERS_H
