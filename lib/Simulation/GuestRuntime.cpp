//===- GuestRuntime.cpp - What simulated programs ask the runtime for -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/GuestProcess.h"

#include "ember/Runtime/LoopCost.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>

using namespace llvm;
using namespace ember;
using sim::Emulator;
using sim::State;

namespace {
enum SupervisorCall : unsigned {
#define EMBER_SUPERVISOR_CALL(NUMBER, NAME) NAME##_call = NUMBER,
#include "SupervisorCalls.def"
};
} // namespace

char GuestFailure::ID;

/// The message with which the runtime of this machine fails, if it does.
static Error callRuntime(function_ref<void()> function) {
  ember_error error = {};
  void *arguments[] = {&function};
  auto run = [](void **given) {
    (*static_cast<function_ref<void()> *>(given[0]))();
  };
  if (ember_invoke(run, arguments, &error) == EMBER_OK)
    return Error::success();
  return make_error<GuestFailure>(error);
}

template <typename Float, typename Function, typename... Indices>
static void compute(State &state, Function function, Indices... registers) {
  Float result = function(state.v[registers].template get<Float>(0)...);
  state.v[0].set<Float>(0, result);
  state.v[0].clearFrom(sizeof(Float));
}

/// Whether `number` is a function of libm, which is done then.
static bool callMath(State &state, unsigned number) {
  switch (number) {
#define EMBER_UNARY(NUMBER, NAME)                                              \
  case NUMBER:                                                                 \
    compute<double>(state, [](double x) { return std::NAME(x); }, 0);          \
    return true;                                                               \
  case NUMBER + 1:                                                             \
    compute<float>(state, [](float x) { return std::NAME(x); }, 0);            \
    return true;
#define EMBER_BINARY(NUMBER, NAME)                                             \
  case NUMBER:                                                                 \
    compute<double>(                                                           \
        state, [](double x, double y) { return std::NAME(x, y); }, 0, 1);      \
    return true;                                                               \
  case NUMBER + 1:                                                             \
    compute<float>(                                                            \
        state, [](float x, float y) { return std::NAME(x, y); }, 0, 1);        \
    return true;
#include "MathCalls.def"
  default:
    return false;
  }
}

Error GuestProcess::call(Emulator &emulator, unsigned number) {
  State &state = emulator.state();
  if (callMath(state, number))
    return Error::success();
  switch (number) {
  case ember_fail_index_call:
  case ember_fail_segment_call:
  case ember_fail_message_call:
    return fail(state, number);
  case ember_alloc_call: {
    Expected<uint64_t> block = heap.allocate(state.x[0], state.x[1]);
    if (!block) {
      ember_error error = {EMBER_MEMORY, {}};
      std::string message = toString(block.takeError());
      message.copy(error.message, sizeof(error.message) - 1);
      return make_error<GuestFailure>(error);
    }
    state.x[0] = *block;
    return Error::success();
  }
  case ember_free_call:
    if (heap.release(state.x[0]))
      return Error::success();
    return createStringError("the simulated program frees " +
                             Twine::utohexstr(state.x[0]) +
                             ", which was not allocated");
  case ember_rename_call:
    names = state.x[0];
    return Error::success();
  case ember_check_disjoint_call:
    return checkDisjoint(state);
  case ember_check_layouts_call:
    return checkLayouts(state);
  case ember_order_segments_call:
    return orderSegments(state);
  case ember_begin_parallel_call:
    return beginParallel(emulator);
  case ember_access_unit_call: {
    auto core = llvm::find_if(
        emulators, [&](const auto &mine) { return mine.get() == &emulator; });
    state.x[0] = units[core - emulators.begin()];
    if (state.x[0])
      return Error::success();
    return createStringError("the simulated program launches an access unit, "
                             "which its core does not have");
  }
  default:
    return createStringError("the simulated program asks for 'svc #" +
                             Twine(number) + "', which does not exist");
  }
}

Error GuestProcess::fail(const State &state, unsigned number) {
  Expected<std::string> first = readText(state.x[0]);
  if (!first)
    return first.takeError();
  std::string second;
  if (number == ember_fail_index_call) {
    Expected<std::string> source = readText(state.x[1]);
    if (!source)
      return source.takeError();
    second = *source;
  }
  Expected<std::string> pairs = readNames();
  if (!pairs)
    return pairs.takeError();
  const char *renamed = pairs->c_str();
  return callRuntime([&] {
    ember_rename(&renamed);
    if (number == ember_fail_index_call)
      ember_fail_index(first->c_str(), second.c_str(), state.getX<int64_t>(2),
                       state.getX<int64_t>(3), state.getX<int64_t>(4));
    if (number == ember_fail_segment_call)
      ember_fail_segment(first->c_str(), state.getX<int64_t>(1),
                         state.getX<int64_t>(2), state.getX<int64_t>(3));
    ember_fail_message(first->c_str());
  });
}

Expected<SmallVector<int64_t, 16>>
GuestProcess::readDescriptor(uint64_t address, uint64_t rank) const {
  SmallVector<int64_t, 16> words(3 + 2 * rank);
  Expected<const void *> found = find(address, words.size() * sizeof(int64_t));
  if (!found)
    return found.takeError();
  memcpy(words.data(), *found, words.size() * sizeof(int64_t));
  return words;
}

Expected<std::string> GuestProcess::readNames() const {
  std::string pairs;
  uint64_t address = 0;
  if (!names)
    return pairs;
  Expected<const void *> found = find(names, sizeof(address));
  if (!found)
    return found.takeError();
  memcpy(&address, *found, sizeof(address));
  while (address) {
    Expected<std::string> text = readText(address);
    if (!text)
      return text.takeError();
    pairs += *text;
    pairs.push_back('\0');
    address = text->empty() ? 0 : address + text->size() + 1;
  }
  return pairs;
}

Error GuestProcess::checkLayouts(const State &state) {
  uint64_t layout = state.x[1];
  for (uint64_t i = 0; i < state.x[2]; ++i) {
    int64_t head[3]; // argument, name, rank
    Expected<const void *> begin = find(layout, sizeof(head));
    if (!begin)
      return begin.takeError();
    memcpy(head, *begin, sizeof(head));
    size_t bytes = sizeof(head) + (1 + 2 * head[2]) * sizeof(int64_t);
    Expected<const void *> all = find(layout, bytes),
                           slot = find(state.x[0] + head[0] * sizeof(uint64_t),
                                       sizeof(uint64_t));
    if (!all || !slot)
      return joinErrors(all.takeError(), slot.takeError());
    std::vector<int64_t> words(bytes / sizeof(int64_t));
    memcpy(words.data(), *all, bytes);
    uint64_t address;
    memcpy(&address, *slot, sizeof(address));
    auto descriptor = readDescriptor(address, head[2]);
    if (!descriptor)
      return descriptor.takeError();
    Expected<std::string> name = readText(state.x[3] + head[1]);
    if (!name)
      return name.takeError();
    words[0] = words[1] = 0;
    void *argument = descriptor->data();
    if (Error error = callRuntime([&] {
          ember_check_layouts(&argument, words.data(), 1, name->c_str());
        }))
      return error;
    layout += bytes;
  }
  return Error::success();
}

Error GuestProcess::checkDisjoint(const State &state) {
  auto rank = [&](unsigned index) { return state.getX<uint32_t>(index); };
  auto first = readDescriptor(state.x[0], rank(1));
  if (!first)
    return first.takeError();
  auto second = readDescriptor(state.x[4], rank(5));
  if (!second)
    return second.takeError();
  Expected<std::string> nameA = readText(state.x[3]),
                        nameB = readText(state.x[7]);
  if (!nameA || !nameB)
    return joinErrors(nameA.takeError(), nameB.takeError());
  return callRuntime([&] {
    ember_check_disjoint(first->data(), state.getX<int32_t>(1),
                         state.getX<int64_t>(2), nameA->c_str(), second->data(),
                         state.getX<int32_t>(5), state.getX<int64_t>(6),
                         nameB->c_str());
  });
}

/// The loops' offsets become addresses of the host's.
Error GuestProcess::beginParallel(Emulator &emulator) {
  State &state = emulator.state();
  uint64_t bodyAddress = state.x[0], count = state.x[3];
  Expected<const void *> given = find(state.x[2], count * sizeof(ember_loop));
  if (!given)
    return given.takeError();
  std::vector<ember_loop> called(count);
  memcpy(called.data(), *given, count * sizeof(ember_loop));
  double iterations = 0;
  for (ember_loop &loop : called) {
    if (loop.upper > loop.lower)
      iterations +=
          static_cast<double>(loop.upper) - static_cast<double>(loop.lower);
    if (!loop.offsets || loop.offsetCount <= 0) {
      loop.offsets = nullptr;
      continue;
    }
    auto address = reinterpret_cast<uintptr_t>(loop.offsets);
    Expected<const void *> offsets = find(address, 1);
    if (!offsets)
      return offsets.takeError();
    loop.offsets = *offsets;
  }
  bool isSplit = !inParts && emulators.size() > 1 && iterations >= 2;
  state.x[0] = !isSplit;
  if (isSplit) {
    body = bodyAddress;
    environment = state.x[1];
    loops = std::move(called);
    emulator.interrupt();
    return Error::success();
  }
  for (auto [i, loop] : enumerate(called)) {
    ember_range range = {loop.lower, loop.upper};
    if (!memory.store(state.x[4] + i * sizeof(range), &range, sizeof(range)))
      return find(state.x[4], count * sizeof(range)).takeError();
  }
  return Error::success();
}

std::vector<ember_range> GuestProcess::divide(uint64_t cores) const {
  using ember::runtime::LoopCost;
  size_t count = loops.size();
  double total = 0;
  for (const ember_loop &loop : loops)
    if (loop.upper > loop.lower)
      total = LoopCost(loop, total).upTo(loop.upper);
  std::vector<ember_range> ranges(cores * count);
  double before = 0;
  for (auto [k, loop] : enumerate(loops)) {
    if (loop.upper <= loop.lower)
      continue;
    LoopCost cost(loop, before);
    int64_t start = loop.lower;
    for (uint64_t core = 0; core < cores; ++core) {
      double share = static_cast<double>(core + 1) / static_cast<double>(cores);
      int64_t end = core + 1 < cores ? cost.startAt(total * share) : loop.upper;
      ranges[core * count + k] = {start, end};
      start = end;
    }
    before = cost.upTo(loop.upper);
  }
  return ranges;
}

Error GuestProcess::orderSegments(const State &state) {
  Expected<const void *> offsets = find(state.x[0], 1);
  if (!offsets)
    return offsets.takeError();
  uint8_t order[EMBER_ORDERED_ITERATIONS];
  auto count = state.getX<int64_t>(5);
  if (count < 0 || count > EMBER_ORDERED_ITERATIONS)
    return createStringError("the simulated program orders " + Twine(count) +
                             " segments at a time, more than it may");
  Error error = callRuntime([&] {
    ember_order_segments(*offsets, state.getX<int64_t>(1),
                         state.getX<int64_t>(2), state.getX<int64_t>(3),
                         state.getX<int64_t>(4), count, order);
  });
  if (error)
    return error;
  if (!memory.store(state.x[6], order, static_cast<unsigned>(count)))
    return find(state.x[6], count).takeError();
  return Error::success();
}
