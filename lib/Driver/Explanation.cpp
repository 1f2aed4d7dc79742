//===- Explanation.cpp - What loops of statements visit, and why ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Explanation.h"
#include "ember/Driver/Source.h"

#include "ember/Analysis/IterationAlgebra/IterationLattice.h"
#include "ember/Dialect/CIN/Transforms/IterationDerivation.h"
#include "ember/Driver/Files.h"
#include "ember/Pipelines/Pipelines.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace llvm;
using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// The names of some operands.
static json::Array nameOperands(OperandMask mask, ArrayRef<std::string> names) {
  json::Array found;
  for (auto [number, name] : enumerate(names))
    if (mask >> number & 1)
      found.push_back(name);
  return found;
}

/// The names of operands: those that several have in common are numbered.
static std::vector<std::string> findNames(ArrayRef<Fiber> operands) {
  std::vector<std::string> names;
  for (const Fiber &operand : operands) {
    std::string name = nameOperand(operand), unique = name;
    for (unsigned number = 2; is_contained(names, unique); ++number)
      unique = name + "#" + std::to_string(number);
    names.push_back(unique);
  }
  return names;
}

static json::Object explainLoop(Operation *loop) {
  IterationDerivation derivation = deriveIteration(loop);
  std::vector<std::string> names = findNames(derivation.operands);
  json::Array regions, points;
  for (OperandMask region = 0; region < derivation.visited.size(); ++region)
    regions.push_back(
        json::Object{{"stored", nameOperands(region, names)},
                     {"visited", bool(derivation.visited[region])},
                     {"reason", explainRegion(loop, derivation, region)}});
  IterationLattice lattice(derivation.set);
  for (const LatticePoint &point : lattice.points())
    points.push_back(json::Object{{"walked", nameOperands(point.walked, names)},
                                  {"all", point.walksAll},
                                  {"set", point.set.describe(names)}});
  auto reduce = dyn_cast<ReduceOp>(loop);
  int64_t depth = 0;
  for (Operation *op = loop->getParentOp(); op; op = op->getParentOp())
    depth += isa<ForallOp, ReduceOp>(op);
  return json::Object{
      {"variable",
       reduce ? reduce.getNameOf(0) : cast<ForallOp>(loop).getNameOf(0)},
      {"reduces", reduce ? json::Value(reduce.getFunction().getName())
                         : json::Value(nullptr)},
      {"depth", depth},
      {"operands", json::Array(names)},
      {"set", derivation.set.describe(names)},
      {"regions", std::move(regions)},
      {"lattice", std::move(points)}};
}

namespace {
/// Looks at loops as soon as what they visit is derived.
class IterationListener : public PassInstrumentation {
public:
  explicit IterationListener(json::Array &loops) : loops(loops) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "cin-derive-iteration")
      return;
    op->walk<WalkOrder::PreOrder>([&](Operation *loop) {
      if (isa<ForallOp, ReduceOp>(loop) && !getLevelOperands(loop).empty())
        loops.push_back(explainLoop(loop));
    });
  }

private:
  json::Array &loops;
};
} // namespace

Expected<json::Value> ember::explainIteration(ModuleOp module) {
  json::Array loops;
  PassManager manager(module.getContext());
  manager.addInstrumentation(std::make_unique<IterationListener>(loops));
  buildCINToSCFPipeline(manager, StatementOptions());
  module.getContext()->disableMultithreading();
  if (failed(manager.run(module)))
    return makeDiagnosedError();
  return json::Value(json::Object{{"loops", std::move(loops)}});
}
