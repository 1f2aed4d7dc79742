//===- FromFunction.cpp - Functions as tensor operations ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Import/FromFunction.h"

#include "StatementReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::einsum;

namespace {
class FunctionReader {
public:
  FunctionReader(func::FuncOp function, const FunctionOptions &options)
      : function(function), options(options), table(program, options) {}

  FailureOr<Program> run() {
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return function.emitError("has to have one block of operations, to be "
                                "read as a graph");
    part = &program.body;
    for (BlockArgument argument : function.getArguments())
      if (isTensor(argument))
        table.find(argument);
    if (failed(readBlock(function.getBody().front())))
      return failure();
    markResults();
    if (llvm::Error error = program.inferShapes())
      return function.emitError(llvm::toString(std::move(error)));
    if (llvm::Error error = program.verify())
      return function.emitError(llvm::toString(std::move(error)));
    return std::move(program);
  }
  Origins takeOrigins() { return std::move(table.origins); }

private:
  static bool isTensor(mlir::Value value) {
    return isa<RankedTensorType>(value.getType());
  }
  /// Whether a value is one that operations compute.
  bool isTracked(mlir::Value value) const {
    return isTensor(value) || table.isKnown(value);
  }

  LogicalResult readBlock(Block &block) {
    for (mlir::Operation &op : block.without_terminator())
      if (failed(read(op)))
        return failure();
    return success();
  }

  LogicalResult read(mlir::Operation &op) {
    if (isa<scf::ForOp, scf::WhileOp>(op) && !hasLoop && !isInLoop &&
        llvm::any_of(op.getResults(), isTensor))
      return readLoop(op);
    if (auto evaluate = dyn_cast<cin::EvaluateOp>(op)) {
      if (llvm::any_of(evaluate.getOperands(), [](mlir::Value operand) {
            return isa<MemRefType>(operand.getType());
          }))
        return op.emitError(
            "is on memrefs; graphs of operations are read from "
            "functions of tensors, before these are bufferised");
      return readStatements(evaluate, table, *part);
    }
    if (isa<tensor::EmptyOp, bufferization::AllocTensorOp, linalg::FillOp>(
            op) ||
        (isa<arith::ConstantOp>(op) && isTensor(op.getResult(0)))) {
      table.blank.insert(op.getResult(0));
      return success();
    }
    if (isa<tensor::CastOp>(op) ||
        (isa<tensor::ExtractOp>(op) &&
         cast<ShapedType>(op.getOperand(0).getType()).getRank() == 0)) {
      table.set(op.getResult(0), table.find(op.getOperand(0)));
      return success();
    }
    if (auto contraction = dyn_cast<linalg::LinalgOp>(op))
      return readLinalg(contraction);
    return readWhole(op);
  }

  /// Adds an operation that needs all of its operands; none if it computes
  /// nothing from tensors.
  LogicalResult readWhole(mlir::Operation &op) {
    llvm::SetVector<mlir::Value> operands;
    for (mlir::Value operand : op.getOperands())
      if (isTracked(operand))
        operands.insert(operand);
    // What a region reads from outside, too.
    op.walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        if (isTracked(operand) &&
            !op.isProperAncestor(operand.getParentBlock()->getParentOp()) &&
            operand.getParentBlock()->getParentOp() != &op)
          operands.insert(operand);
    });
    // A size is none of what a tensor holds.
    if (operands.empty() || isa<tensor::DimOp>(op))
      return success();
    for (mlir::Value result : op.getResults()) {
      einsum::Operation operation;
      operation.kind = OperationKind::whole;
      operation.text = op.getName().getStringRef().str();
      for (mlir::Value operand : operands)
        if (!table.blank.contains(operand))
          operation.reads.push_back(byAllRanks(operation, table.find(operand)));
      std::string name = op.getName().stripDialect().str();
      unsigned tensor =
          isTensor(result) ? table.add(name, cast<ShapedType>(result.getType()))
                           : table.addScalar(name);
      operation.write = byAllRanks(operation, tensor);
      operation.name = std::to_string(part->size() + 1) + ":" + name;
      table.set(result, tensor);
      part->push_back(std::move(operation));
      table.origins.push_back(&op);
    }
    return success();
  }

  /// An access whose ranks are those of no other one.
  Access byAllRanks(einsum::Operation &operation, unsigned tensor) {
    Access access;
    access.tensor = tensor;
    for (unsigned dimension = 0;
         dimension < program.tensors[tensor].shape.size(); ++dimension) {
      access.ranks.push_back(operation.ranks.size());
      operation.ranks.push_back({"d" + std::to_string(operation.ranks.size())});
    }
    return access;
  }

  LogicalResult readLinalg(linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
      return readWhole(*op);
    einsum::Operation operation;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      operation.ranks.push_back({"d" + std::to_string(loop)});
    bool isReduction = op.getNumReductionLoops() > 0;
    operation.kind =
        isReduction ? OperationKind::einsum : OperationKind::elementwise;
    operation.text = op->getName().getStringRef().str();
    auto makeAccess = [&](OpOperand &operand, unsigned tensor) {
      Access access;
      access.tensor = tensor;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dimension, index] : llvm::enumerate(map.getResults())) {
        access.ranks.push_back(std::nullopt);
        if (auto loop = dyn_cast<AffineDimExpr>(index)) {
          access.ranks.back() = loop.getPosition();
          continue;
        }
        for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
          if (index.isFunctionOfDim(loop)) {
            access.ranks.back() = loop;
            access.windows.push_back(dimension);
            break;
          }
      }
      return access;
    };
    for (OpOperand *input : op.getDpsInputOperands())
      if (isTracked(input->get()))
        operation.reads.push_back(makeAccess(*input, table.find(input->get())));
    OpOperand *init = op.getDpsInitOperand(0);
    if (op.payloadUsesValueFromOperand(init) &&
        !table.blank.contains(init->get()))
      operation.reads.push_back(makeAccess(*init, table.find(init->get())));
    std::string name = op->getName().stripDialect().str();
    unsigned tensor =
        table.add(name, cast<ShapedType>(op->getResult(0).getType()));
    operation.write = makeAccess(*init, tensor);
    operation.name = std::to_string(part->size() + 1) + ":" + name;
    table.set(op->getResult(0), tensor);
    part->push_back(std::move(operation));
    table.origins.push_back(op);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  LogicalResult readLoop(mlir::Operation &op) {
    hasLoop = isInLoop = program.isLoop = true;
    program.before = std::move(program.body);
    program.body.clear();
    LogicalResult result = isa<scf::ForOp>(op)
                               ? readFor(cast<scf::ForOp>(op))
                               : readWhile(cast<scf::WhileOp>(op));
    isInLoop = false;
    part = &program.after;
    return result;
  }

  /// The tensors that hold what a loop carries.
  SmallVector<std::optional<unsigned>> enter(ValueRange arguments,
                                             ValueRange inits) {
    SmallVector<std::optional<unsigned>> current;
    for (auto [argument, init] : llvm::zip_equal(arguments, inits)) {
      if (!isTracked(argument) && !isTracked(init)) {
        // A scalar that the loop may compute from tensors.
        if (!argument.getType().isIntOrFloat()) {
          current.push_back(std::nullopt);
          continue;
        }
      }
      bool isKnown = table.isKnown(init);
      unsigned tensor =
          isTensor(argument)
              ? table.add(isKnown ? program.tensors[table.find(init)].name
                                  : "carried",
                          cast<ShapedType>(argument.getType()))
              : table.addScalar("carried");
      program.tensors[tensor].isInput = true;
      table.set(argument, tensor);
      if (isKnown)
        program.initial.push_back({tensor, table.find(init)});
      current.push_back(tensor);
    }
    return current;
  }

  void leave(ArrayRef<std::optional<unsigned>> current, ValueRange yielded) {
    for (auto [tensor, value] : llvm::zip_equal(current, yielded)) {
      if (!tensor || (!isTensor(value) && !table.isKnown(value)))
        continue;
      unsigned next = table.find(value);
      if (next != *tensor)
        program.carried.push_back({*tensor, next});
      if (options.keepsCarried)
        program.tensors[*tensor].isOutput = true;
    }
  }

  LogicalResult readFor(scf::ForOp loop) {
    auto current = enter(loop.getRegionIterArgs(), loop.getInitArgs());
    if (failed(readBlock(*loop.getBody())))
      return failure();
    leave(current, loop.getYieldedValues());
    for (auto [tensor, result] : llvm::zip_equal(current, loop.getResults()))
      if (tensor)
        table.set(result, *tensor);
    return success();
  }

  LogicalResult readWhile(scf::WhileOp loop) {
    auto current = enter(loop.getBeforeArguments(), loop.getInits());
    if (failed(readBlock(*loop.getBeforeBody())))
      return failure();
    ValueRange passed = loop.getConditionOp().getArgs();
    for (auto [argument, value] :
         llvm::zip_equal(loop.getAfterArguments(), passed))
      if (isTracked(value))
        table.set(argument, table.find(value));
    if (failed(readBlock(*loop.getAfterBody())))
      return failure();
    leave(current, loop.getYieldOp().getOperands());
    for (auto [result, value] : llvm::zip_equal(loop.getResults(), passed))
      if (isTracked(value))
        table.set(result, table.find(value));
    return success();
  }

  void markResults() {
    for (mlir::Value result :
         function.getBody().front().getTerminator()->getOperands())
      if (table.isKnown(result))
        program.tensors[table.find(result)].isOutput = true;
    // What the loop alone leaves to operations behind it.
    llvm::DenseSet<unsigned> written;
    for (const einsum::Operation &operation : program.after) {
      for (const Access &read : operation.reads)
        if (!written.contains(read.tensor))
          program.tensors[read.tensor].isOutput |= isWrittenInLoop(read.tensor);
      written.insert(operation.write.tensor);
    }
  }

  bool isWrittenInLoop(unsigned tensor) const {
    return llvm::any_of(program.body,
                        [&](const einsum::Operation &operation) {
                          return operation.write.tensor == tensor;
                        }) ||
           llvm::any_of(program.carried, [&](const Carried &pair) {
             return pair.current == tensor;
           });
  }

  func::FuncOp function;
  const FunctionOptions &options;
  Program program;
  TensorTable table;
  std::vector<einsum::Operation> *part = nullptr;
  bool hasLoop = false, isInLoop = false;
};
} // namespace

FailureOr<Program> einsum::readFunction(func::FuncOp function,
                                        const FunctionOptions &options,
                                        Origins *origins) {
  FunctionReader reader(function, options);
  FailureOr<Program> program = reader.run();
  if (origins)
    *origins = reader.takeOrigins();
  return program;
}
