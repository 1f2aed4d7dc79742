//===- Decisions.cpp - What rules have done with statements ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Decisions.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

class Decisions::Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(Decisions &decisions) : decisions(decisions) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text = (remark.getCategoryName() + ": ").str();
    for (const remark::detail::Remark::Arg &part : remark.getArgs())
      text += part.val;
    decisions.add(std::move(text));
  }

private:
  Decisions &decisions;
};

void Decisions::add(std::string text) {
  if (is_contained(all, text))
    return;
  if (print)
    errs() << "remark: " << text << "\n";
  all.push_back(std::move(text));
}

void Decisions::listenTo(MLIRContext &context) {
  remark::RemarkCategories rules;
  rules.passed = rules.missed = "cin-.*";
  // Fails only where a file would have to be opened.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer>(*this),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), rules);
}

void Decisions::putOn(ModuleOp module) const {
  if (!all.empty())
    module->setAttr(decisionsAttr,
                    Builder(module.getContext())
                        .getStrArrayAttr(to_vector_of<StringRef>(all)));
}

void Decisions::takeOff(ModuleOp module) {
  auto brought = dyn_cast_or_null<ArrayAttr>(module->removeAttr(decisionsAttr));
  if (brought)
    for (auto text : brought.getAsRange<StringAttr>())
      add(text.str());
}
