//===- LoopSyntax.h - How loops and traversals are written ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the custom assembly that loops of slc and slcv and traversal
// units of dlc have in common:
//
//   %lb to %ub step %s
//   iter_args(%acc = %init) -> (f32)
//   : index, !slc.stream<index>
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_LOOPSYNTAX_H
#define EMBER_DIALECT_SLC_IR_LOOPSYNTAX_H

#include "ember/Dialect/SLC/IR/SLC.h"

namespace ember::slc {

/// The range of a loop while it is parsed, with the mask that slcv and dlc
/// allow. Types are those of indices unless given.
class RangeSyntax {
public:
  /// `%lb to %ub step %s`
  mlir::ParseResult parseRange(mlir::OpAsmParser &parser);

  /// `mask %m`, or nothing.
  mlir::ParseResult parseOptionalMask(mlir::OpAsmParser &parser);

  /// `: type, type` or, with a mask, `: type, type, type`. Only without a mask
  /// may they be missing.
  mlir::ParseResult parseOptionalTypes(mlir::OpAsmParser &parser);

  /// Adds the bounds and the step to `operands`.
  mlir::ParseResult
  resolveRange(mlir::OpAsmParser &parser,
               llvm::SmallVectorImpl<mlir::Value> &operands) const;

  /// Adds the mask, if there is one.
  mlir::ParseResult
  resolveMask(mlir::OpAsmParser &parser,
              llvm::SmallVectorImpl<mlir::Value> &operands) const;

  bool hasMask() const { return masked; }

private:
  mlir::OpAsmParser::UnresolvedOperand lower, upper, step, mask;
  mlir::Type lowerType, upperType, maskType;
  bool masked = false;
};

/// Prints `%lb to %ub step %s`.
void printRange(mlir::OpAsmPrinter &printer, mlir::Value lower,
                mlir::Value upper, mlir::Value step);

/// Prints the types that `parseOptionalTypes` cannot know; `mask` may be null.
void printRangeTypes(mlir::OpAsmPrinter &printer, mlir::Value lower,
                     mlir::Value upper, mlir::Value mask = {});

/// Loop-carried values while they are parsed.
class IterArgsSyntax {
public:
  /// `iter_args(%a = %init, ...) -> (types)`, or nothing; adds to the result
  /// types.
  mlir::ParseResult parseOptional(mlir::OpAsmParser &parser,
                                  mlir::OperationState &result);

  /// Adds the initial values to the operands.
  mlir::ParseResult resolve(mlir::OpAsmParser &parser,
                            mlir::OperationState &result) const;

  /// The body and the attributes behind it. It takes `control`, of which the
  /// second argument is the iteration count, and the values.
  mlir::ParseResult
  parseBody(mlir::OpAsmParser &parser, mlir::OperationState &result,
            llvm::ArrayRef<mlir::OpAsmParser::Argument> control,
            bool isCounted) const;

  int32_t size() const { return static_cast<int32_t>(inits.size()); }

private:
  llvm::SmallVector<mlir::OpAsmParser::Argument> carried;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> inits;
  llvm::SMLoc loc;
};

/// Adds the loop-carried values and the body of a loop to `state`; the body
/// takes `control` in front of the values.
void buildBody(mlir::OpBuilder &builder, mlir::OperationState &state,
               mlir::TypeRange control, mlir::ValueRange iterArgs);

/// Prints ` iter_args(...) -> (...)` where `loop` carries values.
void printIterArgs(mlir::OpAsmPrinter &printer, LoopOpInterface loop);

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_IR_LOOPSYNTAX_H
