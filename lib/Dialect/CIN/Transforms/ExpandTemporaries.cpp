//===- ExpandTemporaries.cpp - Temporaries in formats as what stores them -===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %T = cin.temporary : !cin.array<...>
//   cin.forall { cin.assign %x to %T }
//
// becomes a statement that counts, room, and the statement that appends:
//
//   cin.forall { cin.assign %x to %counted }
//   %positions, %coordinates, %values = cin.reserve %counted
//   %T = cin.assemble %values levels(%positions, %coordinates)
//   cin.forall { cin.assign %x to %T }
//
//===----------------------------------------------------------------------===//

#include "Statement.h"

#include "ember/Dialect/CIN/IR/ProgramOrder.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ember::cin {
#define GEN_PASS_DEF_EXPANDTEMPORARIES
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

namespace {
/// Replaces one temporary.
class TemporaryExpander {
public:
  explicit TemporaryExpander(TemporaryOp temporary)
      : temporary(temporary), type(cast<ArrayType>(temporary.getType())),
        builder(temporary) {
    auto evaluate = cast<EvaluateOp>(temporary->getParentOp());
    onTensors = isa<TensorType>(evaluate.getInits().front().getType());
    name = builder.getStringAttr(evaluate.getNameOf(temporary));
  }

  LogicalResult run();

private:
  Type makeType(Type element, int64_t size = ShapedType::kDynamic) {
    return onTensors ? Type(RankedTensorType::get({size}, element))
                     : Type(MemRefType::get({size}, element));
  }
  /// The statement that assigns to it; null if there is none.
  ForallOp findProducer();
  AssembleOp assemble(Value values, ValueRange levels, bool counting) {
    return AssembleOp::create(builder, temporary.getLoc(), type, values, levels,
                              temporary.getSizes(), name, counting,
                              /*locating=*/false);
  }
  /// A statement in front of `producer` that counts what it appends.
  AssembleOp count(ForallOp producer);
  /// Room for what was counted.
  AssembleOp reserve(AssembleOp counted);
  /// Asks for sizes where the array is not known yet.
  void replaceExtents();

  TemporaryOp temporary;
  ArrayType type;
  OpBuilder builder;
  bool onTensors;
  StringAttr name;
};
} // namespace

ForallOp TemporaryExpander::findProducer() {
  for (Operation *user : temporary->getUsers())
    if (auto assign = dyn_cast<AssignOp>(user))
      return getStatement(assign);
  return nullptr;
}

AssembleOp TemporaryExpander::count(ForallOp producer) {
  auto depth = static_cast<int64_t>(type.getFormat().getLevels().size());
  auto counts = TemporaryOp::create(builder, temporary.getLoc(),
                                    makeType(builder.getI64Type(), depth),
                                    ValueRange(), TypedAttr(), name);
  AssembleOp counted = assemble(counts, ValueRange(), /*counting=*/true);
  IRMapping mapping;
  mapping.map(temporary.getResult(), counted.getResult());
  builder.clone(*producer, mapping);
  return counted;
}

AssembleOp TemporaryExpander::reserve(AssembleOp counted) {
  SmallVector<Type> types;
  for (const Level &level : type.getFormat().getLevels()) {
    Type element = level.kind == LevelKind::bitmap ? builder.getI1Type()
                                                   : builder.getI64Type();
    types.append(level.countArrays(), makeType(element));
  }
  types.push_back(makeType(type.getElementType()));
  auto room = ReserveOp::create(builder, temporary.getLoc(), types,
                                counted.getResult());
  ValueRange arrays = room.getArrays();
  return assemble(arrays.back(), arrays.drop_back(), /*counting=*/false);
}

void TemporaryExpander::replaceExtents() {
  for (Operation *user : llvm::make_early_inc_range(temporary->getUsers())) {
    auto extent = dyn_cast<ExtentOp>(user);
    if (!extent)
      continue;
    auto dimension = static_cast<unsigned>(extent.getDimension());
    if (!type.isDynamicDim(dimension))
      continue;
    unsigned number = type.getDynamicDimIndex(dimension);
    extent.replaceAllUsesWith(temporary.getSizes()[number]);
    extent.erase();
  }
}

LogicalResult TemporaryExpander::run() {
  if (failed(verifyAssigned(temporary)))
    return failure();
  ForallOp producer = findProducer();
  if (!producer) {
    if (temporary->use_empty()) {
      temporary.erase();
      return success();
    }
    return temporary.emitError()
           << name << " is read, and nothing is assigned to it";
  }
  replaceExtents();
  builder.setInsertionPoint(producer);
  AssembleOp array = reserve(count(producer));
  SmallVector<Operation *> users = getUsersInOrder(temporary.getResult());
  for (Operation *user : llvm::reverse(users))
    if (isa<SameSizeOp>(user))
      user->moveAfter(array);
  temporary.replaceAllUsesWith(array.getResult());
  temporary.erase();
  return success();
}

namespace {
struct ExpandTemporaries
    : public ember::cin::impl::ExpandTemporariesBase<ExpandTemporaries> {
  void runOnOperation() override {
    SmallVector<TemporaryOp> temporaries;
    getOperation()->walk([&](TemporaryOp temporary) {
      if (isa<ArrayType>(temporary.getType()))
        temporaries.push_back(temporary);
    });
    for (TemporaryOp temporary : temporaries)
      if (failed(TemporaryExpander(temporary).run()))
        return signalPassFailure();
  }
};
} // namespace
