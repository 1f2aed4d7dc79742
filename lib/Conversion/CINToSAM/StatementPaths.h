//===- StatementPaths.h - What a statement is as paths ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement as its graph is made of it: variables in an order, each with the
// accesses in its scope, and for each access the path of variables through the
// levels of its tensor.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSAM_STATEMENTPATHS_H
#define EMBER_LIB_CONVERSION_CINTOSAM_STATEMENTPATHS_H

#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "ember/Dialect/SAM/IR/SAM.h"

#include "llvm/ADT/SmallBitVector.h"

namespace ember {

/// An access, or several that are the same in the same scopes.
struct AccessPath {
  llvm::SmallVector<cin::AccessOp> accesses;
  mlir::Value array;
  sam::TensorFormat format;
  /// The variable of each level, by number.
  llvm::SmallVector<unsigned> variables;
  /// The variables that it is in the scope of.
  llvm::SmallBitVector scopes;

  /// The level that a variable is an index of; none if it is of none.
  std::optional<unsigned> findLevel(unsigned variable) const;
  /// Whether the levels around a level of the outermost dense ones are located
  /// in another order than that of levels.
  bool isStrided(unsigned level, llvm::ArrayRef<unsigned> places) const;
  /// Whether each level is found from those above it.
  bool isFound(llvm::ArrayRef<unsigned> places) const;
  /// Whether levels can be written as loops come to them.
  bool isInOrder(llvm::ArrayRef<unsigned> places) const;
};

struct StatementVariable {
  mlir::BlockArgument argument;
  std::string name;
  /// What combines its values; null for one of the result.
  cin::ReduceOp reduce;
  /// The accesses in its scope, by number.
  llvm::SmallBitVector accesses;
  /// Whether intersecters tell scanners what they need next.
  bool gallops = false;
  /// How many coordinates a word of bits has, by which sides are joined; none
  /// if they are joined by coordinates.
  std::optional<unsigned> width = std::nullopt;
};

struct StatementPaths {
  cin::EvaluateOp evaluate;
  cin::ForallOp statement;
  cin::AssignOp assign;
  llvm::SmallVector<StatementVariable> variables;
  std::vector<AccessPath> accesses;
  /// What is assigned to; of scopes it is in those of the result's variables.
  AccessPath result;
  /// What the graph calls it; not what it calls the same array where it is
  /// read.
  mlir::Value resultTensor;
  /// Variables, the outermost loop first.
  llvm::SmallVector<unsigned> order;
  /// Where each variable is in that.
  llvm::SmallVector<unsigned> places;
  /// Reduced variables of which each coordinate is visited, and there has to be
  /// one: otherwise values would be missing.
  llvm::SmallBitVector required;

  /// The path that an access is of.
  const AccessPath &getPath(cin::AccessOp access) const;
  std::string getName(mlir::Value array) { return evaluate.getNameOf(array); }
  /// Reductions in the scope of a variable that have a loop around its own,
  /// where variables are in those `places`.
  llvm::SmallVector<cin::ReduceOp>
  findReductionsAround(unsigned variable,
                       llvm::ArrayRef<unsigned> places) const;
  /// The reduced variables that are `required`, where variables are in those
  /// `places`.
  llvm::SmallBitVector findRequired(llvm::ArrayRef<unsigned> places) const;
};

/// The type that an array of a statement has as a tensor.
mlir::Type getTensorType(mlir::Value array);

/// The paths of the one statement in `evaluate`, after an error if a graph
/// cannot be made of it.
llvm::FailureOr<StatementPaths> collectPaths(cin::EvaluateOp evaluate);
/// Orders the variables, as `names` say or as formats allow, after an error
/// if they do not. What `transposes` would mend is none.
llvm::LogicalResult orderVariables(StatementPaths &paths,
                                   llvm::ArrayRef<std::string> names,
                                   bool transposes);
/// The same for an order of variables that is known.
llvm::LogicalResult keepOrder(StatementPaths &paths,
                              llvm::ArrayRef<unsigned> order);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_CINTOSAM_STATEMENTPATHS_H
