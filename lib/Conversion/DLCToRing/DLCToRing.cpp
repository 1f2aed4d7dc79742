//===- DLCToRing.cpp - Access and compute as two functions ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/DLCToRing/Passes.h"

#include "AccessProgram.h"
#include "Captures.h"

#include "ember/Conversion/DLCToRing/ComputeHalf.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ember {
#define GEN_PASS_DEF_DLCTORING
#include "ember/Conversion/DLCToRing/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
/// Makes functions of one program.
class ProgramLowering {
public:
  ProgramLowering(ProgramOp program, StringRef name, SymbolTable &symbols,
                  RuntimeCalls &calls, const DLCToRingOptions &options)
      : program(program), name(name), symbols(symbols), calls(calls),
        options(options), accessCaptures(program.getAccess()),
        builder(program.getContext()) {}

  LogicalResult run(unsigned number);

private:
  func::FuncOp emitAccess(unsigned number);
  Value createRing(Type type);
  void emitRun(func::FuncOp accessHalf, ComputeHalf computeHalf);

  ProgramOp program;
  StringRef name;
  SymbolTable &symbols;
  RuntimeCalls &calls;
  const DLCToRingOptions &options;
  Captures accessCaptures;
  RingTypes types;
  OpBuilder builder;
};
} // namespace

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

func::FuncOp ProgramLowering::emitAccess(unsigned number) {
  func::FuncOp function =
      createHalf(program, (name + ".access." + Twine(number)).str(),
                 ring::Half::access, accessCaptures, types, {}, symbols);
  builder.setInsertionPointToStart(&function.getBody().front());
  IRMapping mapping;
  accessCaptures.map(builder, function.getArguments().drop_back(2), mapping);
  std::optional<Instrumentation> instrumentation;
  if (options.instrument)
    instrumentation.emplace(program, (name + "." + Twine(number)).str(), calls);
  AccessProgram access(program, mapping, getRings(function),
                       instrumentation ? &*instrumentation : nullptr);
  access.emit(builder);
  func::ReturnOp::create(builder, program.getLoc());
  return function;
}

//===----------------------------------------------------------------------===//
// In place of the program
//===----------------------------------------------------------------------===//

Value ProgramLowering::createRing(Type type) {
  IntegerAttr capacity;
  if (options.queueCapacity > 0)
    capacity = builder.getI64IntegerAttr(options.queueCapacity);
  return ring::CreateOp::create(builder, program.getLoc(), type, capacity);
}

void ProgramLowering::emitRun(func::FuncOp accessHalf,
                              ComputeHalf computeHalf) {
  builder.setInsertionPoint(program);
  Value rings[] = {createRing(types.data), createRing(types.tokens)};
  SmallVector<Value> accessArguments(accessCaptures.passed());
  SmallVector<Value> computeArguments(computeHalf.arguments);
  llvm::append_range(accessArguments, rings);
  llvm::append_range(computeArguments, rings);
  auto run =
      ring::RunOp::create(builder, program.getLoc(), program.getResultTypes(),
                          name, accessHalf.getName(), accessArguments,
                          computeHalf.function.getName(), computeArguments);
  program.replaceAllUsesWith(run.getResults());
  program.erase();
}

LogicalResult ProgramLowering::run(unsigned number) {
  FailureOr<RingTypes> chosen = chooseRingTypes(program);
  if (failed(chosen))
    return failure();
  types = *chosen;
  if (options.half == Halves::access) {
    emitAccess(number);
    return success();
  }
  if (options.half == Halves::compute) {
    emitComputeHalf(program, name, number, types, symbols);
    return success();
  }
  checkRootSegment(program);
  func::FuncOp accessHalf = emitAccess(number);
  emitRun(accessHalf, emitComputeHalf(program, name, number, types, symbols));
  return success();
}

namespace {
struct DLCToRing : public ember::impl::DLCToRingBase<DLCToRing> {
  using DLCToRingBase::DLCToRingBase;

  LogicalResult convert(FunctionOpInterface function, SymbolTable &symbols,
                        RuntimeCalls &calls) {
    DLCToRingOptions options{half, instrument, queueCapacity};
    for (auto [number, program] :
         llvm::enumerate(getNumberedPrograms(function))) {
      ProgramLowering lowering(program, function.getName(), symbols, calls,
                               options);
      if (failed(lowering.run(number)))
        return failure();
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyInFunctions(module)))
      return signalPassFailure();
    auto functions = llvm::to_vector(module.getOps<FunctionOpInterface>());
    SymbolTable symbols(module);
    RuntimeCalls calls(module);
    for (FunctionOpInterface function : functions)
      if (failed(convert(function, symbols, calls)))
        return signalPassFailure();
  }
};
} // namespace
