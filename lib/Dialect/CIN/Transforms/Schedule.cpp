//===- Schedule.cpp - The order of loops ----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledStatement.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "ember/Dialect/CIN/Transforms/Schedules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

namespace ember::cin {
#define GEN_PASS_DEF_SCHEDULE
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

/// Says in which order a statement's loops are.
static void sayOrder(ForallOp statement) {
  AssignOp assign = LoopChain(statement).getAssignment();
  ScheduleAttr schedule = statement.getScheduleAttr();
  if (!assign || !schedule || schedule.getOrder().empty())
    return;
  auto evaluate = statement->getParentOfType<EvaluateOp>();
  remark::passed(statement.getLoc(),
                 remark::RemarkOpts::name("Order").category("cin-schedule"))
      << evaluate.getNameOf(assign.getArray()) << " has loops over "
      << llvm::join(llvm::map_range(schedule.getOrder(),
                                    std::mem_fn(&StringAttr::getValue)),
                    ", ");
}

static LogicalResult schedule(ForallOp statement) {
  // What has several statements inside has its loops.
  if (!LoopChain(statement).getAssignment())
    return success();
  if (failed(verifyOwnReads(statement)))
    return failure();
  Location location = statement.getLoc();
  if (std::optional<ScheduleError> error = scheduleStatement(statement))
    return emitError(location) << "schedule: " << error->message;
  return success();
}

namespace {
struct Schedule : public ember::cin::impl::ScheduleBase<Schedule> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](EvaluateOp evaluate) {
      for (auto temporary : evaluate.getRegion().getOps<TemporaryOp>())
        if (!temporary.getInitial() && failed(verifyAssigned(temporary)))
          return WalkResult::interrupt();
      // Schedules make more statements.
      for (ForallOp statement :
           llvm::to_vector(evaluate.getRegion().getOps<ForallOp>()))
        if (failed(schedule(statement)))
          return WalkResult::interrupt();
      llvm::for_each(evaluate.getRegion().getOps<ForallOp>(), sayOrder);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
