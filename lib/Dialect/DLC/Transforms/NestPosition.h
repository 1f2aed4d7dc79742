//===- NestPosition.h - Where in a nest a token is pushed -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_TRANSFORMS_NESTPOSITION_H
#define EMBER_LIB_DIALECT_DLC_TRANSFORMS_NESTPOSITION_H

#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/IR/IRMapping.h"
#include <optional>

namespace ember::dlc {

/// True if `unit` iterates equally often each time, one element at a time, and
/// how often is known before the programs start.
bool iteratesAlike(NewTUOp unit);

/// The iterations in which a callback pushes its token.
struct Pushes {
  /// None if they depend on data.
  static std::optional<Pushes> of(RegisterCallbackOp callback);

  /// Once in each iteration of this unit; null if there is none around.
  NewTUOp each;
  /// There, in the first iteration of a traversal of this unit, if it has any;
  /// null if the token is pushed in any case.
  NewTUOp first;
};

/// Works out in the execute unit which iteration of a nest a token is from,
/// where how often units iterate is known before the programs start: the tokens
/// of a callback are counted, outer units whenever inner ones are through.
class NestPosition {
public:
  NestPosition(ProgramOp program, Pushes pushes)
      : program(program), pushes(pushes) {}

  /// True if the execute unit can compute the scalar `stream`, which then
  /// counts what it needs.
  bool request(mlir::Value stream);
  /// The number of registers for what is requested, each of type index, zero at
  /// the beginning.
  unsigned getNumRegisters() const { return outermost; }
  /// Starts using the last registers among `arguments`.
  void begin(mlir::ValueRange arguments);
  /// The element of `stream`, which was requested.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Value stream);
  /// The registers for the next token. `before` is a place before the loop over
  /// tokens.
  llvm::SmallVector<mlir::Value> emitNext(mlir::OpBuilder &builder,
                                          mlir::OpBuilder &before);

private:
  std::optional<unsigned> getDepth(mlir::Value stream) const;
  std::optional<unsigned> getUnitDepth(NewTUOp unit) const;

  ProgramOp program;
  Pushes pushes;
  /// How many units are counted, from the innermost one outwards.
  unsigned outermost = 0;
  llvm::SmallVector<mlir::Value> counters;
  mlir::IRMapping elements;
};

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_TRANSFORMS_NESTPOSITION_H
