//===- FreedMemory.h - Memory is freed once, and not used then --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CHECKS_FREEDMEMORY_H
#define EMBER_LIB_CHECKS_FREEDMEMORY_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ember::checks {

/// An error where `function` frees what is not its own, frees something twice,
/// or uses it afterwards, as far as that does not depend on conditions.
mlir::LogicalResult checkFreedMemory(mlir::FunctionOpInterface function);

} // namespace ember::checks

#endif // EMBER_LIB_CHECKS_FREEDMEMORY_H
