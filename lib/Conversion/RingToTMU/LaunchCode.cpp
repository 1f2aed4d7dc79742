//===- LaunchCode.cpp - Launches of a unit --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchCode.h"

#include "ember/Conversion/RingToNative/TokenLayout.h"
#include "ember/Conversion/RingToTMU/UnitRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;

/// The word that a capture is handed over as: an integer with its sign, the
/// bits of a float, or where the element at position 0 is.
static Value toWord(OpBuilder &builder, Location loc, Value capture) {
  auto memref = dyn_cast<MemRefType>(capture.getType());
  if (!memref)
    return TokenLayout::toWord(builder, loc, capture);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, capture);
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, capture);
  Type element = memref.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  Value bytes = arith::ConstantIndexOp::create(
      builder, loc, static_cast<int64_t>(llvm::divideCeil(bits, 8)));
  Value offset =
      arith::MulIOp::create(builder, loc, metadata.getOffset(), bytes);
  Value address = arith::AddIOp::create(builder, loc, base, offset);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    address);
}

void ember::lowerLaunch(tmu::ProgramOp program, int64_t number,
                        RuntimeCalls &calls) {
  MLIRContext *context = program.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Location loc = program.getLoc();
  OpBuilder builder(program);
  Type word = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  auto offset = [&](Value base, int64_t bytes) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  };
  auto function = calls.declare(EMBER_RUNTIME(ember_access_unit));
  Value registers =
      LLVM::CallOp::create(builder, loc, function, ValueRange{}).getResult();

  SmallVector<Value> words{constant(number)};
  for (Value capture : program.getCaptures())
    words.push_back(toWord(builder, loc, capture));
  // In a loop, each launch uses the same memory.
  OpBuilder atEntry(context);
  Operation *scope =
      program->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
  atEntry.setInsertionPointToStart(&scope->getRegion(0).front());
  Value count = arith::ConstantOp::create(
      atEntry, loc,
      atEntry.getI64IntegerAttr(static_cast<int64_t>(words.size())));
  Value block = LLVM::AllocaOp::create(atEntry, loc, pointer, word, count);
  for (auto [i, value] : llvm::enumerate(words))
    LLVM::StoreOp::create(builder, loc, value,
                          offset(block, static_cast<int64_t>(8 * i)));
  Value address = LLVM::PtrToIntOp::create(builder, loc, word, block);
  LLVM::StoreOp::create(builder, loc, address,
                        offset(registers, tmu::launchRegister),
                        /*alignment=*/8, /*isVolatile=*/true);
  SmallVector<Value> arguments(program.getComputeArgs());
  arguments.push_back(registers);
  auto call = func::CallOp::create(builder, loc, program.getComputeAttr(),
                                   program.getResultTypes(), arguments);
  LLVM::LoadOp::create(builder, loc, word, offset(registers, tmu::doneRegister),
                       /*alignment=*/8,
                       /*isVolatile=*/true);
  program.replaceAllUsesWith(call.getResults());
  program.erase();
}
