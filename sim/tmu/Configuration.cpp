//===- Configuration.cpp - Reading what a TMU is told to do ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/Configuration.h"

#include "ConfigurationChecks.h"
#include "ConfigurationReader.h"

#include "ember/Sim/Memory/Request.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ember::sim;
namespace json = llvm::json;

namespace {
// What no unit comes near, so that sizes computed of them do not overflow.
constexpr uint64_t mostLayers = 64;
constexpr uint64_t mostLanes = 256;
constexpr uint64_t mostStreams = 1024;
constexpr uint64_t mostQueue = 1 << 16;
constexpr uint64_t mostToken = (1 << 16) - 2;
constexpr uint64_t mostChunk = 1 << 24;
constexpr uint64_t mostOperandBytes = lineBytes;

/// Where an operand stands: what it may refer to.
struct Place {
  uint32_t layer;
  /// The unit's lane; of a push, any.
  std::optional<uint32_t> lane;
  /// Streams of the own unit, or of the own layer, that may be named.
  uint32_t streams;
};

class ProgramReader {
public:
  ProgramReader(const JSONPart &part, TMUProgram &program)
      : part(part), program(program) {}

  void read();

private:
  void readCaptures();
  void readChunk();
  void readLayer(const JSONPart &layer, uint32_t index);
  void readUnit(const JSONPart &unit, uint32_t layer, uint32_t lane);
  void readStream(const JSONPart &stream, TraversalUnit &unit, uint32_t layer,
                  uint32_t lane, uint32_t index);
  void readMemory(const JSONPart &stream, Stream &result, const Place &place);
  void readPush(const JSONPart &push, uint32_t layer, PushEvent event);
  OperandRef readOperand(const JSONPart &operand, const Place &place);
  OperandRef readFixed(const JSONPart &operand);
  ElementType readType(const JSONPart &type);
  uint32_t readCapture(const JSONPart &capture, bool memory);

  JSONPart part;
  TMUProgram &program;
  std::vector<PushOrigin> origins;
};
} // namespace

ElementType ProgramReader::readType(const JSONPart &type) {
  std::string name = type.text();
  std::optional<ElementType> result = ElementType::parse(name);
  if (!result && type.exists())
    type.complain("'" + name + "' is no type of elements");
  return result.value_or(ElementType());
}

uint32_t ProgramReader::readCapture(const JSONPart &capture, bool memory) {
  uint64_t index = capture.integer(0, ~uint32_t{0});
  if (index >= program.captures.size()) {
    capture.complain("there are " + llvm::Twine(program.captures.size()) +
                     " captures");
    return 0;
  }
  if (program.captures[index].isMemory != memory)
    capture.complain("capture " + llvm::Twine(index) +
                     (memory ? " is no memory" : " is no scalar"));
  return static_cast<uint32_t>(index);
}

OperandRef ProgramReader::readOperand(const JSONPart &operand,
                                      const Place &place) {
  OperandRef result;
  if (!operand.exists())
    return result;
  operand.expectObject({"constant", "capture", "layer", "lane", "stream"});
  if (JSONPart constant = operand.find("constant"); constant.exists()) {
    operand.expectObject({"constant"});
    result.kind = OperandRef::Kind::constant;
    result.constant = constant.bits();
    return result;
  }
  if (JSONPart capture = operand.find("capture"); capture.exists()) {
    operand.expectObject({"capture"});
    result.kind = OperandRef::Kind::capture;
    result.capture = readCapture(capture, /*memory=*/false);
    return result;
  }
  result.kind = OperandRef::Kind::stream;
  result.layer =
      static_cast<uint32_t>(operand.member("layer").integer(0, mostLayers - 1));
  result.lane =
      static_cast<uint32_t>(operand.member("lane").integer(0, mostLanes - 1));
  result.stream = static_cast<uint32_t>(
      operand.member("stream").integer(0, mostStreams - 1));
  if (operand.failed())
    return {};
  bool own = result.layer == place.layer && place.streams;
  if (result.layer >= place.layer && !own) {
    operand.complain("layer " + llvm::Twine(result.layer) +
                     " is not around this");
    return {};
  }
  const Layer &layer = program.layers[result.layer];
  if (own && place.lane && result.lane != *place.lane) {
    operand.complain("lane " + llvm::Twine(result.lane) +
                     " of the same layer is another unit");
    return {};
  }
  if (result.lane >= layer.units.size()) {
    operand.complain("layer " + llvm::Twine(result.layer) + " has " +
                     llvm::Twine(layer.units.size()) + " lanes");
    return {};
  }
  const std::vector<Stream> &streams = layer.units[result.lane].streams;
  if (result.stream >=
      std::min<size_t>(streams.size(), own ? place.streams : mostStreams)) {
    operand.complain(result.stream < streams.size()
                         ? llvm::Twine("stream ") + llvm::Twine(result.stream) +
                               " has no element yet where this one needs it"
                         : "there is no stream " + llvm::Twine(result.stream));
    return {};
  }
  if (streams[result.stream].kind == StreamKind::store) {
    operand.complain("a store stream has no elements");
    return {};
  }
  return result;
}

/// A constant or a capture.
OperandRef ProgramReader::readFixed(const JSONPart &operand) {
  return readOperand(operand, {0, std::nullopt, 0});
}

void ProgramReader::readCaptures() {
  JSONPart captures = part.member("captures");
  for (size_t i = 0; i < captures.size() && !part.failed(); ++i) {
    JSONPart capture = captures.at(i);
    capture.expectObject({"name", "kind", "type"});
    Capture &result = program.captures.emplace_back();
    result.name = capture.find("name").text();
    result.isMemory = capture.member("kind").choice({"scalar", "memory"}) == 1;
    result.type = readType(capture.member("type"));
  }
}

void ProgramReader::readChunk() {
  JSONPart chunk = part.member("chunk");
  chunk.expectObject({"bytes", "tokenBytes"});
  program.chunkBytes = static_cast<uint32_t>(
      chunk.member("bytes").integer(lineBytes, mostChunk));
  program.tokenBytes = static_cast<uint32_t>(
      chunk.member("tokenBytes").integer(lineBytes, mostChunk));
  if (program.chunkBytes % lineBytes || program.tokenBytes % lineBytes)
    chunk.complain("bytes and tokenBytes are whole lines of " +
                   llvm::Twine(lineBytes) + " bytes");
  else if (program.tokenBytes > program.chunkBytes)
    chunk.complain("tokenBytes is greater than bytes");
}

void ProgramReader::readMemory(const JSONPart &stream, Stream &result,
                               const Place &place) {
  result.capture = readCapture(stream.member("capture"), /*memory=*/true);
  result.type = readType(stream.member("type"));
  result.inputType = result.type;
  if (!part.failed() && program.captures[result.capture].type != result.type)
    stream.find("type").complain("differs from that of capture " +
                                 llvm::Twine(result.capture));
  if (JSONPart elements = stream.find("elements"); elements.exists())
    result.elements = static_cast<uint32_t>(elements.integer(1, 8));
  if (result.elements * result.type.bytes() > 8)
    stream.complain("an element of a lane has at most 8 bytes, and this has " +
                    llvm::Twine(result.elements * result.type.bytes()));
  result.position = readOperand(stream.member("position"), place);
  result.mask = readOperand(stream.find("mask"), place);
  if (JSONPart level = stream.find("level"); level.exists())
    result.level =
        static_cast<MemoryLevel>(level.choice({"llc", "l1", "l2", "memory"}));
  if (JSONPart nontemporal = stream.find("nontemporal"); nontemporal.exists())
    result.nontemporal = nontemporal.flag();
  if (result.kind == StreamKind::memory)
    result.otherwise = readOperand(stream.find("otherwise"), place);
  else
    result.value = readOperand(stream.member("value"), place);
}

void ProgramReader::readStream(const JSONPart &stream, TraversalUnit &unit,
                               uint32_t layer, uint32_t lane, uint32_t index) {
  static constexpr llvm::StringRef kinds[] = {
      "position", "count",  "segmentEnd", "memory",  "store",     "alu",
      "compare",  "select", "cast",       "forward", "accumulate"};
  // Built aside: operands look at the streams that are there.
  Stream result;
  Place place{layer, lane, index};
  result.kind = static_cast<StreamKind>(stream.member("kind").choice(kinds));
  auto readInputs = [&](size_t count) {
    JSONPart inputs = stream.member("inputs");
    if (inputs.exists() && inputs.size() != count)
      inputs.complain(llvm::Twine(count) + " are expected, not " +
                      llvm::Twine(inputs.size()));
    for (size_t i = 0; i < count && !part.failed(); ++i)
      result.inputs.push_back(readOperand(inputs.at(i), place));
  };
  switch (result.kind) {
  case StreamKind::segmentEnd:
    if (unit.kind != UnitKind::segment)
      stream.complain("only units of kind segment have ends of segments");
    [[fallthrough]];
  case StreamKind::position:
  case StreamKind::count:
    stream.expectObject({"kind"});
    break;
  case StreamKind::memory:
    // What is loaded only when it is pushed follows from the pushes.
    stream.expectObject({"kind", "capture", "type", "elements", "position",
                         "mask", "otherwise", "level", "nontemporal",
                         "whenPushed"});
    readMemory(stream, result, place);
    break;
  case StreamKind::store:
    stream.expectObject({"kind", "capture", "type", "elements", "position",
                         "mask", "value", "level", "nontemporal"});
    readMemory(stream, result, place);
    break;
  case StreamKind::alu:
    stream.expectObject({"kind", "op", "inputs", "type"});
    result.operation = static_cast<AluOperation>(stream.member("op").choice(
        {"add", "sub", "mul", "divs", "divu", "rems", "remu", "and", "or",
         "xor", "shl", "shrs", "shru", "mins", "maxs", "minu", "maxu"}));
    result.type = readType(stream.member("type"));
    result.inputType = result.type;
    readInputs(2);
    break;
  case StreamKind::compare:
    stream.expectObject({"kind", "predicate", "inputs", "type"});
    result.predicate = static_cast<Predicate>(
        stream.member("predicate")
            .choice({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule",
                     "ugt", "uge"}));
    result.type = {1, false};
    result.inputType = readType(stream.member("type"));
    readInputs(2);
    break;
  case StreamKind::select:
    stream.expectObject({"kind", "inputs", "type"});
    result.type = readType(stream.member("type"));
    readInputs(3);
    break;
  case StreamKind::cast:
    stream.expectObject({"kind", "op", "from", "to", "inputs"});
    result.signExtends = stream.member("op").choice(
                             {"zero-extend", "truncate", "sign-extend"}) == 2;
    result.inputType = readType(stream.member("from"));
    result.type = readType(stream.member("to"));
    readInputs(1);
    break;
  case StreamKind::forward:
    stream.expectObject({"kind", "inputs", "type"});
    if (JSONPart type = stream.find("type"); type.exists())
      result.type = readType(type);
    readInputs(1);
    break;
  case StreamKind::accumulate: {
    stream.expectObject({"kind", "inputs", "initial", "type"});
    result.type = readType(stream.member("type"));
    result.initial = readOperand(stream.member("initial"), {layer, lane, 0});
    readInputs(1);
    break;
  }
  }
  bool computes =
      result.kind == StreamKind::alu || result.kind == StreamKind::compare ||
      result.kind == StreamKind::cast || result.kind == StreamKind::accumulate;
  if (computes && (result.type.isFloat || result.inputType.isFloat))
    stream.complain("the unit computes with integers only");
  unit.streams[index] = std::move(result);
}

void ProgramReader::readUnit(const JSONPart &unit, uint32_t layer,
                             uint32_t lane) {
  TraversalUnit &result = program.layers[layer].units[lane];
  result.kind = static_cast<UnitKind>(
      unit.member("kind").choice({"dense", "index", "range", "segment"}));
  bool isIndex = result.kind == UnitKind::index;
  if (isIndex)
    unit.expectObject({"kind", "lower", "size", "step", "queue", "streams"});
  else if (result.kind == UnitKind::segment)
    unit.expectObject(
        {"kind", "lower", "upper", "step", "coordinates", "queue", "streams"});
  else
    unit.expectObject({"kind", "lower", "upper", "step", "queue", "streams"});
  Place around{layer, std::nullopt, 0};
  if (result.kind == UnitKind::dense) {
    result.lower = readFixed(unit.member("lower"));
    result.upper = readFixed(unit.member("upper"));
  } else {
    result.lower = readOperand(unit.member("lower"), around);
    result.upper = isIndex ? readFixed(unit.member("size"))
                           : readOperand(unit.member("upper"), around);
  }
  if (result.kind == UnitKind::segment) {
    result.coordinates =
        readCapture(unit.member("coordinates"), /*memory=*/true);
    if (!part.failed() && program.captures[result.coordinates].type.isFloat)
      unit.find("coordinates").complain("coordinates are integers");
  } else {
    JSONPart step = unit.member("step");
    result.step = readFixed(step);
    if (result.step.kind == OperandRef::Kind::constant &&
        static_cast<int64_t>(result.step.constant) < 1)
      step.complain("a step is positive");
  }
  result.queue =
      static_cast<uint32_t>(unit.member("queue").integer(1, mostQueue));
  JSONPart streams = unit.member("streams");
  if (streams.size() > mostStreams) {
    streams.complain("more than " + llvm::Twine(mostStreams) + " streams");
    return;
  }
  result.streams.resize(streams.size());
  for (uint32_t i = 0; i < streams.size() && !part.failed(); ++i)
    readStream(streams.at(i), result, layer, lane, i);
}

void ProgramReader::readPush(const JSONPart &push, uint32_t layer,
                             PushEvent event) {
  Push result;
  // Streams of the layer have an element at its steps only.
  bool steps = event == PushEvent::step;
  Place place{layer, std::nullopt,
              steps ? static_cast<uint32_t>(mostStreams) : 0};
  uint64_t most = program.idBits
                      ? std::min((uint64_t{1} << program.idBits) - 2, mostToken)
                      : mostToken;
  JSONPart token = push.find("token");
  result.isToken = token.exists();
  if (result.isToken) {
    push.expectObject({"token", "mask", "on", "same", "value", "valueType",
                       "follows", "reserve"});
    result.token = static_cast<uint32_t>(token.integer(0, most));
    JSONPart value = push.find("value");
    result.value = readOperand(value, place);
    if (value.exists())
      result.type = readType(push.member("valueType"));
    if (JSONPart follows = push.find("follows"); follows.exists())
      result.follows = follows.flag();
    if (value.exists() && !program.idBits)
      value.complain("tokens without idBits carry no values");
    if (value.exists() && !result.follows &&
        result.type.bits + program.idBits > ElementType::wordBits)
      value.complain("does not fit beside the id and does not follow");
    if (!value.exists() && result.follows)
      push.find("follows").complain("there is no value to follow");
    if (JSONPart reserve = push.find("reserve"); reserve.exists()) {
      result.hasReserve = true;
      result.reserve = static_cast<uint32_t>(
          reserve.integer(0, program.chunkBytes - program.tokenBytes));
    }
  } else {
    push.expectObject({"operand", "streams", "type", "elements", "bytes",
                       "mask", "on", "same"});
    result.token =
        static_cast<uint32_t>(push.member("operand").integer(0, most));
    result.type = readType(push.member("type"));
    if (JSONPart elements = push.find("elements"); elements.exists())
      result.elements = static_cast<uint32_t>(elements.integer(1, 8));
    JSONPart streams = push.member("streams");
    for (size_t i = 0; i < streams.size() && !part.failed(); ++i)
      result.streams.push_back(readOperand(streams.at(i), place));
    JSONPart bytes = push.member("bytes");
    result.bytes = static_cast<uint32_t>(bytes.integer(1, mostOperandBytes));
    if (!std::has_single_bit(result.bytes))
      bytes.complain("no power of two");
    size_t count = result.streams.size() * result.elements;
    if (!part.failed() && !count)
      streams.complain("an operand has an element at least");
    if (result.elements * result.type.bytes() > 8)
      push.complain("an element of a lane has at most 8 bytes");
    bool packed = isPackedFlags(result);
    if (!packed && result.bytes < count * result.type.bytes())
      bytes.complain("the elements have " +
                     llvm::Twine(count * result.type.bytes()));
    if (result.bytes > program.chunkBytes - program.tokenBytes)
      bytes.complain("no room for it in a chunk");
  }
  JSONPart mask = push.find("mask");
  for (size_t i = 0; mask.exists() && i < mask.size() && !part.failed(); ++i)
    result.mask.push_back(readOperand(mask.at(i), place));
  PushOrigin origin{
      push,
      {},
      false,
      layer,
      event,
      static_cast<uint32_t>(
          program.layers[layer].pushes[static_cast<unsigned>(event)].size())};
  // The condition's own layer may be one further out: what it may refer to is
  // checked where that is known.
  origin.on = readOperand(push.find("on"), place);
  if (JSONPart same = push.find("same"); same.exists()) {
    origin.same = same.flag();
    if (!origin.on)
      same.complain("there is no 'on' that it belongs to");
  }
  origins.push_back(origin);
  program.layers[layer].pushes[static_cast<unsigned>(event)].push_back(
      std::move(result));
}

void ProgramReader::readLayer(const JSONPart &layer, uint32_t index) {
  layer.expectObject({"kind", "name", "units", "pushes"});
  Layer &result = program.layers.emplace_back();
  result.kind = static_cast<LayerKind>(
      layer.member("kind").choice({"single", "broadcast", "lockstep"}));
  JSONPart units = layer.member("units");
  size_t lanes = units.size();
  if (lanes < 1 || lanes > mostLanes) {
    units.complain("a layer has 1 to " + llvm::Twine(mostLanes) + " lanes");
    return;
  }
  if (lanes > 1 && result.kind != LayerKind::lockstep)
    units.complain("a layer of this kind has one unit");
  if (index) {
    const Layer &around = program.layers[index - 1];
    if (around.kind != LayerKind::broadcast && lanes != around.units.size())
      units.complain(
          "has " + llvm::Twine(lanes) + " lanes, and the layer around " +
          llvm::Twine(around.units.size()) + ", which is no broadcast layer");
  }
  result.units.resize(lanes);
  for (uint32_t lane = 0; lane < lanes && !part.failed(); ++lane)
    readUnit(units.at(lane), index, lane);
  JSONPart pushes = layer.find("pushes");
  if (!pushes.exists())
    return;
  pushes.expectObject({"beg", "ite", "end"});
  static constexpr const char *events[] = {"beg", "ite", "end"};
  for (unsigned event = 0; event < 3; ++event) {
    JSONPart list = pushes.find(events[event]);
    for (size_t i = 0; list.exists() && i < list.size() && !part.failed(); ++i)
      readPush(list.at(i), index, static_cast<PushEvent>(event));
  }
}

void ProgramReader::read() {
  // The symbol of the compute program is the launcher's matter.
  part.expectObject(
      {"name", "compute", "captures", "idBits", "chunk", "layers"});
  program.name = part.member("name").text();
  readCaptures();
  if (JSONPart idBits = part.find("idBits"); idBits.exists())
    program.idBits = static_cast<uint32_t>(idBits.integer(0, 32));
  readChunk();
  JSONPart layers = part.member("layers");
  if (!part.failed() && (layers.size() < 1 || layers.size() > mostLayers))
    layers.complain("a program has 1 to " + llvm::Twine(mostLayers) +
                    " layers");
  program.layers.reserve(layers.size());
  for (uint32_t i = 0; i < layers.size() && !part.failed(); ++i)
    readLayer(layers.at(i), i);
  if (!part.failed())
    connectPushes(program, origins);
}

llvm::Expected<Configuration> Configuration::read(const json::Value &value) {
  Complaint complaint;
  JSONPart whole(&value, "", complaint);
  Configuration configuration;
  whole.expectObject({"programs"});
  JSONPart programs = whole.member("programs");
  configuration.programs.resize(programs.size());
  for (size_t i = 0; i < programs.size() && !whole.failed(); ++i)
    ProgramReader(programs.at(i), configuration.programs[i]).read();
  if (whole.failed())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   complaint.message);
  return configuration;
}

/// Whether a text nests as deep as a configuration may: parsers of JSON call
/// themselves at each level.
static bool nestsTooDeep(llvm::StringRef text) {
  constexpr unsigned deepest = 64;
  unsigned depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest)
        return true;
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return false;
}

llvm::Expected<Configuration> Configuration::parse(llvm::StringRef text) {
  if (nestsTooDeep(text))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no configuration nests that deep");
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no JSON: " +
                                       llvm::toString(value.takeError()));
  return read(*value);
}

llvm::Expected<Configuration> Configuration::readFile(llvm::StringRef path) {
  auto within = [&](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "configuration " + path + ": " + message);
  };
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text)
    return within(text.getError().message());
  llvm::Expected<Configuration> result = parse((*text)->getBuffer());
  if (!result)
    return within(llvm::toString(result.takeError()));
  return result;
}
