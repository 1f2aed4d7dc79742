//===- Reducer.cpp - Smaller programs that still fail ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries the reductions from the largest to the smallest, again and again until
// none of them leaves a program that fails.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Reduction/Reducer.h"
#include "ember/Fuzz/Embeddings/EmbeddingReductions.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Reduction/Reductions.h"
#include "ember/Fuzz/Statements/StatementReductions.h"
#include <chrono>

namespace ember::fuzz {

namespace {

class Reduction {
public:
  Reduction(Program program, const StillFails &stillFails, double seconds)
      : program(std::move(program)), stillFails(stillFails),
        deadline(Clock::now() + std::chrono::milliseconds(
                                    static_cast<int64_t>(seconds * 1000))) {}

  Program run();

private:
  using Clock = std::chrono::steady_clock;

  /// Keeps what `change` does to the program if it still fails.
  bool attempt(const std::function<bool(Program &)> &change);

  bool removeChunks();
  bool simplifyOps();
  bool simplifyFunctions();
  bool simplifyInputs();
  bool simplifyEmbeddings();
  bool shrinkTogether();
  bool reduceStatements();

  Program program;
  const StillFails &stillFails;
  Clock::time_point deadline;
};

} // namespace

bool Reduction::attempt(const std::function<bool(Program &)> &change) {
  if (Clock::now() > deadline)
    return false;
  Program candidate = program;
  if (!change(candidate))
    return false;
  removeUnused(candidate);
  if (!stillFails(candidate))
    return false;
  program = std::move(candidate);
  return true;
}

/// Removes runs of operations from every block, long runs first.
bool Reduction::removeChunks() {
  bool changed = false;
  for (size_t k = 0; k < allBlocks(program).size(); ++k) {
    BlockPlace place = allBlocks(program)[k];
    size_t size = blockAt(program, place).ops.size();
    for (size_t count = size; count > 0; count /= 2) {
      // From the end: uses go before what they use.
      for (size_t chunk = (size - 1) / count + 1; chunk-- > 0;) {
        if (attempt([&](Program &candidate) {
              return removeOps(candidate, place, chunk * count, count, 0);
            }))
          changed = true;
        // Outer blocks stay where they are, inner ones may be gone.
        if (k >= allBlocks(program).size())
          return true;
      }
    }
  }
  return changed;
}

bool Reduction::simplifyOps() {
  bool changed = false;
  for (size_t k = 0; k < allBlocks(program).size(); ++k) {
    for (size_t op = 0;; ++op) {
      if (k >= allBlocks(program).size())
        return true;
      BlockPlace place = allBlocks(program)[k];
      if (op >= blockAt(program, place).ops.size())
        break;
      for (size_t region : {0, 1})
        changed |= attempt([&](Program &candidate) {
          return inlineRegion(candidate, place, op, region);
        });
      if (k >= allBlocks(program).size())
        return true;
      for (size_t slot : {2, 1, 0})
        changed |= attempt([&](Program &candidate) {
          return removeCarried(candidate, place, op, slot);
        });
      for (uint64_t replacement : {0, 1})
        changed |= attempt([&](Program &candidate) {
          return removeOps(candidate, place, op, 1, replacement);
        });
      for (int64_t value : {0, 1, 2, 3, 4, 5, 8, 9, 16, 17})
        if (attempt([&](Program &candidate) {
              return setConstant(candidate, place, op, value);
            })) {
          changed = true;
          break;
        }
    }
  }
  return changed;
}

bool Reduction::simplifyFunctions() {
  bool changed = false;
  for (size_t i = program.functions.size(); i-- > 0;)
    for (size_t result : {2, 1, 0})
      changed |= attempt([&](Program &candidate) {
        return i < candidate.functions.size() &&
               removeResult(candidate, i, result);
      });
  return changed;
}

bool Reduction::simplifyInputs() {
  bool changed = false;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    Scalar type = program.inputs[i].element;
    for (double value : {0.0, 1.0})
      if (attempt([&](Program &candidate) {
            return flattenInput(candidate, i,
                                isFloat(type) ? encodeFloat(type, value)
                                              : static_cast<uint64_t>(value));
          })) {
        changed = true;
        break;
      }
    for (size_t dimension = 0; dimension < 3; ++dimension)
      for (int64_t size : {1, 2, 3, 4, 5, 8, 9, 16})
        if (attempt([&](Program &candidate) {
              return i < candidate.inputs.size() &&
                     shrinkDimension(candidate, i, dimension, size);
            })) {
          changed = true;
          break;
        }
  }
  return changed;
}

bool Reduction::simplifyEmbeddings() {
  using Step = EmbeddingSimplification;
  bool changed = false;
  for (size_t i = 0; i < program.entry().body.ops.size(); ++i)
    for (Step step : {Step::Weights, Step::Values, Step::Padding, Step::Scale,
                      Step::Reduction, Step::Combining, Step::Edge, Step::Total,
                      Step::Activation, Step::Weighting, Step::Vector})
      changed |= attempt([&](Program &candidate) {
        std::vector<Op> &ops = candidate.functions.front().body.ops;
        return i < ops.size() && simplifyEmbedding(ops[i], step);
      });
  return changed;
}

bool Reduction::reduceStatements() {
  using Step = StatementSimplification;
  bool changed = false;
  for (Step step : {Step::Statement, Step::FirstOperand, Step::SecondOperand,
                    Step::LastOperand, Step::Condition, Step::TermCondition,
                    Step::Format, Step::Elements})
    // From the end: what is behind goes before what it is behind of.
    for (size_t place = countPlaces(program, step); place-- > 0;)
      changed |= attempt([&](Program &candidate) {
        return simplifyStatements(candidate, step, place);
      });
  return changed;
}

/// Sizes that follow from each other, and the numbers that lead into them.
bool Reduction::shrinkTogether() {
  bool changed = false;
  for (int64_t from = 80; from > 1; --from)
    for (int64_t to : {1, 2, 3, 4, 8, 16})
      for (bool hasEnds : {false, true})
        for (int64_t limit : {int64_t(INT64_MAX), to - 1, to})
          if (to < from && attempt([&](Program &candidate) {
                if (!replaceSize(candidate, from, to, hasEnds))
                  return false;
                limitIntegers(candidate, limit);
                return true;
              }))
            changed = true;
  return changed;
}

Program Reduction::run() {
  attempt([](Program &) { return true; });
  for (bool changed = true; changed && Clock::now() < deadline;) {
    if (program.notation) {
      changed = reduceStatements();
      continue;
    }
    changed = removeChunks();
    changed |= simplifyFunctions();
    changed |= simplifyOps();
    changed |= simplifyInputs();
    if (!hasEmbeddings(program))
      continue;
    changed |= simplifyEmbeddings();
    changed |= shrinkTogether();
  }
  return program;
}

Program reduceProgram(Program program, const StillFails &stillFails,
                      double seconds) {
  return Reduction(std::move(program), stillFails, seconds).run();
}

} // namespace ember::fuzz
