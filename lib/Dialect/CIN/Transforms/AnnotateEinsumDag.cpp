//===- AnnotateEinsumDag.cpp - What statements pass to each other ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph of a function's operations is that of ember-dag; what it says of
// each statement becomes an attribute of it.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Import/FromFunction.h"
#include "ember/Analysis/EinsumGraph/Schedule.h"
#include "ember/Dialect/CIN/IR/Reuse.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace ember::cin {
#define GEN_PASS_DEF_ANNOTATEEINSUMDAG
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// What a graph says of the operations of a program, each read from one of
/// `origins`.
static void annotate(const einsum::Graph &graph,
                     const einsum::LoopOrders &orders,
                     const einsum::DominanceOptions &dominance,
                     const einsum::Origins &origins) {
  const einsum::ReuseAnalysis &reuse = orders.reuse;
  DenseMap<unsigned, unsigned> stepOf;
  for (auto [number, step] :
       llvm::enumerate(einsum::schedulePipelines(graph, reuse)))
    for (unsigned node : step)
      stepOf[node] = number;
  // The first iteration speaks for all.
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    auto statement = dyn_cast<ForallOp>(origins[node.statement]);
    if (!statement || node.iteration.value_or(0) > 0)
      continue;
    const einsum::Operation &operation = graph.operationOf(node);
    Reuse mine;
    mine.node = node.statement;
    mine.dominance = einsum::nameOf(reuse.nodes[number].dominance).str();
    mine.stage = reuse.nodes[number].stage;
    mine.step = stepOf[number];
    for (unsigned edge : node.outgoing) {
      const einsum::Node &target = graph.nodes[graph.edges[edge].target];
      if (target.iteration == node.iteration)
        mine.feeds.push_back({target.statement,
                              einsum::nameOf(reuse.edges[edge].pattern).str()});
    }
    if (auto rank = einsum::findDominantRank(operation, dominance))
      mine.rank = operation.ranks[*rank].name;
    mine.setOn(statement);
  }
}

namespace {
struct AnnotateEinsumDag
    : public ember::cin::impl::AnnotateEinsumDagBase<AnnotateEinsumDag> {
  using AnnotateEinsumDagBase::AnnotateEinsumDagBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<EvaluateOp> evaluations;
    bool onTensors = false;
    function.walk([&](EvaluateOp evaluate) {
      onTensors |= evaluate.getNumResults() > 0;
      evaluations.push_back(evaluate);
    });
    if (evaluations.empty())
      return;
    einsum::FunctionOptions options;
    if (onTensors) {
      run(function, [&](einsum::Origins &origins) {
        return einsum::readFunction(function, options, &origins);
      });
      return;
    }
    for (EvaluateOp evaluate : evaluations)
      run(evaluate, [&](einsum::Origins &origins) {
        return einsum::readEvaluation(evaluate, options, &origins);
      });
  }

private:
  /// Annotates what `read` reads; a remark says why nothing is known of it.
  void
  run(Operation *op,
      llvm::function_ref<FailureOr<einsum::Program>(einsum::Origins &)> read) {
    std::string reason;
    einsum::Origins origins;
    FailureOr<einsum::Program> program;
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &message) {
        reason = message.str();
        return success();
      });
      program = read(origins);
    }
    if (failed(program))
      return refuse(op, reason);
    if (program->body.empty() && program->before.empty())
      return;
    einsum::GraphOptions graphOptions;
    graphOptions.iterations = program->isLoop ? 2 : 1;
    graphOptions.loopOnly = false;
    auto graph = einsum::Graph::build(std::move(*program), graphOptions);
    if (!graph)
      return refuse(op, llvm::toString(graph.takeError()));
    einsum::DominanceOptions dominance{largeRank, rankRatio, balancedRank};
    einsum::ReuseAnalysis reuse = einsum::analyzeReuse(*graph, dominance);
    annotate(*graph, einsum::findLoopOrders(*graph, reuse, dominance),
             dominance, origins);
  }

  static void refuse(Operation *op, const Twine &reason) {
    std::string text =
        ("operations pass nothing to each other: " + reason).str();
    emitRemark(op->getLoc()) << text;
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("Graph").category("cin-reuse"))
        << text;
  }
};
} // namespace
