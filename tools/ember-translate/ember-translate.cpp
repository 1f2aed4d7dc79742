//===- ember-translate.cpp - Models of other systems and modules ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a graph of TensorFlow and writes it as a module of the col dialect, or
// the other way, or as a graph with kernels in place of its columns, and graphs
// of the Sparse Abstract Machine from and to Graphviz.
//
//===----------------------------------------------------------------------===//

#include "ReplaceColumns.h"

#include "ember/Driver/Files.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/Registration.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/Tool.h"
#include "ember/Translate/GraphDef/Export.h"
#include "ember/Translate/GraphDef/Import.h"
#include "ember/Translate/SAMDot/Dot.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

/// What TensorFlow calls the file of a model in its folder.
static constexpr StringLiteral modelFile = "saved_model.pb";

static Expected<graphdef::ImportOptions>
getImportOptions(const InputArgList &args) {
  graphdef::ImportOptions options;
  for (StringRef output : split(args.getLastArgValue(OPT_outputs), ','))
    if (!output.empty())
      options.outputs.push_back(output.str());
  options.signature = args.getLastArgValue(OPT_signature);
  auto elements = getInteger(args, OPT_most_elements, 0, int64_t(1) << 32);
  if (!elements)
    return elements.takeError();
  options.mostElements = elements->value_or(options.mostElements);
  return options;
}

namespace {
/// A graph or model of TensorFlow, and which of both it is.
struct ModelBytes {
  std::string path;
  graphdef::FileKind kind;
  std::unique_ptr<MemoryBuffer> content;
};
} // namespace

static Expected<ModelBytes> readModel(StringRef path) {
  SmallString<128> file = path;
  if (sys::fs::is_directory(file))
    sys::path::append(file, modelFile);
  auto kind = sys::path::filename(file) == modelFile
                  ? graphdef::FileKind::savedModel
                  : graphdef::FileKind::graph;
  auto content = readFile(file);
  if (!content)
    return content.takeError();
  return ModelBytes{file.str().str(), kind, std::move(*content)};
}

namespace {
/// A module, with the file that it was imported from.
struct ImportedModel {
  ModelBytes bytes;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

/// Imports the model at `path`, and hands it on while its errors name it.
static Error withModel(StringRef path, const InputArgList &args,
                       llvm::function_ref<Error(ImportedModel &)> use) {
  auto options = getImportOptions(args);
  if (!options)
    return options.takeError();
  auto bytes = readModel(path);
  if (!bytes)
    return bytes.takeError();
  if (bytes->kind == graphdef::FileKind::graph && !options->signature.empty())
    return makeError("--signature is for models, and '" + path +
                     "' is taken for a graph");
  mlir::DialectRegistry registry;
  registerDialects(registry);
  ImportedModel model{std::move(*bytes),
                      std::make_unique<mlir::MLIRContext>(
                          registry, mlir::MLIRContext::Threading::DISABLED),
                      {}};
  mlir::ScopedDiagnosticHandler handler(
      model.context.get(), [&](mlir::Diagnostic &diagnostic) {
        errs() << "error: " << model.bytes.path << ": " << diagnostic << "\n";
      });
  model.module =
      graphdef::importGraphDef(model.bytes.content->getMemBufferRef(),
                               model.bytes.kind, *options, model.context.get());
  if (!model.module)
    return makeDiagnosedError();
  return use(model);
}

static Error importModel(StringRef path, const InputArgList &args) {
  return withModel(path, args, [&](ImportedModel &model) {
    return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                     [&](raw_ostream &os) { os << *model.module << "\n"; });
  });
}

static Error compileColumns(StringRef path, const InputArgList &args) {
  return withModel(path, args, [&](ImportedModel &model) -> Error {
    auto replaced =
        replaceColumns(*model.module, args.getLastArgValue(OPT_library));
    if (!replaced)
      return makeDiagnosedError();
    graphdef::OriginalFile original = {model.bytes.content->getMemBufferRef(),
                                       model.bytes.kind};
    mlir::FailureOr<std::string> graph =
        graphdef::exportGraphDef(replaced->graph, original);
    if (mlir::failed(graph))
      return makeDiagnosedError();
    if (args.hasArg(OPT_kernels))
      if (Error error = writeFile(
              args.getLastArgValue(OPT_kernels),
              [&](raw_ostream &os) { os << *replaced->kernels << "\n"; }))
        return error;
    if (args.hasArg(OPT_report))
      if (Error error =
              writeFile(args.getLastArgValue(OPT_report), [&](raw_ostream &os) {
                os << json::Value(std::move(replaced->report)) << "\n";
              }))
        return error;
    return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                     [&](raw_ostream &os) { os << *graph; });
  });
}

static Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                 StringRef name) {
  if (!name.empty()) {
    if (auto function = module.lookupSymbol<mlir::func::FuncOp>(name))
      return function;
    return makeError("no function is called '" + name + "'");
  }
  auto functions = module.getOps<mlir::func::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return makeError("not one function: say which by --function");
  return *functions.begin();
}

static Error exportModel(StringRef path, const InputArgList &args) {
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  auto source = Source::parse(std::move(*text), /*printRemarks=*/false);
  if (!source)
    return source.takeError();
  auto function =
      findFunction((*source)->getModule(), args.getLastArgValue(OPT_function));
  if (!function)
    return function.takeError();
  std::optional<ModelBytes> original;
  if (args.hasArg(OPT_original)) {
    auto model = readModel(args.getLastArgValue(OPT_original));
    if (!model)
      return model.takeError();
    original = std::move(*model);
  }
  std::optional<graphdef::OriginalFile> bytes;
  if (original)
    bytes = {original->content->getMemBufferRef(), original->kind};
  mlir::FailureOr<std::string> graph =
      graphdef::exportGraphDef(*function, bytes);
  if (mlir::failed(graph))
    return makeDiagnosedError();
  return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                   [&](raw_ostream &os) { os << *graph; });
}

static Error exportBlocks(StringRef path, const InputArgList &args) {
  auto content = readFile(path);
  if (!content)
    return content.takeError();
  auto source = Source::parse(std::move(*content), /*printRemarks=*/false);
  if (!source)
    return source.takeError();
  SmallVector<sam::GraphOp> graphs;
  (*source)->getModule().walk(
      [&](sam::GraphOp graph) { graphs.push_back(graph); });
  if (graphs.size() != 1)
    return makeError("'" + path + "' has " + Twine(graphs.size()) +
                     " graphs of blocks, and one is written");
  std::string text;
  raw_string_ostream written(text);
  if (!sam::exportDot(graphs.front(), written))
    return makeDiagnosedError();
  return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                   [&](raw_ostream &os) { os << text; });
}

static Error importBlocks(StringRef path, const InputArgList &args) {
  auto content = readFile(path);
  if (!content)
    return content.takeError();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errs() << "error: " << path << ": " << diagnostic << "\n";
      });
  auto module = sam::importDot((*content)->getBuffer(), &context);
  if (!module)
    return makeDiagnosedError();
  return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                   [&](raw_ostream &os) { os << *module << "\n"; });
}

namespace {
/// What the tool does, by the option that asks for it.
struct Way {
  unsigned option;
  StringLiteral name, input;
  Error (*run)(StringRef path, const InputArgList &args);
};
} // namespace

static const Way ways[] = {
    {OPT_import_graphdef, "--import-graphdef",
     "FILE.pb or the folder of a model", importModel},
    {OPT_export_graphdef, "--export-graphdef", "FILE.mlir", exportModel},
    {OPT_replace_columns, "--replace-columns",
     "FILE.pb or the folder of a model", compileColumns},
    {OPT_sam_to_dot, "--sam-to-dot", "FILE.mlir", exportBlocks},
    {OPT_dot_to_sam, "--dot-to-sam", "FILE.gv", importBlocks},
};

static Error translate(const CommandLine &line) {
  SmallVector<const Way *> asked;
  SmallVector<StringRef> names;
  for (const Way &way : ways) {
    names.push_back(way.name);
    if (line.options.hasArg(way.option))
      asked.push_back(&way);
  }
  if (asked.size() != 1)
    return makeError(Twine(asked.empty() ? "nothing to do: " : "") +
                     "give one of " + join(names, ", "));
  if (line.positionals.size() > 1)
    return makeError("more than one input file");
  if (line.positionals.empty())
    return makeError("no input file: give " + asked.front()->input);
  return asked.front()->run(line.positionals.front(), line.options);
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool(
      {"ember-translate",
       "ember-translate --import-graphdef FILE.pb|FOLDER [options]\n"
       "       ember-translate --export-graphdef FILE.mlir [options]\n"
       "       ember-translate --replace-columns FILE.pb|FOLDER --kernels "
       "FILE.mlir [options]\n"
       "       ember-translate --sam-to-dot FILE.mlir [options]\n"
       "       ember-translate --dot-to-sam FILE.gv [options]",
       "Models of other systems as modules, and back", options,
       [](raw_ostream &) {}, OPT_INPUT, OPT_UNKNOWN, OPT_help, OPT_version,
       translate},
      argc, argv);
}
