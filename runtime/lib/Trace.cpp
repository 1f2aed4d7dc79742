//===- Trace.cpp - Collecting what instrumented kernels report ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One collector for the process: totals under a lock, and a listing.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Trace.h"
#include "OperandText.h"
#include "ember/Runtime/Queue.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

using namespace ember::runtime;

namespace {
// Whether an access is a store, its cache level, whether it is non-temporal.
using AccessHints = std::tuple<bool, int32_t, bool>;

struct Collector {
  std::mutex mutex;
  std::map<std::string, std::map<AccessHints, AccessTotal>, std::less<>>
      accesses;
  std::map<std::string, std::map<std::string, OperandTotal, std::less<>>,
           std::less<>>
      operands;
  std::map<std::string, TokenTotal, std::less<>> tokens;
  std::map<std::string, std::map<std::string, int64_t, std::less<>>,
           std::less<>>
      points;

  FILE *listing = nullptr;
  std::string listingPath;
  int writeErrno = 0; // of the first write that failed
  std::string line;   // kept, so that its memory is reused

  void list() {
    if (!listing || writeErrno)
      return;
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), listing) != line.size())
      writeErrno = errno;
  }

  void addToken(std::string_view program, std::string_view point,
                std::string_view name, bool hasValue);
};
} // namespace

// Checked before the lock is taken, for kernels that run after the collection.
static std::atomic<bool> isCollecting = false;

static Collector &collector() {
  static Collector instance;
  return instance;
}

// The entry for `name`, made if it is missing.
template <typename Map>
static typename Map::mapped_type &entry(Map &map, std::string_view name) {
  auto found = map.find(name);
  if (found == map.end())
    found = map.emplace(name, typename Map::mapped_type()).first;
  return found->second;
}

void Collector::addToken(std::string_view program, std::string_view point,
                         std::string_view name, bool hasValue) {
  TokenTotal &total = entry(tokens, name);
  ++total.count;
  total.values += hasValue;
  ++entry(entry(points, program), point);
  line = "ctrl ";
  line += name;
}

static int32_t reportError(ember_error *error, const std::string &path,
                           int reason) {
  if (error) {
    error->code = EMBER_ASSERT;
    std::snprintf(error->message, sizeof(error->message),
                  "cannot write '%s': %s", path.c_str(), std::strerror(reason));
  }
  return EMBER_ASSERT;
}

static int32_t reportSuccess(ember_error *error) {
  if (error) {
    error->code = EMBER_OK;
    error->message[0] = '\0';
  }
  return EMBER_OK;
}

// Returns the reason if the listing could not be written, else 0.
static int closeListing(Collector &collector) {
  int reason = collector.writeErrno;
  if (collector.listing && std::fclose(collector.listing) != 0 && !reason)
    reason = errno;
  collector.listing = nullptr;
  collector.writeErrno = 0;
  return reason;
}

int32_t ember_trace_begin(const char *listing, ember_error *error) {
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  closeListing(state);
  state.accesses.clear();
  state.operands.clear();
  state.tokens.clear();
  state.points.clear();
  if (listing) {
    state.listingPath = listing;
    state.listing = std::fopen(listing, "w");
    if (!state.listing) {
      isCollecting = false;
      return reportError(error, state.listingPath, errno);
    }
  }
  isCollecting = true;
  return reportSuccess(error);
}

int32_t ember_trace_end(ember_error *error) {
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  isCollecting = false;
  if (int reason = closeListing(state))
    return reportError(error, state.listingPath, reason);
  return reportSuccess(error);
}

void ember_count_access(const char *memref, int64_t elements, int32_t isStore,
                        int32_t level, int32_t nontemporal) {
  if (!isCollecting)
    return;
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  AccessHints hints(isStore != 0, level, nontemporal != 0);
  AccessTotal &total = entry(state.accesses, memref)[hints];
  ++total.accesses;
  total.elements += elements;
}

void ember_trace_operand(const char *name, const char *type, int64_t lanes,
                         int32_t elementBits, int32_t kind, int64_t bytes,
                         const void *data) {
  if (!isCollecting)
    return;
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  OperandTotal &total = entry(entry(state.operands, name), type);
  ++total.count;
  total.bytes += bytes;
  if (!state.listing)
    return;
  state.line = "data ";
  state.line += type;
  state.line += ' ';
  appendOperand(state.line, {type, lanes, elementBits, kind, data});
  state.list();
}

void ember_trace_token(const char *program, const char *point, const char *name,
                       int64_t id) {
  if (!isCollecting)
    return;
  bool isDone = id == EMBER_DONE;
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.addToken(program, isDone ? "done" : point, isDone ? "done" : name,
                 /*hasValue=*/false);
  state.list();
}

void ember_trace_token_value(const char *program, const char *point,
                             const char *name, const char *type,
                             int32_t elementBits, int32_t kind, int64_t value) {
  if (!isCollecting)
    return;
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.addToken(program, point, name, /*hasValue=*/true);
  state.line += ' ';
  state.line += type;
  state.line += ' ';
  appendOperand(state.line, {type, 1, elementBits, kind, &value});
  state.list();
}

TraceTotals ember::runtime::traceTotals() {
  Collector &state = collector();
  std::lock_guard<std::mutex> lock(state.mutex);
  TraceTotals totals;
  for (const auto &[memref, byHints] : state.accesses)
    for (const auto &[hints, total] : byHints) {
      auto [isStore, level, isNontemporal] = hints;
      totals.accesses.push_back({memref, isStore, level, isNontemporal,
                                 total.accesses, total.elements});
    }
  for (const auto &[name, types] : state.operands)
    for (const auto &[type, total] : types)
      totals.operands.push_back({name, type, total.count, total.bytes});
  for (const auto &[name, total] : state.tokens)
    totals.tokens.push_back({name, total.count, total.values});
  for (const auto &[program, points] : state.points)
    for (const auto &[point, tokens] : points)
      totals.points.push_back({program, point, tokens});
  return totals;
}
