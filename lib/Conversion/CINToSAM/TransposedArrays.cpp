//===- TransposedArrays.cpp - Levels in the order of loops ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposedArrays.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;

/// The array with the levels in another order; the same one if it is known.
static Value transpose(cin::AssembleOp assemble, ArrayRef<unsigned> order,
                       TransposedArrays &transposed) {
  auto type = cast<cin::ArrayType>(assemble.getType());
  cin::FormatAttr format = type.getFormat();
  auto changed = cin::ArrayType::get(
      format.getContext(), type.getShape(), type.getElementType(),
      cin::FormatAttr::get(format.getContext(), format.getLevels(), order,
                           format.getFill(), format.getStoresFill()));
  for (const auto &[array, original] : transposed)
    if (array.getType() == changed &&
        array.getDefiningOp<cin::AssembleOp>().getValues() ==
            assemble.getValues())
      return array;
  OpBuilder builder(assemble);
  builder.setInsertionPointAfter(assemble);
  auto copy = cast<cin::AssembleOp>(builder.clone(*assemble));
  copy.getResult().setType(changed);
  transposed.insert({copy.getResult(), getTensorType(assemble.getResult())});
  return copy;
}

/// The dimensions of levels that are in the order of loops.
static SmallVector<unsigned> sortLevels(const AccessPath &path,
                                        ArrayRef<unsigned> places) {
  SmallVector<unsigned> levels =
      llvm::to_vector(llvm::seq<unsigned>(0, path.variables.size()));
  llvm::sort(levels, [&](unsigned a, unsigned b) {
    return places[path.variables[a]] < places[path.variables[b]];
  });
  return llvm::map_to_vector(
      levels, [&](unsigned level) { return path.format.order[level]; });
}

TransposedArrays ember::transposeArrays(StatementPaths &paths) {
  TransposedArrays transposed;
  for (AccessPath &path : paths.accesses)
    if (!path.isFound(paths.places)) {
      auto assemble = path.array.getDefiningOp<cin::AssembleOp>();
      Value copy =
          transpose(assemble, sortLevels(path, paths.places), transposed);
      for (cin::AccessOp access : path.accesses)
        access.getArrayMutable().assign(copy);
    }
  AccessPath &result = paths.result;
  if (!result.isInOrder(paths.places))
    paths.assign.getArrayMutable().assign(
        transpose(result.array.getDefiningOp<cin::AssembleOp>(),
                  sortLevels(result, paths.places), transposed));
  return transposed;
}
