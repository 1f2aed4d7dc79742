//===- LowerLookupDescriptions.cpp - What engines are told, as calls ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Analysis/MemorySize.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

/// Functions that only simulated programs have: from the index of the first
/// lookup on, `count` indices of so many bytes; where the row of index 0 is,
/// bytes from row to row, and bytes that are read of each.
extern "C" void ember_describe_lookup(int64_t indices, int64_t indexBytes,
                                      int64_t count, int64_t row,
                                      int64_t rowStride, int64_t rowBytes);
extern "C" void ember_forget_lookups(void);

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_LOWERLOOKUPDESCRIPTIONS
#include "ember/Target/Native/Passes.h.inc"

namespace {
struct LowerLookupDescriptions
    : impl::LowerLookupDescriptionsBase<LowerLookupDescriptions> {
  void runOnOperation() override;
};

/// Sizes and addresses of one description, in bytes.
class Description {
public:
  Description(DescribeLookupOp op, RuntimeCalls &runtime)
      : op(op), runtime(runtime), builder(op), loc(op.getLoc()) {}

  void lower();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value times(Value value, int64_t factor) {
    return arith::MulIOp::create(builder, loc, value, constant(factor));
  }
  /// Where the element at position 0 is, some elements further.
  Value getAddress(memref::ExtractStridedMetadataOp metadata, Value memref,
                   int64_t further, int64_t bytes);

  DescribeLookupOp op;
  RuntimeCalls &runtime;
  OpBuilder builder;
  Location loc;
};
} // namespace

static int64_t elementBytes(Value memref) {
  return *getElementBytes(cast<MemRefType>(memref.getType()).getElementType());
}

Value Description::getAddress(memref::ExtractStridedMetadataOp metadata,
                              Value memref, int64_t further, int64_t bytes) {
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  Value offset = arith::AddIOp::create(builder, loc, metadata.getOffset(),
                                       constant(further));
  return arith::AddIOp::create(builder, loc, base, times(offset, bytes));
}

void Description::lower() {
  Value indices = op.getIndices(), table = op.getTable();
  auto ofIndices =
      memref::ExtractStridedMetadataOp::create(builder, loc, indices);
  auto ofTable = memref::ExtractStridedMetadataOp::create(builder, loc, table);
  int64_t indexBytes = elementBytes(indices), bytes = elementBytes(table);
  auto first = static_cast<int64_t>(op.getFirst());
  bool isRow = ofTable.getSizes().size() == 2;
  Value length = !isRow           ? constant(1)
                 : op.getLength() ? constant(*op.getLength())
                                  : ofTable.getSizes().back();
  SmallVector<Value> arguments = {getAddress(ofIndices, indices, 0, indexBytes),
                                  constant(indexBytes),
                                  ofIndices.getSizes().front(),
                                  getAddress(ofTable, table, first, bytes),
                                  times(ofTable.getStrides().front(), bytes),
                                  times(length, bytes)};
  for (Value &argument : arguments)
    argument = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                          argument);
  LLVM::CallOp::create(builder, loc,
                       runtime.declare(EMBER_RUNTIME(ember_describe_lookup)),
                       arguments);
  op.erase();
}

void LowerLookupDescriptions::runOnOperation() {
  RuntimeCalls runtime(getOperation());
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    SmallVector<DescribeLookupOp> descriptions;
    function.walk([&](DescribeLookupOp op) { descriptions.push_back(op); });
    if (descriptions.empty())
      continue;
    OpBuilder builder(descriptions.front());
    LLVM::CallOp::create(builder, descriptions.front().getLoc(),
                         runtime.declare(EMBER_RUNTIME(ember_forget_lookups)),
                         ValueRange{});
    for (DescribeLookupOp op : descriptions)
      Description(op, runtime).lower();
  }
}

} // namespace ember::native
