//===- BlockState.cpp - What a block keeps between its acts ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockState.h"

#include "BlockArithmetic.h"

using namespace llvm;

namespace ember::sim::sam {

void BlockState::describe(const Graph &graph, unsigned blockNumber) {
  number = blockNumber;
  description = &graph.getBlocks()[number];
  kind = description->kind;
  const BlockInfo &info = infoOf(kind);
  // Optional inputs that nothing is connected to are not looked at.
  numInputs = info.inputs.size();
  while (numInputs && info.inputs[numInputs - 1].isOptional &&
         !graph.isConnected(number, numInputs - 1))
    --numInputs;
  numOutputs = info.outputs.size();
  if (kind == BlockKind::parallelize)
    numOutputs = description->lanes;
  if (kind == BlockKind::reduceAlong)
    numOutputs = numInputs;
  sum = identityOf(description->combiner);
  if (description->tensor == noIndex)
    return;
  const Tensor &tensor = graph.getTensors()[description->tensor];
  values = tensor.values;
  if (description->level < tensor.levels.size())
    level = &tensor.levels[description->level];
}

std::string BlockState::enterFiber(int64_t fiber) {
  if (level->format == Level::Format::dense) {
    if (fiber < 0 || fiber > mostPositions / std::max<int64_t>(level->size, 1))
      return formatv("there is no fiber {0}", fiber);
    position = base = fiber * level->size;
    end = position + level->size;
    return {};
  }
  int64_t fibers = int64_t(level->segments.size()) - 1;
  if (fiber < 0 || fiber >= fibers)
    return formatv("reference {0} on 'ref' is past its array, which has {1} "
                   "fibers",
                   fiber, fibers);
  position = level->segments[fiber];
  end = level->segments[fiber + 1];
  return {};
}

} // namespace ember::sim::sam
