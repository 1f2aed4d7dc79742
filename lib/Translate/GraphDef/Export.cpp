//===- Export.cpp - Modules as graphs of TensorFlow -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of a graph run in any order that their edges allow, operations one
// after the other: what reads or changes something gets control edges from what
// it must not pass.
//
//===----------------------------------------------------------------------===//

#include "ember/Translate/GraphDef/Export.h"

#include "FlatGraph.h"
#include "ModelFile.h"
#include "WriteAttributes.h"

#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

namespace {
/// Writes the nodes of one function.
class Exporter {
public:
  explicit Exporter(func::FuncOp function) : function(function) {}

  LogicalResult readOriginal(const OriginalFile &original);
  FailureOr<std::string> run();

private:
  LogicalResult addPlaceholder(BlockArgument argument);
  LogicalResult addGiven(BlockArgument argument, StringRef name,
                         StringRef kind);
  bool hasNode(StringRef name, StringRef kind);
  LogicalResult addNode(col::NodeOp op);
  LogicalResult addAttributes(col::NodeOp op, Node &node);
  void addControls(col::NodeOp op, Node &node);
  FailureOr<SmallVector<col::NodeOp>> sortNodes();
  FailureOr<std::string> nameResult(col::NodeOp op, unsigned result);
  std::string makeName(StringRef wanted);
  const Node *findOriginal(StringRef name, StringRef kind) const;

  func::FuncOp function;
  Graph graph;
  std::unique_ptr<ModelFile> file;
  std::unique_ptr<FlatGraph> flat;
  llvm::StringMap<const Node *> originals;
  llvm::StringSet<> names;
  llvm::DenseMap<Value, std::string> inputs;
  /// What changed something last, and what has read since.
  std::string lastChange;
  SmallVector<std::string> readSince;
};
} // namespace

LogicalResult Exporter::readOriginal(const OriginalFile &original) {
  Location location = UnknownLoc::get(function.getContext());
  // Which signature of a model the function was is no matter.
  StringRef signature =
      original.kind == FileKind::savedModel ? function.getName() : "";
  file = ModelFile::read(original.file, original.kind, signature, location);
  if (!file)
    return failure();
  flat = std::make_unique<FlatGraph>(file->getGraph(), location);
  if (failed(flat->flatten()))
    return failure();
  for (unsigned node : llvm::seq<unsigned>(flat->size()))
    if (const FlatNode &there = (*flat)[node]; there.definition)
      originals.try_emplace(there.name, there.definition);
  *graph.mutable_library() = file->getGraph().library();
  return success();
}

const Node *Exporter::findOriginal(StringRef name, StringRef kind) const {
  const Node *node = originals.lookup(name);
  return node && node->op() == kind ? node : nullptr;
}

/// `wanted`, or that with a number behind it that no node has yet.
std::string Exporter::makeName(StringRef wanted) {
  std::string name = wanted.str();
  for (unsigned number = 1; !names.insert(name).second; ++number)
    name = (wanted + "_" + Twine(number)).str();
  return name;
}

/// Whether the function has a node of that name.
bool Exporter::hasNode(StringRef name, StringRef kind) {
  return llvm::any_of(
      function.front().getOps<col::NodeOp>(), [&](col::NodeOp node) {
        return node.getLabel() == name && node.getKind() == kind;
      });
}

/// The node that an argument stands for, such as a variable.
LogicalResult Exporter::addGiven(BlockArgument argument, StringRef name,
                                 StringRef kind) {
  inputs[argument] = name.str();
  if (hasNode(name, kind))
    return success();
  const Node *there = findOriginal(name, kind);
  if (!there)
    return function.emitError()
           << "argument " << argument.getArgNumber() << " stands for node '"
           << name << "' (" << kind
           << "): give the graph that it is in as --original";
  Node &node = *graph.add_node();
  node = *there;
  node.set_name(name.str());
  node.clear_input();
  names.insert(name);
  return success();
}

LogicalResult Exporter::addPlaceholder(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto named = function.getArgAttrOfType<StringAttr>(number, "ember.name");
  if (auto kind = function.getArgAttrOfType<StringAttr>(number, "col.node");
      kind && named)
    return addGiven(argument, named.getValue(), kind.getValue());
  auto emit = [&] {
    return function.emitError() << "argument " << number << " ";
  };
  auto type = dyn_cast<TensorType>(argument.getType());
  if (!type)
    return emit() << "is no tensor";
  std::string name = makeName(named ? named.getValue() : "argument");
  inputs[argument] = name;
  Node &node = *graph.add_node();
  if (const Node *there = findOriginal(name, "Placeholder")) {
    node = *there;
    return success();
  }
  node.set_name(name);
  node.set_op("Placeholder");
  FailureOr<int32_t> element = writeElementType(type.getElementType(), emit);
  if (failed(element))
    return failure();
  (*node.mutable_attr())["dtype"].set_type(*element);
  *(*node.mutable_attr())["shape"].mutable_shape() = writeShape(type);
  return success();
}

/// Says what is known of the shapes of results, which may have changed.
static void addShapes(col::NodeOp op, Node &node) {
  constexpr const char *attribute = "_output_shapes";
  node.mutable_attr()->erase(attribute);
  bool isKnown = llvm::any_of(op.getResultTypes(), [](Type type) {
    return cast<TensorType>(type).hasRank();
  });
  // Of an operator that is not known, there may be more results.
  if (!isKnown || op.getOutputs())
    return;
  AttrValue::List &shapes = *(*node.mutable_attr())[attribute].mutable_list();
  for (Type type : op.getResultTypes())
    *shapes.add_shape() = writeShape(cast<TensorType>(type));
}

LogicalResult Exporter::addAttributes(col::NodeOp op, Node &node) {
  if (const Node *there = findOriginal(op.getLabel(), op.getKind()))
    *node.mutable_attr() = there->attr();
  addShapes(op, node);
  for (NamedAttribute setting : op.getSettings()) {
    FailureOr<AttrValue> value =
        writeAttribute(setting.getValue(), [&] { return op.emitOpError(); });
    if (failed(value))
      return failure();
    (*node.mutable_attr())[setting.getName().str()] = std::move(*value);
  }
  if (op.getKind() == "Const" && !node.attr().contains("value"))
    return op.emitOpError() << "has no value here: give the graph that it is "
                               "in as --original";
  return success();
}

/// How inputs call a result.
FailureOr<std::string> Exporter::nameResult(col::NodeOp op, unsigned result) {
  std::string name = inputs.lookup(op.getResult(result));
  std::string place = std::to_string(result);
  if (std::optional<ArrayAttr> outputs = op.getOutputs())
    place = cast<StringAttr>((*outputs)[result]).str();
  unsigned number;
  if (StringRef(place).getAsInteger(10, number))
    return op.emitOpError() << "has a result '" << place
                            << "', which only nodes of functions can read",
           failure();
  return number == 0 ? name : name + ":" + place;
}

void Exporter::addControls(col::NodeOp op, Node &node) {
  col::Effects effects = op.getEffects();
  bool isAskedFor = llvm::any_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>);
  if (effects == col::Effects::pure && !isAskedFor)
    return;
  llvm::StringSet<> isBehind;
  for (const std::string &input : node.input())
    isBehind.insert(StringRef(input).split(':').first);
  auto putBehind = [&](const std::string &earlier) {
    if (!earlier.empty() && isBehind.insert(earlier).second)
      node.add_input("^" + earlier);
  };
  putBehind(lastChange);
  if (effects == col::Effects::reads)
    readSince.push_back(node.name());
  if (effects != col::Effects::changes)
    return;
  llvm::for_each(readSince, putBehind);
  readSince.clear();
  lastChange = node.name();
}

LogicalResult Exporter::addNode(col::NodeOp op) {
  Node &node = *graph.add_node();
  node.set_name(makeName(op.getLabel()));
  node.set_op(op.getKind().str());
  if (op.getDevice())
    node.set_device(op.getDevice()->str());
  for (Value input : op.getInputs()) {
    std::string name = inputs.lookup(input);
    if (auto result = dyn_cast<OpResult>(input)) {
      FailureOr<std::string> place = nameResult(
          cast<col::NodeOp>(result.getOwner()), result.getResultNumber());
      if (failed(place))
        return failure();
      name = *place;
    }
    node.add_input(name);
  }
  addControls(op, node);
  for (Value result : op.getResults())
    inputs[result] = node.name();
  return addAttributes(op, node);
}

/// The nodes of the function: those that stand before the last change and have
/// a part in it or in its order, and then all others.
FailureOr<SmallVector<col::NodeOp>> Exporter::sortNodes() {
  SmallVector<col::NodeOp> early, late;
  llvm::DenseSet<Operation *> isEarly;
  for (Operation &op : llvm::reverse(function.front().without_terminator())) {
    auto node = dyn_cast<col::NodeOp>(op);
    if (!node)
      return op.emitOpError("is no node of a graph: only col.node is"),
             failure();
    bool isInOrder =
        node.getEffects() == col::Effects::changes ||
        (node.getEffects() == col::Effects::reads && !early.empty());
    if (isInOrder || llvm::any_of(op.getUsers(), [&](Operation *user) {
          return isEarly.contains(user);
        })) {
      isEarly.insert(&op);
      early.push_back(node);
    } else {
      late.push_back(node);
    }
  }
  std::reverse(early.begin(), early.end());
  early.append(late.rbegin(), late.rend());
  return early;
}

FailureOr<std::string> Exporter::run() {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("has no body of one block"), failure();
  for (BlockArgument argument : function.getArguments())
    if (failed(addPlaceholder(argument)))
      return failure();
  FailureOr<SmallVector<col::NodeOp>> nodes = sortNodes();
  if (failed(nodes))
    return failure();
  for (col::NodeOp node : *nodes)
    if (failed(addNode(node)))
      return failure();
  return graph.SerializeAsString();
}

FailureOr<std::string>
graphdef::exportGraphDef(func::FuncOp function,
                         std::optional<OriginalFile> original) {
  Exporter exporter(function);
  if (original && failed(exporter.readOriginal(*original)))
    return failure();
  return exporter.run();
}
