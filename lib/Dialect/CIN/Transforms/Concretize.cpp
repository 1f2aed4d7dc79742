//===- Concretize.cpp - Loops, their order, and where reductions add up ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementNest.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_CONCRETIZE
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

/// The only assignment of a statement that is not concrete yet; null for one
/// that is, which has several statements inside. `loops` are those around it:
/// ranges of inner ones depend on variables of outer ones.
static AssignOp getAssignment(ForallOp statement,
                              SmallVectorImpl<ForallOp> &loops) {
  loops.push_back(statement);
  auto isExpression = [](Operation &op) {
    return isa<AccessOp, ApplyOp, CallOp, ExtentOp, LiteralOp, ReduceOp>(op);
  };
  Block &body = *statement.getBody();
  if (body.empty() || !llvm::all_of(llvm::drop_end(body), isExpression))
    return nullptr;
  if (auto inner = dyn_cast<ForallOp>(body.back()))
    return getAssignment(inner, loops);
  return dyn_cast<AssignOp>(body.back());
}

namespace {
/// Makes one statement concrete.
class StatementConcretizer {
public:
  StatementConcretizer(OpBuilder &builder, ArrayRef<ForallOp> around,
                       AssignOp assign)
      : statement(around.front()), assign(assign),
        nest(builder, statement, uses) {
    for (ForallOp forall : around)
      llvm::append_range(variables, forall.getVariables());
  }

  /// Builds the nest in front of the statement.
  void run();

private:
  /// Chooses the variable of rows, if there is one.
  void chooseRows();
  /// Whether an index is a variable of rows wherever it is an index: the last
  /// one, and in no bounds of a reduction.
  bool isOfRows(BlockArgument variable);
  /// Reductions that `value` is made of, outer ones alone, whose terms are
  /// elements of rows.
  SmallVector<ReduceOp> findRowReductions(ValueRange values);

  /// Loops over all variables of the statement but those of rows.
  void loops(ArrayRef<BlockArgument> left, llvm::function_ref<void()> body);
  void loop(BlockArgument variable, llvm::function_ref<void()> body) {
    nest.loop(variable.getOwner()->getParentOp(), variable.getArgNumber(),
              body);
  }
  void store();
  /// Adds up in the array that is assigned to.
  void storeRows(ReduceOp reduce);
  /// Adds up `reductions` from `number` on in workspaces, which `consume` uses.
  void useWorkspaces(ArrayRef<ReduceOp> reductions,
                     llvm::function_ref<void()> consume);
  /// Loops over what is reduced around a loop over rows.
  void reduceRows(ReduceOp reduce, BuiltinAttr function, Value array,
                  ValueRange indices);
  void rowLoop(llvm::function_ref<void()> body) { loop(row, body); }
  /// Whether a sum can be added up in the array that is assigned to.
  bool isDirect(ReduceOp reduce);
  /// A loop over rows with what `body` makes of `values`, under a condition,
  /// null for none.
  void guardRows(Value condition, ValueRange values,
                 llvm::function_ref<void()> body);
  void identity(ReduceOp reduce, Value array, ValueRange indices);

  ForallOp statement;
  AssignOp assign;
  SmallVector<BlockArgument> variables;
  VariableUses uses;
  StatementNest nest;
  BlockArgument row;
};
} // namespace

/// Whether a variable of a statement has a range.
static bool hasRange(BlockArgument variable) {
  auto binding = cast<ForallOp>(variable.getOwner()->getParentOp());
  return binding.getRanged()[variable.getArgNumber()];
}

bool StatementConcretizer::isOfRows(BlockArgument variable) {
  for (OpOperand &use : variable.getUses()) {
    Operation *user = use.getOwner();
    if (!isa<AccessOp, AssignOp>(user))
      return false;
    OperandRange indices = isa<AccessOp>(user)
                               ? cast<AccessOp>(user).getIndices()
                               : cast<AssignOp>(user).getIndices();
    if (use.getOperandNumber() + 1 !=
        indices.getBeginOperandIndex() + indices.size())
      return false;
  }
  return !hasRange(variable);
}

SmallVector<ReduceOp>
StatementConcretizer::findRowReductions(ValueRange values) {
  SmallVector<ReduceOp> found;
  if (!row)
    return found;
  SmallVector<Value> open(values);
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || !uses.depends(value, row))
      continue;
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isBounded =
        reduce && llvm::none_of(op->getOperands(), [&](Value bound) {
          return uses.depends(bound, row);
        });
    if (isBounded)
      found.push_back(reduce);
    else if (!reduce)
      llvm::append_range(open, op->getOperands());
  }
  return found;
}

void StatementConcretizer::chooseRows() {
  if (variables.empty() || !isOfRows(variables.back()))
    return;
  row = variables.back();
  if (findRowReductions(assign->getOperands()).empty())
    row = nullptr;
}

void StatementConcretizer::loops(ArrayRef<BlockArgument> left,
                                 llvm::function_ref<void()> body) {
  if (left.empty())
    body();
  else
    loop(left.front(), [&] { loops(left.drop_front(), body); });
}

bool StatementConcretizer::isDirect(ReduceOp reduce) {
  std::optional<BuiltinAttr> function = assign.getFunction();
  if (assign.getValue() != reduce ||
      (function && *function != reduce.getFunction()))
    return false;
  // Nothing else may see what is not yet the sum.
  Value array = assign.getArray();
  return llvm::none_of(array.getUsers(), [&](Operation *user) {
    return isa<AccessOp>(user) && statement->isProperAncestor(user);
  });
}

void StatementConcretizer::identity(ReduceOp reduce, Value array,
                                    ValueRange indices) {
  rowLoop([&] {
    Constant identity = reduce.getFunction()->identity->value;
    nest.assign(nullptr, nest.literal(getConstant(identity, reduce.getType())),
                array, indices);
  });
}

void StatementConcretizer::reduceRows(ReduceOp reduce, BuiltinAttr function,
                                      Value array, ValueRange indices) {
  YieldOp yield = reduce.getYield();
  auto add = [&] {
    guardRows(yield.getCondition(), yield.getOperands(), [&] {
      nest.assign(function, nest.get(yield.getValue()), array, indices);
    });
  };
  auto addAll = [&](auto &self, unsigned position) -> void {
    if (position == reduce.getVariables().size())
      add();
    else
      nest.loop(reduce, position, [&] { self(self, position + 1); });
  };
  addAll(addAll, 0);
}

void StatementConcretizer::useWorkspaces(ArrayRef<ReduceOp> reductions,
                                         llvm::function_ref<void()> consume) {
  if (reductions.empty()) {
    consume();
    return;
  }
  ReduceOp reduce = reductions.front();
  Value index = row;
  nest.where(
      reduce.getType(), row,
      [&](Value workspace) {
        identity(reduce, workspace, index);
        reduceRows(reduce, reduce.getFunctionAttr(), workspace, index);
      },
      [&](Value workspace) {
        nest.replace(reduce, workspace, row);
        useWorkspaces(reductions.drop_front(), consume);
      });
}

void StatementConcretizer::storeRows(ReduceOp reduce) {
  Value array = assign.getArray();
  if (!assign.getFunction())
    identity(reduce, array, assign.getIndices());
  reduceRows(reduce, reduce.getFunctionAttr(), array, assign.getIndices());
}

void StatementConcretizer::guardRows(Value condition, ValueRange values,
                                     llvm::function_ref<void()> body) {
  bool isOfRow = condition && uses.depends(condition, row);
  nest.guard(isOfRow ? Value() : condition, [&] {
    useWorkspaces(findRowReductions(values), [&] {
      rowLoop([&] { nest.guard(isOfRow ? condition : Value(), body); });
    });
  });
}

void StatementConcretizer::store() {
  Value condition = assign.getCondition();
  auto assignElement = [&] {
    nest.assign(assign.getFunctionAttr(), nest.get(assign.getValue()),
                assign.getArray(), assign.getIndices());
  };
  if (!row) {
    nest.guard(condition, assignElement);
    return;
  }
  SmallVector<ReduceOp> reductions = findRowReductions(assign->getOperands());
  bool isOfRow = condition && uses.depends(condition, row);
  if (!isOfRow && reductions.size() == 1 && isDirect(reductions.front()))
    nest.guard(condition, [&] { storeRows(reductions.front()); });
  else
    guardRows(condition, assign->getOperands(), assignElement);
}

void StatementConcretizer::run() {
  chooseRows();
  ArrayRef<BlockArgument> outer = ArrayRef(variables).drop_back(row ? 1 : 0);
  // Bounds of the outermost loop stand in the statement, too.
  bool isRanged = !outer.empty() && hasRange(outer.front());
  if (isRanged)
    nest.once([&] { loops(outer, [&] { store(); }); });
  else if (outer.empty())
    nest.once([&] { store(); });
  else
    loops(outer, [&] { store(); });
}

namespace {
struct Concretize : public ember::cin::impl::ConcretizeBase<Concretize> {
  void runOnOperation() override {
    SmallVector<ForallOp> statements;
    getOperation()->walk([&](EvaluateOp evaluate) {
      llvm::append_range(statements, evaluate.getRegion().getOps<ForallOp>());
    });
    OpBuilder builder(&getContext());
    for (ForallOp statement : statements) {
      SmallVector<ForallOp> loops;
      AssignOp assign = getAssignment(statement, loops);
      if (!assign)
        continue;
      if (failed(verifyOwnReads(statement)))
        return signalPassFailure();
      StatementConcretizer(builder, loops, assign).run();
      statement->erase();
    }
  }
};
} // namespace
