//===- TableText.cpp - The tables of stages and targets as text -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/TableText.h"
#include "ember/Dialect/CIN/IR/Builtins.h"
#include "ember/Dialect/CIN/IR/RowEncodings.h"
#include "ember/Dialect/CIN/Notation/Notation.h"
#include "ember/Driver/Levels.h"
#include "ember/Driver/Targets.h"
#include "ember/Runtime/ScalarTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace ember;

std::string ember::joinNames(ArrayRef<StringRef> names) {
  if (names.size() < 2)
    return names.empty() ? "" : names.front().str();
  return join(names.drop_back(), ", ") + " or " + names.back().str();
}

template <typename RowT>
static void printRows(StringRef title, ArrayRef<RowT> rows, raw_ostream &os) {
  constexpr int nameWidth = 20;
  os << "\n" << title << ":\n";
  for (const RowT &row : rows)
    os << "  " << left_justify(row.name, nameWidth) << "    " << row.summary
       << "\n";
}

void ember::printStages(raw_ostream &os) {
  printRows("STAGES", getStages(), os);
}

void ember::printTargets(raw_ostream &os) {
  printRows("TARGETS", getTargets(), os);
}

/// Whether pages call some stage so: then it is no second name of another one.
static bool isTitle(StringRef name) {
  return any_of(getStages(),
                [&](const Stage &stage) { return stage.shownAs == name; });
}

static json::Array describeScalars() {
  json::Array rows;
  for (const ScalarType &row : scalarTypes)
    rows.push_back(json::Object{
        {"name", StringRef(row.name)},
        {"bits", row.bits},
        {"is_float", row.isFloat()},
        {"is_interchange_float", row.isInterchangeFloat()},
        {"array_type", StringRef(row.arrayType)},
        {"dlpack_code", row.dlpackCode},
    });
  return rows;
}

/// What rows of bytes may hold.
static json::Array describeRowEncodings() {
  json::Array rows;
  for (const cin::RowEncoding &row : cin::rowEncodings)
    rows.push_back(json::Object{
        {"name", StringRef(row.name)},
        {"bits", row.bits},
        {"is_integer", row.isInteger()},
        {"array_type", StringRef(row.arrayType())},
        {"usual_parameters", StringRef(row.usualParameters)},
    });
  return rows;
}

static json::Array describeRowParameters() {
  json::Array rows;
  for (const cin::RowParameters &row : cin::rowParameters)
    rows.push_back(json::Object{
        {"name", StringRef(row.name)},
        {"bits", row.bits},
        {"block_length", row.blockLength},
        {"array_type", StringRef(row.arrayType)},
    });
  return rows;
}

/// What statements call by a name that nobody else's function may have.
static json::Array describeFunctions() {
  json::Array rows;
  for (const cin::Builtin &row : cin::getBuiltins())
    rows.push_back(json::Object{{"name", StringRef(row.name)}});
  for (const cin::Synonym &row : cin::getSynonyms())
    rows.push_back(json::Object{{"name", StringRef(row.name)}});
  return rows;
}

/// How formats that have a name are spelled for arrays of one dimension and
/// more; null where they are not for so many.
static json::Array describeFormats() {
  constexpr size_t mostDimensions = 8;
  json::Array rows;
  for (StringRef name : cin::getFormatNames()) {
    json::Array spelled;
    for (size_t rank = 1; rank <= mostDimensions; ++rank) {
      std::string text = cin::spellFormat(name, rank);
      spelled.push_back(text.empty() ? json::Value(nullptr) : text);
    }
    rows.push_back(
        json::Object{{"name", name}, {"spelled", std::move(spelled)}});
  }
  return rows;
}

json::Value ember::makeTables() {
  json::Array stages;
  for (const Stage &stage : getStages()) {
    json::Array names{stage.shownAs.empty() ? stage.name : stage.shownAs};
    if (!stage.shownAs.empty() && !isTitle(stage.name))
      names.push_back(stage.name);
    if (!stage.alias.empty())
      names.push_back(stage.alias);
    stages.push_back(json::Object{{"name", stage.name},
                                  {"summary", stage.summary},
                                  {"shown_as", std::move(names)},
                                  {"level", stage.level},
                                  {"from", stage.from},
                                  {"decoupled", stage.isDecoupled},
                                  {"binary", stage.isBinary}});
  }
  json::Array targets;
  for (const KernelTarget &target : getTargets())
    targets.push_back(json::Object{{"name", target.name},
                                   {"summary", target.summary},
                                   {"stage", target.stage},
                                   {"orders_cases", target.ordersCases}});
  return json::Object{{"stages", std::move(stages)},
                      {"targets", std::move(targets)},
                      {"scalars", describeScalars()},
                      {"formats", describeFormats()},
                      {"functions", describeFunctions()},
                      {"row_encodings", describeRowEncodings()},
                      {"row_parameters", describeRowParameters()}};
}
