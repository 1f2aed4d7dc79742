//===- NarrowOperands.cpp - Push once what all lanes have -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "ScalarOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::dlc {
#define GEN_PASS_DEF_NARROWOPERANDS
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// The stream of scalars that `push` has in all lanes; null if it has others.
static FwdStrOp getSplat(RegisterOperandOp push) {
  auto forward = push.getStream().getDefiningOp<FwdStrOp>();
  bool isSplat = forward && !push.getLane() &&
                 isa<VectorType>(push.getOperandType()) &&
                 !slc::lanesOf(slc::stripStream(forward.getInput().getType()));
  return isSplat ? forward : FwdStrOp();
}

/// A stream of the scalar itself.
static Value createScalarStream(FwdStrOp splat) {
  Value scalar = splat.getInput();
  if (isa<slc::StreamType>(scalar.getType()))
    return scalar;
  OpBuilder builder(splat);
  return FwdStrOp::create(builder, splat.getLoc(),
                          slc::StreamType::get(scalar.getType()), splat.getTu(),
                          scalar);
}

/// Pops one element, and has it in all lanes, in place of `pop`.
static void popScalar(PopOperandOp pop, Type type) {
  OpBuilder builder(pop);
  Value scalar =
      PopOperandOp::create(builder, pop.getLoc(), type, /*size=*/Value());
  Value vector = vector::BroadcastOp::create(builder, pop.getLoc(),
                                             pop.getResult().getType(), scalar);
  pop.replaceAllUsesWith(vector);
  pop.erase();
}

namespace {
struct NarrowOperands
    : public ember::dlc::impl::NarrowOperandsBase<NarrowOperands> {
  void runOnOperation() override {
    for (ProgramOp program : getNumberedPrograms(getOperation()))
      for (CaseParts &parts : collectCases(program.getComputeLoop()))
        for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops)) {
          FwdStrOp splat = getSplat(push);
          if (!splat || pop.getSize())
            continue;
          Value scalar = createScalarStream(splat);
          push.getStreamMutable().assign(scalar);
          popScalar(pop, slc::getStreamElementType(scalar.getType()));
          if (splat->use_empty())
            splat.erase();
        }
  }
};
} // namespace
