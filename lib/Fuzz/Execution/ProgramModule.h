//===- ProgramModule.h - Random programs as modules -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_EXECUTION_PROGRAMMODULE_H
#define EMBER_LIB_FUZZ_EXECUTION_PROGRAMMODULE_H

#include "ember/Fuzz/Program/Ast.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace ember::fuzz {

/// The module that the text of a program is; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> makeModule(const Program &program,
                                             mlir::MLIRContext *context);

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_EXECUTION_PROGRAMMODULE_H
