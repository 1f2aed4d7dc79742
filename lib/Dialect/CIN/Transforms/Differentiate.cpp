//===- Differentiate.cpp - Gradients of statements ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/Differentiate.h"
#include "ComparedTerms.h"
#include "GradientFunction.h"
#include "WholeRanges.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"

namespace ember::cin {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

/// The evaluation that a function is, on its arguments in memory; null after an
/// error.
static EvaluateOp getEvaluation(func::FuncOp function) {
  EvaluateOp found;
  bool isAlone = function.getBody().hasOneBlock();
  if (isAlone)
    for (Operation &op : function.getBody().front().without_terminator()) {
      isAlone &= !found && isa<EvaluateOp>(op);
      found = dyn_cast<EvaluateOp>(op);
    }
  auto isArgument = [&](Value operand) {
    return isa<BlockArgument>(operand) && !isa<TensorType>(operand.getType());
  };
  if (found && isAlone && llvm::all_of(found->getOperands(), isArgument))
    return found;
  function.emitError("is not one cin.evaluate of arguments in memory, of which "
                     "there is a gradient");
  return {};
}

constexpr llvm::StringLiteral gradientWord = "_gradient";

/// What the gradient of a function is called, and its arrays behind their own
/// names: `_gradient`, and of what is one, `_gradient2` and so on.
static std::pair<std::string, std::string> nameGradient(StringRef function) {
  constexpr StringRef word = gradientWord;
  auto [base, level] = function.rsplit(word);
  unsigned number = 1;
  bool isGradient = base.size() < function.size() &&
                    (level.empty() || !level.getAsInteger(10, number));
  if (!isGradient)
    return {(function + word).str(), word.str()};
  std::string suffix = (word + Twine(number + 1)).str();
  return {base.str() + suffix, suffix};
}

/// Keeps temporaries in memory as a whole: gradients are by all elements.
static LogicalResult makeDense(EvaluateOp evaluate) {
  for (auto temporary : evaluate.getRegion().getOps<TemporaryOp>()) {
    auto type = dyn_cast<ArrayType>(temporary.getType());
    if (!type)
      continue;
    bool isAsked = false, isWhole = false;
    for (Operation *user : temporary->getUsers()) {
      auto access = dyn_cast<AccessOp>(user);
      isAsked |=
          access && (access.getStored() ||
                     llvm::any_of(user->getUsers(), llvm::IsaPred<StoredOp>));
      auto assign = dyn_cast<AssignOp>(user);
      isWhole |= assign && assignsAll(assign);
    }
    TypedAttr fill = type.getFormat().getFill();
    if (isAsked || !fill)
      return temporary.emitError()
             << evaluate.getNameOf(temporary)
             << " is in a format, and which elements it stores matters: there "
                "is no gradient through it";
    temporary.getResult().setType(
        MemRefType::get(type.getShape(), type.getElementType()));
    if (!isWhole)
      temporary.setInitialAttr(fill);
  }
  return success();
}

FailureOr<func::FuncOp> ember::cin::differentiate(func::FuncOp function,
                                                  ArrayRef<std::string> of,
                                                  ArrayRef<std::string> wrt) {
  if (!getEvaluation(function))
    return failure();
  auto [name, suffix] = nameGradient(function.getName());
  auto module = function->getParentOfType<ModuleOp>();
  if (module.lookupSymbol(name))
    return function.emitError() << "has a gradient already: " << name;
  // Of a copy, which is simplified.
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName(name + "_of");
  EvaluateOp evaluate = getEvaluation(copy);
  dropWholeRanges(evaluate);
  LogicalResult result = makeDense(evaluate);
  for (auto compact : evaluate.getRegion().getOps<CompactOp>())
    result = compact.emitError()
             << evaluate.getNameOf(compact)
             << " is stored without gaps: there is no gradient of it";
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    SmallVector<ForallOp> loops;
    if (getAssignment(statement, loops))
      simplifyStatement(statement);
    else
      result = statement.emitError(
          "has its loops already: there is no gradient of what is kept by "
          "first= or last=, nor of statements behind --cin-concretize");
  }
  FailureOr<func::FuncOp> made = failure();
  if (succeeded(result)) {
    keepComparedTerms(evaluate);
    GradientFunction gradient(copy, evaluate, name, suffix,
                              suffix != gradientWord);
    made = gradient.build(of, wrt);
  }
  copy->erase();
  if (failed(made))
    return failure();
  (*made)->moveAfter(function);
  return made;
}

namespace {
struct Differentiate
    : public ember::cin::impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto mine : getOperation().getOps<func::FuncOp>())
      if (function.empty() ? !mine.getOps<EvaluateOp>().empty()
                           : mine.getName() == function)
        functions.push_back(mine);
    if (functions.empty()) {
      getOperation().emitError()
          << "there is no function "
          << (function.empty() ? "of statements" : function.getValue());
      return signalPassFailure();
    }
    for (func::FuncOp mine : functions)
      if (failed(differentiate(mine, llvm::to_vector<1>(of),
                               llvm::to_vector<1>(wrt))))
        return signalPassFailure();
  }
};
} // namespace
