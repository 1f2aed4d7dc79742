//===- ConvertNativeToLLVM.cpp - Lower what is left to the llvm dialect ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_CONVERTNATIVETOLLVM
#include "ember/Target/Native/Passes.h.inc"

/// Rows of a buffer start on cache lines, and vector accesses to its start are
/// aligned.
static constexpr int64_t bufferAlignment = 64;

namespace {
/// memref.alloc becomes a call of the runtime, which keeps track of the buffer
/// while the kernel runs.
struct AllocLowering : ConvertOpToLLVMPattern<memref::AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::AllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    if (!isConvertibleAndHasIdentityMaps(type))
      return rewriter.notifyMatchFailure(op, "layout is not contiguous");
    SmallVector<Value, 4> sizes, strides;
    Value bytes;
    getMemRefDescriptorSizes(loc, type, adaptor.getDynamicSizes(), rewriter,
                             sizes, strides, bytes, /*sizeInBytes=*/true);
    auto alloc = LLVM::lookupOrCreateFn(
        rewriter, op->getParentOfType<ModuleOp>(), "ember_alloc",
        {getIndexType(), getIndexType()}, getPtrType());
    if (failed(alloc))
      return failure();
    int64_t alignment =
        std::max<int64_t>(op.getAlignment().value_or(1), bufferAlignment);
    Value buffer =
        LLVM::CallOp::create(
            rewriter, loc, *alloc,
            ValueRange{bytes, createIndexAttrConstant(
                                  rewriter, loc, getIndexType(), alignment)})
            .getResult();
    Value descriptor = createMemRefDescriptor(loc, type, buffer, buffer, sizes,
                                              strides, rewriter);
    rewriter.replaceOp(op, descriptor);
    return success();
  }
};

struct DeallocLowering : ConvertOpToLLVMPattern<memref::DeallocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::DeallocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getMemref().getType()))
      return rewriter.notifyMatchFailure(op, "unranked");
    auto free = LLVM::lookupOrCreateFn(
        rewriter, op->getParentOfType<ModuleOp>(), "ember_free", {getPtrType()},
        LLVM::LLVMVoidType::get(getContext()));
    if (failed(free))
      return failure();
    Value buffer = MemRefDescriptor(adaptor.getMemref())
                       .allocatedPtr(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, *free, buffer);
    return success();
  }
};

struct ConvertNativeToLLVM
    : impl::ConvertNativeToLLVMBase<ConvertNativeToLLVM> {
  void runOnOperation() override;
};
} // namespace

/// How many arguments an argument of `type` becomes, and which of them is the
/// pointer that accesses go through.
static std::pair<int64_t, int64_t> expandedArgument(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return {3 + 2 * memref.getRank(), 1};
  if (isa<UnrankedMemRefType>(type))
    return {2, 1};
  return {1, 0};
}

/// The arguments of `func` that overlap no other, as pointers of what it
/// becomes: the conversion drops attributes of arguments that become several.
static SmallVector<int64_t> findNoalias(func::FuncOp func) {
  SmallVector<int64_t> positions;
  int64_t next = 0;
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto [count, pointer] = expandedArgument(type);
    if (func.getArgAttr(index, noaliasAttr) && isa<MemRefType>(type))
      positions.push_back(next + pointer);
    next += count;
  }
  return positions;
}

/// Drops what only the levels above understand, makes everything internal that
/// is not a kernel entry, and puts noalias on the arguments `noalias`.
static void finishFunction(LLVM::LLVMFuncOp func, ArrayRef<int64_t> noalias) {
  Builder builder(func.getContext());
  for (int64_t position : noalias)
    func.setArgAttr(position, LLVM::LLVMDialect::getNoAliasAttrName(),
                    builder.getUnitAttr());
  SmallVector<StringAttr> foreign;
  for (NamedAttribute attribute : func->getDiscardableAttrs())
    if (attribute.getName().strref().starts_with("ember."))
      foreign.push_back(attribute.getName());
  for (StringAttr name : foreign)
    func->removeDiscardableAttr(name);
  for (unsigned index = 0; index < func.getNumArguments(); ++index)
    for (NamedAttribute attribute :
         mlir::function_interface_impl::getArgAttrs(func, index))
      if (attribute.getName().strref().starts_with("ember."))
        func.removeArgAttr(index, attribute.getName());
  if (!func.isExternal() && !func.getName().starts_with("ember_kernel_"))
    func.setLinkage(LLVM::Linkage::Internal);
}

/// Whether LLVM knows a function of the C library, or of its own, by this name.
static bool isLibraryName(StringRef name) {
  static const llvm::TargetLibraryInfoImpl library{llvm::Triple()};
  llvm::LibFunc function;
  return name.starts_with("__") || library.getLibFunc(name, function);
}

/// Renames functions that are called like one of a library: math, and what LLVM
/// makes of loops, calls those by name.
static LogicalResult keepNamesApart(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || !isLibraryName(func.getName()))
      continue;
    std::string name = (func.getName() + ".body").str();
    while (symbols.lookup(name))
      name += ".";
    if (failed(symbols.rename(func, name)))
      return func.emitError("cannot be renamed");
  }
  return success();
}

/// Has the C library compute e^x - 1: LLVM's conversion subtracts, which leaves
/// nothing of small x.
static LogicalResult callExponentialLess1(ModuleOp module) {
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::ExpM1Op>();
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

void ConvertNativeToLLVM::runOnOperation() {
  ModuleOp module = getOperation();
  MLIRContext *context = &getContext();
  if (failed(keepNamesApart(module)))
    return signalPassFailure();
  llvm::StringMap<SmallVector<int64_t>> noalias;
  for (auto func : module.getOps<func::FuncOp>())
    noalias[func.getName()] = findNoalias(func);
  // The system's libraries have no function for it.
  RewritePatternSet expansions(context);
  math::populateExpansionPatterns(expansions, {"rsqrt"});
  walkAndApplyPatterns(module, std::move(expansions));
  if (failed(callExponentialLess1(module)))
    return signalPassFailure();

  LowerToLLVMOptions options(context);
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  patterns.add<AllocLowering, DeallocLowering>(types);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/false);
  // Preferred over a call of the library's function for each lane.
  patterns.add<VectorConvertToLLVMPattern<math::FmaOp, LLVM::FMAOp>>(
      types, PatternBenefit(2));
  populateMathToLibmConversionPatterns(patterns);
  index::populateIndexToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  cf::populateAssertToLLVMConversionPattern(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return signalPassFailure();
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    finishFunction(func, noalias.lookup(func.getName()));
}

} // namespace ember::native
