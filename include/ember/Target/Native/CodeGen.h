//===- CodeGen.h - From the llvm dialect to object code --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a lowered module to LLVM IR, links the queue functions into it,
// optimises it for a target machine and writes it out.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_CODEGEN_H
#define EMBER_TARGET_NATIVE_CODEGEN_H

#include "ember/Target/Processor/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class raw_pwrite_stream;
class TargetMachine;
} // namespace llvm

namespace ember::native {

struct CodeGenOptions {
  unsigned optLevel = 3;
  /// Loops may be unrolled.
  bool unroll = true;
  /// LLVM bitcode of the queue functions (ember_queue.bc). Empty: looked for
  /// beside the running program, in ../lib. Only read when a module calls them.
  std::string queueBitcode;
};

enum class CodeFormat { LLVMIR, Bitcode, Assembly, Object };

/// The LLVM IR of `module`, which must be in the llvm dialect: data layout and
/// processor of `machine` set, queue functions linked in, and every function
/// internal but the kernel entries. Not optimised.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                  llvm::TargetMachine &machine,
                  const CodeGenOptions &options = {});

/// Runs LLVM's standard pipeline of `optLevel`; above 3 is 3. With
/// `packsScalars`, scalars are put together to vectors.
void optimizeLLVMIR(llvm::Module &module, llvm::TargetMachine &machine,
                    unsigned optLevel, bool unroll, bool packsScalars);

/// Writes `module`. Changes it (code generation lowers in place).
llvm::Error emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                     CodeFormat format, llvm::raw_pwrite_stream &stream);

/// Translates, optimises and writes, all of the above, for the target of the
/// module.
llvm::Expected<std::string> generateCode(mlir::ModuleOp module,
                                         CodeFormat format,
                                         const CodeGenOptions &options = {});

/// A file of the compiler's own installation: `name` in the folder lib beside
/// the folder of the running program, or beside the program itself.
llvm::Expected<std::string> findInstalledFile(llvm::StringRef name);

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_CODEGEN_H
