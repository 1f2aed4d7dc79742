//===- Campaign.cpp - Many programs in many processes ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Worker processes take ranges of seeds and say in lines what they do, so that
// when one dies or hangs it is known in which program and variant, and another
// one goes on behind it.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Campaign/Campaign.h"
#include "Isolate.h"
#include "Report.h"
#include "ember/Fuzz/Reduction/Reducer.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <unistd.h>

namespace ember::fuzz {

using Clock = std::chrono::steady_clock;

/// Programs one worker process runs: its start is paid for by many.
constexpr uint64_t kBatch = 50;
/// Failures that are made smaller, of each sort and in all.
constexpr unsigned kReducedOfASort = 1, kReduced = 12;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// What failures of one sort have in common: the message without its numbers.
static std::string sortOf(const Failure &failure) {
  std::string sort = failure.kind + ":" + failure.variant.substr(0, 3) + ":";
  if (failure.kind == "mismatch")
    return sort;
  for (char c : failure.message)
    if (!std::isdigit(static_cast<unsigned char>(c)))
      sort += c;
  return sort;
}

static void sendFailure(const SendLine &send, const Failure &failure) {
  send("fail\t" + failure.kind + "\t" + failure.variant + "\t" +
       failure.message);
}

/// What statements are made of.
static void noteStatements(const Notation &notation,
                           std::set<std::string> &features) {
  features.insert("statements");
  if (notation.statements.size() > 1)
    features.insert("several statements");
  if (notation.gradient)
    features.insert("gradient");
  if (notation.hintedDensity > 0)
    features.insert("sizes and densities that are known");
  if (!notation.group.empty())
    features.insert("groups of places");
  for (const StoredArray &array : notation.arrays) {
    if (array.isCompact)
      features.insert("result without gaps");
    if (array.isTemporary)
      features.insert(array.hasLevels() ? "temporary in a format"
                                        : "temporary");
    if (array.isMissing)
      features.insert("missing elements");
    if (array.encoding)
      features.insert("encoded elements");
    for (const StoredLevel &level : array.levels)
      if (!level.isOrdered)
        features.insert("unordered level");
    if (array.hasLevels())
      features.insert(notation.isTarget(array.name) ? "result in a format"
                                                    : "array in a format");
  }
  std::set<std::string> assigned;
  for (const Statement &statement : notation.statements) {
    if (!assigned.insert(statement.target.name).second)
      features.insert("array that is assigned to again");
    if (statement.function == "first" || statement.function == "last")
      features.insert("kept value");
    else if (!statement.function.empty())
      features.insert("combining assignment");
    auto noteRanges = [&](const std::vector<VariableRange> &ranges) {
      for (const VariableRange &range : ranges)
        if (range.bounds.size() == 1)
          features.insert(range.bounds[0].kind == Term::Call
                              ? "segments of lengths"
                              : "range over a list");
    };
    noteRanges(statement.ranges);
    visitTerms(statement, [&](const Term &term) {
      noteRanges(term.ranges);
      if (term.name == "slice")
        features.insert("slice");
      if (term.name == "size")
        features.insert("size of an array");
      if (notation.findFunction(term.name))
        features.insert("function of one's own");
      if (term.name.find(' ') != std::string::npos)
        features.insert("chained comparison");
      if (term.kind == Term::Reduction)
        features.insert("reduction");
      if (term.kind != Term::Element)
        return;
      for (const Term &index : term.operands) {
        if (index.kind == Term::Element)
          features.insert("indirection");
        if (index.name == "+" && index.operands[0].name == "*")
          features.insert("index of two digits");
      }
    });
  }
}

static void runSeed(Executor &executor, uint64_t seed,
                    const CampaignOptions &options, const SendLine &send) {
  send("begin\t" + std::to_string(seed));
  Case drawn = generateCase(seed, options.kind);
  if (!isComparable(drawn.program, drawn.expected))
    return sendFailure(send, {"generator", "", drawn.expected.message});
  std::set<std::string> features;
  auto failure = executor.load(drawn.program);
  if (failure && failure->kind == "refusal")
    return send("feature\trefused gradient");
  if (failure)
    return sendFailure(send, *failure);
  if (drawn.expected.status == Outcome::Trap)
    features.insert("ends with an error");
  if (hasWrittenSharing(drawn.program))
    features.insert("shared arguments");
  if (drawn.program.notation)
    noteStatements(*drawn.program.notation, features);
  const Function &entry = drawn.program.entry();
  for (size_t i = 0; i < entry.body.ops.size(); ++i) {
    const Op &op = entry.body.ops[i];
    if (op.embedding)
      features.insert(mnemonic(op.embedding->kind));
    if (op.embedding && !op.results.empty() && !isInPlace(entry, i))
      features.insert("tensor copied first");
  }
  std::vector<Variant> variants = drawVariants(seed, drawn.program);
  std::erase_if(variants, [&](const Variant &variant) {
    return !options.levels.count(variant.levelName());
  });
  if (options.variants > 0)
    keepSomeVariants(variants, seed, options.variants);
  std::set<std::string> sorts;
  for (const Variant &variant : variants) {
    send("variant\t" + variant.name());
    auto failure =
        executor.run(drawn.program, drawn.expected, variant, features);
    if (!failure)
      features.insert("level " + variant.levelName());
    else if (sorts.insert(sortOf(*failure)).second)
      sendFailure(send, *failure);
  }
  for (const std::string &feature : features)
    send("feature\t" + feature);
}

namespace {

struct SeedFailure {
  uint64_t seed = 0;
  Failure failure;
};

struct Worker {
  Child child;
  /// Seeds that are left, the one in work included.
  uint64_t next = 0, end = 0;
  bool isInProgram = false;
  /// When the program began, and what the worker had computed until then.
  Clock::time_point since;
  double cpuBefore = 0;
  std::string variant;
  std::vector<Failure> failures;
  std::string partialLine;
};

class Campaign {
public:
  explicit Campaign(const CampaignOptions &options) : options(options) {}
  CampaignResult run();

private:
  bool isHung(const Worker &worker) const {
    return cpuSeconds(worker.child) - worker.cpuBefore > options.programLimit ||
           secondsSince(worker.since) > 10 * options.programLimit;
  }
  bool isOver() const {
    return options.timeLimit > 0 && secondsSince(start) > options.timeLimit;
  }
  void startWorkers();
  void startWorker(uint64_t first, uint64_t end);
  void waitForLines();
  void readLines(Worker &worker);
  void handleLine(Worker &worker, const std::string &line);
  void endProgram(Worker &worker);
  void endWorker(Worker &worker, const std::string &reason);
  void reduceFailures();
  void reduceFailure(const SeedFailure &failed);

  const CampaignOptions &options;
  Clock::time_point start = Clock::now();
  CampaignResult result;
  std::vector<Worker> workers;
  /// Ranges of seeds that no worker has.
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  std::vector<SeedFailure> failures;
};

} // namespace

void Campaign::startWorker(uint64_t first, uint64_t end) {
  Worker worker;
  worker.next = first;
  worker.end = end;
  worker.since = Clock::now();
  worker.child = startChild([&](const SendLine &send) {
    Executor executor;
    for (uint64_t seed = first; seed < end && !isOver(); ++seed) {
      runSeed(executor, seed, options, send);
      send("end");
    }
  });
  workers.push_back(std::move(worker));
}

void Campaign::startWorkers() {
  while (workers.size() < options.jobs && !ranges.empty() && !isOver()) {
    auto [first, end] = ranges.back();
    ranges.pop_back();
    if (end - first > kBatch) {
      ranges.push_back({first + kBatch, end});
      end = first + kBatch;
    }
    startWorker(first, end);
  }
}

void Campaign::endProgram(Worker &worker) {
  worker.isInProgram = false;
  ++(worker.failures.empty() ? result.passed : result.failed);
  for (const Failure &failure : worker.failures) {
    std::printf("FAIL seed %llu, %s, %s: %s\n",
                static_cast<unsigned long long>(worker.next),
                failure.kind.c_str(), failure.variant.c_str(),
                failure.message.c_str());
    failures.push_back({worker.next, failure});
  }
  std::fflush(stdout);
  worker.failures.clear();
  ++worker.next;
}

void Campaign::handleLine(Worker &worker, const std::string &line) {
  size_t tab = line.find('\t');
  std::string word = line.substr(0, tab);
  std::string rest = tab == std::string::npos ? "" : line.substr(tab + 1);
  if (options.isVerbose && word != "feature")
    std::printf("%s\n", line.c_str());
  if (word == "begin") {
    worker.isInProgram = true;
    worker.since = Clock::now();
    worker.cpuBefore = cpuSeconds(worker.child);
    worker.variant = "";
  } else if (word == "variant") {
    worker.variant = rest;
  } else if (word == "feature") {
    ++result.features[rest];
  } else if (word == "fail") {
    std::istringstream fields(rest);
    Failure failure;
    std::getline(fields, failure.kind, '\t');
    std::getline(fields, failure.variant, '\t');
    std::getline(fields, failure.message);
    worker.failures.push_back(std::move(failure));
  } else if (word == "end") {
    endProgram(worker);
  }
}

/// The worker is gone; goes on behind the program that took it along.
void Campaign::endWorker(Worker &worker, const std::string &reason) {
  std::string death = waitForChild(worker.child);
  worker.child.pid = -1;
  if (worker.isInProgram) {
    bool isHang = !reason.empty();
    worker.failures.push_back(
        {isHang ? "hang" : "crash", worker.variant, isHang ? reason : death});
    endProgram(worker);
  }
  if (worker.next < worker.end)
    ranges.push_back({worker.next, worker.end});
}

void Campaign::readLines(Worker &worker) {
  char buffer[4096];
  ssize_t size = read(worker.child.lines, buffer, sizeof buffer);
  if (size <= 0)
    return endWorker(worker, "");
  worker.partialLine.append(buffer, static_cast<size_t>(size));
  size_t begin = 0;
  for (size_t end;
       (end = worker.partialLine.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    handleLine(worker, worker.partialLine.substr(begin, end - begin));
  worker.partialLine.erase(0, begin);
}

void Campaign::waitForLines() {
  std::vector<pollfd> ready;
  for (const Worker &worker : workers)
    ready.push_back({worker.child.lines, POLLIN, 0});
  if (poll(ready.data(), ready.size(), 200) < 0 && errno != EINTR)
    return;
  for (size_t i = 0; i < workers.size(); ++i) {
    Worker &worker = workers[i];
    if (ready[i].revents) {
      readLines(worker);
    } else if (isHung(worker)) {
      killChild(worker.child);
      worker.isInProgram = true;
      endWorker(worker,
                "no end after " +
                    std::to_string(static_cast<int>(options.programLimit)) +
                    " seconds");
    }
  }
  std::erase_if(workers,
                [](const Worker &worker) { return worker.child.pid < 0; });
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// The variant of `seed` that failed, with only the schedule that failed.
static Variant failingVariant(const SeedFailure &failed,
                              const Program &program) {
  for (Variant variant : drawVariants(failed.seed, program)) {
    if (failed.failure.variant == variant.name())
      return variant;
    for (const Schedule &schedule : variant.schedules)
      if (failed.failure.variant == variant.name() + " " + schedule.name()) {
        variant.schedules = {schedule};
        return variant;
      }
  }
  return {};
}

/// Runs `program` in a process of its own.
static std::optional<Failure> runAlone(Executor &executor,
                                       const Program &program,
                                       const Outcome &expected,
                                       const Variant &variant, double seconds) {
  IsolatedRun run = runIsolated(
      [&](const SendLine &send) {
        std::set<std::string> features;
        auto failure = executor.load(program);
        if (!failure)
          failure = executor.run(program, expected, variant, features);
        if (failure)
          send(failure->kind + "\t" + failure->message);
      },
      seconds);
  if (run.hasTimedOut)
    return Failure{"hang", variant.name(), ""};
  if (!run.death.empty())
    return Failure{"crash", variant.name(), run.death};
  if (run.output.empty())
    return std::nullopt;
  run.output.resize(run.output.find('\n'));
  size_t tab = run.output.find('\t');
  return Failure{run.output.substr(0, tab), variant.name(),
                 run.output.substr(tab + 1)};
}

void Campaign::reduceFailure(const SeedFailure &failed) {
  Program program = generateCase(failed.seed, options.kind).program;
  Variant variant = failingVariant(failed, program);
  // In a process of its own: reducing runs the compiler's code many times.
  Child child = startChild([&](const SendLine &) {
    Executor executor;
    std::string sort = sortOf(failed.failure);
    double seconds = failed.failure.kind == "hang" ? 5 : options.programLimit;
    auto stillFails = [&](const Program &candidate) {
      Outcome expected = interpret(candidate, kStepLimit);
      if (!isComparable(candidate, expected))
        return false;
      auto failure = runAlone(executor, candidate, expected, variant, seconds);
      if (!failure || failure->kind != failed.failure.kind)
        return false;
      failure->variant = failed.failure.variant;
      return failure->kind == "hang" || sortOf(*failure) == sort;
    };
    Program reduced = reduceProgram(program, stillFails, options.reduceLimit);
    std::string folder = options.keep + "/seed" + std::to_string(failed.seed) +
                         "-" + variant.levelName() + "-reduced";
    std::string error =
        writeReport(folder, reduced, failed.seed, failed.failure);
    std::printf("%s\n", error.empty()
                            ? ("reduced to " +
                               std::to_string(countOps(reduced.entry().body)) +
                               " operations: " + folder)
                                  .c_str()
                            : error.c_str());
    std::fflush(stdout);
  });
  waitForChild(child);
}

void Campaign::reduceFailures() {
  std::map<std::string, unsigned> seen;
  unsigned reduced = 0;
  for (const SeedFailure &failed : failures) {
    unsigned &count = seen[sortOf(failed.failure)];
    if (count >= kReducedOfASort || reduced >= kReduced)
      continue;
    ++count;
    ++reduced;
    Program program = generateCase(failed.seed, options.kind).program;
    std::string folder = options.keep + "/seed" + std::to_string(failed.seed);
    std::string error =
        writeReport(folder, program, failed.seed, failed.failure);
    if (!error.empty()) {
      std::printf("%s\n", error.c_str());
      return;
    }
    if (options.reduceLimit > 0 && failed.failure.kind != "generator")
      reduceFailure(failed);
  }
  if (!seen.empty())
    std::printf("failures by sort: %zu sorts, %u kept in %s\n", seen.size(),
                reduced, options.keep.c_str());
}

CampaignResult Campaign::run() {
  ranges.push_back({options.seed, options.seed + options.count});
  startWorkers();
  while (!workers.empty()) {
    waitForLines();
    startWorkers();
  }
  reduceFailures();
  return result;
}

CampaignResult runCampaign(const CampaignOptions &options) {
  return Campaign(options).run();
}

} // namespace ember::fuzz
