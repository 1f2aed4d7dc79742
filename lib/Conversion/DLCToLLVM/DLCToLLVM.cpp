//===- DLCToLLVM.cpp - Access and compute as two functions ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/DLCToLLVM/Passes.h"
#include "ember/Runtime/Runtime.h"

#include "AccessProgram.h"
#include "ComputeProgram.h"
#include "Environment.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Checks/SegmentCheck.h"
#include "ember/Dialect/DLC/IR/DLC.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTDLCTOLLVM
#include "ember/Conversion/DLCToLLVM/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
/// Replaces one pair of programs by functions and a call of the runtime.
class PairLowering {
public:
  PairLowering(ComputeLoopOp compute, StringRef name, SymbolTable &symbols,
               RuntimeCalls &calls, bool instrument, int64_t queueCapacity)
      : access(compute.getConfigAccess()), compute(compute), name(name),
        symbols(symbols), calls(calls), instrument(instrument),
        queueCapacity(queueCapacity), environment(compute.getContext()),
        builder(compute.getContext()) {}

  LogicalResult run(unsigned number);

private:
  void checkRootSegment();
  LogicalResult collect();
  FailureOr<int64_t> getMaxOperandBytes();
  func::FuncOp createBody(const Twine &bodyName, const Captures &captures,
                          TypeRange results);
  void emitAccessBody(func::FuncOp body, unsigned number);
  void emitComputeBody(func::FuncOp body);
  LLVM::LLVMFuncOp createEntry(const Twine &entryName, func::FuncOp body,
                               const Captures &captures);
  LLVM::GlobalOp createProgram(const Twine &programName,
                               LLVM::LLVMFuncOp accessEntry,
                               LLVM::LLVMFuncOp computeEntry,
                               int64_t maxOperandBytes);
  void emitRun(LLVM::GlobalOp program);

  ConfigAccessOp access;
  ComputeLoopOp compute;
  StringRef name;
  SymbolTable &symbols;
  RuntimeCalls &calls;
  bool instrument;
  int64_t queueCapacity;
  Environment environment;
  Captures accessCaptures, computeCaptures;
  OpBuilder builder;
};
} // namespace

LogicalResult PairLowering::collect() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(access.getRegion(), used);
  llvm::for_each(used, [&](Value value) { accessCaptures.add(value); });
  used.clear();
  for (Region &region : compute.getCaseRegions())
    getUsedValuesDefinedAbove(region, used);
  used.insert_range(compute.getIterArgs());
  llvm::for_each(used, [&](Value value) { computeCaptures.add(value); });

  auto addField = [&](Value value) -> LogicalResult {
    if (succeeded(environment.addField(value)))
      return success();
    return compute.emitOpError("uses a value of type ")
           << value.getType()
           << ", which has no form in memory to hand it over in";
  };
  for (const Captures *captures : {&accessCaptures, &computeCaptures})
    for (Value value : captures->passed())
      if (failed(addField(value)))
        return failure();
  for (Value result : compute.getResults())
    if (failed(addField(result)))
      return failure();
  return success();
}

FailureOr<int64_t> PairLowering::getMaxOperandBytes() {
  int64_t bytes = 8;
  for (auto operand : access.getBody()->getOps<RegisterOperandOp>()) {
    if (!isOperandType(operand.getOperandType()))
      return operand.emitOpError("cannot push a ") << operand.getOperandType();
    bytes = std::max(bytes, getOperandBytes(operand.getOperandType()));
  }
  for (auto callback : access.getBody()->getOps<RegisterCallbackOp>())
    if (Type type = callback.getValueType(); type && !isOperandType(type))
      return callback.emitOpError("cannot push a ") << type;
  return bytes;
}

/// Declares the function a program is outlined to. Memrefs keep their names, as
/// failures are reported with them.
func::FuncOp PairLowering::createBody(const Twine &bodyName,
                                      const Captures &captures,
                                      TypeRange results) {
  SmallVector<Type> arguments;
  for (Value value : captures.passed())
    arguments.push_back(value.getType());
  arguments.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
  auto body = func::FuncOp::create(access.getLoc(), bodyName.str(),
                                   builder.getFunctionType(arguments, results));
  body.setPrivate();
  for (auto [i, value] : llvm::enumerate(captures.passed()))
    if (isa<BaseMemRefType>(value.getType()))
      body.setArgAttr(i, messageNameAttr,
                      builder.getStringAttr(memrefName(value)));
  body.setArgAttr(arguments.size() - 1, LLVM::LLVMDialect::getNoAliasAttrName(),
                  builder.getUnitAttr());
  symbols.insert(body);
  builder.setInsertionPointToStart(body.addEntryBlock());
  return body;
}

void PairLowering::emitAccessBody(func::FuncOp body, unsigned number) {
  IRMapping mapping;
  accessCaptures.map(builder, body.getArguments().drop_back(), mapping);
  std::optional<Instrumentation> instrumentation;
  if (instrument)
    instrumentation.emplace(access, (name + "." + Twine(number)).str(), calls);
  AccessProgram program(access, mapping,
                        QueueProtocol(calls, body.getArguments().back()),
                        instrumentation ? &*instrumentation : nullptr);
  program.emit(builder);
  func::ReturnOp::create(builder, access.getLoc());
}

void PairLowering::emitComputeBody(func::FuncOp body) {
  IRMapping mapping;
  computeCaptures.map(builder, body.getArguments().drop_back(), mapping);
  ComputeProgram program(compute, mapping,
                         QueueProtocol(calls, body.getArguments().back()));
  SmallVector<Value> results = program.emit(builder);
  func::ReturnOp::create(builder, compute.getLoc(), results);
}

/// Emits the function the runtime calls: takes the arguments of `body` from the
/// environment, and puts its results there.
LLVM::LLVMFuncOp PairLowering::createEntry(const Twine &entryName,
                                           func::FuncOp body,
                                           const Captures &captures) {
  MLIRContext *context = builder.getContext();
  Location loc = body.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer});
  builder.clearInsertionPoint();
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, entryName.str(), type,
                                        LLVM::Linkage::Internal);
  entry.setArgAttr(1, LLVM::LLVMDialect::getNoAliasAttrName(),
                   builder.getUnitAttr());
  symbols.insert(entry);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  Value shared = entry.getArgument(0);
  SmallVector<Value> arguments;
  for (Value value : captures.passed())
    arguments.push_back(environment.load(builder, loc, value, shared));
  arguments.push_back(entry.getArgument(1));
  auto call = func::CallOp::create(builder, loc, body, arguments);
  if (call.getNumResults())
    for (auto [field, result] :
         llvm::zip_equal(compute.getResults(), call.getResults()))
      environment.store(builder, loc, field, result, shared);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return entry;
}

/// Emits the constant `ember_dae_program`.
LLVM::GlobalOp PairLowering::createProgram(const Twine &programName,
                                           LLVM::LLVMFuncOp accessEntry,
                                           LLVM::LLVMFuncOp computeEntry,
                                           int64_t maxOperandBytes) {
  MLIRContext *context = builder.getContext();
  Location loc = access.getLoc();
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
                               builder.getI64IntegerAttr(maxOperandBytes)),
      calls.stringConstant(builder, loc, name),
      LLVM::ConstantOp::create(builder, loc, i64,
                               builder.getI64IntegerAttr(queueCapacity))};
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [i, member] : llvm::enumerate(members))
    value = LLVM::InsertValueOp::create(builder, loc, value, member,
                                        static_cast<int64_t>(i));
  LLVM::ReturnOp::create(builder, loc, value);
  return program;
}

/// Replaces the pair by a run of its program. The environment is on the stack
/// for this run only, so that pairs may stand in loops.
void PairLowering::emitRun(LLVM::GlobalOp program) {
  MLIRContext *context = builder.getContext();
  Location loc = compute.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  builder.setInsertionPoint(compute);
  Value stack = LLVM::StackSaveOp::create(builder, loc, pointer);
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                       builder.getI64IntegerAttr(1));
  Value shared =
      LLVM::AllocaOp::create(builder, loc, pointer, environment.getType(), one);
  llvm::SetVector<Value> stored;
  stored.insert_range(accessCaptures.passed());
  stored.insert_range(computeCaptures.passed());
  for (Value value : stored)
    environment.store(builder, loc, value, value, shared);
  LLVM::LLVMFuncOp run = calls.declare(EMBER_RUNTIME(ember_dae_run));
  Value address = LLVM::AddressOfOp::create(builder, loc, program);
  LLVM::CallOp::create(builder, loc, run, ValueRange{address, shared});
  SmallVector<Value> results;
  for (Value result : compute.getResults())
    results.push_back(environment.load(builder, loc, result, shared));
  LLVM::StackRestoreOp::create(builder, loc, stack);
  compute.replaceAllUsesWith(results);
  compute.erase();
  access.erase();
}

/// Offsets loaded in front of the programs bound the outermost unit as plain
/// numbers.
void PairLowering::checkRootSegment() {
  auto units = access.getBody()->getOps<NewTUOp>();
  if (units.empty())
    return;
  NewTUOp root = *units.begin();
  builder.setInsertionPoint(access);
  checks::checkSegment(builder, root.getLoc(), root.getLowerBound(),
                       root.getUpperBound());
}

LogicalResult PairLowering::run(unsigned number) {
  FailureOr<int64_t> maxOperandBytes = getMaxOperandBytes();
  if (failed(maxOperandBytes) || failed(collect()))
    return failure();
  checkRootSegment();
  std::string accessName = (name + ".access." + Twine(number)).str();
  std::string computeName = (name + ".compute." + Twine(number)).str();
  func::FuncOp accessBody =
      createBody(accessName + ".body", accessCaptures, {});
  emitAccessBody(accessBody, number);
  func::FuncOp computeBody = createBody(computeName + ".body", computeCaptures,
                                        compute.getResultTypes());
  emitComputeBody(computeBody);
  LLVM::LLVMFuncOp accessEntry =
      createEntry(accessName, accessBody, accessCaptures);
  LLVM::LLVMFuncOp computeEntry =
      createEntry(computeName, computeBody, computeCaptures);
  emitRun(createProgram(name + ".program." + Twine(number), accessEntry,
                        computeEntry, *maxOperandBytes));
  return success();
}

namespace {
struct ConvertDLCToLLVM
    : public ember::impl::ConvertDLCToLLVMBase<ConvertDLCToLLVM> {
  using ConvertDLCToLLVMBase::ConvertDLCToLLVMBase;

  LogicalResult convert(FunctionOpInterface function, SymbolTable &symbols,
                        RuntimeCalls &calls) {
    for (auto [number, compute] :
         llvm::enumerate(getNumberedPrograms(function))) {
      PairLowering lowering(compute, function.getName(), symbols, calls,
                            instrument, queueCapacity);
      if (failed(lowering.run(number)))
        return failure();
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto functions = llvm::to_vector(module.getOps<FunctionOpInterface>());
    SymbolTable symbols(module);
    RuntimeCalls calls(module);
    for (FunctionOpInterface function : functions)
      if (failed(convert(function, symbols, calls)))
        return signalPassFailure();
    WalkResult walk = module.walk([](ComputeLoopOp compute) {
      compute.emitOpError("must stand in a function of the module");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
