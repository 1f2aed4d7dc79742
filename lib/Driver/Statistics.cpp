//===- Statistics.cpp - What a run loaded and pushed, as JSON -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up the totals that the runtime collected.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Statistics.h"

#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Driver/Levels.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

/// Bytes of a token in the control queue.
static constexpr int64_t tokenBytes = 8;

json::Object ember::describeLevels(ModuleOp module) {
  json::Object levels;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration())
      levels[json::fixUTF8(function.getSymName())] = getLevel(function);
  return levels;
}

/// What the access unit loads, or stores, as `kind` says.
static json::Array describeAccesses(const runtime::TraceTotals &totals,
                                    StringRef kind) {
  json::Array accesses;
  for (const runtime::AccessTotal &total : totals.accesses) {
    if (total.isStore != (kind == "stores"))
      continue;
    json::Object row{{"name", json::fixUTF8(total.memref)},
                     {kind, total.accesses},
                     {"elements", total.elements}};
    if (std::optional<slc::CacheLevel> level =
            slc::symbolizeCacheLevel(total.level))
      row["level"] = slc::stringifyCacheLevel(*level);
    if (total.isNontemporal)
      row["nontemporal"] = true;
    accesses.push_back(std::move(row));
  }
  return accesses;
}

static json::Object describeTokens(const runtime::TraceTotals &totals) {
  int64_t tokens = 0;
  int64_t values = 0;
  json::Object byName;
  for (const runtime::TokenTotal &total : totals.tokens) {
    tokens += total.count;
    values += total.values;
    byName[json::fixUTF8(total.name)] = total.count;
  }
  json::Object byProgram;
  for (const runtime::PointTotal &total : totals.points) {
    json::Value &program = byProgram[json::fixUTF8(total.program)];
    if (!program.getAsObject())
      program = json::Object();
    (*program.getAsObject())[total.point] = total.tokens;
  }
  return json::Object{{"tokens", tokens},
                      {"bytes", tokens * tokenBytes},
                      {"values", values},
                      {"by_name", std::move(byName)},
                      {"by_program", std::move(byProgram)}};
}

/// Adds `total` to the row `key` of a table of operands.
static void addTo(json::Object &table, StringRef key,
                  const runtime::OperandTotal &total) {
  json::Object row;
  if (json::Object *present = table.getObject(key))
    row = *present;
  row["operands"] = row.getInteger("operands").value_or(0) + total.count;
  row["bytes"] = row.getInteger("bytes").value_or(0) + total.bytes;
  table[json::fixUTF8(key)] = std::move(row);
}

static json::Object describeOperands(const runtime::TraceTotals &totals) {
  int64_t operands = 0;
  int64_t bytes = 0;
  int64_t largest = 0;
  json::Object byName;
  json::Object byType;
  for (const runtime::OperandTotal &total : totals.operands) {
    if (total.count == 0)
      continue;
    operands += total.count;
    bytes += total.bytes;
    largest = std::max(largest, total.bytes / total.count);
    addTo(byName, total.name, total);
    addTo(byType, total.type, total);
  }
  int64_t unaligned = 0;
  for (const runtime::OperandTotal &total : totals.operands)
    if (total.count != 0 && total.bytes / total.count < largest)
      unaligned += total.count;
  return json::Object{{"operands", operands},
                      {"bytes", bytes},
                      {"unaligned", unaligned},
                      {"by_name", std::move(byName)},
                      {"by_type", std::move(byType)}};
}

json::Value ember::makeStatistics(StringRef entry, json::Object levels,
                                  const runtime::TraceTotals &totals) {
  return json::Object{{"entry", json::fixUTF8(entry)},
                      {"levels", std::move(levels)},
                      {"streams", describeAccesses(totals, "loads")},
                      {"stores", describeAccesses(totals, "stores")},
                      {"control_queue", describeTokens(totals)},
                      {"data_queue", describeOperands(totals)}};
}
