//===- FunctionBody.cpp - Nodes of one body, with their names -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes stand in any order, so that all are there before any is connected. In
// a graph an input is "node:number" or "node", in a function "argument" or
// "node:result:place"; "^node" is one that has to be done before.
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

FunctionBody::FunctionBody(FlatGraph &flat, Call inlined)
    : flat(flat), call(std::move(inlined)) {
  for (const auto &argument : call->function->signature().input_arg())
    arguments.insert(argument.name());
}

std::string FunctionBody::getFullName(StringRef name) const {
  return call ? call->name + "/" + name.str() : name.str();
}

LogicalResult FunctionBody::add(const NodeList &nodes) {
  for (const Node &node : nodes) {
    FailureOr<std::optional<Call>> inner = findCall(node);
    if (failed(inner))
      return failure();
    FailureOr<unsigned> added =
        *inner ? addCall(std::move(**inner)) : addOperator(node);
    if (failed(added))
      return failure();
    if (!names.try_emplace(node.name(), *added).second)
      return flat.emitError()
             << "two nodes are called '" << getFullName(node.name()) << "'";
  }
  for (unsigned node : unconnected)
    if (failed(connect(node)))
      return failure();
  return success();
}

FailureOr<unsigned> FunctionBody::addFlat(FlatNode node) {
  // Functions that call others twice each would be more than memory holds.
  constexpr size_t mostNodes = 1 << 22;
  if (flat.nodes.size() == mostNodes)
    return flat.emitError() << "the graph has more than " << mostNodes
                            << " nodes, those of the functions that it calls "
                               "included",
           failure();
  flat.nodes.push_back(std::move(node));
  return unsigned(flat.nodes.size() - 1);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// A node whose attributes hold no placeholders.
const Node &FunctionBody::substitute(const Node &node) {
  auto isPlaceholder = [](const auto &attribute) {
    return attribute.second.value_case() == AttrValue::kPlaceholder;
  };
  if (!call || llvm::none_of(node.attr(), isPlaceholder))
    return node;
  Node &copy = flat.copies.emplace_back(node);
  for (auto &[name, value] : *copy.mutable_attr()) {
    if (value.value_case() != AttrValue::kPlaceholder)
      continue;
    auto given = call->attributes->find(value.placeholder());
    if (given != call->attributes->end())
      value = AttrValue(given->second);
  }
  return copy;
}

FailureOr<unsigned> FunctionBody::addOperator(const Node &given) {
  const Node &node = substitute(given);
  FlatNode added;
  added.name = getFullName(node.name());
  added.definition = &node;
  added.known = findOperator(node.op());
  auto emit = [&] {
    return std::move(flat.emitError() << "node " << added.describe() << " ");
  };
  if (added.known) {
    FailureOr<SmallVector<Result>> results =
        getResults(*added.known, node, emit);
    if (failed(results))
      return failure();
    added.results = std::move(*results);
  }
  FailureOr<unsigned> number = addFlat(std::move(added));
  if (succeeded(number))
    unconnected.push_back(*number);
  return number;
}

LogicalResult FunctionBody::connect(unsigned node) {
  const Node &definition = *flat.nodes[node].definition;
  std::string reader = "node " + flat.nodes[node].describe();
  for (StringRef input : definition.input()) {
    if (input.consume_front("^")) {
      FailureOr<unsigned> before = findNode(input, reader);
      if (failed(before))
        return failure();
      flat.nodes[node].controls.push_back(*before);
      continue;
    }
    FailureOr<Port> port = find(input, reader);
    if (failed(port))
      return failure();
    flat.nodes[node].inputs.push_back(*port);
  }
  FlatNode &connected = flat.nodes[node];
  if (connected.isBorder && connected.inputs.size() != connected.results.size())
    return flat.emitError()
           << reader << " calls a function of " << connected.results.size()
           << " arguments with " << connected.inputs.size();
  // Nothing in a function comes before the call.
  if (call && connected.getNumDependencies() == 0)
    connected.controls.push_back(call->entry);
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

FailureOr<std::optional<FunctionBody::Call>>
FunctionBody::findCall(const Node &node) const {
  // More than models have, and less than the stack holds.
  constexpr unsigned deepestCall = 100;
  bool isCall =
      node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall";
  StringRef name = node.op();
  const AttributeMap *attributes = &node.attr();
  std::string described =
      "node '" + getFullName(node.name()) + "' (" + node.op() + ")";
  if (isCall) {
    auto callee = node.attr().find("f");
    if (callee == node.attr().end() ||
        callee->second.value_case() != AttrValue::kFunc)
      return flat.emitError() << described
                              << " has no attribute 'f' with the function "
                                 "that it calls",
             failure();
    name = callee->second.func().name();
    attributes = &callee->second.func().attr();
  }
  const Function *function = flat.library.lookup(name);
  if (!function && isCall)
    return flat.emitError() << described << " calls the function '" << name
                            << "', which the graph's library does not have",
           failure();
  if (!function)
    return std::optional<Call>();
  for (const FunctionBody *body = this; body && body->call;
       body = body->call->caller)
    if (body->call->function == function)
      return flat.emitError() << described << " calls the function '" << name
                              << "', which it is in",
             failure();
  unsigned depth = call ? call->depth + 1 : 1;
  if (depth > deepestCall)
    return flat.emitError() << described << " is in more than " << deepestCall
                            << " calls, one in the other",
           failure();
  return std::optional(Call{this, &node, function, attributes,
                            getFullName(node.name()),
                            /*isByName=*/!isCall, depth, /*entry=*/0});
}

FailureOr<unsigned> FunctionBody::addCall(Call inner) {
  FlatNode entry;
  entry.name = inner.name;
  entry.definition = inner.node;
  entry.isBorder = true;
  const Signature &signature = inner.function->signature();
  for (const auto *arguments :
       {&signature.input_arg(), &signature.output_arg()})
    for (const Signature::Argument &argument : *arguments)
      if (!argument.number_attr().empty() || !argument.type_list_attr().empty())
        return flat.emitError()
                   << "function '" << signature.name() << "' has '"
                   << argument.name()
                   << "', which is a list of tensors; only tensors are "
                      "supported",
               failure();
  for (const Signature::Argument &argument : signature.input_arg())
    entry.results.push_back({argument.name()});
  FailureOr<unsigned> number = addFlat(std::move(entry));
  if (failed(number))
    return failure();
  unconnected.push_back(*number);
  inner.entry = *number;
  FunctionBody body(flat, std::move(inner));
  if (failed(body.add(body.call->function->node_def())))
    return failure();
  return body.addExit();
}

FailureOr<unsigned> FunctionBody::addExit() {
  const Function &function = *call->function;
  std::string reader = "function '" + function.signature().name() + "'";
  FlatNode exit;
  exit.name = call->name;
  exit.definition = call->node;
  exit.isBorder = true;
  for (const Signature::Argument &argument :
       function.signature().output_arg()) {
    auto returned = function.ret().find(argument.name());
    if (returned == function.ret().end())
      return flat.emitError() << reader << " does not say what it returns as '"
                              << argument.name() << "'",
             failure();
    FailureOr<Port> port = find(returned->second, reader);
    if (failed(port))
      return failure();
    exit.inputs.push_back(*port);
    // Calls by an attribute have one list of results.
    if (call->isByName)
      exit.results.push_back({argument.name()});
    else
      exit.results.push_back({"output", unsigned(exit.results.size())});
  }
  for (const auto &[name, node] : function.control_ret()) {
    FailureOr<unsigned> before = findNode(node, reader);
    if (failed(before))
      return failure();
    exit.controls.push_back(*before);
  }
  // Files have them in no order.
  llvm::sort(exit.controls);
  // A function is called once all that it is given is there.
  exit.controls.push_back(call->entry);
  return addFlat(std::move(exit));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

FailureOr<unsigned> FunctionBody::findNode(StringRef name,
                                           const Twine &reader) const {
  if (isArgument(name))
    return call->entry;
  auto found = names.find(name);
  if (found != names.end())
    return found->second;
  return flat.emitError() << reader << " reads '" << name
                          << "', and there is no node of that name",
         failure();
}

FailureOr<Port> FunctionBody::find(StringRef text, const Twine &reader) {
  auto [name, rest] = text.split(':');
  FailureOr<unsigned> node = findNode(name, reader);
  if (failed(node))
    return failure();
  if (!call)
    return findResult(*node, /*name=*/"", /*place=*/rest, reader);
  if (isArgument(name))
    return findResult(*node, name, /*place=*/rest, reader);
  auto [result, place] = rest.split(':');
  return findResult(*node, result, place, reader);
}

FailureOr<Port> FunctionBody::findResult(unsigned node, StringRef name,
                                         StringRef place, const Twine &reader) {
  unsigned number = 0;
  FlatNode &source = flat.nodes[node];
  if (!place.empty() && place.getAsInteger(10, number))
    return flat.emitError() << reader << " reads '" << place << "' of "
                            << source.describe() << ", which is no number",
           failure();
  // Results of operators that are not known are called as they are read.
  bool isOpen = !source.known && !source.isBorder;
  if (name.empty() && !isOpen) {
    if (number < source.results.size())
      return Port{node, number};
    return flat.emitError()
               << reader << " reads result " << number << " of "
               << source.describe() << ", which has " << source.results.size(),
           failure();
  }
  for (auto [position, result] : llvm::enumerate(source.results))
    if (result.name == name && result.place == number)
      return Port{node, unsigned(position)};
  if (!isOpen)
    return flat.emitError()
               << reader << " reads '" << name << ":" << number << "' of "
               << source.describe() << ", which has no such result",
           failure();
  source.results.push_back({name.str(), number});
  return Port{node, unsigned(source.results.size() - 1)};
}
