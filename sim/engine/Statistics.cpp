//===- Statistics.cpp - What a run counted --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Engine/Statistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <bit>

using namespace ember::sim;
using llvm::StringRef;
namespace json = llvm::json;

void Histogram::add(uint64_t value) {
  size_t range = std::bit_width(value);
  if (range >= ranges.size())
    ranges.resize(range + 1);
  ++ranges[range];
  ++number;
  sum += value;
  highest = std::max(highest, value);
}

json::Object Histogram::toJSON() const {
  json::Array counts;
  for (auto [range, count] : llvm::enumerate(ranges))
    if (count)
      counts.push_back(
          json::Array{range ? uint64_t{1} << (range - 1) : 0, count});
  return json::Object{{"count", number},
                      {"mean", mean()},
                      {"most", highest},
                      {"from", std::move(counts)}};
}

void Statistics::add(StringRef path, StringRef description,
                     std::function<json::Value(Tick)> value) {
  entries.push_back({path.str(), description.str(), std::move(value)});
}

void Statistics::add(StringRef path, const uint64_t &counter,
                     StringRef description) {
  add(path, description, [&counter](Tick) { return json::Value(counter); });
}

void Statistics::add(StringRef path, const Occupancy &occupancy,
                     StringRef description) {
  occupied.push_back({path.str(), &occupancy});
  add(path, description, [&occupancy](Tick now) {
    return json::Object{{"mean", occupancy.mean(now)},
                        {"most", occupancy.most()}};
  });
}

void Statistics::add(StringRef path, const Histogram &histogram,
                     StringRef description) {
  add(path, description, [&histogram](Tick) { return histogram.toJSON(); });
}

void Statistics::add(StringRef path, std::function<double()> value,
                     StringRef description) {
  add(path, description,
      [value = std::move(value)](Tick) { return json::Value(value()); });
}

/// The object in which the last part of a path stands. Objects own their keys:
/// they live longer than the machine.
static json::Object &objectOf(json::Object &root,
                              llvm::ArrayRef<StringRef> parts) {
  json::Object *object = &root;
  for (StringRef part : parts.drop_back()) {
    json::Value &value = (*object)[part.str()];
    if (!value.getAsObject())
      value = json::Object();
    object = value.getAsObject();
  }
  return *object;
}

json::Object Statistics::toJSON(Tick now) const {
  json::Object root;
  for (const Entry &entry : entries) {
    llvm::SmallVector<StringRef> parts;
    StringRef(entry.path).split(parts, '.');
    objectOf(root, parts)[parts.back().str()] = entry.value(now);
  }
  return root;
}

json::Object Statistics::describe() const {
  json::Object root;
  for (const Entry &entry : entries)
    root[std::string(entry.path)] = std::string(entry.description);
  return root;
}
