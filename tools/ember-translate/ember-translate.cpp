//===- ember-translate.cpp - Models of other systems and modules ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a graph of TensorFlow and writes it as a module of the col dialect, or
// the other way.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/Tool.h"
#include "ember/Translate/GraphDef/Export.h"
#include "ember/Translate/GraphDef/Import.h"

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

static Error importModel(StringRef path, const InputArgList &args) {
  auto options = getImportOptions(args);
  if (!options)
    return options.takeError();
  auto model = readModel(path);
  if (!model)
    return model.takeError();
  if (model->kind == graphdef::FileKind::graph && !options->signature.empty())
    return makeError("--signature is for models, and '" + path +
                     "' is taken for a graph");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errs() << "error: " << model->path << ": " << diagnostic << "\n";
      });
  auto module = graphdef::importGraphDef(model->content->getMemBufferRef(),
                                         model->kind, *options, &context);
  if (!module)
    return makeDiagnosedError();
  return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                   [&](raw_ostream &os) { os << *module << "\n"; });
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

static Error translate(const CommandLine &line) {
  bool isExport = line.options.hasArg(OPT_export_graphdef);
  if (line.options.hasArg(OPT_import_graphdef) == isExport)
    return makeError(isExport ? "give one of --import-graphdef and "
                                "--export-graphdef"
                              : "nothing to do: give --import-graphdef or "
                                "--export-graphdef");
  if (line.positionals.size() > 1)
    return makeError("more than one input file");
  if (line.positionals.empty())
    return makeError(isExport
                         ? "no input file: give FILE.mlir"
                         : "no input file: give FILE.pb or the folder of a "
                           "model");
  StringRef path = line.positionals.front();
  return isExport ? exportModel(path, line.options)
                  : importModel(path, line.options);
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool(
      {"ember-translate",
       "ember-translate --import-graphdef FILE.pb|FOLDER [options]\n"
       "       ember-translate --export-graphdef FILE.mlir [options]",
       "Models of other systems as modules, and back", options,
       [](raw_ostream &) {}, OPT_INPUT, OPT_UNKNOWN, OPT_help, OPT_version,
       translate},
      argc, argv);
}
