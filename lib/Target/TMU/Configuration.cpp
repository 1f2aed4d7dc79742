//===- Configuration.cpp - What a unit loads ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/TMU/Configuration.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::tmu;
using ember::slc::Event;
using llvm::json::Array;
using llvm::json::Object;

namespace {
class ConfigurationWriter {
public:
  explicit ConfigurationWriter(ProgramOp program)
      : program(program), layers(getLayers(program)) {
    numberStreams();
  }

  Object write();

private:
  void numberStreams();
  void addStream(Value stream, Value unit);
  Array writeCaptures();
  Object writeLayer(LayerOpInterface layer);
  Object writeUnit(TUOpInterface unit);
  Object writeStream(Value stream, Operation *op);
  Object writeComputed(slc::StreamOpInterface op);
  template <typename Op> void writeAccess(Op op, Object &row);
  Array writePushes(LayerOpInterface layer, Event event);
  Object writeToken(SetControlTokenOp token);
  Object writeOperand(SetOperandOp operand);
  /// When the token is pushed, which holds for its operands, too.
  void writeCondition(SetControlTokenOp token, Object &row);
  bool isLoadedWhenPushed(SetMemStrOp load);
  Object refer(Value value);
  Array refer(ValueRange values);
  ring::TokensType getTokensType();

  ProgramOp program;
  SmallVector<LayerOpInterface> layers;
  /// Layer, lane, and number in the unit.
  llvm::DenseMap<Value, std::tuple<int64_t, int64_t, int64_t>> places;
  /// In the order of their numbers: a stream, or a store.
  llvm::DenseMap<Value, SmallVector<std::pair<Value, Operation *>>> streams;
  llvm::DenseMap<int64_t, SetControlTokenOp> tokens;
};
} // namespace

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Type getScalar(Value stream) {
  return getElementTypeOrSelf(slc::stripStream(stream.getType()));
}

static int64_t countNeighbours(Value stream) {
  return std::max<int64_t>(1, slc::lanesOf(stream.getType()));
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

void ConfigurationWriter::addStream(Value stream, Value unit) {
  auto [layer, lane, _] = places.lookup(unit);
  auto &row = streams[unit];
  places[stream] = {layer, lane, static_cast<int64_t>(row.size())};
  row.push_back({stream, stream.getDefiningOp()});
}

void ConfigurationWriter::numberStreams() {
  for (auto [depth, layer] : llvm::enumerate(layers))
    for (auto [lane, tu] : llvm::enumerate(layer.getUnits())) {
      places[tu] = {depth, lane, 0};
      // The first stream of a unit is its positions; others where they are
      // read.
      auto unit = tu.getDefiningOp<TUOpInterface>();
      addStream(unit.getPosition(), tu);
      for (Value more : unit->getResults().drop_front(2))
        if (!more.use_empty())
          addStream(more, tu);
    }
  for (Operation &op : program.getConfiguration().front()) {
    if (auto token = dyn_cast<SetControlTokenOp>(op))
      tokens[static_cast<int64_t>(token.getId())] = token;
    if (!op.hasTrait<OfProgram>() || op.getNumOperands() == 0 ||
        isa<TUOpInterface, LayerOpInterface, SetControlTokenOp, SetOperandOp>(
            op))
      continue;
    if (op.getNumResults())
      addStream(op.getResult(0), op.getOperand(0));
    else
      streams[op.getOperand(0)].push_back({Value(), &op});
  }
}

Object ConfigurationWriter::refer(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return Object{{"capture", argument.getArgNumber()}};
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return Object{
        {"constant", integer.getBitWidth() == 1
                         ? static_cast<int64_t>(integer.getZExtValue())
                         : integer.getSExtValue()}};
  APFloat real(0.0);
  if (matchPattern(value, m_ConstantFloat(&real)))
    return Object{{"constant",
                   static_cast<int64_t>(real.bitcastToAPInt().getZExtValue())}};
  auto [layer, lane, stream] = places.lookup(value);
  return Object{{"layer", layer}, {"lane", lane}, {"stream", stream}};
}

Array ConfigurationWriter::refer(ValueRange values) {
  Array row;
  for (Value value : values)
    row.push_back(refer(value));
  return row;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

template <typename Op>
void ConfigurationWriter::writeAccess(Op op, Object &row) {
  auto memory = cast<BlockArgument>(op.getMemref());
  row["capture"] = memory.getArgNumber();
  row["position"] = refer(op.getPosition());
  if (op.getMask())
    row["mask"] = refer(op.getMask());
  if (auto level = op.getCacheLevel())
    row["level"] = slc::stringifyCacheLevel(*level);
  if (op.getNontemporal())
    row["nontemporal"] = true;
}

/// True if `load` is read only by operands of one token that is left out at
/// some ends of a fiber: it is not needed then (see `dlc.register_callback`).
bool ConfigurationWriter::isLoadedWhenPushed(SetMemStrOp load) {
  SetControlTokenOp reader;
  for (Operation *user : load.getResult().getUsers()) {
    auto operand = dyn_cast<SetOperandOp>(user);
    SetControlTokenOp token =
        operand ? tokens.lookup(static_cast<int64_t>(operand.getId()))
                : SetControlTokenOp();
    if (!token || (reader && reader != token))
      return false;
    reader = token;
  }
  return reader && reader.getToggle() && reader.getEvent() == Event::end;
}

static StringRef getCastName(SetCastStrOp op) {
  auto bits = [](Type type) -> unsigned {
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  unsigned from = bits(getScalar(op.getInput()));
  if (bits(getScalar(op.getResult())) < from)
    return "truncate";
  return op.getIsUnsigned() ? "zero-extend" : "sign-extend";
}

Object ConfigurationWriter::writeComputed(slc::StreamOpInterface op) {
  Object row{{"inputs", refer(op.getInputs())},
             {"type", toText(getScalar(op->getResult(0)))}};
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SetAluStrOp alu) {
        row["kind"] = "alu";
        row["op"] = slc::stringifyAluOp(alu.getOpcode());
      })
      .Case([&](SetCmpStrOp comparison) {
        row["kind"] = "compare";
        row["predicate"] =
            slc::stringifyCmpPredicate(comparison.getPredicate());
        row["type"] = toText(getScalar(comparison.getLhs()));
      })
      .Case([&](SetSelStrOp) { row["kind"] = "select"; })
      .Case([&](SetCastStrOp conversion) {
        row["kind"] = "cast";
        row["op"] = getCastName(conversion);
        row["from"] = toText(getScalar(conversion.getInput()));
        row["to"] = *row.get("type");
        row.erase("type");
      })
      .Case([&](SetFwdStrOp) { row["kind"] = "forward"; });
  return row;
}

Object ConfigurationWriter::writeStream(Value stream, Operation *op) {
  if (auto unit = dyn_cast<TUOpInterface>(op)) {
    if (stream == unit.getPosition())
      return Object{{"kind", "position"}};
    return Object{{"kind", stream == unit.getCount() ? "count" : "segmentEnd"}};
  }
  if (auto load = dyn_cast<SetMemStrOp>(op)) {
    Object row{{"kind", "memory"},
               {"type", toText(getScalar(stream))},
               {"elements", countNeighbours(stream)}};
    writeAccess(load, row);
    if (load.getOtherwise())
      row["otherwise"] = refer(load.getOtherwise());
    if (isLoadedWhenPushed(load))
      row["whenPushed"] = true;
    return row;
  }
  if (auto store = dyn_cast<SetStoreStrOp>(op)) {
    Object row{{"kind", "store"},
               {"type", toText(getScalar(store.getStream()))},
               {"elements", countNeighbours(store.getStream())},
               {"value", refer(store.getStream())}};
    writeAccess(store, row);
    return row;
  }
  if (auto sum = dyn_cast<SetAccStrOp>(op))
    return Object{{"kind", "accumulate"},
                  {"inputs", Array{refer(sum.getInput())}},
                  {"initial", refer(sum.getInitial())},
                  {"type", toText(getScalar(stream))}};
  return writeComputed(cast<slc::StreamOpInterface>(op));
}

//===----------------------------------------------------------------------===//
// Units and layers
//===----------------------------------------------------------------------===//

Object ConfigurationWriter::writeUnit(TUOpInterface unit) {
  Object row;
  llvm::TypeSwitch<Operation *>(unit)
      .Case<SetDnsTUOp, SetRngTUOp>([&](auto bounded) {
        row["kind"] = isa<SetDnsTUOp>(bounded) ? "dense" : "range";
        row["lower"] = refer(bounded.getLowerBound());
        row["upper"] = refer(bounded.getUpperBound());
      })
      .Case([&](SetIdxTUOp indexed) {
        row["kind"] = "index";
        row["lower"] = refer(indexed.getLowerBound());
        row["size"] = refer(indexed.getSize());
      })
      .Case([&](SetSegTUOp segments) {
        row["kind"] = "segment";
        row["lower"] = refer(segments.getLowerBound());
        row["upper"] = refer(segments.getUpperBound());
        row["coordinates"] =
            cast<BlockArgument>(segments.getCoordinates()).getArgNumber();
      });
  if (unit.getStep())
    row["step"] = refer(unit.getStep());
  row["queue"] = static_cast<int64_t>(unit.getQueue().value_or(1));
  Array rows;
  for (auto [stream, op] : streams[unit.getTu()])
    rows.push_back(writeStream(stream, op));
  row["streams"] = std::move(rows);
  return row;
}

void ConfigurationWriter::writeCondition(SetControlTokenOp token, Object &row) {
  if (!token)
    return;
  if (!token.getMasks().empty())
    row["mask"] = refer(token.getMasks());
  if (token.getToggle())
    row["on"] = refer(token.getToggle());
  if (token.getWhereSame())
    row["same"] = true;
}

ring::TokensType ConfigurationWriter::getTokensType() {
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      program, program.getComputeAttr());
  return cast<ring::TokensType>(function.getArgumentTypes().back());
}

Object ConfigurationWriter::writeToken(SetControlTokenOp token) {
  Object row{{"token", static_cast<int64_t>(token.getId())}};
  writeCondition(token, row);
  if (Value value = token.getValue()) {
    Type type = getScalar(value);
    row["value"] = refer(value);
    row["valueType"] = toText(type);
    if (getTokensType().mayFollow(type))
      row["follows"] = true;
  }
  if (auto reserve = token.getReserve())
    row["reserve"] = static_cast<int64_t>(*reserve);
  return row;
}

Object ConfigurationWriter::writeOperand(SetOperandOp operand) {
  auto id = static_cast<int64_t>(operand.getId());
  Value first = operand.getStreams().front();
  Object row{{"operand", id},
             {"streams", refer(operand.getStreams())},
             {"type", toText(getScalar(first))},
             {"elements", countNeighbours(first)},
             {"bytes", getOperandBytes(operand.getOperandType())}};
  writeCondition(tokens.lookup(id), row);
  return row;
}

Array ConfigurationWriter::writePushes(LayerOpInterface layer, Event event) {
  Array rows;
  for (Operation &op : program.getConfiguration().front()) {
    if (op.getNumOperands() == 0 || op.getOperand(0) != layer.getLayer())
      continue;
    auto token = dyn_cast<SetControlTokenOp>(op);
    auto operand = dyn_cast<SetOperandOp>(op);
    if (token && token.getPushEvent() == event)
      rows.push_back(writeToken(token));
    else if (operand && operand.getEvent() == event)
      rows.push_back(writeOperand(operand));
  }
  return rows;
}

Object ConfigurationWriter::writeLayer(LayerOpInterface layer) {
  Object row{{"kind", isa<SetSingleLayerOp>(layer)  ? "single"
                      : isa<SetBcastLayerOp>(layer) ? "broadcast"
                                                    : "lockstep"}};
  if (auto name = layer->getAttrOfType<StringAttr>(nameAttr))
    row["name"] = name.getValue().str();
  Array units;
  for (Value tu : layer.getUnits())
    units.push_back(writeUnit(tu.getDefiningOp<TUOpInterface>()));
  row["units"] = std::move(units);
  row["pushes"] = Object{{"beg", writePushes(layer, Event::beg)},
                         {"ite", writePushes(layer, Event::ite)},
                         {"end", writePushes(layer, Event::end)}};
  return row;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Array ConfigurationWriter::writeCaptures() {
  Array rows;
  for (Value value : program.getCaptures()) {
    auto memory = dyn_cast<MemRefType>(value.getType());
    Object row{{"kind", memory ? "memory" : "scalar"},
               {"type", toText(getElementTypeOrSelf(value.getType()))}};
    if (memory)
      row["name"] = reportName(value);
    rows.push_back(std::move(row));
  }
  return rows;
}

Object ConfigurationWriter::write() {
  Array rows;
  for (LayerOpInterface layer : layers)
    rows.push_back(writeLayer(layer));
  MachineAttr machine = program.getMachineAttr();
  return Object{{"compute", program.getCompute().str()},
                {"captures", writeCaptures()},
                {"idBits", getTokensType().getIdBits()},
                {"chunk", Object{{"bytes", machine.getChunk()},
                                 {"tokenBytes", machine.getTokens()}}},
                {"layers", std::move(rows)}};
}

FailureOr<llvm::json::Value> ember::tmu::makeConfiguration(ProgramOp program,
                                                           StringRef name) {
  if (!program.getMachineAttr())
    return program.emitOpError("is mapped to no machine, of which queues and "
                               "chunks are; --map-tmu does that");
  Object configuration = ConfigurationWriter(program).write();
  configuration["name"] = name.str();
  return llvm::json::Value(std::move(configuration));
}

FailureOr<llvm::json::Value> ember::tmu::makeConfigurations(ModuleOp module) {
  Array rows;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    unsigned number = 0;
    WalkResult walk = function.walk([&](ProgramOp program) {
      std::string name = (function.getName() + "." + Twine(number++)).str();
      FailureOr<llvm::json::Value> row = makeConfiguration(program, name);
      if (failed(row))
        return WalkResult::interrupt();
      rows.push_back(std::move(*row));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return llvm::json::Value(Object{{"programs", std::move(rows)}});
}
