//===- Printer.h - Programs as MLIR text ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_PRINTER_H
#define EMBER_FUZZ_PROGRAM_PRINTER_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

/// The program as an MLIR module or, of statements, the command that makes one
/// of them.
std::string printProgram(const Program &program);

std::string printType(const Type &type);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_PRINTER_H
