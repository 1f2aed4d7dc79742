//===- ChooseFormats.cpp - How temporaries are stored ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary that is not written in a format is stored in one where the
// statements around it are estimated to take much less time then, in their best
// orders of loops.
//
//===----------------------------------------------------------------------===//

#include "OrderChoice.h"
#include "Statement.h"

#include "ember/Dialect/CIN/IR/ProgramOrder.h"
#include "ember/Dialect/CIN/Transforms/AbstractValues.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_CHOOSEFORMATS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// The formats that one temporary may have.
class FormatChoice {
public:
  explicit FormatChoice(TemporaryOp temporary)
      : temporary(temporary), dense(cast<ShapedType>(temporary.getType())) {}

  void run();

private:
  /// Finds the statements that name it; false if one of them asks for memory.
  bool findStatements();
  bool addProducer(AssignOp assign);
  bool addConsumer(AccessOp read);
  /// What the producer makes of nothing that is stored; null if that is not
  /// known.
  TypedAttr findFill();
  SmallVector<FormatAttr> getFormats(TypedAttr fill);
  /// What statements cost in their best orders, by scenario; empty if one of
  /// them has no legal order.
  SmallVector<double> getCosts();

  TemporaryOp temporary;
  ShapedType dense;
  AssignOp assign;
  llvm::SetVector<ForallOp> statements;
};
} // namespace

bool FormatChoice::addProducer(AssignOp mine) {
  if (assign || mine.isCombining() || mine.getFill())
    return false;
  assign = mine;
  llvm::SmallPtrSet<Value, 4> seen;
  bool areOwn = llvm::all_of(mine.getIndices(), [&](Value index) {
    auto variable = dyn_cast<BlockArgument>(index);
    return variable && isa<ForallOp>(variable.getOwner()->getParentOp()) &&
           seen.insert(index).second;
  });
  return areOwn && statements.insert(getStatement(mine));
}

bool FormatChoice::addConsumer(AccessOp read) {
  statements.insert(getStatement(read));
  bool areVariables =
      llvm::all_of(read.getIndices(), llvm::IsaPred<BlockArgument>);
  // An index is looked up on its own.
  bool isIndex = llvm::any_of(read->getUses(), [](OpOperand &use) {
    auto assign = dyn_cast<AssignOp>(use.getOwner());
    return isa<AccessOp, ApplyOp, ForallOp, ReduceOp>(use.getOwner()) ||
           (assign && use.getOperandNumber() != 0);
  });
  return areVariables && !isIndex;
}

bool FormatChoice::findStatements() {
  for (Operation *user : getUsersInOrder(temporary.getResult())) {
    auto mine = dyn_cast<AssignOp>(user);
    auto read = dyn_cast<AccessOp>(user);
    bool isKnown = isa<ExtentOp, SameSizeOp>(user) ||
                   (mine && addProducer(mine)) || (read && addConsumer(read));
    if (!isKnown)
      return false;
  }
  if (!assign)
    return false;
  ForallOp producer = getStatement(assign);
  return llvm::all_of(statements, [&](ForallOp statement) {
    bool isRead = statement != producer && producer->isBeforeInBlock(statement);
    return (isRead || statement == producer) && !statement.getSchedule() &&
           LoopChain(statement).getAssignment();
  });
}

TypedAttr FormatChoice::findFill() {
  SmallVector<Fiber> absent;
  bool isOwn = false;
  getStatement(assign).walk([&](AccessOp access) {
    isOwn |= access.getArray() == temporary.getResult();
    if (isa<ArrayType>(access.getArray().getType()))
      absent.push_back({access.getArray(), {}});
  });
  if (isOwn || absent.empty())
    return nullptr;
  AbstractValue value = AbstractValues({}, absent).of(assign.getValue());
  if (value.kind != AbstractValue::Kind::constant)
    return nullptr;
  // What is not assigned to is what it was.
  std::optional<TypedAttr> initial = temporary.getInitial();
  bool isSame = initial ? value.is(*initial) : assignsAll(assign);
  return isSame ? value.value : nullptr;
}

SmallVector<FormatAttr> FormatChoice::getFormats(TypedAttr fill) {
  auto rank = static_cast<unsigned>(dense.getRank());
  SmallVector<Level> all(rank, Level{LevelKind::dense});
  all.back().kind = LevelKind::compressed;
  auto order = llvm::to_vector(llvm::seq(rank));
  SmallVector<FormatAttr> formats;
  auto add = [&] {
    formats.push_back(FormatAttr::get(temporary.getContext(), all, order, fill,
                                      /*storesFill=*/true));
  };
  add();
  if (rank == 2) {
    std::reverse(order.begin(), order.end());
    add();
  }
  return formats;
}

SmallVector<double> FormatChoice::getCosts() {
  SmallVector<double> costs;
  for (ForallOp statement : statements) {
    LoopChain chain(statement);
    OrderChoice choice(statement, chain.getAssignment(), chain.variables);
    if (!choice.hasAny())
      return {};
    SmallVector<double> mine = choice.getCosts(choice.choose(), /*copies=*/{});
    costs.resize(mine.size());
    for (auto [sum, cost] : llvm::zip_equal(costs, mine))
      sum += cost;
  }
  return costs;
}

void FormatChoice::run() {
  // Of a vector, there is little memory, and all of it is near.
  if (dense.getRank() < 2 || !findStatements())
    return;
  TypedAttr fill = findFill();
  SmallVector<double> given = fill ? getCosts() : SmallVector<double>();
  if (given.empty())
    return;
  std::optional<TypedAttr> initial = temporary.getInitial();
  temporary.removeInitialAttr();
  SmallVector<SmallVector<double>> all = {given};
  SmallVector<Type> types = {dense};
  for (FormatAttr format : getFormats(fill)) {
    types.push_back(ArrayType::get(temporary.getContext(), dense.getShape(),
                                   dense.getElementType(), format));
    temporary.getResult().setType(types.back());
    all.push_back(getCosts());
  }
  // How much worse than the best, where it is worst.
  SmallVector<double> worst;
  for (ArrayRef<double> mine : all) {
    double ratio = mine.empty() ? INFINITY : 1;
    for (auto [scenario, cost] : llvm::enumerate(mine))
      for (ArrayRef<double> other : all)
        if (!other.empty())
          ratio = std::max(ratio, cost / other[scenario]);
    worst.push_back(ratio);
  }
  size_t best = llvm::min_element(worst) - worst.begin();
  if (worst.front() <= OrderChoice::gain * worst[best])
    best = 0;
  temporary.getResult().setType(types[best]);
  if (best == 0 && initial)
    temporary.setInitialAttr(*initial);
}

namespace {
struct ChooseFormats
    : public ember::cin::impl::ChooseFormatsBase<ChooseFormats> {
  void runOnOperation() override {
    // Producers first: how much is stored of what others read follows.
    getOperation()->walk([&](TemporaryOp temporary) {
      if (!isa<ArrayType>(temporary.getType()))
        FormatChoice(temporary).run();
    });
  }
};
} // namespace
