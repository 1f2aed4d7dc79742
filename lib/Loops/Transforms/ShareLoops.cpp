//===- ShareLoops.cpp - One function for loops that are alike -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for b { ... %table0 ... %out[b, e + 8] }
//   for b { ... %table1 ... %out[b, e + 16] }
//     ->
//   call @kernel_loop0(%table0, %out, 8)
//   call @kernel_loop0(%table1, %out, 16)
//
//===----------------------------------------------------------------------===//

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_SHARELOOPS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// What a loop reads of what is around it: each operand of the loop and of what
/// is in it, in their order, that is defined outside.
using Operands = SmallVector<OpOperand *>;

/// Loops that are alike, each with what it reads, and which of these are
/// constants that not all have.
struct Group {
  SmallVector<std::pair<scf::ForOp, Operands>> loops;
  DenseSet<size_t> different;
};

struct ShareLoops : impl::ShareLoopsBase<ShareLoops> {
  using Base::Base;
  void runOnOperation() override;

private:
  void share(func::FuncOp function, Group &group, SymbolTable &symbols);
};
} // namespace

static Operands findRead(scf::ForOp loop) {
  Operands found;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (!loop.getRegion().isAncestor(operand.get().getParentRegion()))
        found.push_back(&operand);
  });
  return found;
}

static Attribute findConstant(Value value) {
  Attribute constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

/// Whether a constant only says where rows begin, or which they are.
static bool isBegin(OpOperand *operand) {
  return operand->get().getType().isIndex() &&
         isa<arith::AddIOp, memref::LoadOp, memref::StoreOp>(
             operand->getOwner());
}

/// Whether two loops differ in what they read alone; adds to `different` which
/// constants they do not share.
static bool areAlike(scf::ForOp first, const Operands &ofFirst,
                     scf::ForOp other, const Operands &ofOther,
                     DenseSet<size_t> &different) {
  if (ofFirst.size() != ofOther.size() ||
      !OperationEquivalence::isEquivalentTo(
          first, other, OperationEquivalence::ignoreValueEquivalence,
          /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
    return false;
  // Values that are defined inside are those of the same place.
  DenseMap<Value, Value> same;
  SmallVector<Operation *> all, others;
  first->walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  other->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { others.push_back(op); });
  if (all.size() != others.size())
    return false;
  for (auto [mine, theirs] : llvm::zip_equal(all, others)) {
    for (auto [result, result2] :
         llvm::zip_equal(mine->getResults(), theirs->getResults()))
      same[result] = result2;
    for (auto [region, region2] :
         llvm::zip_equal(mine->getRegions(), theirs->getRegions()))
      for (auto [block, block2] : llvm::zip_equal(region, region2))
        for (auto [argument, argument2] :
             llvm::zip_equal(block.getArguments(), block2.getArguments()))
          same[argument] = argument2;
  }
  for (auto [mine, theirs] : llvm::zip_equal(all, others))
    for (auto [operand, operand2] :
         llvm::zip_equal(mine->getOperands(), theirs->getOperands())) {
      auto known = same.find(operand);
      bool isInside = first.getRegion().isAncestor(operand.getParentRegion());
      if (isInside && (known == same.end() || known->second != operand2))
        return false;
      if (!isInside && other.getRegion().isAncestor(operand2.getParentRegion()))
        return false;
    }
  // What is one array in one loop is one in the other: arguments of a function
  // are taken for arrays that share no memory.
  DenseMap<Value, Value> back;
  for (auto [number, pair] :
       llvm::enumerate(llvm::zip_equal(ofFirst, ofOther))) {
    auto [mine, theirs] = pair;
    Value value = mine->get(), value2 = theirs->get();
    Attribute constant = findConstant(value), constant2 = findConstant(value2);
    if (!constant != !constant2 || value.getType() != value2.getType())
      return false;
    if (constant) {
      if (constant == constant2)
        continue;
      if (!isBegin(mine))
        return false;
      different.insert(number);
    } else if (same.try_emplace(value, value2).first->second != value2 ||
               back.try_emplace(value2, value).first->second != value) {
      return false;
    }
  }
  return true;
}

void ShareLoops::share(func::FuncOp function, Group &group,
                       SymbolTable &symbols) {
  auto &[first, read] = group.loops.front();
  // Which operands are arguments: of a value that is read more than once, the
  // first of them, so that what is one element stays one.
  SmallVector<size_t> given;
  DenseMap<Value, size_t> arguments;
  DenseMap<size_t, size_t> ofDifferent;
  auto areSame = [&](size_t number, size_t before) {
    return llvm::all_of(group.loops, [&](const auto &loop) {
      const Operands &operands = loop.second;
      return findConstant(operands[number]->get()) ==
             findConstant(operands[before]->get());
    });
  };
  for (auto [number, operand] : llvm::enumerate(read)) {
    if (group.different.contains(number)) {
      auto *before = llvm::find_if(given, [&, number = number](size_t other) {
        return group.different.contains(other) && areSame(number, other);
      });
      ofDifferent[number] = before - given.begin();
      if (before == given.end())
        given.push_back(number);
    } else if (!findConstant(operand->get()) &&
               arguments.try_emplace(operand->get(), given.size()).second) {
      given.push_back(number);
    }
  }
  SmallVector<Type> types;
  for (size_t number : given)
    types.push_back(read[number]->get().getType());
  OpBuilder builder(function);
  auto shared = func::FuncOp::create(builder, first.getLoc(),
                                     (function.getName() + "_loop").str(),
                                     builder.getFunctionType(types, {}));
  shared.setPrivate();
  symbols.insert(shared);
  Block *body = shared.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  for (OpOperand *operand : read) {
    Value value = operand->get();
    if (mapping.contains(value))
      continue;
    if (findConstant(value))
      mapping.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
    else
      mapping.map(value, body->getArgument(arguments[value]));
  }
  auto cloned = cast<scf::ForOp>(builder.clone(*first, mapping));
  func::ReturnOp::create(builder, first.getLoc());
  Operands inside = findRead(cloned);
  for (auto [number, place] : ofDifferent)
    inside[number]->set(body->getArgument(place));
  for (auto &[loop, operands] : group.loops) {
    SmallVector<Value> values;
    for (size_t number : given)
      values.push_back(operands[number]->get());
    OpBuilder before(loop);
    func::CallOp::create(before, loop.getLoc(), shared, values);
    loop.erase();
    ++sharing;
  }
}

void ShareLoops::runOnOperation() {
  SymbolTable symbols(getOperation());
  for (auto function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    if (function.isDeclaration())
      continue;
    SmallVector<Group> groups;
    for (auto loop : function.getBody().front().getOps<scf::ForOp>()) {
      if (loop->getNumResults() != 0)
        continue;
      Operands read = findRead(loop);
      Group *mine = llvm::find_if(groups, [&](Group &group) {
        auto &[first, ofFirst] = group.loops.front();
        DenseSet<size_t> different = group.different;
        if (!areAlike(first, ofFirst, loop, read, different))
          return false;
        group.different = std::move(different);
        return true;
      });
      if (mine == groups.end())
        mine = &groups.emplace_back();
      mine->loops.push_back({loop, std::move(read)});
    }
    for (Group &group : groups)
      if (group.loops.size() > 1)
        share(function, group, symbols);
  }
}

} // namespace ember::loops
