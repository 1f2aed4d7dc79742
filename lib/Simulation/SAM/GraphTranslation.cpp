//===- GraphTranslation.cpp - Graphs of the dialect for the simulator -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBlocks.h"
#include "GraphTensors.h"
#include "ember/Dialect/SAM/IR/Coordinates.h"
#include "ember/Simulation/SAM/GraphSimulation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using sam::findCoordinatesAround;
using sam::findCoordinatesBeside;
using sim::sam::BlockKind;
using sim::sam::noIndex;

/// The elements of what is made for a constant, and of lists of all
/// coordinates.
static constexpr int64_t mostElements = int64_t(1) << 26;

static sim::sam::Level makeDenseLevel(int64_t size) {
  sim::sam::Level level;
  level.format = sim::sam::Level::Format::dense;
  level.size = size;
  return level;
}

static double toDouble(TypedAttr value) {
  return cast<FloatAttr>(value).getValueAsDouble();
}

namespace {
/// Where a stream comes from. The root, which has no block, is fed.
struct Source {
  unsigned block = noIndex;
  StringRef port;
};

class Translation {
public:
  Translation(sam::GraphOp graph, ArrayRef<sam::StoredTensor> inputs,
              ArrayRef<SmallVector<int64_t>> shapes)
      : graph(graph), inputs(inputs), shapes(shapes) {
    made.results.resize(shapes.size());
  }

  FailureOr<SimulatedGraph> run() {
    for (Operation *op : graph.getBlocksInOrder())
      if (failed(translateBlock(op)))
        return failure();
    for (auto [scan, block] : galloping) {
      Source skip = sources.lookup(scan.getSkip());
      if (failed(check(
              scan, made.graph.connect(skip.block, skip.port, block, "skip"))))
        return failure();
    }
    if (llvm::Error error = made.graph.verify())
      return graph.emitOpError("cannot be simulated: ")
             << llvm::toString(std::move(error));
    return std::move(made);
  }

private:
  static LogicalResult check(Operation *op, llvm::Error error) {
    if (!error)
      return success();
    return op->emitOpError("cannot be simulated: ")
           << llvm::toString(std::move(error));
  }

  LogicalResult translateBlock(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<sam::RootOp, sam::ConstantOp, sam::ScanOp, sam::LocateOp,
              sam::RepeatSignalOp, sam::RepeatOp, sam::IntersectOp,
              sam::UnionOp, sam::LoadOp, sam::AluOp, sam::ReduceOp,
              sam::CrdDropOp, sam::CrdHoldOp, sam::WriteLevelOp,
              sam::WriteValuesOp, sam::StoreOp>(
            [&](auto block) { return translate(block); })
        .Default([](Operation *other) {
          return other->emitOpError("is a block that the simulator lacks");
        });
  }

  //===--------------------------------------------------------------------===//
  // Blocks and streams
  //===--------------------------------------------------------------------===//

  std::string makeName(const Twine &base) {
    std::string name = base.str();
    unsigned number = counts[name]++;
    return number ? name + "_" + std::to_string(number) : name;
  }

  unsigned addBlock(BlockKind kind, const Twine &base) {
    sim::sam::Block block;
    block.kind = kind;
    block.name = makeName(base);
    // Names are unlike by the way they are made.
    return llvm::cantFail(made.graph.addBlock(std::move(block)));
  }

  sim::sam::Block &block(unsigned number) { return made.graph.block(number); }

  LogicalResult connect(Operation *op, Value stream, unsigned block,
                        StringRef port) {
    return connect(op, sources.lookup(stream), block, port);
  }
  LogicalResult connect(Operation *op, Source source, unsigned block,
                        StringRef port) {
    using sim::sam::Token;
    if (source.block == noIndex)
      return check(
          op, made.graph.feed(block, port,
                              {{Token::integer(0), 0}, {Token::done(), 1}}));
    return check(op,
                 made.graph.connect(source.block, source.port, block, port));
  }

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  sam::TensorFormat formatOf(Value tensor) {
    std::string reason;
    // The verifier has seen that there is one.
    return *sam::TensorFormat::of(tensor.getType(), reason);
  }

  unsigned numberOf(Value tensor) {
    return cast<BlockArgument>(tensor).getArgNumber();
  }

  FailureOr<unsigned> addTensor(Operation *op, sim::sam::Tensor tensor) {
    auto number = made.graph.addTensor(std::move(tensor));
    if (!number)
      return check(op, number.takeError());
    return *number;
  }

  /// The tensor, made when a block first asks for it.
  FailureOr<unsigned> getTensor(Operation *op, Value tensor) {
    if (auto known = tensors.find(tensor); known != tensors.end())
      return known->second;
    Type element = getElementTypeOrSelf(tensor.getType());
    std::string name = sam::getTensorName(tensor);
    if (!isa<FloatType>(element))
      return op->emitOpError("reads '")
             << name << "', whose elements are " << element
             << "; simulated values are floating-point numbers";
    sam::TensorFormat format = formatOf(tensor);
    if (toDouble(format.fill) != 0)
      return op->emitOpError("reads '")
             << name << "', which does not store " << format.fill
             << "; what a simulated array lacks is 0";
    unsigned number = numberOf(tensor);
    bool isInput = number < inputs.size();
    ArrayRef<int64_t> shape = isInput ? ArrayRef<int64_t>(inputs[number].shape)
                                      : shapes[number - inputs.size()];
    SmallVector<sim::sam::Level::Format> formats;
    SmallVector<int64_t> sizes;
    for (unsigned level = 0; level < format.levels.size(); ++level) {
      auto simulated = findSimulatedFormat(tensor, format, level);
      if (!simulated)
        return op->emitOpError("reads '")
               << name << "', whose level " << level
               << " is neither dense, a bitmap that is scanned, compressed "
                  "with "
                  "each coordinate once, nor of a list of points, as simulated "
                  "ones are";
      formats.push_back(*simulated);
      sizes.push_back(shape[format.order[level]]);
    }
    sim::sam::Elements elements;
    if (isInput)
      elements = collectElements(inputs[number]);
    sim::sam::Tensor stored =
        sim::sam::buildTensor(makeName(name), formats, sizes, elements);
    FailureOr<unsigned> added = addTensor(op, std::move(stored));
    if (succeeded(added))
      tensors[tensor] = *added;
    return added;
  }

  LogicalResult requireElements(Operation *op, int64_t count) {
    if (count <= mostElements)
      return success();
    return op->emitOpError("needs an array of ")
           << count << " elements to be simulated, and at most " << mostElements
           << " are made";
  }

  //===--------------------------------------------------------------------===//
  // Iteration
  //===--------------------------------------------------------------------===//

  LogicalResult translate(sam::RootOp op) {
    sources[op.getReferences()] = {};
    return success();
  }

  LogicalResult translate(sam::ScanOp op) {
    std::string name = sam::getTensorName(op.getTensor());
    FailureOr<unsigned> tensor = getTensor(op, op.getTensor());
    if (failed(tensor))
      return failure();
    unsigned level = op.getLevel();
    sim::sam::Level scanned = made.graph.getTensors()[*tensor].levels[level];
    Value references = op.getReferences();
    if (op.getAll()) {
      // A list of its own, for each coordinate around, even where `N` says
      // that nothing is stored.
      if (!op.getPositions().use_empty() || op.getSkip())
        return op.emitOpError("scans all coordinates for more than these, "
                              "which the simulator does not");
      if (failed(requireElements(op, scanned.size)))
        return failure();
      sim::sam::Tensor all;
      all.name = makeName("all of " + name + Twine(level));
      all.levels.push_back(makeDenseLevel(scanned.size));
      if (Value around = findCoordinatesBeside(references)) {
        // Both sizes have a bound before they are multiplied.
        if (failed(requireElements(op, largestSize())))
          return failure();
        references = around;
        // Each coordinate is a reference to a fiber of that list.
        all.levels.insert(all.levels.begin(), makeDenseLevel(largestSize()));
      }
      level = all.levels.size() - 1;
      int64_t count = 1;
      for (const sim::sam::Level &part : all.levels)
        count *= part.size;
      if (failed(requireElements(op, count)))
        return failure();
      all.values.resize(count);
      tensor = addTensor(op, std::move(all));
      if (failed(tensor))
        return failure();
      scanned.format = sim::sam::Level::Format::dense;
    }
    unsigned number = addBlock(findScanner(scanned.format),
                               "scan_" + name + Twine(op.getLevel()));
    block(number).tensor = *tensor;
    block(number).level = level;
    sources[op.getCoordinates()] = {number, "crd"};
    sources[op.getPositions()] = {number, "ref"};
    if (op.getSkip())
      galloping.push_back({op, number});
    return connect(op, references, number, "ref");
  }

  /// The most that any dimension has: more than any coordinate.
  int64_t largestSize() const {
    int64_t size = 1;
    for (const sam::StoredTensor &input : inputs)
      for (int64_t extent : input.shape)
        size = std::max(size, extent);
    for (ArrayRef<int64_t> shape : shapes)
      for (int64_t extent : shape)
        size = std::max(size, extent);
    return size;
  }

  LogicalResult translate(sam::LocateOp op) {
    FailureOr<unsigned> tensor = getTensor(op, op.getTensor());
    if (failed(tensor))
      return failure();
    unsigned number = addBlock(BlockKind::locate,
                               "locate_" + sam::getTensorName(op.getTensor()) +
                                   std::to_string(op.getLevel()));
    block(number).tensor = *tensor;
    block(number).level = op.getLevel();
    if (op.getStrided()) {
      ArrayRef<sim::sam::Level> levels =
          made.graph.getTensors()[*tensor].levels;
      int64_t stride = 1;
      unsigned last =
          formatOf(op.getTensor()).getDenseRun(op.getLevel()).second;
      for (unsigned below = op.getLevel() + 1; below <= last; ++below)
        stride *= levels[below].size;
      block(number).stride = stride;
    }
    sources[op.getPositions()] = {number, "ref"};
    if (failed(connect(op, op.getReferences(), number, "ref")))
      return failure();
    return connect(op, op.getCoordinates(), number, "crd");
  }

  LogicalResult translate(sam::RepeatSignalOp op) {
    unsigned number = addBlock(BlockKind::repeatSignal, "signal");
    sources[op.getSignal()] = {number, "repsig"};
    return connect(op, op.getCoordinates(), number, "crd");
  }

  LogicalResult translate(sam::RepeatOp op) {
    unsigned number = addBlock(BlockKind::repeat, "repeat");
    sources[op.getRepeated()] = {number, "ref"};
    if (failed(connect(op, op.getStream(), number, "ref")))
      return failure();
    return connect(op, op.getSignal(), number, "repsig");
  }

  //===--------------------------------------------------------------------===//
  // Joiners
  //===--------------------------------------------------------------------===//

  /// Coordinates, and what is beside them.
  using Side = SmallVector<Source>;

  /// A joiner has two sides of two streams. More of these are merged beside the
  /// same coordinates by joiners of their own; a side of coordinates alone has
  /// them in the place of references.
  FailureOr<Side> joinTwo(Operation *op, BlockKind kind, const Side &first,
                          const Side &second, unsigned *joiner) {
    StringRef name = kind == BlockKind::intersect ? "intersect" : "union";
    size_t firsts = first.size() - 1, seconds = second.size() - 1;
    size_t count = std::max({firsts, seconds, size_t(1)});
    Side joined(1 + firsts + seconds);
    for (size_t at = 0; at < count; ++at) {
      unsigned number = addBlock(kind, name);
      const Source &beside1 = at < firsts ? first[1 + at] : first[0];
      const Source &beside2 = at < seconds ? second[1 + at] : second[0];
      if (failed(connect(op, first[0], number, "crd1")) ||
          failed(connect(op, beside1, number, "ref1")) ||
          failed(connect(op, second[0], number, "crd2")) ||
          failed(connect(op, beside2, number, "ref2")))
        return failure();
      if (!at) {
        joined[0] = {number, "crd"};
        if (joiner)
          *joiner = number;
      }
      if (at < firsts)
        joined[1 + at] = {number, "ref1"};
      if (at < seconds)
        joined[1 + firsts + at] = {number, "ref2"};
    }
    return joined;
  }

  template <typename JoinerOp>
  LogicalResult join(JoinerOp op, BlockKind kind, unsigned results,
                     unsigned *joiner) {
    Side whole;
    for (unsigned number = 0; number < op.countSides(); ++number) {
      Side side = llvm::map_to_vector(op.getSide(number), [&](Value stream) {
        return sources.lookup(stream);
      });
      if (whole.empty()) {
        whole = std::move(side);
        continue;
      }
      FailureOr<Side> joined = joinTwo(op, kind, whole, side, joiner);
      if (failed(joined))
        return failure();
      whole = std::move(*joined);
    }
    for (auto [result, source] :
         llvm::zip(op->getResults().take_front(results), whole))
      sources[result] = source;
    return success();
  }

  LogicalResult translate(sam::IntersectOp op) {
    if (op.getGallop() && op.countSides() != 2)
      return op.emitOpError("gallops on ")
             << op.countSides() << " sides, and simulated ones have two";
    unsigned skips = op.getGallop() ? op.countSides() : 0, joiner = noIndex;
    unsigned results = op->getNumResults() - skips;
    if (failed(join(op, BlockKind::intersect, results, &joiner)))
      return failure();
    if (skips) {
      sources[op->getResult(results)] = {joiner, "skip1"};
      sources[op->getResult(results + 1)] = {joiner, "skip2"};
    }
    return success();
  }
  LogicalResult translate(sam::UnionOp op) {
    return join(op, BlockKind::unite, op->getNumResults(), nullptr);
  }

  //===--------------------------------------------------------------------===//
  // Computation
  //===--------------------------------------------------------------------===//

  LogicalResult translate(sam::LoadOp op) {
    FailureOr<unsigned> tensor = getTensor(op, op.getTensor());
    if (failed(tensor))
      return failure();
    unsigned number = addBlock(BlockKind::array,
                               "load_" + sam::getTensorName(op.getTensor()));
    block(number).tensor = *tensor;
    sources[op.getValues()] = {number, "val"};
    return connect(op, op.getReferences(), number, "ref");
  }

  /// An array that has the constant at each coordinate.
  LogicalResult translate(sam::ConstantOp op) {
    if (!isa<FloatAttr>(op.getValue()))
      return op.emitOpError("is ")
             << op.getValue()
             << "; simulated values are floating-point numbers";
    Value along = findCoordinatesBeside(op.getAlong());
    if (!along && !op.getAlong().getDefiningOp<sam::RootOp>())
      return op.emitOpError("is along a stream without coordinates, which the "
                            "simulator has no block for");
    int64_t count = along ? largestSize() : 1;
    if (failed(requireElements(op, count)))
      return failure();
    sim::sam::Tensor constant;
    constant.name = makeName("constant");
    constant.levels.push_back(makeDenseLevel(count));
    constant.values.assign(count, toDouble(op.getValue()));
    FailureOr<unsigned> tensor = addTensor(op, std::move(constant));
    if (failed(tensor))
      return failure();
    unsigned number = addBlock(BlockKind::array, "constant");
    block(number).tensor = *tensor;
    sources[op.getValues()] = {number, "val"};
    return connect(op, along ? along : op.getAlong(), number, "ref");
  }

  LogicalResult translate(sam::AluOp op) {
    cin::Function function = cin::Function::lookup(op, op.getCallee());
    // An intrinsic function of two values has a block of its own.
    std::optional<BlockKind> kind =
        function.is("sub") ? BlockKind::add : findArithmetic(function);
    unsigned number = addBlock(BlockKind::compute, function.getName());
    sources[op.getResult()] = {number, "val"};
    if (kind && op.getOperands().size() == 2) {
      block(number).kind = *kind;
      block(number).negatesSecond = function.is("sub");
    } else if (failed(setComputation(op, function, block(number)))) {
      return failure();
    }
    for (auto [operand, stream] : llvm::enumerate(op.getOperands()))
      if (failed(
              connect(op, stream, number, "in" + std::to_string(operand + 1))))
        return failure();
    return success();
  }

  /// Lists of lists are combined, of which none has a place without a value:
  /// there is nothing to drop.
  LogicalResult reduceAlong(sam::ReduceOp op, BlockKind combiner) {
    static constexpr StringLiteral ports[] = {"inner", "outer", "outer2",
                                              "outer3", "outer4"};
    size_t levels = op.getCoordinates().size();
    if (levels > std::size(ports))
      return op.emitOpError("combines along ")
             << levels << " levels of coordinates, and simulated ones along "
             << std::size(ports) << " at most";
    unsigned number = addBlock(BlockKind::reduceAlong, "reduce_along");
    block(number).combiner = combiner;
    sources[op.getReduced()] = {number, "val"};
    for (size_t level = 0; level < levels; ++level) {
      StringRef port = ports[levels - 1 - level];
      sources[op.getUnique()[level]] = {number, port};
      if (failed(connect(op, op.getCoordinates()[level], number, port)))
        return failure();
    }
    return connect(op, op.getValues(), number, "val");
  }

  LogicalResult translate(sam::ReduceOp op) {
    cin::Function function = cin::Function::lookup(op, op.getCallee());
    auto combiner = findArithmetic(function);
    if (!combiner)
      return op.emitOpError("combines by ")
             << function.getName()
             << ", and simulated ones by add, mul, max and min";
    if (!op.getCoordinates().empty())
      return reduceAlong(op, *combiner);
    unsigned depth = cast<sam::ValuesType>(op.getValues().getType()).getDepth();
    unsigned number = addBlock(BlockKind::reduce, "reduce");
    block(number).combiner = *combiner;
    sources[op.getReduced()] = {number, "val"};
    if (failed(connect(op, op.getValues(), number, "val")))
      return failure();
    // One list has one value, whether there is something in it or not.
    if (depth == 1)
      return success();
    if (op.getEmpty() == sam::Empty::drop) {
      block(number).dropsEmpty = true;
      return success();
    }
    // Tokens alone do not tell a list without lists from one with an empty
    // list, which has a sum.
    Value around = findCoordinatesAround(op.getValues());
    if (!around)
      return op.emitOpError("keeps sums of empty lists, and nobody knows the "
                            "coordinates of these");
    return connect(op, around, number, "outer");
  }

  //===--------------------------------------------------------------------===//
  // Construction
  //===--------------------------------------------------------------------===//

  LogicalResult translate(sam::CrdDropOp op) {
    if (!isa<sam::CoordinatesType>(op.getInner().getType()))
      return op.emitOpError("drops by values, and simulated ones by "
                            "coordinates");
    unsigned number = addBlock(BlockKind::coordinateDrop, "crd_drop");
    sources[op.getKeptOuter()] = {number, "outer"};
    sources[op.getKeptInner()] = {number, "inner"};
    // Simulated ones leave empty fibers to writers.
    if (!llvm::all_of(op.getKeptInner().getUsers(),
                      llvm::IsaPred<sam::WriteLevelOp>)) {
      unsigned stops = addBlock(BlockKind::emptyFiberStopDrop, "fiber_drop");
      if (failed(connect(op, Source{number, "inner"}, stops, "in")))
        return failure();
      sources[op.getKeptInner()] = {stops, "out"};
    }
    if (failed(connect(op, op.getOuter(), number, "outer")))
      return failure();
    return connect(op, op.getInner(), number, "inner");
  }

  LogicalResult translate(sam::CrdHoldOp op) {
    unsigned number = addBlock(BlockKind::coordinateHold, "crd_hold");
    sources[op.getHeld()] = {number, "outer"};
    sources[op.getPassed()] = {number, "inner"};
    if (failed(connect(op, op.getOuter(), number, "outer")))
      return failure();
    return connect(op, op.getInner(), number, "inner");
  }

  SimulatedResult &resultOf(Value tensor) {
    SimulatedResult &result = made.results[numberOf(tensor) - inputs.size()];
    if (result.name.empty())
      result.name = makeName("result " + sam::getTensorName(tensor));
    return result;
  }

  unsigned addWriter(BlockKind kind, Value tensor, const Twine &part) {
    unsigned number =
        addBlock(kind, "write_" + sam::getTensorName(tensor) + part);
    block(number).result = resultOf(tensor).name;
    return number;
  }

  LogicalResult requireFloats(Operation *op, Value tensor) {
    Type element = getElementTypeOrSelf(tensor.getType());
    if (isa<FloatType>(element))
      return success();
    return op->emitOpError("writes elements of type ")
           << element << "; simulated values are floating-point numbers";
  }

  LogicalResult translate(sam::WriteLevelOp op) {
    unsigned number = addWriter(BlockKind::writeCompressed, op.getTensor(),
                                Twine(op.getLevel()));
    block(number).level = op.getLevel();
    return connect(op, op.getCoordinates(), number, "in");
  }

  LogicalResult translate(sam::WriteValuesOp op) {
    if (failed(requireFloats(op, op.getTensor())))
      return failure();
    unsigned number =
        addWriter(BlockKind::writeValues, op.getTensor(), "_values");
    return connect(op, op.getValues(), number, "in");
  }

  LogicalResult translate(sam::StoreOp op) {
    if (failed(requireFloats(op, op.getTensor())))
      return failure();
    unsigned references =
        addWriter(BlockKind::writeCompressed, op.getTensor(), "_references");
    unsigned values =
        addWriter(BlockKind::writeValues, op.getTensor(), "_values");
    SimulatedResult &result = resultOf(op.getTensor());
    result.references = references;
    result.values = values;
    if (failed(connect(op, op.getReferences(), references, "in")))
      return failure();
    return connect(op, op.getValues(), values, "in");
  }

  sam::GraphOp graph;
  ArrayRef<sam::StoredTensor> inputs;
  ArrayRef<SmallVector<int64_t>> shapes;
  SimulatedGraph made;
  llvm::DenseMap<Value, Source> sources;
  llvm::DenseMap<Value, unsigned> tensors;
  llvm::StringMap<unsigned> counts;
  SmallVector<std::pair<sam::ScanOp, unsigned>> galloping;
};
} // namespace

FailureOr<SimulatedGraph>
ember::translateGraph(sam::GraphOp graph, ArrayRef<sam::StoredTensor> inputs,
                      ArrayRef<SmallVector<int64_t>> shapes) {
  return Translation(graph, inputs, shapes).run();
}
