//===- RefuseUnsupported.cpp - Refuse what no kernel is made of -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools ask here before any other pass: what later ones, or LLVM, could not
// take is one error in the program's own words.
//
//===----------------------------------------------------------------------===//

#include "FreedMemory.h"

#include "ember/Analysis/MemorySize.h"
#include "ember/Checks/Passes.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace ember::checks {
using namespace mlir;

#define GEN_PASS_DEF_REFUSEUNSUPPORTED
#include "ember/Checks/Passes.h.inc"

/// What the names begin with that generated code calls, and its own names.
static constexpr llvm::StringLiteral kReservedPrefix = "ember_";

namespace {
struct RefuseUnsupported : impl::RefuseUnsupportedBase<RefuseUnsupported> {
  void runOnOperation() override;

private:
  LogicalResult checkName(SymbolOpInterface symbol);
  LogicalResult checkType(Operation *op, Type type);
  LogicalResult checkTypes(Operation *op);

  /// Types that were found to be fine.
  llvm::DenseSet<Type> known;
};
} // namespace

/// Generated code calls the runtime by name. What lowering has generated is in
/// the llvm dialect.
LogicalResult RefuseUnsupported::checkName(SymbolOpInterface symbol) {
  if (!symbol.getName().starts_with(kReservedPrefix) ||
      isa<LLVM::LLVMDialect>(symbol->getDialect()))
    return success();
  return symbol->emitError()
         << "'" << symbol.getName() << "' is called like what kernels call in "
         << "Ember's runtime: give it a name that does not begin with '"
         << kReservedPrefix << "'";
}

static int64_t countElements(VectorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements = multiplyClamped(elements, size);
  return elements;
}

/// Why no kernel handles values of `type`; empty if kernels do.
static std::string describeUnsupported(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto memref = dyn_cast<MemRefType>(type); memref && !memref.isStrided())
    os << "the layout of '" << type << "' has no strides: use a strided or no "
       << "layout, which mlir-opt --normalize-memrefs gives where it can";
  else if (isa<ComplexType>(type))
    os << "elements of type '" << type << "' are not supported: keep their "
       << "real and imaginary parts in memrefs of their own";
  else if (auto vector = dyn_cast<VectorType>(type);
           vector && countElements(vector) > slcv::maxVectorLength)
    os << "'" << type << "' is longer than the " << slcv::maxVectorLength
       << " elements that vectors may have";
  return text;
}

LogicalResult RefuseUnsupported::checkType(Operation *op, Type type) {
  if (!known.insert(type).second)
    return success();
  std::string reason;
  type.walk([&](Type part) {
    reason = describeUnsupported(part);
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason.empty() ? success() : op->emitError(reason);
}

LogicalResult RefuseUnsupported::checkTypes(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    types.push_back(function.getFunctionType());
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    types.push_back(global.getType());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  for (Type type : types)
    if (failed(checkType(op, type)))
      return failure();
  return success();
}

void RefuseUnsupported::runOnOperation() {
  known.clear();
  WalkResult result =
      getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
        auto symbol = dyn_cast<SymbolOpInterface>(op);
        bool isNamed = symbol && op->hasAttr(SymbolTable::getSymbolAttrName());
        if ((isNamed && failed(checkName(symbol))) || failed(checkTypes(op)))
          return WalkResult::interrupt();
        auto function = dyn_cast<FunctionOpInterface>(op);
        if (function && failed(checkFreedMemory(function)))
          return WalkResult::interrupt();
        return WalkResult::advance();
      });
  if (result.wasInterrupted())
    signalPassFailure();
}

} // namespace ember::checks
