//===- Traversal.cpp - What the units of a program do ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/Traversal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace ember::sim;

Traversal::Traversal(const TMUProgram &program, std::vector<uint64_t> captures,
                     GuestMemory &memory, bool stores)
    : code(program), captures(std::move(captures)), memory(memory),
      stores(stores), layers(program.layers.size()) {
  for (unsigned i = 0; i < layers.size(); ++i) {
    layers[i].positions.resize(code.layers[i].units.size());
    layers[i].sums.resize(code.layers[i].elements);
    layers[i].bases.resize(layers.size());
    for (uint32_t c = 0; c < code.conditions.size(); ++c)
      if (code.conditions[c].layer == i)
        layers[i].changes.push_back({c, 0});
    grow(i);
  }
}

bool Traversal::fail(unsigned layer, const llvm::Twine &what) {
  layers[layer].failed = true;
  if (message.empty())
    message = ("program " + llvm::Twine(code.name) + ": layers[" +
               llvm::Twine(layer) + "]" + what)
                  .str();
  return false;
}

void Traversal::grow(unsigned layer) {
  const Layer &plan = code.layers[layer];
  Steps &steps = layers[layer];
  Steps larger;
  larger.capacity = std::max<size_t>(2 * steps.capacity, 2);
  larger.elements.resize(larger.capacity * plan.elements);
  larger.accesses.resize(larger.capacity * plan.accesses);
  larger.heads.resize(larger.capacity);
  larger.lanesOn.resize(larger.capacity * plan.units.size());
  auto copy = [](auto &to, size_t toSlot, const auto &from, size_t fromSlot,
                 size_t count) {
    std::copy_n(from.begin() + fromSlot * count, count,
                to.begin() + toSlot * count);
  };
  for (uint64_t i = steps.first; i < steps.made; ++i) {
    size_t to = larger.slot(i), from = steps.slot(i);
    copy(larger.elements, to, steps.elements, from, plan.elements);
    copy(larger.accesses, to, steps.accesses, from, plan.accesses);
    copy(larger.heads, to, steps.heads, from, 1);
    copy(larger.lanesOn, to, steps.lanesOn, from, plan.units.size());
  }
  steps.capacity = larger.capacity;
  steps.elements.swap(larger.elements);
  steps.accesses.swap(larger.accesses);
  steps.heads.swap(larger.heads);
  steps.lanesOn.swap(larger.lanesOn);
}

void Traversal::findBases(unsigned layer, uint64_t step) {
  Steps &steps = layers[layer];
  for (unsigned i = layer; i--;) {
    steps.bases[i] = elements(i, step);
    step = parent(i, step);
  }
}

Traversal::Found Traversal::find(unsigned layer, uint64_t number,
                                 uint64_t parentStep) {
  Steps &steps = layers[layer];
  if (number < steps.made)
    return parent(layer, number) == parentStep ? Found::step : Found::over;
  if (steps.fiber > parentStep)
    return Found::over;
  if (!steps.inFiber && !steps.failed)
    beginFiber(layer);
  if (!steps.failed && makeStep(layer))
    return Found::step;
  if (steps.failed)
    return Found::failed;
  steps.inFiber = false;
  ++steps.fiber;
  return Found::over;
}

void Traversal::finish(uint64_t most) {
  for (unsigned layer = 0; layer < layers.size(); ++layer) {
    Steps &steps = layers[layer];
    uint64_t fibers = layer ? layers[layer - 1].made : 1;
    while (steps.fiber < fibers) {
      if (!most--)
        return;
      if (find(layer, steps.made, steps.fiber) == Found::failed)
        break;
    }
  }
}

void Traversal::beginFiber(unsigned layer) {
  Steps &steps = layers[layer];
  steps.inFiber = steps.isFirst = true;
  findBases(layer, steps.fiber);
  const uint64_t *const *bases = steps.bases.data();
  const Layer &plan = code.layers[layer];
  bool lanesMatch =
      layer && code.layers[layer - 1].units.size() == plan.units.size();
  for (auto [lane, unit] : llvm::enumerate(plan.units)) {
    Position &at = steps.positions[lane];
    at = {};
    // In a lane that is off, there is nothing to walk.
    if (lanesMatch &&
        !isOn(layer - 1, steps.fiber, static_cast<unsigned>(lane)))
      continue;
    at.on = true;
    at.next = static_cast<int64_t>(value(unit.lower, bases));
    at.upper = static_cast<int64_t>(value(unit.upper, bases));
    if (unit.kind == UnitKind::index &&
        llvm::AddOverflow(at.next, at.upper, at.upper)) {
      fail(layer, ".units[" + llvm::Twine(lane) + "]: its end is no position");
      return;
    }
    if (unit.step) {
      at.step = static_cast<int64_t>(value(unit.step, bases));
      if (at.step < 1) {
        fail(layer, ".units[" + llvm::Twine(lane) + "]: its step of " +
                        llvm::Twine(at.step) + " is not positive");
        return;
      }
    }
    for (auto [index, stream] : llvm::enumerate(unit.streams))
      if (stream.kind == StreamKind::accumulate)
        steps.sums[unit.firstElement + index] =
            stream.type.truncate(value(stream.initial, bases));
  }
}

/// Whether a unit has a step left.
static bool hasStep(const TraversalUnit &unit, bool on, int64_t next,
                    int64_t upper) {
  if (!on)
    return false;
  // Positions of coordinates are compared as dlc's are, without sign.
  if (unit.kind == UnitKind::segment)
    return static_cast<uint64_t>(next) < static_cast<uint64_t>(upper);
  return next < upper;
}

bool Traversal::makeStep(unsigned layer) {
  Steps &steps = layers[layer];
  const Layer &plan = code.layers[layer];
  auto isLeft = [&](size_t lane) {
    const Position &at = steps.positions[lane];
    return hasStep(plan.units[lane], at.on, at.next, at.upper);
  };
  if (llvm::none_of(llvm::seq<size_t>(0, plan.units.size()), isLeft))
    return false;
  if (steps.made - steps.first == steps.capacity)
    grow(layer);
  size_t slot = steps.slot(steps.made);
  uint64_t *own = steps.elements.data() + slot * plan.elements;
  // Steps around may have moved since the last one.
  findBases(layer, steps.fiber);
  steps.bases[layer] = own;
  std::fill_n(own, plan.elements, 0);
  std::fill_n(steps.accesses.begin() + slot * plan.accesses, plan.accesses,
              StreamAccess());
  steps.heads[slot] = {steps.fiber, 0};
  for (unsigned lane = 0; lane < plan.units.size(); ++lane) {
    bool on = isLeft(lane);
    steps.lanesOn[slot * plan.units.size() + lane] = on;
    if (on && !stepUnit(layer, lane, slot))
      return false;
  }
  for (Change &change : steps.changes) {
    const ChangeCondition &condition = code.conditions[change.condition];
    uint64_t element = value(condition.stream, steps.bases.data());
    bool changed = steps.isFirst || element != change.before;
    if (changed != condition.same)
      steps.heads[slot].conditions |= uint64_t{1} << change.condition;
    change.before = element;
  }
  steps.isFirst = false;
  ++steps.made;
  return true;
}

bool Traversal::findSegment(const TraversalUnit &unit, Position &at,
                            StreamAccess &access) {
  const Capture &coordinates = code.captures[unit.coordinates];
  unsigned bytes = coordinates.type.bytes();
  uint64_t base = captures[unit.coordinates];
  auto coordinate = [&](int64_t position, uint64_t &result) {
    uint64_t address = base + static_cast<uint64_t>(position) * bytes;
    access.bytes += bytes;
    const void *host = memory.find(address, bytes);
    if (!host)
      return false;
    std::memcpy(&result, host, bytes);
    result = coordinates.type.truncate(result);
    return true;
  };
  access = {base + static_cast<uint64_t>(at.next) * bytes, 0};
  uint64_t own = 0;
  if (!coordinate(at.next, own))
    return false;
  for (++at.next;
       static_cast<uint64_t>(at.next) < static_cast<uint64_t>(at.upper);
       ++at.next) {
    uint64_t other = 0;
    if (!coordinate(at.next, other))
      return false;
    if (other != own)
      break;
  }
  return true;
}

static std::string describe(GuestMemory &memory, const StreamAccess &access,
                            const char *verb) {
  return llvm::formatv("{0} {1} bytes at {2:x}, which it may not: {3}", verb,
                       access.bytes, access.address,
                       memory.describe(access.address))
      .str();
}

bool Traversal::stepUnit(unsigned layer, unsigned lane, size_t slot) {
  const Layer &plan = code.layers[layer];
  const TraversalUnit &unit = plan.units[lane];
  Steps &steps = layers[layer];
  Position &at = steps.positions[lane];
  uint64_t *own = steps.elements.data() + slot * plan.elements;
  StreamAccess *accesses = steps.accesses.data() + slot * plan.accesses;
  auto failed = [&](const llvm::Twine &what) {
    return fail(layer, ".units[" + llvm::Twine(lane) + "]" + what);
  };
  int64_t position = at.next;
  if (unit.kind == UnitKind::segment) {
    StreamAccess &access = accesses[unit.access];
    if (!findSegment(unit, at, access))
      return failed(": " + describe(memory, access, "loads"));
  }
  uint64_t left =
      static_cast<uint64_t>(at.upper) - static_cast<uint64_t>(position);
  for (auto [index, stream] : llvm::enumerate(unit.streams)) {
    uint64_t &result = own[unit.firstElement + index];
    switch (stream.kind) {
    case StreamKind::position:
      result = static_cast<uint64_t>(position);
      break;
    case StreamKind::count:
      result = at.count;
      break;
    case StreamKind::segmentEnd:
      result = static_cast<uint64_t>(at.next);
      break;
    case StreamKind::memory:
      if (stream.condition >= 0) {
        unsigned home = code.conditions[stream.condition].layer;
        uint64_t step = steps.fiber;
        for (unsigned i = layer - 1; i > home; --i)
          step = parent(i, step);
        if (!(conditions(home, step) >> stream.condition & 1))
          break;
      }
      if (!load(stream, left, steps, accesses[stream.access], result))
        return failed(".streams[" + llvm::Twine(index) + "] " +
                      describe(memory, accesses[stream.access], "loads"));
      break;
    case StreamKind::store:
      if (!store(stream, left, steps, accesses[stream.access]))
        return failed(".streams[" + llvm::Twine(index) + "] " +
                      describe(memory, accesses[stream.access], "stores"));
      break;
    case StreamKind::accumulate:
      result = steps.sums[unit.firstElement + index];
      break;
    default:
      if (!compute(stream, steps, result))
        return failed(".streams[" + llvm::Twine(index) + "] divides by zero");
    }
  }
  for (auto [index, stream] : llvm::enumerate(unit.streams))
    if (stream.kind == StreamKind::accumulate) {
      uint64_t &sum = steps.sums[unit.firstElement + index];
      sum = stream.type.truncate(sum +
                                 value(stream.inputs[0], steps.bases.data()));
    }
  ++at.count;
  if (unit.kind != UnitKind::segment &&
      llvm::AddOverflow(at.next, at.step, at.next))
    at.on = false;
  return true;
}

bool Traversal::load(const Stream &stream, uint64_t left, const Steps &steps,
                     StreamAccess &access, uint64_t &result) {
  const uint64_t *const *bases = steps.bases.data();
  unsigned bytes = stream.type.bytes();
  if (stream.mask && !(value(stream.mask, bases) & 1)) {
    uint64_t otherwise = stream.type.truncate(value(stream.otherwise, bases));
    for (unsigned i = 0; i < stream.elements; ++i)
      result |= otherwise << 8 * bytes * i;
    return true;
  }
  // Behind the unit's end, elements are zero.
  uint64_t count =
      stream.elements == 1 ? 1 : std::min<uint64_t>(stream.elements, left);
  access = {captures[stream.capture] + value(stream.position, bases) * bytes,
            count * bytes};
  const void *host = memory.find(access.address, access.bytes);
  if (!host)
    return false;
  std::memcpy(&result, host, access.bytes);
  if (stream.elements == 1)
    result = stream.type.truncate(result);
  return true;
}

bool Traversal::store(const Stream &stream, uint64_t left, const Steps &steps,
                      StreamAccess &access) {
  const uint64_t *const *bases = steps.bases.data();
  if (stream.mask && !(value(stream.mask, bases) & 1))
    return true;
  unsigned bytes = stream.type.bytes();
  uint64_t count =
      stream.elements == 1 ? 1 : std::min<uint64_t>(stream.elements, left);
  access = {captures[stream.capture] + value(stream.position, bases) * bytes,
            count * bytes};
  uint64_t element = value(stream.value, bases);
  // No byte is stored where only the time of it is wanted.
  return memory.find(access.address, access.bytes) &&
         memory.store(access.address, &element,
                      stores ? static_cast<unsigned>(access.bytes) : 0);
}

static bool calculate(const Stream &stream, uint64_t a, uint64_t b,
                      uint64_t &result) {
  const ElementType type = stream.type;
  int64_t signedA = type.signExtend(a), signedB = type.signExtend(b);
  a = type.truncate(a);
  b = type.truncate(b);
  auto shifted = [&](uint64_t inside, uint64_t outside) {
    return b < type.bits ? inside : outside;
  };
  // The least number over -1 is itself, as it wraps around.
  bool overflows = signedB == -1;
  switch (stream.operation) {
  case AluOperation::add:
    result = a + b;
    break;
  case AluOperation::sub:
    result = a - b;
    break;
  case AluOperation::mul:
    result = a * b;
    break;
  case AluOperation::divs:
    if (!b)
      return false;
    result = overflows ? 0 - a : static_cast<uint64_t>(signedA / signedB);
    break;
  case AluOperation::divu:
    if (!b)
      return false;
    result = a / b;
    break;
  case AluOperation::rems:
    if (!b)
      return false;
    result = overflows ? 0 : static_cast<uint64_t>(signedA % signedB);
    break;
  case AluOperation::remu:
    if (!b)
      return false;
    result = a % b;
    break;
  case AluOperation::bitAnd:
    result = a & b;
    break;
  case AluOperation::bitOr:
    result = a | b;
    break;
  case AluOperation::bitXor:
    result = a ^ b;
    break;
  case AluOperation::shl:
    result = shifted(a << (b & 63), 0);
    break;
  case AluOperation::shrs:
    result = static_cast<uint64_t>(
        signedA >> std::min<uint64_t>(b, ElementType::wordBits - 1));
    break;
  case AluOperation::shru:
    result = shifted(a >> (b & 63), 0);
    break;
  case AluOperation::mins:
    result = signedA < signedB ? a : b;
    break;
  case AluOperation::maxs:
    result = signedA > signedB ? a : b;
    break;
  case AluOperation::minu:
    result = std::min(a, b);
    break;
  case AluOperation::maxu:
    result = std::max(a, b);
    break;
  }
  result = type.truncate(result);
  return true;
}

static bool compare(const Stream &stream, uint64_t a, uint64_t b) {
  int64_t signedA = stream.inputType.signExtend(a),
          signedB = stream.inputType.signExtend(b);
  a = stream.inputType.truncate(a);
  b = stream.inputType.truncate(b);
  switch (stream.predicate) {
  case Predicate::eq:
    return a == b;
  case Predicate::ne:
    return a != b;
  case Predicate::slt:
    return signedA < signedB;
  case Predicate::sle:
    return signedA <= signedB;
  case Predicate::sgt:
    return signedA > signedB;
  case Predicate::sge:
    return signedA >= signedB;
  case Predicate::ult:
    return a < b;
  case Predicate::ule:
    return a <= b;
  case Predicate::ugt:
    return a > b;
  case Predicate::uge:
    return a >= b;
  }
  return false;
}

bool Traversal::compute(const Stream &stream, const Steps &steps,
                        uint64_t &result) {
  const uint64_t *const *bases = steps.bases.data();
  uint64_t first = value(stream.inputs[0], bases);
  switch (stream.kind) {
  case StreamKind::alu:
    return calculate(stream, first, value(stream.inputs[1], bases), result);
  case StreamKind::compare:
    result = compare(stream, first, value(stream.inputs[1], bases));
    return true;
  case StreamKind::select:
    result =
        stream.type.truncate(value(stream.inputs[first & 1 ? 1 : 2], bases));
    return true;
  case StreamKind::cast:
    first = stream.inputType.truncate(first);
    if (stream.signExtends)
      first = static_cast<uint64_t>(stream.inputType.signExtend(first));
    result = stream.type.truncate(first);
    return true;
  default:
    result = first;
    return true;
  }
}
