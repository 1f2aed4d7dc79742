//===- PerfettoTrace.cpp - What a machine did, for ui.perfetto.dev --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Trace/PerfettoTrace.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace ember::sim;
using llvm::StringRef;

/// Bytes that are held back at most.
static constexpr size_t bufferBytes = 1 << 16;

PerfettoTrace::PerfettoTrace(std::unique_ptr<llvm::raw_ostream> output,
                             TraceWindow window)
    : stream(std::move(output)), window(window) {
  stream->SetBufferSize(bufferBytes);
  *stream << "[";
}

PerfettoTrace::~PerfettoTrace() {
  *stream << "\n]\n";
  stream->flush();
}

llvm::Expected<std::unique_ptr<PerfettoTrace>>
PerfettoTrace::open(StringRef path, TraceWindow window) {
  std::error_code error;
  auto file = std::make_unique<llvm::raw_fd_ostream>(path, error);
  if (error)
    return llvm::createStringError(error, "cannot write the trace '" + path +
                                              "': " + error.message());
  return std::make_unique<PerfettoTrace>(std::move(file), window);
}

/// Microseconds, the unit of the format, to the picosecond.
static void writeTime(llvm::raw_ostream &stream, Tick ticks) {
  constexpr uint64_t ticksPerMicrosecond = ticksPerNanosecond * 1000;
  uint64_t rest = ticks % ticksPerMicrosecond;
  stream << ticks / ticksPerMicrosecond << '.'
         << llvm::format("%06llu", static_cast<unsigned long long>(
                                       rest * 1000 / ticksPerNanosecond));
}

void PerfettoTrace::writeName(StringRef name) {
  *stream << ",\"name\":" << llvm::json::Value(name);
}

llvm::raw_ostream &PerfettoTrace::begin(char phase, Track track, Tick at) {
  *stream << (empty ? "\n" : ",\n") << "{\"ph\":\"" << phase
          << "\",\"pid\":" << track.group << ",\"tid\":" << track.number
          << ",\"ts\":";
  empty = false;
  writeTime(*stream, at);
  return *stream;
}

void PerfettoTrace::writeArguments(llvm::ArrayRef<Argument> arguments) {
  if (arguments.empty())
    return;
  *stream << ",\"args\":{";
  for (const Argument &argument : arguments)
    *stream << (&argument == arguments.begin() ? "" : ",")
            << llvm::json::Value(argument.name) << ":" << argument.value;
  *stream << "}";
}

void PerfettoTrace::describe(StringRef what, Track track, StringRef name) {
  begin('M', track, 0);
  writeName(what);
  *stream << ",\"args\":{\"name\":" << llvm::json::Value(name) << "}}";
}

PerfettoTrace::Track PerfettoTrace::addTrack(StringRef group, StringRef name) {
  auto [position, isNew] =
      groups.try_emplace(group, static_cast<uint32_t>(groups.size() + 1));
  Track track{position->second, ++tracks};
  if (isNew)
    describe("process_name", track, group);
  describe("thread_name", track, name);
  return track;
}

void PerfettoTrace::slice(Track track, StringRef name, Tick from, Tick to,
                          llvm::ArrayRef<Argument> arguments) {
  if (!window.overlaps(from, to))
    return;
  from = std::max(from, window.first);
  to = std::min(to, window.last);
  begin('X', track, from) << ",\"dur\":";
  writeTime(*stream, to - from);
  writeName(name);
  writeArguments(arguments);
  *stream << "}";
}

void PerfettoTrace::instant(Track track, StringRef name, Tick at,
                            llvm::ArrayRef<Argument> arguments) {
  if (!window.contains(at))
    return;
  begin('i', track, at) << ",\"s\":\"t\"";
  writeName(name);
  writeArguments(arguments);
  *stream << "}";
}

void PerfettoTrace::counter(Track track, StringRef name, Tick at,
                            uint64_t value) {
  if (!window.contains(at))
    return;
  begin('C', track, at);
  writeName(name);
  writeArguments(Argument{"value", value});
  *stream << "}";
}

void PerfettoTrace::flow(char phase, Track track, uint64_t number, Tick at) {
  if (!window.contains(at))
    return;
  begin(phase, track, at) << ",\"id\":" << number << ",\"cat\":\"flow\"";
  // The slice that encloses the time, not the one that follows.
  if (phase == 'f')
    *stream << ",\"bp\":\"e\"";
  writeName("flow");
  *stream << "}";
}

void PerfettoTrace::flowBegin(Track track, uint64_t number, Tick at) {
  flow('s', track, number, at);
}

void PerfettoTrace::flowEnd(Track track, uint64_t number, Tick at) {
  flow('f', track, number, at);
}
