//===- PerfettoTrace.h - What a machine did, for ui.perfetto.dev -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the array form of the "Trace Event Format", which Perfetto and Chrome
// read. An event is a line of its own and is written when it is known, so the
// file can be read, less its last lines, when a run dies: the format lets the
// end of the array be missing.
//
// Events stand on tracks, such as a bank or a queue; tracks stand in groups,
// such as a controller.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TRACE_PERFETTOTRACE_H
#define EMBER_SIM_TRACE_PERFETTOTRACE_H

#include "ember/Sim/Trace/TraceWindow.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>

namespace ember::sim {

class PerfettoTrace {
public:
  struct Track {
    uint32_t group = 0;
    uint32_t number = 0;
  };
  /// A number that an event shows besides its name.
  struct Argument {
    llvm::StringRef name;
    uint64_t value = 0;
  };

  /// Writes to a stream, a part of a run.
  explicit PerfettoTrace(std::unique_ptr<llvm::raw_ostream> stream,
                         TraceWindow window = {});
  ~PerfettoTrace();

  static llvm::Expected<std::unique_ptr<PerfettoTrace>>
  open(llvm::StringRef path, TraceWindow window = {});

  Track addTrack(llvm::StringRef group, llvm::StringRef name);

  /// Whether something at that time would be written.
  bool traces(Tick at) const { return window.contains(at); }

  /// Something that lasted; what is outside of the window is cut off.
  void slice(Track track, llvm::StringRef name, Tick from, Tick to,
             llvm::ArrayRef<Argument> arguments = {});
  void instant(Track track, llvm::StringRef name, Tick at,
               llvm::ArrayRef<Argument> arguments = {});
  /// The value that a counter of a track's group has from then on.
  void counter(Track track, llvm::StringRef name, Tick at, uint64_t value);
  /// An arrow from the slice of one track at a time to that of another, which
  /// has the same number.
  void flowBegin(Track track, uint64_t number, Tick at);
  void flowEnd(Track track, uint64_t number, Tick at);

  /// Writes what is buffered.
  void flush() { stream->flush(); }

private:
  /// The members that every event has; more may follow.
  llvm::raw_ostream &begin(char phase, Track track, Tick at);
  void writeName(llvm::StringRef name);
  void writeArguments(llvm::ArrayRef<Argument> arguments);
  void flow(char phase, Track track, uint64_t number, Tick at);
  void describe(llvm::StringRef what, Track track, llvm::StringRef name);

  std::unique_ptr<llvm::raw_ostream> stream;
  TraceWindow window;
  llvm::StringMap<uint32_t> groups;
  uint32_t tracks = 0;
  bool empty = true;
};

} // namespace ember::sim

#endif
