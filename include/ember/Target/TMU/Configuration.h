//===- Configuration.h - What a unit loads ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mapped programs as JSON, for simulators and drivers that know nothing of
// MLIR: docs/tmu-configuration.md says what is in it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_TMU_CONFIGURATION_H
#define EMBER_TARGET_TMU_CONFIGURATION_H

#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace ember::tmu {

/// The configuration of `program`, which is mapped to a machine, under `name`.
/// Fails, with a diagnostic, if it is not.
llvm::FailureOr<llvm::json::Value> makeConfiguration(ProgramOp program,
                                                     llvm::StringRef name);

/// Those of all programs of the functions of `module`, each called by its
/// function and its number there.
llvm::FailureOr<llvm::json::Value> makeConfigurations(mlir::ModuleOp module);

} // namespace ember::tmu

#endif // EMBER_TARGET_TMU_CONFIGURATION_H
