//===- ReducedVariables.cpp - What `for` says of reductions ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction binds its variables, so that by scope alone `for p in 0:n` would
// be of another variable than `p` of `sum[p]`, and its range would be of
// nothing. Nobody means that. Where the statement itself has no `p`, its range
// and its condition are those of the reductions that have.
//
//===----------------------------------------------------------------------===//

#include "ReducedVariables.h"
#include "Names.h"
#include "Parser.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

static ExpressionPtr copy(const ExpressionPtr &expression);

static Binding copy(const Binding &binding) {
  return {binding.position, binding.variable, copy(binding.lower),
          copy(binding.upper), copy(binding.length)};
}

static ExpressionPtr copy(const ExpressionPtr &expression) {
  if (!expression)
    return nullptr;
  auto made = std::make_unique<Expression>();
  made->kind = expression->kind;
  made->position = expression->position;
  made->name = expression->name;
  made->function = expression->function;
  made->links = expression->links;
  made->height = expression->height;
  for (const ExpressionPtr &operand : expression->operands)
    made->operands.push_back(copy(operand));
  for (const Binding &binding : expression->bindings.variables)
    made->bindings.variables.push_back(copy(binding));
  made->bindings.condition = copy(expression->bindings.condition);
  return made;
}

/// `first and second`, of which `second` may be null.
static ExpressionPtr join(ExpressionPtr first, ExpressionPtr second) {
  if (!second)
    return first;
  auto both = std::make_unique<Expression>();
  both->kind = Kind::call;
  both->position = second->position;
  both->name = "and";
  both->function = *findBuiltin("and");
  both->height = std::max(first->height, second->height) + 1;
  both->operands.push_back(std::move(first));
  both->operands.push_back(std::move(second));
  return both;
}

static Binding *findBinding(Bindings &bindings, StringRef variable) {
  auto found = llvm::find_if(bindings.variables, [&](const Binding &binding) {
    return binding.variable == variable;
  });
  return found == bindings.variables.end() ? nullptr : &*found;
}

namespace {
class ReducedVariables {
public:
  ReducedVariables(Statement &statement, MLIRContext *context)
      : statement(statement), context(context),
        variables(findVariables(statement)) {}

  LogicalResult bind();

private:
  LogicalResult bindRange(const Binding &binding);
  FailureOr<bool> bindCondition(const ExpressionPtr &condition);
  LogicalResult bindConditions();
  /// Calls `visit` for each reduction in `expression`, outer ones first, with
  /// the variables of those around it.
  void walkReductions(
      Expression &expression, ArrayRef<StringRef> around,
      llvm::function_ref<void(Expression &, ArrayRef<StringRef>)> visit);
  /// Whether the target or the value, outside of reductions of it, has
  /// `variable`.
  bool isFree(const std::string &variable) {
    return llvm::is_contained(findFreeVariables(*statement.target, variables),
                              variable) ||
           llvm::is_contained(findFreeVariables(*statement.value, variables),
                              variable);
  }
  SmallVector<Binding *> findReduced(StringRef variable);
  bool isUsed(const Binding &binding);

  Statement &statement;
  MLIRContext *context;
  llvm::StringSet<> variables;
};
} // namespace

void ReducedVariables::walkReductions(
    Expression &expression, ArrayRef<StringRef> around,
    llvm::function_ref<void(Expression &, ArrayRef<StringRef>)> visit) {
  SmallVector<StringRef> inside(around);
  if (expression.kind == Kind::reduce) {
    visit(expression, around);
    for (const Binding &binding : expression.bindings.variables)
      inside.push_back(binding.variable);
  }
  for (const ExpressionPtr &operand : expression.operands)
    if (operand)
      walkReductions(*operand, inside, visit);
}

SmallVector<Binding *> ReducedVariables::findReduced(StringRef variable) {
  SmallVector<Binding *> found;
  walkReductions(*statement.value, {},
                 [&](Expression &reduction, ArrayRef<StringRef>) {
                   if (Binding *own = findBinding(reduction.bindings, variable))
                     found.push_back(own);
                 });
  return found;
}

/// Whether the condition or a range depends on the variable of `binding`.
bool ReducedVariables::isUsed(const Binding &binding) {
  bool used = false;
  auto visit = [&](const Expression &part) {
    used |= llvm::is_contained(findFreeVariables(part, variables),
                               binding.variable);
  };
  if (statement.bindings.condition)
    visit(*statement.bindings.condition);
  for (const Binding &other : statement.bindings.variables)
    other.visit(visit);
  return used;
}

LogicalResult ReducedVariables::bindRange(const Binding &binding) {
  SmallVector<Binding *> reduced = findReduced(binding.variable);
  if (reduced.empty()) {
    if (isFree(binding.variable) || isUsed(binding))
      return success();
    return emitErrorAt(context, binding.position)
           << "nothing in the statement depends on variable '"
           << binding.variable << "'";
  }
  if (!binding.hasRange())
    return success();
  if (isFree(binding.variable)) {
    bool isHidden = llvm::all_of(
        reduced, [](const Binding *own) { return own->hasRange(); });
    if (isHidden)
      return success();
    InFlightDiagnostic error =
        emitErrorAt(context, binding.position)
        << "'" << binding.variable
        << "' is a variable of the statement and of a reduction in it, and "
           "the range may be of either: rename one";
    error.attachNote(locationOf(context, reduced.front()->position))
        << "the reduction's";
    return error;
  }
  for (Binding *own : reduced) {
    if (own->hasRange()) {
      InFlightDiagnostic error = emitErrorAt(context, binding.position)
                                 << "variable '" << binding.variable
                                 << "' has two ranges";
      error.attachNote(locationOf(context, own->position)) << "the other";
      return error;
    }
    Position position = own->position;
    *own = copy(binding);
    own->position = position;
  }
  return success();
}

/// Takes `condition` apart: each list that a variable is in, and the rest.
static void splitCondition(ExpressionPtr condition,
                           SmallVectorImpl<ExpressionPtr> &parts) {
  std::function<bool(const Expression &)> isOfLists =
      [&](const Expression &part) {
        return part.kind == Kind::member ||
               (part.kind == Kind::call && part.name == "and" &&
                llvm::all_of(part.operands, [&](const ExpressionPtr &operand) {
                  return isOfLists(*operand);
                }));
      };
  bool isSplit = condition->kind == Kind::call && condition->name == "and" &&
                 isOfLists(*condition->operands.front());
  if (!isSplit) {
    parts.push_back(std::move(condition));
    return;
  }
  for (ExpressionPtr &operand : condition->operands)
    splitCondition(std::move(operand), parts);
}

/// Whether `condition` is one of reductions, which have it then.
FailureOr<bool>
ReducedVariables::bindCondition(const ExpressionPtr &condition) {
  // Its variables that only reductions have.
  SmallVector<std::string> mine = findFreeVariables(*condition, variables);
  llvm::erase_if(mine, [&](const std::string &variable) {
    return isFree(variable) || findReduced(variable).empty();
  });
  if (mine.empty())
    return false;
  bool isBound = false;
  walkReductions(*statement.value, {},
                 [&](Expression &reduction, ArrayRef<StringRef> around) {
                   bool isComplete = true, isNew = false;
                   for (const std::string &variable : mine) {
                     bool isOwn = findBinding(reduction.bindings, variable);
                     isNew |= isOwn;
                     isComplete &=
                         isOwn || llvm::is_contained(around, variable);
                   }
                   if (!isComplete || !isNew)
                     return;
                   isBound = true;
                   ExpressionPtr &own = reduction.bindings.condition;
                   own = join(copy(condition), std::move(own));
                 });
  if (!isBound)
    return emitErrorAt(context, condition->position)
           << "the condition depends on '" << mine.front() << "' and '"
           << mine.back() << "', which no reduction has together";
  return true;
}

/// A list that a variable of the statement is in stays with the statement: what
/// is not in it is not assigned to.
LogicalResult ReducedVariables::bindConditions() {
  SmallVector<ExpressionPtr> parts;
  splitCondition(std::move(statement.bindings.condition), parts);
  ExpressionPtr rest;
  for (ExpressionPtr &part : llvm::reverse(parts)) {
    FailureOr<bool> isBound = bindCondition(part);
    if (failed(isBound))
      return failure();
    if (!*isBound)
      rest = join(std::move(part), std::move(rest));
  }
  statement.bindings.condition = std::move(rest);
  return success();
}

LogicalResult ReducedVariables::bind() {
  // Later ranges may depend on variables before them, not the other way.
  for (const Binding &binding : llvm::reverse(statement.bindings.variables))
    if (failed(bindRange(binding)))
      return failure();
  if (statement.bindings.condition && failed(bindConditions()))
    return failure();
  llvm::erase_if(statement.bindings.variables, [&](const Binding &binding) {
    return !isFree(binding.variable) && !findReduced(binding.variable).empty();
  });
  return success();
}

LogicalResult ember::cin::bindReducedVariables(Statement &statement,
                                               MLIRContext *context) {
  return ReducedVariables(statement, context).bind();
}
