//===- DLCToRing.cpp - Access and compute as two functions ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/DLCToRing/Passes.h"

#include "AccessProgram.h"
#include "Captures.h"
#include "ComputeProgram.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Checks/SegmentCheck.h"
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
#include "llvm/Support/MathExtras.h"

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
        computeCaptures(program.getCompute()), builder(program.getContext()) {}

  LogicalResult run(unsigned number);

private:
  LogicalResult chooseTypes();
  func::FuncOp createFunction(StringRef functionName, ring::Half half,
                              const Captures &captures, TypeRange results);
  Rings getRings(func::FuncOp function) const;
  func::FuncOp emitAccess(unsigned number);
  func::FuncOp emitCompute(unsigned number);
  void checkRootSegment();
  Value createRing(Type type);
  void emitRun(func::FuncOp accessHalf, func::FuncOp computeHalf);

  ProgramOp program;
  StringRef name;
  SymbolTable &symbols;
  RuntimeCalls &calls;
  const DLCToRingOptions &options;
  Captures accessCaptures, computeCaptures;
  ring::DataType dataType;
  ring::TokensType tokensType;
  OpBuilder builder;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// As many bits of a token as the largest id needs, but never all ones, which
/// end a program; none if no token carries a value.
static int64_t getIdBits(Block &access) {
  int64_t largest = 0;
  bool hasValues = false;
  for (auto callback : access.getOps<RegisterCallbackOp>()) {
    largest = std::max<int64_t>(largest, callback.getId());
    hasValues |= static_cast<bool>(callback.getValue());
  }
  return hasValues ? llvm::Log2_64_Ceil(static_cast<uint64_t>(largest) + 2) : 0;
}

LogicalResult ProgramLowering::chooseTypes() {
  int64_t bytes = ring::slotBytes;
  for (auto operand : program.getAccessBody()->getOps<RegisterOperandOp>()) {
    if (!ring::isOperandType(operand.getOperandType()))
      return operand.emitOpError("cannot push a ") << operand.getOperandType();
    bytes = std::max(bytes, ring::getOperandBytes(operand.getOperandType()));
  }
  for (auto callback : program.getAccessBody()->getOps<RegisterCallbackOp>())
    if (Type type = callback.getValueType(); type && !ring::isOperandType(type))
      return callback.emitOpError("cannot push a ") << type;
  MLIRContext *context = builder.getContext();
  dataType = ring::DataType::get(context, bytes);
  tokensType =
      ring::TokensType::get(context, getIdBits(*program.getAccessBody()));
  return success();
}

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

/// Declares the function of a half, which takes what the half uses and then the
/// rings. Memrefs keep their names, as failures are reported with them.
func::FuncOp ProgramLowering::createFunction(StringRef functionName,
                                             ring::Half half,
                                             const Captures &captures,
                                             TypeRange results) {
  SmallVector<Type> arguments;
  for (Value value : captures.passed())
    arguments.push_back(value.getType());
  arguments.append({dataType, tokensType});
  auto function =
      func::FuncOp::create(program.getLoc(), functionName,
                           builder.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr(ring::RingDialect::halfAttr,
                    ring::HalfAttr::get(builder.getContext(), half));
  for (auto [i, value] : llvm::enumerate(captures.passed()))
    if (isa<BaseMemRefType>(value.getType()))
      function.setArgAttr(i, messageNameAttr,
                          builder.getStringAttr(memrefName(value)));
  symbols.insert(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Rings ProgramLowering::getRings(func::FuncOp function) const {
  auto rings = function.getArguments().take_back(2);
  return {cast<TypedValue<ring::DataType>>(rings[0]),
          cast<TypedValue<ring::TokensType>>(rings[1])};
}

func::FuncOp ProgramLowering::emitAccess(unsigned number) {
  func::FuncOp function =
      createFunction((name + ".access." + Twine(number)).str(),
                     ring::Half::access, accessCaptures, {});
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

func::FuncOp ProgramLowering::emitCompute(unsigned number) {
  func::FuncOp function = createFunction(
      (name + ".compute." + Twine(number)).str(), ring::Half::compute,
      computeCaptures, program.getResultTypes());
  IRMapping mapping;
  computeCaptures.map(builder, function.getArguments().drop_back(2), mapping);
  ComputeProgram compute(program, mapping, getRings(function));
  SmallVector<Value> results = compute.emit(builder);
  func::ReturnOp::create(builder, program.getLoc(), results);
  return function;
}

//===----------------------------------------------------------------------===//
// In place of the program
//===----------------------------------------------------------------------===//

/// Offsets loaded in front of the programs bound the outermost unit as plain
/// numbers.
void ProgramLowering::checkRootSegment() {
  auto units = program.getAccessBody()->getOps<NewTUOp>();
  if (units.empty())
    return;
  NewTUOp root = *units.begin();
  Value lower = getCaptured(root.getLowerBound());
  Value upper = getCaptured(root.getUpperBound());
  if (!lower || !upper)
    return;
  builder.setInsertionPoint(program);
  checks::checkSegment(builder, root.getLoc(), lower, upper);
}

Value ProgramLowering::createRing(Type type) {
  IntegerAttr capacity;
  if (options.queueCapacity > 0)
    capacity = builder.getI64IntegerAttr(options.queueCapacity);
  return ring::CreateOp::create(builder, program.getLoc(), type, capacity);
}

void ProgramLowering::emitRun(func::FuncOp accessHalf,
                              func::FuncOp computeHalf) {
  builder.setInsertionPoint(program);
  Value rings[] = {createRing(dataType), createRing(tokensType)};
  SmallVector<Value> accessArguments(accessCaptures.passed());
  SmallVector<Value> computeArguments(computeCaptures.passed());
  llvm::append_range(accessArguments, rings);
  llvm::append_range(computeArguments, rings);
  auto run =
      ring::RunOp::create(builder, program.getLoc(), program.getResultTypes(),
                          name, accessHalf.getName(), accessArguments,
                          computeHalf.getName(), computeArguments);
  program.replaceAllUsesWith(run.getResults());
  program.erase();
}

LogicalResult ProgramLowering::run(unsigned number) {
  if (failed(chooseTypes()))
    return failure();
  if (options.half == Halves::access) {
    emitAccess(number);
    return success();
  }
  if (options.half == Halves::compute) {
    emitCompute(number);
    return success();
  }
  checkRootSegment();
  func::FuncOp accessHalf = emitAccess(number);
  func::FuncOp computeHalf = emitCompute(number);
  emitRun(accessHalf, computeHalf);
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
    WalkResult walk = module.walk([&](ProgramOp program) {
      auto function = program->getParentOfType<FunctionOpInterface>();
      if (function && function->getParentOp() == module)
        return WalkResult::advance();
      program.emitOpError("must stand in a function of the module");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
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
