//===- ReplaceColumns.cpp - Kernels in place of columns -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaceColumns.h"

#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ember;

static constexpr StringLiteral kindAttr = "col.node";
static constexpr StringLiteral nameAttr = "ember.name";

namespace {
/// What the graph says that no longer stands in the module in the end.
struct Names {
  explicit Names(func::FuncOp graph);

  /// The kinds of nodes by their names.
  llvm::StringMap<std::string> kinds;
  /// Those of results: a node, and which of its results.
  SmallVector<std::pair<std::string, unsigned>> results;
  unsigned arguments;
};
} // namespace

Names::Names(func::FuncOp graph) : arguments(graph.getNumArguments()) {
  graph.walk(
      [&](col::NodeOp node) { kinds[node.getLabel()] = node.getKind().str(); });
  for (Value result : graph.front().getTerminator()->getOperands()) {
    if (auto node = result.getDefiningOp<col::NodeOp>())
      results.emplace_back(node.getLabel().str(),
                           cast<OpResult>(result).getResultNumber());
    else
      results.emplace_back("", 0);
  }
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// Nodes that compute something: constants are none.
static int64_t countNodes(func::FuncOp graph) {
  int64_t count = 0;
  graph.walk([&](col::NodeOp node) { count += node.getKind() != "Const"; });
  return count;
}

/// The operations between a feature and ids, in their order, and where values
/// come from.
static std::vector<std::string> getSteps(col::LookupOp lookup, Value &feature) {
  std::vector<std::string> steps;
  Value value = lookup.getIds();
  while (Operation *op = value.getDefiningOp()) {
    if (isa<col::NodeOp>(op) || op->getNumOperands() == 0)
      break;
    steps.push_back(op->getName().stripDialect().str());
    value = op->getOperand(0);
  }
  feature = value;
  std::reverse(steps.begin(), steps.end());
  return steps;
}

static std::string getName(func::FuncOp graph, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto name = graph.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                       nameAttr))
      return name.str();
  if (auto node = value.getDefiningOp<col::NodeOp>())
    return node.getLabel().str();
  if (value.getDefiningOp())
    if (auto name = dyn_cast<NameLoc>(value.getLoc()))
      return name.getName().str();
  return "";
}

static llvm::json::Array describeColumns(func::FuncOp graph) {
  llvm::json::Array columns;
  graph.walk([&](col::LookupOp lookup) {
    Value feature;
    std::vector<std::string> steps = getSteps(lookup, feature);
    auto table = cast<RankedTensorType>(lookup.getTable().getType());
    llvm::json::Object column{
        {"feature", getName(graph, feature)},
        {"table", getName(graph, lookup.getTable())},
        {"steps", llvm::json::Array(steps)},
        {"combiner", stringifyCombiner(lookup.getCombiner())},
        {"dimension", table.getDimSize(1)}};
    if (!table.isDynamicDim(0))
      column["rows"] = table.getDimSize(0);
    columns.push_back(std::move(column));
  });
  return columns;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

template <typename PassT>
static LogicalResult runPass(ModuleOp module, PassT pass) {
  PassManager manager(module.getContext());
  manager.addPass(std::move(pass));
  return manager.run(module);
}

/// Says of arguments that were nodes what they were.
static void markTables(func::FuncOp graph, const Names &names) {
  Builder builder(graph.getContext());
  for (unsigned place :
       llvm::seq(names.arguments, unsigned(graph.getNumArguments()))) {
    auto name = graph.getArgAttrOfType<StringAttr>(place, nameAttr);
    auto kind = name ? names.kinds.find(name.getValue()) : names.kinds.end();
    if (kind != names.kinds.end())
      graph.setArgAttr(place, kindAttr, builder.getStringAttr(kind->second));
  }
}

/// Who reads the graph asks for results by the names that they had.
static LogicalResult nameResults(func::FuncOp graph, const Names &names) {
  Operation *end = graph.front().getTerminator();
  OpBuilder builder(end);
  auto pure = col::EffectsAttr::get(builder.getContext(), col::Effects::pure);
  llvm::StringMap<Value> written;
  for (OpOperand &result : end->getOpOperands()) {
    const auto &[name, number] = names.results[result.getOperandNumber()];
    auto node = result.get().getDefiningOp<col::NodeOp>();
    if (name.empty() || (node && node.getLabel() == name))
      continue;
    if (number != 0)
      return graph.emitError() << "result " << number << " of '" << name
                               << "' is part of a column, and has no name";
    Value &identity = written[name];
    if (!identity) {
      Type type = result.get().getType();
      auto element = TypeAttr::get(cast<TensorType>(type).getElementType());
      identity =
          col::NodeOp::create(
              builder, graph.getLoc(), TypeRange(type),
              builder.getStringAttr("Identity"), builder.getStringAttr(name),
              result.get(), pure, StringAttr(), ArrayAttr(),
              builder.getDictionaryAttr(builder.getNamedAttr("T", element)))
              ->getResult(0);
    }
    result.set(identity);
  }
  return success();
}

/// Moves all functions but the graph into a module of their own.
static OwningOpRef<ModuleOp> takeKernels(ModuleOp module, func::FuncOp graph) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function != graph)
      function->moveBefore(kernels->getBody(), kernels->getBody()->end());
  return kernels;
}

std::optional<ReplacedColumns> ember::replaceColumns(ModuleOp module,
                                                     StringRef library) {
  auto graph = *module.getOps<func::FuncOp>().begin();
  Names names(graph);
  llvm::json::Object report{{"nodes", countNodes(graph)}};
  llvm::json::Array stayed;
  {
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
            return failure();
          stayed.push_back(diagnostic.str());
          return success();
        });
    if (failed(runPass(module, col::createRaiseGraphToCol())))
      return std::nullopt;
  }
  report["raised"] = countNodes(graph);
  report["columns"] = describeColumns(graph);
  report["stayed"] = std::move(stayed);
  markTables(graph, names);
  if (failed(runPass(module, col::createOutlineColumns({library.str()}))) ||
      failed(nameResults(graph, names)))
    return std::nullopt;
  report["left"] = countNodes(graph);
  return ReplacedColumns{graph, takeKernels(module, graph), std::move(report)};
}
