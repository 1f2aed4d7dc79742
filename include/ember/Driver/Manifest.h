//===- Manifest.h - What a kernel library says about itself -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kernel.json, beside kernel.so: the entries with their arguments, for callers
// that check and convert before they call, and what the kernel was built for.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_MANIFEST_H
#define EMBER_DRIVER_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace ember {

/// The version of the compiler and of the manifest's format.
llvm::StringRef getEmberVersion();

/// The entries of a module: its public functions with a body. Asked before
/// lowering, while functions still have the types their authors gave them.
llvm::json::Array describeEntries(mlir::ModuleOp module);

/// The rest of a manifest.
struct KernelDescription {
  std::string target;
  unsigned optLevel = 3;
  std::string cpu;
  std::string features;
  int64_t vectorLength = 0;
  /// Operands and tokens the queues hold; nothing is the runtime's default.
  std::optional<int64_t> queueCapacity;
  std::vector<std::string> remarks;
  /// What rules have done, as "PASS: text".
  std::vector<std::string> decisions;
};

llvm::json::Value makeManifest(const KernelDescription &description,
                               llvm::json::Array entries);

} // namespace ember

#endif // EMBER_DRIVER_MANIFEST_H
