//===- Instrumentation.h - Reports to the run-time statistics ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTORING_INSTRUMENTATION_H
#define EMBER_LIB_CONVERSION_DLCTORING_INSTRUMENTATION_H

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Conversion/StreamCode/StreamCode.h"
#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember {

/// Emits what reports the accesses and pushes of one access program, under the
/// names of its units and memrefs.
class Instrumentation {
public:
  Instrumentation(dlc::ProgramOp program, llvm::StringRef name,
                  RuntimeCalls &calls);

  /// `memref` is what the access program calls the memref of `access`.
  void countAccess(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value memref, const StreamAccess &access,
                   mlir::Type element, bool isStore);
  /// `value` is what the token carries, or null; `follows` says whether it
  /// does not fit and is pushed as an operand, or is null.
  void traceToken(mlir::OpBuilder &builder, dlc::RegisterCallbackOp callback,
                  mlir::Value value, mlir::Value follows);
  void traceDone(mlir::OpBuilder &builder, mlir::Location loc);
  /// An element of `stream` has been written to `slot`.
  void traceOperand(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value stream, mlir::Value slot);

private:
  void emitToken(mlir::OpBuilder &builder, dlc::RegisterCallbackOp callback,
                 mlir::Value value);
  std::string getName(dlc::RegisterCallbackOp callback);
  std::string nameOfStream(mlir::Value stream);

  RuntimeCalls &calls;
  std::string programName;
  llvm::DenseMap<mlir::Value, std::string> unitNames;
  /// Of callbacks by their tokens.
  llvm::DenseMap<int64_t, std::string> points;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTORING_INSTRUMENTATION_H
