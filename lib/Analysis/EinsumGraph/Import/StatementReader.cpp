//===- StatementReader.cpp - Statements as tensor operations --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace ember;
using namespace ember::einsum;

//===----------------------------------------------------------------------===//
// Tensors of values
//===----------------------------------------------------------------------===//

unsigned TensorTable::add(StringRef name, ShapedType type) {
  unsigned tensor = program.addTensor(name, type.getShape());
  describe(tensor, name, {});
  return tensor;
}

unsigned TensorTable::addScalar(StringRef name) {
  return program.addTensor(name, {});
}

unsigned TensorTable::find(mlir::Value value) {
  if (auto known = tensors.find(value); known != tensors.end())
    return known->second;
  auto type = dyn_cast<ShapedType>(value.getType());
  auto argument = dyn_cast<BlockArgument>(value);
  std::string name =
      argument ? "arg" + std::to_string(argument.getArgNumber()) : "value";
  unsigned tensor = type ? add(name, type) : addScalar(name);
  program.tensors[tensor].isInput = true;
  tensors[value] = tensor;
  return tensor;
}

void TensorTable::describe(unsigned number, StringRef name, mlir::Value array) {
  Tensor &tensor = program.tensors[number];
  if (array && !name.empty() && named.insert(number).second)
    tensor.name = name.str();
  auto given = options.shapes.find(tensor.name);
  for (auto [dimension, size] : llvm::enumerate(tensor.shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    if (given != options.shapes.end() && dimension < given->second.sizes.size())
      size = given->second.sizes[dimension];
    else if (array)
      size = cin::getHintedSize({array, unsigned(dimension)}).value_or(size);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {
class StatementReader {
public:
  StatementReader(cin::EvaluateOp evaluate, TensorTable &table,
                  std::vector<einsum::Operation> &part)
      : evaluate(evaluate), table(table), part(part) {}

  LogicalResult run() {
    for (BlockArgument argument : evaluate.getBody()->getArguments()) {
      mlir::Value operand = evaluate.getOperandOf(argument).get();
      bool isArray = isa<ShapedType>(argument.getType());
      if (!isArray && !table.isKnown(operand))
        continue;
      if (evaluate.isInit(argument) && table.blank.contains(operand)) {
        unassigned.insert(argument);
        continue;
      }
      unsigned tensor = table.find(operand);
      if (isArray)
        table.describe(tensor, evaluate.getNameOf(argument), argument);
      arrays[argument] = tensor;
    }
    for (mlir::Operation &op : *evaluate.getBody())
      if (failed(readOperation(op)))
        return failure();
    for (auto [result, init] :
         llvm::zip(evaluate.getResults(),
                   evaluate.getBody()->getArguments().take_back(
                       evaluate.getNumResults()))) {
      if (arrays.count(init))
        table.set(result, arrays.lookup(init));
      else
        table.blank.insert(result);
    }
    // What memrefs hold behind it.
    for (BlockArgument argument : evaluate.getBody()->getArguments())
      if (evaluate.isInit(argument) && isa<MemRefType>(argument.getType()))
        table.set(evaluate.getOperandOf(argument).get(),
                  arrays.lookup(argument));
    return success();
  }

private:
  LogicalResult readOperation(mlir::Operation &op) {
    if (auto statement = dyn_cast<cin::ForallOp>(op))
      return readStatement(statement);
    if (auto assemble = dyn_cast<cin::AssembleOp>(op))
      return readAssembly(assemble);
    if (auto temporary = dyn_cast<cin::TemporaryOp>(op)) {
      unassigned.insert(temporary.getResult());
      return success();
    }
    // What names sizes and numbers is no operation on tensors.
    if (isa<cin::LiteralOp, cin::ExtentOp, cin::ApplyOp, cin::SameSizeOp>(op))
      return success();
    return op.emitError("is nothing that a graph of tensor operations is made "
                        "of: it takes statements that are not concrete yet");
  }

  /// A CSR matrix has the name of its values: it is the same one in each
  /// evaluation of them.
  LogicalResult readAssembly(cin::AssembleOp assemble) {
    auto type = cast<cin::ArrayType>(assemble.getType());
    ArrayRef<cin::Level> levels = type.getFormat().getLevels();
    bool isCsr = levels.size() == 2 &&
                 levels[0].kind == cin::LevelKind::dense &&
                 levels[1].kind == cin::LevelKind::compressed &&
                 type.getFormat().getDimensionOf(0) == 0;
    std::string name = assemble.getName().value_or("A").str();
    if (!isCsr)
      return assemble.emitError("'")
             << name << "' is stored in a format that graphs of tensor "
             << "operations do not know; CSR matrices and dense tensors are";
    auto values = dyn_cast<BlockArgument>(assemble.getValues());
    if (!values || evaluate.isInit(values))
      return assemble.emitError("'")
             << name << "' is a result in a format; graphs of tensor "
             << "operations have dense results";
    mlir::Value operand = evaluate.getOperandOf(values).get();
    unsigned stored = arrays.lookup(values);
    unsigned matrix;
    if (auto known = table.matrices.find(operand);
        known != table.matrices.end()) {
      matrix = known->second;
    } else {
      matrix = table.program.addTensor(name, type.getShape());
      table.describe(matrix, name, assemble.getResult());
    }
    Tensor &tensor = table.program.tensors[matrix];
    tensor.storage = Storage::csr;
    tensor.isInput = true;
    tensor.nonzeros = countNonzeros(assemble, tensor, stored);
    if (tensor.nonzeros <= 0)
      return assemble.emitError("how many elements of '")
             << name << "' are stored is not known: say it in the type of its "
             << "values, in cin.hints or by --shape " << name
             << "=ROWSxCOLUMNS:STORED";
    table.matrices[operand] = matrix;
    table.set(operand, stored);
    arrays[assemble.getResult()] = matrix;
    return success();
  }

  int64_t countNonzeros(cin::AssembleOp assemble, const Tensor &matrix,
                        unsigned stored) const {
    auto given = table.options.shapes.find(matrix.name);
    if (given != table.options.shapes.end() && given->second.nonzeros)
      return *given->second.nonzeros;
    int64_t size = table.program.tensors[stored].shape[0];
    if (!ShapedType::isDynamic(size))
      return size;
    std::optional<double> density = cin::getHintedDensity(assemble.getResult());
    if (!density || llvm::any_of(matrix.shape, ShapedType::isDynamic))
      return 0;
    return std::llround(*density * double(matrix.shape[0]) *
                        double(matrix.shape[1]));
  }

  unsigned arrayOf(mlir::Value array) { return arrays.lookup(array); }

  LogicalResult readStatement(cin::ForallOp statement) {
    einsum::Operation operation;
    ranks.clear();
    SmallVector<BlockArgument> variables = cin::getBoundVariables(statement);
    for (BlockArgument variable : variables) {
      unsigned number = operation.ranks.size();
      std::string name = cin::getVariableName(variable);
      // Two variables may have one name, and others have none.
      if (!llvm::isAlpha(name.front()) ||
          llvm::any_of(operation.ranks,
                       [&](const Rank &rank) { return rank.name == name; }))
        name = "d" + std::to_string(number);
      ranks[variable] = number;
      operation.ranks.push_back({name});
    }
    cin::AssignOp assign;
    WalkResult walk = statement.walk([&](mlir::Operation *op) {
      if (isa<cin::WhereOp>(op)) {
        op->emitError("graphs of tensor operations are made of statements "
                      "before they are concrete");
        return WalkResult::interrupt();
      }
      auto other = dyn_cast<cin::AssignOp>(op);
      if (!other)
        return WalkResult::advance();
      if (assign && assign.getArray() != other.getArray()) {
        other.emitError("the statement assigns to several arrays, and an "
                        "operation of a graph writes one");
        return WalkResult::interrupt();
      }
      assign = other;
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    // Nothing is done.
    if (!assign)
      return success();
    readAccesses(statement, assign, operation);
    setOccupancies(variables, operation);
    writeResult(assign, operation);
    part.push_back(std::move(operation));
    table.origins.push_back(statement);
    return success();
  }

  /// An access of what `array` holds, the tensor of that number.
  Access makeAccess(unsigned tensor, mlir::Value array, ValueRange indices) {
    Access access;
    access.tensor = tensor;
    for (auto [dimension, index] : llvm::enumerate(indices)) {
      access.ranks.push_back(std::nullopt);
      if (auto variable = dyn_cast<BlockArgument>(index)) {
        access.ranks.back() = ranks.lookup(variable);
        // As positions, of which there is one more than rows.
        cin::ArrayDimension place{array, unsigned(dimension)};
        if (llvm::is_contained(cin::getLongerDimensions(variable), place))
          access.windows.push_back(dimension);
      } else if (auto apply = index.getDefiningOp<cin::ApplyOp>()) {
        // Of `x[i + r]`, the first one is that which tiles are made of.
        for (mlir::Value operand : apply.getOperands())
          if (auto part = dyn_cast<BlockArgument>(operand);
              part && ranks.contains(part)) {
            access.ranks.back() = ranks.lookup(part);
            access.windows.push_back(dimension);
            break;
          }
      }
    }
    return access;
  }

  void addRead(einsum::Operation &operation, Access access) {
    if (!llvm::is_contained(operation.reads, access))
      operation.reads.push_back(std::move(access));
  }

  void readAccesses(cin::ForallOp statement, cin::AssignOp assign,
                    einsum::Operation &operation) {
    bool isReduction = false, isProduct = true, hasCall = false;
    auto readScalars = [&](mlir::Operation *op) {
      for (mlir::Value operand : op->getOperands())
        if (auto known = arrays.find(operand);
            known != arrays.end() && !isa<ShapedType>(operand.getType()))
          addRead(operation, makeAccess(known->second, operand, {}));
    };
    statement.walk([&](mlir::Operation *op) {
      readScalars(op);
      isReduction |= isa<cin::ReduceOp>(op);
      if (auto call = dyn_cast<cin::CallOp>(op)) {
        cin::Function function = call.getFunction();
        bool isConversion = function.is("convert");
        hasCall |= !isConversion;
        isProduct &= isConversion || function.is("mul") || function.is("add") ||
                     function.is("sub") || function.is("neg");
      }
      if (auto access = dyn_cast<cin::AccessOp>(op))
        if (!unassigned.contains(access.getArray()))
          addRead(operation,
                  makeAccess(arrayOf(access.getArray()), access.getArray(),
                             access.getIndices()));
    });
    bool isKept = !cin::assignsAll(assign);
    if (isKept && !unassigned.contains(assign.getArray()))
      addRead(operation, makeAccess(arrayOf(assign.getArray()),
                                    assign.getArray(), assign.getIndices()));
    operation.kind =
        isReduction || assign.isCombining() || (hasCall && isProduct)
            ? OperationKind::einsum
            : OperationKind::elementwise;
  }

  /// Of `p in pos[i]:pos[i+1]`, how long segments are on average.
  void setOccupancies(ArrayRef<BlockArgument> variables,
                      einsum::Operation &operation) {
    for (BlockArgument variable : variables) {
      mlir::Value lower = lowerBoundOf(variable);
      auto access =
          lower ? lower.getDefiningOp<cin::AccessOp>() : cin::AccessOp();
      if (!access || access.getIndices().size() != 1 ||
          !arrays.contains(access.getArray()))
        continue;
      int64_t positions =
          table.program.tensors[arrayOf(access.getArray())].shape[0];
      for (cin::ArrayDimension place : cin::getIndexedDimensions(variable)) {
        if (!arrays.contains(place.array))
          continue;
        int64_t size =
            table.program.tensors[arrayOf(place.array)].shape[place.dimension];
        if (ShapedType::isDynamic(size) || ShapedType::isDynamic(positions) ||
            positions < 2)
          continue;
        operation.ranks[ranks.lookup(variable)].occupancy =
            double(size) / double(positions - 1);
        break;
      }
    }
  }

  static mlir::Value lowerBoundOf(BlockArgument variable) {
    unsigned number = variable.getArgNumber();
    mlir::Operation *parent = variable.getOwner()->getParentOp();
    if (auto forall = dyn_cast<cin::ForallOp>(parent))
      return forall.getLower(number);
    if (auto reduce = dyn_cast<cin::ReduceOp>(parent))
      return reduce.getLower(number);
    return {};
  }

  void writeResult(cin::AssignOp assign, einsum::Operation &operation) {
    mlir::Value array = assign.getArray();
    std::string name = evaluate.getNameOf(array);
    if (auto temporary = array.getDefiningOp<cin::TemporaryOp>())
      name = temporary.getName().value_or(name).str();
    unsigned tensor = table.program.addTensor(
        name, cast<ShapedType>(array.getType()).getShape());
    table.describe(tensor, name, array);
    operation.write = makeAccess(tensor, array, assign.getIndices());
    operation.name = std::to_string(part.size() + 1) + ":" + name;
    operation.text = name + " " + (assign.isCombining() ? "+= " : "= ") +
                     cin::describeExpression(assign.getValue());
    arrays[array] = tensor;
    unassigned.erase(array);
  }

  cin::EvaluateOp evaluate;
  TensorTable &table;
  std::vector<einsum::Operation> &part;
  /// What arrays and scalars of the evaluation hold, and which hold nothing
  /// yet.
  llvm::DenseMap<mlir::Value, unsigned> arrays;
  llvm::DenseSet<mlir::Value> unassigned;
  llvm::DenseMap<BlockArgument, unsigned> ranks;
};
} // namespace

LogicalResult einsum::readStatements(cin::EvaluateOp evaluate,
                                     TensorTable &table,
                                     std::vector<einsum::Operation> &part) {
  return StatementReader(evaluate, table, part).run();
}

FailureOr<Program> einsum::readEvaluation(cin::EvaluateOp evaluate,
                                          const FunctionOptions &options,
                                          Origins *origins) {
  Program program;
  TensorTable table(program, options);
  if (failed(readStatements(evaluate, table, program.body)))
    return failure();
  bool onTensors = evaluate.getNumResults() > 0;
  for (mlir::Value left : onTensors ? mlir::ValueRange(evaluate.getResults())
                                    : mlir::ValueRange(evaluate.getInits()))
    if (table.isKnown(left))
      program.tensors[table.find(left)].isOutput = true;
  if (llvm::Error error = program.inferShapes())
    return evaluate.emitError(llvm::toString(std::move(error)));
  if (llvm::Error error = program.verify())
    return evaluate.emitError(llvm::toString(std::move(error)));
  if (origins)
    *origins = std::move(table.origins);
  return std::move(program);
}
