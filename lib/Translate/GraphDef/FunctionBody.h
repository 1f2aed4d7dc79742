//===- FunctionBody.h - Nodes of one body, with their names -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_FUNCTIONBODY_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_FUNCTIONBODY_H

#include "FlatGraph.h"

#include "llvm/ADT/StringSet.h"

namespace ember::graphdef {

using NodeList = google::protobuf::RepeatedPtrField<Node>;
using AttributeMap = google::protobuf::Map<std::string, AttrValue>;

/// Adds the nodes of a graph, or of a function for one of its calls, to a flat
/// graph.
class FunctionBody {
public:
  /// The body of the graph itself.
  explicit FunctionBody(FlatGraph &flat) : flat(flat) {}

  /// Adds `nodes` and what they call, then connects them.
  mlir::LogicalResult add(const NodeList &nodes);

  /// The result that `reader` calls `text`.
  mlir::FailureOr<Port> find(llvm::StringRef text, const llvm::Twine &reader);

  /// The nodes by their names, a call by its exit.
  const llvm::StringMap<unsigned> &getNames() const { return names; }

private:
  /// What a body is inlined from.
  struct Call {
    const FunctionBody *caller;
    const Node *node;
    const Function *function;
    /// What the placeholders of attributes stand for.
    const AttributeMap *attributes;
    /// The node behind the names of calls.
    std::string name;
    /// The operator is the function's name, and not one that has a function as
    /// its attribute.
    bool isByName;
    unsigned depth;
    unsigned entry;
  };
  FunctionBody(FlatGraph &flat, Call inlined);

  mlir::FailureOr<std::optional<Call>> findCall(const Node &node) const;
  mlir::FailureOr<unsigned> addCall(Call inner);
  mlir::FailureOr<unsigned> addExit();
  mlir::FailureOr<unsigned> addOperator(const Node &node);
  const Node &substitute(const Node &node);
  mlir::FailureOr<unsigned> addFlat(FlatNode node);
  mlir::LogicalResult connect(unsigned node);

  bool isArgument(llvm::StringRef name) const {
    return arguments.contains(name);
  }
  mlir::FailureOr<unsigned> findNode(llvm::StringRef name,
                                     const llvm::Twine &reader) const;
  mlir::FailureOr<Port> findResult(unsigned node, llvm::StringRef name,
                                   llvm::StringRef place,
                                   const llvm::Twine &reader);
  std::string getFullName(llvm::StringRef name) const;

  FlatGraph &flat;
  /// Of a function; the graph itself has none.
  std::optional<Call> call;
  llvm::StringMap<unsigned> names;
  /// Of the function, which are results of its entry.
  llvm::StringSet<> arguments;
  /// What has been added, still without its inputs.
  llvm::SmallVector<unsigned> unconnected;
};

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_FUNCTIONBODY_H
