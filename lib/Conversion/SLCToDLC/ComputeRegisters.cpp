//===- ComputeRegisters.cpp - Loop-carried values as registers ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToDLC/ComputeRegisters.h"

#include "ember/Conversion/SLCToDLC/RegisterInterference.h"

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;

CallbackOp ember::getCallbackAfter(LoopOpInterface loop) {
  for (Operation *next = loop->getNextNode(); next; next = next->getNextNode())
    if (auto callback = dyn_cast<CallbackOp>(next))
      return callback;
  return nullptr;
}

ArrayRef<RegisterCopy> ComputeRegisters::lookup(const Copies &copies,
                                                LoopOpInterface loop) {
  auto found = copies.find(loop);
  return found == copies.end() ? ArrayRef<RegisterCopy>() : found->second;
}

void ComputeRegisters::collect(LoopOpInterface loop) {
  loops.push_back(loop);
  auto add = [&](ValueRange values) {
    for (Value value : values) {
      carried.push_back(value);
      webs.insert(value.getAsOpaquePointer());
    }
  };
  add(loop.getRegionIterArgs());
  add(loop->getResults());
  for (auto callback : loop.getBody()->getOps<CallbackOp>())
    add(callback.getResults());
  if (LoopOpInterface nested = slc::getNestedLoop(loop))
    collect(nested);
}

void ComputeRegisters::join(Value a, Value b) {
  webs.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

/// The operation directly in `block` that holds `op`.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Shares the register of an outer value that is last used to enter `loop`.
void ComputeRegisters::coalesceInit(LoopOpInterface loop, unsigned position) {
  Value init = loop.getIterArgs()[position];
  auto outer = dyn_cast<LoopOpInterface>(loop->getParentOp());
  if (!outer || init.getParentBlock() != outer.getBody())
    return;
  for (OpOperand &use : init.getUses()) {
    Operation *user = ancestorIn(outer.getBody(), use.getOwner());
    bool isThisInit = use.getOwner() == loop && use.get() == init &&
                      use.getOperandNumber() ==
                          loop.getIterArgs().getBeginOperandIndex() + position;
    // Read in the loop or after it, it must keep its own register.
    if (!isThisInit && !user->isBeforeInBlock(loop))
      return;
  }
  join(loop.getRegionIterArgs()[position], init);
}

/// Shares the register of the loop-carried value with the value that replaces
/// it, if the old one is not read once the new one is there.
void ComputeRegisters::coalesceYield(LoopOpInterface loop, unsigned position) {
  Value next = loop.getYield()->getOperand(position);
  Value carriedValue = loop.getRegionIterArgs()[position];
  Operation *producer = next.getDefiningOp();
  if (!producer || producer->getBlock() != loop.getBody() ||
      llvm::count(loop.getYield()->getOperands(), next) != 1)
    return;
  auto nested = dyn_cast<LoopOpInterface>(producer);
  for (OpOperand &use : carriedValue.getUses()) {
    Operation *user = ancestorIn(loop.getBody(), use.getOwner());
    if (user->isBeforeInBlock(producer))
      continue;
    // A callback reads its registers before it writes them; a nested loop may
    // only take the value as the one it goes on from.
    bool readsFirst = user == producer && !nested;
    bool entersNested =
        nested && use.getOwner() == producer &&
        webs.isEquivalent(
            carriedValue.getAsOpaquePointer(),
            nested.getRegionIterArgs()[cast<OpResult>(next).getResultNumber()]
                .getAsOpaquePointer());
    if (!readsFirst && !entersNested)
      return;
  }
  join(carriedValue, next);
}

void ComputeRegisters::number() {
  llvm::DenseMap<void *, unsigned> ofWeb;
  for (Value value : carried) {
    void *leader = webs.getLeaderValue(value.getAsOpaquePointer());
    auto [entry, isNew] = ofWeb.insert({leader, types.size()});
    if (isNew) {
      types.push_back(value.getType());
      initials.push_back(nullptr);
    }
    numbers[value] = entry->second;
  }
}

std::optional<unsigned> ComputeRegisters::getRegister(Value value) const {
  auto found = numbers.find(value);
  if (found == numbers.end())
    return std::nullopt;
  return found->second;
}

/// True if the fixed initial value can be restored by the callback after `loop`
/// instead of before it: nothing reads the register in between.
bool ComputeRegisters::canResetAfter(LoopOpInterface loop, unsigned position) {
  CallbackOp after = getCallbackAfter(loop);
  // One that is left out does no harm where the loop has changed nothing.
  bool isLeftOut =
      after && after.getMask() && !slc::isEmptyWithout(loop, after.getMask());
  if (!after || isLeftOut)
    return false;
  for (Operation *user : loop->getResult(position).getUsers())
    if (!after->isProperAncestor(user))
      return false;
  // The register must be the loop's alone, or others would lose theirs.
  unsigned number = *getRegister(loop.getRegionIterArgs()[position]);
  return llvm::all_of(carried, [&](Value value) {
    if (numbers.lookup(value) != number)
      return true;
    Operation *owner = value.getDefiningOp();
    if (!owner)
      owner = value.getParentBlock()->getParentOp();
    return loop->isAncestor(owner);
  });
}

void ComputeRegisters::addCopies(LoopOpInterface loop) {
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    unsigned number = *getRegister(argument);
    Value init = loop.getIterArgs()[position];
    std::optional<unsigned> initRegister = getRegister(init);
    if (loop == root) {
      initials[number] = init;
    } else if (!initRegister && canResetAfter(loop, position)) {
      initials[number] = init;
      resets[loop].push_back({number, init});
    } else if (initRegister != number) {
      entryCopies[loop].push_back({number, init});
    }
    Value next = loop.getYield()->getOperand(position);
    if (getRegister(next) != number)
      backEdgeCopies[loop].push_back({number, next});
  }
}

ComputeRegisters::ComputeRegisters(LoopOpInterface root) : root(root) {
  collect(root);
  auto joinResults = [&] {
    for (LoopOpInterface loop : loops)
      for (auto [argument, result] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop->getResults()))
        join(argument, result);
  };
  joinResults();
  llvm::EquivalenceClasses<void *> separate = webs;
  // From the inside out: whether a nested loop goes on from a value decides
  // whether the loop around it can share with it.
  for (LoopOpInterface loop : llvm::reverse(loops)) {
    for (unsigned i = 0, e = loop.getIterArgs().size(); i != e; ++i)
      coalesceInit(loop, i);
    for (unsigned i = 0, e = loop.getIterArgs().size(); i != e; ++i)
      coalesceYield(loop, i);
  }
  // The rules above look at one loop at a time; where their sum makes values
  // meet, every value keeps a register of its own.
  if (interferes(root, [&](Value a, Value b) {
        return webs.isEquivalent(a.getAsOpaquePointer(),
                                 b.getAsOpaquePointer());
      }))
    webs = separate;
  number();
  for (LoopOpInterface loop : loops)
    addCopies(loop);
}
