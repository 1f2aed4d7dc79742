//===- Fuse.cpp - Producers into consumers --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One assignment at a time is a producer: what it assigns takes the place of
// each access that reads it.
//
//===----------------------------------------------------------------------===//

#include "FusionCost.h"
#include "WholeRanges.h"

#include "ember/Dialect/CIN/IR/ProgramOrder.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ember::cin {
#define GEN_PASS_DEF_FUSE
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

static constexpr auto byRule =
    remark::RemarkOpts::name("Producer").category("cin-fuse");

namespace {
/// Fuses the statements of one evaluation.
class EvaluationFusion {
public:
  EvaluationFusion(EvaluateOp evaluate, unsigned recompute, unsigned cheap)
      : evaluate(evaluate), recompute(recompute), cheap(cheap) {}

  void run();

private:
  /// A statement that assigns to an array without combining.
  struct Producer {
    ForallOp statement;
    AssignOp assign;
    SmallVector<ForallOp> loops;
  };
  std::optional<Producer> getProducer(ForallOp statement);

  /// Writes updates of a whole array as assignments that read it.
  void rewriteUpdates();
  /// Writes those of them as updates again that still read it.
  void restoreUpdates();
  /// Statements that nobody outside sees anything of, those of the most
  /// variables first.
  SmallVector<ForallOp> findCandidates();
  /// Whether what a statement assigns is gone at the end: its array is a
  /// temporary, or is assigned to again as a whole.
  bool isHidden(AssignOp assign);
  /// The accesses that may read what `producer` assigns.
  SmallVector<AccessOp> findReads(Producer producer);
  /// Whether a later statement combines something with what `producer` assigns.
  bool isUpdated(Producer producer);
  /// The last statement before `read` that assigns to its array.
  ForallOp findDefinition(AccessOp read);
  /// Whether a statement between two writes what `producer` reads.
  std::string findWrite(Producer producer, ForallOp consumer);

  /// Why a producer is not inlined; empty if it was.
  bool isSlowerFused(Producer producer,
                     ArrayRef<std::pair<ForallOp, ForallOp>> consumers);
  std::string inlineProducer(Producer producer);
  std::string checkCost(Producer producer, ArrayRef<AccessOp> reads);
  bool substitute(Producer producer, ForallOp consumer,
                  ArrayRef<AccessOp> reads);
  void removeDead();

  EvaluateOp evaluate;
  unsigned recompute, cheap;
  SmallVector<ForallOp> rewritten;
};
} // namespace

//===----------------------------------------------------------------------===//
// What may be a producer
//===----------------------------------------------------------------------===//

std::optional<EvaluationFusion::Producer>
EvaluationFusion::getProducer(ForallOp statement) {
  Producer producer{statement, {}, {}};
  producer.assign = getAssignment(statement, producer.loops);
  if (!producer.assign || producer.assign.isCombining())
    return std::nullopt;
  return producer;
}

void EvaluationFusion::rewriteUpdates() {
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    SmallVector<ForallOp> loops;
    AssignOp update = getAssignment(statement, loops);
    if (!update || !update.isCombining() || update.getFirst() ||
        update.getCondition() || isa<ArrayType>(update.getArray().getType()))
      continue;
    // It leaves elements as they are where there is nothing.
    if (mayBeMissing(update.getValue()))
      continue;
    // As an assignment of all elements, in a form that assignsAll knows.
    Attribute callee = update.getCalleeAttr();
    update.removeCalleeAttr();
    bool isWhole = assignsAll(update);
    size_t count = 0;
    for (ForallOp loop : loops)
      count += loop.getVariables().size();
    isWhole &= count == update.getIndices().size();
    Operation *before = statement->getPrevNode();
    bool isFollowing = false;
    for (; before && !isFollowing; before = before->getPrevNode()) {
      auto other = dyn_cast<ForallOp>(before);
      if (!other)
        continue;
      other.walk([&](AssignOp assign) {
        isFollowing |=
            assign.getArray() == update.getArray() && assignsAll(assign);
      });
    }
    bool readsItself = false;
    statement.walk([&](AccessOp access) {
      readsItself |= access.getArray() == update.getArray();
    });
    if (!isWhole || !isFollowing || readsItself) {
      update.setCalleeAttr(callee);
      continue;
    }
    OpBuilder builder(update);
    Value there = AccessOp::create(builder, update.getLoc(), update.getArray(),
                                   update.getIndices());
    Value value = CallOp::create(builder, update.getLoc(), there.getType(),
                                 callee, ValueRange{there, update.getValue()});
    update.getValueMutable().assign(value);
    rewritten.push_back(statement);
  }
}

void EvaluationFusion::restoreUpdates() {
  for (ForallOp statement : rewritten) {
    SmallVector<ForallOp> loops;
    AssignOp update = getAssignment(statement, loops);
    auto call = update.getValue().getDefiningOp<CallOp>();
    auto there = call && call.getOperands().size() == 2
                     ? call.getOperands().front().getDefiningOp<AccessOp>()
                     : AccessOp();
    if (!there || there.getArray() != update.getArray() ||
        !llvm::equal(there.getIndices(), update.getIndices()))
      continue;
    update.setCalleeAttr(call.getCallee());
    update.getValueMutable().assign(call.getOperands()[1]);
    simplifyStatement(statement);
  }
}

/// Whether something else than accesses reads an array, as a whole.
static bool isReadWhole(Value array) {
  return llvm::any_of(array.getUsers(),
                      [](Operation *user) { return isa<ScanOp>(user); });
}

bool EvaluationFusion::isHidden(AssignOp assign) {
  Value array = assign.getArray();
  if (isReadWhole(array))
    return false;
  if (array.getDefiningOp<TemporaryOp>())
    return true;
  Operation *statement = getStatement(assign);
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto other = dyn_cast<AssignOp>(user);
    return other && assignsAll(other) &&
           statement->isBeforeInBlock(getStatement(other));
  });
}

bool EvaluationFusion::isUpdated(Producer producer) {
  Value array = producer.assign.getArray();
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto update = dyn_cast<AssignOp>(user);
    return update && update.isCombining() &&
           producer.statement->isBeforeInBlock(getStatement(update));
  });
}

ForallOp EvaluationFusion::findDefinition(AccessOp read) {
  ForallOp mine = getStatement(read), last;
  for (Operation *user : read.getArray().getUsers()) {
    auto assign = dyn_cast<AssignOp>(user);
    if (!assign)
      continue;
    ForallOp statement = getStatement(assign);
    if (statement->isBeforeInBlock(mine) &&
        (!last || last->isBeforeInBlock(statement)))
      last = statement;
  }
  return last;
}

SmallVector<ForallOp> EvaluationFusion::findCandidates() {
  SmallVector<ForallOp> candidates;
  for (auto statement : evaluate.getRegion().getOps<ForallOp>())
    if (std::optional<Producer> producer = getProducer(statement);
        producer && isHidden(producer->assign))
      candidates.push_back(statement);
  // Large arrays first: what is saved is their memory.
  auto rankOf = [&](ForallOp statement) {
    return getProducer(statement)->assign.getIndices().size();
  };
  SmallVector<ForallOp> sorted;
  size_t most = 0;
  for (ForallOp statement : candidates)
    most = std::max(most, rankOf(statement));
  for (size_t rank = most + 1; rank-- > 0;)
    for (ForallOp statement : candidates)
      if (rankOf(statement) == rank)
        sorted.push_back(statement);
  return sorted;
}

SmallVector<AccessOp> EvaluationFusion::findReads(Producer producer) {
  SmallVector<AccessOp> reads;
  Value array = producer.assign.getArray();
  for (Operation *user : getUsersInOrder(array)) {
    auto read = dyn_cast<AccessOp>(user);
    if (!read)
      continue;
    // One before it may also reach, if what is between is not all.
    ForallOp definition = findDefinition(read);
    auto last = definition ? getProducer(definition) : std::nullopt;
    bool mayReach = producer.statement->isBeforeInBlock(getStatement(read)) &&
                    (definition == producer.statement || !last ||
                     !assignsAll(last->assign));
    if (mayReach)
      reads.push_back(read);
  }
  return reads;
}

//===----------------------------------------------------------------------===//
// Legality and cost
//===----------------------------------------------------------------------===//

/// The arrays that a statement reads.
static llvm::SetVector<Value> getReadArrays(ForallOp statement) {
  llvm::SetVector<Value> arrays;
  statement.walk([&](AccessOp access) { arrays.insert(access.getArray()); });
  return arrays;
}

std::string EvaluationFusion::findWrite(Producer producer, ForallOp consumer) {
  for (Value array : getReadArrays(producer.statement))
    for (Operation *user : array.getUsers()) {
      auto assign = dyn_cast<AssignOp>(user);
      if (!assign)
        continue;
      ForallOp writer = getStatement(assign);
      bool isBetween = !writer->isBeforeInBlock(producer.statement) &&
                       writer->isBeforeInBlock(consumer);
      if (isBetween)
        return evaluate.getNameOf(array) +
               ", which it is computed from, is assigned to before it is read";
    }
  return "";
}

std::string EvaluationFusion::checkCost(Producer producer,
                                        ArrayRef<AccessOp> reads) {
  std::optional<unsigned> cost = getCost(producer.assign.getValue());
  if (cost && *cost <= cheap)
    return "";
  unsigned times = 0;
  bool isRepeated = false;
  ProducerMatch match(producer.assign, producer.loops);
  for (AccessOp read : reads) {
    SmallVector<ForallOp> loops;
    AssignOp consumer = getAssignment(getStatement(read), loops);
    (void)match.find(read, consumer);
    isRepeated |= !readsOnce(read, consumer, match);
    ++times;
  }
  if (!isRepeated && times <= recompute)
    return "";
  std::string what =
      cost ? "computing an element costs " + std::to_string(*cost) +
                 ", more than " + std::to_string(cheap)
           : std::string("computing an element takes a reduction");
  return what + ", and " +
         (isRepeated ? "it may be read several times"
                     : "it is read " + std::to_string(times) + " times");
}

//===----------------------------------------------------------------------===//
// Substitution
//===----------------------------------------------------------------------===//

/// Copies the expressions of a producer in front of `read`, which they replace.
static void replaceRead(AccessOp read, AssignOp producer,
                        ArrayRef<ForallOp> loops, const ProducerMatch &match) {
  OpBuilder builder(read);
  IRMapping mapping;
  for (BlockArgument variable : match.getVariables()) {
    Value value = match.getValue(variable);
    // A call takes the type that it is written for.
    bool isCalled = llvm::any_of(
        variable.getUsers(), [](Operation *user) { return isa<CallOp>(user); });
    if (isCalled && !value.getType().isIndex())
      value = ApplyOp::create(
          builder, read.getLoc(), builder.getIndexType(),
          AffineMap::getMultiDimIdentityMap(1, builder.getContext()), value);
    mapping.map(variable, value);
  }
  for (ForallOp loop : loops)
    for (Operation &op : *loop.getBody())
      if (!isa<ForallOp, AssignOp>(op))
        builder.clone(op, mapping);
  read.replaceAllUsesWith(mapping.lookupOrDefault(producer.getValue()));
  read.erase();
}

/// Whether the statement is still one: variables without ranges are indices,
/// and what is assigned to is read nowhere else.
static bool isValid(ForallOp statement) {
  bool isKnown = true;
  statement.walk([&](Operation *op) {
    if (!isa<ForallOp, ReduceOp>(op))
      return;
    for (BlockArgument variable : op->getRegion(0).getArguments())
      isKnown &=
          getRange(variable).first || !getIndexedDimensions(variable).empty();
  });
  ScopedDiagnosticHandler silent(statement.getContext(),
                                 [](Diagnostic &) { return success(); });
  return isKnown && succeeded(verifyOwnReads(statement));
}

bool EvaluationFusion::substitute(Producer producer, ForallOp consumer,
                                  ArrayRef<AccessOp> reads) {
  SmallVector<ForallOp> loops;
  AssignOp assign = getAssignment(consumer, loops);
  ProducerMatch match(producer.assign, producer.loops);
  for (AccessOp read : reads) {
    (void)match.find(read, assign);
    replaceRead(read, producer.assign, producer.loops, match);
  }
  simplifyStatement(consumer);
  return isValid(consumer);
}

/// Whether consumers take much longer than they and the producer did before, of
/// which there are copies. Without a reduction, an element costs next to
/// nothing where it is read.
bool EvaluationFusion::isSlowerFused(
    Producer producer, ArrayRef<std::pair<ForallOp, ForallOp>> consumers) {
  if (getCost(producer.assign.getValue()))
    return false;
  SmallVector<ForallOp> fused, apart = {producer.statement};
  for (auto &[consumer, copy] : consumers) {
    fused.push_back(consumer);
    apart.push_back(copy);
  }
  return isSlower(fused, apart);
}

std::string EvaluationFusion::inlineProducer(Producer producer) {
  SmallVector<AccessOp> reads = findReads(producer);
  ProducerMatch match(producer.assign, producer.loops);
  auto stored = dyn_cast<ArrayType>(producer.assign.getArray().getType());
  if (stored && stored.getFormat().isMissing())
    return "what it does not store is missing";
  auto temporary = producer.assign.getArray().getDefiningOp<TemporaryOp>();
  if (temporary && temporary.getKept())
    return "what reads it compares its elements, and each has to be the same "
           "wherever it is read";
  // Then it has its fill, or the identity of a reduction.
  if (mayBeMissing(producer.assign.getValue()))
    return "what is assigned to it may be missing, and no element of it is";
  if (producer.statement.getSchedule())
    return "its loops have a schedule of their own";
  llvm::MapVector<Operation *, SmallVector<AccessOp>> consumers;
  for (AccessOp read : reads) {
    ForallOp statement = getStatement(read);
    SmallVector<ForallOp> loops;
    AssignOp consumer = getAssignment(statement, loops);
    if (!consumer)
      return "what reads it has its loops already";
    if (statement.getSchedule())
      return "what reads it has a schedule of its own";
    if (findDefinition(read) != producer.statement)
      return "another statement assigns to some of its elements before they "
             "are read";
    if (read.getStored() || llvm::any_of(read->getUsers(), [](Operation *user) {
          return isa<StoredOp>(user);
        }))
      return "what reads it asks whether it is stored";
    if (std::string reason = match.find(read, consumer); !reason.empty())
      return reason;
    if (std::string reason = findWrite(producer, statement); !reason.empty())
      return reason;
    consumers[statement].push_back(read);
  }
  if (std::string reason = checkCost(producer, reads); !reason.empty())
    return reason;
  // All of them, or it stays in memory, and is read from there.
  SmallVector<std::pair<ForallOp, ForallOp>> before;
  bool isDone = true;
  for (auto &[statement, mine] : consumers) {
    auto consumer = cast<ForallOp>(statement);
    OpBuilder builder(consumer);
    before.push_back({consumer, cast<ForallOp>(builder.clone(*consumer))});
    isDone = substitute(producer, consumer, mine);
    if (!isDone)
      break;
  }
  bool isWorse = isDone && isSlowerFused(producer, before);
  for (auto &[consumer, copy] : before) {
    if (!isDone || isWorse)
      consumer.getRegion().takeBody(copy.getRegion());
    copy->erase();
  }
  if (isWorse)
    return "loops that compute its elements where they are read are estimated "
           "to take more than twice as long";
  return isDone ? ""
                : "what reads it would read what it assigns to, or have a "
                  "variable of which nothing says how many values it has";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void EvaluationFusion::removeDead() {
  for (bool changed = true; changed;) {
    changed = false;
    auto statements = llvm::to_vector(evaluate.getRegion().getOps<ForallOp>());
    for (ForallOp statement : llvm::reverse(statements)) {
      std::optional<Producer> producer = getProducer(statement);
      Value array;
      if (producer && isHidden(producer->assign) &&
          findReads(*producer).empty() && !isUpdated(*producer))
        array = producer->assign.getArray();
      // Whatever is assigned to what nobody reads.
      SmallVector<ForallOp> loops;
      AssignOp assign = getAssignment(statement, loops);
      if (assign && assign.getArray().getDefiningOp<TemporaryOp>() &&
          !isReadWhole(assign.getArray()) &&
          llvm::none_of(assign.getArray().getUsers(), [&](Operation *user) {
            return isa<AccessOp>(user) && !statement->isAncestor(user);
          }))
        array = assign.getArray();
      if (!array)
        continue;
      llvm::erase(rewritten, statement);
      statement->erase();
      changed = true;
    }
  }
  for (auto temporary :
       llvm::make_early_inc_range(evaluate.getRegion().getOps<TemporaryOp>()))
    if (temporary->use_empty())
      temporary.erase();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(evaluate.getRegion().front())))
    if (isa<ExtentOp, ApplyOp, LiteralOp>(op) && op.use_empty())
      op.erase();
}

void EvaluationFusion::run() {
  dropWholeRanges(evaluate);
  rewriteUpdates();
  if (findCandidates().empty())
    return restoreUpdates();
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    SmallVector<ForallOp> loops;
    if (getAssignment(statement, loops))
      simplifyStatement(statement);
  }
  llvm::MapVector<Operation *, std::string> reasons;
  for (bool changed = true; changed;) {
    changed = false;
    for (ForallOp statement : findCandidates()) {
      Producer producer = *getProducer(statement);
      if (findReads(producer).empty())
        continue;
      std::string reason = inlineProducer(producer);
      if (!reason.empty()) {
        reasons[statement] = reason;
        continue;
      }
      remark::passed(producer.assign.getLoc(), byRule)
          << evaluate.getNameOf(producer.assign.getArray())
          << " is computed where it is read";
      // What it reads has one reader less.
      reasons.erase(statement);
      llvm::erase(rewritten, statement);
      statement->erase();
      changed = true;
    }
  }
  for (auto &[statement, reason] : reasons) {
    AssignOp assign = getProducer(cast<ForallOp>(statement))->assign;
    std::string text =
        evaluate.getNameOf(assign.getArray()) + " stays in memory: " + reason;
    emitRemark(assign.getLoc()) << text;
    remark::missed(assign.getLoc(), byRule) << text;
  }
  removeDead();
  restoreUpdates();
}

namespace {
struct Fuse : public ember::cin::impl::FuseBase<Fuse> {
  using FuseBase::FuseBase;

  void runOnOperation() override {
    getOperation()->walk([&](EvaluateOp evaluate) {
      EvaluationFusion(evaluate, recompute, cheap).run();
    });
  }
};
} // namespace
