//===- MachineFile.cpp - Descriptions of machines in files ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/MachineParameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace ember::sim;
using llvm::StringRef;
namespace json = llvm::json;

/// What files say besides parameters.
static constexpr StringRef extendsName = "extends";
static constexpr StringRef aboutName = "about";

static llvm::Error errorIn(StringRef file, const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "machine file " + file + ": " + message);
}

/// Sets what a file says, after what the files that it extends say.
static llvm::Error read(StringRef file, MachineParameters &parameters,
                        std::vector<std::string> &open) {
  if (llvm::is_contained(open, file))
    return errorIn(file, "extends itself by way of " + open.back() +
                             "; remove one 'extends'");
  auto text = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!text)
    return errorIn(file,
                   text.getError().message() +
                       (open.empty() ? "" : ", extended by " + open.back()));
  llvm::Expected<json::Value> value = json::parse((*text)->getBuffer());
  if (!value)
    return errorIn(file, "no JSON: " + llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return errorIn(file, "describe the machine as an object, { ... }");
  if (const json::Value *extended = object->get(extendsName)) {
    std::optional<StringRef> name = extended->getAsString();
    if (!name)
      return errorIn(file, "extends: name a file as a string");
    llvm::SmallString<128> path = llvm::sys::path::parent_path(file);
    if (llvm::sys::path::is_absolute(*name))
      path.clear();
    llvm::sys::path::append(path, *name);
    open.push_back(file.str());
    if (llvm::Error error = read(path, parameters, open))
      return error;
    open.pop_back();
    object->erase(extendsName);
  }
  object->erase(aboutName);
  ParameterReader reader(*object);
  parameters.visit(reader);
  if (llvm::Error error = reader.takeError())
    return errorIn(file, llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Expected<MachineParameters> ember::sim::readMachine(StringRef file) {
  MachineParameters parameters;
  std::vector<std::string> open;
  if (llvm::Error error = read(file, parameters, open))
    return std::move(error);
  if (llvm::Error error = parameters.validate())
    return errorIn(file, llvm::toString(std::move(error)));
  return parameters;
}

json::Object ember::sim::describeMachine(MachineParameters parameters) {
  ParameterWriter writer;
  parameters.visit(writer);
  return writer.take();
}

json::Object ember::sim::machineSchema() {
  MachineParameters parameters;
  ParameterSchema schema;
  parameters.visit(schema);
  json::Object whole = schema.take("A machine for Ember's simulator");
  json::Object &properties = *whole.getObject("properties");
  properties[extendsName] = json::Object{
      {"type", "string"},
      {"description", "a file, beside this one, from which all is taken that "
                      "this one does not say"}};
  properties[aboutName] = json::Object{
      {"type", "string"}, {"description", "what the machine is, for readers"}};
  return whole;
}
