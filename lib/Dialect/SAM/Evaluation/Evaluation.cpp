//===- Evaluation.cpp - What a graph computes -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/Evaluation/Evaluation.h"

#include "ExtensionLists.h"
#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

/// What a stream may hold, before memory is short on any machine.
static constexpr int64_t mostTokens = int64_t(1) << 27;

namespace {
/// Evaluates blocks one after the other.
class GraphEvaluator {
public:
  GraphEvaluator(GraphOp graph, ArrayRef<StoredTensor> inputs,
                 ArrayRef<SmallVector<int64_t>> shapes)
      : graph(graph), inputs(inputs) {
    unsigned number = inputs.size();
    for (const SmallVector<int64_t> &shape : shapes) {
      std::string reason;
      Type type = graph.getBody()->getArgument(number++).getType();
      // The verifier has seen that there is one.
      TensorFormat format = *TensorFormat::of(type, reason);
      StoredTensor empty = store(format, shape, {});
      results.push_back(std::move(empty));
      written.emplace_back(format.size(), false);
      isAssigned.push_back(false);
    }
  }

  LogicalResult run(StreamObserver observe) {
    for (Operation *op : graph.getBlocksInOrder()) {
      if (failed(evaluateBlock(op)))
        return failure();
      for (Value result : op->getResults())
        if (auto stream = streams.find(result); stream != streams.end())
          observe(result, stream->second);
    }
    return finish();
  }

  std::vector<StoredTensor> take() { return std::move(results); }

private:
  LogicalResult evaluateBlock(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<RootOp, StreamOp, ConstantOp, ScanOp, LocateOp, RepeatSignalOp,
              RepeatOp, IntersectOp, UnionOp, LoadOp, AluOp, ReduceOp,
              CrdDropOp, CrdHoldOp, WriteLevelOp, WriteValuesOp, StoreOp,
              SplitOp, FlattenOp, StopDropOp, AccumulateOp, ParallelizeOp,
              SerializeOp, BufferOp, BVScanOp, BVConvertOp, BVIntersectOp,
              BVUnionOp, BVExpandOp>(
            [&](auto block) { return evaluate(block); })
        .Default([](Operation *other) {
          return other->emitOpError("is a block that nothing evaluates");
        });
  }

  const StreamLists &of(Value stream) { return streams.find(stream)->second; }
  const StoredTensor &tensorOf(Value tensor) {
    unsigned number = cast<BlockArgument>(tensor).getArgNumber();
    return number < inputs.size() ? inputs[number]
                                  : results[number - inputs.size()];
  }
  unsigned resultNumber(Value tensor) {
    return cast<BlockArgument>(tensor).getArgNumber() - inputs.size();
  }
  LogicalResult set(Value result, StreamLists stream) {
    if (stream.size() > mostTokens)
      return result.getDefiningOp()->emitOpError()
             << "makes a stream of " << stream.size() << " tokens, and at most "
             << mostTokens << " are evaluated";
    streams[result] = std::move(stream);
    return success();
  }

  LogicalResult evaluate(RootOp op) {
    StreamLists root;
    root.numbers.push_back(0);
    return set(op.getReferences(), std::move(root));
  }

  LogicalResult evaluate(StreamOp op) {
    std::string reason;
    return set(op.getStream(),
               *parseTokens(op.getTokens(), op.getStream().getType(), reason));
  }

  LogicalResult evaluate(ConstantOp op) {
    const StreamLists &along = of(op.getAlong());
    StreamLists values = makeAround(along, along.depth(), true);
    values.values.assign(along.size(), op.getValue());
    return set(op.getValues(), std::move(values));
  }

  LogicalResult evaluate(RepeatSignalOp) { return success(); }

  LogicalResult evaluate(ScanOp op) {
    const StreamLists &references = of(op.getReferences());
    const StoredTensor &tensor = tensorOf(op.getTensor());
    unsigned level = op.getLevel();
    int64_t fibers = countFibers(tensor, level);
    StreamLists coordinates = makeAround(references, references.depth(), false);
    coordinates.segments.push_back({0});
    StreamLists positions = coordinates;
    auto visit = [&](int64_t coordinate, int64_t position) {
      coordinates.numbers.push_back(coordinate);
      positions.numbers.push_back(position);
    };
    for (int64_t reference : references.numbers) {
      if (op.getAll()) {
        for (int64_t at = 0; at < tensor.sizeOfLevel(level); ++at)
          visit(at, at);
      } else if (reference != StreamLists::nothing) {
        if (reference >= fibers)
          return refuseReference(op, op.getTensor(), reference, fibers);
        tensor.scan(level, reference, visit);
      }
      coordinates.segments.back().push_back(coordinates.size());
      if (coordinates.size() > mostTokens)
        break;
    }
    positions.segments = coordinates.segments;
    if (failed(set(op.getCoordinates(), std::move(coordinates))))
      return failure();
    return set(op.getPositions(), std::move(positions));
  }

  /// How many fibers a level has, or how many values there are.
  static int64_t countFibers(const StoredTensor &tensor, unsigned level) {
    int64_t count = 1;
    for (unsigned above = 0; above < level; ++above) {
      bool isListed = tensor.format.levels[above].isListed();
      count = isListed ? tensor.levels[above].coordinates.size()
                       : count * tensor.sizeOfLevel(above);
    }
    return count;
  }

  static LogicalResult refuseReference(Operation *op, Value tensor,
                                       int64_t reference, int64_t count) {
    return op->emitOpError()
           << "takes the reference " << reference << " to '"
           << getTensorName(tensor) << "', which has " << count << " there";
  }

  LogicalResult evaluate(LocateOp op) {
    const StreamLists &references = of(op.getReferences());
    const StreamLists &coordinates = of(op.getCoordinates());
    const StoredTensor &tensor = tensorOf(op.getTensor());
    unsigned level = op.getLevel();
    int64_t size = tensor.sizeOfLevel(level);
    int64_t stride = 1;
    for (unsigned below = level + 1;
         below <= tensor.format.getDenseRun(level).second; ++below)
      stride *= tensor.sizeOfLevel(below);
    if (!haveSameLists(references, coordinates, references.depth()))
      return op.emitOpError(
          "has references in other lists than the coordinates");
    StreamLists positions = makeAround(references, references.depth(), false);
    const StoredLevel &arrays = tensor.levels[level];
    bool isBitmap = tensor.format.levels[level].kind == cin::LevelKind::bitmap;
    for (auto [reference, coordinate] :
         llvm::zip(references.numbers, coordinates.numbers)) {
      if (reference == StreamLists::nothing) {
        positions.numbers.push_back(reference);
        continue;
      }
      if (coordinate >= size)
        return op.emitOpError()
               << "takes the coordinate " << coordinate << " of '"
               << getTensorName(op.getTensor()) << "', whose level " << level
               << " has " << size;
      int64_t at = op.getStrided() ? reference + coordinate * stride
                                   : reference * size + coordinate;
      if (isBitmap && at >= static_cast<int64_t>(arrays.stored.size()))
        return refuseReference(op, op.getTensor(), at, arrays.stored.size());
      positions.numbers.push_back(
          isBitmap && !arrays.stored[at] ? StreamLists::nothing : at);
    }
    return set(op.getPositions(), std::move(positions));
  }

  static std::optional<StreamLists> repeat(const StreamLists &stream,
                                           const StreamLists &along) {
    if (!haveSameLists(stream, along, stream.depth()))
      return std::nullopt;
    StreamLists repeated = makeAround(along, along.depth(), stream.hasValues);
    for (int64_t list = 0; list < stream.size(); ++list)
      for (int64_t at = along.segments.back()[list];
           at < along.segments.back()[list + 1]; ++at)
        appendFrom(repeated, stream, list);
    return repeated;
  }

  LogicalResult evaluate(RepeatOp op) {
    std::optional<StreamLists> repeated =
        repeat(of(op.getStream()), of(op.getDriver()));
    if (!repeated)
      return op.emitOpError(
          "has a stream in other lists than those of its signal");
    return set(op.getRepeated(), std::move(*repeated));
  }

  LogicalResult evaluate(CrdHoldOp op) {
    std::optional<StreamLists> held =
        repeat(of(op.getOuter()), of(op.getInner()));
    if (!held)
      return op.emitOpError("has outer coordinates in other lists than those "
                            "around inner ones");
    if (failed(set(op.getHeld(), std::move(*held))))
      return failure();
    StreamLists passed = of(op.getInner());
    return set(op.getPassed(), std::move(passed));
  }

  template <typename JoinerOp> LogicalResult join(JoinerOp op, bool isUnion) {
    SmallVector<JoinedSide> sides;
    for (unsigned side = 0; side < op.countSides(); ++side)
      sides.push_back(llvm::map_to_vector<6>(
          op.getSide(side), [&](Value stream) { return &of(stream); }));
    std::string reason;
    auto joined = joinSides(sides, isUnion, reason);
    if (!joined)
      return op.emitOpError(reason);
    for (auto [result, stream] : llvm::zip(op->getResults(), *joined))
      if (failed(set(result, std::move(stream))))
        return failure();
    return success();
  }

  LogicalResult evaluate(IntersectOp op) { return join(op, false); }
  LogicalResult evaluate(UnionOp op) { return join(op, true); }

  LogicalResult evaluate(LoadOp op) {
    const StreamLists &references = of(op.getReferences());
    const StoredTensor &tensor = tensorOf(op.getTensor());
    StreamLists values = makeAround(references, references.depth(), true);
    bool isNumber = !isa<RankedTensorType>(op.getTensor().getType());
    for (int64_t reference : references.numbers) {
      if (reference == StreamLists::nothing) {
        values.values.push_back(tensor.format.fill);
        continue;
      }
      int64_t at = isNumber ? 0 : reference;
      int64_t count = tensor.values.size();
      if (at >= count)
        return refuseReference(op, op.getTensor(), at, count);
      values.values.push_back(tensor.values[at]);
    }
    return set(op.getValues(), std::move(values));
  }

  LogicalResult evaluate(AluOp op) {
    SmallVector<const StreamLists *> operands = llvm::map_to_vector(
        op.getOperands(), [&](Value stream) { return &of(stream); });
    const StreamLists &first = *operands.front();
    StreamLists result = makeAround(first, first.depth(), true);
    for (const StreamLists *operand : operands)
      if (!haveSameLists(*operand, first, first.depth()))
        return op.emitOpError("has operands in unlike lists");
    cin::Function function = cin::Function::lookup(op, op.getCallee());
    Type type = op.getResult().getType().getElement();
    for (int64_t at = 0; at < first.size(); ++at) {
      SmallVector<TypedAttr> values;
      for (auto [stream, operand] : llvm::zip(operands, op.getOperands())) {
        Type element = cast<ValuesType>(operand.getType()).getElement();
        values.push_back(stream->values[at]
                             ? stream->values[at]
                             : cin::getConstant(cin::Constant::zero, element));
      }
      TypedAttr value = cin::foldCall(function, values, type);
      if (!value) {
        InFlightDiagnostic error = op.emitOpError();
        error << "cannot compute " << function.getName() << " of ";
        llvm::interleaveComma(values, error);
        return error;
      }
      result.values.push_back(value);
    }
    return set(op.getResult(), std::move(result));
  }

  LogicalResult evaluate(ReduceOp op) {
    SmallVector<const StreamLists *> coordinates = llvm::map_to_vector(
        op.getCoordinates(), [&](Value stream) { return &of(stream); });
    cin::Function function = cin::Function::lookup(op, op.getCallee());
    std::string reason;
    auto reduced = reduceLists(
        function, cast<ValuesType>(op.getValues().getType()).getElement(),
        op.getEmpty() == Empty::drop, of(op.getValues()), coordinates, reason);
    if (!reduced)
      return op.emitOpError(reason);
    for (auto [result, stream] : llvm::zip(op->getResults(), *reduced))
      if (failed(set(result, std::move(stream))))
        return failure();
    return success();
  }

  LogicalResult evaluate(CrdDropOp op) {
    std::string reason;
    auto kept = dropLists(of(op.getOuter()), of(op.getInner()), reason);
    if (!kept)
      return op.emitOpError(reason);
    if (failed(set(op.getKeptOuter(), std::move(kept->first))))
      return failure();
    return set(op.getKeptInner(), std::move(kept->second));
  }

  SmallVector<const StreamLists *> listsOf(OperandRange operands) {
    return llvm::map_to_vector(operands,
                               [&](Value stream) { return &of(stream); });
  }

  /// The results of a block, or an error with the reason why it has none.
  LogicalResult setAll(Operation *op, std::optional<ListStreams> results,
                       const std::string &reason) {
    if (!results)
      return op->emitOpError(reason);
    for (auto [result, stream] : llvm::zip_equal(op->getResults(), *results))
      if (failed(set(result, std::move(stream))))
        return failure();
    return success();
  }

  LogicalResult evaluate(SplitOp op) {
    std::string reason;
    auto split = splitLists(of(op.getCoordinates()), op.getFactor(),
                            op.getRelative(), listsOf(op.getStreams()), reason);
    return setAll(op, std::move(split), reason);
  }

  LogicalResult evaluate(FlattenOp op) {
    std::string reason;
    auto flat =
        flattenLists(of(op.getOuter()), of(op.getInner()), op.getFactor(),
                     op.getRelative(), listsOf(op.getStreams()), reason);
    return setAll(op, std::move(flat), reason);
  }

  LogicalResult evaluate(StopDropOp op) {
    return set(op.getPoints(), dropStops(of(op.getStream())));
  }

  LogicalResult evaluate(AccumulateOp op) {
    std::string reason;
    if (op.getSorted() &&
        !llvm::is_sorted(of(op.getCoordinates().front()).numbers))
      return op.emitOpError("has points whose outermost coordinates are not in "
                            "order, though it is sorted");
    auto combined = accumulatePoints(
        cin::Function::lookup(op, op.getCallee()),
        cast<ValuesType>(op.getValues().getType()).getElement(),
        of(op.getValues()), listsOf(op.getCoordinates()), reason);
    return setAll(op, std::move(combined), reason);
  }

  LogicalResult evaluate(ParallelizeOp op) {
    return setAll(op, dealLists(of(op.getStream()), op.getLanes()), "");
  }

  LogicalResult evaluate(SerializeOp op) {
    std::string reason;
    auto joined = joinLanes(listsOf(op.getLanes()), reason);
    if (!joined)
      return op.emitOpError(reason);
    return set(op.getStream(), std::move(*joined));
  }

  LogicalResult evaluate(BufferOp op) {
    StreamLists kept = of(op.getStream());
    return set(op.getKept(), std::move(kept));
  }

  LogicalResult evaluate(BVScanOp op) {
    const StreamLists &references = of(op.getReferences());
    const StoredTensor &tensor = tensorOf(op.getTensor());
    unsigned level = op.getLevel();
    int64_t fibers = countFibers(tensor, level);
    WordLists lists = makeWordsAround(references, references.depth());
    for (int64_t reference : references.numbers) {
      std::vector<int64_t> coordinates;
      std::optional<int64_t> position;
      if (reference >= fibers)
        return refuseReference(op, op.getTensor(), reference, fibers);
      if (reference != StreamLists::nothing) {
        position = tensor.levels[level].positions[reference];
        tensor.scan(level, reference, [&](int64_t coordinate, int64_t) {
          coordinates.push_back(coordinate);
        });
      }
      lists.append(coordinates, tensor.sizeOfLevel(level), op.getWidth(),
                   position);
    }
    return setWords(op, lists);
  }

  LogicalResult evaluate(BVConvertOp op) {
    const StreamLists &coordinates = of(op.getCoordinates());
    int64_t size = tensorOf(op.getTensor()).sizeOfLevel(op.getLevel());
    WordLists lists = makeWordsAround(coordinates, coordinates.depth() - 1);
    const std::vector<int64_t> &fibers = coordinates.segments.back();
    for (size_t fiber = 0; fiber + 1 < fibers.size(); ++fiber) {
      ArrayRef<int64_t> here =
          ArrayRef(coordinates.numbers)
              .slice(fibers[fiber], fibers[fiber + 1] - fibers[fiber]);
      if (!here.empty() && here.back() >= size)
        return op.emitOpError()
               << "takes the coordinate " << here.back() << " of '"
               << getTensorName(op.getTensor()) << "', whose level "
               << op.getLevel() << " has " << size;
      lists.append(here, size, op.getWidth(), fibers[fiber]);
    }
    return setWords(op, lists);
  }

  template <typename WordsOp>
  LogicalResult setWords(WordsOp op, WordLists &lists) {
    if (failed(set(op.getWords(), std::move(lists.words))))
      return failure();
    return set(op.getPositions(), std::move(lists.positions));
  }

  template <typename JoinerOp>
  LogicalResult joinBits(JoinerOp op, bool isUnion) {
    std::string reason;
    auto joined = joinWords(listsOf(op.getWords()), isUnion, reason);
    if (!joined)
      return op.emitOpError(reason);
    return set(op.getJoined(), std::move(*joined));
  }

  LogicalResult evaluate(BVIntersectOp op) { return joinBits(op, false); }
  LogicalResult evaluate(BVUnionOp op) { return joinBits(op, true); }

  LogicalResult evaluate(BVExpandOp op) {
    std::string reason;
    auto expanded = expandWords(of(op.getJoined()), listsOf(op.getWords()),
                                listsOf(op.getPositions()),
                                op.getJoined().getType().getWidth(), reason);
    return setAll(op, std::move(expanded), reason);
  }

  LogicalResult evaluate(WriteLevelOp op) {
    unsigned number = resultNumber(op.getTensor());
    StoredTensor &tensor = results[number];
    unsigned level = op.getLevel();
    const StreamLists &coordinates = of(op.getCoordinates());
    int64_t size = tensor.sizeOfLevel(level);
    const std::vector<int64_t> &segments = coordinates.segments.back();
    bool isDense = tensor.format.levels[level].kind == cin::LevelKind::dense;
    for (size_t fiber = 0; fiber + 1 < segments.size(); ++fiber) {
      bool isWhole = segments[fiber + 1] - segments[fiber] == size;
      if (isDense && !isWhole)
        return op.emitOpError()
               << "writes " << segments[fiber + 1] - segments[fiber]
               << " coordinates to a fiber of '"
               << getTensorName(op.getTensor()) << "' that has all " << size;
    }
    for (int64_t coordinate : coordinates.numbers)
      if (coordinate >= size)
        return op.emitOpError()
               << "writes the coordinate " << coordinate << " to '"
               << getTensorName(op.getTensor()) << "', whose level " << level
               << " has " << size;
    tensor.levels[level].positions = segments;
    tensor.levels[level].coordinates = coordinates.numbers;
    if (written[number][level])
      return op.emitOpError("writes a level that is written already");
    written[number][level] = true;
    return success();
  }

  LogicalResult evaluate(WriteValuesOp op) {
    unsigned number = resultNumber(op.getTensor());
    if (isAssigned[number])
      return op.emitOpError("writes values that are written already");
    StoredTensor &tensor = results[number];
    tensor.values = of(op.getValues()).values;
    for (TypedAttr &value : tensor.values)
      if (!value)
        value = tensor.format.fill;
    isAssigned[number] = true;
    return success();
  }

  LogicalResult evaluate(StoreOp op) {
    unsigned number = resultNumber(op.getTensor());
    StoredTensor &tensor = results[number];
    const StreamLists &values = of(op.getValues());
    const StreamLists &references = of(op.getReferences());
    if (!haveSameLists(values, references, values.depth()))
      return op.emitOpError("has references in other lists than the values");
    int64_t count = tensor.values.size();
    for (auto [value, reference] :
         llvm::zip(values.values, references.numbers)) {
      if (reference == StreamLists::nothing)
        continue;
      if (reference >= count)
        return refuseReference(op, op.getTensor(), reference, count);
      tensor.values[reference] = value ? value : tensor.format.fill;
    }
    return success();
  }

  /// Whether what was written is a tensor.
  LogicalResult finish() {
    for (unsigned number = 0; number < results.size(); ++number) {
      if (!isAssigned[number] &&
          llvm::none_of(written[number], [](bool is) { return is; }))
        continue;
      StoredTensor &tensor = results[number];
      std::string name =
          getTensorName(graph.getBody()->getArgument(inputs.size() + number));
      int64_t fibers = 1;
      for (unsigned level = 0; level < tensor.format.size(); ++level) {
        bool isDense =
            tensor.format.levels[level].kind == cin::LevelKind::dense;
        if (!written[number][level])
          return graph.emitOpError()
                 << "writes no level " << level << " of '" << name << "'";
        int64_t there = tensor.levels[level].positions.size();
        if (there != fibers + 1)
          return graph.emitOpError()
                 << "writes " << there - 1 << " fibers of level " << level
                 << " of '" << name << "', and there are " << fibers
                 << " positions above";
        fibers = isDense ? fibers * tensor.sizeOfLevel(level)
                         : tensor.levels[level].coordinates.size();
      }
      int64_t values = tensor.values.size();
      if (values != fibers)
        return graph.emitOpError()
               << "writes " << values << " values of '" << name << "' at "
               << fibers << " positions: they are out of step";
      if (llvm::any_of(tensor.format.levels, [](const cin::Level &level) {
            return level.kind == cin::LevelKind::singleton;
          }))
        tensor = storeLists(tensor);
    }
    return success();
  }

  GraphOp graph;
  ArrayRef<StoredTensor> inputs;
  std::vector<StoredTensor> results;
  SmallVector<SmallVector<bool>> written;
  SmallVector<bool> isAssigned;
  llvm::DenseMap<Value, StreamLists> streams;
};
} // namespace

FailureOr<std::vector<StoredTensor>>
ember::sam::evaluate(GraphOp graph, ArrayRef<StoredTensor> inputs,
                     ArrayRef<SmallVector<int64_t>> shapes,
                     StreamObserver observe) {
  GraphEvaluator evaluator(graph, inputs, shapes);
  if (failed(evaluator.run(observe)))
    return failure();
  return evaluator.take();
}
