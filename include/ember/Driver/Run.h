//===- Run.h - Running a function of a program ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one function of a program in memory, at whatever level it and the
// functions it calls are, and calls it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_RUN_H
#define EMBER_DRIVER_RUN_H

#include "ember/Driver/Arguments.h"
#include "ember/Driver/Compile.h"
#include "ember/Runtime/Runtime.h"
#include "llvm/Support/JSON.h"

namespace ember {

struct RunOptions {
  /// With a target the program is compiled for it first.
  CompileOptions compile;
  ember_config execution = {EMBER_DEFAULT_QUEUE_CAPACITY, EMBER_SCHEDULE_FIBERS,
                            EMBER_DEFAULT_THREADS,
                            EMBER_DEFAULT_WORK_OF_THREAD};
  /// Files for the statistics and the listing of the queues; empty for none.
  std::string statistics;
  std::string trace;
};

/// A function of a program that is loops or later, so that its arguments are
/// memrefs.
struct Entry {
  mlir::func::FuncOp function;
  /// At which level each function of the program was, as it was given.
  llvm::json::Object levels;
};

/// The function called `name`, or the only one there is when `name` is empty.
llvm::Expected<Entry> findEntry(Source &source, llvm::StringRef name,
                                const CompileOptions &options);

/// Leaves only `entry` and what it needs in the module.
llvm::Error isolate(mlir::ModuleOp module, mlir::func::FuncOp entry);

/// Runs `entry` of `source` on `arguments`. What the kernel itself reports, an
/// index out of range for example, is an error too.
llvm::Error runEntry(Source &source, Entry entry, KernelArguments &arguments,
                     const RunOptions &options);

} // namespace ember

#endif // EMBER_DRIVER_RUN_H
