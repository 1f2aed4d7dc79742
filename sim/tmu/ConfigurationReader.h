//===- ConfigurationReader.h - Reading a JSON with paths --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a JSON with its path. The first complaint about any of them is
// kept; what is read after it has no meaning but does no harm, so readers test
// for it once, at the end.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_CONFIGURATIONREADER_H
#define EMBER_SIM_TMU_CONFIGURATIONREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace ember::sim {

/// What was wrong first.
struct Complaint {
  std::string message;
};

class JSONPart {
public:
  JSONPart(const llvm::json::Value *value, std::string path,
           Complaint &complaint)
      : value(value), path(std::move(path)), complaint(&complaint) {}

  bool exists() const { return value != nullptr; }
  bool failed() const { return !complaint->message.empty(); }
  void complain(const llvm::Twine &what) const {
    if (!failed())
      complaint->message =
          ((path.empty() ? "the configuration" : path) + ": " + what).str();
  }

  /// A member of an object; `exists` says whether it is there.
  JSONPart find(llvm::StringRef name) const {
    const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
    return {object ? object->get(name) : nullptr,
            path.empty() ? name.str() : path + "." + name.str(), *complaint};
  }
  /// One that has to be there.
  JSONPart member(llvm::StringRef name) const {
    JSONPart part = find(name);
    if (!part.exists())
      complain("'" + name + "' is missing");
    return part;
  }
  /// Complains about members of other names.
  void expectObject(llvm::ArrayRef<llvm::StringRef> names) const {
    const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
    if (!object) {
      complain("an object, { ... }, is expected");
      return;
    }
    // Sorted: objects have no order, and errors have to be the same each time.
    std::string first;
    for (const auto &[key, unused] : *object)
      if (!llvm::is_contained(names, key.str()) &&
          (first.empty() || key.str() < first))
        first = key.str();
    if (!first.empty())
      complain("'" + first + "' is no name of anything here");
  }

  size_t size() const {
    const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
    if (!array) {
      if (value)
        complain("an array, [ ... ], is expected");
      return 0;
    }
    return array->size();
  }
  JSONPart at(size_t index) const {
    return {&(*value->getAsArray())[index],
            path + "[" + std::to_string(index) + "]", *complaint};
  }

  std::string text() const {
    std::optional<llvm::StringRef> string =
        value ? value->getAsString() : std::nullopt;
    if (!string && value)
      complain("a string is expected");
    return string ? string->str() : "";
  }
  uint64_t integer(uint64_t least, uint64_t most) const {
    std::optional<uint64_t> number =
        value ? value->getAsUINT64() : std::nullopt;
    if (number && *number >= least && *number <= most)
      return *number;
    if (value)
      complain("a whole number from " + llvm::Twine(least) + " to " +
               llvm::Twine(most) + " is expected");
    return least;
  }
  bool flag() const {
    std::optional<bool> boolean = value ? value->getAsBoolean() : std::nullopt;
    if (!boolean && value)
      complain("true or false is expected");
    return boolean.value_or(false);
  }
  /// The bits of any number of 64 bits.
  uint64_t bits() const {
    if (!value)
      return 0;
    if (std::optional<int64_t> number = value->getAsInteger())
      return static_cast<uint64_t>(*number);
    if (std::optional<uint64_t> number = value->getAsUINT64())
      return *number;
    complain("a whole number of 64 bits is expected; floats are given by "
             "their bits");
    return 0;
  }
  /// The index of a name.
  unsigned choice(llvm::ArrayRef<llvm::StringRef> names) const {
    if (!value)
      return 0;
    std::optional<llvm::StringRef> string = value->getAsString();
    for (auto [index, name] : llvm::enumerate(names))
      if (string == name)
        return static_cast<unsigned>(index);
    std::string all;
    for (llvm::StringRef name : names)
      all += (all.empty() ? "" : ", ") + name.str();
    complain((string ? "'" + *string + "' is none of " : "none of ") + all);
    return 0;
  }

private:
  const llvm::json::Value *value;
  std::string path;
  Complaint *complaint;
};

} // namespace ember::sim

#endif
