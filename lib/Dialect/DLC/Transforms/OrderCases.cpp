//===- OrderCases.cpp - The most frequent case first ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compute_loop                  compute_loop
//   case 0 { rare }        =>     case 1 weight 1024 { frequent }
//   case 1 { frequent }           case 0 weight 64 { rare }
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EventFrequencies.h"
#include "ember/Analysis/EventProfile.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace ember::dlc {
#define GEN_PASS_DEF_ORDERCASES
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
struct OrderCases : public dlc::impl::OrderCasesBase<OrderCases> {
  using OrderCasesBase::OrderCasesBase;

  /// The expected number of runs of each case, by its id.
  FailureOr<llvm::DenseMap<int64_t, int64_t>> getWeights(ProgramOp program,
                                                         StringRef name);
  void sort(ComputeLoopOp loop,
            const llvm::DenseMap<int64_t, int64_t> &weightOf);
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  /// What a run counted; shared by the copies of the pass that work on several
  /// functions at once. Null without a profile.
  std::shared_ptr<const EventProfile> counted;
};
} // namespace

FailureOr<llvm::DenseMap<int64_t, int64_t>>
OrderCases::getWeights(ProgramOp program, StringRef name) {
  llvm::DenseMap<int64_t, int64_t> weights;
  const llvm::StringMap<int64_t> *counts =
      counted ? counted->lookup(name) : nullptr;
  if (!counts) {
    if (counted)
      emitRemark(program.getLoc()) << "the profile has no counts for '" << name
                                   << "': its cases are ordered by estimates";
    EventFrequencies frequencies(program);
    for (auto callback : program.getAccessBody()->getOps<RegisterCallbackOp>())
      weights[callback.getId()] = frequencies.getCount(callback);
    return weights;
  }
  llvm::StringSet<> known{"done"};
  for (auto &[id, point] : getProfileNames(program)) {
    known.insert(point);
    weights[id] = counts->lookup(point);
  }
  for (StringRef point : counts->keys())
    if (!known.contains(point))
      return program.emitError()
             << "profile '" << profile << "' counts tokens at '" << point
             << "' of '" << name
             << "', where the program has no callback: it is of another "
                "program, or of other options";
  return weights;
}

void OrderCases::sort(ComputeLoopOp loop,
                      const llvm::DenseMap<int64_t, int64_t> &weightOf) {
  // Cases of equal weight keep their order.
  auto order = llvm::to_vector(llvm::seq<size_t>(loop.getCases().size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-weightOf.lookup(loop.getCases()[a]), a) <
           std::pair(-weightOf.lookup(loop.getCases()[b]), b);
  });
  SmallVector<int64_t> ids, weights;
  SmallVector<std::unique_ptr<Region>> bodies;
  for (size_t place : order) {
    ids.push_back(loop.getCases()[place]);
    weights.push_back(weightOf.lookup(ids.back()));
    bodies.push_back(std::make_unique<Region>());
    bodies.back()->takeBody(loop.getCaseRegions()[place]);
  }
  for (auto [region, body] : llvm::zip_equal(loop.getCaseRegions(), bodies))
    region.takeBody(*body);
  if (loop.getCases() != ArrayRef(ids))
    ++moved;
  loop.setCases(ids);
  loop.setWeights(weights);
}

LogicalResult OrderCases::initialize(MLIRContext *context) {
  counted = nullptr;
  if (profile.empty())
    return success();
  llvm::Expected<EventProfile> read = EventProfile::read(profile);
  if (!read)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(read.takeError());
  counted = std::make_shared<const EventProfile>(std::move(*read));
  return success();
}

void OrderCases::runOnOperation() {
  func::FuncOp function = getOperation();
  for (auto [number, program] :
       llvm::enumerate(getNumberedPrograms(function))) {
    std::string name = (function.getName() + "." + Twine(number)).str();
    auto weights = getWeights(program, name);
    if (failed(weights))
      return signalPassFailure();
    if (!weights->empty())
      sort(program.getComputeLoop(), *weights);
  }
}
