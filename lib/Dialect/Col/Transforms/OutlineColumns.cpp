//===- OutlineColumns.cpp - Columns of a graph as functions ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   col.node, col.lookup, ... -> col.node, col.node "EmberKernel" of @columns
//
// Operations of columns are collected in the order of the graph, until
// something has to read one of them now. Nodes that read them and can wait do,
// so that all columns in front of a network are one function.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace ember::col {
#define GEN_PASS_DEF_OUTLINECOLUMNS
#include "ember/Dialect/Col/Transforms/Passes.h.inc"
} // namespace ember::col

using namespace mlir;
using namespace ember;
using namespace ember::col;

/// What the operator of TensorFlow that calls a kernel is called.
static constexpr StringLiteral kernelKind = "EmberKernel";
/// Of an argument: the kind of node that it stands for.
static constexpr StringLiteral kindAttr = "col.node";
static constexpr StringLiteral nameAttr = "ember.name";

namespace {
class Outlining {
public:
  Outlining(func::FuncOp function, SymbolTable &symbols, StringRef library)
      : function(function), symbols(symbols), library(library) {}

  void run();

private:
  bool canWait(NodeOp node) const;
  bool isOfGroup(Operation *op) const { return group.contains(op); }
  void giveTables();
  void dropUnranked();
  void close(Operation *place);
  void addJaggedOperands();
  SmallVector<Value> findInputs() const;
  SmallVector<Value> findResults() const;
  func::FuncOp writeFunction(ArrayRef<Value> inputs, ArrayRef<Value> results);
  NodeOp writeNode(func::FuncOp kernel, ArrayRef<Value> inputs,
                   Operation *place);
  std::string nameInput(Value input, llvm::StringSet<> &taken);

  func::FuncOp function;
  SymbolTable &symbols;
  StringRef library;
  bool hasChanges = false;
  /// Operations of columns, in their order, and nodes that wait for them.
  llvm::SetVector<Operation *> group, waiting;
};
} // namespace

//===----------------------------------------------------------------------===//
// What a function is given and returns
//===----------------------------------------------------------------------===//

/// A table is data, and not code: constants become nodes again.
void Outlining::giveTables() {
  DenseMap<Value, Value> tables;
  function.walk([&](LookupOp lookup) {
    OpOperand &table = lookup.getTableMutable();
    auto constant = table.get().getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return;
    Value &node = tables[constant];
    if (!node) {
      OpBuilder builder(constant);
      auto type = cast<RankedTensorType>(constant.getType());
      std::string label = "table";
      if (auto named = dyn_cast<NameLoc>(constant.getLoc()))
        label = named.getName().str();
      node = NodeOp::create(
                 builder, constant.getLoc(), TypeRange(type),
                 builder.getStringAttr("Const"), builder.getStringAttr(label),
                 ValueRange(),
                 EffectsAttr::get(builder.getContext(), Effects::pure),
                 StringAttr(), ArrayAttr(),
                 builder.getDictionaryAttr(
                     {builder.getNamedAttr(
                          "dtype", TypeAttr::get(type.getElementType())),
                      builder.getNamedAttr("value", constant.getValue())}))
                 ->getResult(0);
    }
    table.set(node);
  });
  for (auto [constant, node] : tables)
    if (constant.use_empty())
      constant.getDefiningOp()->erase();
}

/// Kernels return tensors of known ranks, and nodes read any.
void Outlining::dropUnranked() {
  SmallVector<tensor::CastOp> casts;
  for (auto cast : function.front().getOps<tensor::CastOp>())
    if (!isa<RankedTensorType>(cast.getType()))
      casts.push_back(cast);
  for (tensor::CastOp cast : casts) {
    cast.getResult().replaceAllUsesWith(cast.getSource());
    cast.erase();
  }
  function.setFunctionType(
      FunctionType::get(function.getContext(), function.getArgumentTypes(),
                        function.front().getTerminator()->getOperandTypes()));
}

/// Values that are no tensors are made where they are read.
void Outlining::addJaggedOperands() {
  SmallVector<Operation *> todo(group.begin(), group.end());
  llvm::SetVector<Operation *> all;
  auto add = [&](auto &add, Operation *op) -> void {
    if (all.contains(op))
      return;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && (isOfGroup(maker) || !isa<TensorType>(operand.getType()) ||
                    isa<arith::ConstantOp>(maker)))
        add(add, maker);
    all.insert(op);
  };
  for (Operation *op : todo)
    add(add, op);
  group = std::move(all);
}

SmallVector<Value> Outlining::findInputs() const {
  llvm::SetVector<Value> inputs;
  for (Operation *op : group)
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          !maker || !isOfGroup(maker))
        inputs.insert(operand);
  return inputs.takeVector();
}

SmallVector<Value> Outlining::findResults() const {
  SmallVector<Value> results;
  for (Operation *op : group)
    for (Value result : op->getResults())
      if (isa<TensorType>(result.getType()) && !isa<arith::ConstantOp>(op) &&
          llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isOfGroup(user); }))
        results.push_back(result);
  return results;
}

std::string Outlining::nameInput(Value input, llvm::StringSet<> &taken) {
  std::string wanted;
  if (auto argument = dyn_cast<BlockArgument>(input)) {
    if (auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), nameAttr))
      wanted = name.str();
  } else if (auto node = input.getDefiningOp<NodeOp>()) {
    unsigned result = cast<OpResult>(input).getResultNumber();
    wanted = node.getLabel().str();
    if (result != 0)
      wanted += ":" + std::to_string(result);
  }
  if (wanted.empty())
    wanted = "input";
  std::string name = wanted;
  for (unsigned number = 1; !taken.insert(name).second; ++number)
    name = wanted + "_" + std::to_string(number);
  return name;
}

//===----------------------------------------------------------------------===//
// Functions and nodes
//===----------------------------------------------------------------------===//

func::FuncOp Outlining::writeFunction(ArrayRef<Value> inputs,
                                      ArrayRef<Value> results) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  auto kernel = func::FuncOp::create(
      builder, function.getLoc(), "columns",
      builder.getFunctionType(TypeRange(inputs), TypeRange(results)));
  symbols.insert(kernel);
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  llvm::StringSet<> taken;
  for (auto [place, input] : llvm::enumerate(inputs)) {
    mapping.map(input, body->getArgument(place));
    kernel.setArgAttr(place, nameAttr,
                      builder.getStringAttr(nameInput(input, taken)));
  }
  for (Operation *op : group)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, function.getLoc(),
                         llvm::map_to_vector(results, [&](Value result) {
                           return mapping.lookup(result);
                         }));
  return kernel;
}

/// The type that TensorFlow passes: a variable by its handle.
static Type getPassedType(func::FuncOp function, Value input) {
  auto argument = dyn_cast<BlockArgument>(input);
  auto kind = argument ? function.getArgAttrOfType<StringAttr>(
                             argument.getArgNumber(), kindAttr)
                       : StringAttr();
  if (kind && kind.getValue() == "VarHandleOp")
    return ForeignType::get(function.getContext(), "resource");
  return cast<TensorType>(input.getType()).getElementType();
}

NodeOp Outlining::writeNode(func::FuncOp kernel, ArrayRef<Value> inputs,
                            Operation *place) {
  OpBuilder builder(place);
  SmallVector<Attribute> argumentTypes, resultTypes, shapes;
  bool readsVariables = false;
  for (Value input : inputs) {
    Type type = getPassedType(function, input);
    readsVariables |= isa<ForeignType>(type);
    argumentTypes.push_back(TypeAttr::get(type));
  }
  for (Type type : kernel.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    resultTypes.push_back(TypeAttr::get(tensor.getElementType()));
    SmallVector<int64_t> sizes =
        llvm::map_to_vector(tensor.getShape(), [](int64_t size) -> int64_t {
          return ShapedType::isDynamic(size) ? -1 : size;
        });
    shapes.push_back(builder.getDenseI64ArrayAttr(sizes));
  }
  NamedAttribute settings[] = {
      builder.getNamedAttr("argument_types",
                           builder.getArrayAttr(argumentTypes)),
      builder.getNamedAttr("entry", builder.getStringAttr(kernel.getName())),
      builder.getNamedAttr("library", builder.getStringAttr(library)),
      builder.getNamedAttr("result_shapes", builder.getArrayAttr(shapes)),
      builder.getNamedAttr("result_types", builder.getArrayAttr(resultTypes))};
  auto effects = EffectsAttr::get(
      builder.getContext(), readsVariables ? Effects::reads : Effects::pure);
  return NodeOp::create(builder, function.getLoc(), kernel.getResultTypes(),
                        builder.getStringAttr(kernelKind),
                        builder.getStringAttr("ember/" + kernel.getName()),
                        inputs, effects, StringAttr(), ArrayAttr(),
                        builder.getDictionaryAttr(settings));
}

/// Makes a function of the group, called in front of `place`, and has what
/// waited stand there.
void Outlining::close(Operation *place) {
  auto wait = [&] {
    for (Operation *op : waiting)
      op->moveBefore(place);
    waiting.clear();
  };
  addJaggedOperands();
  SmallVector<Value> results = findResults();
  if (results.empty()) {
    group.clear();
    return wait();
  }
  SmallVector<Value> inputs = findInputs();
  func::FuncOp kernel = writeFunction(inputs, results);
  NodeOp node = writeNode(kernel, inputs, place);
  for (auto [result, computed] : llvm::zip_equal(results, node->getResults()))
    result.replaceUsesWithIf(
        computed, [&](OpOperand &use) { return !isOfGroup(use.getOwner()); });
  for (Operation *op : llvm::reverse(group.getArrayRef()))
    if (op->use_empty())
      op->erase();
  group.clear();
  wait();
}

/// Whether a node may run later than it stands.
bool Outlining::canWait(NodeOp node) const {
  return node.getEffects() == Effects::pure ||
         (node.getEffects() == Effects::reads && !hasChanges);
}

void Outlining::run() {
  Block &block = function.front();
  if (block.getOps<LookupOp>().empty())
    return;
  giveTables();
  dropUnranked();
  function.walk([&](NodeOp node) {
    hasChanges |= node.getEffects() == Effects::changes;
  });
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto reads = [&](const llvm::SetVector<Operation *> &some) {
      return llvm::any_of(op.getOperands(), [&](Value operand) {
        Operation *maker = operand.getDefiningOp();
        return maker && some.contains(maker);
      });
    };
    auto node = dyn_cast<NodeOp>(op);
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      close(&op);
    } else if (!node) {
      if (reads(waiting))
        close(&op);
      group.insert(&op);
    } else if (reads(group) || reads(waiting)) {
      if (canWait(node))
        waiting.insert(&op);
      else
        close(&op);
    }
  }
}

namespace {
struct OutlineColumns : col::impl::OutlineColumnsBase<OutlineColumns> {
  using OutlineColumnsBase::OutlineColumnsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal() && function.getBody().hasOneBlock())
        Outlining(function, symbols, library).run();
  }
};
} // namespace
