//===- PrecompiledHeader.h - Parsed once for the simulator ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What most files of the simulator include. Only headers of LLVM and of the
// standard library: one of our own here would rebuild everything when it
// changes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_PRECOMPILEDHEADER_H
#define EMBER_SIM_PRECOMPILEDHEADER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#endif // EMBER_SIM_PRECOMPILEDHEADER_H
