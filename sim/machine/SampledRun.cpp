//===- SampledRun.cpp - Long runs, of which parts take time ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/SampledRun.h"

#include "ember/Sim/Engine/StudentDistribution.h"

#include <algorithm>
#include <cmath>

using namespace ember::sim;

/// The first period is so much shorter; each next one twice as long.
static constexpr double firstPart = 1.0 / 16;
/// Windows that an interval needs.
static constexpr size_t fewestWindows = 2;

llvm::Error SamplingParameters::validate() const {
  if (!window)
    return llvm::createStringError("a window to be measured has no "
                                   "instructions");
  if (period / 2 < window + warmUp)
    return llvm::createStringError("a period of " + std::to_string(period) +
                                   " instructions is less than twice the " +
                                   std::to_string(window + warmUp) +
                                   " in detail");
  return llvm::Error::success();
}

void SampledRun::addMeasured(CoreRun &run) {
  const OutOfOrderCore::Window &window = run.core->window();
  run.measuredInstructions += static_cast<double>(window.instructions);
  run.measuredTicks += static_cast<double>(window.ticks);
}

llvm::Error SampledRun::begin(std::vector<CoreRun> &runs) {
  Tick since = machine.clockwork().now();
  for (unsigned i = 0; i < machine.description().cores; ++i) {
    if (!machine.hasCore(i))
      continue;
    CoreRun run;
    run.core = &machine.core(i);
    run.first = run.core->program().executed();
    runs.push_back(run);
  }
  machine.start();
  for (CoreRun &run : runs)
    if (!run.core->finished())
      run.core->measure(0, parameters.period / 2);
  if (llvm::Error error = machine.runUntil(
          [](const OutOfOrderCore &core) { return core.window().done; }))
    return error;
  // What ends before fast-forwarding begins took as long as it took.
  if (llvm::Error error = pause(runs))
    return error;
  for (CoreRun &run : runs) {
    run.over = run.core->finished();
    run.instructions = run.core->window().instructions;
    run.ticks = static_cast<double>(run.core->window().ticks);
    if (run.over) {
      run.instructions = position(run);
      run.ticks = run.instructions
                      ? static_cast<double>(run.core->finishedAt() - since)
                      : 0;
    } else {
      addMeasured(run);
    }
  }
  return llvm::Error::success();
}

llvm::Error SampledRun::pause(std::vector<CoreRun> &runs) {
  for (CoreRun &run : runs)
    run.core->hold();
  if (llvm::Error error = machine.runUntil(
          [](const OutOfOrderCore &core) { return core.isEmpty(); }))
    return error;
  machine.drain();
  return llvm::Error::success();
}

llvm::Error SampledRun::goOn(std::vector<CoreRun> &runs, double part) {
  double fastest = 0;
  for (const CoreRun &run : runs)
    if (!run.over)
      fastest = std::max(fastest, run.measuredInstructions / run.measuredTicks);
  double chance = static_cast<double>(random() - random.min()) /
                  static_cast<double>(random.max() - random.min());
  double length = (0.5 + chance) * part *
                  static_cast<double>(parameters.period - parameters.window -
                                      parameters.warmUp);
  llvm::SmallVector<uint64_t, 16> instructions(machine.description().cores);
  size_t index = 0;
  for (unsigned i = 0; i < instructions.size(); ++i) {
    if (!machine.hasCore(i))
      continue;
    CoreRun &run = runs[index++];
    if (run.over)
      continue;
    double rate = run.measuredInstructions / run.measuredTicks;
    instructions[i] = 1 + static_cast<uint64_t>(length * rate / fastest);
    run.exact = false;
    run.next.from = position(run);
  }
  if (llvm::Error error = machine.fastForward(instructions))
    return error;
  for (CoreRun &run : runs) {
    if (run.over)
      continue;
    run.next.to = position(run);
    detailed -= run.next.to - run.next.from;
    run.core->measure(parameters.warmUp, parameters.window);
    run.core->release();
  }
  if (llvm::Error error = machine.runUntil(
          [](const OutOfOrderCore &core) { return core.window().done; }))
    return error;
  if (llvm::Error error = pause(runs))
    return error;
  for (CoreRun &run : runs) {
    if (run.over)
      continue;
    run.over = run.core->finished();
    const OutOfOrderCore::Window &window = run.core->window();
    if (!window.done)
      continue;
    ++windowCount;
    addMeasured(run);
    run.next.ticksPerInstruction = static_cast<double>(window.ticks) /
                                   static_cast<double>(window.instructions);
    run.samples.push_back(run.next);
  }
  return llvm::Error::success();
}

llvm::Expected<SampledRun::Estimate>
SampledRun::estimate(const CoreRun &run, uint64_t cores) const {
  if (run.exact)
    return Estimate{run.ticks, run.ticks, run.ticks, 0};
  size_t count = run.samples.size();
  if (count < fewestWindows)
    return llvm::createStringError(
        "a part of " + std::to_string(position(run)) +
        " instructions has less than two windows: run it in full, or with a "
        "shorter period than " +
        std::to_string(parameters.period));
  double sum = 0, squares = 0, mean = 0;
  for (const Sample &sample : run.samples)
    mean += sample.ticksPerInstruction / static_cast<double>(count);
  double variance = 0;
  auto begin = static_cast<double>(run.instructions);
  for (size_t i = 0; i < count; ++i) {
    double end = static_cast<double>(position(run));
    if (i + 1 < count)
      end = 0.5 * static_cast<double>(run.samples[i + 1].from +
                                      run.samples[i + 1].to);
    double weight = end - begin;
    double value = run.samples[i].ticksPerInstruction;
    sum += weight * value;
    squares += weight * weight;
    variance +=
        (value - mean) * (value - mean) / static_cast<double>(count - 1);
    begin = end;
  }
  variance *= squares;
  // All cores' intervals hold at a time.
  double distance =
      studentDistance(1 - (1 - confidence) / static_cast<double>(cores),
                      count - 1) *
      std::sqrt(variance);
  distance += bias * sum;
  double ticks = run.ticks + sum;
  return Estimate{ticks, std::max(run.ticks, ticks - distance),
                  ticks + distance, variance};
}

SampledRun::Estimate SampledRun::latestOf(llvm::ArrayRef<Estimate> cores) {
  double count = 0, mean = 0, within = 0, between = 0;
  for (const Estimate &core : cores)
    count += core.variance > 0;
  for (const Estimate &core : cores)
    if (core.variance > 0) {
      mean += core.ticks / count;
      within += core.variance / count;
    }
  for (const Estimate &core : cores)
    if (core.variance > 0 && count > 1)
      between += (core.ticks - mean) * (core.ticks - mean) / (count - 1);
  double kept = between > within ? 1 - within / between : 0;
  Estimate latest;
  for (const Estimate &core : cores) {
    bool isUncertain = core.variance > 0 && count > 1;
    double ticks = isUncertain ? mean + kept * (core.ticks - mean) : core.ticks;
    latest.ticks = std::max(latest.ticks, ticks);
    latest.low = std::max(latest.low, core.low);
    latest.high = std::max(latest.high, core.high);
  }
  latest.ticks = std::clamp(latest.ticks, latest.low, latest.high);
  return latest;
}

llvm::Error SampledRun::run() {
  std::vector<CoreRun> runs;
  if (llvm::Error error = begin(runs))
    return error;
  double part = firstPart;
  while (!llvm::all_of(runs, [](const CoreRun &run) { return run.over; })) {
    if (llvm::Error error = goOn(runs, part))
      return error;
    part = std::min(1.0, 2 * part);
  }
  for (CoreRun &run : runs)
    run.core->release();
  if (llvm::Error errors = machine.takeErrors())
    return errors;
  uint64_t sampled =
      llvm::count_if(runs, [](const CoreRun &run) { return !run.exact; });
  std::vector<Estimate> estimates;
  for (const CoreRun &run : runs) {
    executed += position(run);
    detailed += position(run);
    llvm::Expected<Estimate> mine = estimate(run, sampled);
    if (!mine)
      return mine.takeError();
    estimates.push_back(*mine);
  }
  Estimate latest = latestOf(estimates);
  total.ticks += latest.ticks;
  total.low += latest.low;
  total.high += latest.high;
  return llvm::Error::success();
}

llvm::json::Object SampledRun::toJSON() const {
  return llvm::json::Object{{"nanoseconds", total.ticks / ticksPerNanosecond},
                            {"low", total.low / ticksPerNanosecond},
                            {"high", total.high / ticksPerNanosecond},
                            {"confidence", confidence},
                            {"bias", bias},
                            {"windows", windowCount},
                            {"instructions", executed},
                            {"detailedInstructions", detailed}};
}
