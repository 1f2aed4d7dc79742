//===- GraphFile.h - Graphs and their tensors as JSON -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file holds a graph, tensors, and what the tensors are filled with:
//
//   {"expression": "x(i)=B(i,j)*c(j)",
//    "tensors": {"B": {"indices": "ij", "levels": "ij", "format": "ss"},
//                "c": {"indices": "j", "levels": "j", "format": "s",
//                      "elements": [[[0], 2.5], [[7], 1]]}},
//    "dims": {"i": 30, "j": 28}, "density": {"B": 0.1}, "seed": 1,
//    "result_levels": "i",
//    "graph": {"nodes": {"scan_Bi": {"kind": "scan_compressed", "tensor": "B",
//                                    "index": "i"}, ...},
//              "edges": ["scan_Bi.ref -> scan_Bj.ref", ...],
//              "roots": ["scan_Bi"]}}
//
// Levels are stored in the order of `levels`; a letter of `format` says for
// each whether it is dense (d) or compressed (s). A tensor without `elements`
// is filled at random: SplitMix64, one draw an element, with its density.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_GRAPHFILE_H
#define EMBER_SIM_SAM_GRAPHFILE_H

#include "ember/Sim/SAM/Run.h"

#include "llvm/Support/JSON.h"

namespace ember::sim::sam {

/// The generator that fills tensors, by Steele, Lea and Flood.
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}

  uint64_t operator()() {
    state += 0x9E3779B97F4A7C15;
    uint64_t draw = state;
    draw = (draw ^ draw >> 30) * 0xBF58476D1CE4E5B9;
    draw = (draw ^ draw >> 27) * 0x94D049BB133111EB;
    return draw ^ draw >> 31;
  }

private:
  uint64_t state;
};

/// A graph with its tensors. `filling` has dims, densities and the seed, which
/// may stand in the kernel itself.
llvm::Expected<Graph> readGraph(const llvm::json::Object &kernel,
                                const llvm::json::Object &filling);
llvm::Expected<Graph> readGraphFile(llvm::StringRef path);

/// Queue depth, array latency and quirks; members that are not there keep
/// their defaults, unknown ones are errors.
llvm::Expected<Parameters> readParameters(const llvm::json::Object &object);

/// What was written, by tensor: elements by the coordinates of levels 0, 1, ...
/// An error says which streams do not fit together.
llvm::Expected<std::map<std::string, Elements>>
resultsOf(const Graph &graph, const Run &run, Quirks quirks);

/// The same for one tensor.
llvm::Expected<Elements> resultOf(const Graph &graph, const Run &run,
                                  llvm::StringRef name, Quirks quirks);

} // namespace ember::sim::sam

#endif
