//===- PartNames.cpp - What messages call what is not given ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an array in a format, a kernel takes the arrays that store it. Whoever
// wrote the statement knows the array; so loads of its parts, which are checked
// as all loads are, have these names. A workspace nobody knows: it is as large
// as dimensions of arrays are.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// The dimension of which each position is a segment of level 1, and no other
/// one has a say in which; none if there is none.
static std::optional<unsigned> getRowDimension(FormatAttr format) {
  ArrayRef<Level> levels = format.getLevels();
  if (levels.size() < 2 || levels[0].kind != LevelKind::dense ||
      levels[1].kind != LevelKind::compressed)
    return std::nullopt;
  return format.getDimensionOf(0);
}

void EvaluationLowering::nameParts(AssembleOp assemble) {
  if (assemble.getCounting() || assemble.getLocating())
    return;
  auto name = [&](Value part, StringRef attribute, const std::string &text) {
    auto argument = dyn_cast<BlockArgument>(get(part));
    auto function =
        argument
            ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
            : FunctionOpInterface();
    if (function && !function.getArgAttr(argument.getArgNumber(), attribute))
      function.setArgAttr(argument.getArgNumber(), attribute,
                          builder.getStringAttr(text));
  };
  SmallVector<Value> parts(assemble.getLevels());
  parts.push_back(assemble.getValues());
  for (Value part : parts)
    if (isa<BlockArgument>(part))
      name(part, messageNameAttr, evaluate.getDescriptionOf(part));
  // What is appended to may be too short, which is no row's fault.
  std::optional<unsigned> dimension =
      getRowDimension(assemble.getType().getFormat());
  if (!dimension)
    return;
  auto positions = dyn_cast<BlockArgument>(
      assemble.getLevels()[assemble.getFirstArrayOf(1)]);
  if (positions && !evaluate.isInit(positions))
    name(positions, rowsAttr,
         "dimension " + std::to_string(*dimension) + " of " +
             evaluate.getDescriptionOf(assemble));
}

SmallVector<std::string> EvaluationLowering::describeSizes(WhereOp where) {
  auto type = cast<ShapedType>(where.getWorkspaceType());
  SmallVector<std::string> all(type.getRank());
  OperandRange unknown = where.getSizes();
  for (auto [known, text] : llvm::zip_equal(type.getShape(), all)) {
    if (!ShapedType::isDynamic(known))
      continue;
    auto extent = unknown.front().getDefiningOp<ExtentOp>();
    unknown = unknown.drop_front();
    text = "dimension " + std::to_string(extent.getDimension()) + " of " +
           evaluate.getDescriptionOf(extent.getArray());
  }
  return all;
}
