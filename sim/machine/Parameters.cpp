//===- Parameters.cpp - Descriptions of machines, read and written --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/Parameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <charconv>

using namespace ember::sim;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

StringRef ember::sim::nameOf(Origin origin) {
  switch (origin) {
  case Origin::stated:
    return "stated";
  case Origin::published:
    return "published";
  case Origin::derived:
    return "derived";
  case Origin::unknown:
    return "unknown";
  }
  llvm_unreachable("an origin without a name");
}

static std::string textOf(const json::Value &value) {
  return formatv("{0}", value).str();
}

/// As short as it can be read back.
static std::string textOf(double value) {
  std::array<char, 32> text;
  char *end = std::to_chars(text.begin(), text.end(), value).ptr;
  return std::string(text.begin(), end);
}

//===----------------------------------------------------------------------===//
// ParameterReader
//===----------------------------------------------------------------------===//

ParameterReader::ParameterReader(const json::Object &object) {
  scopes.push_back({"", &object, {}});
}

const json::Value *ParameterReader::find(StringRef name) {
  Scope &scope = scopes.back();
  scope.known.push_back(name);
  return scope.object ? scope.object->get(name) : nullptr;
}

void ParameterReader::complain(StringRef name, const Twine &message) {
  errors.push_back((scopes.back().path + name + ": " + message).str());
}

void ParameterReader::integer(const ParameterInfo &info, uint64_t &value,
                              IntegerRange range) {
  const json::Value *given = find(info.name);
  if (!given)
    return;
  std::optional<uint64_t> number = given->getAsUINT64();
  if (!number || *number < range.least || *number > range.most)
    return complain(info.name, textOf(*given) + " is no whole number from " +
                                   Twine(range.least) + " to " +
                                   Twine(range.most));
  if (range.powerOfTwo && !llvm::isPowerOf2_64(*number))
    return complain(info.name, Twine(*number) + " is no power of two");
  value = *number;
}

void ParameterReader::number(const ParameterInfo &info, double &value,
                             NumberRange range) {
  const json::Value *given = find(info.name);
  if (!given)
    return;
  std::optional<double> number = given->getAsNumber();
  if (!number || !(*number >= range.least && *number <= range.most)) {
    bool bounded = range.most != std::numeric_limits<double>::infinity();
    return complain(info.name,
                    textOf(*given) + " is no number from " +
                        textOf(range.least) +
                        (bounded ? " to " + textOf(range.most) : " on"));
  }
  value = *number;
}

void ParameterReader::flag(const ParameterInfo &info, bool &value) {
  const json::Value *given = find(info.name);
  if (!given)
    return;
  if (std::optional<bool> flag = given->getAsBoolean())
    value = *flag;
  else
    complain(info.name, textOf(*given) + " is neither true nor false");
}

void ParameterReader::choice(const ParameterInfo &info, unsigned &value,
                             ArrayRef<StringRef> names) {
  const json::Value *given = find(info.name);
  if (!given)
    return;
  std::optional<StringRef> name = given->getAsString();
  const auto *found = name ? llvm::find(names, *name) : names.end();
  if (found == names.end())
    return complain(info.name,
                    textOf(*given) + " is none of " + llvm::join(names, ", "));
  value = found - names.begin();
}

void ParameterReader::enter(StringRef name, StringRef) {
  const json::Value *given = find(name);
  const json::Object *object = given ? given->getAsObject() : nullptr;
  if (given && !object)
    complain(name, textOf(*given) + " is no object of parameters");
  scopes.push_back({scopes.back().path + name.str() + ".", object, {}});
}

void ParameterReader::leave() {
  findUnknown(scopes.back());
  scopes.pop_back();
}

void ParameterReader::findUnknown(const Scope &scope) {
  if (!scope.object)
    return;
  for (const auto &[key, value] : *scope.object) {
    StringRef name = key;
    // Editors find the schema by it.
    if (llvm::is_contained(scope.known, name) ||
        (scope.path.empty() && name == "$schema"))
      continue;
    StringRef nearest =
        *llvm::min_element(scope.known, [&](StringRef left, StringRef right) {
          return name.edit_distance(left) < name.edit_distance(right);
        });
    errors.push_back(scope.path + name.str() +
                     ": no such parameter; the nearest is '" + nearest.str() +
                     "'");
  }
}

llvm::Error ParameterReader::takeError() {
  findUnknown(scopes.front());
  if (errors.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::join(errors, "\n"));
}

//===----------------------------------------------------------------------===//
// ParameterWriter
//===----------------------------------------------------------------------===//

void ParameterWriter::integer(const ParameterInfo &info, uint64_t &value,
                              IntegerRange) {
  objects.back()[info.name] = value;
}

void ParameterWriter::number(const ParameterInfo &info, double &value,
                             NumberRange) {
  objects.back()[info.name] = value;
}

void ParameterWriter::flag(const ParameterInfo &info, bool &value) {
  objects.back()[info.name] = value;
}

void ParameterWriter::choice(const ParameterInfo &info, unsigned &value,
                             ArrayRef<StringRef> names) {
  objects.back()[info.name] = names[value];
}

void ParameterWriter::enter(StringRef name, StringRef) {
  names.push_back(name.str());
  objects.emplace_back();
}

void ParameterWriter::leave() {
  json::Object part = std::move(objects.back());
  objects.pop_back();
  objects.back()[names.back()] = std::move(part);
  names.pop_back();
}

//===----------------------------------------------------------------------===//
// ParameterSchema
//===----------------------------------------------------------------------===//

void ParameterSchema::add(const ParameterInfo &info, json::Object schema) {
  schema["description"] = formatv("{0}{1}{2} ({3}: {4})", info.description,
                                  info.unit.empty() ? "" : ", in ", info.unit,
                                  nameOf(info.origin), info.reason)
                              .str();
  properties.back()[info.name] = std::move(schema);
}

void ParameterSchema::integer(const ParameterInfo &info, uint64_t &value,
                              IntegerRange range) {
  add(info, json::Object{{"type", "integer"},
                         {"minimum", range.least},
                         {"maximum", range.most},
                         {"default", value}});
}

void ParameterSchema::number(const ParameterInfo &info, double &value,
                             NumberRange range) {
  json::Object schema{
      {"type", "number"}, {"minimum", range.least}, {"default", value}};
  if (range.most != std::numeric_limits<double>::infinity())
    schema["maximum"] = range.most;
  add(info, std::move(schema));
}

void ParameterSchema::flag(const ParameterInfo &info, bool &value) {
  add(info, json::Object{{"type", "boolean"}, {"default", value}});
}

void ParameterSchema::choice(const ParameterInfo &info, unsigned &value,
                             ArrayRef<StringRef> names) {
  json::Array all;
  for (StringRef name : names)
    all.push_back(name);
  add(info, json::Object{{"enum", std::move(all)}, {"default", names[value]}});
}

static json::Object schemaOfPart(json::Object properties) {
  return json::Object{{"type", "object"},
                      {"properties", std::move(properties)},
                      {"additionalProperties", false}};
}

void ParameterSchema::enter(StringRef name, StringRef description) {
  parts.push_back({name.str(), description.str()});
  properties.emplace_back();
}

void ParameterSchema::leave() {
  json::Object part = schemaOfPart(std::move(properties.back()));
  properties.pop_back();
  part["description"] = parts.back().second;
  properties.back()[parts.back().first] = std::move(part);
  parts.pop_back();
}

json::Object ParameterSchema::take(StringRef title) {
  properties.back()["$schema"] = json::Object{{"type", "string"}};
  json::Object schema = schemaOfPart(std::move(properties.back()));
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = title;
  return schema;
}
