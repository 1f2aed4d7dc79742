//===- RingToNative.cpp - Rings as queues of the runtime ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/RingToNative/Passes.h"

#include "Environment.h"
#include "HalfLowering.h"

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Runtime/Runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace ember {
#define GEN_PASS_DEF_RINGTONATIVE
#include "ember/Conversion/RingToNative/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using namespace ember::ring;

namespace {
/// Replaces one run of two halves by a call of the runtime.
class RunLowering {
public:
  RunLowering(RunOp run, SymbolTable &symbols, RuntimeCalls &calls)
      : run(run), symbols(symbols), calls(calls), environment(run.getContext()),
        builder(run.getContext()) {}

  LogicalResult lower();

private:
  LogicalResult readRings();
  LogicalResult addFields();
  LLVM::LLVMFuncOp createEntry(func::FuncOp half, OperandRange arguments);
  LLVM::GlobalOp createProgram(const Twine &programName,
                               LLVM::LLVMFuncOp accessEntry,
                               LLVM::LLVMFuncOp computeEntry);
  void emitCall(LLVM::GlobalOp program);

  RunOp run;
  SymbolTable &symbols;
  RuntimeCalls &calls;
  /// What the rings hold, and 0 where nothing says how many of it.
  int64_t operandBytes = slotBytes, capacity = 0;
  Environment environment;
  OpBuilder builder;
};
} // namespace

static auto withoutRings(OperandRange arguments) {
  return llvm::make_filter_range(
      arguments, [](Value value) { return !isRing(value.getType()); });
}

/// The runtime makes both rings, with one capacity.
LogicalResult RunLowering::readRings() {
  std::optional<int64_t> common;
  for (Value ring : run.getAccessArgs()) {
    if (!isRing(ring.getType()))
      continue;
    auto create = ring.getDefiningOp<CreateOp>();
    if (!create)
      return run.emitOpError("runs with a ring that its function did not "
                             "create; a program on threads has its own");
    if (auto data = dyn_cast<DataType>(ring.getType()))
      operandBytes = data.getOperandBytes();
    auto held = static_cast<int64_t>(create.getCapacity().value_or(0));
    if (common && *common != held)
      return create.emitOpError("holds ")
             << held << " where the program's other ring holds " << *common
             << "; on threads, both hold as many";
    common = held;
  }
  capacity = common.value_or(0);
  return success();
}

LogicalResult RunLowering::addFields() {
  auto add = [&](Value value) -> LogicalResult {
    if (succeeded(environment.addField(value)))
      return success();
    return run.emitOpError("hands over a value of type ")
           << value.getType() << ", which has no form in memory";
  };
  for (OperandRange arguments : {run.getAccessArgs(), run.getComputeArgs()})
    for (Value value : withoutRings(arguments))
      if (failed(add(value)))
        return failure();
  for (Value result : run.getResults())
    if (failed(add(result)))
      return failure();
  return success();
}

/// Emits the function the runtime calls: takes the arguments of `half` from the
/// environment, and puts its results there.
LLVM::LLVMFuncOp RunLowering::createEntry(func::FuncOp half,
                                          OperandRange arguments) {
  MLIRContext *context = builder.getContext();
  Location loc = half.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer});
  builder.clearInsertionPoint();
  auto entry =
      LLVM::LLVMFuncOp::create(builder, loc, (half.getName() + ".entry").str(),
                               type, LLVM::Linkage::Internal);
  entry.setArgAttr(1, LLVM::LLVMDialect::getNoAliasAttrName(),
                   builder.getUnitAttr());
  symbols.insert(entry);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  Value shared = entry.getArgument(0);
  SmallVector<Value> passed;
  for (Value value : withoutRings(arguments))
    passed.push_back(environment.load(builder, loc, value, shared));
  passed.push_back(entry.getArgument(1));
  auto call = func::CallOp::create(builder, loc, half, passed);
  if (call.getNumResults())
    for (auto [field, result] :
         llvm::zip_equal(run.getResults(), call.getResults()))
      environment.store(builder, loc, field, result, shared);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return entry;
}

/// Emits the constant `ember_dae_program`.
LLVM::GlobalOp RunLowering::createProgram(const Twine &programName,
                                          LLVM::LLVMFuncOp accessEntry,
                                          LLVM::LLVMFuncOp computeEntry) {
  MLIRContext *context = builder.getContext();
  Location loc = run.getLoc();
  Type i64 = builder.getI64Type();
  auto type =
      abi::structOf<&ember_dae_program::access, &ember_dae_program::compute,
                    &ember_dae_program::maxOperandBytes,
                    &ember_dae_program::name,
                    &ember_dae_program::queueCapacity>(context);
  builder.clearInsertionPoint();
  auto program = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      programName.str(), /*value=*/Attribute());
  symbols.insert(program);
  builder.createBlock(&program.getInitializer());
  Value members[] = {
      LLVM::AddressOfOp::create(builder, loc, accessEntry),
      LLVM::AddressOfOp::create(builder, loc, computeEntry),
      LLVM::ConstantOp::create(builder, loc, i64,
                               builder.getI64IntegerAttr(operandBytes)),
      calls.stringConstant(builder, loc, run.getName()),
      LLVM::ConstantOp::create(builder, loc, i64,
                               builder.getI64IntegerAttr(capacity))};
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [i, member] : llvm::enumerate(members))
    value = LLVM::InsertValueOp::create(builder, loc, value, member,
                                        static_cast<int64_t>(i));
  LLVM::ReturnOp::create(builder, loc, value);
  return program;
}

/// Replaces the run by a call. The environment is on the stack for this run
/// only, so that it may stand in a loop.
void RunLowering::emitCall(LLVM::GlobalOp program) {
  MLIRContext *context = builder.getContext();
  Location loc = run.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  builder.setInsertionPoint(run);
  Value stack = LLVM::StackSaveOp::create(builder, loc, pointer);
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                       builder.getI64IntegerAttr(1));
  Value shared =
      LLVM::AllocaOp::create(builder, loc, pointer, environment.getType(), one);
  llvm::SetVector<Value> stored;
  stored.insert_range(withoutRings(run.getAccessArgs()));
  stored.insert_range(withoutRings(run.getComputeArgs()));
  for (Value value : stored)
    environment.store(builder, loc, value, value, shared);
  LLVM::LLVMFuncOp callee = calls.declare(EMBER_RUNTIME(ember_dae_run));
  Value address = LLVM::AddressOfOp::create(builder, loc, program);
  LLVM::CallOp::create(builder, loc, callee, ValueRange{address, shared});
  SmallVector<Value> results;
  for (Value result : run.getResults())
    results.push_back(environment.load(builder, loc, result, shared));
  LLVM::StackRestoreOp::create(builder, loc, stack);
  run.replaceAllUsesWith(results);
  run.erase();
}

LogicalResult RunLowering::lower() {
  if (failed(readRings()) || failed(addFields()))
    return failure();
  auto access = symbols.lookup<func::FuncOp>(run.getAccess());
  auto compute = symbols.lookup<func::FuncOp>(run.getCompute());
  LLVM::LLVMFuncOp accessEntry = createEntry(access, run.getAccessArgs());
  LLVM::LLVMFuncOp computeEntry = createEntry(compute, run.getComputeArgs());
  emitCall(
      createProgram(run.getAccess() + ".program", accessEntry, computeEntry));
  return success();
}

namespace {
struct RingToNative : public ember::impl::RingToNativeBase<RingToNative> {
  using RingToNativeBase::RingToNativeBase;

  LogicalResult lowerRuns(func::FuncOp function, SymbolTable &symbols,
                          RuntimeCalls &calls) {
    SmallVector<RunOp> runs;
    function.walk([&](RunOp run) { runs.push_back(run); });
    for (RunOp run : runs)
      if (failed(RunLowering(run, symbols, calls).lower()))
        return failure();
    // Rings that nothing runs with any more.
    function.walk([](CreateOp create) { create.erase(); });
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    SymbolTable symbols(module);
    RuntimeCalls calls(module);
    for (func::FuncOp function : functions)
      if (function->hasAttr(RingDialect::halfAttr) &&
          failed(lowerHalf(function, calls)))
        return signalPassFailure();
    for (func::FuncOp function : functions)
      if (failed(lowerRuns(function, symbols, calls)))
        return signalPassFailure();
  }
};
} // namespace
