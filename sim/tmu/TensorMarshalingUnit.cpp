//===- TensorMarshalingUnit.cpp - A TMU beside a core ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/TensorMarshalingUnit.h"

using namespace ember::sim;

TensorMarshalingUnit::TensorMarshalingUnit(llvm::StringRef name,
                                           const TMUParameters &parameters,
                                           const AccessUnitPorts &ports,
                                           const Configuration &configuration,
                                           GuestMemory &memory)
    : name(name), parameters(parameters), engine(ports.engine),
      clock(parameters.period()),
      device(name, configuration, memory, parameters.chunks),
      fetcher(parameters, ports, *this),
      storeBuffer(parameters.storeLines, fetcher),
      output(parameters, ports.engine, ports.l2, *this),
      layerCounters(parameters.layers) {
  device.record();
}

void TensorMarshalingUnit::trace(PerfettoTrace &to) {
  observer = std::make_unique<TMUTrace>(to, name);
  fetcher.trace(*observer);
  output.trace(*observer);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

bool TensorMarshalingUnit::accept(const Request &request) {
  // A core asks in its program's order, in which the device answered.
  TMUDevice::Operation what{TMUDevice::waitRegister, false};
  if (device.hasOperation())
    what = device.takeOperation();
  arriving.push({request, what, engine.now()});
  engine.schedule(clock.after(engine.now(), parameters.deviceCycles), *this,
                  arrivalEvent);
  return true;
}

void TensorMarshalingUnit::answer(const Operation &operation) {
  answers.push(operation.request);
  engine.schedule(clock.after(engine.now(), parameters.deviceCycles), *this,
                  answerEvent);
}

bool TensorMarshalingUnit::serveFront() {
  const Operation &operation = operations.front();
  if (!operation.what.valid)
    return true;
  switch (operation.what.kind) {
  case TMUDevice::launchRegister:
    if (state != State::idle)
      return false;
    launch();
    return true;
  case TMUDevice::takeRegister:
    // Behind the last chunk there is none to wait for: the program is wrong.
    if (!output.canTake())
      return state == State::idle;
    output.take();
    break;
  case TMUDevice::handBackRegister:
    output.handBack();
    return true;
  case TMUDevice::waitRegister:
    if (state != State::idle)
      return false;
    break;
  }
  ++coreWaits;
  coreWaitTicks += engine.now() - operation.since;
  return true;
}

bool TensorMarshalingUnit::serve() {
  bool moved = false;
  while (!operations.empty() && serveFront()) {
    answer(operations.front());
    operations.pop();
    moved = true;
  }
  return moved;
}

void TensorMarshalingUnit::launch() {
  ++launches;
  run = std::make_unique<Run>(device.takeReplay(), parameters, engine, fetcher,
                              layerCounters, observer.get());
  std::vector<uint64_t> chunks;
  for (uint64_t i = 0; i < parameters.chunks; ++i)
    chunks.push_back(device.chunkAddress(i));
  output.restart(run->traversal->program(), std::move(chunks));
  state = State::launching;
  ready = clock.after(engine.now(), parameters.launchCycles);
  bytesLeft = 0;
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

void TensorMarshalingUnit::wakeAt(Tick at) {
  if (isAwake)
    return;
  isAwake = true;
  engine.schedule(at, *this, cycleEvent);
}

void TensorMarshalingUnit::wake() {
  Tick edge = clock.edge(engine.now());
  // This cycle may have been handled already.
  if (started && clock.cycle(edge) <= now)
    edge = clock.ticks(now + 1);
  wakeAt(edge);
}

void TensorMarshalingUnit::handle(uint64_t event) {
  switch (event) {
  case arrivalEvent:
    operations.push(arriving.front());
    arriving.pop();
    wake();
    break;
  case answerEvent: {
    Request request = answers.front();
    answers.pop();
    request.requester->complete(request);
    break;
  }
  default:
    isAwake = false;
    cycle();
  }
}

void TensorMarshalingUnit::account() {
  uint64_t current = clock.cycle(engine.now());
  uint64_t slept = started ? current - now : 0;
  started = true;
  now = current;
  if (state == State::idle) {
    marshalCycles[static_cast<unsigned>(Marshaling::idle)] += slept;
    return;
  }
  // Cycles that were slept through had what the last one had.
  cycles += slept;
  marshalCycles[static_cast<unsigned>(marshaling)] += slept;
  limitedCycles += limited ? slept : 0;
  if (!run)
    return;
  for (unsigned i = 0; i < run->traversal->program().layers.size(); ++i)
    layerCounters[i].cycles[static_cast<unsigned>(run->layers.activity(i))] +=
        slept;
}

void TensorMarshalingUnit::cycle() {
  account();
  bool moved = serve();
  if (state == State::launching) {
    if (engine.now() < ready) {
      wakeAt(ready);
      return;
    }
    state = State::running;
    moved = true;
  }
  if (state == State::running) {
    linesLeft = parameters.requestsPerCycle;
    moved |= marshal();
    moved |= run->layers.ask(linesLeft);
    limited = run->layers.isLimited();
    moved |= run->layers.step();
  }
  if (state == State::finishing) {
    linesLeft = parameters.requestsPerCycle;
    moved |= finish();
    moved |= serve();
  }
  if (!moved)
    return;
  ++activeCycles;
  if (state != State::idle || !operations.empty())
    wakeAt(clock.ticks(now + 1));
}

//===----------------------------------------------------------------------===//
// Marshaling
//===----------------------------------------------------------------------===//

bool TensorMarshalingUnit::write() {
  Run &r = *run;
  const ChunkWrite &write = r.writes[r.written];
  if (!output.hasChunk()) {
    marshaling = Marshaling::chunks;
    return false;
  }
  if (!output.hasRoom()) {
    marshaling = Marshaling::writes;
    return false;
  }
  if (write.bytes) {
    if (!pushesLeft || write.bytes > bytesLeft)
      return false;
    --pushesLeft;
    bytesLeft -= write.bytes;
  }
  output.write(write);
  ++r.written;
  return true;
}

bool TensorMarshalingUnit::store(bool &moved) {
  Run &r = *run;
  const Layer &layer = r.traversal->program().layers[r.storeLayer];
  llvm::ArrayRef<StreamAccess> accesses =
      r.traversal->accesses(r.storeLayer, r.storeStep);
  size_t seen = 0;
  for (const TraversalUnit &unit : layer.units)
    for (const Stream &stream : unit.streams) {
      if (stream.kind != StreamKind::store || seen++ < r.nextStore)
        continue;
      const StreamAccess &access = accesses[stream.access];
      if (access.bytes) {
        if (!linesLeft)
          return false;
        if (!storeBuffer.hasRoom(access)) {
          marshaling = Marshaling::writes;
          if (storeBuffer.flushOne()) {
            --linesLeft;
            moved = true;
          }
          return false;
        }
        linesLeft -= std::min(linesLeft, storeBuffer.add(stream, access));
        moved = true;
      }
      ++r.nextStore;
    }
  r.hasStores = false;
  return true;
}

bool TensorMarshalingUnit::visit(llvm::MutableArrayRef<uint64_t> stepsLeft) {
  Run &r = *run;
  using Kind = TraversalOrder::Kind;
  TraversalOrder::Visit visit = r.order.next(
      [&](unsigned layer, uint64_t step, uint64_t parent) {
        Kind kind = r.layers.find(layer, step, parent);
        if (kind == Kind::wait) {
          LayerActivity activity = r.layers.activity(layer);
          marshaling = activity == LayerActivity::busy ||
                               activity == LayerActivity::outer
                           ? Marshaling::layers
                           : Marshaling::memory;
        }
        if (kind != Kind::step)
          return kind;
        if (!stepsLeft[layer])
          return Kind::wait;
        --stepsLeft[layer];
        return kind;
      },
      [&](unsigned layer) { r.layers.release(layer); });
  switch (visit.kind) {
  case Kind::wait:
    return false;
  case Kind::over:
  case Kind::failed:
    r.layout.end(r.writes);
    r.over = true;
    return true;
  case Kind::step:
    r.storeLayer = visit.layer;
    r.storeStep = r.order.step(visit.layer);
    r.nextStore = 0;
    r.hasStores = true;
    [[fallthrough]];
  default:
    if (visit.layer && visit.kind != Kind::step)
      r.pauseLeft = parameters.switchCycles;
    if (r.layout.push(*r.traversal, r.order, visit, r.writes))
      return true;
    r.layout.end(r.writes);
    r.over = true;
    return true;
  }
}

bool TensorMarshalingUnit::marshal() {
  Run &r = *run;
  pushesLeft = parameters.pushesPerCycle;
  // An operand that is wider than what a cycle pushes takes some.
  uint64_t most = parameters.marshalBytes;
  if (r.written < r.writes.size())
    most = std::max<uint64_t>(most, r.writes[r.written].bytes);
  bytesLeft = std::min(bytesLeft + parameters.marshalBytes, most);
  llvm::SmallVector<uint64_t, 8> stepsLeft(r.traversal->program().layers.size(),
                                           parameters.stepsPerCycle);
  marshaling = Marshaling::busy;
  bool moved = false;
  while (true) {
    if (r.hasStores) {
      if (!store(moved))
        break;
      continue;
    }
    if (r.written < r.writes.size()) {
      if (!write())
        break;
      moved = true;
      continue;
    }
    r.writes.clear();
    r.written = 0;
    if (r.over) {
      state = State::finishing;
      return true;
    }
    if (r.pauseLeft) {
      --r.pauseLeft;
      moved = true;
      break;
    }
    if (!visit(stepsLeft))
      break;
    moved = true;
  }
  if (moved)
    marshaling = Marshaling::busy;
  // What is left of pushes, bytes or steps is there again in the next cycle.
  return marshaling == Marshaling::busy;
}

bool TensorMarshalingUnit::finish() {
  marshaling = Marshaling::writes;
  bool moved = false;
  for (; linesLeft && storeBuffer.flushOne(); --linesLeft)
    moved = true;
  if (!fetcher.isIdle() || !storeBuffer.isEmpty() || !output.isIdle())
    return moved;
  for (LayerCounters &counters : layerCounters)
    counters.queue.set(engine.now(), 0);
  device.dropReplay(run->traversal.get());
  run.reset();
  state = State::idle;
  return true;
}

void TensorMarshalingUnit::arrived(const ElementWaiter &waiter) {
  run->layers.arrived(waiter);
}

void TensorMarshalingUnit::stored(uint32_t buffer) {
  storeBuffer.written(buffer);
}

//===----------------------------------------------------------------------===//
// What is known of it
//===----------------------------------------------------------------------===//

std::string TensorMarshalingUnit::waits() const {
  std::string text;
  auto add = [&](llvm::StringRef lines) {
    while (!lines.empty()) {
      auto [line, rest] = lines.split('\n');
      text += name + ": " + line.str() + "\n";
      lines = rest;
    }
  };
  if (run) {
    add(run->layers.waits());
    add(output.waits());
    add(fetcher.waits());
  }
  if (operations.empty())
    return text;
  static constexpr const char *names[] = {
      "a launch for the end of a program", "a chunk to be full for the core",
      "", "the end of the program for the core"};
  add(names[operations[0].what.kind / 8]);
  return text;
}

void TensorMarshalingUnit::addTo(Statistics &statistics,
                                 llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  static constexpr const char *names[] = {"busy",   "idle",   "memory",
                                          "layers", "chunks", "writes"};
  static constexpr const char *activities[] = {"busy", "outer", "memory",
                                               "full", "over"};
  add("launches", launches, "programs that were launched");
  add("cycles", cycles, "cycles from launches to their ends");
  add("limitedCycles", limitedCycles,
      "cycles in which a request found too many on their way");
  for (unsigned i = 0; i < marshalings; ++i)
    add(std::string("marshaling.") + names[i], marshalCycles[i],
        "cycles in which marshaling was busy, idle, or waited for that");
  add("core.answers", coreWaits, "chunks and ends of programs that it loaded");
  add("core.waitTicks", coreWaitTicks, "for which those loads waited");
  for (auto [index, layer] : llvm::enumerate(layerCounters)) {
    std::string at = "layer" + std::to_string(index);
    add(at + ".steps", layer.steps, "steps of its units");
    add(at + ".fibers", layer.fibers, "fibers that they walked");
    add(at + ".queue", layer.queue, "steps in its queues");
    for (unsigned i = 0; i < layerActivities; ++i)
      add(at + ".cycles." + activities[i], layer.cycles[i],
          "cycles in which it was busy, over, or waited for that");
  }
  fetcher.addTo(statistics, (path + ".requests").str());
  output.addTo(statistics, (path + ".output").str());
}
