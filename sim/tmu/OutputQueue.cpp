//===- OutputQueue.cpp - When chunks are full -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/OutputQueue.h"

using namespace ember::sim;

OutputQueue::OutputQueue(const TMUParameters &parameters, Engine &engine,
                         MemoryPort &l2, Listener &listener)
    : parameters(parameters), engine(engine), port(l2, *this),
      listener(listener), chunks(parameters.chunks) {}

void OutputQueue::restart(const TMUProgram &code,
                          std::vector<uint64_t> chunkAddresses) {
  program = &code;
  addresses = std::move(chunkAddresses);
  filling = written = taken = handedBack = 0;
  tokenLine = operandLine = noLine;
  for (Chunk &chunk : chunks)
    chunk = {0, false, engine.now()};
  full.set(engine.now(), 0);
}

void OutputQueue::note(uint64_t number, llvm::StringRef state) {
  Chunk &noted = chunk(number);
  if (observer)
    observer->chunk(number % chunks.size(), state, number, noted.since,
                    engine.now());
  noted.since = engine.now();
}

void OutputQueue::flush(uint64_t &current) {
  if (current == noLine)
    return;
  Request request;
  request.line = current;
  request.access = Access::fill;
  request.id = filling;
  current = noLine;
  ++chunk(filling).linesLeft;
  ++inFlight;
  ++count.lines;
  port.send(request);
}

void OutputQueue::move(uint64_t &current, uint64_t first, uint64_t last) {
  if (current != first)
    flush(current);
  current = first;
  if (last != first) {
    flush(current);
    current = last;
  }
}

void OutputQueue::close() {
  flush(tokenLine);
  flush(operandLine);
  chunk(filling).closed = true;
  ++count.chunks;
  note(filling, "filling");
  ++filling;
  // The one that it takes the place of is over.
  if (hasChunk())
    chunk(filling).since = engine.now();
}

void OutputQueue::write(const ChunkWrite &write) {
  uint64_t base = addresses[filling % addresses.size()] + write.offset;
  uint64_t first = lineOf(base), last = lineOf(base + write.bytes - 1);
  switch (write.kind) {
  case ChunkWrite::Kind::token:
    ++count.tokens;
    count.pushedBytes += write.bytes;
    move(tokenLine, first, last);
    break;
  case ChunkWrite::Kind::operand:
    ++count.operands;
    count.pushedBytes += write.bytes;
    move(operandLine, first, last);
    break;
  case ChunkWrite::Kind::last:
    count.pushedBytes += write.bytes;
    move(tokenLine, first, last);
    close();
    break;
  case ChunkWrite::Kind::turn:
    close();
    break;
  }
}

void OutputQueue::complete(const Request &request) {
  --inFlight;
  --chunk(request.id).linesLeft;
  while (written < filling && !chunk(written).linesLeft) {
    note(written, "writing");
    chunk(written).closed = false;
    ++written;
  }
  full.set(engine.now(), written - handedBack);
  listener.lineWritten();
}

void OutputQueue::take() {
  note(taken, "full");
  ++taken;
}

void OutputQueue::handBack() {
  if (handedBack == taken)
    return;
  note(handedBack, "held by the core");
  ++handedBack;
  full.set(engine.now(), written - handedBack);
}

std::string OutputQueue::waits() const {
  std::string text;
  if (program && !hasChunk())
    text += "chunk " + std::to_string(filling) + " for the core, which has " +
            "handed back " + std::to_string(handedBack) + "\n";
  if (inFlight)
    text += std::to_string(inFlight) + " lines of chunks for the L2\n";
  return text;
}

void OutputQueue::addTo(Statistics &statistics, llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  add("tokens", count.tokens, "tokens pushed");
  add("operands", count.operands, "operands pushed");
  add("pushedBytes", count.pushedBytes, "of tokens and operands");
  add("chunks", count.chunks, "chunks that ended");
  add("lines", count.lines, "lines written to the L2");
  add("fullChunks", full, "chunks that are full or held by the core");
}
