//===- BufferizableOpInterface.cpp - Statements on memrefs ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/BufferizableOpInterface.h"
#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// Results are in the memory of what they are tied to, as far as nobody else
/// needs that. What no statement assigns to is still there, so outs are read.
struct Bufferization
    : bufferization::DstBufferizableOpInterfaceExternalModel<Bufferization,
                                                             EvaluateOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto evaluate = cast<EvaluateOp>(op);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    size_t inputs = evaluate.getInputs().size();
    auto onBuffers = EvaluateOp::create(rewriter, op->getLoc(), TypeRange(),
                                        ValueRange(operands).take_front(inputs),
                                        ValueRange(operands).drop_front(inputs),
                                        evaluate.getNamesAttr());
    Region &body = onBuffers.getRegion();
    body.takeBody(evaluate.getRegion());
    for (auto [argument, buffer] :
         llvm::zip_equal(body.getArguments(), operands))
      argument.setType(buffer.getType());
    // Workspaces and temporaries, too, are tensors or memrefs as all else is.
    auto moveToMemory = [](Value array) {
      if (auto type = dyn_cast<RankedTensorType>(array.getType()))
        array.setType(MemRefType::get(type.getShape(), type.getElementType()));
    };
    body.walk([&](WhereOp where) {
      for (Region &region : where->getRegions())
        moveToMemory(region.getArgument(0));
    });
    for (auto temporary : body.getOps<TemporaryOp>())
      moveToMemory(temporary);
    for (auto reserve : body.getOps<ReserveOp>())
      for (Value array : reserve.getArrays())
        moveToMemory(array);
    for (auto scan : body.getOps<ScanOp>())
      moveToMemory(scan);
    for (auto regroup : body.getOps<RegroupOp>())
      for (Value array : regroup.getResults())
        moveToMemory(array);
    bufferization::replaceOpWithBufferizedValues(rewriter, op,
                                                 onBuffers.getInits());
    return success();
  }
};
} // namespace

void ember::cin::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CINDialect *) {
    EvaluateOp::attachInterface<Bufferization>(*context);
  });
}
