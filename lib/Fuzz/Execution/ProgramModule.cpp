//===- ProgramModule.cpp - Random programs as modules ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramModule.h"
#include "ember/Dialect/CIN/Notation/Notation.h"
#include "ember/Dialect/CIN/Transforms/Differentiate.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Program/Printer.h"
#include "ember/Fuzz/Statements/StatementPrinter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

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

/// Puts the function's gradient in its place.
static LogicalResult takeGradient(ModuleOp module, const Notation &notation) {
  auto function = module.lookupSymbol<func::FuncOp>("kernel");
  std::vector<std::string> of;
  for (const auto &[name, seeds] : notation.gradient->seeds)
    of.push_back(name);
  FailureOr<func::FuncOp> made =
      cin::differentiate(function, of, notation.gradient->by);
  if (failed(made))
    return failure();
  made->setSymName(function.getSymName());
  function.erase();
  return success();
}

/// Reduces the elements of each place, as `emberc --group` does.
static LogicalResult groupScatters(ModuleOp module, const std::string &places) {
  cin::GroupScattersOptions options;
  options.by = {places};
  PassManager manager(module.getContext());
  manager.addNestedPass<func::FuncOp>(cin::createFuse());
  manager.addNestedPass<func::FuncOp>(cin::createGroupScatters(options));
  return manager.run(module);
}

static llvm::StringMap<mlir::Type> typesOf(func::FuncOp function) {
  llvm::StringMap<mlir::Type> types;
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    types[function.getArgAttrOfType<StringAttr>(number, nameAttr)] =
        function.getArgumentTypes()[number];
  return types;
}

/// Gives a kernel all parameters that it might have taken, in the order of the
/// program's inputs: the compiler leaves out what it does not need. `types`
/// are those of the statements' kernel.
static LogicalResult
completeParameters(func::FuncOp function, const Notation &notation,
                   const llvm::StringMap<mlir::Type> &types) {
  Builder builder(function.getContext());
  std::vector<KernelParameter> parameters = parametersOf(notation);
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    StringAttr name = builder.getStringAttr(parameter.part.name);
    auto position = static_cast<unsigned>(number), old = position;
    while (old < function.getNumArguments() &&
           function.getArgAttrOfType<StringAttr>(old, nameAttr) != name)
      ++old;
    if (old == position)
      continue;
    bool isThere = old < function.getNumArguments();
    auto attributes =
        isThere
            ? function.getArgAttrDict(old)
            : builder.getDictionaryAttr(builder.getNamedAttr(nameAttr, name));
    // A gradient that is given is as what it is of.
    StringRef like = name.getValue();
    like.consume_back("_gradient");
    mlir::Type type =
        isThere ? function.getArgumentTypes()[old] : types.lookup(like);
    bool isOfGroups = parameter.part.input.element == Scalar::I32;
    if (!type && isOfGroups)
      type = MemRefType::get({ShapedType::kDynamic}, builder.getI32Type());
    if (!type)
      return function.emitError() << "the kernel does not take " << name;
    if (failed(function.insertArgument(position, type, attributes,
                                       function.getLoc())))
      return failure();
    if (!isThere)
      continue;
    function.getArgument(old + 1).replaceAllUsesWith(
        function.getArgument(position));
    if (failed(function.eraseArgument(old + 1)))
      return failure();
  }
  if (function.getNumArguments() == parameters.size())
    return success();
  return function.emitError()
         << "the kernel takes "
         << function.getArgAttr(parameters.size(), nameAttr)
         << ", which the program does not have";
}

OwningOpRef<ModuleOp> makeModule(const Program &program, MLIRContext *context) {
  if (!program.notation)
    return parseSourceString<ModuleOp>(printProgram(program), context);
  cin::NotationOptions options;
  // A kernel that counts is compiled with the other one, of which it drops
  // much.
  options.counts = program.notation->statements.size() == 1 &&
                   !program.notation->gradient &&
                   program.notation->group.empty();
  for (const StoredArray &array : program.notation->arrays) {
    options.types[array.name] = parseType(spelling(array.element), context);
    // Nothing else says how many dimensions it has.
    if (!program.notation->hasElementsOf(array))
      options.shapes[array.name].assign(array.shape.size(),
                                        ShapedType::kDynamic);
    if (array.isCompact)
      options.compact.insert(array.name);
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
  const Notation &notation = *program.notation;
  if (!module || (!notation.gradient && notation.group.empty()))
    return module;
  auto kernel = [&] { return module->lookupSymbol<func::FuncOp>("kernel"); };
  llvm::StringMap<mlir::Type> types = typesOf(kernel());
  if (notation.gradient && failed(takeGradient(*module, notation)))
    return nullptr;
  if (!notation.group.empty() && failed(groupScatters(*module, notation.group)))
    return nullptr;
  if (failed(completeParameters(kernel(), notation, types)))
    return nullptr;
  return module;
}

} // namespace ember::fuzz
