//===- CINReuse.cpp - What statements pass to each other ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/ReusePatterns.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/IR/Reuse.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

std::optional<Reuse> Reuse::of(Operation *statement) {
  auto fields = statement->getAttrOfType<DictionaryAttr>(reuseAttr);
  if (!fields)
    return std::nullopt;
  Reuse reuse;
  auto number = [&](StringRef name) {
    return fields.getAs<IntegerAttr>(name).getInt();
  };
  reuse.node = number("node");
  reuse.stage = number("stage");
  reuse.step = number("step");
  reuse.dominance = fields.getAs<StringAttr>("dominance").str();
  if (auto rank = fields.getAs<StringAttr>("rank"))
    reuse.rank = rank.str();
  if (auto feeds = fields.getAs<ArrayAttr>("feeds"))
    for (auto feed : feeds.getAsRange<StringAttr>()) {
      auto [target, pattern] = feed.getValue().split(' ');
      int64_t node = 0;
      (void)target.getAsInteger(10, node);
      reuse.feeds.push_back({node, pattern.str()});
    }
  return reuse;
}

void Reuse::setOn(Operation *statement) const {
  Builder builder(statement->getContext());
  NamedAttrList fields;
  fields.set("node", builder.getI64IntegerAttr(node));
  fields.set("dominance", builder.getStringAttr(dominance));
  if (!rank.empty())
    fields.set("rank", builder.getStringAttr(rank));
  fields.set("stage", builder.getI64IntegerAttr(stage));
  fields.set("step", builder.getI64IntegerAttr(step));
  SmallVector<Attribute> texts;
  for (const auto &[target, pattern] : feeds)
    texts.push_back(
        builder.getStringAttr(std::to_string(target) + " " + pattern));
  if (!texts.empty())
    fields.set("feeds", builder.getArrayAttr(texts));
  statement->setAttr(reuseAttr, fields.getDictionary(builder.getContext()));
}

std::optional<Sweep> Sweep::of(Operation *statement) {
  auto fields = statement->getAttrOfType<DictionaryAttr>(sweepAttr);
  if (!fields)
    return std::nullopt;
  return Sweep{fields.getAs<IntegerAttr>("number").getInt(),
               fields.getAs<StringAttr>("tile").str()};
}

void Sweep::setOn(Operation *statement) const {
  Builder builder(statement->getContext());
  NamedAttrList fields;
  fields.set("number", builder.getI64IntegerAttr(number));
  fields.set("tile", builder.getStringAttr(tile));
  statement->setAttr(sweepAttr, fields.getDictionary(builder.getContext()));
}

void ember::cin::keepSweep(Operation *statement, Operation *before) {
  std::optional<Sweep> sweep = Sweep::of(statement);
  if (!sweep)
    return;
  Operation *made =
      before ? before->getNextNode() : &statement->getBlock()->front();
  for (; made != statement; made = made->getNextNode())
    if (isa<ForallOp>(made))
      sweep->setOn(made);
}

static bool isPattern(StringRef name) {
  return llvm::any_of(
      ArrayRef({einsum::ReusePattern::sequential,
                einsum::ReusePattern::pipelineable,
                einsum::ReusePattern::writeback, einsum::ReusePattern::hold}),
      [&](einsum::ReusePattern known) {
        return einsum::nameOf(known) == name;
      });
}

/// What is wrong with a reuse; empty if nothing is.
static std::string findFault(DictionaryAttr fields) {
  for (StringRef name : {"node", "stage", "step"}) {
    auto number = fields.getAs<IntegerAttr>(name);
    if (!number || number.getInt() < 0)
      return (name + " is no number from 0").str();
  }
  for (NamedAttribute field : fields)
    if (!llvm::is_contained(
            {"node", "stage", "step", "dominance", "rank", "feeds"},
            field.getName().getValue()))
      return ("there is no " + field.getName().getValue()).str();
  auto dominance = fields.getAs<StringAttr>("dominance");
  auto is = [&](einsum::Dominance known) {
    return dominance && dominance.getValue() == einsum::nameOf(known);
  };
  bool isDominated =
      is(einsum::Dominance::uncontracted) || is(einsum::Dominance::contracted);
  if (!isDominated && !is(einsum::Dominance::balanced) &&
      !is(einsum::Dominance::small))
    return "dominance is one of U, C, bal and small";
  if (isDominated != !!fields.getAs<StringAttr>("rank"))
    return isDominated ? "a rank dominates, and it is not said which"
                       : "no rank dominates, and one is named";
  Attribute feeds = fields.get("feeds");
  auto list = dyn_cast_if_present<ArrayAttr>(feeds);
  if (feeds && !list)
    return "feeds is a list of texts";
  if (!list)
    return "";
  for (Attribute feed : list) {
    auto text = dyn_cast<StringAttr>(feed);
    auto [target, pattern] =
        text ? text.getValue().split(' ') : std::pair<StringRef, StringRef>();
    int64_t node;
    if (target.getAsInteger(10, node) || node < 0 || !isPattern(pattern))
      return "feeds has texts of an operation's number and a pattern";
    if (node == fields.getAs<IntegerAttr>("node").getInt())
      return "an operation feeds itself";
  }
  return "";
}

LogicalResult ember::cin::verifyReuse(Operation *op, NamedAttribute attribute) {
  auto statement = dyn_cast<ForallOp>(op);
  if (!statement || !isa_and_present<EvaluateOp>(op->getParentOp()))
    return op->emitOpError() << "has " << attribute.getName()
                             << ", which is said of statements of a "
                                "cin.evaluate";
  auto fields = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (attribute.getName() == sweepAttr) {
    auto number = fields ? fields.getAs<IntegerAttr>("number") : IntegerAttr();
    if (!number || number.getInt() < 0 || !fields.getAs<StringAttr>("tile"))
      return op->emitOpError()
             << sweepAttr
             << " has a number from 0, and the name of a variable over tiles";
    return success();
  }
  std::string fault = fields ? findFault(fields) : "it is no dictionary";
  if (!fault.empty())
    return op->emitOpError() << reuseAttr << ": " << fault;
  return success();
}
