//===- ScheduleText.h - Schedules as they are written -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_SCHEDULETEXT_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_SCHEDULETEXT_H

#include "Ast.h"

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// A relation, and where it and its variables are written.
struct WrittenRelation {
  RelationAttr relation;
  Position position;
  std::vector<Position> variables;
};
/// Of one statement.
using WrittenSchedule = std::vector<WrittenRelation>;

/// `reorder(i, k, j) split(j, j0, j1, 16)`, for each statement, separated as
/// statements are; failure after an error, of which the location is a column of
/// "schedule".
llvm::FailureOr<std::vector<WrittenSchedule>>
parseSchedules(llvm::StringRef text, mlir::ModuleOp functions,
               mlir::MLIRContext *context);

/// Gives a statement its schedule; failure after an error if it cannot have it.
llvm::LogicalResult setSchedule(ForallOp statement,
                                const WrittenSchedule &written);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_SCHEDULETEXT_H
