//===- KeptValues.cpp - The first or last of several values ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `y[I[p]] first= x[p]` becomes
//
//   w[I[p]] min= p
//   y[I[p]] = x[p] if w[I[p]] == p
//
// with a workspace w, so that loops may run in any order. With several
// variables, the second one is noted where the first is the one that is noted,
// and so on.
//
//===----------------------------------------------------------------------===//

#include "KeptValues.h"
#include "Parser.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

namespace {
class KeptValueEmitter {
public:
  KeptValueEmitter(OpBuilder &builder, const Statement &statement,
                   const llvm::StringSet<> &variables,
                   ExpressionEmitter &expressions)
      : builder(builder), statement(statement), variables(variables),
        expressions(expressions),
        location(locationOf(builder.getContext(), statement.target->position)) {
  }

  LogicalResult emit();

private:
  const Binding *findBinding(StringRef name) const;
  /// All variables, in the order in which they count.
  LogicalResult findOrder();
  /// Gives variables without a range all positions of a dimension, in loops
  /// that do not read it.
  void setExtents();
  bool isTold(const std::string &name) const;
  /// Loops over variables from `number` on.
  LogicalResult emitLoops(size_t number,
                          llvm::function_ref<LogicalResult()> body);
  LogicalResult emitWhere(const Expression *condition,
                          llvm::function_ref<LogicalResult()> body);
  LogicalResult emitIf(FailureOr<Operand> condition,
                       llvm::function_ref<LogicalResult()> body);
  /// `body` where the first `count` variables that count are what is noted.
  LogicalResult emitWhereNoted(size_t count,
                               llvm::function_ref<LogicalResult()> body);
  LogicalResult emitNoted(size_t number);
  /// The workspace that notes a variable, in the regions that are open.
  LogicalResult emitNotes(size_t number);
  void emitInitial(Value workspace);
  LogicalResult emitAssignment();
  Value getNumber(const std::string &name);
  BuiltinAttr getFunction(StringRef name) {
    return BuiltinAttr::get(builder.getContext(), findBuiltin(name));
  }
  bool keepsFirst() const { return statement.keeps == Statement::Keeps::first; }

  OpBuilder &builder;
  const Statement &statement;
  const llvm::StringSet<> &variables;
  ExpressionEmitter &expressions;
  Location location;
  /// Of variables without a range in the text.
  std::vector<std::unique_ptr<Binding>> implicit;
  SmallVector<const Binding *> order;
  /// Variables that indices of the target do not tell, and workspaces of them.
  SmallVector<std::string> counting;
  SmallVector<Value> notes;
};
} // namespace

const Binding *KeptValueEmitter::findBinding(StringRef name) const {
  for (const Binding &binding : statement.bindings.variables)
    if (binding.variable == name)
      return &binding;
  return nullptr;
}

bool KeptValueEmitter::isTold(const std::string &name) const {
  return llvm::any_of(statement.target->operands,
                      [&](const ExpressionPtr &index) {
                        return index->kind == Kind::name && index->name == name;
                      });
}

LogicalResult KeptValueEmitter::findOrder() {
  SmallVector<std::string> left;
  auto add = [&](const std::string &name) {
    if (!llvm::is_contained(left, name))
      left.push_back(name);
  };
  // Where those that are told stand is of no matter: outside.
  for (const ExpressionPtr &index : statement.target->operands)
    if (index->kind == Kind::name && variables.contains(index->name))
      add(index->name);
  for (const Binding &binding : statement.bindings.variables)
    add(binding.variable);
  auto addAll = [&](const Expression &part) {
    llvm::for_each(findFreeVariables(part, variables), add);
  };
  addAll(*statement.target);
  addAll(*statement.value);
  if (statement.bindings.condition)
    addAll(*statement.bindings.condition);
  for (const Binding &binding : statement.bindings.variables)
    binding.visit(addAll);
  // A variable stands behind those that its range depends on.
  while (!left.empty()) {
    auto isReady = [&](const std::string &name) {
      bool isFree = true;
      if (const Binding *binding = findBinding(name))
        binding->visit([&](const Expression &part) {
          for (const std::string &other : findFreeVariables(part, variables))
            isFree &= !llvm::is_contained(left, other);
        });
      return isFree;
    };
    auto *next = llvm::find_if(left, isReady);
    if (next == left.end())
      return emitErrorAt(builder.getContext(), statement.target->position)
             << "the range of '" << left.front()
             << "' depends on a variable whose range depends on it";
    const Binding *binding = findBinding(*next);
    if (!binding) {
      implicit.push_back(std::make_unique<Binding>());
      implicit.back()->variable = *next;
      implicit.back()->position = statement.target->position;
      binding = implicit.back().get();
    }
    order.push_back(binding);
    if (!isTold(*next))
      counting.push_back(*next);
    left.erase(next);
  }
  return success();
}

void KeptValueEmitter::setExtents() {
  walkStatement(statement, [&](const Expression &part, bool) {
    if (part.kind != Kind::access && part.kind != Kind::member)
      return;
    for (auto [dimension, index] : llvm::enumerate(part.operands))
      if (index->kind == Kind::name && variables.contains(index->name))
        expressions.setExtent(index->name, {expressions.getArray(part.name),
                                            static_cast<unsigned>(dimension)});
  });
}

//===----------------------------------------------------------------------===//
// Loops and conditions
//===----------------------------------------------------------------------===//

LogicalResult
KeptValueEmitter::emitLoops(size_t number,
                            llvm::function_ref<LogicalResult()> body) {
  if (number == order.size())
    return emitWhere(statement.bindings.condition.get(), body);
  return expressions.emitForall(order[number], statement.target->position,
                                [&] { return emitLoops(number + 1, body); });
}

LogicalResult
KeptValueEmitter::emitIf(FailureOr<Operand> condition,
                         llvm::function_ref<LogicalResult()> body) {
  if (failed(condition))
    return failure();
  Value holds = expressions.convert(*condition, builder.getI1Type());
  auto branch = IfOp::create(builder, location, holds);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&branch.getRegion().emplaceBlock());
  return body();
}

LogicalResult
KeptValueEmitter::emitWhere(const Expression *condition,
                            llvm::function_ref<LogicalResult()> body) {
  if (!condition)
    return body();
  // What is behind an `and` is looked up where what is before it holds.
  if (condition->kind == Kind::call && condition->name == "and")
    return emitWhere(condition->operands[0].get(), [&] {
      return emitWhere(condition->operands[1].get(), body);
    });
  return emitIf(expressions.emit(*condition), body);
}

Value KeptValueEmitter::getNumber(const std::string &name) {
  Expression variable;
  variable.kind = Kind::name;
  variable.position = statement.target->position;
  variable.name = name;
  FailureOr<Operand> value = expressions.emit(variable);
  return expressions.convert(*value, builder.getI64Type());
}

LogicalResult
KeptValueEmitter::emitWhereNoted(size_t count,
                                 llvm::function_ref<LogicalResult()> body) {
  if (count == 0)
    return body();
  return emitWhereNoted(count - 1, [&] {
    SmallVector<Value> place;
    if (failed(expressions.emitIndices(*statement.target, place)))
      return failure();
    Value noted = AccessOp::create(builder, location, notes[count - 1], place);
    Value mine = getNumber(counting[count - 1]);
    Value isMine = CallOp::create(builder, location, builder.getI1Type(),
                                  getFunction("eq"), ValueRange{noted, mine});
    return emitIf(
        Operand{.value = isMine, .position = statement.target->position}, body);
  });
}

//===----------------------------------------------------------------------===//
// Notes and values
//===----------------------------------------------------------------------===//

void KeptValueEmitter::emitInitial(Value workspace) {
  auto type = cast<MemRefType>(workspace.getType());
  SmallVector<bool> ranged(type.getRank(), false);
  auto all = ForallOp::create(builder, location, ValueRange(), ValueRange(),
                              ranged, ArrayAttr(), IterationAttr());
  Block &block = all.getRegion().emplaceBlock();
  SmallVector<Value> place;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    place.push_back(block.addArgument(builder.getIndexType(), location));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  Constant none = keepsFirst() ? Constant::highest : Constant::lowest;
  TypedAttr number = getConstant(none, builder.getI64Type());
  Value literal =
      LiteralOp::create(builder, location, number.getType(), number);
  AssignOp::create(builder, location, /*callee=*/Attribute(), literal,
                   workspace, place, /*condition=*/Value(), /*first=*/Value(),
                   TypedAttr());
}

LogicalResult KeptValueEmitter::emitNoted(size_t number) {
  return emitLoops(0, [&] {
    return emitWhereNoted(number, [&]() -> LogicalResult {
      SmallVector<Value> place;
      if (failed(expressions.emitIndices(*statement.target, place)))
        return failure();
      AssignOp::create(builder, location,
                       getFunction(keepsFirst() ? "min" : "max"),
                       getNumber(counting[number]), notes[number], place,
                       /*condition=*/Value(), /*first=*/Value(), TypedAttr());
      return success();
    });
  });
}

LogicalResult KeptValueEmitter::emitAssignment() {
  expressions.forgetExtents();
  return emitLoops(0, [&] {
    return emitWhereNoted(counting.size(), [&]() -> LogicalResult {
      SmallVector<Value> place;
      if (failed(expressions.emitIndices(*statement.target, place)))
        return failure();
      FailureOr<Operand> value = expressions.emit(*statement.value);
      if (failed(value))
        return failure();
      Value array = expressions.getArray(statement.target->name);
      Type element = getElementTypeOrSelf(array.getType());
      if (failed(expressions.checkFits(*value, element)))
        return failure();
      Value stored = expressions.convert(*value, element);
      AssignOp::create(builder, location, /*callee=*/Attribute(), stored, array,
                       place, /*condition=*/Value(), /*first=*/Value(),
                       TypedAttr());
      return success();
    });
  });
}

LogicalResult KeptValueEmitter::emitNotes(size_t number) {
  if (number == counting.size())
    return emitAssignment();
  Value array = expressions.getArray(statement.target->name);
  auto shape = cast<ShapedType>(array.getType()).getShape();
  auto type = MemRefType::get(shape, builder.getI64Type());
  SmallVector<Value> sizes;
  for (auto [dimension, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      sizes.push_back(ExtentOp::create(
          builder, location, builder.getIndexType(), array, dimension));
  auto where = WhereOp::create(builder, location, sizes);
  for (Region *region : {&where.getConsumers(), &where.getProducers()})
    region->emplaceBlock().addArgument(type, location);
  OpBuilder::InsertionGuard guard(builder);
  notes.push_back(where.getProducers().getArgument(0));
  builder.setInsertionPointToEnd(&where.getProducers().front());
  emitInitial(notes.back());
  if (failed(emitNoted(number)))
    return failure();
  notes.back() = where.getConsumers().getArgument(0);
  builder.setInsertionPointToEnd(&where.getConsumers().front());
  return emitNotes(number + 1);
}

LogicalResult KeptValueEmitter::emit() {
  if (failed(findOrder()))
    return failure();
  Value array = expressions.getArray(statement.target->name);
  if (isa<ArrayType>(array.getType()))
    return emitErrorAt(builder.getContext(), statement.target->position)
           << "'" << statement.target->name
           << "' is in a format, which is appended to: of several values for "
              "an element, only a dense array can keep one";
  if (failed(expressions.prepare(statement)))
    return failure();
  setExtents();
  auto around =
      ForallOp::create(builder, location, ValueRange(), ValueRange(),
                       ArrayRef<bool>(), ArrayAttr(), IterationAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&around.getRegion().emplaceBlock());
  return emitNotes(0);
}

LogicalResult ember::cin::emitKept(OpBuilder &builder,
                                   const Statement &statement,
                                   const llvm::StringSet<> &variables,
                                   ExpressionEmitter &expressions) {
  return KeptValueEmitter(builder, statement, variables, expressions).emit();
}
