//===- BufferizableOpInterface.cpp - Columns on memrefs -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   insert_columns @column into %w at [0, 8] from (%x, %y)
//     ->   %v = call @column(%x, %w, 0);  call @column(%y, %v, 8)
//
// The analysis of tensors sees one operation, whatever the number of columns.
// It takes time that grows with the square of a chain of calls, and more.
//
//   ids = text_ids bytes at places by recipe
//     ->   ids = alloc;  call @ember_texts_to_ids(addresses and sizes of these)
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/Transforms/BufferizableOpInterface.h"
#include "RuntimeWriter.h"

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace ember::col;

namespace {
struct InsertColumnsBufferization
    : bufferization::BufferizableOpInterface::ExternalModel<
          InsertColumnsBufferization, InsertColumnsOp> {
  static bool isWhole(Operation *op, OpOperand &operand) {
    return operand.get() == cast<InsertColumnsOp>(op).getWhole() &&
           operand.getOperandNumber() == 0;
  }

  /// What is beside the columns stays, so that it counts as read.
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const bufferization::AnalysisState &) const {
    return isWhole(op, operand);
  }

  bufferization::AliasingValueList
  getAliasingValues(Operation *op, OpOperand &operand,
                    const bufferization::AnalysisState &) const {
    if (!isWhole(op, operand))
      return {};
    return {{op->getResult(0), bufferization::BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto insert = cast<InsertColumnsOp>(op);
    auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        insert, insert.getCalleeAttr());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    // The function may be on memrefs already, or not yet.
    auto getMemRefType = [&](Type type) {
      if (auto tensor = dyn_cast<TensorType>(type))
        return cast<MemRefType>(options.functionArgTypeConverterFn(
            cast<bufferization::TensorLikeType>(type),
            *options.defaultMemorySpaceFn(tensor), function, options));
      return cast<MemRefType>(type);
    };
    auto getArgument = [&](Value tensor, unsigned number) -> FailureOr<Value> {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, tensor, options, state);
      MemRefType type =
          getMemRefType(function.getFunctionType().getInput(number));
      if (failed(buffer) || buffer->getType() == type)
        return buffer;
      return bufferization::castOrReallocMemRefValue(rewriter, *buffer, type,
                                                     options);
    };
    unsigned count = insert.getTensorsPerColumn();
    FailureOr<Value> whole = getArgument(insert.getWhole(), count);
    if (failed(whole))
      return failure();
    for (auto [column, place] : llvm::enumerate(insert.getPlaces())) {
      SmallVector<Value> operands;
      for (auto [number, tensor] :
           llvm::enumerate(insert.getTensorsOf(column))) {
        FailureOr<Value> argument = getArgument(tensor, number);
        if (failed(argument))
          return failure();
        operands.push_back(*argument);
      }
      operands.push_back(*whole);
      operands.push_back(
          arith::ConstantIndexOp::create(rewriter, op->getLoc(), place));
      whole =
          func::CallOp::create(rewriter, op->getLoc(), function.getSymName(),
                               whole->getType(), operands)
              .getResult(0);
    }
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *whole);
    return success();
  }
};
/// An operation that the runtime computes from tensors of its operands, in
/// memory that it fills.
template <typename Op>
struct RuntimeBufferization
    : bufferization::BufferizableOpInterface::ExternalModel<
          RuntimeBufferization<Op>, Op> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const bufferization::AnalysisState &) const {
    return false;
  }
  bufferization::AliasingValueList
  getAliasingValues(Operation *, OpOperand &,
                    const bufferization::AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      // One element behind the other, as the runtime reads them.
      auto type = cast<MemRefType>(buffer->getType());
      auto plain = MemRefType::get(type.getShape(), type.getElementType());
      if (type != plain)
        buffer = bufferization::castOrReallocMemRefValue(rewriter, *buffer,
                                                         plain, options);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    RuntimeWriter writer(rewriter, op);
    bufferization::replaceOpWithBufferizedValues(
        rewriter, op, writer.write(cast<Op>(op), buffers));
    return success();
  }
};
} // namespace

void ember::col::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ColDialect *) {
    InsertColumnsOp::attachInterface<InsertColumnsBufferization>(*context);
    TextIdsOp::attachInterface<RuntimeBufferization<TextIdsOp>>(*context);
    PartIdsOp::attachInterface<RuntimeBufferization<PartIdsOp>>(*context);
    OrderRowsOp::attachInterface<RuntimeBufferization<OrderRowsOp>>(*context);
  });
}
