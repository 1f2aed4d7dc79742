//===- EmitKernelEntries.cpp - The C entry of every public function -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a function F(memref, index) -> f32 with a body:
//
//   llvm.func internal @ember_packed_F(%args: !llvm.ptr) {
//     ... sizes and strides that F's type fixes, overlaps ...
//     %d0 = llvm.load (llvm.load %args[0])        // descriptor
//     %r = func.call @F(%d0 as memref, ...)
//     llvm.store %r, (llvm.load %args[2])
//   }
//   llvm.func @ember_kernel_F(%args: !llvm.ptr, %error: !llvm.ptr) -> i32 {
//     return ember_invoke(@ember_packed_F, %args, %error)
//   }
//
//===----------------------------------------------------------------------===//

#include "RollCalls.h"
#include "ember/ABI/RuntimeCalls.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Runtime/Runtime.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_EMITKERNELENTRIES
#include "ember/Target/Native/Passes.h.inc"

std::string kernelEntrySymbol(StringRef name) {
  return ("ember_kernel_" + name).str();
}

namespace {
/// Builds the two functions of one kernel entry.
class EntryBuilder {
public:
  EntryBuilder(func::FuncOp kernel, RuntimeCalls &runtime,
               const LLVMTypeConverter &types, const DataLayout &layout,
               bool checkOverlap, bool isEntryOnly, unsigned leastCalls)
      : kernel(kernel), runtime(runtime), types(types), layout(layout),
        checkOverlap(checkOverlap), isEntryOnly(isEntryOnly),
        leastCalls(leastCalls), loc(kernel.getLoc()),
        builder(kernel.getContext()), argumentTypes(kernel.getArgumentTypes()),
        ptr(LLVM::LLVMPointerType::get(kernel.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  LogicalResult build();

private:
  bool isPassable(Type type);
  LogicalResult checkTypes();
  LLVM::LLVMFuncOp createFunction(StringRef name, Type result,
                                  ArrayRef<Type> arguments);
  void buildWrapper(LLVM::LLVMFuncOp wrapper);
  void buildEntry(LLVM::LLVMFuncOp wrapper);
  Value loadSlot(Value args, int64_t index);
  Value loadArgument(Value slot, Type type);
  void storeResult(Value slot, Value result);
  void checkLayouts(Value args);
  void checkOverlaps(Value args);
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, value));
  }
  /// The type a value has in memory, which differs for single bits.
  Type storageType(Type converted) {
    return converted.isInteger(1) ? builder.getI8Type() : converted;
  }

  func::FuncOp kernel;
  RuntimeCalls &runtime;
  const LLVMTypeConverter &types;
  const DataLayout &layout;
  bool checkOverlap;
  /// Whether nothing in the module calls F.
  bool isEntryOnly;
  unsigned leastCalls;
  Location loc;
  OpBuilder builder;
  /// Those of F, whatever becomes of them.
  ArrayRef<Type> argumentTypes;
  Type ptr, i32, i64;
};

struct EmitKernelEntries : impl::EmitKernelEntriesBase<EmitKernelEntries> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Whether callers can hand values of `type` on: memory is their own, not that
/// of another device.
bool EntryBuilder::isPassable(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !isa<UnrankedMemRefType>(type) &&
         !(memref && memref.getMemorySpace()) && types.convertType(type);
}

LogicalResult EntryBuilder::checkTypes() {
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!isPassable(type))
      return kernel.emitError() << "argument " << index << " of type " << type
                                << " cannot be passed to a kernel";
  for (auto [index, type] : llvm::enumerate(kernel.getResultTypes()))
    if (!isPassable(type))
      return kernel.emitError() << "result " << index << " of type " << type
                                << " cannot be returned by a kernel";
  return success();
}

LLVM::LLVMFuncOp EntryBuilder::createFunction(StringRef name, Type result,
                                              ArrayRef<Type> arguments) {
  builder.setInsertionPointAfter(kernel);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name, LLVM::LLVMFunctionType::get(result, arguments));
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  return function;
}

Value EntryBuilder::loadSlot(Value args, int64_t index) {
  Value place = LLVM::GEPOp::create(builder, loc, ptr, ptr, args,
                                    LLVM::GEPArg(int32_t(index)));
  return LLVM::LoadOp::create(builder, loc, ptr, place);
}

/// What `slot` points to, as a value of the converted `type`.
Value EntryBuilder::loadArgument(Value slot, Type type) {
  Type converted = types.convertType(type);
  Value value =
      LLVM::LoadOp::create(builder, loc, storageType(converted), slot);
  if (converted.isInteger(1))
    return LLVM::TruncOp::create(builder, loc, converted, value);
  return value;
}

void EntryBuilder::storeResult(Value slot, Value result) {
  Type converted = types.convertType(result.getType());
  Value value = result;
  if (converted != result.getType())
    value = UnrealizedConversionCastOp::create(builder, loc, converted, result)
                .getResult(0);
  if (converted.isInteger(1))
    value = LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), value);
  LLVM::StoreOp::create(builder, loc, value, slot);
}

/// Checks what the types of arguments promise about their descriptors, and code
/// therefore does not read from these: by a table, as there may be thousands.
void EntryBuilder::checkLayouts(Value args) {
  SmallVector<int64_t> layouts;
  std::string names;
  int64_t count = 0;
  for (auto [index, argument] : llvm::enumerate(argumentTypes)) {
    auto type = dyn_cast<MemRefType>(argument);
    if (!type)
      continue;
    auto expect = [](int64_t number) {
      return ShapedType::isDynamic(number) ? EMBER_ANY : number;
    };
    SmallVector<int64_t> strides, expected;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset))) {
      offset = ShapedType::kDynamic;
      strides.assign(type.getRank(), ShapedType::kDynamic);
    }
    expected.push_back(expect(offset));
    llvm::append_range(expected, llvm::map_range(type.getShape(), expect));
    llvm::append_range(expected, llvm::map_range(strides, expect));
    if (llvm::all_equal(expected) && expected.front() == EMBER_ANY)
      continue;
    ++count;
    layouts.append({int64_t(index), int64_t(names.size()), type.getRank()});
    layouts.append(expected);
    names += argumentName(kernel, index) + '\0';
  }
  if (!count)
    return;
  Value operands[] = {args, runtime.wordsConstant(builder, loc, layouts),
                      constant(i64, count),
                      runtime.stringConstant(builder, loc, names)};
  LLVM::CallOp::create(builder, loc,
                       runtime.declare(EMBER_RUNTIME(ember_check_layouts)),
                       operands);
}

/// Checks that what F stores to overlaps nothing else it is given, and notes
/// on F's arguments that this has been checked for every call.
void EntryBuilder::checkOverlaps(Value args) {
  llvm::SmallBitVector written = findWrittenArguments(kernel);
  auto elementBytes = [&](MemRefType type) {
    auto element = types.convertType(type.getElementType());
    return int64_t(layout.getTypeSize(element).getFixedValue());
  };
  LLVM::LLVMFuncOp check = runtime.declare(EMBER_RUNTIME(ember_check_disjoint));
  auto describe = [&](unsigned index, SmallVectorImpl<Value> &operands) {
    auto type = cast<MemRefType>(argumentTypes[index]);
    operands.append(
        {loadSlot(args, index), constant(i32, type.getRank()),
         constant(i64, elementBytes(type)),
         runtime.stringConstant(builder, loc, argumentName(kernel, index))});
  };
  for (unsigned index : written.set_bits()) {
    for (unsigned other = 0; other < argumentTypes.size(); ++other) {
      // Two that are both written are checked once.
      if (!isa<MemRefType>(argumentTypes[other]) || other == index ||
          (written.test(other) && other < index))
        continue;
      SmallVector<Value> operands;
      describe(index, operands);
      describe(other, operands);
      LLVM::CallOp::create(builder, loc, check, operands);
    }
  }
  if (written.none() || !isEntryOnly)
    return;
  for (auto [index, type] : llvm::enumerate(argumentTypes))
    if (isa<MemRefType>(type))
      kernel.setArgAttr(index, noaliasAttr, builder.getUnitAttr());
}

void EntryBuilder::buildWrapper(LLVM::LLVMFuncOp wrapper) {
  Value args = wrapper.getArgument(0);
  checkLayouts(args);
  if (checkOverlap)
    checkOverlaps(args);
  PassedArguments passed;
  if (isEntryOnly)
    passed = rollCalls(kernel, leastCalls, runtime, types);
  else
    llvm::append_range(passed.left, llvm::seq(argumentTypes.size()));
  SmallVector<Value> operands;
  for (unsigned index : passed.left) {
    Type type = argumentTypes[index];
    Value value = loadArgument(loadSlot(args, index), type);
    if (value.getType() != type)
      value = UnrealizedConversionCastOp::create(builder, loc, type, value)
                  .getResult(0);
    operands.push_back(value);
  }
  if (passed.slots)
    operands.push_back(args);
  auto call = func::CallOp::create(builder, loc, kernel, operands);
  for (auto [index, result] : llvm::enumerate(call.getResults()))
    storeResult(loadSlot(args, argumentTypes.size() + index), result);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

void EntryBuilder::buildEntry(LLVM::LLVMFuncOp wrapper) {
  LLVM::LLVMFuncOp invoke = runtime.declare(EMBER_RUNTIME(ember_invoke));
  LLVM::LLVMFuncOp entry =
      createFunction(kernelEntrySymbol(kernel.getName()), i32, {ptr, ptr});
  Value operands[] = {LLVM::AddressOfOp::create(builder, loc, wrapper),
                      entry.getArgument(0), entry.getArgument(1)};
  auto call = LLVM::CallOp::create(builder, loc, invoke, operands);
  LLVM::ReturnOp::create(builder, loc, call.getResults());
}

LogicalResult EntryBuilder::build() {
  if (failed(checkTypes()))
    return failure();
  LLVM::LLVMFuncOp wrapper =
      createFunction(("ember_packed_" + kernel.getName()).str(),
                     LLVM::LLVMVoidType::get(builder.getContext()), {ptr});
  wrapper.setLinkage(LLVM::Linkage::Internal);
  buildWrapper(wrapper);
  buildEntry(wrapper);
  return success();
}

/// Erases constants that nothing reads any more, as they are part of a table.
static void dropUnreadConstants(ModuleOp module) {
  llvm::DenseSet<StringAttr> read;
  module.walk([&](memref::GetGlobalOp get) {
    read.insert(get.getNameAttr().getAttr());
  });
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (global.isPrivate() && global.getConstant() &&
        !read.contains(global.getSymNameAttr()))
      global.erase();
}

void EmitKernelEntries::runOnOperation() {
  ModuleOp module = getOperation();
  RuntimeCalls runtime(module);
  LLVMTypeConverter types(&getContext());
  DataLayout layout(module);
  bool overlap = mayAlias || module->hasAttr(mayAliasAttr);
  // Calls within the module check nothing: passes look at what they pass.
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  SmallVector<std::pair<func::FuncOp, bool>> kernels;
  for (auto kernel : module.getOps<func::FuncOp>())
    if (!kernel.isDeclaration() && kernel.isPublic())
      kernels.push_back({kernel, users.useEmpty(kernel)});
  for (auto [kernel, isEntryOnly] : kernels) {
    if (failed(EntryBuilder(kernel, runtime, types, layout, !overlap,
                            isEntryOnly, leastCalls)
                   .build()))
      return signalPassFailure();
  }
  dropUnreadConstants(module);
}

} // namespace ember::native
