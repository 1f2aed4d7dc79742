//===- Instrumentation.h - Reports to the run-time statistics ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOLLVM_INSTRUMENTATION_H
#define EMBER_LIB_CONVERSION_DLCTOLLVM_INSTRUMENTATION_H

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Target/Native/RuntimeCalls.h"

namespace ember {

/// Emits calls that report the loads and pushes of one access program, under
/// the names of its units and memrefs.
class Instrumentation {
public:
  Instrumentation(dlc::ConfigAccessOp access, native::RuntimeCalls &calls);

  void countLoad(mlir::OpBuilder &builder, dlc::MemStrOp load,
                 mlir::Value mask);
  void traceToken(mlir::OpBuilder &builder, dlc::RegisterCallbackOp callback);
  void traceDone(mlir::OpBuilder &builder, mlir::Location loc);
  /// The operand has been written to `slot`.
  void traceOperand(mlir::OpBuilder &builder, dlc::RegisterOperandOp operand,
                    mlir::Value slot);

private:
  void emitToken(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::StringRef name, int64_t id);
  std::string nameOfStream(mlir::Value stream);

  native::RuntimeCalls &calls;
  llvm::DenseMap<mlir::Value, std::string> unitNames;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTOLLVM_INSTRUMENTATION_H
