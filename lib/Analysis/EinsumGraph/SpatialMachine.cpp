//===- SpatialMachine.cpp - Clusters with a memory of their own -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/SpatialMachine.h"

#include "ember/Analysis/EinsumGraph/Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace ember::einsum;

namespace {
struct Field {
  StringLiteral name;
  int64_t SpatialMachine::*place;
  int64_t most;
};
} // namespace

static constexpr Field fields[] = {
    {"clusters", &SpatialMachine::clusters, 1 << 20},
    {"processingElements", &SpatialMachine::processingElements, 1 << 20},
    {"registerFile", &SpatialMachine::registerFile, int64_t(1) << 30},
    {"sram", &SpatialMachine::sram, int64_t(1) << 50},
    {"wordBytes", &SpatialMachine::wordBytes, 64},
    {"pipelineHops", &SpatialMachine::pipelineHops, 1 << 20},
};

Expected<SpatialMachine> ember::einsum::parseMachine(StringRef json) {
  auto value = json::parse(json);
  if (!value)
    return makeProgramError("a machine is JSON: " +
                            toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return makeProgramError("a machine is a JSON object");
  SpatialMachine machine;
  for (const auto &[key, entry] : *object) {
    StringRef name = key;
    if (name == "$schema" || name == "about")
      continue;
    const Field *field =
        find_if(fields, [&](const Field &f) { return f.name == name; });
    if (field == std::end(fields)) {
      std::string known;
      for (const Field &f : fields)
        known += (known.empty() ? "" : ", ") + f.name.str();
      return makeProgramError("a machine has no field '" + name + "'; it has " +
                              known);
    }
    std::optional<int64_t> number = entry.getAsInteger();
    if (!number || *number < 1 || *number > field->most)
      return makeProgramError("field '" + name +
                              "' of a machine has to be a whole number from 1 "
                              "to " +
                              Twine(field->most));
    machine.*field->place = *number;
  }
  if (machine.sram < machine.wordBytes)
    return makeProgramError("the SRAM of a machine holds at least a word");
  return machine;
}
