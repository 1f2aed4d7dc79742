//===- ComputeProgram.h - The compute program as a loop ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTORING_COMPUTEPROGRAM_H
#define EMBER_LIB_CONVERSION_DLCTORING_COMPUTEPROGRAM_H

#include "Rings.h"

#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/IR/IRMapping.h"

namespace ember {

/// Emits the compute region of a verified `dlc.program`, with its
/// `dlc.compute_loop` as a loop that pops tokens and runs the case of each.
class ComputeProgram {
public:
  /// `values` maps what the program captures and uses here.
  ComputeProgram(dlc::ProgramOp program, mlir::IRMapping &values, Rings rings)
      : body(program.getComputeBody()), loop(program.getComputeLoop()),
        values(values), rings(rings) {}

  /// Emits the program; returns its results.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &builder);

private:
  /// Emits the loop over tokens; returns the last values of its registers.
  llvm::SmallVector<mlir::Value> emitLoop(mlir::OpBuilder &builder);
  /// Emits the case of the token `id` with `body`.
  void emitCase(mlir::OpBuilder &builder, int64_t id, mlir::Region &body,
                mlir::Value token, mlir::ValueRange registers);
  void emitCases(mlir::OpBuilder &builder, mlir::Value token,
                 mlir::ValueRange registers);
  /// Pops an operand of the current case.
  mlir::Value popElement(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type);
  void emitNoCase(mlir::OpBuilder &builder, mlir::ValueRange registers);
  void emitLikelyCases(mlir::OpBuilder &builder, mlir::Value id,
                       mlir::Value token, mlir::ValueRange registers);
  mlir::Value expect(mlir::OpBuilder &builder, mlir::Value condition,
                     double probability);
  double getTotalWeight() const;
  mlir::Value readTokenValue(mlir::OpBuilder &builder, dlc::TokenValueOp read,
                             mlir::Value token);
  void lowerPops(mlir::Block &body);
  bool popWhereLoaded(dlc::PopOperandOp buffer);
  void popIntoMemory(dlc::PopOperandOp buffer);
  mlir::Value allocateBuffer(dlc::PopOperandOp pop);

  mlir::Block *body;
  dlc::ComputeLoopOp loop;
  mlir::IRMapping &values;
  Rings rings;
  /// The token of the case that is being emitted.
  int64_t currentToken = 0;
  /// The loop over tokens.
  mlir::Operation *tokens = nullptr;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTORING_COMPUTEPROGRAM_H
