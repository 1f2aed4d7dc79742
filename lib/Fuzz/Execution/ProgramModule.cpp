//===- ProgramModule.cpp - Random programs as modules ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramModule.h"
#include "ember/Dialect/CIN/Notation/Notation.h"
#include "ember/Dialect/CIN/Transforms/Differentiate.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Program/Printer.h"
#include "ember/Fuzz/Statements/StatementPrinter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// Puts the function's gradient in its place, with all parameters that it might
/// have taken: the compiler leaves out what it does not need.
static LogicalResult takeGradient(ModuleOp module, const Notation &notation) {
  auto function = module.lookupSymbol<func::FuncOp>("kernel");
  std::vector<std::string> of;
  for (const auto &[name, seeds] : notation.gradient->seeds)
    of.push_back(name);
  FailureOr<func::FuncOp> made =
      cin::differentiate(function, of, notation.gradient->by);
  if (failed(made))
    return failure();
  llvm::StringMap<mlir::Type> types;
  auto nameOf = [](func::FuncOp of, unsigned number) {
    return of.getArgAttrOfType<StringAttr>(number, nameAttr);
  };
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    types[nameOf(function, number)] = function.getArgumentTypes()[number];
  Builder builder(module.getContext());
  for (auto [number, parameter] : llvm::enumerate(parametersOf(notation))) {
    StringAttr name = builder.getStringAttr(parameter.part.name);
    auto position = static_cast<unsigned>(number);
    if (position < made->getNumArguments() && nameOf(*made, position) == name)
      continue;
    auto attributes =
        builder.getDictionaryAttr(builder.getNamedAttr(nameAttr, name));
    // A gradient that is given is as what it is of.
    StringRef like = name.getValue();
    like.consume_back("_gradient");
    mlir::Type type = types.lookup(like);
    if (!type)
      return module.emitError()
             << "the gradient does not take '" << name << "'";
    if (failed(
            made->insertArgument(position, type, attributes, made->getLoc())))
      return failure();
  }
  made->setSymName(function.getSymName());
  function.erase();
  return success();
}

OwningOpRef<ModuleOp> makeModule(const Program &program, MLIRContext *context) {
  if (!program.notation)
    return parseSourceString<ModuleOp>(printProgram(program), context);
  cin::NotationOptions options;
  // A kernel that counts is compiled with the other one, of which it drops
  // much.
  options.counts =
      program.notation->statements.size() == 1 && !program.notation->gradient;
  for (const StoredArray &array : program.notation->arrays) {
    options.types[array.name] = parseType(spelling(array.element), context);
    // Nothing else says how many dimensions it has.
    if (!program.notation->hasElementsOf(array))
      options.shapes[array.name].assign(array.shape.size(),
                                        ShapedType::kDynamic);
    if (!array.hasLevels())
      continue;
    options.formats[array.name] = array.spellFormat();
    if (array.isMissing)
      options.missing.insert(array.name);
    else if (array.hasFill())
      options.fills[array.name] = getFill(array);
  }
  std::string functions;
  for (const UserFunction &function : program.notation->functions)
    functions += printFunction(function);
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(functions, context);
  if (!parsed)
    return nullptr;
  options.functions = *parsed;
  OwningOpRef<ModuleOp> module = cin::buildFromNotation(
      printStatements(*program.notation), options, context);
  if (module && program.notation->gradient &&
      failed(takeGradient(*module, *program.notation)))
    return nullptr;
  return module;
}

} // namespace ember::fuzz
