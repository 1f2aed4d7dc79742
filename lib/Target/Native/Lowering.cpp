//===- Lowering.cpp - The pipeline from scf functions to the llvm dialect -===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Lowering.h"
#include "ember/Checks/Passes.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Loops/Transforms/Normalization.h"
#include "ember/Loops/Transforms/Passes.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace ember::native {
using namespace mlir;

/// One form of loops and memory: scf.for, and sizes of sparse tensors as plain
/// structures.
static void addNormalization(OpPassManager &pm) {
  pm.addPass(createRefuseTensors());
  pm.addPass(createStorageSpecifierToLLVMPass());
  loops::addLoopNormalization(pm);
  pm.addNestedPass<func::FuncOp>(memref::createExpandReallocPass());
}

static void addOptimizations(OpPassManager &pm,
                             const LoweringOptions &options) {
  OpPassManager &first = pm.nest<func::FuncOp>();
  if (options.reduceLanesLast)
    first.addPass(loops::createReduceLanesLast());
  first.addPass(createCanonicalizerPass());
  first.addPass(createCSEPass());
  first.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(loops::createVectorizeWorkspaces());
  if (options.prefetch.distance != 0) {
    loops::PrefetchLookupsOptions prefetch;
    prefetch.distance = std::max<int64_t>(options.prefetch.distance, 0);
    prefetch.lines = options.prefetch.lines;
    prefetch.level = options.prefetch.level;
    prefetch.minTableBytes = options.prefetch.minTableBytes;
    pm.addPass(loops::createPrefetchLookups(prefetch));
    loops::PrefetchFibersOptions fibers;
    if (options.prefetch.distance > 0)
      fibers.distance = llvm::divideCeil(options.prefetch.distance, 2);
    pm.addPass(loops::createPrefetchFibers(fibers));
  }
  if (options.unroll && options.stripRows)
    pm.addPass(loops::createStripRows());
  OpPassManager &second = pm.nest<func::FuncOp>();
  if (options.unroll)
    second.addPass(loops::createUnrollLookups());
  second.addPass(createCanonicalizerPass());
  second.addPass(createCSEPass());
  second.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(loops::createPromoteAccumulators());
  pm.addPass(loops::createForwardStores());
  if (options.unroll)
    pm.addPass(loops::createJamSums());
  OpPassManager &third = pm.nest<func::FuncOp>();
  if (options.unroll)
    third.addPass(loops::createSplitSums());
  if (options.pairLanes)
    third.addPass(loops::createPairBFloat16Lanes());
  third.addPass(createCanonicalizerPass());
}

/// What copies loops, once their ranges are checked in front of them.
static void addCheckedOptimizations(OpPassManager &pm,
                                    const LoweringOptions &options) {
  if (options.tileSweeps)
    pm.addPass(loops::createTileSweeps());
  pm.addPass(loops::createInterleaveReductions());
  // Of exponentials.
  pm.addNestedPass<func::FuncOp>(loops::createApproximateErrorFunctions());
  pm.addNestedPass<func::FuncOp>(loops::createApproximateExponentials());
  pm.addNestedPass<func::FuncOp>(loops::createApproximateLogarithms());
  if (options.approximateTrigonometry)
    pm.addNestedPass<func::FuncOp>(loops::createApproximateTrigonometry());
  loops::StreamStoresOptions stream;
  stream.minOutputBytes = options.streamMinOutput;
  pm.addPass(loops::createStreamStores(stream));
  if (options.orderSegments)
    pm.addPass(loops::createOrderSegments());
  if (options.peelMasks)
    pm.addPass(loops::createPeelMasks());
}

void buildLoweringPipeline(OpPassManager &pm, const LoweringOptions &options) {
  // Before descriptors and addresses hide what is stored to.
  pm.addPass(createAnnotateWrittenArguments());
  addNormalization(pm);
  bool isOptimized = options.optLevel > 0 && !options.leavesLoops;
  if (isOptimized)
    addOptimizations(pm, options);
  if (options.optLevel > 0 && options.parallel) {
    if (isOptimized)
      pm.addNestedPass<func::FuncOp>(loops::createSplitSegments());
    pm.addPass(loops::createParallelizeLoops());
  }
  // Behind what takes loops apart for threads.
  if (isOptimized && options.unroll) {
    pm.addPass(loops::createJamRows());
    pm.addPass(loops::createPromoteRuns());
  }
  if (options.describesLookups)
    pm.addPass(loops::createDescribeLookups());
  pm.addPass(createOwnResults());
  pm.addNestedPass<func::FuncOp>(createPrepareBuffers());
  pm.addNestedPass<func::FuncOp>(vector::createLowerVectorMaskPass());
  if (options.runtimeChecks)
    pm.addPass(checks::createInsertRuntimeChecks());
  if (isOptimized)
    addCheckedOptimizations(pm, options);
  if (options.describesLookups)
    pm.addPass(createLowerLookupDescriptions());
  pm.addPass(createEmitKernelEntries());
  pm.addPass(createEmitParallelCalls());
  pm.addPass(checks::createLowerChecks());

  pm.addNestedPass<func::FuncOp>(createLowerMasks());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass());
  pm.addPass(createLowerNarrowFloats());
  pm.addNestedPass<func::FuncOp>(createLowerNarrowGathers());
  pm.addNestedPass<func::FuncOp>(createLowerPackedLanes());
  pm.addNestedPass<func::FuncOp>(createLowerLaneExtremes());
  // Transfers were given buffers, in loops too.
  PrepareBuffersOptions transferBuffers;
  transferBuffers.clearIntegers = false;
  pm.addNestedPass<func::FuncOp>(createPrepareBuffers(transferBuffers));
  pm.addPass(createLowerAffinePass());
  ConvertVectorToLLVMPassOptions vectors;
  // What is left compares indices that are cut off nowhere.
  vectors.force32BitVectorIndices = false;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createConvertNativeToLLVM());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

LogicalResult lowerToLLVMDialect(ModuleOp module,
                                 const LoweringOptions &options) {
  PassManager pm(module.getContext());
  buildLoweringPipeline(pm, options);
  return pm.run(module);
}

void registerLoweringDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, index::IndexDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, sparse_tensor::SparseTensorDialect,
              ub::UBDialect, vector::VectorDialect>();
}

namespace {
/// Takes the levels that the tools' option -O has.
class LevelParser : public llvm::cl::parser<unsigned> {
public:
  using parser::parser;
  bool parse(llvm::cl::Option &option, StringRef name, StringRef text,
             unsigned &level) {
    constexpr unsigned highest = 4;
    if (!text.getAsInteger(10, level) && level <= highest)
      return false;
    return option.error("expected an integer from 0 to " + Twine(highest) +
                        ", not '" + text + "'");
  }
};

/// The pipeline's options on a command line.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<unsigned, LevelParser> optLevel{
      *this, "opt-level", llvm::cl::init(3),
      llvm::cl::desc("0: no scf-level optimisation")};
  Option<bool> runtimeChecks{*this, "runtime-checks", llvm::cl::init(true),
                             llvm::cl::desc("Check accesses at run time")};
  Option<bool> mayAlias{*this, "may-alias", llvm::cl::init(false),
                        llvm::cl::desc("Memref arguments may overlap")};
  Option<std::string> cpu{
      *this, "mcpu", llvm::cl::init(""),
      llvm::cl::desc("The processor to lower for; native is this machine's. "
                     "Empty: what the module says, or native")};
  Option<std::string> triple{
      *this, "mtriple", llvm::cl::init(""),
      llvm::cl::desc("What that processor runs; empty: this machine's, or that "
                     "of the processor")};
  Option<int64_t> prefetchDistance{
      *this, "prefetch-distance", llvm::cl::init(-1),
      llvm::cl::desc("Lookups a prefetch runs ahead; 0 for none, -1 chooses")};
  Option<bool> pairLanes{*this, "pair-lanes", llvm::cl::init(true),
                         llvm::cl::desc("Take apart two bf16 at a time")};
  Option<bool> reduceLanesLast{
      *this, "reduce-lanes-last", llvm::cl::init(true),
      llvm::cl::desc("Reduce over lanes behind loops")};
  Option<bool> approximateTrigonometry{
      *this, "approximate-trigonometry", llvm::cl::init(true),
      llvm::cl::desc("Sines and cosines without the C library")};
  Option<bool> orderSegments{
      *this, "order-segments", llvm::cl::init(true),
      llvm::cl::desc("Run segments of one length one after the other")};
  Option<bool> peelMasks{*this, "peel-masks", llvm::cl::init(true),
                         llvm::cl::desc("Access whole vectors without masks")};
  Option<bool> tileSweeps{*this, "tile-sweeps", llvm::cl::init(true),
                          llvm::cl::desc("Read whole tables tile by tile")};
  Option<int64_t> streamMinOutput{
      *this, "stream-min-output", llvm::cl::init(0),
      llvm::cl::desc("The smallest output, in bytes, that is written past the "
                     "caches; 0 for none, -1 chooses")};
  Option<bool> unroll{*this, "unroll", llvm::cl::init(true),
                      llvm::cl::desc("Unroll loops over rows")};
  Option<bool> stripRows{*this, "strip-rows", llvm::cl::init(true),
                         llvm::cl::desc("Sum long rows strip by strip")};
  Option<bool> parallel{*this, "parallel", llvm::cl::init(true),
                        llvm::cl::desc("Run loops on several threads")};
};
} // namespace

void registerLoweringPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "lower-to-native", "Lower scf functions to the llvm dialect",
      [](OpPassManager &pm, const PipelineOptions &options) {
        addSetTarget(pm, options.cpu, options.triple, options.mayAlias);
        LoweringOptions lowering;
        lowering.optLevel = options.optLevel;
        lowering.runtimeChecks = options.runtimeChecks;
        lowering.prefetch.distance = options.prefetchDistance;
        lowering.pairLanes = options.pairLanes;
        lowering.reduceLanesLast = options.reduceLanesLast;
        lowering.approximateTrigonometry = options.approximateTrigonometry;
        lowering.orderSegments = options.orderSegments;
        lowering.peelMasks = options.peelMasks;
        lowering.tileSweeps = options.tileSweeps;
        lowering.streamMinOutput = options.streamMinOutput;
        lowering.unroll = options.unroll;
        lowering.stripRows = options.stripRows;
        lowering.parallel = options.parallel;
        buildLoweringPipeline(pm, lowering);
      });
}

} // namespace ember::native
