//===- Schedules.h - Schedules of statements --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_SCHEDULES_H
#define EMBER_DIALECT_CIN_TRANSFORMS_SCHEDULES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// Makes a statement with one assignment what its schedule asks for, and
/// chooses what that leaves open: the schedule ends with an order of all
/// variables then. What is wrong with the schedule, if anything is; the
/// statement may be half of what it asks for then.
std::optional<ScheduleError> scheduleStatement(ForallOp statement);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_SCHEDULES_H
