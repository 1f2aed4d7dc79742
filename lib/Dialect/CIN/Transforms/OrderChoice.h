//===- OrderChoice.h - Orders of loops, and the best of them ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ORDERCHOICE_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ORDERCHOICE_H

#include "LoopOrder.h"
#include "ScheduledStatement.h"

namespace ember::cin {

/// The orders that the loops of a statement may stand in.
class OrderChoice {
public:
  using Order = llvm::SmallVector<mlir::BlockArgument>;

  OrderChoice(ForallOp statement, AssignOp assign,
              llvm::ArrayRef<mlir::BlockArgument> variables);

  /// Leaves those orders alone that `isWanted` holds for; false, and nothing
  /// changes, if there is none.
  bool restrict(llvm::function_ref<bool(const Order &)> isWanted);
  /// The same for orders that have some variables in this order, which is added
  /// to those that are known if none has.
  bool restrictTo(llvm::ArrayRef<mlir::BlockArgument> listed);
  /// The variables whose sums are added up together in an order.
  Order getRows(const Order &order);
  /// Whether there is an order that is legal.
  bool hasAny() const { return !orders.empty(); }
  /// The best that is left.
  Order choose();
  /// What an order costs, and copies that are made for it, in each of several
  /// scenarios.
  llvm::SmallVector<double> getCosts(const Order &order,
                                     llvm::ArrayRef<mlir::Value> copies);

  /// Accesses of the innermost loop that are faster looked up than merged.
  llvm::SmallVector<AccessOp> findLookups(const Order &order);

  /// What a better choice has to win over what is there without it, where
  /// sizes and densities are assumed.
  static constexpr double gain = 2;
  /// The same with what is known.
  double getGain();

private:
  /// How many are looked at, at most.
  size_t getMost() const;
  bool isLegal(const Order &order);
  /// Whether a loop walks a row of an array that a condition may exclude, which
  /// in this order is known in a loop inside.
  bool walksUnguarded(const Order &order);
  bool walksUnguarded(const Order &order, mlir::Operation *scope,
                      llvm::ArrayRef<mlir::Value> conditions);
  /// Whether a sum may be kept in the result itself, for any order.
  bool addsToResult();
  void addAll(Order &order, llvm::ArrayRef<mlir::BlockArgument> left);

  ForallOp statement;
  AssignOp assign;
  llvm::SmallVector<mlir::BlockArgument> variables;
  VariableUses uses;
  LoopOrder formats;
  /// The first one is that which formats and rows ask for, if it is left.
  std::vector<Order> orders;
  Order first;
  /// Whether the first one is for blocks that are looked up.
  bool isForBlocks = false;
};

/// The order that formats and rows ask for.
llvm::SmallVector<mlir::BlockArgument>
findNaturalOrder(ForallOp statement, AssignOp assign,
                 llvm::ArrayRef<mlir::BlockArgument> variables);

/// The order of a statement's variables in which blocks of rows that it looks
/// up are read while they are near; none if there are no such blocks.
std::optional<OrderChoice::Order>
findBlockOrder(ForallOp statement, AssignOp assign,
               llvm::ArrayRef<mlir::BlockArgument> order);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ORDERCHOICE_H
