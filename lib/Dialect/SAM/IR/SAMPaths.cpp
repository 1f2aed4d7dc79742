//===- SAMPaths.cpp - Where streams come from -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/IR/SAM.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

std::string ember::sam::getTensorName(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return "?";
  auto graph = dyn_cast<GraphOp>(argument.getOwner()->getParentOp());
  if (graph)
    if (auto names = graph->getAttrOfType<ArrayAttr>("names");
        names && argument.getArgNumber() < names.size())
      if (auto name = dyn_cast<StringAttr>(names[argument.getArgNumber()]))
        return name.str();
  return "#" + std::to_string(argument.getArgNumber());
}

/// The stream that a block's results follow in the first place.
static Value getPrecursor(Operation *op) {
  for (Value operand : op->getOperands())
    if (getDepth(operand.getType()))
      return operand;
  return {};
}

static std::string describeBlock(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  auto add = [&](Value tensor, unsigned level) {
    text += " " + getTensorName(tensor) + "[" + std::to_string(level) + "]";
  };
  if (auto scan = dyn_cast<ScanOp>(op))
    add(scan.getTensor(), scan.getLevel());
  else if (auto locate = dyn_cast<LocateOp>(op))
    add(locate.getTensor(), locate.getLevel());
  else if (auto load = dyn_cast<LoadOp>(op))
    text += " " + getTensorName(load.getTensor());
  return text;
}

std::string ember::sam::describePath(Value stream) {
  SmallVector<std::string> blocks;
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (Operation *op = stream ? stream.getDefiningOp() : nullptr) {
    if (!seen.insert(op).second)
      break;
    blocks.push_back(describeBlock(op));
    stream = getPrecursor(op);
  }
  std::reverse(blocks.begin(), blocks.end());
  return llvm::join(blocks, ", ");
}

/// The operand of a joiner that is passed on as a result.
template <typename JoinerOp>
static Value getPassedOn(JoinerOp joiner, unsigned result) {
  unsigned number = 1;
  for (unsigned side = 0; side < joiner.countSides(); ++side)
    for (Value stream : joiner.getSide(side).drop_front())
      if (number++ == result)
        return stream;
  return {};
}

std::optional<ReferencedLevel> ember::sam::findReferencedLevel(Value stream) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (Operation *op = stream ? stream.getDefiningOp() : nullptr) {
    if (!seen.insert(op).second)
      return std::nullopt;
    unsigned result = cast<OpResult>(stream).getResultNumber();
    if (auto scan = dyn_cast<ScanOp>(op))
      return ReferencedLevel{scan.getTensor(),
                             static_cast<unsigned>(scan.getLevel())};
    if (auto locate = dyn_cast<LocateOp>(op)) {
      // Which levels have been located before is not looked for.
      if (locate.getStrided())
        return std::nullopt;
      return ReferencedLevel{locate.getTensor(),
                             static_cast<unsigned>(locate.getLevel())};
    }
    if (auto repeat = dyn_cast<RepeatOp>(op))
      stream = repeat.getStream();
    else if (auto meet = dyn_cast<IntersectOp>(op))
      stream = getPassedOn(meet, result);
    else if (auto join = dyn_cast<UnionOp>(op))
      stream = getPassedOn(join, result);
    else
      return std::nullopt;
  }
  return std::nullopt;
}
