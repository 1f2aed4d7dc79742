//===- Pipelines.cpp - The named pipelines --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Pipelines/Pipelines.h"

#include "ember/Checks/Passes.h"
#include "ember/Conversion/CINToSCF/Passes.h"
#include "ember/Conversion/ColToCIN/Passes.h"
#include "ember/Conversion/DLCToRing/Passes.h"
#include "ember/Conversion/DLCToTMU/Passes.h"
#include "ember/Conversion/EmbedToCIN/Passes.h"
#include "ember/Conversion/RingToNative/Passes.h"
#include "ember/Conversion/SCFToSLC/Passes.h"
#include "ember/Conversion/SLCToDLC/Passes.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "ember/Dialect/Col/Transforms/Passes.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"
#include "ember/Dialect/TMU/Transforms/Passes.h"
#include "ember/Loops/Transforms/Normalization.h"
#include "ember/Loops/Transforms/Passes.h"

#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ember;

/// The width of vectors in loops over partial results; 0 for the target's. A
/// length in elements is meant for the 32 bits most rows are made of; that of
/// lookups may be any, but no registers are longer than SVE's may be.
static int64_t getWorkspaceBits(const OptimizationOptions &options) {
  constexpr int64_t elementBits = 32, mostBits = 2048;
  return std::min<int64_t>(options.vectorLength, mostBits / elementBits) *
         elementBits;
}

llvm::cl::ValuesClass ember::getOptimizationLevels() {
  return llvm::cl::values(
      clEnumValN(OptimizationLevel::none, "0", "Leave the program as it is"),
      clEnumValN(OptimizationLevel::vectorize, "1", "Vectorise"),
      clEnumValN(OptimizationLevel::bufferize, "2", "Also bufferise"),
      clEnumValN(OptimizationLevel::align, "3", "Also align the queues"),
      clEnumValN(OptimizationLevel::specialize, "4",
                 "Also what suits the model and the execute unit"));
}

void ember::buildCINToSCFPipeline(OpPassManager &manager,
                                  const StatementOptions &options) {
  manager.addPass(col::createExpandSources());
  manager.addNestedPass<func::FuncOp>(col::createExpandConcatenations());
  manager.addPass(col::createShareColumns());
  manager.addPass(createConvertColToCIN());
  manager.addPass(cin::createCheckFunctions());
  manager.addNestedPass<func::FuncOp>(loops::createSplitIndexCasts());
  bufferization::OneShotBufferizePassOptions bufferization;
  bufferization.bufferizeFunctionBoundaries = true;
  bufferization.allowReturnAllocsFromLoops = true;
  bufferization.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferization));
  // A result that is an argument's memory is that argument, of functions that
  // are called in the module, and of those that are called from outside.
  manager.addPass(bufferization::createDropEquivalentBufferResultsPass());
  manager.addPass(createDropReturnedArguments());
  // The deallocation pipeline does not know statements.
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createEmbedToCIN());
  manager.addNestedPass<func::FuncOp>(cin::createFuse());
  manager.addNestedPass<func::FuncOp>(cin::createChooseFormats());
  manager.addNestedPass<func::FuncOp>(cin::createExpandTemporaries());
  manager.addNestedPass<func::FuncOp>(cin::createExpandMissing());
  if (options.dataflow) {
    manager.addNestedPass<func::FuncOp>(cin::createAnnotateEinsumDag());
    cin::FuseEinsumDagOptions sweeps;
    sweeps.tileBytes = options.tileBytes;
    manager.addNestedPass<func::FuncOp>(cin::createFuseEinsumDag(sweeps));
  }
  manager.addNestedPass<func::FuncOp>(cin::createSchedule());
  manager.addNestedPass<func::FuncOp>(cin::createInsertWorkspaces());
  manager.addNestedPass<func::FuncOp>(cin::createConcretize());
  manager.addNestedPass<func::FuncOp>(cin::createJoinSweeps());
  manager.addNestedPass<func::FuncOp>(cin::createDeriveIteration());
  manager.addNestedPass<func::FuncOp>(cin::createSimplifyIteration());
  cin::ExpandEncodingsOptions lists;
  lists.listsOnly = true;
  manager.addNestedPass<func::FuncOp>(cin::createExpandEncodings(lists));
  manager.addNestedPass<func::FuncOp>(cin::createExpandFormats());
  manager.addNestedPass<func::FuncOp>(cin::createSortOperands());
  manager.addNestedPass<func::FuncOp>(cin::createExpandEncodings());
  ConvertCINToSCFOptions loops;
  loops.countRows = options.countRows;
  loops.mostThreads = options.mostThreads;
  manager.addNestedPass<func::FuncOp>(createConvertCINToSCF(loops));
  manager.addPass(cin::createDropFunctions());
  manager.addNestedPass<func::FuncOp>(createDropDeallocations());
  bufferization::buildBufferDeallocationPipeline(
      manager, bufferization::BufferDeallocationPipelineOptions());
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (options.shareLoops)
    manager.addPass(loops::createShareLoops());
}

void ember::buildSCFToSLCPipeline(OpPassManager &manager,
                                  const DecouplingOptions &options) {
  loops::addLoopNormalization(manager);
  // Constants and dimensions move out of the nests, equal addresses become the
  // same value: the choice compares by identity.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(loops::createJoinReductions());
  if (options.parallel) {
    loops::ParallelizeLoopsOptions division;
    division.mayAlias = options.mayAlias;
    manager.addPass(loops::createParallelizeLoops(division));
  }
  manager.addNestedPass<func::FuncOp>(checks::createAnnotateSegments());
  ChooseDecouplingOptions choice;
  choice.mayAlias = options.mayAlias;
  manager.addPass(createChooseDecoupling(choice));
  manager.addNestedPass<func::FuncOp>(createConvertSCFToSLC());
  manager.addNestedPass<func::FuncOp>(createMoveToValOps());
  manager.addPass(createCanonicalizerPass());
}

void ember::buildOptimizationPipeline(OpPassManager &manager,
                                      const OptimizationOptions &options) {
  addSetTarget(manager, options.cpu, options.triple, options.mayAlias);
  manager.addNestedPass<func::FuncOp>(loops::createSplitIndexCasts());
  if (options.optLevel >= OptimizationLevel::vectorize) {
    MaskCallbacksOptions masks;
    masks.selects = options.maskSelects;
    manager.addNestedPass<func::FuncOp>(createMaskCallbacks(masks));
  }
  if (options.optLevel >= OptimizationLevel::specialize) {
    StoreStreamsOptions stores;
    stores.mode = options.storeStreams;
    manager.addPass(createStoreStreams(stores));
    ChooseCacheHintsOptions hints;
    hints.lookupLevel = options.lookupLevel;
    manager.addNestedPass<func::FuncOp>(createChooseCacheHints(hints));
  }
  if (options.optLevel >= OptimizationLevel::vectorize) {
    slcv::SlcVectorizerOptions vectorizer;
    vectorizer.vectorLength = options.vectorLength;
    vectorizer.lookups = options.vectorizeLookups;
    manager.addPass(slcv::createSlcVectorizer(vectorizer));
    manager.addNestedPass<func::FuncOp>(slcv::createSimplifyCastOps());
    manager.addNestedPass<func::FuncOp>(slcv::createCallbackVectorizer());
    // What is not offloaded: loops over partial results in callbacks.
    loops::VectorizeWorkspacesOptions workspaces;
    workspaces.vectorBits = getWorkspaceBits(options);
    manager.addPass(loops::createVectorizeWorkspaces(workspaces));
  }
  if (options.optLevel >= OptimizationLevel::bufferize)
    manager.addNestedPass<func::FuncOp>(slcv::createBufferCompoundTypes());
  if (options.optLevel >= OptimizationLevel::align) {
    slcv::ReplaceToValOpsOptions alignment;
    alignment.strategy = options.alignment;
    manager.addNestedPass<func::FuncOp>(slcv::createReplaceToValOps(alignment));
  }
  if (options.optLevel >= OptimizationLevel::vectorize)
    manager.addNestedPass<func::FuncOp>(slcv::createSimplifyMemOps());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void ember::buildSLCToDLCPipeline(OpPassManager &manager,
                                  const SeparationOptions &options) {
  manager.addNestedPass<func::FuncOp>(loops::createSplitIndexCasts());
  manager.addNestedPass<func::FuncOp>(createConvertSLCToDLC());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (options.optLevel < OptimizationLevel::align)
    return;
  if (options.optLevel == OptimizationLevel::align) {
    manager.addNestedPass<func::FuncOp>(dlc::createHoldOperands());
    manager.addNestedPass<func::FuncOp>(dlc::createDeriveOperands());
    manager.addNestedPass<func::FuncOp>(dlc::createMergeCallbacks());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    return;
  }
  if (options.keepRows) {
    manager.addNestedPass<func::FuncOp>(dlc::createLoadDirectRows());
    manager.addNestedPass<func::FuncOp>(dlc::createReuseOperands());
  }
  dlc::ToggleCallbacksOptions toggles;
  toggles.which = options.toggles;
  manager.addNestedPass<func::FuncOp>(dlc::createToggleCallbacks(toggles));
  manager.addNestedPass<func::FuncOp>(dlc::createHoldOperands());
  manager.addNestedPass<func::FuncOp>(dlc::createDeriveOperands());
  manager.addNestedPass<func::FuncOp>(dlc::createMergeCallbacks());
  dlc::UseTokenValuesOptions values;
  values.which = options.tokenValues;
  manager.addNestedPass<func::FuncOp>(dlc::createUseTokenValues(values));
  manager.addPass(createCanonicalizerPass());
  if (options.keepRows)
    manager.addPass(dlc::createPromoteRows());
  dlc::OrderCasesOptions order;
  order.profile = options.profile;
  manager.addNestedPass<func::FuncOp>(dlc::createOrderCases(order));
}

void ember::buildDLCToLLVMPipeline(OpPassManager &manager,
                                   const QueueOptions &options) {
  DLCToRingOptions separation;
  separation.instrument = options.instrument;
  separation.queueCapacity = options.queueCapacity;
  manager.addPass(createDLCToRing(separation));
  manager.addPass(createRingToNative());
}

void ember::buildDLCToTMUPipeline(OpPassManager &manager,
                                  const UnitOptions &options) {
  manager.addNestedPass<func::FuncOp>(dlc::createNarrowOperands());
  manager.addPass(createCanonicalizerPass());
  DLCToTMUOptions configuration;
  configuration.lanes = options.lanes;
  manager.addPass(createDLCToTMU(configuration));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  tmu::MapTMUOptions machine;
  machine.lanes = options.lanes;
  machine.layers = options.layers;
  machine.storage = options.storage;
  machine.requests = options.requests;
  machine.chunk = options.chunk;
  machine.tokens = options.tokens;
  machine.computedQueues = options.computedQueues;
  manager.addPass(tmu::createMapTMU(machine));
}

void ember::registerPipelines() {
  PassPipelineRegistration<StatementOptions>(
      "cin-to-scf",
      "Bufferise: from statements and embedding operations to scf "
      "nests",
      buildCINToSCFPipeline);
  PassPipelineRegistration<StatementOptions>(
      "embed-to-scf", "The same as cin-to-scf", buildCINToSCFPipeline);
  PassPipelineRegistration<DecouplingOptions>(
      "scf-to-slc", "Decouple: from scf nests to lookup-compute nests",
      buildSCFToSLCPipeline);
  PassPipelineRegistration<OptimizationOptions>(
      "optimize", "Optimise lookup-compute nests: vectorise, bufferise, align",
      buildOptimizationPipeline);
  PassPipelineRegistration<SeparationOptions>(
      "slc-to-dlc", "Separate: from lookup-compute nests to two programs",
      buildSLCToDLCPipeline);
  PassPipelineRegistration<QueueOptions>(
      "convert-dlc-to-llvm",
      "Join both programs by queues: by way of rings, to the runtime's threads",
      buildDLCToLLVMPipeline);
  PassPipelineRegistration<UnitOptions>(
      "convert-dlc-to-tmu",
      "Configure the access unit of a machine: lanes, layers and queues",
      buildDLCToTMUPipeline);
}
