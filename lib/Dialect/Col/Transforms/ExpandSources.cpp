//===- ExpandSources.cpp - Texts and coordinates in front of columns ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   hash (split (from_dense texts)) into n
//     ->  ids, offsets = part_ids bytes at places;  from_offsets ids at offsets
//   from_coordinates values at places of shape
//     ->  order, offsets = order_rows places of shape
//         from_offsets values at offsets in order
//
// A statement is about numbers, so what texts become is in memory in front of
// it: an id for each, and -1 for those that are dropped. An argument of texts
// becomes two: all bytes, and where each text begins and ends.
//
//===----------------------------------------------------------------------===//

#include "TextRecipe.h"

#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::col {
#define GEN_PASS_DEF_EXPANDSOURCES
#include "ember/Dialect/Col/Transforms/Passes.h.inc"
} // namespace ember::col

using namespace mlir;
using namespace ember;
using namespace ember::col;

namespace {
/// Where an argument of texts is in memory.
struct StoredTexts {
  Value bytes, places;
};

/// Expands the sources of one function.
class Expansion {
public:
  explicit Expansion(func::FuncOp function) : function(function) {}

  LogicalResult run(bool hasCallers);

private:
  LogicalResult storeArguments(bool hasCallers);
  LogicalResult expandIds(Operation *op);
  Value makeSource(Operation *source, const StoredTexts &texts,
                   const TextRecipe &recipe, ImplicitLocOpBuilder &builder);
  static void expandCoordinates(FromCoordinatesOp op);
  LogicalResult dropTexts();

  func::FuncOp function;
  /// By the arguments, which go when nothing reads them any more.
  llvm::MapVector<Value, StoredTexts> stored;
};
} // namespace

static bool isTexts(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<TextType>(type.getElementType());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// An argument beside those of the function, named after one.
static Value addArgument(func::FuncOp function, unsigned place, Type type,
                         StringAttr name, StringRef what) {
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> attributes;
  if (name)
    attributes.push_back(builder.getNamedAttr(
        "ember.name", builder.getStringAttr(name.getValue() + what)));
  if (failed(function.insertArgument(place, type,
                                     builder.getDictionaryAttr(attributes),
                                     function.getLoc())))
    return {};
  return function.getArgument(place);
}

LogicalResult Expansion::storeArguments(bool hasCallers) {
  Builder builder(function.getContext());
  for (unsigned place = 0; place < function.getNumArguments(); ++place) {
    BlockArgument argument = function.getArgument(place);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!isTexts(argument))
      continue;
    if (hasCallers)
      return function.emitError()
             << "argument " << place
             << " is of texts, which no function that is called takes";
    if (type.getRank() == 0 || type.getRank() > 2)
      return function.emitError()
             << "argument " << place << " is of texts in " << type.getRank()
             << " dimensions, expected 1 or 2";
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(2);
    auto bytesType =
        RankedTensorType::get(ShapedType::kDynamic, builder.getI8Type());
    auto placesType = RankedTensorType::get(shape, builder.getI64Type());
    auto name = function.getArgAttrOfType<StringAttr>(place, "ember.name");
    StoredTexts &texts = stored[argument];
    texts.bytes = addArgument(function, place, bytesType, name, ".bytes");
    texts.places =
        addArgument(function, place + 1, placesType, name, ".places");
    if (!texts.bytes || !texts.places)
      return failure();
    place += 2;
  }
  return success();
}

/// Takes arguments of texts away, which nothing reads any more.
LogicalResult Expansion::dropTexts() {
  for (Value texts : llvm::make_first_range(stored))
    while (!texts.use_empty()) {
      Operation *reader = *texts.user_begin();
      if (!isOpTriviallyDead(reader))
        return reader->emitOpError(
            "reads texts, and is computed by TensorFlow alone");
      reader->erase();
    }
  for (unsigned place = function.getNumArguments(); place-- > 0;)
    if (stored.contains(function.getArgument(place)) &&
        failed(function.eraseArgument(place)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

static RankedTensorType getListType(OpBuilder &builder) {
  return RankedTensorType::get(ShapedType::kDynamic, builder.getI64Type());
}

/// The batch of ids of the texts that `source` takes from a tensor.
Value Expansion::makeSource(Operation *source, const StoredTexts &texts,
                            const TextRecipe &recipe,
                            ImplicitLocOpBuilder &builder) {
  auto batch = JaggedType::get(builder.getI64Type());
  Value words = arith::ConstantOp::create(
      builder, builder.getI64TensorAttr(recipe.getWords()));
  if (recipe.isSplit()) {
    auto parts =
        PartIdsOp::create(builder, getListType(builder), getListType(builder),
                          texts.bytes, texts.places, words);
    return FromOffsetsOp::create(builder, batch, parts.getIds(),
                                 parts.getOffsets(), Value());
  }
  auto places = cast<RankedTensorType>(texts.places.getType());
  auto type = RankedTensorType::get(places.getShape().drop_back(),
                                    builder.getI64Type());
  Value ids =
      TextIdsOp::create(builder, type, texts.bytes, texts.places, words);
  IRMapping mapping;
  mapping.map(source->getOperand(0), ids);
  Operation *made = builder.clone(*source, mapping);
  made->getResult(0).setType(batch);
  return made->getResult(0);
}

LogicalResult Expansion::expandIds(Operation *op) {
  TextRecipe recipe(op);
  Value batch = op->getOperand(0);
  for (; Operation *maker = batch.getDefiningOp(); batch = maker->getOperand(0))
    if (!recipe.addBefore(maker))
      break;
  auto weigh = batch.getDefiningOp<WeighOp>();
  if (weigh && !recipe.isSplit())
    batch = weigh.getInput();
  Operation *source = batch.getDefiningOp();
  if (!isa_and_present<FromDenseOp, FromOffsetsOp, FromCoordinatesOp>(source) ||
      (recipe.isSplit() && !isa<FromDenseOp>(source)))
    return op->emitOpError("has texts that are not taken from a tensor in this "
                           "function, and split and kept in this order");
  auto texts = stored.find(source->getOperand(0));
  if (texts == stored.end())
    return source->emitOpError("takes texts from a tensor that is no argument "
                               "of the function");
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Value ids = makeSource(source, texts->second, recipe, builder);
  if (weigh)
    ids = WeighOp::create(builder, ids.getType(), ids, weigh.getWeights());
  if (recipe.makesNone()) {
    auto callee =
        cin::BuiltinAttr::get(builder.getContext(), cin::findBuiltin("ge"));
    ids = KeepIfOp::create(builder, ids.getType(), callee, ids,
                           builder.getArrayAttr(builder.getI64IntegerAttr(0)));
  }
  if (op->getResult(0).getType() != ids.getType()) {
    auto callee = cin::BuiltinAttr::get(builder.getContext(),
                                        cin::findBuiltin("convert"));
    ids = MapOp::create(builder, op->getResult(0).getType(), callee, ids,
                        builder.getArrayAttr({}));
  }
  op->getResult(0).replaceAllUsesWith(ids);
  // Readers stand behind what they read.
  for (Operation *dead = op; dead && isOpTriviallyDead(dead);) {
    Operation *before = dead->getOperand(0).getDefiningOp();
    dead->erase();
    dead = before;
  }
  return success();
}

void Expansion::expandCoordinates(FromCoordinatesOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto rows =
      OrderRowsOp::create(builder, getListType(builder), getListType(builder),
                          op.getPlaces(), op.getShape());
  auto segments =
      FromOffsetsOp::create(builder, op.getResult().getType(), op.getValues(),
                            rows.getOffsets(), rows.getOrder());
  op.getResult().replaceAllUsesWith(segments);
  op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult Expansion::run(bool hasCallers) {
  if (failed(storeArguments(hasCallers)))
    return failure();
  SmallVector<Operation *> ids;
  function.walk([&](Operation *op) {
    if (isa<HashOp, FindOp>(op) && isOfTexts(op->getOperand(0).getType()))
      ids.push_back(op);
  });
  for (Operation *op : ids)
    if (failed(expandIds(op)))
      return failure();
  SmallVector<FromCoordinatesOp> coordinates;
  function.walk([&](FromCoordinatesOp op) { coordinates.push_back(op); });
  for (FromCoordinatesOp op : coordinates)
    if (!isOfTexts(op.getResult().getType()))
      expandCoordinates(op);
  return dropTexts();
}

namespace {
struct ExpandSources : public col::impl::ExpandSourcesBase<ExpandSources> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      bool hasCallers =
          !SymbolTable::symbolKnownUseEmpty(function, getOperation());
      if (failed(Expansion(function).run(hasCallers)))
        return signalPassFailure();
    }
  }
};
} // namespace
