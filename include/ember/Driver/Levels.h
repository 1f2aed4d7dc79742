//===- Levels.h - The table of levels and stages ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation takes a program from stage to stage. Those up to native code
// are programs, each at one of the levels; a program may be given at any of
// them. A new level is a row of the table in Levels.cpp beside its pipeline:
// command lines, their errors and --help, and Python follow it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_LEVELS_H
#define EMBER_DRIVER_LEVELS_H

#include "ember/Target/Native/CodeGen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include <optional>

namespace ember {

struct CompileOptions;

/// A row of the table.
struct Stage {
  /// Of --emit.
  llvm::StringRef name;
  llvm::StringRef summary;
  /// What Python's pages and `ember.show` call it, where not by `name`.
  llvm::StringRef shownAs = {};
  /// Another name there.
  llvm::StringRef alias = {};
  /// The level that a program of this stage is at; empty for what is no
  /// program any more.
  llvm::StringRef level = {};
  /// The stage it is made from; empty for the first one, and for native code,
  /// which is made from the target's.
  llvm::StringRef from = {};
  /// Adds the passes from there to here. The module is what compilation starts
  /// with.
  void (*addPasses)(mlir::OpPassManager &, mlir::ModuleOp,
                    const CompileOptions &) = nullptr;
  /// Whether an operation of this dialect puts a function at this level.
  bool (*hasDialect)(const mlir::Dialect *) = nullptr;
  /// Whose operations are in programs of this level, too.
  llvm::StringRef includes = {};
  /// Access and compute are apart: streams can be told.
  bool isDecoupled = false;
  /// The stage whose programs it describes, which are no code either; empty for
  /// all else.
  llvm::StringRef describes = {};
  /// Writes that description.
  llvm::Expected<std::string> (*describe)(mlir::ModuleOp) = nullptr;
  /// What native code is written as; nothing for programs and libraries.
  std::optional<native::CodeFormat> format = std::nullopt;
  /// Needs a file.
  bool isBinary = false;

  bool isProgram() const { return !level.empty(); }
  /// True for a kernel library with its manifest, of several files.
  bool isLibrary() const { return !isProgram() && !format && !describe; }
};

/// All stages, in the order that command lines and pages list them in.
llvm::ArrayRef<Stage> getStages();

/// The stage of that name, or null.
const Stage *findStage(llvm::StringRef name);

/// The stage of loops over memrefs: the first one that kernels' arguments
/// stand in, and where decoupling starts.
const Stage &getLoopStage();

/// The level of `function`: that of the stage whose dialect it has operations
/// of, "mixed" where some loops of it are at another level than the rest, and
/// that of loops otherwise.
llvm::StringRef getLevel(mlir::func::FuncOp function);

} // namespace ember

#endif // EMBER_DRIVER_LEVELS_H
