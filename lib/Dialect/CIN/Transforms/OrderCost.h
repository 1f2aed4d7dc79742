//===- OrderCost.h - What an order of loops costs ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected visits of the loops of a statement: how many coordinates of a level
// are stored follows from sizes and densities, and how many of them a loop
// visits from the statement's values, as for its iteration. Where nothing is
// said of an array, it is looked at in several sizes, so that an order that
// grows faster than others is found out.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ORDERCOST_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ORDERCOST_H

#include "ScheduledStatement.h"
#include "StatementNest.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"

#include <map>

namespace ember::cin {

/// What is assumed where nothing is known.
struct Scenario {
  /// Of each variable.
  double extent;
  /// What is stored for each coordinate of the first dimension.
  double stored;
  /// How many more statements are asked what they store.
  unsigned depth = 8;
};

class OrderCost {
public:
  OrderCost(ForallOp statement, AssignOp assign,
            llvm::ArrayRef<mlir::BlockArgument> variables, VariableUses &uses,
            Scenario scenario);

  /// In visits of an innermost loop. Infinite for what cannot be run.
  double estimate(const ScheduledOrder &order);
  /// What an order costs beside, of a statement on dense arrays at its
  /// variables alone: elements that are read which no loop inside has left in a
  /// cache near the processor.
  double estimateTraffic(const ScheduledOrder &order);
  /// What part of its elements the statement assigns to in an order.
  double estimateDensity(const ScheduledOrder &order);
  /// The same of making a copy that the statement reads.
  double estimateCopy(mlir::Value copy);
  /// Whether anything is assumed of sizes and densities.
  bool isGuess() const { return guesses; }
  /// How many values a variable has.
  double getExtent(mlir::BlockArgument variable);
  /// How many coordinates the last level of an array in a format has below one
  /// position of the level above, and how many such positions there are.
  double getRowLength(AccessOp access);
  double getRows(AccessOp access);

private:
  /// A loop of a nest, and how much of a dimension it visits.
  struct Nest;
  /// An access to an array in a format, and what is known of it.
  struct Stored {
    AccessOp access;
    llvm::SmallVector<mlir::Value> coordinates;
    /// By level: the probability that a coordinate is stored, whatever is
    /// above.
    llvm::SmallVector<double> stored;
    /// By level.
    llvm::SmallVector<double> sizes;
  };

  const Stored &find(AccessOp access) const;
  double getDensity(ArrayType type, mlir::Value array);
  /// Adds the loops over `variables` to `nest`: their cost is returned, and
  /// that of what they look for. `scope` is what is computed inside, and skips
  /// what `reduce`, or the statement for null, does not need.
  double enter(Nest &nest, llvm::ArrayRef<mlir::BlockArgument> variables,
               ReduceOp reduce, const ScheduledOrder &order);
  /// The part of a dimension of size `extent` that a loop visits, and what
  /// walking it costs for each of its coordinates.
  std::pair<double, double> visit(llvm::ArrayRef<Fiber> fibers,
                                  llvm::ArrayRef<double> parts, double extent,
                                  ReduceOp reduce);
  /// Adds `terms` up in rows of what is appended to, `times` rows, and walks
  /// what is there: the cost, and how much is kept. Where an array says what is
  /// needed of a row, that is all.
  std::pair<double, double> append(llvm::ArrayRef<ReduceOp> added,
                                   llvm::ArrayRef<mlir::BlockArgument> rows,
                                   double times, double terms);
  /// Whether elements are found far from each other in a loop over `variable`.
  bool isScattered(mlir::BlockArgument variable, mlir::Operation *scope);

  ForallOp statement;
  AssignOp assign;
  llvm::SmallVector<mlir::BlockArgument> variables;
  VariableUses &uses;
  Scenario scenario;
  bool guesses = false;
  /// How many elements the last order that was estimated assigns to.
  double assigned = 0;
  llvm::SmallVector<Stored> accesses;
  llvm::DenseMap<mlir::Value, double> extents;
  /// By fibers and what skips: regions that are visited.
  std::map<
      std::pair<mlir::Operation *, std::vector<std::pair<void *, unsigned>>>,
      std::vector<bool>>
      visited;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ORDERCOST_H
