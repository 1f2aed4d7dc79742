//===- ExportDot.cpp - Graphs of blocks to Graphviz -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Translate/SAMDot/Dot.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

namespace {
/// Attributes of a node, in their order.
using NodeText = SmallVector<std::pair<std::string, std::string>>;

/// What index variables streams of coordinates are of.
class VariableNames {
public:
  explicit VariableNames(ArrayRef<Operation *> blocks) {
    for (Operation *op : blocks)
      nameResults(op);
  }

  std::string of(Value coordinates) {
    unsigned number = find(numbers.lookup(coordinates));
    return number < 18 ? std::string(1, static_cast<char>('i' + number))
                       : "v" + std::to_string(number);
  }

private:
  unsigned find(unsigned number) {
    while (same[number] != number)
      number = same[number];
    return number;
  }

  void nameResults(Operation *op) {
    SmallVector<Value> sources, results;
    for (Value operand : op->getOperands())
      if (isa<CoordinatesType>(operand.getType()))
        sources.push_back(operand);
    for (Value result : op->getResults())
      if (isa<CoordinatesType>(result.getType()))
        results.push_back(result);
    if (isa<IntersectOp, UnionOp>(op)) {
      for (Value other : ArrayRef(sources).drop_front())
        same[find(numbers.lookup(other))] =
            find(numbers.lookup(sources.front()));
      numbers[results.front()] = numbers.lookup(sources.front());
      return;
    }
    // Droppers, holders and reducers pass on what they are given, in order.
    bool passes = sources.size() >= results.size();
    for (auto [number, result] : llvm::enumerate(results)) {
      if (passes) {
        numbers[result] = numbers.lookup(sources[number]);
        continue;
      }
      numbers[result] = same.size();
      same.push_back(same.size());
    }
  }

  llvm::DenseMap<Value, unsigned> numbers;
  SmallVector<unsigned> same;
};

class DotWriter {
public:
  DotWriter(GraphOp graph, raw_ostream &os)
      : graph(graph), os(os), blocks(graph.getBlocksInOrder()), names(blocks) {
    llvm::erase_if(blocks, [](Operation *op) { return isa<RootOp>(op); });
    for (auto [number, op] : llvm::enumerate(blocks))
      numbers[op] = number;
  }

  bool write() {
    os << "digraph SAM {\n    comment=\"";
    llvm::interleave(
        graph.getBody()->getArguments(), os,
        [&](BlockArgument tensor) { writeFormat(tensor); }, ",");
    os << "\"\n";
    for (Operation *op : blocks) {
      NodeText text = describe(op);
      if (text.empty()) {
        op->emitOpError(
            "has no node in graphs of the Sparse Abstract Machine's "
            "compiler");
        return false;
      }
      writeNode(numbers.lookup(op), text);
    }
    for (Operation *op : blocks)
      for (OpOperand &operand : op->getOpOperands())
        writeEdge(operand);
    os << "}\n";
    return true;
  }

private:
  static TensorFormat formatOf(Value tensor) {
    std::string reason;
    return *TensorFormat::of(tensor.getType(), reason);
  }

  void writeFormat(BlockArgument tensor) {
    TensorFormat format = formatOf(tensor);
    os << getTensorName(tensor) << "=";
    for (const cin::Level &level : format.levels)
      os << (level.kind == cin::LevelKind::dense ? 'd' : 's');
    for (unsigned dimension : format.order)
      os << dimension;
  }

  static std::string formatName(Value tensor, unsigned level) {
    return cin::getName(formatOf(tensor).levels[level].kind).str();
  }

  /// The tensor that references lead to.
  static std::string findTensor(Value stream) {
    if (std::optional<ReferencedLevel> level = findReferencedLevel(stream))
      return getTensorName(level->tensor);
    for (Operation *user : stream.getUsers()) {
      if (auto scan = dyn_cast<ScanOp>(user))
        return getTensorName(scan.getTensor());
      if (auto load = dyn_cast<LoadOp>(user))
        return getTensorName(load.getTensor());
      if (auto repeat = dyn_cast<RepeatOp>(user))
        return findTensor(repeat.getRepeated());
    }
    return "";
  }

  static std::string isRoot(Value stream) {
    return stream.getDefiningOp<RootOp>() ? "true" : "false";
  }

  NodeText describe(Operation *op) {
    return llvm::TypeSwitch<Operation *, NodeText>(op)
        .Case<ScanOp, RepeatSignalOp, RepeatOp, IntersectOp, UnionOp, LoadOp,
              AluOp, ReduceOp, CrdDropOp, CrdHoldOp, WriteLevelOp,
              WriteValuesOp>([&](auto block) { return describeBlock(block); })
        .Default([](Operation *) { return NodeText(); });
  }

  NodeText describeBlock(ScanOp op) {
    unsigned level = op.getLevel();
    if (op.getAll() || op.getSkip())
      return {};
    return {{"type", "fiberlookup"},
            {"index", names.of(op.getCoordinates())},
            {"tensor", getTensorName(op.getTensor())},
            {"mode", std::to_string(formatOf(op.getTensor()).order[level])},
            {"format", formatName(op.getTensor(), level)},
            {"src", "true"},
            {"root", isRoot(op.getReferences())}};
  }
  NodeText describeBlock(RepeatSignalOp op) {
    return {{"type", "repsiggen"}, {"index", names.of(op.getCoordinates())}};
  }
  NodeText describeBlock(RepeatOp op) {
    return {{"type", "repeat"},
            {"index", names.of(op.getDriver())},
            {"tensor", findTensor(op.getRepeated())},
            {"root", isRoot(op.getStream())}};
  }
  NodeText describeBlock(IntersectOp op) {
    if (op.getGallop())
      return {};
    return {{"type", "intersect"}, {"index", names.of(op.getCoordinates())}};
  }
  NodeText describeBlock(UnionOp op) {
    return {{"type", "union"}, {"index", names.of(op.getCoordinates())}};
  }
  NodeText describeBlock(LoadOp op) {
    return {{"type", "arrayvals"}, {"tensor", getTensorName(op.getTensor())}};
  }
  NodeText describeBlock(AluOp op) {
    auto builtin = dyn_cast<cin::BuiltinAttr>(op.getCallee());
    if (!builtin || op.getOperands().size() != 2)
      return {};
    if (builtin->name == "mul")
      return {{"type", "mul"}};
    if (builtin->name == "add" || builtin->name == "sub")
      return {{"type", "add"}, {"sub", builtin->name == "sub" ? "1" : "0"}};
    return {};
  }
  NodeText describeBlock(ReduceOp op) {
    auto builtin = dyn_cast<cin::BuiltinAttr>(op.getCallee());
    if (!builtin || builtin->name != "add")
      return {};
    unsigned dimensions = op.getCoordinates().size();
    NodeText text = {{"type", dimensions ? "spaccumulator" : "reduce"}};
    if (dimensions)
      text.emplace_back("order", std::to_string(dimensions));
    for (auto [number, coordinates] :
         llvm::enumerate(llvm::reverse(op.getCoordinates())))
      text.emplace_back("in" + std::to_string(number), names.of(coordinates));
    if (op.getEmpty() == Empty::drop)
      text.emplace_back("empty", "drop");
    return text;
  }
  NodeText describeBlock(CrdDropOp op) {
    if (!isa<CoordinatesType>(op.getInner().getType()))
      return {};
    return {{"type", "crddrop"},
            {"outer", names.of(op.getOuter())},
            {"inner", names.of(op.getInner())}};
  }
  NodeText describeBlock(CrdHoldOp op) {
    return {{"type", "crdhold"},
            {"outer", names.of(op.getOuter())},
            {"inner", names.of(op.getInner())}};
  }
  NodeText describeBlock(WriteLevelOp op) {
    unsigned level = op.getLevel();
    return {{"type", "fiberwrite"},
            {"index", names.of(op.getCoordinates())},
            {"tensor", getTensorName(op.getTensor())},
            {"mode", std::to_string(formatOf(op.getTensor()).order[level])},
            {"format", formatName(op.getTensor(), level)},
            {"sink", "true"}};
  }
  NodeText describeBlock(WriteValuesOp op) {
    return {{"type", "fiberwrite"},
            {"mode", "vals"},
            {"tensor", getTensorName(op.getTensor())},
            {"sink", "true"}};
  }

  static StringRef getColor(StringRef type) {
    return llvm::StringSwitch<StringRef>(type)
        .Case("fiberlookup", "green4")
        .Case("fiberwrite", "green3")
        .Case("arrayvals", "green2")
        .Case("repsiggen", "cyan3")
        .Case("repeat", "cyan2")
        .Cases({"intersect", "union"}, "purple")
        .Cases({"crddrop", "crdhold"}, "orange")
        .Default("brown");
  }

  void writeNode(unsigned number, const NodeText &text) {
    auto join = [&](StringRef separator, StringRef quote) {
      SmallVector<std::string> parts;
      for (const auto &[key, value] : text)
        parts.push_back(key + "=" + quote.str() + value + quote.str());
      return llvm::join(parts, separator);
    };
    SmallVector<std::string> label;
    for (const auto &[key, value] : text)
      if (key == "type" || key == "index" || key == "tensor" || key == "mode" ||
          key == "outer" || key == "inner")
        label.push_back(value);
    os << "    " << number << " [comment=\"" << join(",", "") << "\" label=\""
       << llvm::join(label, " ") << "\" color=" << getColor(text.front().second)
       << " shape=box style=filled " << join(" ", "\"") << "]\n";
  }

  /// What an edge says of the streams of blocks that have several of a kind.
  std::string describeEdge(OpOperand &operand) {
    Operation *consumer = operand.getOwner();
    Operation *producer = operand.get().getDefiningOp();
    if (isa<CrdDropOp, CrdHoldOp>(consumer))
      return (operand.getOperandNumber() ? "inner-" : "outer-") +
             names.of(operand.get());
    if (isa<CoordinatesType>(operand.get().getType())) {
      if (isa<IntersectOp, UnionOp>(consumer))
        return "in-" + findSide(operand);
      if (isa<ReduceOp>(consumer))
        return "inner-" + names.of(operand.get());
      if (isa<CrdDropOp, CrdHoldOp>(producer))
        return (cast<OpResult>(operand.get()).getResultNumber() ? "inner-"
                                                                : "outer-") +
               names.of(operand.get());
      return isa<ReduceOp>(producer) ? "out-" + names.of(operand.get()) : "";
    }
    if (isa<IntersectOp, UnionOp>(consumer))
      return "in-" + findTensor(operand.get());
    if (isa_and_present<IntersectOp, UnionOp>(producer))
      return "out-" + findTensor(operand.get());
    return "";
  }

  /// The tensors beside coordinates of a joiner.
  std::string findSide(OpOperand &operand) {
    auto describe = [&](auto joiner) {
      unsigned begin = 0, number = operand.getOperandNumber();
      for (unsigned side = 0; side < joiner.countSides(); ++side) {
        if (begin == number) {
          SmallVector<std::string> tensors;
          for (Value stream : joiner.getSide(side).drop_front())
            tensors.push_back(findTensor(stream));
          return llvm::join(tensors, "+");
        }
        begin += joiner.getSide(side).size();
      }
      return std::string();
    };
    if (auto meet = dyn_cast<IntersectOp>(operand.getOwner()))
      return describe(meet);
    return describe(cast<UnionOp>(operand.getOwner()));
  }

  void writeEdge(OpOperand &operand) {
    Operation *producer = operand.get().getDefiningOp();
    if (!producer || !numbers.contains(producer))
      return;
    Type stream = operand.get().getType();
    StringRef kind = "ref", style = "bold";
    if (isa<CoordinatesType>(stream))
      kind = "crd", style = "dashed";
    else if (isa<SignalType>(stream))
      kind = "repsig", style = "dotted";
    else if (isa<ValuesType>(stream))
      kind = "val", style = "solid";
    std::string comment = describeEdge(operand);
    os << "    " << numbers.lookup(producer) << " -> "
       << numbers.lookup(operand.getOwner()) << " [label=\"" << kind
       << (comment.empty() ? "" : "_") << comment << "\" style=" << style
       << " type=\"" << kind << "\" comment=\"" << comment << "\"]\n";
  }

  GraphOp graph;
  raw_ostream &os;
  SmallVector<Operation *> blocks;
  VariableNames names;
  llvm::DenseMap<Operation *, unsigned> numbers;
};
} // namespace

bool ember::sam::exportDot(GraphOp graph, raw_ostream &os) {
  return DotWriter(graph, os).write();
}
