//===- Import.cpp - Graphs of TensorFlow as modules -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds out what goes in and comes out, and writes the nodes between as
// operations. What nodes mean is no matter here, but for those that
// stand for an argument.
//
//===----------------------------------------------------------------------===//

#include "ember/Translate/GraphDef/Import.h"

#include "FlatGraph.h"
#include "ModelFile.h"

#include "ember/Dialect/Ember/IR/Ember.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include <map>

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// Writes the function of one graph.
class Importer {
public:
  Importer(const ModelFile &source, const ImportOptions &options,
           Location location)
      : source(source), options(options), location(location),
        flat(source.getGraph(), location), builder(location.getContext()) {}

  OwningOpRef<ModuleOp> import();

private:
  /// A result of the graph that is an argument of the function.
  struct Argument {
    std::string name;
    Port port;
  };

  LogicalResult findEnds();
  LogicalResult findOutputs();
  SmallVector<unsigned> findNeeded(ArrayRef<unsigned> order) const;
  void addPlaceholders(ArrayRef<unsigned> nodes);
  FailureOr<TensorType> getType(const FlatNode &node, unsigned result) const;
  FailureOr<const TensorShape *> getShape(const FlatNode &node,
                                          unsigned result) const;
  FailureOr<DictionaryAttr> getSettings(const FlatNode &node) const;
  ArrayAttr getOutputs(const FlatNode &node);
  LogicalResult writeNode(unsigned number);
  LogicalResult writeFunction(ArrayRef<unsigned> nodes);
  /// Whether all that a node computes comes from outside.
  bool isGiven(unsigned node) const;
  Value getValue(Port port) const;
  InFlightDiagnostic emitNodeError(const FlatNode &node) const {
    return std::move(emitError(location) << "node " << node.describe() << " ");
  }

  const ModelFile &source;
  const ImportOptions &options;
  Location location;
  FlatGraph flat;
  OpBuilder builder;
  SmallVector<Argument> arguments;
  SmallVector<Port> outputs;
  /// By nodes and their results.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> values;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

/// Names of a signature in an order that does not change.
static std::map<std::string, std::string>
sorted(const google::protobuf::Map<std::string, TensorName> &names) {
  std::map<std::string, std::string> result;
  for (const auto &[name, tensor] : names)
    result[name] = tensor.name();
  return result;
}

LogicalResult Importer::findOutputs() {
  for (const std::string &name : options.outputs) {
    FailureOr<Port> port = flat.find(name, "the list of outputs");
    if (failed(port))
      return failure();
    outputs.push_back(*port);
  }
  if (!outputs.empty())
    return success();
  if (source.getEntry()) {
    for (const auto &[name, tensor] : sorted(source.getEntry()->outputs())) {
      FailureOr<Port> port =
          flat.find(tensor, "signature '" + source.getName() + "'");
      if (failed(port))
        return failure();
      outputs.push_back(*port);
    }
    return success();
  }
  outputs = flat.findUnread();
  if (outputs.empty())
    return emitError(location) << "the graph has no node whose results no "
                                  "other one reads; say which are its outputs";
  return success();
}

LogicalResult Importer::findEnds() {
  if (source.getEntry())
    for (const auto &[name, tensor] : sorted(source.getEntry()->inputs())) {
      FailureOr<Port> port =
          flat.find(tensor, "signature '" + source.getName() + "'");
      if (failed(port))
        return failure();
      if (flat.isGiven(*port) || flat[port->node].isBorder)
        return emitError(location)
               << "signature '" << source.getName() << "' has '" << tensor
               << (flat.isGiven(*port) ? "' as two inputs"
                                       : "' as an input, which is a call's "
                                         "result");
      flat.give(*port);
      arguments.push_back({name, *port});
    }
  return findOutputs();
}

/// Of `order`, what changes something, and what results depend on.
SmallVector<unsigned> Importer::findNeeded(ArrayRef<unsigned> order) const {
  llvm::BitVector isRead(flat.size());
  auto read = [&](Port port) {
    Port read = flat.resolve(port);
    if (!flat.isGiven(read))
      isRead.set(read.node);
  };
  llvm::for_each(outputs, read);
  SmallVector<unsigned> needed;
  for (unsigned number : llvm::reverse(order)) {
    const FlatNode &node = flat[number];
    if (node.isBorder ||
        (!isRead.test(number) && node.getEffects() != col::Effects::changes))
      continue;
    needed.push_back(number);
    llvm::for_each(node.inputs, read);
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

/// What nothing is said of comes from outside as well, in the file's order.
void Importer::addPlaceholders(ArrayRef<unsigned> nodes) {
  SmallVector<unsigned> placeholders;
  for (unsigned node : nodes)
    if (llvm::is_contained({"Placeholder", "PlaceholderV2"},
                           StringRef(flat[node].definition->op())))
      placeholders.push_back(node);
  llvm::sort(placeholders);
  for (unsigned node : placeholders) {
    flat.give({node, 0});
    arguments.push_back({flat[node].name, {node, 0}});
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What the graph says of the shape of a result: null for nothing.
FailureOr<const TensorShape *> Importer::getShape(const FlatNode &node,
                                                  unsigned result) const {
  const TensorShape *nothing = nullptr;
  const auto &attributes = node.definition->attr();
  if (!node.known)
    return nothing;
  if (auto shapes = attributes.find("_output_shapes");
      shapes != attributes.end()) {
    if (shapes->second.list().shape_size() != int(node.results.size()))
      return emitNodeError(node)
                 << "has " << node.results.size() << " results and shapes of "
                 << shapes->second.list().shape_size(),
             failure();
    return &shapes->second.list().shape(result);
  }
  StringRef kind = node.definition->op();
  if (auto value = attributes.find("value");
      kind == "Const" && value != attributes.end())
    return &value->second.tensor().tensor_shape();
  if (auto shape = attributes.find("shape");
      kind == "Placeholder" && shape != attributes.end())
    return &shape->second.shape();
  return nothing;
}

FailureOr<TensorType> Importer::getType(const FlatNode &node,
                                        unsigned result) const {
  DataType number = node.results[result].type;
  Type element = number ? getElementType(builder.getContext(), number)
                        : getUnknownType(builder.getContext());
  if (!element)
    return emitNodeError(node) << "has a result of the type of elements number "
                               << number << ", which is not known",
           failure();
  FailureOr<const TensorShape *> shape = getShape(node, result);
  if (failed(shape))
    return failure();
  if (!*shape)
    return TensorType(UnrankedTensorType::get(element));
  return makeTensorType(**shape, element, [&] { return emitNodeError(node); });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

FailureOr<DictionaryAttr> Importer::getSettings(const FlatNode &node) const {
  SmallVector<NamedAttribute> settings;
  for (const auto &[name, value] : node.definition->attr()) {
    if (StringRef(name).starts_with("_") || name.empty())
      continue;
    FailureOr<Attribute> setting =
        makeAttribute(builder.getContext(), value, options.mostElements,
                      [&] { return emitNodeError(node); });
    if (failed(setting))
      return failure();
    if (*setting)
      settings.push_back(
          {StringAttr::get(builder.getContext(), name), *setting});
  }
  return DictionaryAttr::get(builder.getContext(), settings);
}

/// The names of the results of an operator that is not known.
ArrayAttr Importer::getOutputs(const FlatNode &node) {
  if (node.known)
    return {};
  SmallVector<std::string> names;
  for (const Result &result : node.results)
    names.push_back(result.name.empty()
                        ? std::to_string(result.place)
                        : result.name + ":" + std::to_string(result.place));
  return builder.getStrArrayAttr(
      SmallVector<StringRef>(names.begin(), names.end()));
}

bool Importer::isGiven(unsigned node) const {
  auto results = llvm::seq<unsigned>(flat[node].results.size());
  return !results.empty() && llvm::all_of(results, [&](unsigned result) {
    return flat.isGiven({node, result});
  });
}

Value Importer::getValue(Port port) const {
  Port computed = flat.resolve(port);
  return values.lookup({computed.node, computed.result});
}

LogicalResult Importer::writeNode(unsigned number) {
  const FlatNode &node = flat[number];
  SmallVector<Value> inputs = llvm::map_to_vector(
      node.inputs, [&](Port input) { return getValue(input); });
  SmallVector<Type> types;
  for (unsigned result : llvm::seq<unsigned>(node.results.size())) {
    FailureOr<TensorType> type = getType(node, result);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  FailureOr<DictionaryAttr> settings = getSettings(node);
  if (failed(settings))
    return failure();
  StringAttr device;
  if (!node.definition->device().empty())
    device = builder.getStringAttr(node.definition->device());
  Location place = NameLoc::get(builder.getStringAttr(node.name));
  auto written = col::NodeOp::create(
      builder, place, types, builder.getStringAttr(node.definition->op()),
      builder.getStringAttr(node.name), inputs,
      col::EffectsAttr::get(builder.getContext(), node.getEffects()), device,
      getOutputs(node), *settings);
  for (OpResult result : written->getResults())
    if (!flat.isGiven({number, result.getResultNumber()}))
      values[{number, result.getResultNumber()}] = result;
  return success();
}

LogicalResult Importer::writeFunction(ArrayRef<unsigned> nodes) {
  SmallVector<Type> types;
  for (const Argument &argument : arguments) {
    FailureOr<TensorType> type =
        getType(flat[argument.port.node], argument.port.result);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  auto function =
      func::FuncOp::create(builder, location, source.getName(),
                           builder.getFunctionType(types, TypeRange()));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    function.setArgAttr(number, "ember.name",
                        builder.getStringAttr(argument.name));
    values[{argument.port.node, argument.port.result}] =
        function.getArgument(number);
  }
  for (unsigned node : nodes)
    if (!isGiven(node) && failed(writeNode(node)))
      return failure();
  SmallVector<Value> results = llvm::map_to_vector(
      outputs, [&](Port output) { return getValue(output); });
  func::ReturnOp::create(builder, location, results);
  function.setFunctionType(builder.getFunctionType(types, TypeRange(results)));
  return success();
}

OwningOpRef<ModuleOp> Importer::import() {
  if (failed(flat.flatten()) || failed(findEnds()))
    return {};
  FailureOr<SmallVector<unsigned>> order = flat.sort(outputs);
  if (failed(order))
    return {};
  SmallVector<unsigned> nodes = findNeeded(*order);
  addPlaceholders(nodes);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  if (failed(writeFunction(nodes)) || failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> graphdef::importGraphDef(llvm::MemoryBufferRef file,
                                               FileKind kind,
                                               const ImportOptions &options,
                                               MLIRContext *context) {
  context->loadDialect<EmberDialect, col::ColDialect, func::FuncDialect>();
  Location location = UnknownLoc::get(context);
  std::unique_ptr<ModelFile> source =
      ModelFile::read(file, kind, options.signature, location);
  if (!source)
    return {};
  return Importer(*source, options, location).import();
}
