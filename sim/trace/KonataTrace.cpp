//===- KonataTrace.cpp - What a pipeline did, for Konata ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Trace/KonataTrace.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace ember::sim;
using llvm::StringRef;
using llvm::Twine;

/// Bytes that are held back at most, besides lines for later.
static constexpr size_t bufferBytes = 1 << 16;

KonataTrace::KonataTrace(std::unique_ptr<llvm::raw_ostream> output, Clock clock,
                         TraceWindow window, size_t heldBack)
    : stream(std::move(output)), clock(clock), window(window),
      heldBack(heldBack) {
  stream->SetBufferSize(bufferBytes);
  *stream << "Kanata\t0004\n";
}

KonataTrace::~KonataTrace() {
  while (!lines.empty())
    writeFirst();
  stream->flush();
}

llvm::Expected<std::unique_ptr<KonataTrace>>
KonataTrace::open(StringRef path, Clock clock, TraceWindow window) {
  std::error_code error;
  auto file = std::make_unique<llvm::raw_fd_ostream>(path, error);
  if (error)
    return llvm::createStringError(error, "cannot write the trace '" + path +
                                              "': " + error.message());
  return std::make_unique<KonataTrace>(std::move(file), clock, window);
}

void KonataTrace::add(Tick at, std::string text) {
  lines.push({clock.cycle(at), order++, std::move(text)});
  if (lines.size() > heldBack)
    writeFirst();
}

void KonataTrace::writeFirst() {
  const Line &line = lines.top();
  if (!started)
    *stream << "C=\t" << line.cycle << "\n";
  else if (line.cycle > cycle)
    *stream << "C\t" << line.cycle - cycle << "\n";
  if (!started || line.cycle > cycle)
    cycle = line.cycle;
  started = true;
  *stream << line.text << "\n";
  lines.pop();
}

void KonataTrace::advance(Tick now) {
  while (!lines.empty() && lines.top().cycle < clock.cycle(now))
    writeFirst();
}

/// Text without what separates fields and lines.
static std::string cleaned(StringRef text) {
  std::string result = text.str();
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return result;
}

KonataTrace::Instruction KonataTrace::begin(uint32_t thread, StringRef text,
                                            Tick at) {
  if (!window.contains(at))
    return untraced;
  Instruction instruction = begun++;
  add(at,
      ("I\t" + Twine(instruction) + "\t" + Twine(instruction) + "\t" +
       Twine(thread) + "\nL\t" + Twine(instruction) + "\t0\t" + cleaned(text))
          .str());
  return instruction;
}

void KonataTrace::describe(Instruction instruction, StringRef text, Tick at) {
  if (instruction != untraced)
    add(at, ("L\t" + Twine(instruction) + "\t1\t" + cleaned(text)).str());
}

void KonataTrace::stage(Instruction instruction, StringRef name, Tick at,
                        unsigned lane) {
  if (instruction != untraced)
    add(at,
        ("S\t" + Twine(instruction) + "\t" + Twine(lane) + "\t" + cleaned(name))
            .str());
}

void KonataTrace::stageEnd(Instruction instruction, StringRef name, Tick at,
                           unsigned lane) {
  if (instruction != untraced)
    add(at,
        ("E\t" + Twine(instruction) + "\t" + Twine(lane) + "\t" + cleaned(name))
            .str());
}

void KonataTrace::depends(Instruction consumer, Instruction producer, Tick at) {
  if (consumer != untraced && producer != untraced)
    add(at, ("W\t" + Twine(consumer) + "\t" + Twine(producer) + "\t0").str());
}

void KonataTrace::end(Instruction instruction, Tick at, bool discarded) {
  if (instruction == untraced)
    return;
  uint64_t number = discarded ? retired : retired++;
  add(at, ("R\t" + Twine(instruction) + "\t" + Twine(number) + "\t" +
           (discarded ? "1" : "0"))
              .str());
}

void KonataTrace::retire(Instruction instruction, Tick at) {
  end(instruction, at, /*discarded=*/false);
}

void KonataTrace::discard(Instruction instruction, Tick at) {
  end(instruction, at, /*discarded=*/true);
}
