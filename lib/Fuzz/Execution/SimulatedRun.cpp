//===- SimulatedRun.cpp - Runs programs on simulated cores ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedRun.h"
#include "ember/Sim/TMU/TMUDevice.h"
#include "ember/Target/Native/Lowering.h"

namespace ember::fuzz {

namespace {
/// A unit beside each core.
struct Units {
  std::optional<sim::Configuration> programs;
  std::vector<std::unique_ptr<sim::TMUDevice>> units;
};
} // namespace

static llvm::Error attachUnits(GuestProcess &process,
                               llvm::StringRef configuration,
                               const SimulatedUnit &unit, Units &result) {
  auto programs = sim::Configuration::parse(configuration);
  if (!programs)
    return programs.takeError();
  result.programs = std::move(*programs);
  for (unsigned core = 0; core < process.coreCount(); ++core) {
    result.units.push_back(std::make_unique<sim::TMUDevice>(
        "tmu" + std::to_string(core), *result.programs, process.getMemory(),
        unit.chunks));
    if (llvm::Error error = process.attach(core, *result.units.back()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<Ending> runSimulated(llvm::StringRef object,
                                    llvm::StringRef configuration,
                                    const Program &program,
                                    const Variant &variant,
                                    Arguments &arguments) {
  auto cores = static_cast<unsigned>(variant.schedules.front().loopThreads);
  auto process = GuestProcess::create(
      object, cores, static_cast<unsigned>(variant.simulatedBits / 8));
  if (!process)
    return process.takeError();
  Units units;
  if (!configuration.empty())
    if (llvm::Error error =
            attachUnits(**process, configuration, *variant.unit, units))
      return std::move(error);
  std::vector<GuestValue> values = arguments.guestValues();
  Ending ending;
  llvm::Error error = llvm::handleErrors(
      (*process)->run(native::kernelEntrySymbol(program.entry().name), values,
                      [&] { return (*process)->execute(); }),
      [&](const GuestFailure &failure) {
        ending.code = failure.code();
        ending.message = failure.message();
      });
  // The first cause is the unit's.
  for (auto &unit : units.units)
    if (llvm::Error cause = unit->takeError()) {
      llvm::consumeError(std::move(error));
      error = std::move(cause);
    }
  if (error)
    return std::move(error);
  ending.process = std::move(*process);
  return ending;
}

} // namespace ember::fuzz
