//===- Configuration.h - What ember_configure has set -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_CONFIGURATION_H
#define EMBER_RUNTIME_LIB_CONFIGURATION_H

#include "ember/Runtime/Runtime.h"

namespace ember::runtime {

// The configuration now, with every choice made: the threads are those of the
// process where ember_configure leaves them to the runtime.
ember_config currentConfiguration();

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_CONFIGURATION_H
