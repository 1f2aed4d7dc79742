//===- Pipelines.h - The named pipelines ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps between levels, each under one name. The output of one is the
// input of the next, in memory, in a file or through a pipe:
//
//   ember-opt --scf-to-slc a.mlir | ember-opt --optimize | ember-opt
//   --slc-to-dlc
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_PIPELINES_PIPELINES_H
#define EMBER_PIPELINES_PIPELINES_H

#include "ember/Dialect/DLC/Transforms/Passes.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"
#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace ember {

/// Options of `--cin-to-scf`.
struct StatementOptions : mlir::PassPipelineOptions<StatementOptions> {
  Option<bool> countRows{
      *this, "count-rows",
      llvm::cl::desc("Count rows of results before they are filled, where "
                     "several threads do it"),
      llvm::cl::init(false)};
  Option<int64_t> mostThreads{
      *this, "most-threads",
      llvm::cl::desc("Threads that loops run on at most; 0 for any number"),
      llvm::cl::init(0)};
  Option<bool> shareLoops{
      *this, "share-loops",
      llvm::cl::desc("Make one function of loops that are alike"),
      llvm::cl::init(false)};
  Option<bool> dataflow{
      *this, "dataflow",
      llvm::cl::desc("Make sweeps over tiles of statements that pass tiles on"),
      llvm::cl::init(false)};
  Option<int64_t> tileBytes{
      *this, "tile-bytes",
      llvm::cl::desc("What tiles of all arrays of a sweep take together"),
      llvm::cl::init(int64_t(1) << 19)};
};

/// Options of `--scf-to-slc`.
struct DecouplingOptions : mlir::PassPipelineOptions<DecouplingOptions> {
  Option<bool> mayAlias{
      *this, "may-alias",
      llvm::cl::desc("Take memref arguments and memrefs of different element "
                     "types as possibly aliasing"),
      llvm::cl::init(false)};
  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc("Divide outermost loops first, so that each part becomes "
                     "a program of its own"),
      llvm::cl::init(false)};
};

/// The paper's emb-opt0 to emb-opt3, and beyond them what suits one model and
/// one execute unit (sections 7.4 and 8.3); each includes those before it.
enum class OptimizationLevel { none, vectorize, bufferize, align, specialize };

/// The values of the option `opt-level`: as the tools' option -O, a number.
llvm::cl::ValuesClass getOptimizationLevels();

/// Options of `--optimize`.
struct OptimizationOptions : mlir::PassPipelineOptions<OptimizationOptions> {
  Option<Choice<OptimizationLevel>> optLevel{
      *this, "opt-level", llvm::cl::desc("How far to go"),
      llvm::cl::init(OptimizationLevel::align), getOptimizationLevels()};
  Option<int64_t> vectorLength{
      *this, "vector-length",
      llvm::cl::desc("Lanes of a vector; 0 fills the target's vector registers "
                     "with the widest elements a loop accesses"),
      llvm::cl::init(0)};
  Option<std::string> cpu{
      *this, "mcpu",
      llvm::cl::desc("The processor whose registers 'vector-length=0' fills; "
                     "native is this machine's. Empty: what the module says, "
                     "or native"),
      llvm::cl::init("")};
  Option<std::string> triple{
      *this, "mtriple",
      llvm::cl::desc("What that processor runs; empty: the host's, or that of "
                     "the processor"),
      llvm::cl::init("")};
  Option<bool> mayAlias{
      *this, "may-alias",
      llvm::cl::desc("Take memref arguments and memrefs of different element "
                     "types as possibly aliasing"),
      llvm::cl::init(false)};
  Option<bool> maskSelects{
      *this, "mask-selects",
      llvm::cl::desc("Leave callbacks out that choose to store what was there"),
      llvm::cl::init(true)};
  Option<bool> vectorizeLookups{
      *this, "vectorize-lookups",
      llvm::cl::desc("Vectorise loops that look single elements up even where "
                     "the target has no gathers"),
      llvm::cl::init(true)};
  Option<Choice<slcv::AlignmentStrategy>> alignment{
      *this, "alignment",
      llvm::cl::desc("How scalar operands are taken out of the vectors' way"),
      llvm::cl::init(slcv::AlignmentStrategy::automatic),
      llvm::cl::values(
          clEnumValN(slcv::AlignmentStrategy::automatic, "auto",
                     "Choose for each callback"),
          clEnumValN(slcv::AlignmentStrategy::counters, "counters",
                     "The execute unit counts induction variables itself"),
          clEnumValN(slcv::AlignmentStrategy::pad, "pad",
                     "Send scalars as vectors"),
          clEnumValN(slcv::AlignmentStrategy::addresses, "addresses",
                     "Send positions of rows instead of ids"))};
  Option<Choice<StoreStreamMode>> storeStreams{
      *this, "store-streams",
      llvm::cl::desc("Which stores the access unit makes, from level 4 on"),
      llvm::cl::init(StoreStreamMode::automatic),
      llvm::cl::values(
          clEnumValN(StoreStreamMode::automatic, "auto",
                     "Those whose value need not cross then"),
          clEnumValN(StoreStreamMode::always, "always", "All that it can"),
          clEnumValN(StoreStreamMode::never, "never", "None"))};
  Option<Choice<LookupLevel>> lookupLevel{
      *this, "lookup-level",
      llvm::cl::desc("The cache that keeps what is looked up, from level 4 on"),
      llvm::cl::init(LookupLevel::automatic),
      llvm::cl::values(
          clEnumValN(LookupLevel::automatic, "auto", "As the table says"),
          clEnumValN(LookupLevel::l1, "l1", "The first"),
          clEnumValN(LookupLevel::l2, "l2", "The second"),
          clEnumValN(LookupLevel::llc, "llc", "The last"),
          clEnumValN(LookupLevel::none, "none", "No hints of levels"))};
};

/// Options of `--slc-to-dlc`.
struct SeparationOptions : mlir::PassPipelineOptions<SeparationOptions> {
  Option<Choice<OptimizationLevel>> optLevel{
      *this, "opt-level", llvm::cl::desc("How far to go"),
      llvm::cl::init(OptimizationLevel::align), getOptimizationLevels()};
  Option<Choice<dlc::ToggleChoice>> toggles{
      *this, "toggles",
      llvm::cl::desc(
          "At level 4: which operands are sent only when they change"),
      llvm::cl::init(dlc::ToggleChoice::automatic),
      llvm::cl::values(clEnumValN(dlc::ToggleChoice::none, "none", "None"),
                       clEnumValN(dlc::ToggleChoice::automatic, "auto",
                                  "Coordinates at which a case accumulates"),
                       clEnumValN(dlc::ToggleChoice::all, "all",
                                  "All integers that are read or computed"))};
  Option<Choice<dlc::TokenValueChoice>> tokenValues{
      *this, "token-values",
      llvm::cl::desc("At level 4: which scalar operands ride in tokens"),
      llvm::cl::init(dlc::TokenValueChoice::automatic),
      llvm::cl::values(clEnumValN(dlc::TokenValueChoice::none, "none", "None"),
                       clEnumValN(dlc::TokenValueChoice::automatic, "auto",
                                  "Those that fit nearly always"),
                       clEnumValN(dlc::TokenValueChoice::any, "any",
                                  "Also f64, which often does not fit"))};
  Option<bool> keepRows{
      *this, "keep-rows",
      llvm::cl::desc(
          "At level 4: cases keep rows that they work on, which pays "
          "where loops that pop are unrolled"),
      llvm::cl::init(false)};
  Option<std::string> profile{
      *this, "profile",
      llvm::cl::desc("At level 4: statistics of a run of the program, to order "
                     "cases by"),
      llvm::cl::init("")};
};

/// Options of `--convert-dlc-to-tmu`: what the unit has.
struct UnitOptions : mlir::PassPipelineOptions<UnitOptions> {
  Option<int64_t> lanes{*this, "lanes", llvm::cl::desc("Lanes of the unit"),
                        llvm::cl::init(8)};
  Option<int64_t> layers{*this, "layers",
                         llvm::cl::desc("Traversal units of a lane"),
                         llvm::cl::init(8)};
  Option<int64_t> storage{*this, "storage",
                          llvm::cl::desc("Bytes of queues of a lane"),
                          llvm::cl::init(1024)};
  Option<int64_t> requests{
      *this, "requests",
      llvm::cl::desc("Requests of the unit on the way to memory"),
      llvm::cl::init(256)};
  Option<int64_t> chunk{*this, "chunk",
                        llvm::cl::desc("Bytes of a chunk of the output queue"),
                        llvm::cl::init(2048)};
  Option<int64_t> tokens{*this, "tokens",
                         llvm::cl::desc("Bytes of a chunk that are for tokens"),
                         llvm::cl::init(512)};
  Option<bool> computedQueues{
      *this, "computed-queues",
      llvm::cl::desc("The unit has queues for what it computes, too"),
      llvm::cl::init(false)};
};

/// Options of `--convert-dlc-to-llvm`.
struct QueueOptions : mlir::PassPipelineOptions<QueueOptions> {
  Option<bool> instrument{
      *this, "instrument",
      llvm::cl::desc("Report loads, tokens and operands to the run-time "
                     "statistics"),
      llvm::cl::init(false)};
  Option<int64_t> queueCapacity{
      *this, "queue-capacity",
      llvm::cl::desc("What the queues hold; 0 leaves it to the runtime"),
      llvm::cl::init(0)};
};

/// One-shot bufferisation, also of functions' arguments and results, then
/// loops for every embedding operation and every statement.
void buildCINToSCFPipeline(mlir::OpPassManager &manager,
                           const StatementOptions &options);

/// scf to slc: choose-decoupling, convert-scf-to-slc, move-to-val-ops.
void buildSCFToSLCPipeline(mlir::OpPassManager &manager,
                           const DecouplingOptions &options);

/// slc to slcv: set-target, slc-vectorize, simplify-casts, vectorize-callbacks,
/// bufferize-compound-types, align-queues, simplify-mem-ops, as far as the
/// optimisation level goes.
void buildOptimizationPipeline(mlir::OpPassManager &manager,
                               const OptimizationOptions &options);

/// slc or slcv to dlc: convert-slc-to-dlc; at level 4 also use-token-values and
/// order-cases.
void buildSLCToDLCPipeline(mlir::OpPassManager &manager,
                           const SeparationOptions &options);

/// dlc to the runtime's queues, by way of ring: dlc-to-ring, ring-to-native.
void buildDLCToLLVMPipeline(mlir::OpPassManager &manager,
                            const QueueOptions &options);

/// Makes the access programs of a module configurations of a Tensor Marshaling
/// Unit, mapped to one that has what the options say.
void buildDLCToTMUPipeline(mlir::OpPassManager &manager,
                           const UnitOptions &options);

/// Registers the pipelines as `--cin-to-scf`, `--scf-to-slc`, `--optimize`,
/// `--slc-to-dlc`, `--convert-dlc-to-llvm`.
void registerPipelines();

} // namespace ember

#endif // EMBER_PIPELINES_PIPELINES_H
