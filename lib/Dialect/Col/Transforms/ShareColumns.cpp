//===- ShareColumns.cpp - One function for columns of one structure -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   insert lookup(f(x0), t0) into w0 at p0     ->   w = insert_columns @column
//   insert lookup(f(x1), t1) into w1 at p1              into w0 at [p0, p1]
//                                                       from (x0, t0, x1, t1)
//
// The function inserts into a tensor that it is given and returns, which
// bufferisation makes memory that it writes to. Columns overlap nowhere, so
// that those of a kind are inserted behind all others, whatever stands between
// them.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include <deque>
#include <map>

namespace ember::col {
#define GEN_PASS_DEF_SHARECOLUMNS
#include "ember/Dialect/Col/Transforms/Passes.h.inc"
} // namespace ember::col

using namespace mlir;
using namespace ember;

namespace {
/// Insertions one behind the other that overlap nowhere, each into what the one
/// before it made, which nothing else reads.
struct Chain {
  SmallVector<tensor::InsertSliceOp> inserts;
  /// Who reads what the last one makes.
  SmallVector<OpOperand *> readers;
  /// That, once some are left out and others are behind them.
  Value end;
  Operation *last;

  void leaveOut(tensor::InsertSliceOp insert);
  void append(col::InsertColumnsOp columns);
};

/// A column that is inserted beside others: its operations, the lookup behind
/// them, and the tensors that they read, in order, with what these are for.
struct Column {
  SmallVector<Operation *> operations;
  SmallVector<Value> tensors;
  SmallVector<StringRef> names;
  tensor::InsertSliceOp insert;
  Chain *chain;

  /// What columns of the same structure have in common.
  SmallVector<const void *> getStructure() const;
};

/// The function of some columns.
class SharedColumn {
public:
  SharedColumn(ArrayRef<Column> columns, SymbolTable &symbols)
      : columns(columns), rest(columns) {
    makeFunction(symbols);
  }

  /// Has the function insert those of a chain, which is the one behind the last
  /// one that this was asked for.
  void insertColumns(Chain &chain);

private:
  Attribute getCommonConstant(unsigned tensor) const;
  Type getCommonType(unsigned tensor) const;
  void makeFunction(SymbolTable &symbols);
  void writeBody();

  ArrayRef<Column> columns, rest;
  func::FuncOp function;
  /// Which tensors are given, and not in the function.
  SmallVector<unsigned> given;
};
} // namespace

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

void Chain::leaveOut(tensor::InsertSliceOp insert) {
  if (end == insert.getResult())
    end = insert.getDest();
  insert.getResult().replaceAllUsesWith(insert.getDest());
}

void Chain::append(col::InsertColumnsOp columns) {
  end = columns.getResult();
  last = columns;
  for (OpOperand *reader : readers)
    reader->set(end);
}

/// Whether rows of a known width are inserted at a known place.
static bool isOfChain(tensor::InsertSliceOp insert) {
  return insert.getType().getRank() == 2 &&
         insert.getSourceType().getRank() == 2 && insert.hasUnitStride() &&
         insert.getStaticOffsets()[0] == 0 && !insert.isDynamicOffset(1) &&
         !insert.isDynamicSize(1);
}

/// Whether some columns of a tensor are apart.
static bool areApart(ArrayRef<tensor::InsertSliceOp> inserts) {
  SmallVector<std::pair<int64_t, int64_t>> bounds;
  for (tensor::InsertSliceOp insert : inserts) {
    int64_t begin = insert.getStaticOffsets()[1];
    bounds.push_back({begin, begin + insert.getStaticSizes()[1]});
  }
  llvm::sort(bounds);
  for (auto [left, right] : llvm::zip_equal(ArrayRef(bounds).drop_back(),
                                            ArrayRef(bounds).drop_front()))
    if (left.second > right.first)
      return false;
  return true;
}

/// The chain that begins with an insertion, if it does with one.
static std::optional<Chain> findChain(tensor::InsertSliceOp first) {
  auto before = first.getDest().getDefiningOp<tensor::InsertSliceOp>();
  auto continues = [](tensor::InsertSliceOp one, tensor::InsertSliceOp next) {
    return isOfChain(one) && isOfChain(next) &&
           next.getDest() == one.getResult() && one->hasOneUse() &&
           one->getBlock() == next->getBlock();
  };
  if (!isOfChain(first) || (before && continues(before, first)))
    return std::nullopt;
  Chain chain;
  tensor::InsertSliceOp last = first;
  while (true) {
    chain.inserts.push_back(last);
    if (!last->hasOneUse())
      break;
    auto next = dyn_cast<tensor::InsertSliceOp>(*last->user_begin());
    if (!next || !continues(last, next))
      break;
    last = next;
  }
  if (!areApart(chain.inserts))
    return std::nullopt;
  for (OpOperand &use : last->getUses())
    chain.readers.push_back(&use);
  chain.end = last.getResult();
  chain.last = last;
  return chain;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// What messages call a tensor that `operation` reads as an operand.
static StringRef getTensorName(Operation *operation, unsigned operand) {
  if (isa<col::LookupOp>(operation))
    return "table";
  if (isa<col::BucketizeOp>(operation))
    return "boundaries";
  if (isa<col::WeighOp>(operation))
    return "weights";
  static constexpr StringRef names[] = {"values", "offsets", "order"};
  return names[operand];
}

/// A column that is all that is inserted somewhere.
static std::optional<Column> findColumn(tensor::InsertSliceOp insert,
                                        Chain &chain) {
  auto lookup = insert.getSource().getDefiningOp<col::LookupOp>();
  if (!lookup || !lookup->hasOneUse())
    return std::nullopt;
  FailureOr<SmallVector<Operation *>> operations = lookup.findColumn();
  if (failed(operations))
    return std::nullopt;
  Column column{std::move(*operations), {}, {}, insert, &chain};
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

/// The type of a tensor that may have any number of rows.
static RankedTensorType getTypeOfAnyRows(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = ShapedType::kDynamic;
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<const void *> Column::getStructure() const {
  SmallVector<const void *> structure = {
      insert->getResult(0).getType().getAsOpaquePointer()};
  for (Operation *operation : operations) {
    structure.push_back(operation->getName().getAsOpaquePointer());
    structure.push_back(operation->getAttrDictionary().getAsOpaquePointer());
    for (Type type : operation->getResultTypes())
      structure.push_back(type.getAsOpaquePointer());
  }
  for (Value tensor : tensors) {
    structure.push_back(getTypeOfAnyRows(tensor).getAsOpaquePointer());
    // Which of the tensors are the same one.
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

/// The type of a tensor in all columns.
Type SharedColumn::getCommonType(unsigned tensor) const {
  Type first = columns.front().tensors[tensor].getType();
  bool isCommon = llvm::all_of(columns, [&](const Column &column) {
    return column.tensors[tensor].getType() == first;
  });
  return isCommon ? first : getTypeOfAnyRows(columns.front().tensors[tensor]);
}

void SharedColumn::writeBody() {
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

void SharedColumn::makeFunction(SymbolTable &symbols) {
  const Column &first = columns.front();
  for (unsigned tensor : llvm::seq<unsigned>(first.tensors.size()))
    if (!getCommonConstant(tensor))
      given.push_back(tensor);
  SmallVector<Type> types;
  for (unsigned tensor : given)
    types.push_back(getCommonType(tensor));
  Type whole = first.insert->getResult(0).getType();
  types.push_back(whole);
  OpBuilder builder(whole.getContext());
  types.push_back(builder.getIndexType());
  function = func::FuncOp::create(first.insert->getLoc(), "column",
                                  builder.getFunctionType(types, whole));
  function.setPrivate();
  for (auto [argument, tensor] : llvm::enumerate(given))
    function.setArgAttr(argument, "ember.name",
                        builder.getStringAttr(first.names[tensor]));
  symbols.insert(function);
  writeBody();
}

void SharedColumn::insertColumns(Chain &chain) {
  ArrayRef<Column> ofChain = rest.take_while(
      [&](const Column &column) { return column.chain == &chain; });
  if (ofChain.empty())
    return;
  rest = rest.drop_front(ofChain.size());
  ImplicitLocOpBuilder builder(chain.last->getLoc(), chain.last->getContext());
  builder.setInsertionPointAfter(chain.last);
  SmallVector<int64_t> places;
  SmallVector<Value> tensors;
  for (Column column : ofChain) {
    places.push_back(column.insert.getStaticOffsets()[1]);
    for (auto [argument, tensor] : llvm::enumerate(given)) {
      Type type = function.getFunctionType().getInput(argument);
      Value operand = column.tensors[tensor];
      if (operand.getType() != type)
        operand = tensor::CastOp::create(builder, type, operand);
      tensors.push_back(operand);
    }
    chain.leaveOut(column.insert);
  }
  chain.append(col::InsertColumnsOp::create(builder, chain.end.getType(),
                                            function.getSymName(), chain.end,
                                            places, tensors));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Erases what columns were, but for what others read, too.
static void erase(ArrayRef<Column> columns) {
  for (const Column &column : columns)
    column.insert->erase();
  for (const Column &column : columns)
    for (Operation *operation : llvm::reverse(column.operations))
      if (isOpTriviallyDead(operation))
        operation->erase();
}

namespace {
struct ShareColumns : public col::impl::ShareColumnsBase<ShareColumns> {
  using ShareColumnsBase::ShareColumnsBase;

  void runOnOperation() override {
    std::deque<Chain> chains;
    getOperation()->walk([&](tensor::InsertSliceOp insert) {
      if (std::optional<Chain> chain = findChain(insert))
        chains.push_back(std::move(*chain));
    });
    // In the order of the program, which addresses have not.
    SmallVector<SmallVector<Column>> classes;
    std::map<SmallVector<const void *>, unsigned> numbers;
    for (Chain &chain : chains)
      for (tensor::InsertSliceOp insert : chain.inserts) {
        std::optional<Column> column = findColumn(insert, chain);
        if (!column)
          continue;
        auto [number, isNew] =
            numbers.try_emplace(column->getStructure(), classes.size());
        if (isNew)
          classes.emplace_back();
        classes[number->second].push_back(std::move(*column));
      }
    llvm::erase_if(classes, [&](ArrayRef<Column> columns) {
      return columns.size() < leastColumns;
    });
    SymbolTable symbols(getOperation());
    SmallVector<SharedColumn> shared;
    for (ArrayRef<Column> columns : classes)
      shared.emplace_back(columns, symbols);
    // Chains begin with what others end with.
    for (Chain &chain : chains)
      for (SharedColumn &column : shared)
        column.insertColumns(chain);
    for (ArrayRef<Column> columns : classes)
      erase(columns);
  }
};
} // namespace
