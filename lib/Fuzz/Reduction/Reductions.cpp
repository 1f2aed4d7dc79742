//===- Reductions.cpp - Single steps towards smaller programs -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Reduction/Reductions.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <map>

namespace ember::fuzz {

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

template <typename Visit> static void visitBlocks(Block &block, Visit visit) {
  visit(block);
  for (Op &op : block.ops)
    for (Block &region : op.regions)
      visitBlocks(region, visit);
}

template <typename Visit> static void visitOps(Block &block, Visit visit) {
  visitBlocks(block, [&](Block &inner) {
    for (Op &op : inner.ops)
      visit(op);
  });
}

std::vector<BlockPlace> allBlocks(const Program &program) {
  std::vector<BlockPlace> places;
  Program copy = program;
  for (size_t i = 0; i < copy.functions.size(); ++i) {
    size_t position = 0;
    visitBlocks(copy.functions[i].body,
                [&](Block &) { places.push_back({i, position++}); });
  }
  return places;
}

Block &blockAt(Program &program, BlockPlace place) {
  Block *found = nullptr;
  size_t position = 0;
  visitBlocks(program.functions[place.function].body, [&](Block &block) {
    if (position++ == place.block)
      found = &block;
  });
  return *found;
}

/// True if what was removed since `place` was looked up has left it there.
static bool hasBlock(const Program &program, BlockPlace place) {
  std::vector<BlockPlace> places = allBlocks(program);
  return std::any_of(places.begin(), places.end(), [&](BlockPlace other) {
    return other.function == place.function && other.block == place.block;
  });
}

/// Reads `to` wherever `from` was read.
static void replaceUses(Function &function,
                        const std::map<ValueId, ValueId> &replacements) {
  if (replacements.empty())
    return;
  auto replace = [&](std::vector<ValueId> &values) {
    for (ValueId &value : values)
      // Chains: a replacement may itself be replaced.
      for (auto found = replacements.find(value); found != replacements.end();
           found = replacements.find(value))
        value = found->second;
  };
  visitBlocks(function.body, [&](Block &block) {
    for (Op &op : block.ops)
      replace(op.operands);
    replace(block.yields);
  });
}

static std::vector<size_t> countUses(Function &function) {
  std::vector<size_t> uses(function.types.size());
  visitBlocks(function.body, [&](Block &block) {
    for (const Op &op : block.ops)
      for (ValueId operand : op.operands)
        ++uses[operand];
    for (ValueId value : block.yields)
      ++uses[value];
  });
  return uses;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool removeOps(Program &program, BlockPlace place, size_t first, size_t count,
               uint64_t replacement) {
  if (!hasBlock(program, place))
    return false;
  Function &function = program.functions[place.function];
  std::vector<size_t> uses = countUses(function);
  Block &block = blockAt(program, place);
  if (first >= block.ops.size())
    return false;
  size_t last = std::min(first + count, block.ops.size());
  std::vector<Op> constants;
  std::map<ValueId, ValueId> replacements;
  for (size_t i = first; i < last; ++i) {
    const Op &op = block.ops[i];
    for (ValueId result : op.results) {
      if (uses[result] == 0)
        continue;
      const Type &type = function.types[result];
      if (op.embedding) {
        size_t init = op.embedding->positions(Role::Init).front();
        replacements[result] = op.operands[init];
        continue;
      }
      bool isView = op.opcode == Opcode::Cast || op.opcode == Opcode::SubView;
      if (type.isMemRef && isView &&
          function.types[op.operands[0]].shape.size() == type.shape.size()) {
        replacements[result] = op.operands[0];
        continue;
      }
      if (type.isMemRef || op.opcode == Opcode::Constant)
        return false;
      Op constant;
      constant.results = {result};
      constant.immediate =
          isFloat(type.element)
              ? encodeFloat(type.element, static_cast<double>(replacement))
              : truncateBits(type.element, replacement);
      constants.push_back(std::move(constant));
    }
  }
  auto begin = block.ops.begin() + static_cast<long>(first);
  begin = block.ops.erase(begin, block.ops.begin() + static_cast<long>(last));
  block.ops.insert(begin, constants.begin(), constants.end());
  replaceUses(function, replacements);
  return true;
}

bool inlineRegion(Program &program, BlockPlace place, size_t op,
                  size_t region) {
  if (!hasBlock(program, place))
    return false;
  Function &function = program.functions[place.function];
  Block &block = blockAt(program, place);
  if (op >= block.ops.size() || region >= block.ops[op].regions.size())
    return false;
  // The test of a loop computes no results.
  bool isWhile = block.ops[op].opcode == Opcode::While;
  if (isWhile && region == 0)
    return false;
  Op outer = std::move(block.ops[op]);
  Block inner = std::move(outer.regions[region]);
  std::map<ValueId, ValueId> replacements;
  if (outer.opcode == Opcode::For) {
    replacements[inner.arguments[0]] = outer.operands[0];
    for (size_t k = 1; k < inner.arguments.size(); ++k)
      replacements[inner.arguments[k]] = outer.operands[2 + k];
  }
  for (size_t k = 0; isWhile && k < inner.arguments.size(); ++k)
    replacements[inner.arguments[k]] = outer.operands[k];
  for (size_t k = 0; k < outer.results.size(); ++k)
    replacements[outer.results[k]] = inner.yields[k];
  auto at = block.ops.erase(block.ops.begin() + static_cast<long>(op));
  block.ops.insert(at, inner.ops.begin(), inner.ops.end());
  replaceUses(function, replacements);
  return true;
}

bool removeCarried(Program &program, BlockPlace place, size_t op, size_t slot) {
  if (!hasBlock(program, place))
    return false;
  Function &function = program.functions[place.function];
  Block &block = blockAt(program, place);
  if (op >= block.ops.size() || slot >= block.ops[op].results.size())
    return false;
  Op &loop = block.ops[op];
  auto drop = [](auto &list, size_t at) {
    list.erase(list.begin() + static_cast<long>(at));
  };
  std::map<ValueId, ValueId> replacements;
  if (loop.opcode == Opcode::For) {
    Block &body = loop.regions[0];
    replacements[body.arguments[1 + slot]] = loop.operands[3 + slot];
    replacements[loop.results[slot]] = loop.operands[3 + slot];
    drop(body.arguments, 1 + slot);
    drop(body.yields, slot);
    drop(loop.operands, 3 + slot);
    drop(loop.results, slot);
    replaceUses(function, replacements);
    return true;
  }
  return false;
}

bool setConstant(Program &program, BlockPlace place, size_t op, int64_t value) {
  if (!hasBlock(program, place))
    return false;
  Function &function = program.functions[place.function];
  Block &block = blockAt(program, place);
  if (op >= block.ops.size() || block.ops[op].opcode != Opcode::Constant)
    return false;
  Op &constant = block.ops[op];
  Scalar type = function.types[constant.results[0]].element;
  if (!isInteger(type) || signedValue(type, constant.immediate) <= value)
    return false;
  constant.immediate = truncateBits(type, static_cast<uint64_t>(value));
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool removeResult(Program &program, size_t position, size_t result) {
  Function &function = program.functions[position];
  if (result >= function.results.size())
    return false;
  auto drop = [&](auto &list) {
    list.erase(list.begin() + static_cast<long>(result));
  };
  for (Function &caller : program.functions) {
    std::vector<size_t> uses = countUses(caller);
    bool isRead = false;
    visitOps(caller.body, [&](Op &op) {
      if (op.opcode == Opcode::Call && op.immediate == position)
        isRead |= uses[op.results[result]] > 0;
    });
    if (isRead)
      return false;
  }
  for (Function &caller : program.functions)
    visitOps(caller.body, [&](Op &op) {
      if (op.opcode == Opcode::Call && op.immediate == position)
        drop(op.results);
    });
  drop(function.results);
  drop(function.body.yields);
  return true;
}

/// True if `op` does something besides computing its results.
static bool hasEffect(const Op &op) {
  return op.opcode == Opcode::Store || op.opcode == Opcode::Dealloc ||
         op.opcode == Opcode::Copy || op.opcode == Opcode::Assert ||
         op.opcode == Opcode::Call || (op.embedding && op.results.empty());
}

/// Removes operations without effects whose results nothing reads.
static bool removeDeadOps(Function &function) {
  std::vector<size_t> uses = countUses(function);
  bool changed = false;
  visitBlocks(function.body, [&](Block &block) {
    std::erase_if(block.ops, [&](const Op &op) {
      bool isPure = !hasEffect(op) && op.regions.empty();
      bool isEmpty = !op.regions.empty() && op.results.empty();
      for (const Block &region : op.regions)
        isEmpty &= region.ops.empty();
      bool isRead = false;
      for (ValueId result : op.results)
        isRead |= uses[result] > 0;
      bool isDead = isEmpty || (isPure && !isRead);
      changed |= isDead;
      return isDead;
    });
  });
  return changed;
}

/// The values that can be seen from outside: stored, returned, bounds of loops
/// and conditions, and what these are computed from. What loops carry is seen
/// if their results or what the bodies make of it are, so values that loops
/// only hand to each other are not.
static std::vector<bool> findLiveValues(Function &function) {
  std::vector<bool> isLive(function.types.size());
  auto mark = [&](const std::vector<ValueId> &values) {
    for (ValueId value : values)
      isLive[value] = true;
  };
  mark(function.body.yields);
  for (size_t before = 0, count = 1; before != count;) {
    before = count;
    visitOps(function.body, [&](Op &op) {
      bool isFor = op.opcode == Opcode::For;
      bool isRead = hasEffect(op) || (!isFor && !op.regions.empty());
      for (ValueId result : op.results)
        isRead |= !isFor && isLive[result];
      if (isRead) {
        mark(op.operands);
        for (const Block &region : op.regions)
          mark(region.yields);
      }
      if (!isFor)
        return;
      mark({op.operands.begin(), op.operands.begin() + 3});
      const Block &body = op.regions[0];
      for (size_t slot = 0; slot < op.results.size(); ++slot)
        if (isLive[op.results[slot]] || isLive[body.arguments[1 + slot]])
          mark({op.operands[3 + slot], body.yields[slot]});
    });
    count =
        1 + static_cast<size_t>(std::count(isLive.begin(), isLive.end(), true));
  }
  return isLive;
}

/// Removes a carried value that cannot be seen from outside.
static bool removeDeadCarried(Program &program) {
  std::vector<std::vector<bool>> isLive;
  for (Function &function : program.functions)
    isLive.push_back(findLiveValues(function));
  for (BlockPlace place : allBlocks(program)) {
    const std::vector<bool> &live = isLive[place.function];
    std::vector<Op> &ops = blockAt(program, place).ops;
    for (size_t op = 0; op < ops.size(); ++op) {
      if (ops[op].opcode != Opcode::For)
        continue;
      for (size_t slot = 0; slot < ops[op].results.size(); ++slot)
        if (!live[ops[op].results[slot]] &&
            !live[ops[op].regions[0].arguments[1 + slot]])
          return removeCarried(program, place, op, slot);
    }
  }
  return false;
}

/// Removes stores to local memory that nothing loads.
static bool removeDeadStores(Function &function) {
  std::vector<bool> isLocal(function.types.size());
  visitOps(function.body, [&](Op &op) {
    if (op.opcode == Opcode::Alloc || op.opcode == Opcode::Alloca)
      isLocal[op.results[0]] = true;
  });
  visitBlocks(function.body, [&](Block &block) {
    for (const Op &op : block.ops)
      for (size_t i = 0; i < op.operands.size(); ++i) {
        bool isTarget = (op.opcode == Opcode::Store && i == 1) ||
                        (op.opcode == Opcode::Copy && i == 1) ||
                        op.opcode == Opcode::Dealloc;
        if (!isTarget)
          isLocal[op.operands[i]] = false;
      }
    for (ValueId value : block.yields)
      isLocal[value] = false;
  });
  bool changed = false;
  visitBlocks(function.body, [&](Block &block) {
    changed |= std::erase_if(block.ops, [&](const Op &op) {
                 if (op.opcode == Opcode::Dealloc)
                   return bool(isLocal[op.operands[0]]);
                 bool isWrite =
                     op.opcode == Opcode::Store || op.opcode == Opcode::Copy;
                 return isWrite && isLocal[op.operands[1]];
               }) > 0;
  });
  return changed;
}

/// Makes constants of what is 0 whatever its first operand is: the compiler
/// does, and that operand may be all that reads a load.
static bool foldToZero(Function &function) {
  std::vector<std::optional<uint64_t>> constants(function.types.size());
  visitOps(function.body, [&](Op &op) {
    if (op.opcode == Opcode::Constant)
      constants[op.results[0]] = op.immediate;
  });
  bool changed = false;
  visitOps(function.body, [&](Op &op) {
    bool isRemainder = op.opcode == Opcode::RemSI || op.opcode == Opcode::RemUI;
    bool isProduct = op.opcode == Opcode::MulI || op.opcode == Opcode::AndI;
    if (!isRemainder && !isProduct)
      return;
    std::optional<uint64_t> rhs = constants[op.operands[1]];
    if (rhs != (isRemainder ? 1 : 0))
      return;
    op.opcode = Opcode::Constant;
    op.operands.clear();
    op.immediate = 0;
    changed = true;
  });
  return changed;
}

void removeDeadCode(Program &program) {
  for (bool changed = true; changed;) {
    changed = removeDeadCarried(program);
    for (Function &function : program.functions) {
      changed |= foldToZero(function);
      changed |= removeDeadStores(function);
      changed |= removeDeadOps(function);
    }
  }
}

static void removeParameter(Program &program, size_t position, size_t index) {
  auto drop = [&](auto &list) {
    list.erase(list.begin() + static_cast<long>(index));
  };
  Function &function = program.functions[position];
  drop(function.body.arguments);
  drop(function.parameterNames);
  if (position == 0) {
    drop(program.inputs);
    for (Input &input : program.inputs) {
      if (input.sharedWith == index)
        input.sharedWith.reset();
      else if (input.sharedWith && *input.sharedWith > index)
        --*input.sharedWith;
    }
  }
  for (Function &caller : program.functions)
    visitOps(caller.body, [&](Op &op) {
      if (op.opcode == Opcode::Call && op.immediate == position)
        drop(op.operands);
    });
}

static bool isCalled(Program &program, size_t position) {
  bool found = false;
  for (Function &caller : program.functions)
    visitOps(caller.body, [&](Op &op) {
      found |= op.opcode == Opcode::Call && op.immediate == position;
    });
  return found;
}

void removeUnused(Program &program) {
  for (size_t i = program.functions.size(); i-- > 1;) {
    if (isCalled(program, i))
      continue;
    program.functions.erase(program.functions.begin() + static_cast<long>(i));
    for (Function &function : program.functions)
      visitOps(function.body, [&](Op &op) {
        if (op.opcode == Opcode::Call && op.immediate > i)
          --op.immediate;
      });
  }
  // Callees last: what they stop reading, their callers may stop computing.
  for (size_t i = program.functions.size(); i-- > 0;) {
    Function &function = program.functions[i];
    while (removeDeadOps(function)) {
    }
    std::vector<size_t> uses = countUses(function);
    for (size_t k = function.body.arguments.size(); k-- > 0;)
      if (uses[function.body.arguments[k]] == 0)
        removeParameter(program, i, k);
  }
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// True if input `position` has its memory in common with another one.
static bool isShared(const Program &program, size_t position) {
  for (const Input &input : program.inputs)
    if (input.sharedWith == position)
      return true;
  return program.inputs[position].sharedWith.has_value();
}

bool shrinkDimension(Program &program, size_t parameter, size_t dimension,
                     int64_t size) {
  Input &input = program.inputs[parameter];
  if (!input.isMemRef || isShared(program, parameter) ||
      dimension >= input.shape.size() || size < 1 ||
      input.shape[dimension] <= size)
    return false;
  Function &entry = program.functions.front();
  ValueId memref = entry.body.arguments[parameter];
  bool isPlain = true;
  visitOps(entry.body, [&](Op &op) {
    bool reads = std::count(op.operands.begin(), op.operands.end(), memref);
    isPlain &= !reads || op.opcode == Opcode::Load ||
               op.opcode == Opcode::Store || op.opcode == Opcode::Dim;
  });
  if (!isPlain)
    return false;
  int64_t inner = 1;
  for (size_t i = dimension + 1; i < input.shape.size(); ++i)
    inner *= input.shape[i];
  std::vector<uint64_t> kept;
  for (size_t k = 0; k < input.bits.size(); ++k)
    if (static_cast<int64_t>(k) / inner % input.shape[dimension] < size)
      kept.push_back(input.bits[k]);
  input.bits = std::move(kept);
  input.shape[dimension] = size;
  int64_t &typeSize = entry.types[memref].shape[dimension];
  if (typeSize != kDynamic)
    typeSize = size;
  return true;
}

bool flattenInput(Program &program, size_t position, uint64_t bits) {
  Input &input = program.inputs[position];
  if (!input.isMemRef || isShared(program, position))
    return false;
  bool isFlat = true;
  for (uint64_t element : input.bits)
    isFlat &= element == input.bits.front();
  if (isFlat)
    return false;
  input.bits.assign(input.bits.size(), bits);
  return true;
}

} // namespace ember::fuzz
