//===- NotationText.cpp - Programs out of index notation ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/NotationText.h"

#include "ember/ABI/ScalarTypes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/Notation/Notation.h"
#include "ember/Dialect/CIN/Transforms/Differentiate.h"
#include "ember/Dialect/CIN/Transforms/GroupedPlaces.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Driver/Decisions.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/Registration.h"
#include "ember/Driver/Source.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

/// The element type that `text` names; null if it names none.
static mlir::Type parseElement(StringRef text, MLIRContext &context) {
  const ScalarType *known = findScalarType(text);
  return known ? getType(&context, *known) : mlir::Type();
}

/// An error if what is given of an array is not the same each time.
static Error checkOnce(StringRef option, ArrayRef<std::string> given) {
  StringMap<StringRef> first;
  for (StringRef words : given) {
    StringRef array = words.split(':').first;
    auto [place, isFirst] = first.try_emplace(array, words);
    if (!isFirst && place->second != words)
      return makeError("--" + option + "=" + words + ": --" + option + "=" +
                       place->second + " says something else of '" + array +
                       "': leave one of them out");
  }
  return Error::success();
}

/// Takes sizes such as `?x64x` off the front of a type.
static std::vector<int64_t> takeSizes(StringRef &text) {
  std::vector<int64_t> sizes;
  while (true) {
    auto [size, rest] = text.split('x');
    int64_t number = ShapedType::kDynamic;
    bool isSize = size == "?" || (to_integer(size, number, 10) && number >= 0);
    if (!isSize || size.size() == text.size())
      return sizes;
    sizes.push_back(number);
    text = rest;
  }
}

/// Adds the functions of a file to `module`. An error of what is in it has been
/// printed.
static Error addFunctions(StringRef path, ModuleOp module) {
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*text), SMLoc());
  SourceMgrDiagnosticHandler printer(sources, module.getContext());
  OwningOpRef<ModuleOp> parsed =
      parseSourceFile<ModuleOp>(sources, module.getContext());
  if (!parsed)
    return makeDiagnosedError();
  SymbolTable symbols(module);
  for (Operation &op : llvm::make_early_inc_range(*parsed->getBody())) {
    auto function = dyn_cast<cin::FunctionOp>(op);
    if (!function)
      return makeError("--functions=" + path +
                       ": has something else than a cin.function: " +
                       op.getName().getStringRef());
    if (symbols.lookup(function.getSymName()))
      return makeError("--functions=" + path + ": there is another function '" +
                       function.getSymName() + "'");
    for (auto other : module.getOps<cin::FunctionOp>())
      if (other.getNotationName() == function.getNotationName() &&
          other.getOperandTypes() == function.getOperandTypes())
        return makeError(
            "--functions=" + path + ": '" + other.getSymName() + "' and '" +
            function.getSymName() + "' are both what statements call '" +
            function.getNotationName() + "', of operands of the same types");
    function->remove();
    symbols.insert(function);
  }
  return Error::success();
}

/// Adds the functions of gradients of the kernel; `outer` are the kernel and
/// those of them that others are made of.
static Error addGradients(ModuleOp module, StringRef kernel,
                          ArrayRef<std::string> gradients,
                          SmallVectorImpl<func::FuncOp> &outer) {
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  for (StringRef given : gradients) {
    auto [of, wrt] = given.split(':');
    std::vector<std::string> names[2];
    for (auto [list, text] : {std::pair(0, of), std::pair(1, wrt)}) {
      SmallVector<StringRef> parts;
      text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
      for (StringRef part : parts)
        names[list].push_back(part.str());
    }
    if (names[0].empty() || names[1].empty())
      return makeError("--gradient=" + given +
                       ": expected arrays that are assigned to, and those that "
                       "gradients are wanted by, such as out:W,w");
    FailureOr<func::FuncOp> made =
        cin::differentiate(function, names[0], names[1]);
    if (failed(made))
      return makeDiagnosedError();
    outer.push_back(function);
    function = *made;
  }
  return Error::success();
}

/// Makes statements that scatter by the elements of `arrays` reductions over
/// groups.
static Error groupScatters(ModuleOp module, StringRef kernel,
                           ArrayRef<std::string> arrays) {
  if (arrays.empty())
    return Error::success();
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  llvm::StringSet<> names;
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (auto name = function.getArgAttrOfType<StringAttr>(number, nameAttr))
      names.insert(name.getValue());
  for (StringRef by : arrays) {
    std::optional<cin::GroupedPlaces> places = cin::parseGroupedPlaces(by);
    if (!places)
      return makeError("--group=" + by +
                       ": expected an array of places, or a "
                       "row of one, such as target or edges[1]");
    std::string array = places->array;
    if (!names.contains(array))
      return makeError("--group=" + by + ": there is no array '" + array +
                       "' in the statements");
    for (int64_t number : places->row)
      array += "_" + std::to_string(number);
    for (const auto &name : names) {
      StringRef given = name.getKey();
      bool isAdded = given.consume_front(array) &&
                     (given == "_offsets" || given == "_order");
      // Rows are called so.
      StringRef row = name.getKey();
      bool isRow = !places->row.empty() &&
                   row.consume_front(places->array + "_") && !row.empty() &&
                   row.find_first_not_of("0123456789_") == StringRef::npos;
      if (isAdded || isRow || name.getKey().ends_with("_by_" + array))
        return makeError("--group=" + by + ": kernels take an array '" +
                         name.getKey() +
                         "' of their own: give yours another name");
    }
  }
  cin::GroupScattersOptions options;
  options.by = llvm::to_vector<1>(arrays);
  PassManager manager(module.getContext());
  // What is computed for each element that is scattered has its own places.
  manager.addNestedPass<func::FuncOp>(cin::createFuse());
  manager.addNestedPass<func::FuncOp>(cin::createGroupScatters(options));
  return failed(manager.run(module)) ? makeDiagnosedError() : Error::success();
}

Expected<std::unique_ptr<MemoryBuffer>>
ember::translateNotation(StringRef notation, const NotationArrays &arrays) {
  Decisions decisions;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.printOpOnDiagnostic(false);
  decisions.listenTo(context);
  cin::NotationOptions options;
  options.counts = arrays.counts;
  options.approximates = arrays.approximates;
  std::pair<StringRef, ArrayRef<std::string>> ofArrays[] = {
      {"type", arrays.types},
      {"format", arrays.formats},
      {"fill", arrays.fills},
      {"density", arrays.densities},
      {"size", arrays.sizes}};
  for (auto [option, given] : ofArrays)
    if (Error error = checkOnce(option, given))
      return std::move(error);
  for (StringRef given : arrays.types) {
    auto [array, text] = given.split(':');
    auto [element, layout] = text.split(':');
    std::vector<int64_t> sizes = takeSizes(element);
    mlir::Type type = parseElement(element, context);
    bool isStrided = layout == "strided";
    bool isWhole = layout.empty() && !text.ends_with(":");
    if (array.empty() || !type || !(isStrided || isWhole))
      return makeError("--type=" + given +
                       ": expected an array and the type of its elements, "
                       "such as A:f16, A:?x64xf32 or A:?x64xf32:strided");
    options.types[array] = type;
    if (isStrided)
      options.strided.insert(array);
    if (!sizes.empty())
      options.shapes[array] = sizes;
  }
  for (StringRef given : arrays.formats) {
    auto [array, format] = given.split(':');
    if (array.empty() || format.empty())
      return makeError("--format=" + given +
                       ": expected an array and its format, such as A:csr");
    options.formats[array] = format.str();
  }
  for (StringRef given : arrays.fills) {
    auto [array, value] = given.split(':');
    auto [number, mark] = value.split(':');
    double fill = 0;
    bool isMissing = number == "missing" && mark.empty();
    bool isMarked = mark == "unstored" || number.size() == value.size();
    if (array.empty() || (!isMissing && !(!number.empty() &&
                                          to_float(number, fill) && isMarked)))
      return makeError("--fill=" + given +
                       ": expected an array and a number, such as A:inf, "
                       "A:0:unstored where no element that is stored is that "
                       "number, or A:missing");
    options.fills[array] = fill;
    if (isMissing)
      options.missing.insert(array);
    if (!mark.empty())
      options.unstored.insert(array);
  }
  for (StringRef given : arrays.densities) {
    auto [array, number] = given.split(':');
    double density = 0;
    if (array.empty() || !to_float(number, density) ||
        !(density > 0 && density <= 1))
      return makeError("--density=" + given +
                       ": expected an array and the part of its elements that "
                       "is stored, such as A:0.01");
    options.densities[array] = density;
  }
  for (StringRef given : arrays.sizes) {
    auto [array, text] = given.split(':');
    SmallVector<StringRef> parts;
    text.split(parts, 'x');
    std::vector<int64_t> sizes;
    for (StringRef part : parts)
      if (array.empty() || part.getAsInteger(10, sizes.emplace_back()) ||
          sizes.back() < 0)
        return makeError("--size=" + given +
                         ": expected an array and the sizes of its dimensions, "
                         "such as A:1000x1000");
    options.sizes[array] = std::move(sizes);
  }
  options.compact.insert_range(arrays.compact);
  options.schedule = arrays.schedule;
  OwningOpRef<ModuleOp> functions = ModuleOp::create(UnknownLoc::get(&context));
  for (StringRef path : arrays.functions)
    if (Error error = addFunctions(path, *functions))
      return std::move(error);
  options.functions = *functions;
  SourceMgr sources;
  sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBufferCopy(notation, cin::notationFile), SMLoc());
  sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBufferCopy(arrays.schedule, "schedule"), SMLoc());
  SourceMgrDiagnosticHandler printer(sources, &context);
  OwningOpRef<ModuleOp> module =
      cin::buildFromNotation(notation, options, &context);
  if (!module)
    return makeDiagnosedError();
  if (arrays.isGradientAlone && arrays.gradients.empty())
    return makeError("--only-gradient is for --gradient, which is not given");
  SmallVector<func::FuncOp> outer;
  if (Error error =
          addGradients(*module, options.name, arrays.gradients, outer))
    return std::move(error);
  if (Error error = groupScatters(*module, options.name, arrays.groups))
    return std::move(error);
  if (arrays.isGradientAlone)
    for (func::FuncOp function : outer)
      function.erase();
  decisions.putOn(*module);
  std::string text;
  raw_string_ostream os(text);
  // Locations are those of the notation: the messages of a run name its
  // columns.
  module->print(os, OpPrintingFlags().enableDebugInfo().useLocalScope());
  return MemoryBuffer::getMemBufferCopy(text, "notation.mlir");
}
