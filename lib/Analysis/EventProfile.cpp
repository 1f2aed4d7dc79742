//===- EventProfile.cpp - How often tokens were pushed --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EventProfile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace ember;
namespace json = llvm::json;

DenseMap<int64_t, std::string> ember::getProfileNames(dlc::ProgramOp program) {
  DenseMap<Value, size_t> depths;
  llvm::StringMap<unsigned> present;
  DenseMap<int64_t, std::string> names;
  for (Operation &op : *program.getAccessBody()) {
    if (isa<dlc::NewTUOp>(op))
      depths.insert({op.getResult(0), depths.size()});
    auto callback = dyn_cast<dlc::RegisterCallbackOp>(op);
    if (!callback)
      continue;
    std::string name = "tu" + std::to_string(depths.lookup(callback.getTu())) +
                       "." + stringifyEvent(callback.getEvent()).str();
    unsigned number = ++present[name];
    names[callback.getId()] =
        number == 1 ? name : name + "." + std::to_string(number);
  }
  return names;
}

static llvm::Error makeError(StringRef path, const Twine &what) {
  return llvm::createStringError(Twine("profile '") + path + "' " + what);
}

llvm::Expected<EventProfile> EventProfile::read(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return makeError(path, "cannot be read: " + file.getError().message());
  llvm::Expected<json::Value> json = json::parse((*file)->getBuffer());
  if (!json)
    return makeError(path, "is no JSON: " + llvm::toString(json.takeError()));
  const json::Object *root = json->getAsObject();
  const json::Object *queue = root ? root->getObject("control_queue") : nullptr;
  const json::Object *byProgram =
      queue ? queue->getObject("by_program") : nullptr;
  if (!byProgram)
    return makeError(path, "holds no 'control_queue.by_program'; "
                           "'ember-run --stats' writes such a file");
  EventProfile profile;
  for (const auto &[program, points] : *byProgram) {
    const json::Object *counts = points.getAsObject();
    if (!counts)
      return makeError(path, "has no counts for '" + program.str() + "'");
    llvm::StringMap<int64_t> &events = profile.programs[program.str()];
    for (const auto &[point, count] : *counts) {
      std::optional<int64_t> number = count.getAsInteger();
      if (!number || *number < 0)
        return makeError(path, "has no count for '" + point.str() + "' of '" +
                                   program.str() + "'");
      events[point.str()] = *number;
    }
  }
  return profile;
}

const llvm::StringMap<int64_t> *EventProfile::lookup(StringRef program) const {
  auto found = programs.find(program);
  return found == programs.end() ? nullptr : &found->second;
}
