//===- Source.h - A parsed program and what was said about it ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One run of a tool on one .mlir text: the context with the dialects in use,
// the module, and the handlers that print errors and keep remarks and what
// rules decide.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_SOURCE_H
#define EMBER_DRIVER_SOURCE_H

#include "ember/Driver/Decisions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>
#include <vector>

namespace ember {

class Source {
public:
  /// Parses and verifies `text`, and refuses what no kernel is made of. An
  /// error has been printed when this fails.
  static llvm::Expected<std::unique_ptr<Source>>
  parse(std::unique_ptr<llvm::MemoryBuffer> text, bool printRemarks);
  ~Source();

  mlir::ModuleOp getModule() const { return *module; }
  mlir::MLIRContext &getContext() { return context; }
  /// The remarks so far, as "LINE:COLUMN: text".
  const std::vector<std::string> &getRemarks() const { return remarks; }
  const Decisions &getDecisions() const { return decisions; }

private:
  explicit Source(bool printRemarks);

  class Printer;
  // Remarks of passes in the context come here.
  Decisions decisions;
  mlir::MLIRContext context;
  llvm::SourceMgr sourceManager;
  std::unique_ptr<Printer> printer;
  std::vector<std::string> remarks;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// An error that a diagnostic has told the user about already.
llvm::Error makeDiagnosedError();

} // namespace ember

#endif // EMBER_DRIVER_SOURCE_H
