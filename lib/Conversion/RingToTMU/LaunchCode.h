//===- LaunchCode.h - Launches of a unit ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_RINGTOTMU_LAUNCHCODE_H
#define EMBER_LIB_CONVERSION_RINGTOTMU_LAUNCHCODE_H

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Dialect/TMU/IR/TMU.h"

namespace ember {

/// Replaces `program`, which is that of `number` in the configuration, by the
/// launch of the unit and the call of its compute function.
void lowerLaunch(tmu::ProgramOp program, int64_t number, RuntimeCalls &calls);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_RINGTOTMU_LAUNCHCODE_H
