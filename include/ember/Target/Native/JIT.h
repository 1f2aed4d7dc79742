//===- JIT.h - Running a lowered module in this process ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ORC LLJIT over one lowered module, for ember-run and the differential
// tests: no files, no linker, and quick at low optimisation levels.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_JIT_H
#define EMBER_TARGET_NATIVE_JIT_H

#include "ember/Target/Native/CodeGen.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <utility>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

struct ember_error;

namespace ember::native {

/// A kernel entry, as docs of the C ABI say: arguments and results in `args`.
using KernelEntry = int32_t (*)(void **args, ember_error *error);

/// Names of functions and where they are in this process.
using SymbolTable = llvm::ArrayRef<std::pair<llvm::StringRef, void *>>;

struct JITOptions {
  CodeGenOptions codeGen;
  /// Functions of the runtime that kernels call. What is not here is looked up
  /// among the dynamic symbols of the process.
  SymbolTable symbols;
};

class JIT {
public:
  /// Compiles `module`, which must be in the llvm dialect and for this machine.
  static llvm::Expected<std::unique_ptr<JIT>>
  create(mlir::ModuleOp module, const JITOptions &options = {});
  ~JIT();

  /// The kernel entry of the public function `name`.
  llvm::Expected<KernelEntry> lookup(llvm::StringRef name) const;

  /// The address of any symbol of the module.
  llvm::Expected<void *> lookupSymbol(llvm::StringRef symbol) const;

private:
  explicit JIT(std::unique_ptr<llvm::orc::LLJIT> engine);
  std::unique_ptr<llvm::orc::LLJIT> engine;
};

/// The functions of the runtime archive linked into this program, for
/// JITOptions::symbols. Defined by the library EmberNativeRuntimeSymbols, so
/// that ember-opt need not link the runtime.
SymbolTable runtimeSymbols();

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_JIT_H
