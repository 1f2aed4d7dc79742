//===- BufferizableOpInterface.cpp - Embedding operations on memrefs ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Embed/Transforms/BufferizableOpInterface.h"
#include "ember/Dialect/Embed/IR/Embed.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace ember::embed;

namespace {
template <typename OpTy>
struct Bufferization : bufferization::DstBufferizableOpInterfaceExternalModel<
                           Bufferization<OpTy>, OpTy> {
  /// The init is overwritten as a whole.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
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
    Operation *onBuffers = Operation::create(
        op->getLoc(), op->getName(), TypeRange(), operands,
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        BlockRange(), /*numRegions=*/0);
    rewriter.insert(onBuffers);
    auto destination = cast<DestinationStyleOpInterface>(onBuffers);
    bufferization::replaceOpWithBufferizedValues(rewriter, op,
                                                 destination.getDpsInits());
    return success();
  }
};
} // namespace

void ember::embed::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, EmbedDialect *) {
    auto attach = [&]<typename... Ops>() {
      (Ops::template attachInterface<Bufferization<Ops>>(*context), ...);
    };
    attach.operator()<BagOp, SpMMOp, SDDMMOp, MessageOp, ScoreOp, GatherOp,
                      BlockScoresOp, BlockValuesOp>();
  });
}
