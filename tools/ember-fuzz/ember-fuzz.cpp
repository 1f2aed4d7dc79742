//===- ember-fuzz.cpp - Differential testing of the compiler --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates random programs of nests, embedding operations or statements, runs
// each at every level and with many options, and compares all memory and
// results with an evaluation that shares no code with the compiler: bit for
// bit, or within the bounds of what the operations leave open.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Campaign/Campaign.h"
#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Program/Printer.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace ember::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("ember-fuzz options");
static cl::opt<uint64_t> count("count", cl::desc("Programs to run"),
                               cl::init(2000), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of the first program"),
                              cl::init(1), cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Processes (default: cores)"),
                              cl::init(0), cl::cat(category));
static cl::opt<double> timeLimit("time-limit",
                                 cl::desc("Start no program after SECONDS"),
                                 cl::value_desc("seconds"), cl::init(0),
                                 cl::cat(category));
static cl::opt<double> programLimit(
    "program-limit",
    cl::desc("Seconds of computing after which a program counts as hung"),
    cl::value_desc("seconds"), cl::init(30), cl::cat(category));
static cl::opt<double>
    reduceLimit("reduce-limit",
                cl::desc("Seconds to make one failing program smaller; 0 keeps "
                         "it as it is"),
                cl::value_desc("seconds"), cl::init(60), cl::cat(category));
static cl::opt<std::string> keep("keep", cl::desc("Folder for failures"),
                                 cl::value_desc("folder"),
                                 cl::init("ember-fuzz-failures"),
                                 cl::cat(category));
static cl::list<std::string> levels("levels",
                                    cl::desc("Levels to run (default: all)"),
                                    cl::value_desc("scf,slc,dlc"),
                                    cl::CommaSeparated, cl::cat(category));
static cl::opt<unsigned>
    variants("variants",
             cl::desc("Ways in which each program runs, drawn from those it "
                      "could (default: 0, all)"),
             cl::init(0), cl::cat(category));
static cl::opt<ProgramKind>
    kind("kind", cl::desc("What programs are made of:"),
         cl::values(clEnumValN(ProgramKind::Any, "any",
                               "any of these, by seed (default)"),
                    clEnumValN(ProgramKind::Nests, "nests", "nests of loops"),
                    clEnumValN(ProgramKind::Embeddings, "embeddings",
                               "operations of the embed dialect"),
                    clEnumValN(ProgramKind::Statements, "statements",
                               "statements in index notation")),
         cl::init(ProgramKind::Any), cl::cat(category));
static cl::opt<bool> verbose("verbose",
                             cl::desc("Say which program and variant runs"),
                             cl::cat(category));
static cl::opt<bool> print("print", cl::desc("Print the programs only"),
                           cl::cat(category));
static cl::list<std::string>
    require("require",
            cl::desc("Fail unless FEATURE shows in that share of the programs"),
            cl::value_desc("feature=percent"), cl::cat(category));

static void printPrograms() {
  for (uint64_t i = 0; i < count; ++i)
    llvm::outs() << "// seed " << seed + i << "\n"
                 << printProgram(generateCase(seed + i, kind).program)
                 << (i + 1 < count ? "// -----\n" : "");
}

/// Checks one "feature=percent".
static bool isMet(const std::string &requirement,
                  const CampaignResult &result) {
  auto [feature, text] = llvm::StringRef(requirement).rsplit('=');
  double percent = 0;
  if (text.getAsDouble(percent)) {
    llvm::errs() << "error: --require=" << requirement
                 << " is not feature=percent\n";
    return false;
  }
  auto found = result.features.find(feature.str());
  double programs =
      found == result.features.end() ? 0 : static_cast<double>(found->second);
  auto total = static_cast<double>(result.passed + result.failed);
  if (programs * 100 >= percent * total)
    return true;
  llvm::errs() << "error: too few programs show '" << feature << "'\n";
  return false;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "differential tester of Ember\n");
  if (print) {
    printPrograms();
    return 0;
  }
  CampaignOptions options;
  options.count = count;
  options.seed = seed;
  options.kind = kind;
  options.jobs =
      jobs ? jobs : std::max(1u, std::thread::hardware_concurrency());
  options.timeLimit = timeLimit;
  options.programLimit = programLimit;
  options.reduceLimit = reduceLimit;
  options.keep = keep;
  options.levels = {"scf", "slc", "dlc"};
  if (!levels.empty())
    options.levels = {levels.begin(), levels.end()};
  options.variants = variants;
  options.isVerbose = verbose;
  CampaignResult result = runCampaign(options);

  for (const auto &[feature, programs] : result.features)
    llvm::outs() << llvm::format("  %-28s", feature.c_str()) << programs
                 << "\n";
  llvm::outs() << result.passed << " passed, " << result.failed << " failed\n";
  bool isMetAll = true;
  for (const std::string &requirement : require)
    isMetAll &= isMet(requirement, result);
  return result.failed == 0 && isMetAll ? 0 : 1;
}
