//===- Ring.h - The ring dialect --------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_RING_IR_RING_H
#define EMBER_DIALECT_RING_IR_RING_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/Ring/IR/RingDialect.h.inc"
#include "ember/Dialect/Ring/IR/RingEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Ring/IR/RingAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/Ring/IR/RingTypes.h.inc"

namespace ember::ring {

/// True for data rings and token rings.
bool isRing(mlir::Type type);

/// The bits of a word: of a token, and of what a token carries at the most.
constexpr int64_t wordBits = 64;

/// The bits of an index, an integer or a float.
int64_t getValueBits(mlir::Type type);

/// True for operations of half a program; those around both are of none.
bool isOfHalf(mlir::Operation *op);

/// True if values of `type` can stand in a data ring.
bool isOperandType(mlir::Type type);

/// True for masks, which stand in a slot as one bit a lane.
bool isMask(mlir::Type type);

/// Bits of one lane of `type` in a slot: its width rounded up to a power of two
/// of at least a byte, or a single bit in masks.
int64_t getLaneBits(mlir::Type type);

/// What an operand of `type` takes in a data ring, a multiple of `slotBytes`.
int64_t getOperandBytes(mlir::Type type);

/// Slots are aligned to this, whatever stands before them.
constexpr int64_t slotBytes = 8;

/// The rings, as what operations have an effect on.
struct RingResource : public mlir::SideEffects::Resource::Base<RingResource> {
  llvm::StringRef getName() final { return "Rings"; }
};

/// Verifies that `op` stands in a function that is this half.
llvm::LogicalResult verifyStandsIn(mlir::Operation *op, Half half);

/// An operation that only the access half has.
template <typename Op>
class OfAccessHalf : public mlir::OpTrait::TraitBase<Op, OfAccessHalf> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyStandsIn(op, Half::access);
  }
};

/// An operation that only the compute half has.
template <typename Op>
class OfComputeHalf : public mlir::OpTrait::TraitBase<Op, OfComputeHalf> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyStandsIn(op, Half::compute);
  }
};

} // namespace ember::ring

#define GET_OP_CLASSES
#include "ember/Dialect/Ring/IR/RingOps.h.inc"

namespace ember::ring {

/// Verifies how a function that is one half uses its rings, as the dialect
/// describes.
llvm::LogicalResult verifyProtocol(mlir::Operation *function, Half half);

/// Verifies that the compute half of `run` waits for the operands that the
/// access half pushes, token by token, as far as both can be seen.
llvm::LogicalResult verifyBalance(RunOp run, mlir::Operation *access,
                                  mlir::Operation *compute);

} // namespace ember::ring

#endif // EMBER_DIALECT_RING_IR_RING_H
