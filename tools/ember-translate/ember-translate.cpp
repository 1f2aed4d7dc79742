//===- ember-translate.cpp - Models of other systems as modules -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a graph of TensorFlow and writes it as a module of the col dialect.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/Tool.h"
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

/// The module of a file, after an error has been printed without one.
static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importFile(StringRef path, const graphdef::ImportOptions &options,
           mlir::MLIRContext &context) {
  SmallString<128> file = path;
  if (sys::fs::is_directory(file))
    sys::path::append(file, modelFile);
  auto kind = sys::path::filename(file) == modelFile
                  ? graphdef::FileKind::savedModel
                  : graphdef::FileKind::graph;
  if (kind == graphdef::FileKind::graph && !options.signature.empty())
    return makeError("--signature is for models, and '" + path +
                     "' is taken for a graph");
  auto content = readFile(file);
  if (!content)
    return content.takeError();
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errs() << "error: " << file << ": " << diagnostic << "\n";
      });
  auto module = graphdef::importGraphDef((*content)->getMemBufferRef(), kind,
                                         options, &context);
  if (!module)
    return makeDiagnosedError();
  return module;
}

static Error translate(const CommandLine &line) {
  if (!line.options.hasArg(OPT_import_graphdef))
    return makeError("nothing to do: give --import-graphdef");
  if (line.positionals.size() != 1)
    return makeError(
        line.positionals.empty()
            ? "no input file: give FILE.pb or the folder of a model"
            : "more than one input file");
  auto options = getImportOptions(line.options);
  if (!options)
    return options.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importFile(line.positionals.front(), *options, context);
  if (!module)
    return module.takeError();
  return writeFile(line.options.getLastArgValue(OPT_output_file, "-"),
                   [&](raw_ostream &os) { os << **module << "\n"; });
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool({"ember-translate",
                  "ember-translate --import-graphdef FILE.pb|FOLDER [options]",
                  "Models of other systems as modules", options,
                  [](raw_ostream &) {}, OPT_INPUT, OPT_UNKNOWN, OPT_help,
                  OPT_version, translate},
                 argc, argv);
}
