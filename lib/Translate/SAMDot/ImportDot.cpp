//===- ImportDot.cpp - Graphs of blocks from Graphviz ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Translate/SAMDot/Dot.h"

#include "DotText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

namespace {
class DotImporter {
public:
  DotImporter(const DotText &text, MLIRContext *context)
      : text(text), builder(UnknownLoc::get(context), context) {}

  OwningOpRef<ModuleOp> run() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getLoc());
    builder.setInsertionPointToStart(module->getBody());
    if (!readFormats() || !makeFunction() || !makeWriters())
      return {};
    return module;
  }

private:
  bool fail(const Twine &message) {
    emitError(builder.getLoc()) << message;
    return false;
  }

  struct NamedTensor {
    std::string name;
    Type type;
    SmallVector<unsigned> order;
    bool isResult = false;
    Value argument;
  };

  NamedTensor *findTensor(StringRef name) {
    auto found = llvm::find_if(tensors, [&](const NamedTensor &tensor) {
      return tensor.name == name;
    });
    if (found != tensors.end())
      return &*found;
    fail("no tensor '" + name + "' is in the comment of the graph");
    return nullptr;
  }

  /// `X=ss01,b=s0,c=`
  bool readFormats() {
    for (StringRef part : llvm::split(text.comment, ',')) {
      auto [name, format] = part.trim().split('=');
      size_t rank = format.find_first_of("0123456789");
      StringRef kinds = format.take_front(rank);
      StringRef digits = format.drop_front(kinds.size());
      NamedTensor tensor{name.str(), {}, {}, false, {}};
      if (kinds == "none")
        kinds = "";
      SmallVector<cin::Level> levels;
      for (char kind : kinds) {
        if (kind != 's' && kind != 'd')
          return fail("the tensor '" + name + "' has a level of kind '" +
                      Twine(kind) + "', expected s or d");
        levels.push_back(
            {kind == 's' ? cin::LevelKind::compressed : cin::LevelKind::dense,
             true, true});
      }
      for (char digit : digits)
        tensor.order.push_back(llvm::isDigit(digit) ? digit - '0' : 10);
      SmallVector<unsigned> sorted(tensor.order);
      llvm::sort(sorted);
      if (!llvm::equal(sorted, llvm::seq<unsigned>(0, levels.size())))
        return fail("the tensor '" + name + "' has the format '" + format +
                    "', which does not name each dimension once");
      setType(tensor, levels);
      for (const DotNode &node : text.nodes)
        tensor.isResult |= node.get("type") == "fiberwrite" &&
                           node.get("tensor") == tensor.name;
      tensors.push_back(std::move(tensor));
    }
    if (llvm::count_if(tensors, [](const NamedTensor &tensor) {
          return tensor.isResult;
        }) != 1)
      return fail("one tensor of a graph is written");
    return true;
  }

  void setType(NamedTensor &tensor, ArrayRef<cin::Level> levels) {
    Type element = builder.getF64Type();
    cin::FormatAttr format;
    bool isPlain = llvm::is_sorted(tensor.order) &&
                   llvm::all_of(levels, [](const cin::Level &level) {
                     return level.kind == cin::LevelKind::dense;
                   });
    if (!isPlain)
      format = cin::FormatAttr::get(builder.getContext(), levels, tensor.order,
                                    builder.getF64FloatAttr(0), true);
    SmallVector<int64_t> shape(levels.size(), ShapedType::kDynamic);
    tensor.type = RankedTensorType::get(shape, element, format);
  }

  /// The input tensor, and its dimension, of which a variable is the index.
  std::optional<std::pair<NamedTensor *, unsigned>>
  findDimension(StringRef index) {
    for (const DotNode &node : text.nodes) {
      unsigned mode;
      if (node.get("type") != "fiberlookup" || node.get("index") != index ||
          node.get("mode").getAsInteger(10, mode))
        continue;
      NamedTensor *tensor = findTensor(node.get("tensor"));
      if (tensor && mode < tensor->order.size())
        return std::pair(tensor, mode);
    }
    return std::nullopt;
  }

  bool makeFunction() {
    SmallVector<Type> types;
    for (const NamedTensor &tensor : tensors)
      if (!tensor.isResult)
        types.push_back(tensor.type);
    NamedTensor &result = *llvm::find_if(
        tensors, [](const NamedTensor &tensor) { return tensor.isResult; });
    auto function = func::FuncOp::create(
        builder, "kernel",
        builder.getFunctionType(types, TypeRange(result.type)));
    Block *entry = function.addEntryBlock();
    SmallVector<Attribute> names;
    unsigned number = 0;
    for (const NamedTensor &tensor : tensors) {
      if (tensor.isResult)
        continue;
      names.push_back(builder.getStringAttr(tensor.name));
      function.setArgAttr(number++, "ember.name", names.back());
    }
    names.push_back(builder.getStringAttr(result.name));
    builder.setInsertionPointToStart(entry);
    Value init = makeInit(result, *entry);
    if (!init)
      return false;
    auto graph = GraphOp::create(builder, TypeRange(result.type),
                                 entry->getArguments(), ValueRange(init));
    graph->setAttr("names", builder.getArrayAttr(names));
    func::ReturnOp::create(builder, graph.getResults());
    Block &body = graph.getRegion().emplaceBlock();
    for (NamedTensor &tensor : tensors)
      if (!tensor.isResult)
        tensor.argument = body.addArgument(tensor.type, builder.getLoc());
    result.argument = body.addArgument(result.type, builder.getLoc());
    builder.setInsertionPointToStart(&body);
    root = RootOp::create(builder);
    return true;
  }

  Value makeInit(const NamedTensor &result, Block &entry) {
    SmallVector<Value> sizes(result.order.size());
    for (const DotNode &node : text.nodes) {
      unsigned mode;
      if (node.get("type") != "fiberwrite" ||
          node.get("mode").getAsInteger(10, mode) || mode >= sizes.size())
        continue;
      auto dimension = findDimension(node.get("index"));
      if (!dimension)
        break;
      unsigned number = 0;
      for (const NamedTensor &tensor : tensors) {
        if (&tensor == dimension->first)
          break;
        number += !tensor.isResult;
      }
      Value at = arith::ConstantIndexOp::create(builder, dimension->second);
      sizes[mode] =
          tensor::DimOp::create(builder, entry.getArgument(number), at);
    }
    if (llvm::is_contained(sizes, Value())) {
      fail("no scanner says how large the tensor '" + result.name + "' is");
      return {};
    }
    return tensor::EmptyOp::create(builder, result.type, sizes);
  }

  bool makeWriters() {
    for (const DotNode &node : text.nodes) {
      if (node.get("type") != "fiberwrite")
        continue;
      NamedTensor *tensor = findTensor(node.get("tensor"));
      bool isValues = node.get("mode") == "vals";
      Value stream = getInput(node, isValues ? "val" : "crd", "");
      if (!tensor || !stream)
        return false;
      if (isValues) {
        WriteValuesOp::create(builder, stream, tensor->argument);
        continue;
      }
      std::optional<unsigned> level = findLevel(node, *tensor);
      if (!level)
        return false;
      WriteLevelOp::create(builder, stream, tensor->argument, *level);
    }
    return true;
  }

  std::optional<unsigned> findLevel(const DotNode &node,
                                    const NamedTensor &tensor) {
    unsigned mode;
    if (!node.get("mode").getAsInteger(10, mode)) {
      const auto *level = llvm::find(tensor.order, mode);
      if (level != tensor.order.end())
        return level - tensor.order.begin();
    }
    fail("block " + node.name + " has the mode '" + node.get("mode") +
         "', which '" + tensor.name + "' has not");
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Streams
  //===--------------------------------------------------------------------===//

  /// The edges into a node of a kind, of which the comment begins with `what`.
  SmallVector<const DotEdge *> getEdges(const DotNode &node, StringRef kind,
                                        StringRef what) {
    SmallVector<const DotEdge *> edges;
    for (const DotEdge &edge : text.edges)
      if (edge.to == node.name && edge.kind == kind &&
          StringRef(edge.comment).starts_with(what))
        edges.push_back(&edge);
    return edges;
  }

  Value getInput(const DotNode &node, StringRef kind, StringRef what) {
    SmallVector<const DotEdge *> edges = getEdges(node, kind, what);
    if (!edges.empty())
      return getStream(*edges.front());
    fail("block " + node.name + " (" + node.get("type") + ") lacks a stream '" +
         kind + "' " + what);
    return {};
  }

  /// The stream of an edge, whose block is made if it is not there yet.
  Value getStream(const DotEdge &edge) {
    const DotNode *node = text.findNode(edge.from);
    if (!node) {
      fail("an edge comes from the block " + edge.from +
           ", which is not there");
      return {};
    }
    if (node->get("type") == "broadcast") {
      for (const DotEdge &into : text.edges)
        if (into.to == node->name && waiting.insert(node->name).second) {
          Value stream = getStream(into);
          waiting.erase(node->name);
          return stream;
        }
      fail("the broadcast " + node->name + " has no stream");
      return {};
    }
    Operation *op = makeBlock(*node);
    if (!op)
      return {};
    if (Value stream = pickResult(op, *node, edge))
      return stream;
    fail("block " + node->name + " (" + node->get("type") +
         ") has no stream '" + edge.kind + "' " + edge.comment);
    return {};
  }

  /// Which of a block's results an edge is.
  Value pickResult(Operation *op, const DotNode &node, const DotEdge &edge) {
    auto [what, of] = StringRef(edge.comment).split('-');
    // The side is that of what takes it, as often as not; the variable is not.
    if (isa<CrdDropOp, CrdHoldOp>(op)) {
      if (of == node.get("outer"))
        return op->getResult(0);
      return op->getResult(of == node.get("inner") || what == "inner" ? 1 : 0);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && edge.kind == "crd") {
      for (auto [name, stream] : outputs.lookup(op))
        if (name == of)
          return stream;
      return {};
    }
    if (isa<IntersectOp, UnionOp>(op) && edge.kind == "ref") {
      for (auto [name, stream] : outputs.lookup(op))
        if (name == of)
          return stream;
      return {};
    }
    for (Value result : op->getResults()) {
      bool isKind =
          (edge.kind == "crd" && isa<CoordinatesType>(result.getType())) ||
          (edge.kind == "ref" && isa<ReferencesType>(result.getType())) ||
          (edge.kind == "val" && isa<ValuesType>(result.getType())) ||
          (edge.kind == "repsig" && isa<SignalType>(result.getType()));
      if (isKind)
        return result;
    }
    return {};
  }

  Operation *makeBlock(const DotNode &node) {
    auto [entry, isNew] = blocks.try_emplace(node.name, nullptr);
    if (!isNew) {
      if (!entry->second)
        fail("block " + node.name + " (" + node.get("type") +
             ") waits for itself, or could not be made");
      return entry->second;
    }
    Operation *op = makeNew(node);
    blocks[node.name] = op;
    return op;
  }

  Operation *makeNew(const DotNode &node) {
    StringRef type = node.get("type");
    if (type == "fiberlookup")
      return makeScan(node);
    if (type == "repsiggen")
      return makeOf<RepeatSignalOp>(node, "crd");
    if (type == "repeat") {
      Value stream = getReferences(node);
      Value signal = stream ? getInput(node, "repsig", "") : Value();
      return signal ? RepeatOp::create(builder, stream, signal).getOperation()
                    : nullptr;
    }
    if (type == "intersect" || type == "union")
      return makeJoiner(node, type == "union");
    if (type == "arrayvals") {
      NamedTensor *tensor = findTensor(node.get("tensor"));
      Value at = tensor ? getReferences(node) : Value();
      return at ? LoadOp::create(builder, tensor->argument, at).getOperation()
                : nullptr;
    }
    if (type == "mul" || type == "add")
      return makeAlu(node);
    if (type == "reduce" || type == "spaccumulator")
      return makeReduce(node);
    if (type == "crddrop" || type == "crdhold") {
      Value outer = getInput(node, "crd", "outer");
      Value inner = outer ? getInput(node, "crd", "inner") : Value();
      if (!inner || !checkBelow(node, outer, inner))
        return nullptr;
      return type == "crddrop"
                 ? CrdDropOp::create(builder, outer, inner).getOperation()
                 : CrdHoldOp::create(builder, outer, inner).getOperation();
    }
    fail("block " + node.name + " has the type '" + type +
         "', which is unknown");
    return nullptr;
  }

  bool checkBelow(const DotNode &node, Value outer, Value inner) {
    if (getDepth(inner.getType()) == *getDepth(outer.getType()) + 1)
      return true;
    return fail("block " + node.name + " (" + node.get("type") +
                ") has streams of unlike depth, of [" + describePath(outer) +
                "] and [" + describePath(inner) + "]");
  }

  template <typename OpT>
  Operation *makeOf(const DotNode &node, StringRef kind) {
    Value stream = getInput(node, kind, "");
    return stream ? OpT::create(builder, stream).getOperation() : nullptr;
  }

  Value getReferences(const DotNode &node) {
    if (node.get("root") == "true" || getEdges(node, "ref", "").empty())
      return root;
    return getInput(node, "ref", "");
  }

  Operation *makeScan(const DotNode &node) {
    NamedTensor *tensor = findTensor(node.get("tensor"));
    std::optional<unsigned> level;
    if (tensor)
      level = findLevel(node, *tensor);
    Value references = level ? getReferences(node) : Value();
    if (!references)
      return nullptr;
    return ScanOp::create(builder, tensor->argument, *level, references,
                          /*all=*/false, Value());
  }

  Operation *makeJoiner(const DotNode &node, bool isUnion) {
    SmallVector<SmallVector<Value>> sides;
    SmallVector<std::string> beside;
    for (const DotEdge *edge : getEdges(node, "crd", "in-")) {
      Value coordinates = getStream(*edge);
      if (!coordinates)
        return nullptr;
      sides.push_back({coordinates});
      StringRef tensors = StringRef(edge->comment).drop_front(3);
      for (StringRef tensor : llvm::split(tensors, '+')) {
        if (tensor.empty())
          continue;
        Value references = getInput(node, "ref", ("in-" + tensor).str());
        if (!references)
          return nullptr;
        sides.back().push_back(references);
        beside.push_back(tensor.str());
      }
    }
    if (sides.size() < 2) {
      fail("block " + node.name + " (" + node.get("type") +
           ") joins fewer than two streams");
      return nullptr;
    }
    Operation *op =
        isUnion ? UnionOp::create(builder, ArrayRef(sides)).getOperation()
                : IntersectOp::create(builder, ArrayRef(sides)).getOperation();
    for (auto [number, tensor] : llvm::enumerate(beside))
      outputs[op].emplace_back(tensor, op->getResult(number + 1));
    return op;
  }

  Operation *makeAlu(const DotNode &node) {
    SmallVector<Value> operands;
    for (const DotEdge *edge : getEdges(node, "val", "")) {
      operands.push_back(getStream(*edge));
      if (!operands.back())
        return nullptr;
    }
    if (operands.size() != 2) {
      fail("block " + node.name + " (" + node.get("type") + ") has " +
           Twine(operands.size()) + " streams of values, expected 2");
      return nullptr;
    }
    StringRef function = node.get("type");
    if (function == "add" && node.get("sub") == "1")
      function = "sub";
    auto callee =
        cin::BuiltinAttr::get(builder.getContext(), cin::findBuiltin(function));
    return AluOp::create(builder, operands.front().getType(), callee, operands);
  }

  Operation *makeReduce(const DotNode &node) {
    unsigned order = 0;
    if (node.get("type") == "spaccumulator" &&
        node.get("order").getAsInteger(10, order)) {
      fail("block " + node.name + " (spaccumulator) has no order");
      return nullptr;
    }
    Value values = getInput(node, "val", "");
    if (!values)
      return nullptr;
    SmallVector<Value> coordinates;
    SmallVector<std::string> indices;
    for (unsigned number = order; number-- > 0;) {
      StringRef index = node.get("in" + std::to_string(number));
      Value stream = getInput(node, "crd", ("inner-" + index).str());
      if (!stream)
        return nullptr;
      coordinates.push_back(stream);
      indices.push_back(index.str());
    }
    if (*getDepth(values.getType()) <= order) {
      fail("block " + node.name + " (" + node.get("type") +
           ") has no level to reduce, of [" + describePath(values) + "]");
      return nullptr;
    }
    auto callee =
        cin::BuiltinAttr::get(builder.getContext(), cin::findBuiltin("add"));
    auto op = ReduceOp::create(builder, callee,
                               node.get("empty") == "drop" ? Empty::drop
                                                           : Empty::keep,
                               values, coordinates);
    for (auto [index, stream] : llvm::zip(indices, op.getUnique()))
      outputs[op].emplace_back(index, stream);
    addHeld(node, op);
    return op;
  }

  /// Published reducers also take outer coordinates, one for each point, and
  /// give them back: what they are held from.
  void addHeld(const DotNode &node, ReduceOp op) {
    for (const DotEdge *edge : getEdges(node, "crd", "outer-")) {
      Value stream = getStream(*edge);
      while (stream && stream.getDefiningOp<CrdHoldOp>()) {
        auto hold = stream.getDefiningOp<CrdHoldOp>();
        stream = stream == hold.getHeld() ? hold.getOuter() : hold.getInner();
      }
      if (stream)
        outputs[op].emplace_back(edge->comment.substr(6), stream);
    }
  }

  const DotText &text;
  ImplicitLocOpBuilder builder;
  std::vector<NamedTensor> tensors;
  Value root;
  llvm::StringMap<Operation *> blocks;
  llvm::StringSet<> waiting;
  llvm::DenseMap<Operation *, SmallVector<std::pair<std::string, Value>>>
      outputs;
};
} // namespace

OwningOpRef<ModuleOp> ember::sam::importDot(StringRef source,
                                            MLIRContext *context) {
  std::string reason;
  std::optional<DotText> text = parseDot(source, reason);
  if (!text) {
    emitError(UnknownLoc::get(context)) << reason;
    return {};
  }
  OwningOpRef<ModuleOp> module = DotImporter(*text, context).run();
  return module && succeeded(mlir::verify(*module)) ? std::move(module)
                                                    : OwningOpRef<ModuleOp>();
}
