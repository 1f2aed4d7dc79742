//===- RollCalls.h - A loop of calls that are alike -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_NATIVE_ROLLCALLS_H
#define EMBER_LIB_TARGET_NATIVE_ROLLCALLS_H

#include "ember/ABI/RuntimeCalls.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::native {

/// What a kernel's entry passes on to it.
struct PassedArguments {
  /// Numbers of the arguments that are left.
  llvm::SmallVector<unsigned> left;
  /// Whether the pointer to the slots of all arguments follows them.
  bool slots = false;
};

/// Makes a loop of at least `least` calls of one function that stand one behind
/// the other. Arguments that only differ from call to call are read from the
/// slots that the entry is given, and not passed. Nothing but the entry may
/// call `kernel`.
PassedArguments rollCalls(mlir::func::FuncOp kernel, unsigned least,
                          RuntimeCalls &runtime,
                          const mlir::LLVMTypeConverter &types);

} // namespace ember::native

#endif // EMBER_LIB_TARGET_NATIVE_ROLLCALLS_H
