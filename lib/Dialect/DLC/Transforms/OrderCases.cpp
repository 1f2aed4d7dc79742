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
  FailureOr<llvm::DenseMap<int64_t, int64_t>>
  getWeights(ProgramOp program, StringRef name, const EventProfile *counted);
  void sort(ComputeLoopOp loop,
            const llvm::DenseMap<int64_t, int64_t> &weightOf);
  void runOnOperation() override;
};
} // namespace

FailureOr<llvm::DenseMap<int64_t, int64_t>>
OrderCases::getWeights(ProgramOp program, StringRef name,
                       const EventProfile *counted) {
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

void OrderCases::runOnOperation() {
  std::optional<EventProfile> counted;
  if (!profile.empty()) {
    llvm::Expected<EventProfile> read = EventProfile::read(profile);
    if (!read) {
      emitError(UnknownLoc::get(&getContext()))
          << llvm::toString(read.takeError());
      return signalPassFailure();
    }
    counted = std::move(*read);
  }
  for (auto function : getOperation().getOps<FunctionOpInterface>())
    for (auto [number, program] :
         llvm::enumerate(getNumberedPrograms(function))) {
      std::string name = (function.getName() + "." + Twine(number)).str();
      auto weights = getWeights(program, name, counted ? &*counted : nullptr);
      if (failed(weights))
        return signalPassFailure();
      if (!weights->empty())
        sort(program.getComputeLoop(), *weights);
    }
}
