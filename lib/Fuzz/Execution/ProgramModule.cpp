//===- ProgramModule.cpp - Random programs as modules ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramModule.h"
#include "ember/Dialect/CIN/Notation/Notation.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Program/Printer.h"
#include "ember/Fuzz/Statements/StatementPrinter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

namespace ember::fuzz {
using namespace mlir;

/// What is not stored, as options have it.
static double getFill(const StoredArray &array) {
  if (isFloat(array.element))
    return decodeFloat(array.element, array.fill);
  if (bitWidth(array.element) == 1)
    return static_cast<double>(array.fill);
  return static_cast<double>(signedValue(array.element, array.fill));
}

OwningOpRef<ModuleOp> makeModule(const Program &program, MLIRContext *context) {
  if (!program.notation)
    return parseSourceString<ModuleOp>(printProgram(program), context);
  cin::NotationOptions options;
  // A kernel that counts is compiled with the other one, of which it drops
  // much.
  options.counts = program.notation->statements.size() == 1;
  for (const StoredArray &array : program.notation->arrays) {
    options.types[array.name] = parseType(spelling(array.element), context);
    if (!array.hasLevels())
      continue;
    options.formats[array.name] = array.spellFormat();
    options.fills[array.name] = getFill(array);
  }
  return cin::buildFromNotation(printStatements(*program.notation), options,
                                context);
}

} // namespace ember::fuzz
