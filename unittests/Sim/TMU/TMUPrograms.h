//===- TMUPrograms.h - Programs of TMUs for tests ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_TMU_TMUPROGRAMS_H
#define EMBER_UNITTESTS_SIM_TMU_TMUPROGRAMS_H

#include "ember/Sim/TMU/Configuration.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

namespace ember::sim {

/// The text of a number, or a text itself.
inline std::string textOf(int64_t number) { return std::to_string(number); }
inline std::string textOf(llvm::StringRef text) { return text.str(); }

/// A text with its $0, $1, ... replaced.
template <typename... Arguments>
std::string filled(llvm::StringRef pattern, const Arguments &...arguments) {
  std::string texts[] = {textOf(arguments)...};
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$')
      result += texts[pattern[++i] - '0'];
    else
      result += pattern[i];
  }
  return result;
}

// Parts of configurations, as text.
inline std::string constant(int64_t number) {
  return filled("{\"constant\": $0}", number);
}
inline std::string capture(unsigned number) {
  return filled("{\"capture\": $0}", number);
}
inline std::string element(unsigned layer, unsigned lane, unsigned stream) {
  return filled("{\"layer\": $0, \"lane\": $1, \"stream\": $2}", layer, lane,
                stream);
}
inline std::string load(unsigned capture, llvm::StringRef type,
                        const std::string &position,
                        const std::string &more = "") {
  return filled("{\"kind\": \"memory\", \"capture\": $0, \"type\": \"$1\", "
                "\"position\": $2$3}",
                capture, type, position, more);
}
inline std::string alu(llvm::StringRef operation, const std::string &a,
                       const std::string &b) {
  return filled("{\"kind\": \"alu\", \"op\": \"$0\", \"inputs\": [$1, $2], "
                "\"type\": \"index\"}",
                operation, a, b);
}
inline std::string list(llvm::ArrayRef<std::string> parts) {
  return "[" + llvm::join(parts, ", ") + "]";
}
inline std::string unit(llvm::StringRef kind, const std::string &lower,
                        const std::string &upper, const std::string &step,
                        unsigned queue, llvm::ArrayRef<std::string> streams) {
  return filled("{\"kind\": \"$0\", \"lower\": $1, \"$2\": $3, \"step\": $4, "
                "\"queue\": $5, \"streams\": $6}",
                kind, lower, kind == "index" ? "size" : "upper", upper, step,
                queue, list(streams));
}
inline std::string layer(llvm::StringRef kind,
                         llvm::ArrayRef<std::string> units,
                         llvm::ArrayRef<std::string> begin = {},
                         llvm::ArrayRef<std::string> step = {},
                         llvm::ArrayRef<std::string> end = {}) {
  return filled("{\"kind\": \"$0\", \"units\": $1, \"pushes\": {\"beg\": $2, "
                "\"ite\": $3, \"end\": $4}}",
                kind, list(units), list(begin), list(step), list(end));
}
inline std::string memoryCapture(llvm::StringRef name, llvm::StringRef type) {
  return filled("{\"name\": \"$0\", \"kind\": \"memory\", \"type\": \"$1\"}",
                name, type);
}
inline std::string scalarCapture(llvm::StringRef name) {
  return filled("{\"name\": \"$0\", \"kind\": \"scalar\", \"type\": \"index\"}",
                name);
}
inline std::string program(llvm::ArrayRef<std::string> captures,
                           llvm::ArrayRef<std::string> layers,
                           unsigned chunkBytes = 2048,
                           unsigned tokenBytes = 512, unsigned idBits = 2) {
  return filled(
      "{\"name\": \"test\", \"captures\": $0, \"idBits\": $1, "
      "\"chunk\": {\"bytes\": $2, \"tokenBytes\": $3}, \"layers\": $4}",
      list(captures), idBits, chunkBytes, tokenBytes, list(layers));
}
inline std::string configuration(llvm::ArrayRef<std::string> programs) {
  return "{\"programs\": " + list(programs) + "}";
}

inline Configuration configured(const std::string &program) {
  llvm::Expected<Configuration> result =
      Configuration::parse(configuration({program}));
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError()) << "\n" << program;
    std::abort();
  }
  return std::move(*result);
}

/// What a bag program has beside its layers.
struct BagShape {
  unsigned lanes = 8;
  unsigned width = 64;
  bool reserve = true;
  unsigned chunkBytes = 2048;
  unsigned tokenBytes = 512;
  unsigned outerQueue = 4;
  unsigned lookupQueue = 8;
  unsigned queue = 8;
  std::string level;
};

/// Embedding bags. Captures: number of bags, offsets, indices, table, width.
/// Each lane loads two floats; 8 of them make an operand of 16. Token 0 is a
/// row, token 1 ends a bag.
inline std::string bagProgram(const BagShape &shape) {
  std::vector<std::string> lanes, values;
  unsigned stride = shape.lanes * 2;
  for (unsigned lane = 0; lane < shape.lanes; ++lane) {
    lanes.push_back(unit(
        "dense", constant(lane * 2), capture(4), constant(stride), shape.queue,
        {"{\"kind\": \"position\"}",
         "{\"kind\": \"forward\", \"inputs\": [" + element(1, 0, 2) + "]}",
         alu("add", element(2, lane, 0), element(2, lane, 1)),
         load(3, "f32", element(2, lane, 2),
              ", \"elements\": 2" + shape.level)}));
    values.push_back(element(2, lane, 3));
  }
  unsigned rows = (shape.width + stride - 1) / stride;
  unsigned bytes = stride * 4;
  std::string token = shape.reserve ? filled("{\"token\": 0, \"reserve\": $0}",
                                             (rows + 1) * bytes)
                                    : "{\"token\": 0}";
  std::string operand = filled("{\"operand\": 0, \"streams\": $0, \"type\": "
                               "\"f32\", \"elements\": 2, \"bytes\": $1}",
                               list(values), bytes);
  return program(
      {scalarCapture("bags"), memoryCapture("offsets", "i64"),
       memoryCapture("indices", "i32"), memoryCapture("table", "f32"),
       scalarCapture("width")},
      {layer("single", {unit("dense", constant(0), capture(0), constant(1),
                             shape.outerQueue,
                             {"{\"kind\": \"position\"}",
                              alu("add", element(0, 0, 0), constant(1)),
                              load(1, "i64", element(0, 0, 0)),
                              load(1, "i64", element(0, 0, 1))})}),
       layer(
           "broadcast",
           {unit("range", element(0, 0, 2), element(0, 0, 3), constant(1),
                 shape.lookupQueue,
                 {"{\"kind\": \"position\"}", load(2, "i32", element(1, 0, 0)),
                  alu("mul", element(1, 0, 1), capture(4))})},
           {}, {}, {"{\"token\": 1}"}),
       layer("lockstep", lanes, {token}, {operand})},
      shape.chunkBytes, shape.tokenBytes);
}

} // namespace ember::sim

#endif
