//===- RowLayouts.cpp - Rows of bytes of random programs ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Program/RowLayouts.h"
#include <iterator>
#include <vector>

namespace ember::fuzz {

RowLayout drawRowLayout(Random &random) {
  RowLayout layout;
  layout.encoding =
      &cin::rowEncodings[random.between(0, std::size(cin::rowEncodings) - 1)];
  std::vector<const cin::RowParameters *> fitting;
  for (const cin::RowParameters &row : cin::rowParameters)
    if (row.fits(*layout.encoding))
      fitting.push_back(&row);
  if (layout.isScaled() || random.chance(0.5))
    layout.parameters = random.pick(fitting);
  layout.isLeading = layout.parameters && random.chance(0.5);
  return layout;
}

} // namespace ember::fuzz
