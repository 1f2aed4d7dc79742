//===- DLCVerifyAccess.cpp - Rules of a whole access program --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no operation of an access program can see alone: that its units form a
// chain, that streams are read where they have an element, and that operands
// arrive in the order in which the execute unit pops them. A program that keeps
// these rules can be lowered, and cannot lose step with its compute program but
// by the number of elements in a row.
//
//===----------------------------------------------------------------------===//

#include "DLCVerify.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace ember::dlc;
using ember::slc::Event;
using ember::slc::StreamType;

/// No real nest comes near, and whatever walks loop nests recursively survives
/// it.
static constexpr size_t maxChainLength = 512;

namespace {
/// A registration of any kind.
struct Registration {
  Operation *op;
  size_t depth;
  Event event;
  int64_t id;
  bool isOperand;
  /// An operand, or a token whose value may follow it.
  bool pushesData;
  /// Its place in the order of one traversal.
  size_t time = 0;
};

/// The registrations of one token.
struct Group {
  Registration *callback = nullptr;
  SmallVector<Registration *, 4> operands;

  RegisterCallbackOp getCallback() const {
    return cast<RegisterCallbackOp>(callback->op);
  }
};

class AccessVerifier {
public:
  explicit AccessVerifier(Block *access) : access(access) {}

  LogicalResult verify();

private:
  LogicalResult addUnit(NewTUOp unit);
  LogicalResult verifyStreamUse(Operation &op);
  void addRegistration(Operation &op);
  LogicalResult buildGroups();
  LogicalResult verifyOperandEvents(const Group &group);
  LogicalResult verifyConsecutive();
  LogicalResult verifyNotInterleaved(const Group &group);
  LogicalResult verifyAlone(const Group &group, size_t begin, size_t end,
                            bool withTokens);
  /// When in a traversal of the whole chain an event happens.
  size_t getPhase(size_t depth, Event event) const;
  /// The number of registrations that act before an event.
  size_t getTimeOf(size_t depth, Event event) const;

  Block *access;
  llvm::DenseMap<Value, size_t> depths;
  Value innermost;
  std::vector<Registration> registrations;
  /// In the order in which they act.
  std::vector<Registration *> byTime;
  /// How many of the first k in that order push data.
  std::vector<size_t> dataBefore;
  llvm::MapVector<int64_t, Group> groups;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units and streams
//===----------------------------------------------------------------------===//

LogicalResult AccessVerifier::addUnit(NewTUOp unit) {
  if (unit.getParent() != innermost) {
    InFlightDiagnostic diagnostic =
        unit.getParent()
            ? unit.emitOpError("is the second unit in its parent; units form "
                               "one chain")
            : unit.emitOpError("is the second unit without a parent; units "
                               "form one chain");
    for (Operation *user : unit.getParent()
                               ? llvm::to_vector(unit.getParent().getUsers())
                               : SmallVector<Operation *>())
      if (user != unit && isa<NewTUOp>(user))
        diagnostic.attachNote(user->getLoc()) << "the first";
    return diagnostic;
  }
  if (depths.size() == maxChainLength)
    return unit.emitOpError("makes a chain of more than ")
           << maxChainLength << " units";
  innermost = unit.getResult();
  depths[innermost] = depths.size();
  return success();
}

/// Streams advance with their unit: there is none to read above it.
LogicalResult AccessVerifier::verifyStreamUse(Operation &op) {
  if (isa<NewTUOp>(op) || !op.hasTrait<OfAccessProgram>())
    return success();
  size_t depth = depths.lookup(op.getOperand(0));
  bool outside = false;
  if (auto operand = dyn_cast<RegisterOperandOp>(op))
    outside = operand.getEvent() != Event::ite;
  if (auto callback = dyn_cast<RegisterCallbackOp>(op))
    outside = callback.getEvent() != Event::ite;
  for (Value value : op.getOperands().drop_front()) {
    if (!isa<StreamType>(value.getType()))
      continue;
    Operation *definition = value.getDefiningOp();
    size_t streamDepth = depths.lookup(definition->getOperand(0));
    if (streamDepth < depth || (streamDepth == depth && !outside))
      continue;
    InFlightDiagnostic diagnostic =
        op.emitOpError("reads a stream that has elements only ")
        << (outside ? "during the traversal"
                    : "in a unit nested in the one it belongs to");
    diagnostic.attachNote(definition->getLoc()) << "the stream";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Registrations
//===----------------------------------------------------------------------===//

size_t AccessVerifier::getPhase(size_t depth, Event event) const {
  if (event == Event::end)
    return 4 * depths.size() - 2 * depth;
  return 2 * depth + (event == Event::ite ? 1 : 0);
}

size_t AccessVerifier::getTimeOf(size_t depth, Event event) const {
  size_t phase = getPhase(depth, event);
  return llvm::partition_point(byTime,
                               [&](const Registration *registration) {
                                 return getPhase(registration->depth,
                                                 registration->event) < phase;
                               }) -
         byTime.begin();
}

void AccessVerifier::addRegistration(Operation &op) {
  size_t depth = depths.lookup(op.getOperand(0));
  if (auto operand = dyn_cast<RegisterOperandOp>(op)) {
    registrations.push_back({&op, depth, operand.getEvent(),
                             static_cast<int64_t>(operand.getId()), true,
                             true});
  } else if (auto callback = dyn_cast<RegisterCallbackOp>(op)) {
    registrations.push_back({&op, depth, callback.getPushEvent(),
                             static_cast<int64_t>(callback.getId()), false,
                             static_cast<bool>(callback.getValue())});
  }
}

LogicalResult AccessVerifier::buildGroups() {
  for (Registration &registration : registrations) {
    byTime.push_back(&registration);
    if (registration.isOperand)
      continue;
    Group &group = groups[registration.id];
    if (group.callback)
      return registration.op->emitOpError("registers token ")
             << registration.id << " a second time";
    group.callback = &registration;
  }
  for (Registration &registration : registrations) {
    if (!registration.isOperand)
      continue;
    auto group = groups.find(registration.id);
    if (group == groups.end())
      return registration.op->emitOpError("belongs to token ")
             << registration.id << ", which nothing registers";
    group->second.operands.push_back(&registration);
  }
  llvm::sort(byTime, [&](Registration *a, Registration *b) {
    return std::pair(getPhase(a->depth, a->event), a) <
           std::pair(getPhase(b->depth, b->event), b);
  });
  dataBefore.push_back(0);
  for (auto [time, registration] : llvm::enumerate(byTime)) {
    registration->time = time;
    dataBefore.push_back(dataBefore.back() + registration->pushesData);
  }
  return success();
}

/// A callback runs when its operands are there: they are pushed at the event
/// that triggers it or, before the end of a traversal, during that traversal.
LogicalResult AccessVerifier::verifyOperandEvents(const Group &group) {
  RegisterCallbackOp callback = group.getCallback();
  Event previous = Event::beg;
  for (Registration *operand : group.operands) {
    bool compatible = operand->depth == group.callback->depth &&
                      (operand->event == callback.getEvent() ||
                       callback.getEvent() == Event::end);
    if (!compatible) {
      InFlightDiagnostic diagnostic =
          operand->op->emitOpError("is pushed at another event or in another "
                                   "unit than its callback is triggered");
      diagnostic.attachNote(callback.getLoc()) << "the callback";
      return diagnostic;
    }
    if (operand->event < previous)
      return operand->op->emitOpError("at event '")
             << stringifyEvent(operand->event)
             << "' stands behind an operand of event '"
             << stringifyEvent(previous)
             << "', but is pushed and popped before it";
    previous = operand->event;
    if (callback.getValue() && operand->event < callback.getPushEvent()) {
      InFlightDiagnostic diagnostic =
          operand->op->emitOpError("is pushed before the token, whose value "
                                   "comes first");
      diagnostic.attachNote(callback.getLoc()) << "the callback";
      return diagnostic;
    }
  }
  return success();
}

/// At one event, what belongs to one callback stands together.
LogicalResult AccessVerifier::verifyConsecutive() {
  llvm::DenseMap<std::pair<size_t, int64_t>, size_t> last;
  for (Registration *registration : byTime) {
    size_t phase = getPhase(registration->depth, registration->event);
    auto [entry, isFirst] =
        last.insert({{phase, registration->id}, registration->time});
    if (!isFirst && entry->second + 1 != registration->time)
      return registration->op->emitOpError("of token ")
             << registration->id
             << " is separated from the others of that token at this event";
    entry->second = registration->time;
  }
  return success();
}

/// Verifies that of what acts from `begin` to before `end`, all operands, and
/// with `withTokens` all tokens too, are the group's.
LogicalResult AccessVerifier::verifyAlone(const Group &group, size_t begin,
                                          size_t end, bool withTokens) {
  int64_t id = group.callback->id;
  auto isBetween = [&](Registration *registration) {
    return registration->time >= begin && registration->time < end;
  };
  size_t own = llvm::count_if(group.operands, isBetween);
  if (group.callback->pushesData && isBetween(group.callback))
    ++own;
  size_t all = withTokens ? end - begin : dataBefore[end] - dataBefore[begin];
  if (all <= own)
    return success();
  for (Registration *other : ArrayRef(byTime).slice(begin, end - begin)) {
    if (other->id == id || !(withTokens || other->pushesData) ||
        groups[other->id].getCallback().excludes(group.getCallback()))
      continue;
    InFlightDiagnostic diagnostic =
        other->op->emitOpError("is pushed while the operands of token ")
        << id << " are; the execute unit cannot tell them apart";
    diagnostic.attachNote(group.callback->op->getLoc()) << "the callback";
    return diagnostic;
  }
  return success();
}

/// From its first operand to its token or last operand, a callback's are the
/// only operands. While the operands of an announced callback come, the execute
/// unit is busy with it, so nothing else may be triggered.
LogicalResult AccessVerifier::verifyNotInterleaved(const Group &group) {
  size_t depth = group.callback->depth;
  RegisterCallbackOp callback = group.getCallback();
  if (callback.getEvent() != Event::end)
    return success();
  size_t iteration = getTimeOf(depth, Event::ite);
  size_t end = getTimeOf(depth, Event::end);
  size_t first = group.callback->time, last = group.callback->time;
  for (Registration *operand : group.operands) {
    first = std::min(first, operand->time);
    last = std::max(last, operand->time);
    if (operand->event == Event::ite) {
      first = std::min(first, iteration);
      last = std::max(last, end == 0 ? 0 : end - 1);
    }
  }
  if (failed(verifyAlone(group, first, last + 1, /*withTokens=*/false)))
    return failure();
  if (!callback.getAnnounced())
    return success();
  return verifyAlone(group, iteration, end, /*withTokens=*/true);
}

LogicalResult AccessVerifier::verify() {
  for (Operation &op : *access) {
    if (auto unit = dyn_cast<NewTUOp>(op)) {
      if (failed(addUnit(unit)))
        return failure();
      continue;
    }
    if (failed(verifyStreamUse(op)))
      return failure();
  }
  // Phases depend on the length of the chain.
  for (Operation &op : *access)
    if (op.hasTrait<OfAccessProgram>())
      addRegistration(op);
  if (failed(buildGroups()))
    return failure();
  for (auto &[id, group] : groups)
    if (failed(verifyOperandEvents(group)))
      return failure();
  if (failed(verifyConsecutive()))
    return failure();
  for (auto &[id, group] : groups)
    if (failed(verifyNotInterleaved(group)))
      return failure();
  return success();
}

LogicalResult ember::dlc::verifyAccess(ProgramOp program) {
  return AccessVerifier(program.getAccessBody()).verify();
}
