//===- Source.cpp - A parsed program and what was said about it -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors keep upstream's form, with the line of the source where there is one.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Source.h"
#include "ember/Checks/Passes.h"
#include "ember/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

/// The outermost place in a file that `location` names.
static FileLineColLoc findFileLocation(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

class Source::Printer : public SourceMgrDiagnosticHandler {
public:
  Printer(Source &source, bool printRemarks)
      : SourceMgrDiagnosticHandler(source.sourceManager, &source.context) {
    setHandler([this, &source, printRemarks](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
        keep(source.remarks, diagnostic);
        if (!printRemarks)
          return;
      }
      print(diagnostic);
    });
  }

private:
  static void keep(std::vector<std::string> &remarks, Diagnostic &diagnostic) {
    std::string text;
    raw_string_ostream os(text);
    if (FileLineColLoc location = findFileLocation(diagnostic.getLocation()))
      os << location.getLine() << ":" << location.getColumn() << ": ";
    os << diagnostic.str();
    remarks.push_back(std::move(text));
  }

  void print(Diagnostic &diagnostic) {
    if (findFileLocation(diagnostic.getLocation()))
      return emitDiagnostic(diagnostic);
    // Upstream would print "<unknown>:0:" in front.
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    errs() << (isError ? "error: " : "warning: ") << diagnostic << "\n";
  }
};

Source::Source(bool printRemarks)
    : decisions(printRemarks), context(MLIRContext::Threading::DISABLED),
      printer(std::make_unique<Printer>(*this, printRemarks)) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  // Messages stand for themselves, without the text of the operation.
  context.printOpOnDiagnostic(false);
  decisions.listenTo(context);
}

Source::~Source() = default;

/// Says what no tool takes, before anything else is done with a program.
static LogicalResult refuseUnsupported(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(checks::createRefuseUnsupported());
  return manager.run(module);
}

Expected<std::unique_ptr<Source>>
Source::parse(std::unique_ptr<MemoryBuffer> text, bool printRemarks) {
  std::unique_ptr<Source> source(new Source(printRemarks));
  source->sourceManager.AddNewSourceBuffer(std::move(text), SMLoc());
  source->module =
      parseSourceFile<ModuleOp>(source->sourceManager, &source->context);
  if (!source->module || failed(refuseUnsupported(*source->module)))
    return makeDiagnosedError();
  source->decisions.takeOff(*source->module);
  return source;
}

namespace {
struct DiagnosedError : ErrorInfo<DiagnosedError> {
  static char ID;
  void log(raw_ostream &os) const override {}
  std::error_code convertToErrorCode() const override {
    return inconvertibleErrorCode();
  }
};
char DiagnosedError::ID = 0;
} // namespace

Error ember::makeDiagnosedError() { return make_error<DiagnosedError>(); }
