//===- StatementPaths.cpp - What a statement is as paths ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementPaths.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;

std::optional<unsigned> AccessPath::findLevel(unsigned variable) const {
  const auto *found = llvm::find(variables, variable);
  if (found == variables.end())
    return std::nullopt;
  return found - variables.begin();
}

bool AccessPath::isStrided(unsigned level, ArrayRef<unsigned> places) const {
  if (format.levels[level].kind != cin::LevelKind::dense)
    return false;
  auto [first, last] = format.getDenseRun(level);
  if (first != 0)
    return false;
  for (unsigned at = first; at < last; ++at)
    if (places[variables[at]] > places[variables[at + 1]])
      return true;
  return false;
}

bool AccessPath::isFound(ArrayRef<unsigned> places) const {
  for (unsigned level = 0; level < format.size(); ++level) {
    bool isDense = format.levels[level].kind == cin::LevelKind::dense;
    if (isDense && format.getDenseRun(level).first == 0)
      continue;
    for (unsigned above = 0; above < level; ++above)
      if (places[variables[above]] > places[variables[level]])
        return false;
  }
  return true;
}

bool AccessPath::isInOrder(ArrayRef<unsigned> places) const {
  return format.isDense() ||
         llvm::is_sorted(variables, [&](unsigned a, unsigned b) {
           return places[a] < places[b];
         });
}

const AccessPath &StatementPaths::getPath(cin::AccessOp access) const {
  for (const AccessPath &path : accesses)
    if (llvm::is_contained(path.accesses, access))
      return path;
  llvm_unreachable("all accesses of a statement have a path");
}

Type ember::getTensorType(Value array) {
  Type type = array.getType();
  if (auto stored = dyn_cast<cin::ArrayType>(type)) {
    cin::FormatAttr format = stored.getFormat();
    bool isPlain =
        format.isDense() &&
        llvm::equal(format.getOrder(),
                    llvm::seq<unsigned>(0, format.getLevels().size()));
    auto zero = cin::getConstant(cin::Constant::zero, stored.getElementType());
    if (isPlain && cin::areSame(format.getFill(), zero))
      return RankedTensorType::get(stored.getShape(), stored.getElementType());
    return RankedTensorType::get(stored.getShape(), stored.getElementType(),
                                 format);
  }
  if (auto shaped = dyn_cast<ShapedType>(type))
    return RankedTensorType::get(shaped.getShape(), shaped.getElementType());
  return type;
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

namespace {
class PathCollector {
public:
  explicit PathCollector(cin::EvaluateOp evaluate) {
    paths.evaluate = evaluate;
  }

  FailureOr<StatementPaths> run() {
    if (failed(findStatement()) || failed(collectVariables()) ||
        failed(collectAccesses()) || failed(collectResult()) ||
        failed(checkVariables()) || failed(checkValues()))
      return failure();
    return std::move(paths);
  }

private:
  LogicalResult findStatement() {
    for (Operation &op : *paths.evaluate.getBody()) {
      if (isa<cin::AssembleOp, cin::ExtentOp, cin::LiteralOp, cin::SameSizeOp>(
              op))
        continue;
      auto statement = dyn_cast<cin::ForallOp>(op);
      if (!statement)
        return op.emitOpError(
            "stands beside statements, and a graph is made of "
            "one statement on arrays alone");
      if (paths.statement)
        return op.emitOpError("is a second statement, and a graph is made of "
                              "one: evaluate them one after the other");
      paths.statement = statement;
    }
    if (!paths.statement)
      return paths.evaluate.emitOpError("has no statement to make a graph of");
    return success();
  }

  LogicalResult addVariables(Operation *binding, Block &body,
                             ArrayRef<bool> ranged, cin::ReduceOp reduce) {
    for (BlockArgument argument : body.getArguments()) {
      std::string name = cin::getVariableName(argument);
      if (ranged[argument.getArgNumber()])
        return binding->emitOpError()
               << "has a range for '" << name
               << "', and a graph has all positions of dimensions";
      numbers[argument] = paths.variables.size();
      paths.variables.push_back({argument, name, reduce, {}});
    }
    return success();
  }

  LogicalResult collectVariables() {
    cin::ForallOp statement = paths.statement;
    if (failed(addVariables(statement, *statement.getBody(),
                            statement.getRanged(), {})))
      return failure();
    auto check = [&](Operation *op) -> WalkResult {
      if (op == statement)
        return WalkResult::advance();
      if (auto reduce = dyn_cast<cin::ReduceOp>(op)) {
        if (reduce.getOtherwise() || reduce.getContinued())
          return reduce.emitOpError(
              "combines values in an order, which a graph "
              "does not");
        return addVariables(reduce, *reduce.getBody(), reduce.getRanged(),
                            reduce);
      }
      if (auto yield = dyn_cast<cin::YieldOp>(op)) {
        if (yield.getCondition())
          return yield.emitOpError("has a condition, which a graph has not");
        return WalkResult::advance();
      }
      if (auto assign = dyn_cast<cin::AssignOp>(op)) {
        if (paths.assign)
          return assign.emitOpError("is a second assignment");
        paths.assign = assign;
        if (assign.getCondition() || assign.getFirst() || assign.isCombining())
          return assign.emitOpError(
              "depends on what is there or on a condition, and a graph makes "
              "the whole of its result");
        return WalkResult::advance();
      }
      if (isa<cin::AccessOp, cin::CallOp, cin::LiteralOp>(op))
        return WalkResult::advance();
      return op->emitOpError("has no block of a graph");
    };
    if (statement.walk<WalkOrder::PreOrder>(check).wasInterrupted())
      return failure();
    if (!paths.assign)
      return statement.emitOpError("assigns nothing");
    return success();
  }

  /// The variables of the levels that an element is found by.
  LogicalResult setPath(Operation *op, Value array, OperandRange indices,
                        AccessPath &path) {
    std::string name = paths.getName(array);
    auto assemble = array.getDefiningOp<cin::AssembleOp>();
    if (!isa<BlockArgument>(array) && !assemble)
      return op->emitOpError()
             << "is of '" << name << "', which is no array of the evaluation";
    if (assemble && (assemble.getCounting() || assemble.getLocating()))
      return op->emitOpError()
             << "is of '" << name << "', which is counted or located only";
    std::string reason;
    auto format = sam::TensorFormat::of(getTensorType(array), reason);
    if (!format)
      return op->emitOpError() << "is of '" << name << "', which " << reason;
    path.array = array;
    path.format = *format;
    for (unsigned level = 0; level < format->size(); ++level) {
      if (!format->levels[level].isOrdered)
        return op->emitOpError()
               << "is of '" << name << "', whose level " << level
               << " has coordinates that are not in order: store it as csf";
      auto variable = dyn_cast<BlockArgument>(indices[format->order[level]]);
      auto number = numbers.find(variable);
      if (!variable || number == numbers.end())
        return op->emitOpError()
               << "has an index of '" << name
               << "' that is no variable: graphs have no other indices";
      if (llvm::is_contained(path.variables, number->second))
        return op->emitOpError()
               << "has '" << paths.variables[number->second].name
               << "' as two indices of '" << name << "'";
      path.variables.push_back(number->second);
    }
    path.scopes.resize(paths.variables.size());
    return success();
  }

  LogicalResult collectAccesses() {
    WalkResult walk = paths.statement.walk([&](cin::AccessOp access) {
      if (access.getStored())
        return WalkResult(access.emitOpError(
            "asks whether an element is stored, which no block does"));
      AccessPath path;
      if (failed(setPath(access, access.getArray(), access.getIndices(), path)))
        return WalkResult::interrupt();
      for (auto [number, variable] : llvm::enumerate(paths.variables))
        path.scopes[number] =
            variable.argument.getOwner()->getParent()->isAncestor(
                access->getParentRegion());
      for (AccessPath &known : paths.accesses)
        if (known.array == path.array && known.variables == path.variables &&
            known.scopes == path.scopes) {
          known.accesses.push_back(access);
          return WalkResult::advance();
        }
      path.accesses.push_back(access);
      paths.accesses.push_back(std::move(path));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    for (auto [number, variable] : llvm::enumerate(paths.variables)) {
      variable.accesses.resize(paths.accesses.size());
      for (auto [access, path] : llvm::enumerate(paths.accesses))
        variable.accesses[access] = path.scopes[number];
    }
    return success();
  }

  LogicalResult collectResult() {
    cin::AssignOp assign = paths.assign;
    AccessPath &result = paths.result;
    if (failed(setPath(assign, assign.getArray(), assign.getIndices(), result)))
      return failure();
    for (auto [number, variable] : llvm::enumerate(paths.variables))
      result.scopes[number] = !variable.reduce;
    for (unsigned level = 0; level < result.format.size(); ++level)
      if (std::string reason = result.format.findUnwritten(level);
          !reason.empty())
        return assign.emitOpError()
               << "is to '" << paths.getName(assign.getArray())
               << "', whose level " << level << " " << reason;
    return success();
  }

  LogicalResult checkVariables() {
    for (auto [number, variable] : llvm::enumerate(paths.variables)) {
      bool isIndex = llvm::any_of(paths.accesses, [&](const AccessPath &path) {
        return path.scopes[number] && path.findLevel(number);
      });
      // Of the result, it is as long as whoever runs the graph says.
      if (!isIndex && variable.reduce)
        return paths.statement.emitOpError()
               << "has the variable '" << variable.name
               << "', which is no index of what is read: nothing says how many "
                  "values it has";
    }
    return success();
  }

  /// Values are elements, numbers, and what is computed of them.
  LogicalResult checkValue(Operation *op, Value value) {
    if (Operation *from = value.getDefiningOp()) {
      if (isa<cin::AccessOp, cin::CallOp, cin::LiteralOp, cin::ReduceOp>(from))
        return success();
      return op->emitOpError() << "computes with what '" << from->getName()
                               << "' says, and values of graphs are elements "
                                  "and numbers: pass it "
                                  "as a number";
    }
    auto variable = numbers.find(cast<BlockArgument>(value));
    if (variable == numbers.end())
      return success();
    std::string name = paths.variables[variable->second].name;
    return op->emitOpError()
           << "computes with the variable '" << name
           << "', and values of graphs are elements and numbers: read them of "
              "an array that has "
           << name << " at " << name;
  }

  LogicalResult checkValues() {
    auto check = [&](Operation *op) -> LogicalResult {
      if (auto yield = dyn_cast<cin::YieldOp>(op))
        return checkValue(yield, yield.getValue());
      if (auto assign = dyn_cast<cin::AssignOp>(op))
        return checkValue(assign, assign.getValue());
      if (auto call = dyn_cast<cin::CallOp>(op))
        for (Value operand : call.getOperands())
          if (failed(checkValue(call, operand)))
            return failure();
      return success();
    };
    WalkResult walk = paths.statement.walk([&](Operation *op) {
      return failed(check(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  StatementPaths paths;
  llvm::DenseMap<BlockArgument, unsigned> numbers;
};
} // namespace

FailureOr<StatementPaths> ember::collectPaths(cin::EvaluateOp evaluate) {
  return PathCollector(evaluate).run();
}
