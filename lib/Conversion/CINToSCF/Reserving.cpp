//===- Reserving.cpp - Room for arrays in formats that nobody gave --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

void EvaluationLowering::emit(ReserveOp reserve) {
  builder.setLoc(reserve.getLoc());
  const Storage &storage = levels.getStorage(reserve.getCounted());
  auto arrays = reserve.getArrays().begin();
  auto make = [&](Value count) {
    auto type = cast<MemRefType>((*arrays).getType());
    values.map(*arrays++, allocate(type, count, /*isScratch=*/false));
  };
  // How many positions the level above has.
  Value above = constant(1);
  for (auto [number, level] : llvm::enumerate(storage.format().getLevels())) {
    Value mine =
        level.isListed()
            ? levels.loadIndex(storage.counts, constant(number))
            : arith::MulIOp::create(builder, above, storage.sizeOfLevel(number))
                  .getResult();
    if (level.kind == LevelKind::compressed)
      make(levels.add(above, 1));
    if (level.kind != LevelKind::dense)
      make(mine);
    above = mine;
  }
  make(above);
}
