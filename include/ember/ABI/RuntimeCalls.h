//===- RuntimeCalls.h - Calls from kernels into the runtime -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the runtime's functions in a module on first use, and builds calls
// to them with the strings they need as constants.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ABI_RUNTIMECALLS_H
#define EMBER_ABI_RUNTIMECALLS_H

#include "ember/ABI/Declarations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace ember {

/// "MESSAGE", or "MESSAGE at FILE:LINE:COLUMN" where that is known.
std::string messageAt(llvm::StringRef message, mlir::Location loc);

class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module);

  /// `value` of `source` at `position` is no index of `what`, of `size`. The
  /// integers are i64 or index.
  void failIndex(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::StringRef what, llvm::StringRef source,
                 mlir::Value value, mlir::Value size, mlir::Value position);
  void failSegment(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef source, mlir::Value position,
                   mlir::Value begin, mlir::Value end);
  void failMessage(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef message);

  /// Pointer to a constant, zero-terminated copy of `text`.
  mlir::Value stringConstant(mlir::OpBuilder &builder, mlir::Location loc,
                             llvm::StringRef text);

  /// Pointer to a constant array, of elements of an LLVM type.
  mlir::Value arrayConstant(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Type element,
                            mlir::DenseElementsAttr elements);
  mlir::Value wordsConstant(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<int64_t> words);

  /// The function `name`, declared if it was not there yet. Both arguments are
  /// written `EMBER_RUNTIME(ember_function)`.
  template <typename... Types>
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name,
                                 abi::Signature<Types...> signature) {
    return declare(name, signature.get(module.getContext()));
  }

private:
  /// A failure function: never returns, rarely called, reads what its
  /// arguments point to and nothing else of the program.
  template <typename... Types>
  mlir::LLVM::LLVMFuncOp declareFailure(llvm::StringRef name,
                                        abi::Signature<Types...> signature) {
    return declareFailure(name, signature.get(module.getContext()));
  }
  mlir::LLVM::LLVMFuncOp declareFailure(llvm::StringRef name,
                                        mlir::LLVM::LLVMFunctionType type);
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name,
                                 mlir::LLVM::LLVMFunctionType type);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
};

} // namespace ember

#endif // EMBER_ABI_RUNTIMECALLS_H
