//===- RuntimeCalls.cpp - Calls from generated code into the runtime ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Runtime/Runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace ember {

std::string messageAt(StringRef message, Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return message.str();
  return (message + " at " +
          llvm::sys::path::filename(place.getFilename().getValue()) + ":" +
          Twine(place.getLine()) + ":" + Twine(place.getColumn()))
      .str();
}

RuntimeCalls::RuntimeCalls(ModuleOp module) : module(module), symbols(module) {}

LLVM::LLVMFuncOp RuntimeCalls::declare(StringRef name,
                                       LLVM::LLVMFunctionType type) {
  if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto function =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  symbols.insert(function);
  return function;
}

LLVM::LLVMFuncOp RuntimeCalls::declareFailure(StringRef name,
                                              LLVM::LLVMFunctionType type) {
  if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return function;
  MLIRContext *context = module.getContext();
  LLVM::LLVMFuncOp function = declare(name, type);
  Builder builder(context);
  function.setPassthroughAttr(builder.getArrayAttr(
      {builder.getStringAttr("noreturn"), builder.getStringAttr("cold")}));
  function.setNoUnwind(true);
  // Outputs may be partial when a kernel fails, so a failing path need not see
  // the stores before it: LLVM may sink them past a check.
  using LLVM::ModRefInfo;
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      context,
      {ModRefInfo::NoModRef, ModRefInfo::Ref, ModRefInfo::ModRef,
       ModRefInfo::NoModRef, ModRefInfo::NoModRef, ModRefInfo::NoModRef}));
  return function;
}

Value RuntimeCalls::stringConstant(OpBuilder &builder, Location loc,
                                   StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global) {
    std::string bytes = text.str();
    bytes.push_back('\0');
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(top.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(
        top, module.getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, "ember_text", top.getStringAttr(bytes));
    global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
    symbols.insert(global);
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::arrayConstant(OpBuilder &builder, Location loc,
                                  Type element, DenseElementsAttr elements) {
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(element, elements.getNumElements());
  auto global =
      LLVM::GlobalOp::create(top, module.getLoc(), type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, "ember_table", elements);
  symbols.insert(global);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::wordsConstant(OpBuilder &builder, Location loc,
                                  ArrayRef<int64_t> words) {
  return arrayConstant(builder, loc, builder.getI64Type(),
                       builder.getI64TensorAttr(words));
}

/// `value` as an i64.
static Value toI64(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType() == i64)
    return value;
  return arith::IndexCastOp::create(builder, loc, i64, value);
}

void RuntimeCalls::failIndex(OpBuilder &builder, Location loc, StringRef what,
                             StringRef source, Value value, Value size,
                             Value position) {
  auto function = declareFailure(EMBER_RUNTIME(ember_fail_index));
  Value operands[] = {stringConstant(builder, loc, what),
                      stringConstant(builder, loc, source),
                      toI64(builder, loc, value), toI64(builder, loc, size),
                      toI64(builder, loc, position)};
  LLVM::CallOp::create(builder, loc, function, operands);
}

void RuntimeCalls::failSegment(OpBuilder &builder, Location loc,
                               StringRef source, Value position, Value begin,
                               Value end) {
  auto function = declareFailure(EMBER_RUNTIME(ember_fail_segment));
  Value operands[] = {stringConstant(builder, loc, source),
                      toI64(builder, loc, position), toI64(builder, loc, begin),
                      toI64(builder, loc, end)};
  LLVM::CallOp::create(builder, loc, function, operands);
}

void RuntimeCalls::failMessage(OpBuilder &builder, Location loc,
                               StringRef message) {
  auto function = declareFailure(EMBER_RUNTIME(ember_fail_message));
  LLVM::CallOp::create(builder, loc, function,
                       stringConstant(builder, loc, message));
}

} // namespace ember
