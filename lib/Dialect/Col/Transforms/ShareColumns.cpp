//===- ShareColumns.cpp - One function for columns of one structure -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   insert lookup(f(x0), t0) into w0 at p0   ->   w1 = call @column(x0, t0, w0,
//   p0) insert lookup(f(x1), t1) into w1 at p1        w2 = call @column(x1, t1,
//   w1, p1)
//
// The function inserts into a tensor that it is given and returns, which
// bufferisation makes memory that it writes to.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include <map>

namespace ember::col {
#define GEN_PASS_DEF_SHARECOLUMNS
#include "ember/Dialect/Col/Transforms/Passes.h.inc"
} // namespace ember::col

using namespace mlir;
using namespace ember;

namespace {
/// A column that is inserted beside others: its operations, the lookup behind
/// them, and the tensors that they read, in order, with what these are for.
struct Column {
  SmallVector<Operation *> operations;
  SmallVector<Value> tensors;
  SmallVector<StringRef> names;
  tensor::InsertSliceOp insert;

  /// What columns of the same structure have in common.
  SmallVector<const void *> getStructure() const;
};

/// The function of some columns.
class SharedColumn {
public:
  SharedColumn(ArrayRef<Column> columns, SymbolTable &symbols)
      : columns(columns), symbols(symbols) {}

  void share();

private:
  Attribute getCommonConstant(unsigned tensor) const;
  func::FuncOp makeFunction();
  void writeBody(func::FuncOp function);
  void call(const Column &column, func::FuncOp function);

  ArrayRef<Column> columns;
  SymbolTable &symbols;
  /// Which tensors are given, and not in the function.
  SmallVector<unsigned> given;
};
} // namespace

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// What messages call a tensor that `operation` reads as an operand.
static StringRef getTensorName(Operation *operation, unsigned operand) {
  if (isa<col::LookupOp>(operation))
    return "table";
  if (isa<col::BucketizeOp>(operation))
    return "boundaries";
  return operand == 0 ? "values" : "offsets";
}

/// A column that is all that `lookup` is for: whole rows at some place of a
/// tensor.
static std::optional<Column> findColumn(col::LookupOp lookup) {
  FailureOr<SmallVector<Operation *>> operations = lookup.findColumn();
  if (failed(operations) || !lookup->hasOneUse())
    return std::nullopt;
  auto insert = dyn_cast<tensor::InsertSliceOp>(*lookup->user_begin());
  if (!insert || insert.getSource() != lookup.getResult() ||
      insert.getType().getRank() != 2 ||
      !isConstantIntValue(insert.getMixedOffsets()[0], 0) ||
      !insert.hasUnitStride())
    return std::nullopt;
  Column column{std::move(*operations), {}, {}, insert};
  column.operations.push_back(lookup);
  for (Operation *operation : column.operations)
    for (OpOperand &operand : operation->getOpOperands())
      if (isa<TensorType>(operand.get().getType())) {
        column.tensors.push_back(operand.get());
        column.names.push_back(
            getTensorName(operation, operand.getOperandNumber()));
      }
  return column;
}

SmallVector<const void *> Column::getStructure() const {
  SmallVector<const void *> structure = {
      insert->getResult(0).getType().getAsOpaquePointer()};
  for (Operation *operation : operations) {
    structure.push_back(operation->getName().getAsOpaquePointer());
    structure.push_back(operation->getAttrDictionary().getAsOpaquePointer());
    for (Type type : operation->getResultTypes())
      structure.push_back(type.getAsOpaquePointer());
    for (Type type : operation->getOperandTypes())
      structure.push_back(type.getAsOpaquePointer());
  }
  // Which of the tensors are the same one.
  for (Value tensor : tensors) {
    auto first = llvm::find(tensors, tensor) - tensors.begin();
    structure.push_back(reinterpret_cast<const void *>(first));
  }
  return structure;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What a tensor is in all columns; null if it is no constant, or not the same
/// one.
Attribute SharedColumn::getCommonConstant(unsigned tensor) const {
  Attribute common;
  for (const Column &column : columns) {
    Attribute value;
    if (!matchPattern(column.tensors[tensor], m_Constant(&value)) ||
        (common && value != common))
      return {};
    common = value;
  }
  return common;
}

void SharedColumn::writeBody(func::FuncOp function) {
  ImplicitLocOpBuilder builder(function.getLoc(), function.getContext());
  builder.setInsertionPointToEnd(function.addEntryBlock());
  const Column &first = columns.front();
  IRMapping mapping;
  for (auto [argument, tensor] : llvm::enumerate(given))
    mapping.map(first.tensors[tensor], function.getArgument(argument));
  for (Value tensor : first.tensors)
    if (!mapping.contains(tensor))
      builder.clone(*tensor.getDefiningOp(), mapping);
  Operation *last = nullptr;
  for (Operation *operation : first.operations)
    last = builder.clone(*operation, mapping);
  auto lookup = cast<col::LookupOp>(last);
  ReifiedRankedShapedTypeDims shapes;
  // Which cannot fail, as its ids are made here.
  (void)lookup.reifyResultShapes(builder, shapes);
  Value whole = function.getArgument(given.size());
  Value place = function.getArgument(given.size() + 1);
  SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(0), place};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  Value inserted = tensor::InsertSliceOp::create(
      builder, lookup.getResult(), whole, offsets, shapes.front(), strides);
  func::ReturnOp::create(builder, inserted);
}

func::FuncOp SharedColumn::makeFunction() {
  const Column &first = columns.front();
  for (unsigned tensor : llvm::seq<unsigned>(first.tensors.size()))
    if (!getCommonConstant(tensor))
      given.push_back(tensor);
  SmallVector<Type> types;
  for (unsigned tensor : given)
    types.push_back(first.tensors[tensor].getType());
  Type whole = first.insert->getResult(0).getType();
  types.push_back(whole);
  OpBuilder builder(whole.getContext());
  types.push_back(builder.getIndexType());
  auto function = func::FuncOp::create(first.insert->getLoc(), "column",
                                       builder.getFunctionType(types, whole));
  function.setPrivate();
  for (auto [argument, tensor] : llvm::enumerate(given))
    function.setArgAttr(argument, "ember.name",
                        builder.getStringAttr(first.names[tensor]));
  symbols.insert(function);
  writeBody(function);
  return function;
}

void SharedColumn::call(const Column &column, func::FuncOp function) {
  tensor::InsertSliceOp insert = column.insert;
  ImplicitLocOpBuilder builder(insert.getLoc(), insert);
  SmallVector<Value> operands;
  for (unsigned tensor : given)
    operands.push_back(column.tensors[tensor]);
  operands.push_back(insert.getDest());
  operands.push_back(getValueOrCreateConstantIndexOp(
      builder, insert.getLoc(), insert.getMixedOffsets()[1]));
  auto call = func::CallOp::create(builder, function, operands);
  insert.getResult().replaceAllUsesWith(call.getResult(0));
  insert.erase();
  // What makes ids may be read by others, too.
  for (Operation *operation : llvm::reverse(column.operations))
    if (isOpTriviallyDead(operation))
      operation->erase();
}

void SharedColumn::share() {
  func::FuncOp function = makeFunction();
  for (const Column &column : columns)
    call(column, function);
}

namespace {
struct ShareColumns : public col::impl::ShareColumnsBase<ShareColumns> {
  using ShareColumnsBase::ShareColumnsBase;

  void runOnOperation() override {
    // In the order of the program, which addresses have not.
    SmallVector<SmallVector<Column>> classes;
    std::map<SmallVector<const void *>, unsigned> numbers;
    getOperation()->walk([&](col::LookupOp lookup) {
      std::optional<Column> column = findColumn(lookup);
      if (!column)
        return;
      auto [number, isNew] =
          numbers.try_emplace(column->getStructure(), classes.size());
      if (isNew)
        classes.emplace_back();
      classes[number->second].push_back(std::move(*column));
    });
    SymbolTable symbols(getOperation());
    for (ArrayRef<Column> columns : classes)
      if (columns.size() >= leastColumns)
        SharedColumn(columns, symbols).share();
  }
};
} // namespace
