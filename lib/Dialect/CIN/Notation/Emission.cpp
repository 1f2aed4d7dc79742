//===- Emission.cpp - Statements as operations ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionEmitter.h"
#include "KeptValues.h"
#include "Parser.h"
#include "Types.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

namespace {
/// A term of a sum, with its sign.
struct Term {
  const Expression *value;
  bool isNegative;
};

/// Emits one statement.
class StatementEmitter {
public:
  StatementEmitter(OpBuilder &builder, const Statement &statement,
                   const llvm::StringMap<Value> &values)
      : builder(builder), statement(statement),
        variables(findVariables(statement)),
        expressions(builder, values, variables) {}

  LogicalResult emit();

private:
  LogicalResult emitLoops(SmallVector<std::string> left);
  const Binding &getBinding(const std::string &name);
  LogicalResult emitAssignment();
  /// The value with a reduction over what the left-hand side does not name.
  FailureOr<Operand> emitValue();
  FailureOr<Operand> emitReduced(const Expression &value, Function function);
  /// The function that combines values with elements of type `element`.
  FailureOr<Function> chooseCombination(Type element);
  /// Variables of `names` that are not assigned by.
  SmallVector<const Binding *> bindImplicit(ArrayRef<std::string> names);
  void addTerms(const Expression &value, bool isNegative,
                SmallVectorImpl<Term> &terms);
  /// Whether all terms are summed over the same variables, of which one is a
  /// part of an index, `x[i + 1] - x[i]`: it has the same values in all. An
  /// error if they have different ones beside it.
  FailureOr<bool> isShiftedInOne(ArrayRef<Term> terms);
  /// Asks that variables that `term` is summed over, which is `sum`, are as
  /// long as in the terms before, of which `sizes` has a dimension.
  void requireSameSizes(const Term &term, Value sum,
                        llvm::StringMap<ArrayDimension> &sizes);
  const Binding *findBinding(StringRef name) {
    for (const Binding &binding : statement.bindings.variables)
      if (binding.variable == name)
        return &binding;
    return nullptr;
  }

  OpBuilder &builder;
  const Statement &statement;
  llvm::StringSet<> variables;
  ExpressionEmitter expressions;
  /// Variables of the left-hand side.
  SmallVector<std::string> assigned;
  /// Of variables that no binding of the text is of.
  std::vector<std::unique_ptr<Binding>> implicit;
};
} // namespace

void StatementEmitter::addTerms(const Expression &value, bool isNegative,
                                SmallVectorImpl<Term> &terms) {
  StringRef function = value.kind == Kind::call ? value.function.getName() : "";
  if (function == "add" || function == "sub") {
    addTerms(*value.operands[0], isNegative, terms);
    addTerms(*value.operands[1], isNegative != (function == "sub"), terms);
  } else if (function == "neg") {
    addTerms(*value.operands[0], !isNegative, terms);
  } else {
    terms.push_back({&value, isNegative});
  }
}

SmallVector<const Binding *>
StatementEmitter::bindImplicit(ArrayRef<std::string> names) {
  SmallVector<const Binding *> bound;
  auto isBound = [&](StringRef name) {
    return llvm::is_contained(assigned, name.str());
  };
  SmallVector<const Binding *> left;
  for (const Binding &binding : statement.bindings.variables)
    if (!isBound(binding.variable) &&
        llvm::is_contained(names, binding.variable))
      left.push_back(&binding);
  for (const std::string &name : names) {
    if (isBound(name) || findBinding(name))
      continue;
    implicit.push_back(std::make_unique<Binding>());
    implicit.back()->variable = name;
    implicit.back()->position = statement.value->position;
    left.push_back(implicit.back().get());
  }
  // Those with a range first, in the order of the text, but each behind those
  // that its range depends on.
  while (!left.empty()) {
    auto isReady = [&](const Binding *binding) {
      return llvm::none_of(left, [&](const Binding *other) {
        return expressions.depends(*binding, other->variable);
      });
    };
    auto *next = llvm::find_if(left, isReady);
    if (next == left.end())
      next = left.begin();
    bound.push_back(*next);
    left.erase(next);
  }
  return bound;
}

FailureOr<Operand> StatementEmitter::emitReduced(const Expression &value,
                                                 Function function) {
  const Expression *condition = statement.bindings.condition.get();
  SmallVector<std::string> names = findFreeVariables(value, variables);
  auto add = [&](const Expression &part) {
    for (const std::string &name : findFreeVariables(part, variables))
      if (!llvm::is_contained(names, name))
        names.push_back(name);
  };
  if (condition)
    add(*condition);
  // And what their ranges depend on.
  for (size_t i = 0; i < names.size(); ++i)
    if (const Binding *binding = findBinding(names[i]))
      binding->visit(add);
  SmallVector<const Binding *> bound = bindImplicit(names);
  if (bound.empty())
    return expressions.emit(value);
  return expressions.emitReduction(function, bound, condition, value,
                                   statement.value->position);
}

FailureOr<bool> StatementEmitter::isShiftedInOne(ArrayRef<Term> terms) {
  SmallVector<SmallVector<std::string>> names;
  for (const Term &term : terms)
    names.push_back(findFreeVariables(*term.value, variables));
  auto contains = [](ArrayRef<std::string> list, const std::string &name) {
    return llvm::is_contained(list, name);
  };
  for (ArrayRef<std::string> mine : names)
    for (const std::string &name : mine) {
      bool isReduced = !contains(assigned, name) && !findBinding(name);
      bool isAlone = llvm::count_if(names, [&](ArrayRef<std::string> other) {
                       return contains(other, name);
                     }) == 1;
      if (!isReduced || isAlone || !isShifted(statement, name, variables))
        continue;
      bool areSame = llvm::all_of(names, [&](ArrayRef<std::string> other) {
        return other.size() == mine.size() &&
               llvm::all_of(other, [&](const std::string &one) {
                 return contains(mine, one);
               });
      });
      if (areSame)
        return true;
      emitErrorAt(builder.getContext(), statement.value->position)
          << "'" << name << "' is a part of an index, and the terms of the "
          << "sum have different variables: write over what each is summed, "
          << "such as sum[" << name << " in 0:n](...)";
      return failure();
    }
  return false;
}

void StatementEmitter::requireSameSizes(
    const Term &term, Value sum, llvm::StringMap<ArrayDimension> &sizes) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<std::string> names = findFreeVariables(*term.value, variables);
  auto reduce = sum ? sum.getDefiningOp<ReduceOp>() : ReduceOp();
  for (; reduce;
       reduce = reduce.getYield().getValue().getDefiningOp<ReduceOp>()) {
    Operation *outermost = reduce;
    while (!isa<EvaluateOp>(outermost->getParentOp()))
      outermost = outermost->getParentOp();
    builder.setInsertionPoint(outermost);
    for (BlockArgument variable : reduce.getVariables()) {
      // What temporaries are as long as follows from others.
      SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
      llvm::erase_if(dimensions, [](ArrayDimension dimension) {
        return dimension.array.getDefiningOp<TemporaryOp>();
      });
      unsigned number = variable.getArgNumber();
      std::string name = reduce.getNameOf(number);
      if (reduce.getRanged()[number] || dimensions.empty() ||
          !llvm::is_contained(names, name))
        continue;
      ArrayDimension mine = dimensions.front();
      ArrayDimension first = sizes.insert({name, mine}).first->second;
      if (!(mine == first))
        requireSameSize(builder, variable, first, mine);
    }
  }
}

FailureOr<Operand> StatementEmitter::emitValue() {
  Function function =
      statement.function ? statement.function : Function(*findBuiltin("add"));
  bool hasFree = false;
  for (const std::string &name : findFreeVariables(*statement.value, variables))
    hasFree |= !llvm::is_contained(assigned, name);
  for (const Binding &binding : statement.bindings.variables)
    hasFree |= !llvm::is_contained(assigned, binding.variable);
  if (!hasFree)
    return expressions.emit(*statement.value);
  if (!function.is("add"))
    return emitReduced(*statement.value, function);
  // Each term is summed over what it depends on alone.
  SmallVector<Term> terms;
  addTerms(*statement.value, /*isNegative=*/false, terms);
  FailureOr<bool> isOne = isShiftedInOne(terms);
  if (failed(isOne))
    return failure();
  if (*isOne)
    return emitReduced(*statement.value, function);
  FailureOr<Operand> sum = failure();
  llvm::StringMap<ArrayDimension> sizes;
  for (const Term &term : terms) {
    FailureOr<Operand> next = emitReduced(*term.value, function);
    if (failed(next))
      return failure();
    requireSameSizes(term, next->value, sizes);
    bool isFirst = &term == terms.begin();
    if (isFirst && !term.isNegative)
      sum = next;
    else if (isFirst)
      sum = expressions.emitCall(*findBuiltin("neg"), {*next},
                                 term.value->position);
    else
      sum = expressions.emitCall(*findBuiltin(term.isNegative ? "sub" : "add"),
                                 {*sum, *next}, term.value->position);
    if (failed(sum))
      return failure();
  }
  return sum;
}

FailureOr<Function> StatementEmitter::chooseCombination(Type element) {
  MLIRContext *context = builder.getContext();
  TypedFunction typed = chooseReduction(statement.function, {element}, context);
  if (!statement.function.getBuiltin() && typed.result != element) {
    emitErrorAt(context, statement.target->position)
        << "'" << statement.target->name << "' is of " << element << ", and '"
        << statement.function.getName() << "' combines values of type "
        << typed.result;
    return failure();
  }
  return typed.function;
}

LogicalResult StatementEmitter::emitAssignment() {
  const Expression &target = *statement.target;
  Value array = expressions.getArray(target.name);
  SmallVector<Value> indices;
  if (failed(expressions.emitIndices(target, indices)))
    return failure();
  FailureOr<Operand> value = emitValue();
  if (failed(value))
    return failure();
  Type element = getElementTypeOrSelf(array.getType());
  if (failed(expressions.checkFits(*value, element)))
    return failure();
  Value stored = expressions.convert(*value, element);
  Value condition;
  if (const Expression *given = statement.bindings.condition.get()) {
    bool isOfTarget = llvm::all_of(findFreeVariables(*given, variables),
                                   [&](const std::string &name) {
                                     return llvm::is_contained(assigned, name);
                                   });
    if (isOfTarget) {
      FailureOr<Operand> holds = expressions.emit(*given);
      if (failed(holds))
        return failure();
      condition = expressions.convert(*holds, builder.getI1Type());
    }
  }
  Attribute callee;
  if (statement.function) {
    FailureOr<Function> function = chooseCombination(element);
    if (failed(function))
      return failure();
    callee = function->getCallee(builder.getContext());
  }
  AssignOp::create(builder, locationOf(builder.getContext(), target.position),
                   callee, stored, array, indices, condition,
                   /*first=*/Value(), /*fill=*/TypedAttr());
  return success();
}

LogicalResult StatementEmitter::emitLoops(SmallVector<std::string> left) {
  // Those that can be bound now: whose ranges depend on what is bound already.
  SmallVector<const Binding *> bound;
  SmallVector<std::string> later;
  for (const std::string &name : left) {
    const Binding *binding = findBinding(name);
    bool isReady = true;
    if (binding)
      binding->visit([&](const Expression &part) {
        for (const std::string &other : findFreeVariables(part, variables))
          isReady &= !llvm::is_contained(left, other);
      });
    if (!isReady) {
      later.push_back(name);
      continue;
    }
    bound.push_back(&getBinding(name));
  }
  if (bound.empty() && !left.empty())
    return emitErrorAt(builder.getContext(), statement.target->position)
           << "the range of '" << left.front()
           << "' depends on a variable whose range depends on it";
  return expressions.emitForall(bound, statement.target->position, [&] {
    return later.empty() ? emitAssignment() : emitLoops(later);
  });
}

const Binding &StatementEmitter::getBinding(const std::string &name) {
  if (const Binding *binding = findBinding(name))
    return *binding;
  implicit.push_back(std::make_unique<Binding>());
  implicit.back()->variable = name;
  implicit.back()->position = statement.target->position;
  return *implicit.back();
}

LogicalResult StatementEmitter::emit() {
  if (statement.keeps != Statement::Keeps::only)
    return emitKept(builder, statement, variables, expressions);
  assigned = findFreeVariables(*statement.target, variables);
  // And those that their ranges depend on.
  for (size_t i = 0; i < assigned.size(); ++i)
    if (const Binding *binding = findBinding(assigned[i]))
      binding->visit([&](const Expression &part) {
        for (const std::string &name : findFreeVariables(part, variables))
          if (!llvm::is_contained(assigned, name))
            assigned.push_back(name);
      });
  if (failed(expressions.prepare(statement)))
    return failure();
  return emitLoops(assigned);
}

LogicalResult ember::cin::emitStatement(OpBuilder &builder,
                                        const Statement &statement,
                                        const llvm::StringMap<Value> &values) {
  return StatementEmitter(builder, statement, values).emit();
}
