//===- Decisions.h - What rules have done with statements -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_DECISIONS_H
#define EMBER_DRIVER_DECISIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace ember {

/// What the optimisation remarks of passes on statements say, as "PASS: text",
/// each once.
class Decisions {
public:
  explicit Decisions(bool print = false) : print(print) {}

  /// Keeps those of all passes that run in a context, which this outlives.
  void listenTo(mlir::MLIRContext &context);
  const std::vector<std::string> &getAll() const { return all; }

  /// Writes them on a module that is handed on as text.
  void putOn(mlir::ModuleOp module) const;
  /// Adds those that a module brings along.
  void takeOff(mlir::ModuleOp module);

private:
  class Streamer;
  void add(std::string text);

  bool print;
  std::vector<std::string> all;
};

} // namespace ember

#endif // EMBER_DRIVER_DECISIONS_H
