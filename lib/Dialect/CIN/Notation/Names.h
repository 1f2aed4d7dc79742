//===- Names.h - What the names of a notation are ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_NAMES_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_NAMES_H

#include "Ast.h"

#include "ember/Dialect/CIN/Notation/Notation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace ember::cin {

/// An array or, without indices, a scalar.
struct NamedArray {
  /// The rank of what has been asked for its size alone so far.
  static constexpr size_t unknownRank = SIZE_MAX;

  Position position;
  size_t rank = 0;
  /// Some statement assigns to it.
  bool isTarget = false;
  /// Only the statements know it.
  bool isTemporary = false;
  /// It is an index of something, or a bound of a variable.
  bool isIndex = false;
  /// It is stored without gaps.
  bool isCompact = false;
  /// Some variable ranges over what it stores.
  bool isRange = false;
  mlir::Type element = {};
  /// Its sizes, where they are known; of arrays that are dense in memory.
  llvm::SmallVector<int64_t> shape = {};
  /// Its rows may lie apart in memory, in any order.
  bool isStrided = false;
  /// How it is stored, of elements and arrays of what type; null if it is dense
  /// in memory.
  mlir::Type format = {};
  mlir::Type index = {};
  /// What a temporary that is dense in memory holds at first; null if that
  /// follows from its statements.
  mlir::TypedAttr initial = {};

  bool isScalar() const { return rank == 0 && !isTarget; }
};

/// Arrays by name, in the order in which they are named. Names are those of the
/// statements.
using NamedArrays = llvm::MapVector<llvm::StringRef, NamedArray>;

/// The variables of a statement: names that are an index by themselves, or that
/// have a range.
llvm::StringSet<> findVariables(const Statement &statement);

/// The arrays and scalars of all statements, with their types; failure after an
/// error.
llvm::FailureOr<NamedArrays> findArrays(llvm::ArrayRef<Statement> statements,
                                        const NotationOptions &options,
                                        mlir::MLIRContext *context);

/// Enters the sizes that are known of arrays, and of what is assigned to where
/// these decide it; failure after an error.
llvm::LogicalResult setSizes(NamedArrays &arrays,
                             llvm::ArrayRef<Statement> statements,
                             const NotationOptions &options,
                             mlir::MLIRContext *context);

/// Calls `visit` for `expression` and all that is in it, bindings too.
/// `isIndex` says whether it is a part of an index or of a bound.
void walkExpressions(
    const Expression &expression,
    llvm::function_ref<void(const Expression &, bool isIndex)> visit,
    bool isIndex = false);

/// The same for all expressions of a statement, its target first.
void walkStatement(
    const Statement &statement,
    llvm::function_ref<void(const Expression &, bool isIndex)> visit);

/// The names of `variables` that `expression` depends on, but for those that a
/// reduction in it binds, in the order in which they are named.
llvm::SmallVector<std::string>
findFreeVariables(const Expression &expression,
                  const llvm::StringSet<> &variables);

/// Whether a variable is a part of an index: of `x[i] + x[i + 1]` there are
/// fewer positions than of `x`.
bool isShifted(const Statement &statement, llvm::StringRef variable,
               const llvm::StringSet<> &variables);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_NAMES_H
