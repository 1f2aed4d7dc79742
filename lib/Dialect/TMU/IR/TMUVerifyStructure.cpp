//===- TMUVerifyStructure.cpp - Rules of a whole configuration ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/TMU/IR/TMU.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace ember::tmu;
using ember::slc::Event;
using ember::slc::StreamType;

namespace {
class StructureVerifier {
public:
  explicit StructureVerifier(ProgramOp program)
      : body(&program.getConfiguration().front()) {}

  LogicalResult verify();

private:
  LogicalResult addLayer(LayerOpInterface layer);
  LogicalResult verifyUnit(TUOpInterface unit);
  LogicalResult verifyStream(Operation &op);
  LogicalResult verifyToken(SetControlTokenOp token);
  LogicalResult verifyOperand(SetOperandOp operand);

  /// Verifies that `stream` is one of `tu`, whose lane alone it has an element
  /// for.
  LogicalResult verifyOf(Operation *op, Value stream, Value tu);
  /// Verifies that `stream` is one of the layer around `tu`, in its lane or
  /// seen by all.
  LogicalResult verifyFromParent(Operation *op, Value stream, Value tu);
  /// Verifies that `stream` has an element when `event` happens in `layer`.
  LogicalResult verifyAtEvent(Operation *op, Value stream,
                              LayerOpInterface layer, Event event);

  Block *body;
  /// In the order of the nest.
  SmallVector<LayerOpInterface> layers;
  /// The layer of each unit, and the lane in it.
  llvm::DenseMap<Value, std::pair<LayerOpInterface, size_t>> places;
};
} // namespace

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult StructureVerifier::addLayer(LayerOpInterface layer) {
  LayerOpInterface around = layers.empty() ? LayerOpInterface() : layers.back();
  for (auto [lane, tu] : llvm::enumerate(layer.getUnits())) {
    auto unit = tu.getDefiningOp<TUOpInterface>();
    Value parent = unit.getParent();
    if (parent != (around ? Value(around.getLayer()) : Value())) {
      InFlightDiagnostic diagnostic = layer->emitOpError(
          "has a unit that walks no fibers of the layer before it; layers form "
          "one chain");
      diagnostic.attachNote(unit.getLoc()) << "the unit";
      return diagnostic;
    }
    if (!places.insert({tu, {layer, lane}}).second) {
      InFlightDiagnostic diagnostic =
          layer->emitOpError("has a unit that stands in a layer already");
      diagnostic.attachNote(unit.getLoc()) << "the unit";
      return diagnostic;
    }
  }
  bool fits =
      !around || !isa<SetSingleLayerOp>(around) || layer.getUnits().size() == 1;
  if (fits && around && around.getUnits().size() > 1)
    fits = layer.getUnits().size() == around.getUnits().size();
  if (!fits)
    return layer->emitOpError("has ")
           << layer.getUnits().size() << " lanes, but the layer around it has "
           << around.getUnits().size()
           << (around.getUnits().size() == 1 ? " and broadcasts nothing" : "");
  layers.push_back(layer);
  return success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

LogicalResult StructureVerifier::verifyOf(Operation *op, Value stream,
                                          Value tu) {
  if (!isa<StreamType>(stream.getType()) || getUnit(stream) == tu)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("reads a stream of another unit, which "
                      "'tmu.set_fwd_str' has to forward");
  diagnostic.attachNote(stream.getLoc()) << "the stream";
  return diagnostic;
}

LogicalResult StructureVerifier::verifyFromParent(Operation *op, Value stream,
                                                  Value tu) {
  if (!isa<StreamType>(stream.getType()))
    return success();
  auto parent = tu.getDefiningOp<TUOpInterface>().getParent();
  auto [layer, lane] = places.lookup(getUnit(stream));
  bool isAround = parent && layer && Value(layer.getLayer()) == parent;
  if (isAround &&
      (layer.getUnits().size() == 1 || lane == places.lookup(tu).second))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError(
      "reads a stream that is not of its lane in the layer around");
  diagnostic.attachNote(stream.getLoc()) << "the stream";
  return diagnostic;
}

LogicalResult StructureVerifier::verifyUnit(TUOpInterface unit) {
  if (!places.contains(unit.getTu()))
    return unit->emitOpError("stands in no layer");
  for (Value operand : unit->getOperands())
    if (operand != unit.getParent() &&
        failed(verifyFromParent(unit, operand, unit.getTu())))
      return failure();
  return success();
}

LogicalResult StructureVerifier::verifyStream(Operation &op) {
  Value tu = op.getOperand(0);
  // Sums begin with what the fiber begins with.
  auto sum = dyn_cast<SetAccStrOp>(op);
  Value initial = sum ? Value(sum.getInitial()) : Value();
  for (Value operand : op.getOperands().drop_front()) {
    bool isFromParent = isa<SetFwdStrOp>(op) || operand == initial;
    if (failed(isFromParent ? verifyFromParent(&op, operand, tu)
                            : verifyOf(&op, operand, tu)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The output queue
//===----------------------------------------------------------------------===//

LogicalResult StructureVerifier::verifyAtEvent(Operation *op, Value stream,
                                               LayerOpInterface layer,
                                               Event event) {
  LayerOpInterface expected =
      event == Event::ite ? layer : getParentLayer(layer);
  if (expected && places.lookup(getUnit(stream)).first == expected)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("at event '")
      << stringifyEvent(event) << "' reads a stream that is not of "
      << (event == Event::ite ? "this layer" : "the layer around");
  diagnostic.attachNote(stream.getLoc()) << "the stream";
  return diagnostic;
}

LogicalResult StructureVerifier::verifyToken(SetControlTokenOp token) {
  auto layer = token.getLayer().getDefiningOp<LayerOpInterface>();
  Event event = token.getPushEvent();
  for (Value stream : token.getOperands().drop_front())
    if (failed(verifyAtEvent(token, stream, layer, event)))
      return failure();
  return success();
}

LogicalResult StructureVerifier::verifyOperand(SetOperandOp operand) {
  auto layer = operand.getLayer().getDefiningOp<LayerOpInterface>();
  for (Value stream : operand.getStreams())
    if (failed(verifyAtEvent(operand, stream, layer, operand.getEvent())))
      return failure();
  return success();
}

LogicalResult StructureVerifier::verify() {
  for (auto layer : body->getOps<LayerOpInterface>())
    if (failed(addLayer(layer)))
      return failure();
  for (Operation &op : body->without_terminator()) {
    LogicalResult result = success();
    if (auto unit = dyn_cast<TUOpInterface>(op))
      result = verifyUnit(unit);
    else if (auto token = dyn_cast<SetControlTokenOp>(op))
      result = verifyToken(token);
    else if (auto operand = dyn_cast<SetOperandOp>(op))
      result = verifyOperand(operand);
    else if (op.hasTrait<OfProgram>() && !isa<LayerOpInterface>(op))
      result = verifyStream(op);
    if (failed(result))
      return failure();
  }
  return success();
}

SmallVector<LayerOpInterface> ember::tmu::getLayers(ProgramOp program) {
  return llvm::to_vector(
      program.getConfiguration().front().getOps<LayerOpInterface>());
}

LogicalResult ember::tmu::verifyStructure(ProgramOp program) {
  return StructureVerifier(program).verify();
}
