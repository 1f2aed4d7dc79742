//===- Predication.h - Conditions as masks and ranges -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_PREDICATION_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_PREDICATION_H

#include "ember/Analysis/DecouplingPlan.h"

namespace ember {

/// Takes what the plan offloads out of the conditions it stands under in the
/// bodies of the plan's loops.
void takeOutOfConditions(DecouplingPlan &plan);

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_PREDICATION_H
