//===- RingToTMU.cpp - Code beside a TMU ----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/RingToTMU/Passes.h"

#include "ChunkCode.h"
#include "LaunchCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {
#define GEN_PASS_DEF_RINGTOTMU
#include "ember/Conversion/RingToTMU/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {
struct RingToTMU : public ember::impl::RingToTMUBase<RingToTMU> {
  using RingToTMUBase::RingToTMUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    // In the order of the configuration.
    SmallVector<tmu::ProgramOp> programs;
    for (auto function : module.getOps<FunctionOpInterface>())
      function.walk(
          [&](tmu::ProgramOp program) { programs.push_back(program); });
    for (tmu::ProgramOp program : programs) {
      auto compute = symbols.lookup<func::FuncOp>(program.getCompute());
      if (!program.getMachineAttr()) {
        program.emitOpError("is mapped to no machine, of which chunks are; "
                            "--map-tmu does that");
        return signalPassFailure();
      }
      if (failed(lowerComputeHalf(compute, program)))
        return signalPassFailure();
    }
    RuntimeCalls calls(module);
    for (auto [number, program] : llvm::enumerate(programs))
      lowerLaunch(program, static_cast<int64_t>(number), calls);
  }
};
} // namespace
