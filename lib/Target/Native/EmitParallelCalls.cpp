//===- EmitParallelCalls.cpp - Hand loops to the threads of the runtime ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ember.parallel_call @f_part(%lower, %upper, %out)
//       loops [#ember.loop_cost<cost = 5>]
//     ->
//   llvm.store %out, env[0]; llvm.store %lower, loops[0].lower; ...
//   ember_parallel(@ember_run_f_part, env, loops, 1)
//
//   llvm.func @ember_run_f_part(%env, %ranges) {
//     call @f_part(ranges[0].lower, ranges[0].upper, env[0])
//   }
//
//===----------------------------------------------------------------------===//

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Runtime/Runtime.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_EMITPARALLELCALLS
#include "ember/Target/Native/Passes.h.inc"

namespace {
/// Rewrites one call.
class ParallelCallBuilder {
public:
  ParallelCallBuilder(ParallelCallOp call, RuntimeCalls &runtime,
                      const LLVMTypeConverter &types, const DataLayout &layout)
      : call(call), loops(llvm::to_vector(call.getLoopCosts())),
        runtime(runtime), types(types), layout(layout), loc(call.getLoc()),
        builder(call), ptr(LLVM::LLVMPointerType::get(call.getContext())),
        i64(builder.getI64Type()),
        caller(call->getParentOfType<func::FuncOp>()),
        callee(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr())) {}

  /// Makes it an ordinary call where an operand has no place in memory.
  void build();

private:
  bool collectTypes();
  /// ember_loop of the runtime.
  Type loopType() {
    return abi::structOf<&ember_loop::lower, &ember_loop::upper,
                         &ember_loop::group, &ember_loop::cost,
                         &ember_loop::segmentCost, &ember_loop::offsets,
                         &ember_loop::offsetBytes, &ember_loop::offsetStride,
                         &ember_loop::firstOffset, &ember_loop::offsetCount>(
        call.getContext());
  }
  int64_t groupOf(unsigned number);
  void describeLoops(Value described);
  Value describeOffsets(LoopCostAttr loop, SmallVectorImpl<Value> &fields);
  LLVM::LLVMFuncOp createBody();
  void inheritNoAlias();
  Value allocateOnStack(Type type, int64_t count);
  Value place(Value base, Type type, ArrayRef<LLVM::GEPArg> indices) {
    return LLVM::GEPOp::create(builder, loc, ptr, type, base, indices);
  }
  Value converted(Value value, Type type) {
    if (value.getType() == type)
      return value;
    return UnrealizedConversionCastOp::create(builder, loc, type, value)
        .getResult(0);
  }
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(value));
  }

  ParallelCallOp call;
  SmallVector<LoopCostAttr> loops;
  RuntimeCalls &runtime;
  const LLVMTypeConverter &types;
  const DataLayout &layout;
  Location loc;
  OpBuilder builder;
  Type ptr, i64;
  func::FuncOp caller, callee;
  /// Of the operands behind the bounds.
  SmallVector<Type> fieldTypes;
  LLVM::LLVMStructType environment;
};

struct EmitParallelCalls : impl::EmitParallelCallsBase<EmitParallelCalls> {
  void runOnOperation() override;
};
} // namespace

bool ParallelCallBuilder::collectTypes() {
  for (Value operand : call.getOperands().drop_front(2 * loops.size())) {
    Type type = types.convertType(operand.getType());
    if (!type || !LLVM::isCompatibleType(type))
      return false;
    fieldTypes.push_back(type);
  }
  environment = LLVM::LLVMStructType::getLiteral(call.getContext(), fieldTypes);
  return true;
}

/// Once for all calls of the caller, which may make this one in a loop.
Value ParallelCallBuilder::allocateOnStack(Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&caller.getBody().front());
  return LLVM::AllocaOp::create(builder, loc, ptr, type, constant(count));
}

/// The address of the offsets, and the fields of ember_loop behind it.
Value ParallelCallBuilder::describeOffsets(LoopCostAttr loop,
                                           SmallVectorImpl<Value> &fields) {
  Value zero = constant(0);
  if (!loop.hasSegments()) {
    fields.append(4, zero);
    return LLVM::ZeroOp::create(builder, loc, ptr);
  }
  Value memref = call.getOperand(loop.getOffsets());
  auto type = cast<MemRefType>(memref.getType());
  Type element = types.convertType(type.getElementType());
  int64_t bytes = layout.getTypeSize(element).getFixedValue();
  MemRefDescriptor descriptor(converted(memref, types.convertType(type)));
  Value stride = LLVM::MulOp::create(
      builder, loc, descriptor.stride(builder, loc, 0), constant(bytes));
  fields.append({constant(bytes), stride,
                 converted(call.getOperand(loop.getFirstOffset()), i64),
                 descriptor.size(builder, loc, 0)});
  return descriptor.bufferPtr(builder, loc, types, type);
}

/// How far the counter of loop `number` goes in one iteration, or in several
/// that run at once.
int64_t ParallelCallBuilder::groupOf(unsigned number) {
  // The loop may have become something else since.
  int64_t group = loops[number].getStep();
  for (auto loop : callee.getBody().front().getOps<scf::ForOp>())
    if (loop.getLowerBound() == callee.getArgument(2 * number)) {
      int64_t size = getConstantIntValue(loop.getStep()).value_or(1);
      if (auto several = loop->getAttrOfType<IntegerAttr>(groupAttr))
        size = several.getInt();
      group = std::max(group, size);
    }
  return group;
}

/// Fills the array of ember_loop.
void ParallelCallBuilder::describeLoops(Value described) {
  Type type = loopType();
  for (auto [number, loop] : llvm::enumerate(loops)) {
    SmallVector<Value> ofOffsets;
    Value offsets = describeOffsets(loop, ofOffsets);
    SmallVector<Value> values = {
        converted(call.getOperand(2 * number), i64),
        converted(call.getOperand(2 * number + 1), i64),
        constant(groupOf(number)),
        constant(loop.getCost()),
        constant(loop.getSegmentCost()),
        offsets};
    llvm::append_range(values, ofOffsets);
    for (auto [field, value] : llvm::enumerate(values))
      LLVM::StoreOp::create(
          builder, loc, value,
          place(described, type, {int32_t(number), int32_t(field)}));
  }
}

/// The function that runs a part of the loops: what ember_parallel calls.
LLVM::LLVMFuncOp ParallelCallBuilder::createBody() {
  OpBuilder::InsertionGuard guard(builder);
  // A call in a loop that was copied stands there twice.
  std::string name = ("ember_run_" + callee.getName()).str();
  if (auto known = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
          callee, builder.getStringAttr(name)))
    return known;
  builder.setInsertionPointAfter(callee);
  auto body = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(call.getContext()),
                                  {ptr, ptr}));
  body.setLinkage(LLVM::Linkage::Internal);
  builder.setInsertionPointToStart(body.addEntryBlock(builder));
  SmallVector<Value> operands;
  for (size_t bound = 0; bound < 2 * loops.size(); ++bound) {
    Value from = place(body.getArgument(1), i64, {int32_t(bound)});
    operands.push_back(converted(LLVM::LoadOp::create(builder, loc, i64, from),
                                 builder.getIndexType()));
  }
  for (auto [field, type] : llvm::enumerate(fieldTypes)) {
    Value from = place(body.getArgument(0), environment, {0, int32_t(field)});
    Value value = LLVM::LoadOp::create(builder, loc, type, from);
    operands.push_back(
        converted(value, callee.getArgumentTypes()[operands.size()]));
  }
  func::CallOp::create(builder, loc, callee, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return body;
}

/// What has been checked to overlap nothing stays so, as long as the function
/// is handed whole arguments, each once.
void ParallelCallBuilder::inheritNoAlias() {
  SmallPtrSet<Value, 8> seen;
  for (Value operand : call.getOperands()) {
    if (!isa<BaseMemRefType>(operand.getType()))
      continue;
    auto argument = dyn_cast<BlockArgument>(operand);
    bool isArgument = argument &&
                      argument.getOwner() == &caller.getBody().front() &&
                      caller.getArgAttr(argument.getArgNumber(), noaliasAttr);
    if (!isArgument || !seen.insert(operand).second)
      return;
  }
  for (auto [index, operand] : llvm::enumerate(call.getOperands()))
    if (isa<BaseMemRefType>(operand.getType()))
      callee.setArgAttr(index, noaliasAttr, builder.getUnitAttr());
}

void ParallelCallBuilder::build() {
  if (!collectTypes()) {
    func::CallOp::create(builder, loc, callee, call.getInputs());
    call.erase();
    return;
  }
  inheritNoAlias();
  Value env = allocateOnStack(environment, 1);
  for (auto [field, type] : llvm::enumerate(fieldTypes))
    LLVM::StoreOp::create(
        builder, loc,
        converted(call.getOperand(2 * loops.size() + field), type),
        place(env, environment, {0, int32_t(field)}));
  Value described = allocateOnStack(loopType(), loops.size());
  describeLoops(described);
  LLVM::LLVMFuncOp body = createBody();
  LLVM::LLVMFuncOp run = runtime.declare(EMBER_RUNTIME(ember_parallel));
  Value operands[] = {LLVM::AddressOfOp::create(builder, loc, body), env,
                      described, constant(loops.size())};
  LLVM::CallOp::create(builder, loc, run, operands);
  call.erase();
}

/// Asks the runtime; 1 in a function that calls nothing in parts.
static void lowerThreads(ThreadsForOp op, RuntimeCalls &runtime) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto function = op->getParentOfType<func::FuncOp>();
  WalkResult search =
      function.walk([](ParallelCallOp) { return WalkResult::interrupt(); });
  Value threads;
  if (search.wasInterrupted()) {
    Value work = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            op.getWork());
    auto call = LLVM::CallOp::create(
        builder, loc, runtime.declare(EMBER_RUNTIME(ember_threads_for)), work);
    threads = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         call.getResult());
  } else {
    threads = arith::ConstantIndexOp::create(builder, loc, 1);
  }
  op.replaceAllUsesWith(threads);
  op.erase();
}

void EmitParallelCalls::runOnOperation() {
  ModuleOp module = getOperation();
  RuntimeCalls runtime(module);
  LLVMTypeConverter types(&getContext());
  DataLayout layout(module);
  module.walk([&](ThreadsForOp op) { lowerThreads(op, runtime); });
  // Callers before the functions they call, which learn from them.
  SmallVector<ParallelCallOp> calls;
  module.walk<WalkOrder::PreOrder>(
      [&](ParallelCallOp call) { calls.push_back(call); });
  for (ParallelCallOp call : calls)
    ParallelCallBuilder(call, runtime, types, layout).build();
}

} // namespace ember::native
