//===- ParallelCall.cpp - Calls that run loops in parts -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/ParallelCall.h"

using namespace mlir;

namespace ember {

void setParallelLoops(func::CallOp call, ArrayRef<ParallelLoopCost> loops) {
  Builder builder(call.getContext());
  SmallVector<Attribute> attributes;
  for (const ParallelLoopCost &loop : loops) {
    SmallVector<NamedAttribute> fields;
    auto add = [&](StringRef name, int64_t value) {
      fields.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
    };
    add("cost", loop.cost);
    if (loop.offsets) {
      add("segment_cost", loop.segmentCost);
      add("offsets", *loop.offsets);
      add("first_offset", *loop.firstOffset);
    }
    attributes.push_back(builder.getDictionaryAttr(fields));
  }
  call->setAttr(kParallelAttr, builder.getArrayAttr(attributes));
}

SmallVector<ParallelLoopCost> getParallelLoops(func::CallOp call) {
  SmallVector<ParallelLoopCost> loops;
  auto attributes = call->getAttrOfType<ArrayAttr>(kParallelAttr);
  if (!attributes)
    return loops;
  for (auto fields : attributes.getAsRange<DictionaryAttr>()) {
    auto get = [&](StringRef name) -> std::optional<int64_t> {
      auto value = fields.getAs<IntegerAttr>(name);
      return value ? std::optional(value.getInt()) : std::nullopt;
    };
    ParallelLoopCost loop;
    loop.cost = get("cost").value_or(0);
    loop.segmentCost = get("segment_cost").value_or(0);
    if (auto offsets = get("offsets"), first = get("first_offset");
        offsets && first) {
      loop.offsets = *offsets;
      loop.firstOffset = *first;
    }
    loops.push_back(loop);
  }
  return loops;
}

} // namespace ember
