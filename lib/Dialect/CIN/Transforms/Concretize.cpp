//===- Concretize.cpp - A loop for each variable --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConditionOrder.h"
#include "LoopOrder.h"
#include "ScheduledStatement.h"
#include "StatementNest.h"

#include "ember/Dialect/CIN/IR/Reuse.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_CONCRETIZE
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

namespace {
/// Makes one statement concrete, with all that it has inside.
class StatementConcretizer {
public:
  StatementConcretizer(OpBuilder &builder, ForallOp statement)
      : statement(statement), formats(statement, uses),
        nest(builder, statement, uses) {}

  /// Builds the nest in front of the statement; an error if there is none.
  LogicalResult run();

private:
  /// An error if a range depends on a loop inside, or what is appended to is in
  /// another order.
  LogicalResult verify(ForallOp forall, SmallVector<BlockArgument> around);
  /// How reductions that are values bind their variables.
  void bindReductions();
  /// Expressions in front of `op`, a statement of several, that read what it
  /// assigns to are built before it: others behind it use what was there.
  void buildReads(Operation &op);
  void emitAll(Block &block);
  void emit(ForallOp forall);
  void emit(AssignOp assign);
  void loop(BlockArgument variable, llvm::function_ref<void()> body);
  void loops(ArrayRef<BlockArgument> left, llvm::function_ref<void()> body);
  /// Loops over `order` with an assignment inside, where `conditions` hold:
  /// each is as far outside as it can be.
  void guardedLoops(ArrayRef<BlockArgument> order,
                    SmallVector<Value> conditions, AssignOp assign);

  ForallOp statement;
  VariableUses uses;
  LoopOrder formats;
  StatementNest nest;
};
} // namespace

LogicalResult StatementConcretizer::verify(ForallOp forall,
                                           SmallVector<BlockArgument> around) {
  LoopChain chain(forall);
  SmallVector<BlockArgument> order =
      ScheduledOrder(forall).sort(chain.variables);
  for (auto [number, variable] : llvm::enumerate(order)) {
    auto binding = cast<ForallOp>(variable.getOwner()->getParentOp());
    for (Value bound : {binding.getLower(variable.getArgNumber()),
                        binding.getUpper(variable.getArgNumber())})
      for (BlockArgument later : ArrayRef(order).drop_front(number))
        if (bound && uses.depends(bound, later))
          return binding.emitError()
                 << "has the loop over " << getVariableName(later)
                 << " inside of that over " << getVariableName(variable)
                 << ", whose range depends on it";
  }
  llvm::append_range(around, order);
  WalkResult walk =
      chain.body().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (auto assign = dyn_cast<AssignOp>(op))
          return verifyAppends(assign, around);
        auto inner = dyn_cast<ForallOp>(op);
        if (!inner)
          return WalkResult::advance();
        return failed(verify(inner, around)) ? WalkResult::interrupt()
                                             : WalkResult::skip();
      });
  return failure(walk.wasInterrupted());
}

void StatementConcretizer::bindReductions() {
  ScheduledOrder order(statement);
  statement.walk([&](ReduceOp reduce) {
    SmallVector<BlockArgument> mine(reduce.getVariables());
    // One that begins with its first term has an order of its own.
    if (!reduce.getOtherwise())
      mine = order.sort(mine);
    // Loops over dense arrays stay one reduction, of which the order is open.
    bool isWalked = llvm::any_of(
        mine, [&](BlockArgument variable) { return formats.walks(variable); });
    StatementNest::Steps steps;
    // Of one term, there is one loop of none.
    if (mine.empty())
      steps.emplace_back();
    for (BlockArgument variable : mine) {
      if (steps.empty() || (isWalked && !reduce.getOtherwise()))
        steps.emplace_back();
      steps.back().push_back(variable.getArgNumber());
    }
    nest.setSteps(reduce, steps);
  });
}

void StatementConcretizer::loop(BlockArgument variable,
                                llvm::function_ref<void()> body) {
  nest.loop(variable.getOwner()->getParentOp(), variable.getArgNumber(), body);
}

void StatementConcretizer::loops(ArrayRef<BlockArgument> left,
                                 llvm::function_ref<void()> body) {
  if (left.empty())
    body();
  else
    loop(left.front(), [&] { loops(left.drop_front(), body); });
}

void StatementConcretizer::buildReads(Operation &op) {
  if (isPartOfExpression(&op))
    return;
  DenseSet<Value> assigned;
  op.walk([&](AssignOp assign) { assigned.insert(assign.getArray()); });
  auto reads = [&](Operation &expression) {
    return expression
        .walk([&](AccessOp access) {
          return assigned.contains(access.getArray()) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Operation *around = &op; around != statement;
       around = around->getParentOp())
    for (Operation &before :
         llvm::make_range(around->getBlock()->begin(), Block::iterator(around)))
      if (isPartOfExpression(&before) && reads(before))
        (void)nest.get(before.getResult(0));
}

void StatementConcretizer::emitAll(Block &block) {
  for (Operation &op : block) {
    buildReads(op);
    if (auto forall = dyn_cast<ForallOp>(op))
      emit(forall);
    else if (auto assign = dyn_cast<AssignOp>(op))
      nest.guard(assign.getCondition(), [&] { emit(assign); });
    else if (auto branch = dyn_cast<IfOp>(op))
      nest.guard(branch.getCondition(),
                 [&] { emitAll(branch.getRegion().front()); });
    else if (auto where = dyn_cast<WhereOp>(op))
      nest.where(
          where, [&] { emitAll(where.getProducers().front()); },
          [&] { emitAll(where.getConsumers().front()); });
  }
}

void StatementConcretizer::emit(AssignOp assign) {
  nest.assign(assign.getCalleeAttr(), nest.get(assign.getValue()),
              assign.getArray(), assign.getIndices(), assign.getFillAttr(),
              /*condition=*/{},
              assign.getFirst() ? nest.get(assign.getFirst()) : Value());
}

void StatementConcretizer::guardedLoops(ArrayRef<BlockArgument> order,
                                        SmallVector<Value> conditions,
                                        AssignOp assign) {
  // What is appended to has an end for each value of the outer variables.
  bool isAppended = isa<ArrayType>(assign.getArray().getType());
  SmallVector<Value> outside;
  if (order.empty() || !isAppended)
    outside = takeOutside(conditions, order, uses);
  nest.guardAll(outside, [&] {
    if (order.empty())
      emit(assign);
    else
      loop(order.front(),
           [&] { guardedLoops(order.drop_front(), conditions, assign); });
  });
}

void StatementConcretizer::emit(ForallOp forall) {
  LoopChain chain(forall);
  SmallVector<BlockArgument> order =
      ScheduledOrder(forall).sort(chain.variables);
  AssignOp assign = chain.getAssignment();
  SmallVector<Value> conditions;
  if (assign)
    conditions = getConjuncts(assign.getCondition());
  auto build = [&] {
    if (assign)
      guardedLoops(order, conditions, assign);
    else
      loops(order, [&] { emitAll(chain.body()); });
  };
  // Expressions stand in the statement, those of its outermost loop, too.
  bool isStatement = forall == statement;
  SmallVector<Value> inside = conditions;
  bool isGuarded = !order.empty() && !takeOutside(inside, order, uses).empty();
  if (isStatement && (order.empty() || hasRange(order.front()) || isGuarded))
    nest.once(build);
  else
    build();
}

LogicalResult StatementConcretizer::run() {
  if (LoopChain(statement).getAssignment() && failed(verifyOwnReads(statement)))
    return failure();
  if (failed(verify(statement, {})))
    return failure();
  bindReductions();
  emit(statement);
  return success();
}

namespace {
struct Concretize : public ember::cin::impl::ConcretizeBase<Concretize> {
  void runOnOperation() override {
    SmallVector<ForallOp> statements;
    WalkResult walk = getOperation()->walk([&](EvaluateOp evaluate) {
      llvm::append_range(statements, evaluate.getRegion().getOps<ForallOp>());
      for (auto temporary : evaluate.getRegion().getOps<TemporaryOp>())
        if (!temporary.getInitial() && failed(verifyAssigned(temporary)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    OpBuilder builder(&getContext());
    for (ForallOp statement : statements) {
      Operation *before = statement->getPrevNode();
      if (failed(StatementConcretizer(builder, statement).run()))
        return signalPassFailure();
      keepSweep(statement, before);
      statement->erase();
    }
  }
};
} // namespace
