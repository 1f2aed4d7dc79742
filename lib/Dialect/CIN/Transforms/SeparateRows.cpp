//===- SeparateRows.cpp - Results that are filled row by row --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/SeparateRows.h"

using namespace ember;
using namespace ember::cin;

bool cin::hasSeparateRows(FormatAttr format) {
  llvm::ArrayRef<Level> all = format.getLevels();
  return all.size() > 1 && all[0].kind == LevelKind::dense &&
         all[1].kind == LevelKind::compressed &&
         llvm::all_of(all.drop_front(2), [](const Level &level) {
           return level.kind == LevelKind::dense;
         });
}
