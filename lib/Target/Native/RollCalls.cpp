//===- RollCalls.cpp - A loop of calls that are alike ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   call @column(%arg0, %arg1, %out, 0)
//   call @column(%arg2, %arg3, %out, 8)
//     ->
//   for i {
//     call @column(load slots[table[i, 0]], load slots[table[i, 1]], %out,
//                  table[i, 2])
//   }
//
// The table is a constant with a row for each call: the numbers of arguments
// and whatever else differs. So a call takes some words of data, and no code.
// A last word says what messages call the function's arguments in that call.
//
//===----------------------------------------------------------------------===//

#include "RollCalls.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Runtime/Runtime.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;
using namespace ember::native;

namespace {
/// Where an operand of all calls of a group comes from.
enum class Source {
  same,     // one value
  argument, // arguments of the kernel
  number,   // constants
  list,     // arrays of constants
};

/// Calls one behind the other.
using Group = SmallVector<func::CallOp>;

/// Turns groups of calls in a kernel into loops.
class CallRoller {
public:
  CallRoller(func::FuncOp kernel, RuntimeCalls &runtime,
             const LLVMTypeConverter &types)
      : kernel(kernel), runtime(runtime), types(types),
        builder(kernel.getLoc(), kernel.getContext()),
        ptr(LLVM::LLVMPointerType::get(kernel.getContext())),
        i64(builder.getI64Type()) {}

  void roll(Group &group);
  PassedArguments dropArguments();

private:
  std::optional<Source> findSource(const Group &group, unsigned operand);
  void addWords(Value operand, Source source, std::vector<int64_t> &words);
  Value takeOperand(Source source, Value first);
  Value loadArgument(MemRefType type);
  Value makeList(MemRefType type);
  Value getSlots();
  Value getNames();
  Value nextWord();
  Value at(Type element, Value base, LLVM::GEPArg index) {
    return LLVM::GEPOp::create(builder, ptr, element, base, index);
  }
  void loadSizes(BlockArgument argument);

  func::FuncOp kernel;
  RuntimeCalls &runtime;
  const LLVMTypeConverter &types;
  ImplicitLocOpBuilder builder;
  Type ptr, i64;
  /// The pointer to the slots of arguments, and to what messages call things
  /// by; null until there are calls that need them.
  Value slots, names;
  /// Arguments that loops load.
  llvm::SmallDenseSet<unsigned> inSlots;
  /// The row of the table that a loop reads, and how many words of it.
  Value row;
  int32_t wordsRead = 0;
  /// The elements of all lists that a loop reads, by the operand.
  llvm::MapVector<unsigned, std::vector<Attribute>> lists;
};
} // namespace

//===----------------------------------------------------------------------===//
// What differs between calls
//===----------------------------------------------------------------------===//

/// What a memref is under another type, which its descriptor does not say.
static Value withoutCasts(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>()) {
    if (!isa<MemRefType>(cast.getSource().getType()))
      break;
    memref = cast.getSource();
  }
  return memref;
}

/// The elements of an array of constants with one dimension.
static DenseElementsAttr getList(Value memref) {
  auto get = withoutCasts(memref).getDefiningOp<memref::GetGlobalOp>();
  if (!get || get.getType().getRank() != 1 ||
      !get.getType().getElementType().isIntOrFloat())
    return {};
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
  if (!global || !global.getConstant())
    return {};
  return dyn_cast_or_null<DenseElementsAttr>(global.getConstantInitValue());
}

/// Null if operands are of several kinds, or no data of a table.
std::optional<Source> CallRoller::findSource(const Group &group,
                                             unsigned operand) {
  auto all = [&](auto predicate) {
    return llvm::all_of(group, [&](func::CallOp call) {
      return predicate(call.getOperand(operand));
    });
  };
  Value first = group.front()->getOperand(operand);
  if (all([&](Value value) { return value == first; }))
    return Source::same;
  if (first.getType().isIndex())
    return all([](Value value) { return matchPattern(value, m_Constant()); })
               ? std::optional(Source::number)
               : std::nullopt;
  auto type = dyn_cast<MemRefType>(first.getType());
  if (!type || !type.getLayout().isIdentity())
    return std::nullopt;
  if (all([&](Value value) {
        auto argument = dyn_cast<BlockArgument>(withoutCasts(value));
        return argument && argument.getOwner() == &kernel.getBody().front();
      }))
    return Source::argument;
  if (all([](Value value) { return bool(getList(value)); }))
    return Source::list;
  return std::nullopt;
}

void CallRoller::addWords(Value operand, Source source,
                          std::vector<int64_t> &words) {
  switch (source) {
  case Source::same:
    return;
  case Source::argument: {
    unsigned number = cast<BlockArgument>(withoutCasts(operand)).getArgNumber();
    words.push_back(number);
    inSlots.insert(number);
    return;
  }
  case Source::number: {
    IntegerAttr number;
    matchPattern(operand, m_Constant(&number));
    words.push_back(number.getInt());
    return;
  }
  case Source::list: {
    std::vector<Attribute> &elements = lists[wordsRead];
    words.push_back(elements.size());
    llvm::append_range(elements, getList(operand).getValues<Attribute>());
    words.push_back(elements.size() - words.back());
    return;
  }
  }
}

/// What messages call the arguments of the function, and what they are in one
/// call.
static std::string getNamePairs(func::CallOp call, func::FuncOp callee) {
  std::string pairs;
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), call.getOperands())) {
    if (!isa<BaseMemRefType>(operand.getType()) ||
        !isa<BlockArgument>(withoutCasts(operand)))
      continue;
    std::string name = memrefName(argument), given = memrefName(operand);
    if (name != given)
      pairs += name + '\0' + given + '\0';
  }
  return pairs + '\0';
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value CallRoller::getSlots() {
  if (slots)
    return slots;
  unsigned number = kernel.getNumArguments();
  // Which can only fail where a function has no type of its own.
  (void)kernel.insertArgument(number, ptr, /*argAttrs=*/{}, kernel.getLoc());
  return slots = kernel.getArgument(number);
}

/// Where a loop puts what messages call things by. Functions tell the runtime
/// once, and not in each call.
Value CallRoller::getNames() {
  if (names)
    return names;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Value one = LLVM::ConstantOp::create(builder, i64, 1);
  names = LLVM::AllocaOp::create(builder, ptr, ptr, one);
  Value none = LLVM::ZeroOp::create(builder, ptr);
  LLVM::StoreOp::create(builder, none, names);
  LLVM::CallOp::create(builder, runtime.declare(EMBER_RUNTIME(ember_rename)),
                       names);
  return names;
}

Value CallRoller::nextWord() {
  return LLVM::LoadOp::create(builder, i64, at(i64, row, wordsRead++));
}

Value CallRoller::loadArgument(MemRefType type) {
  Value slot = at(ptr, getSlots(), nextWord());
  Value place = LLVM::LoadOp::create(builder, ptr, slot);
  Value descriptor =
      LLVM::LoadOp::create(builder, types.convertType(type), place);
  return UnrealizedConversionCastOp::create(builder, type, descriptor)
      .getResult(0);
}

/// A part of all lists' elements, which are one constant.
Value CallRoller::makeList(MemRefType type) {
  std::vector<Attribute> &elements = lists[wordsRead];
  Type element = type.getElementType();
  int64_t count = elements.size();
  Value base = runtime.arrayConstant(
      builder, builder.getLoc(), types.convertType(element),
      DenseElementsAttr::get(RankedTensorType::get(count, element), elements));
  Value begin = at(types.convertType(element), base, nextWord());
  auto descriptor = MemRefDescriptor::poison(builder, builder.getLoc(),
                                             types.convertType(type));
  descriptor.setAllocatedPtr(builder, builder.getLoc(), begin);
  descriptor.setAlignedPtr(builder, builder.getLoc(), begin);
  descriptor.setConstantOffset(builder, builder.getLoc(), 0);
  descriptor.setSize(builder, builder.getLoc(), 0, nextWord());
  descriptor.setConstantStride(builder, builder.getLoc(), 0, 1);
  return UnrealizedConversionCastOp::create(builder, type, Value(descriptor))
      .getResult(0);
}

Value CallRoller::takeOperand(Source source, Value first) {
  switch (source) {
  case Source::same:
    return first;
  case Source::argument:
    return loadArgument(cast<MemRefType>(first.getType()));
  case Source::number:
    return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                      nextWord());
  case Source::list:
    return makeList(cast<MemRefType>(first.getType()));
  }
  llvm_unreachable("all sources are handled");
}

void CallRoller::roll(Group &group) {
  func::CallOp first = group.front();
  SmallVector<Source> sources;
  for (unsigned operand : llvm::seq(first.getNumOperands())) {
    std::optional<Source> source = findSource(group, operand);
    if (!source)
      return;
    sources.push_back(*source);
  }
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      first, first.getCalleeAttr());
  std::vector<int64_t> table;
  std::string texts;
  lists.clear();
  for (func::CallOp call : group) {
    std::vector<int64_t> words;
    for (auto [operand, source] :
         llvm::zip_equal(call.getOperands(), sources)) {
      wordsRead = words.size();
      addWords(operand, source, words);
    }
    words.push_back(texts.size());
    texts += getNamePairs(call, callee);
    llvm::append_range(table, words);
  }
  int64_t rowWords = table.size() / group.size();

  builder.setInsertionPoint(group.back());
  builder.setLoc(first.getLoc());
  Value place = getNames();
  Value base = runtime.wordsConstant(builder, first.getLoc(), table);
  Value text = runtime.stringConstant(builder, first.getLoc(), texts);
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value count = arith::ConstantIndexOp::create(builder, group.size());
  auto loop = scf::ForOp::create(builder, zero, count, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value number =
      arith::IndexCastOp::create(builder, i64, loop.getInductionVar());
  row = at(LLVM::LLVMArrayType::get(i64, rowWords), base, number);
  wordsRead = 0;
  SmallVector<Value> operands;
  for (auto [operand, source] : llvm::zip_equal(first.getOperands(), sources))
    operands.push_back(takeOperand(source, operand));
  LLVM::StoreOp::create(builder, at(builder.getI8Type(), text, nextWord()),
                        place);
  func::CallOp::create(builder, callee, operands);
  builder.setInsertionPointAfter(loop);
  LLVM::StoreOp::create(builder, LLVM::ZeroOp::create(builder, ptr), place);
  for (func::CallOp call : group) {
    SmallVector<Value> values(call.getOperands());
    call.erase();
    for (Value value : values)
      if (Operation *maker = value.getDefiningOp();
          maker && isOpTriviallyDead(maker))
        maker->erase();
  }
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Has sizes of an argument be read from its slot if they are all that it is
/// for.
void CallRoller::loadSizes(BlockArgument argument) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  SmallVector<memref::DimOp> sizes;
  for (Operation *user : argument.getUsers()) {
    auto size = dyn_cast<memref::DimOp>(user);
    std::optional<int64_t> dimension =
        size ? size.getConstantIndex() : std::nullopt;
    if (!type || !dimension || *dimension < 0 || *dimension >= type.getRank())
      return;
    sizes.push_back(size);
  }
  for (memref::DimOp size : sizes) {
    builder.setInsertionPoint(size);
    Value slot = at(ptr, slots, int32_t(argument.getArgNumber()));
    Value descriptor = LLVM::LoadOp::create(builder, ptr, slot);
    // Behind two pointers and an offset.
    Value place = at(i64, descriptor, int32_t(3 + *size.getConstantIndex()));
    Value number = LLVM::LoadOp::create(builder, i64, place);
    size.replaceAllUsesWith(
        arith::IndexCastOp::create(builder, builder.getIndexType(), number)
            .getResult());
    size.erase();
  }
}

/// Keeps what is known of written arguments for those that are left.
static void forgetWritten(func::FuncOp kernel, const llvm::BitVector &dropped) {
  auto known = kernel->getAttrOfType<DenseI64ArrayAttr>(writtenArgumentsAttr);
  if (!known)
    return;
  SmallVector<int64_t> left;
  for (int64_t number : known.asArrayRef())
    if (!dropped.test(number))
      left.push_back(number -
                     llvm::count_if(dropped.set_bits(), [&](int64_t other) {
                       return other < number;
                     }));
  kernel->setAttr(writtenArgumentsAttr,
                  DenseI64ArrayAttr::get(kernel.getContext(), left));
}

PassedArguments CallRoller::dropArguments() {
  PassedArguments passed;
  passed.slots = bool(slots);
  unsigned count = kernel.getNumArguments() - (slots ? 1 : 0);
  llvm::BitVector unread(kernel.getNumArguments());
  for (BlockArgument argument : kernel.getArguments().take_front(count)) {
    if (slots)
      loadSizes(argument);
    unsigned number = argument.getArgNumber();
    if (slots && argument.use_empty()) {
      unread.set(number);
      continue;
    }
    passed.left.push_back(number);
    // It is reached by another pointer, too.
    if (inSlots.contains(number))
      kernel.removeArgAttr(number, noaliasAttr);
  }
  forgetWritten(kernel, unread);
  // Which can only fail where a function has no type of its own.
  (void)kernel.eraseArguments(unread);
  return passed;
}

/// Whether a call may be one of a group: of a function of this module, which
/// returns nothing.
static bool mayBeOfGroup(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee.isPrivate() && !callee.isDeclaration() &&
         call.getNumResults() == 0 && call.getNumOperands() > 0;
}

/// Calls of one function with nothing between them that has an effect.
static SmallVector<Group> findGroups(Block &block) {
  SmallVector<Group> groups(1);
  for (Operation &operation : block) {
    auto call = dyn_cast<func::CallOp>(operation);
    if (!call || !mayBeOfGroup(call)) {
      if (!isMemoryEffectFree(&operation))
        groups.emplace_back();
      continue;
    }
    Group &last = groups.back();
    if (!last.empty() && last.front().getCallee() != call.getCallee())
      groups.emplace_back();
    groups.back().push_back(call);
  }
  return groups;
}

PassedArguments native::rollCalls(func::FuncOp kernel, unsigned least,
                                  RuntimeCalls &runtime,
                                  const LLVMTypeConverter &types) {
  CallRoller roller(kernel, runtime, types);
  for (Block &block : kernel.getBody())
    for (Group &group : findGroups(block))
      if (group.size() >= std::max(least, 1u))
        roller.roll(group);
  return roller.dropArguments();
}
