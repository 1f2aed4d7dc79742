//===- ember-opt.cpp - Ember's optimiser driver ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// mlir-opt with the dialects in use and Ember's passes and pipelines, which
// first of all refuses what no tool of Ember takes.
//
//===----------------------------------------------------------------------===//

#include "ember/Checks/Passes.h"
#include "ember/Driver/LargeStack.h"
#include "ember/Driver/Registration.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Runs the passes of the command line behind the check of the program.
static LogicalResult run(const MlirOptMainConfig &asTold, llvm::StringRef input,
                         llvm::StringRef output, DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> file;
  if (buffer)
    file = openOutputFile(output, &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return failure();
  }
  MlirOptMainConfig config = asTold;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    manager.addPass(ember::checks::createRefuseUnsupported());
    return asTold.setupPassPipeline(manager);
  });
  if (failed(MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return failure();
  file->keep();
  return success();
}

static LogicalResult runTool(int argc, char **argv) {
  DialectRegistry registry;
  ember::registerDialects(registry);
  ember::registerPasses();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Ember optimiser driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);
  return run(config, input, output, registry);
}

int main(int argc, char **argv) {
  return ember::runOnLargeStack(
      [&] { return asMainReturnCode(runTool(argc, argv)); });
}
