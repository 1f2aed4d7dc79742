//===- Ember.h - What passes tell each other --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_IR_EMBER_H
#define EMBER_DIALECT_EMBER_IR_EMBER_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember {

/// What a failure changes: nothing that any memref shows.
struct FailureResource : mlir::SideEffects::Resource::Base<FailureResource> {
  llvm::StringRef getName() final { return "failure"; }
};

/// What engines beside a core know.
struct EngineResource : mlir::SideEffects::Resource::Base<EngineResource> {
  llvm::StringRef getName() final { return "engine"; }
};

// The names of the attributes, in the order of the dialect's description.
constexpr llvm::StringLiteral nameAttr = "ember.name";
constexpr llvm::StringLiteral messageNameAttr = "ember.message_name";
constexpr llvm::StringLiteral sizesAttr = "ember.sizes";
constexpr llvm::StringLiteral initialAttr = "ember.initial";
constexpr llvm::StringLiteral givenAttr = "ember.given";
constexpr llvm::StringLiteral noaliasAttr = "ember.noalias";
constexpr llvm::StringLiteral writtenArgumentsAttr = "ember.written_arguments";
constexpr llvm::StringLiteral segmentAttr = "ember.segment";
constexpr llvm::StringLiteral boundsAttr = "ember.bounds";
constexpr llvm::StringLiteral rowsAttr = "ember.rows";
constexpr llvm::StringLiteral independentAttr = "ember.independent";
constexpr llvm::StringLiteral groupAttr = "ember.group";
constexpr llvm::StringLiteral piecesAttr = "ember.pieces";
constexpr llvm::StringLiteral scratchAttr = "ember.scratch";
constexpr llvm::StringLiteral cacheLevelAttr = "ember.cache_level";
constexpr llvm::StringLiteral targetAttr = "ember.target";
constexpr llvm::StringLiteral mayAliasAttr = "ember.may_alias";
constexpr llvm::StringLiteral decisionsAttr = "ember.decisions";

/// The generic target: what is taken of a processor that does not say.
struct GenericTarget {
  static constexpr int64_t vectorBits = 128;
  static constexpr int64_t vectorRegisters = 16;
  static constexpr int64_t cacheLineBytes = 64;
  static constexpr int64_t secondCacheBytes = int64_t(1) << 20;
  /// The number of recent processors for servers.
  static constexpr int64_t outstandingLines = 48;
  /// The entries of Intel's cores for lines that their first cache waits for.
  static constexpr int64_t firstCacheLines = 16;
};

} // namespace ember

#include "ember/Dialect/Ember/IR/EmberDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Ember/IR/EmberAttributes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Ember/IR/EmberOps.h.inc"

namespace ember {

/// Whether `op` ends the program.
inline bool isFailure(mlir::Operation *op) {
  return llvm::isa<FailWithMessageOp, FailIndexOp, FailSegmentOp>(op);
}

} // namespace ember

#endif // EMBER_DIALECT_EMBER_IR_EMBER_H
