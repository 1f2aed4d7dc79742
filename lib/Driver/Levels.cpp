//===- Levels.cpp - The table of levels and stages ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines themselves are defined once, in lib/Pipelines; here is which of
// them leads to which stage, with which options.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Levels.h"
#include "ember/Conversion/CINToSAM/Passes.h"
#include "ember/Conversion/DLCToRing/Passes.h"
#include "ember/Conversion/SLCToSCF/Passes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/Embed/IR/Embed.h"
#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Dialect/SAM/IR/SAM.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "ember/Dialect/TMU/IR/TMU.h"
#include "ember/Driver/Compile.h"
#include "ember/Pipelines/Pipelines.h"
#include "ember/Target/Native/Passes.h"
#include "ember/Target/TMU/Configuration.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

template <typename DialectT> static bool isDialect(const Dialect *dialect) {
  return isa<DialectT>(dialect);
}

/// Only where there are statements or embedding operations: with them tensors
/// become memrefs, and what has none is loops already.
static void addCINToSCF(OpPassManager &manager, ModuleOp module,
                        const CompileOptions &options) {
  WalkResult search = module->walk([](Operation *op) {
    return isa_and_present<cin::CINDialect, col::ColDialect,
                           embed::EmbedDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!search.wasInterrupted())
    return;
  StatementOptions statements;
  statements.countRows = options.target && options.target->countsRows;
  statements.mostThreads = options.mostThreads;
  statements.shareLoops = options.shareLoops;
  statements.dataflow = options.tileBytes > 0;
  if (statements.dataflow)
    statements.tileBytes = options.tileBytes;
  buildCINToSCFPipeline(manager, statements);
}

static void addCINToSAM(OpPassManager &manager, ModuleOp,
                        const CompileOptions &options) {
  ConvertCINToSAMOptions graphs;
  llvm::append_range(graphs.order, options.loopOrder);
  graphs.empty = options.dropEmpty ? "drop" : "keep";
  graphs.transpose = options.transposeTensors;
  llvm::append_range(graphs.gallop, options.gallopVariables);
  llvm::append_range(graphs.bitvector, options.bitVariables);
  manager.addPass(createConvertCINToSAM(graphs));
}

static void addSCFToSLC(OpPassManager &manager, ModuleOp,
                        const CompileOptions &options) {
  manager.addPass(native::createAnnotateWrittenArguments());
  DecouplingOptions decoupling;
  decoupling.parallel = options.parallelPrograms;
  buildSCFToSLCPipeline(manager, decoupling);
}

static void addOptimization(OpPassManager &manager, ModuleOp,
                            const CompileOptions &options) {
  OptimizationOptions optimization;
  optimization.optLevel =
      static_cast<OptimizationLevel>(options.getProgramLevel());
  optimization.vectorLength = options.vectorLength;
  if (options.target) {
    optimization.lookupLevel = options.target->lookupLevel;
    optimization.maskSelects = options.target->masksSelects;
    optimization.vectorizeLookups = options.target->vectorizesLookups;
  }
  if (options.lookupLevel)
    optimization.lookupLevel = *options.lookupLevel;
  buildOptimizationPipeline(manager, optimization);
}

static void addRecoupling(OpPassManager &manager, ModuleOp,
                          const CompileOptions &) {
  manager.addPass(createConvertSLCToSCF());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static void addSLCToDLC(OpPassManager &manager, ModuleOp,
                        const CompileOptions &options) {
  SeparationOptions separation;
  separation.optLevel =
      static_cast<OptimizationLevel>(options.getProgramLevel());
  separation.profile = options.profile;
  separation.keepRows = options.target && options.target->keepsRows;
  buildSLCToDLCPipeline(manager, separation);
}

static void addDLCToRing(OpPassManager &manager, ModuleOp,
                         const CompileOptions &options) {
  DLCToRingOptions halves;
  halves.instrument = options.instrument;
  halves.queueCapacity = options.queueCapacity.value_or(0);
  manager.addPass(createDLCToRing(halves));
}

static void addDLCToTMU(OpPassManager &manager, ModuleOp,
                        const CompileOptions &) {
  buildDLCToTMUPipeline(manager, UnitOptions());
}

static Expected<std::string> describeTMU(ModuleOp module) {
  FailureOr<json::Value> configurations = tmu::makeConfigurations(module);
  if (failed(configurations))
    return makeDiagnosedError();
  return formatv("{0:2}\n", *configurations).str();
}

ArrayRef<Stage> ember::getStages() {
  static const Stage stages[] = {
      {.name = "col",
       .summary = "columns of features: what the compiler is given",
       .level = "col",
       .hasDialect = isDialect<col::ColDialect>,
       .includes = "scf"},
      {.name = "embed",
       .summary = "embedding operations: what the compiler is given",
       .shownAs = "program",
       .level = "embed",
       .from = "col",
       .hasDialect = isDialect<embed::EmbedDialect>,
       .includes = "scf"},
      {.name = "cin",
       .summary = "index notation: statements on arrays",
       .level = "cin",
       .from = "embed",
       .hasDialect = isDialect<cin::CINDialect>,
       .includes = "scf"},
      {.name = "sam",
       .summary = "a statement as a graph of blocks that exchange streams",
       .level = "sam",
       .from = "cin",
       .addPasses = addCINToSAM,
       .hasDialect = isDialect<sam::SAMDialect>},
      {.name = "loops",
       .summary = "loops over memrefs",
       .shownAs = "scf",
       .level = "scf",
       .from = "cin",
       .addPasses = addCINToSCF},
      {.name = "slc",
       .summary = "decoupled: streams, loops and callbacks",
       .level = "slc",
       .from = "loops",
       .addPasses = addSCFToSLC,
       .hasDialect = isDialect<slc::SLCDialect>,
       .isDecoupled = true},
      {.name = "slcv",
       .summary = "the same in vectors",
       .level = "slcv",
       .from = "slc",
       .addPasses = addOptimization,
       .hasDialect = isDialect<slcv::SLCVDialect>,
       .includes = "slc",
       .isDecoupled = true},
      {.name = "dlc",
       .summary = "access program and compute program",
       .level = "dlc",
       .from = "slcv",
       .addPasses = addSLCToDLC,
       .hasDialect = isDialect<dlc::DLCDialect>,
       .isDecoupled = true},
      {.name = "ring",
       .summary = "both programs as functions that meet in rings",
       .level = "ring",
       .from = "dlc",
       .addPasses = addDLCToRing,
       .hasDialect = isDialect<ring::RingDialect>,
       .includes = "scf"},
      {.name = "tmu",
       .summary = "the access program as the configuration of a Tensor "
                  "Marshaling Unit",
       .level = "tmu",
       .from = "dlc",
       .addPasses = addDLCToTMU,
       .hasDialect = isDialect<tmu::TMUDialect>,
       .includes = "scf"},
      {.name = "tmu-config",
       .summary = "that configuration as JSON, which simulators load",
       .describes = "tmu",
       .describe = describeTMU},
      {.name = "scf",
       .summary = "one program of loops again, for target cpu",
       .shownAs = "recoupled",
       .level = "scf",
       .from = "slcv",
       .addPasses = addRecoupling},
      {.name = "llvm",
       .summary = "LLVM's representation of the code",
       .alias = "native",
       .format = native::CodeFormat::LLVMIR},
      {.name = "asm",
       .summary = "instructions",
       .shownAs = "assembly",
       .format = native::CodeFormat::Assembly},
      {.name = "obj",
       .summary = "an object file",
       .format = native::CodeFormat::Object,
       .isBinary = true},
      {.name = "lib",
       .summary = "a kernel library and its manifest",
       .isBinary = true},
  };
  return stages;
}

const Stage *ember::findStage(StringRef name) {
  const auto *row = llvm::find_if(
      getStages(), [&](const Stage &row) { return row.name == name; });
  return row == getStages().end() ? nullptr : row;
}

const Stage &ember::getLoopStage() { return *findStage("loops"); }

/// The stage whose dialect an operation is of, or null.
static const Stage *getStageOf(Operation *op) {
  const Dialect *dialect = op ? op->getDialect() : nullptr;
  if (!dialect)
    return nullptr;
  for (const Stage &stage : getStages())
    if (stage.hasDialect && stage.hasDialect(dialect))
      return &stage;
  return nullptr;
}

StringRef ember::getLevel(func::FuncOp function) {
  SmallVector<StringRef> levels;
  SmallVector<StringRef> included;
  auto add = [&](const Stage &stage) {
    if (is_contained(levels, stage.level))
      return;
    levels.push_back(stage.level);
    if (!stage.includes.empty())
      included.push_back(stage.includes);
  };
  const Stage &loops = getLoopStage();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (const Stage *stage = getStageOf(op)) {
      add(*stage);
      return WalkResult::advance();
    }
    // Code of the execute unit is at every level what it is.
    if (getStageOf(op->getParentOp()))
      return WalkResult::skip();
    if (isa<LoopLikeOpInterface>(op))
      add(loops);
    return WalkResult::advance();
  });
  llvm::erase_if(
      levels, [&](StringRef level) { return is_contained(included, level); });
  if (levels.size() > 1)
    return "mixed";
  return levels.empty() ? loops.level : levels.front();
}
