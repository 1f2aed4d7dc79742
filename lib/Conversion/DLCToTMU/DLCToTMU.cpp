//===- DLCToTMU.cpp - Access programs as configurations -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/DLCToTMU/Passes.h"

#include "AccessConfiguration.h"

#include "ember/Conversion/DLCToRing/ComputeHalf.h"
#include "ember/Dialect/Ember/IR/Ember.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember {
#define GEN_PASS_DEF_DLCTOTMU
#include "ember/Conversion/DLCToTMU/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

/// How the units of `program` are spread over lanes, from the outermost one on.
static FailureOr<SmallVector<LanePlan>> planUnits(dlc::ProgramOp program,
                                                  int64_t lanes) {
  SmallVector<LanePlan> plans;
  for (auto unit : program.getAccessBody()->getOps<dlc::NewTUOp>()) {
    FailureOr<LanePlan> plan = planLanes(unit, lanes);
    if (failed(plan))
      return failure();
    plans.push_back(*plan);
  }
  return plans;
}

static LogicalResult convertProgram(dlc::ProgramOp program, StringRef name,
                                    unsigned number, int64_t lanes,
                                    SymbolTable &symbols) {
  FailureOr<SmallVector<LanePlan>> plans = planUnits(program, lanes);
  FailureOr<RingTypes> types = chooseRingTypes(program);
  if (failed(plans) || failed(types))
    return failure();
  checkRootSegment(program);
  ComputeHalf compute = emitComputeHalf(program, name, number, *types, symbols);
  OpBuilder builder(program);
  auto configured = tmu::ProgramOp::create(
      builder, program.getLoc(), program.getResultTypes(), ValueRange(),
      compute.function.getName(), compute.arguments, tmu::MachineAttr());
  builder.createBlock(&configured.getConfiguration());
  tmu::EndOp::create(builder, program.getLoc());
  AccessConfiguration(program, configured, *plans).build();
  program.replaceAllUsesWith(configured.getResults());
  program.erase();
  return success();
}

namespace {
struct DLCToTMU : public ember::impl::DLCToTMUBase<DLCToTMU> {
  using DLCToTMUBase::DLCToTMUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (lanes < 1) {
      emitError(module.getLoc()) << "dlc-to-tmu: a unit has at least one lane, "
                                    "not "
                                 << static_cast<int64_t>(lanes);
      return signalPassFailure();
    }
    if (failed(verifyInFunctions(module)))
      return signalPassFailure();
    // All of them first: programs that are converted are not found any more.
    WalkResult checked = module.walk([](dlc::ProgramOp program) {
      return WalkResult(verifyUnitRules(program));
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    auto functions = llvm::to_vector(module.getOps<FunctionOpInterface>());
    SymbolTable symbols(module);
    for (FunctionOpInterface function : functions)
      for (auto [number, program] :
           llvm::enumerate(dlc::getNumberedPrograms(function)))
        if (failed(convertProgram(program, function.getName(), number, lanes,
                                  symbols)))
          return signalPassFailure();
  }
};
} // namespace
