//===- DamagedGraphsTest.cpp - Graphs that are cut off or changed ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a file holds, there is a module or one error, and an end, and so
// there is of what is exported from the module. Graphs are cut off behind each
// of their bytes, and each of their bits is changed.
//
//===----------------------------------------------------------------------===//

#include "GraphDef.pb.h"

#include "ember/Translate/GraphDef/Export.h"
#include "ember/Translate/GraphDef/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ember::graphdef;

namespace {

Node &addNode(google::protobuf::RepeatedPtrField<Node> &nodes, const char *name,
              const char *kind,
              std::initializer_list<const char *> inputs = {}) {
  Node &node = *nodes.Add();
  node.set_name(name);
  node.set_op(kind);
  for (const char *input : inputs)
    node.add_input(input);
  return node;
}

void setType(Node &node, const char *attribute, int32_t type) {
  (*node.mutable_attr())[attribute].set_type(type);
}

constexpr int32_t f32 = 1, i64 = 9, text = 7;

/// A graph with a function, constants, shapes, lists and an unknown operator.
Graph makeGraph() {
  Graph graph;
  auto &nodes = *graph.mutable_node();
  setType(addNode(nodes, "x", "Placeholder"), "dtype", f32);
  Node &words = addNode(nodes, "w", "Const", {"^x"});
  setType(words, "dtype", text);
  Tensor &value = *(*words.mutable_attr())["value"].mutable_tensor();
  value.set_dtype(text);
  value.mutable_tensor_shape()->add_dim()->set_size(2);
  value.add_string_val("a");
  Node &numbers = addNode(nodes, "n", "Const");
  setType(numbers, "dtype", i64);
  Tensor &content = *(*numbers.mutable_attr())["value"].mutable_tensor();
  content.set_dtype(i64);
  content.mutable_tensor_shape()->add_dim()->set_size(1);
  content.set_tensor_content(std::string(8, '\1'));
  Node &split = addNode(nodes, "s", "Split", {"n", "x"});
  setType(split, "T", f32);
  (*split.mutable_attr())["num_split"].set_i(2);
  auto &shapes = *(*split.mutable_attr())["_output_shapes"].mutable_list();
  shapes.add_shape()->add_dim()->set_size(-1);
  shapes.add_shape()->set_unknown_rank(true);
  addNode(nodes, "u", "Unknown", {"w", "s:1"});
  Node &call = addNode(nodes, "c", "StatefulPartitionedCall", {"u:1", "^s"});
  (*call.mutable_attr())["f"].mutable_func()->set_name("f");
  addNode(nodes, "o", "NoneOfThese", {"c", "s"});
  Function &function = *graph.mutable_library()->add_function();
  function.mutable_signature()->set_name("f");
  function.mutable_signature()->add_input_arg()->set_name("a");
  function.mutable_signature()->add_output_arg()->set_name("r");
  setType(addNode(*function.mutable_node_def(), "i", "Neg", {"a"}), "T", f32);
  (*function.mutable_ret())["r"] = "i:y:0";
  (*function.mutable_control_ret())["i"] = "i";
  return graph;
}

/// A model that serves `graph`.
SavedModel makeModel(const Graph &graph) {
  SavedModel model;
  MetaGraph &served = *model.add_meta_graphs();
  *served.mutable_graph_def() = graph;
  Entry &entry = (*served.mutable_signature_def())["s"];
  (*entry.mutable_inputs())["x"].set_name("x:0");
  (*entry.mutable_outputs())["o"].set_name("o:0");
  return model;
}

class DamagedGraphs : public testing::TestWithParam<FileKind> {
protected:
  DamagedGraphs() : context(MLIRContext::Threading::DISABLED) {
    Graph graph = makeGraph();
    file = GetParam() == FileKind::graph ? graph.SerializeAsString()
                                         : makeModel(graph).SerializeAsString();
  }

  /// Whether `bytes` have a module; otherwise they have one error.
  bool hasModule(llvm::StringRef bytes) {
    unsigned errors = 0;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &) { ++errors; });
    ImportOptions options;
    if (GetParam() == FileKind::graph)
      options.outputs = {"o"};
    auto module = importGraphDef(llvm::MemoryBufferRef(bytes, "graph"),
                                 GetParam(), options, &context);
    EXPECT_EQ(errors, module ? 0u : 1u);
    if (!module || failed(verify(*module)))
      return false;
    expectEnd(*module, {{bytes, "graph"}, GetParam()}, errors);
    return true;
  }

  /// Expects a graph of the module that can be imported, or one more error.
  void expectEnd(ModuleOp module, const OriginalFile &original,
                 unsigned &errors) {
    auto function = *module.getOps<func::FuncOp>().begin();
    FailureOr<std::string> graph = exportGraphDef(function, original);
    EXPECT_EQ(errors, succeeded(graph) ? 0u : 1u);
    if (failed(graph) || function.getNumResults() == 0)
      return;
    Graph written;
    EXPECT_TRUE(written.ParseFromString(*graph));
  }

  MLIRContext context;
  std::string file;
};

} // namespace

TEST_P(DamagedGraphs, WholeOnesAreImported) { EXPECT_TRUE(hasModule(file)); }

TEST_P(DamagedGraphs, AreRefusedWhereTheyAreCutOff) {
  unsigned refused = 0;
  for (size_t length = 0; length < file.size(); ++length)
    refused += !hasModule(llvm::StringRef(file).take_front(length));
  // What is cut off between two functions or nodes that are not needed is
  // whole.
  EXPECT_GT(refused, file.size() * 9 / 10);
}

TEST_P(DamagedGraphs, AreNoHarmWithAnyBitChanged) {
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string damaged = file;
    damaged[bit / 8] ^= 1 << (bit % 8);
    hasModule(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(OfBothKinds, DamagedGraphs,
                         testing::Values(FileKind::graph,
                                         FileKind::savedModel));
