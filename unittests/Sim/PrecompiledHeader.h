//===- PrecompiledHeader.h - Parsed once for tests of machines --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tests of the simulator include besides what it does itself.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_PRECOMPILEDHEADER_H
#define EMBER_UNITTESTS_SIM_PRECOMPILEDHEADER_H

#include "../../sim/PrecompiledHeader.h"
#include "gtest/gtest.h"
#include <random>

#endif // EMBER_UNITTESTS_SIM_PRECOMPILEDHEADER_H
