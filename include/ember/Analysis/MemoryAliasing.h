//===- MemoryAliasing.h - What a loop nest reads and may write --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which memory is read-only during a nest decides what the access unit may
// load ahead of the execute unit (Ember paper, section 6.2). The rules:
//
// - two views (subview, cast, ...) of one buffer alias;
// - distinct memref arguments of a function do not alias, unless a call in the
//   same module passes them memory that does, or its address is taken: kernels
//   check at entry that what they write overlaps nothing else;
// - memrefs of different element types do not alias, unless they are views of
//   one buffer;
// - a buffer allocated in the function aliases nothing but its views;
// - globals of different names do not alias each other; a constant one, which
//   nothing may write, aliases nothing else, and a private one no argument,
//   unless it is passed on or returned;
// - the results of one `memref.distinct_objects` do not alias each other;
// - everything else may alias.
//
// With `mayAlias`, or where the module says `ember.may_alias`, the rules about
// arguments and element types are off.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_MEMORYALIASING_H
#define EMBER_ANALYSIS_MEMORYALIASING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ember {

/// Aliasing of memrefs within the functions of one module.
class MemoryAliasing {
public:
  MemoryAliasing(mlir::ModuleOp module, bool mayAlias);

  /// As if arguments never overlapped, for hints, which may be wrong.
  static MemoryAliasing forHints(mlir::ModuleOp module);

  /// True if some element of `a` may be an element of `b`.
  bool alias(mlir::Value a, mlir::Value b) const;

private:
  /// Two arguments of a function of that name.
  using ArgumentPairs = llvm::DenseSet<
      std::pair<mlir::StringAttr, std::pair<unsigned, unsigned>>>;

  /// `seen` are pairs that are asked already.
  bool argumentsAlias(mlir::func::FuncOp func, unsigned a, unsigned b,
                      ArgumentPairs &seen) const;
  bool isIdentified(mlir::Value buffer) const;

  bool mayAlias;
  /// Globals that are constant, and others that are used by nothing but
  /// accesses of the functions that name them.
  llvm::DenseSet<mlir::StringAttr> constants, kept;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::CallOpInterface>>
      calls;
  /// Functions whose callers are not known.
  llvm::DenseSet<mlir::StringAttr> calledIndirectly;
};

/// The memory effects of the code in one operation's regions, and of functions
/// of the module that it calls.
class NestMemory {
public:
  NestMemory(mlir::Operation *root, const MemoryAliasing &aliasing);

  /// An operation whose effects are not known, null if there is none. Where
  /// there is one, nothing is read-only.
  mlir::Operation *getUnknownEffect() const { return unknown; }

  /// True if nothing in the nest stores to memory that may be `memref`'s.
  bool isReadOnly(mlir::Value memref) const {
    return !unknown && !findWriter(memref);
  }

  /// What in the nest may store to memory of `memref`; null if nothing does.
  mlir::Operation *findWriter(mlir::Value memref) const;

private:
  /// Memory that is written, and the operation of the nest that does it.
  struct Write {
    mlir::Value memref;
    mlir::Operation *by;
  };
  using Callees = llvm::SmallVectorImpl<mlir::func::FuncOp>;

  static std::optional<llvm::SmallVector<Write>>
  findWrites(mlir::Operation *root, Callees &callees,
             mlir::Operation **unknown = nullptr);
  static std::optional<llvm::SmallVector<Write>>
  findWritesOfOne(mlir::Operation *op, Callees &callees);
  static std::optional<llvm::SmallVector<Write>>
  findWrites(mlir::CallOpInterface call, Callees &callees);

  const MemoryAliasing &aliasing;
  mlir::Operation *unknown = nullptr;
  llvm::SmallVector<Write> written;
};

} // namespace ember

#endif // EMBER_ANALYSIS_MEMORYALIASING_H
