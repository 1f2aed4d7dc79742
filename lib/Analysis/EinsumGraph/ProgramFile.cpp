//===- ProgramFile.cpp - Programs of JSON ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace ember::einsum;

/// An error if an object has a field that nobody reads.
static Error refuseOthers(const json::Object &object, const Twine &what,
                          ArrayRef<StringRef> known) {
  for (const auto &[key, value] : object) {
    StringRef name = key;
    if (!is_contained(known, name))
      return makeProgramError(what + " has no field '" + name + "'; it has " +
                              join(known, ", "));
  }
  return Error::success();
}

static Error readTensor(Program &program, StringRef name,
                        const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeProgramError("tensor '" + name + "' is no JSON object");
  if (Error error = refuseOthers(*object, "tensor '" + name + "'",
                                 {"shape", "nonzeros", "input", "output"}))
    return error;
  const json::Array *shape = object->getArray("shape");
  if (!shape)
    return makeProgramError("tensor '" + name + "' has no shape");
  Tensor tensor;
  tensor.name = name.str();
  for (const json::Value &size : *shape) {
    std::optional<int64_t> number = size.getAsInteger();
    // Other numbers that are not positive are refused where all are.
    if (!number || *number < 0)
      return makeProgramError("the shape of tensor '" + name +
                              "' has to be whole numbers");
    tensor.shape.push_back(*number);
  }
  if (const json::Value *nonzeros = object->get("nonzeros")) {
    std::optional<int64_t> number = nonzeros->getAsInteger();
    if (!number || tensor.shape.size() != 2)
      return makeProgramError("tensor '" + name +
                              "' has to be a matrix with a whole number of "
                              "nonzeros");
    tensor.storage = Storage::csr;
    tensor.nonzeros = *number;
  }
  for (auto [field, place] : {std::pair("input", &tensor.isInput),
                              std::pair("output", &tensor.isOutput)})
    if (const json::Value *flag = object->get(field)) {
      if (!flag->getAsBoolean())
        return makeProgramError("'" + Twine(field) + "' of tensor '" + name +
                                "' is neither true nor false");
      *place = *flag->getAsBoolean();
    }
  program.tensors.push_back(std::move(tensor));
  return Error::success();
}

static Error readOperation(Program &program, unsigned number,
                           const json::Value &value) {
  std::string what = "operation " + std::to_string(number + 1);
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeProgramError(what + " is no JSON object");
  if (Error error = refuseOthers(*object, what,
                                 {"name", "einsum", "elementwise", "whole"}))
    return error;
  StringRef name =
      object->getString("name").value_or(StringRef(what).drop_front(10));
  std::optional<OperationKind> kind;
  StringRef text;
  for (OperationKind other : {OperationKind::einsum, OperationKind::elementwise,
                              OperationKind::whole}) {
    std::optional<StringRef> expression = object->getString(nameOf(other));
    if (!expression)
      continue;
    if (kind)
      return makeProgramError(what + " has both '" + nameOf(*kind) + "' and '" +
                              nameOf(other) + "'");
    kind = other;
    text = *expression;
  }
  if (!kind)
    return makeProgramError(what +
                            " has none of 'einsum', 'elementwise' and 'whole'");
  return program.add(name, text, *kind);
}

static Error readLoop(Program &program, const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeProgramError("'loop' has to be an object of what is carried");
  program.isLoop = true;
  for (const auto &[key, entry] : *object) {
    StringRef current = key;
    std::optional<StringRef> next = entry.getAsString();
    std::optional<unsigned> to = program.findTensor(current);
    std::optional<unsigned> from =
        next ? program.findTensor(*next) : std::nullopt;
    if (!to || !from)
      return makeProgramError("the loop carries '" +
                              (to ? next.value_or("") : current) +
                              "', which is no tensor");
    if (program.tensors[*to].shape != program.tensors[*from].shape)
      return makeProgramError("the loop carries '" + *next + "' as '" +
                              current + "', which has another shape");
    program.carried.push_back({*to, *from});
  }
  return Error::success();
}

Expected<Program> ember::einsum::parseProgram(StringRef json) {
  auto value = json::parse(json);
  if (!value)
    return makeProgramError("a program is JSON: " +
                            toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  const json::Object *tensors = object ? object->getObject("tensors") : nullptr;
  const json::Array *operations =
      object ? object->getArray("operations") : nullptr;
  if (!tensors || !operations)
    return makeProgramError("a program is a JSON object with 'tensors' and "
                            "'operations'");
  if (Error error =
          refuseOthers(*object, "a program",
                       {"$schema", "about", "tensors", "operations", "loop"}))
    return error;
  Program program;
  // Objects have no order; names have one.
  SmallVector<StringRef> names;
  for (const auto &entry : *tensors)
    names.push_back(entry.first);
  llvm::sort(names);
  for (StringRef name : names)
    if (Error error = readTensor(program, name, *tensors->get(name)))
      return error;
  for (auto [number, operation] : enumerate(*operations))
    if (Error error = readOperation(program, number, operation))
      return error;
  if (const json::Value *loop = object->get("loop"))
    if (Error error = readLoop(program, *loop))
      return error;
  if (Error error = program.verify())
    return error;
  return program;
}
