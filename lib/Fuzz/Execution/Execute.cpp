//===- Execute.cpp - Compiles and runs programs in this process -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Execution/Execute.h"
#include "Arguments.h"
#include "Features.h"
#include "ProgramModule.h"
#include "SimulatedRun.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Driver/Registration.h"
#include "ember/Fuzz/Evaluation/Messages.h"
#include "ember/Fuzz/Program/Printer.h"
#include "ember/Runtime/Runtime.h"
#include "ember/Target/Native/JIT.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/TMU/Configuration.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"

namespace ember::fuzz {
using namespace mlir;

struct Executor::State {
  State() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry makeRegistry() {
    static bool isRegistered = false;
    if (!isRegistered)
      registerPasses();
    isRegistered = true;
    DialectRegistry registry;
    registerDialects(registry);
    native::registerLoweringDialects(registry);
    return registry;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

Executor::Executor() : state(std::make_unique<State>()) {}
Executor::~Executor() = default;

namespace {
/// Keeps the first error instead of printing it.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              message.empty())
            message = diagnostic.str();
          return success();
        }) {}

  std::string message;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Not everything has a gradient, nor is everything stored without gaps:
/// docs/notation.md says what.
static bool isRefusedStatement(const Program &program, StringRef message) {
  if (message.contains("which is stored without gaps"))
    return true;
  return program.notation && program.notation->gradient &&
         (message.contains("has no derivative") ||
          message.contains("there is no gradient") ||
          message.contains("keeps the terms that it compares") ||
          message.contains("is assigned to after it is read here") ||
          message.contains("is assigned to again") ||
          message.contains("where each of its indices is a variable"));
}

std::optional<Failure> Executor::load(const Program &program) {
  ErrorCollector errors(&state->context);
  state->module = makeModule(program, &state->context);
  if (!state->module)
    return Failure{isRefusedStatement(program, errors.message) ? "refusal"
                                                               : "parse",
                   "scf", errors.message};
  return std::nullopt;
}

/// Runs one pipeline, written as on a command line.
static LogicalResult runPipeline(ModuleOp module, const std::string &text) {
  PassManager manager(module.getContext());
  std::string error;
  llvm::raw_string_ostream errorStream(error);
  if (failed(parsePassPipeline(text, manager, errorStream)))
    return module.emitError() << "no pipeline " << text << ": " << error;
  return manager.run(module);
}

static std::string toText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// `module`, printed and parsed again.
static OwningOpRef<ModuleOp> throughText(ModuleOp module) {
  return parseSourceString<ModuleOp>(toText(module), module.getContext());
}

/// The first array in a format that has other elements than it must have.
static std::string compareStored(const Program &program,
                                 const Outcome &expected,
                                 const Arguments &arguments) {
  const std::vector<StoredArray> &arrays = program.notation->arrays;
  std::vector<KernelParameter> parameters = parametersOf(*program.notation);
  for (size_t number = 0; number < arrays.size(); ++number) {
    std::vector<Input> parts;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].isRoom && parameters[i].array == number)
        parts.push_back(arguments.argument(i));
    if (parts.empty())
      continue;
    Input elements;
    std::string what = "array '" + arrays[number].name + "'";
    if (std::string error = load(arrays[number], parts, elements);
        !error.empty())
      return what + ": " + error;
    std::string difference =
        describeDifference(what, elements, expected.arrays[number]);
    if (!difference.empty())
      return difference;
  }
  return "";
}

/// The first difference between what a call left behind and what it must have.
static std::string compare(const Program &program, const Outcome &expected,
                           Arguments &arguments) {
  std::string difference;
  auto note = [&](std::string found) {
    if (difference.empty())
      difference = std::move(found);
  };
  for (size_t i = 0; i < expected.results.size(); ++i)
    note(describeDifference("result " + std::to_string(i),
                            arguments.takeResult(i), expected.results[i]));
  std::vector<KernelParameter> parameters;
  if (program.notation) {
    note(compareStored(program, expected, arguments));
    parameters = parametersOf(*program.notation);
  }
  for (size_t i = 0; i < expected.inputs.size(); ++i)
    if (parameters.empty() || !parameters[i].isRoom)
      note(describeDifference("argument " + std::to_string(i) + " '" +
                                  program.entry().parameterNames[i] + "'",
                              arguments.argument(i), expected.inputs[i]));
  return difference;
}

/// What a fault of an embedding operation is reported as.
static int32_t codeOf(Fault::Kind fault) {
  switch (fault) {
  case Fault::Index:
    return EMBER_INDEX;
  case Fault::Segment:
    return EMBER_SEGMENT;
  default:
    return EMBER_ASSERT;
  }
}

/// True if the error is one that the program must, or may, end with.
static bool isExpectedError(int32_t code, const Program &program,
                            const Outcome &expected, bool mayAlias) {
  if (hasWrittenSharing(program) && !mayAlias)
    return code == EMBER_OVERLAP;
  // Arrays in formats are searched for an index, which no bounds are of.
  if (expected.status == Outcome::Trap && program.notation &&
      code == EMBER_ASSERT)
    return true;
  if (expected.status == Outcome::Trap && expected.fault)
    return code == codeOf(*expected.fault);
  if (expected.status == Outcome::Trap)
    return code == EMBER_INDEX || code == EMBER_SEGMENT ||
           code == EMBER_ASSERT || code == EMBER_MEMORY;
  // Offsets that decrease are an error although the loop would not run.
  return (program.isFaulty || expected.hasReversedRange) &&
         code == EMBER_SEGMENT;
}

/// What is wrong about how a call ended, or nothing.
static std::string checkCall(int32_t code, const char *message,
                             const Program &program, const Outcome &expected,
                             bool mayAlias, Arguments &arguments) {
  if (code == EMBER_OK && expected.mayGoUnnoticed)
    return "";
  if (code == EMBER_OK && expected.status == Outcome::Trap)
    return "no error, but: " + expected.message;
  if (code == EMBER_OK)
    return compare(program, expected, arguments);
  if (!isExpectedError(code, program, expected, mayAlias))
    return "error " + std::to_string(code) + ": " + message;
  if (std::string untruth = findUntruth(program, message); !untruth.empty())
    return "error that is " + untruth;
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (program.inputs[i].isReadOnly) {
      std::string difference =
          describeDifference("read-only argument " + std::to_string(i),
                             arguments.argument(i), program.inputs[i]);
      if (!difference.empty())
        return difference;
    }
  return "";
}

static std::string callEntry(native::KernelEntry entry, const Program &program,
                             const Outcome &expected, bool mayAlias,
                             const Schedule &schedule) {
  ember_config config{schedule.capacity,
                      schedule.hasThreads ? EMBER_SCHEDULE_THREADS
                                          : EMBER_SCHEDULE_FIBERS,
                      schedule.loopThreads, /*workOfThread=*/1};
  ember_configure(&config);
  Arguments arguments(program);
  ember_error error{};
  int32_t code = entry(arguments.pointers(), &error);
  return checkCall(code, error.message, program, expected, mayAlias, arguments);
}

/// The machine that runs it, with as many registers as `variant` says.
static void setTarget(ModuleOp module, const Variant &variant) {
  static const TargetInfo host = llvm::cantFail(describeTarget(TargetSpec()));
  TargetInfo target = host;
  if (variant.simulatedBits)
    target =
        llvm::cantFail(describeTarget(getSimulatedCore(variant.simulatedBits)));
  if (variant.vectorRegisters != 0)
    target.vectorRegisters = variant.vectorRegisters;
  module->setAttr(targetAttr, describe(target, module.getContext()));
  if (variant.mayAlias)
    module->setAttr(mayAliasAttr, UnitAttr::get(module.getContext()));
}

/// Not every program fits an access unit. That is said of operations of dlc, or
/// with what the machine has.
static bool isRefusal(const std::string &pipeline, StringRef message) {
  return StringRef(pipeline).starts_with("convert-dlc-to-tmu") &&
         (message.starts_with("'dlc.") || message.contains("machine has ") ||
          message.contains("has operands of "));
}

/// Nor is every array assembled in every format.
static bool isRefusedFormat(const Program &program, StringRef message) {
  return program.notation &&
         (message.contains("appends to an array in another order") ||
          message.contains("is unordered, together with others") ||
          message.contains("is unordered, and appends to") ||
          message.contains("is unordered and nonunique"));
}

static void turnUses(Value value) {
  if (value.use_empty())
    return;
  auto uses = std::distance(value.use_begin(), value.use_end());
  value.shuffleUseList(llvm::to_vector(
      llvm::reverse(llvm::seq<unsigned>(0, static_cast<unsigned>(uses)))));
}

/// Turns all lists of uses around. Their order is an accident of what made the
/// module, which must not show in the code.
static void turnUses(ModuleOp module) {
  module->walk([](Operation *op) {
    for (Value result : op->getResults())
      turnUses(result);
    for (Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (Value argument : block.getArguments())
          turnUses(argument);
  });
}

/// Takes `module` to the llvm dialect, as `variant` says; with `turnsUses`,
/// from other lists of uses. Nothing, or what went wrong; `errors` says why.
/// `configuration` is what units load.
static std::optional<Failure>
compile(const Program &program, const Variant &variant,
        OwningOpRef<ModuleOp> &module, const ErrorCollector &errors,
        std::set<std::string> &features, std::string &configuration,
        bool turnsUses = false) {
  setTarget(*module, variant);
  std::vector<std::string> pipelines = variant.pipelines();
  if (hasEmbeddings(program) || program.notation)
    pipelines.insert(pipelines.begin(), variant.sharesLoops
                                            ? "embed-to-scf{share-loops=true}"
                                            : "embed-to-scf");
  for (const std::string &pipeline : pipelines) {
    if (turnsUses)
      turnUses(*module);
    if (failed(runPipeline(*module, pipeline)))
      return Failure{isRefusal(pipeline, errors.message) ||
                             isRefusedFormat(program, errors.message)
                         ? "refusal"
                         : "pass",
                     variant.name(), pipeline + ": " + errors.message};
    collectFeatures(*module, features);
    if (pipeline.starts_with("convert-dlc-to-tmu")) {
      FailureOr<llvm::json::Value> programs = tmu::makeConfigurations(*module);
      if (failed(programs))
        return Failure{"pass", variant.name(), errors.message};
      configuration = llvm::formatv("{0}", *programs).str();
    }
    if (!variant.hasTextBetween)
      continue;
    module = throughText(*module);
    if (!module)
      return Failure{"text", variant.name(),
                     "after " + pipeline + ": " + errors.message};
  }

  native::LoweringOptions lowering;
  lowering.optLevel = variant.nativeLevel;
  // No output here is large, and no row long.
  lowering.streamMinOutput = 1;
  if (failed(native::lowerToLLVMDialect(*module, lowering)))
    return Failure{"native", variant.name(), errors.message};
  return std::nullopt;
}

/// Compiles the program once more, in a context where everything has another
/// address, and uses are in another order: that must not show in the code.
static std::optional<Failure> compileAgain(const Program &program,
                                           const Variant &variant,
                                           MLIRContext &context,
                                           ModuleOp first) {
  ErrorCollector errors(&context);
  OwningOpRef<ModuleOp> module = makeModule(program, &context);
  std::set<std::string> features;
  std::string configuration;
  if (auto failure = compile(program, variant, module, errors, features,
                             configuration, /*turnsUses=*/true))
    return failure;
  if (toText(first) != toText(*module))
    return Failure{"text", variant.name(),
                   "compiled once more, it is other code"};
  return std::nullopt;
}

std::optional<Failure> Executor::run(const Program &program,
                                     const Outcome &expected,
                                     const Variant &variant,
                                     std::set<std::string> &features) {
  ErrorCollector errors(&state->context);
  // What a unit reads where it should not is nobody's error.
  if (variant.unit && expected.status == Outcome::Trap)
    return std::nullopt;
  OwningOpRef<ModuleOp> module = state->module->clone();
  std::string configuration;
  if (auto failure =
          compile(program, variant, module, errors, features, configuration)) {
    if (failure->kind != "refusal")
      return failure;
    features.insert(isRefusedFormat(program, failure->message)
                        ? "refused format"
                        : "refused by an access unit");
    return std::nullopt;
  }
  if (!configuration.empty())
    features.insert("access unit");
  if (variant.isRepeated) {
    State other;
    if (auto failure = compileAgain(program, variant, other.context, *module))
      return failure;
  }
  native::JITOptions options;
  options.codeGen.optLevel = variant.codeLevel;
  if (variant.simulatedBits) {
    auto object = native::generateCode(*module, native::CodeFormat::Object,
                                       options.codeGen);
    if (!object)
      return Failure{"native", variant.name(),
                     llvm::toString(object.takeError())};
    std::string difference;
    Arguments arguments(program);
    llvm::Expected<Ending> ending =
        runSimulated(*object, configuration, program, variant, arguments);
    if (ending)
      difference = checkCall(ending->code, ending->message.c_str(), program,
                             expected, variant.mayAlias, arguments);
    else
      difference = "error: " + llvm::toString(ending.takeError());
    if (difference.empty())
      return std::nullopt;
    return Failure{difference.starts_with("error") ? "run" : "mismatch",
                   variant.name(), difference};
  }
  options.symbols = native::runtimeSymbols();
  auto jit = native::JIT::create(*module, options);
  if (!jit)
    return Failure{"native", variant.name(), llvm::toString(jit.takeError())};
  auto entry = (*jit)->lookup(program.entry().name);
  if (!entry)
    return Failure{"native", variant.name(), llvm::toString(entry.takeError())};
  for (const Schedule &schedule : variant.schedules) {
    std::string name = variant.name();
    if (variant.level == Variant::DLC)
      name += " " + schedule.name();
    std::string difference =
        callEntry(*entry, program, expected, variant.mayAlias, schedule);
    if (!difference.empty())
      return Failure{difference.starts_with("error") ? "run" : "mismatch", name,
                     difference};
  }
  return std::nullopt;
}

} // namespace ember::fuzz
