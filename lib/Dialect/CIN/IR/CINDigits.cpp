//===- CINDigits.cpp - Indices as sums of digits --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CINDigits.h"
#include "ember/Dialect/CIN/IR/ProgramOrder.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace ember::cin;

static std::optional<int64_t> getKnownSize(ArrayDimension size) {
  auto type = dyn_cast<ShapedType>(size.array.getType());
  bool isKnown = type && type.hasRank() && size.dimension < type.getRank() &&
                 !type.isDynamicDim(size.dimension);
  return isKnown ? std::optional(type.getDimSize(size.dimension))
                 : std::nullopt;
}

std::optional<int64_t> ember::cin::getLiteral(Value value) {
  if (auto literal = value ? value.getDefiningOp<LiteralOp>() : nullptr)
    if (auto number = dyn_cast<IntegerAttr>(literal.getValue()))
      return number.getValue().trySExtValue();
  if (auto apply = value ? value.getDefiningOp<ApplyOp>() : nullptr;
      apply && apply.getMap().getNumResults() == 1)
    if (auto number = dyn_cast<AffineConstantExpr>(apply.getMap().getResult(0)))
      return number.getValue();
  if (auto extent = value ? value.getDefiningOp<ExtentOp>() : nullptr)
    return getKnownSize(
        {extent.getArray(), static_cast<unsigned>(extent.getDimension())});
  return std::nullopt;
}

/// What an upper bound is at most: a literal, or the rest of a division.
static std::optional<int64_t> getMost(Value value) {
  auto apply = value ? value.getDefiningOp<ApplyOp>() : nullptr;
  auto rest = apply ? dyn_cast<AffineBinaryOpExpr>(apply.getMap().getResult(0))
                    : nullptr;
  if (!rest || rest.getKind() != AffineExprKind::Mod)
    return getLiteral(value);
  auto divisor = dyn_cast<AffineConstantExpr>(rest.getRHS());
  if (!divisor || divisor.getValue() <= 0)
    return std::nullopt;
  return divisor.getValue() - 1;
}

/// By how much a variable without a range varies, at most, by arrays whose
/// sizes are known.
static std::optional<int64_t> getSpreadInArrays(BlockArgument variable) {
  std::optional<int64_t> least;
  for (ArrayDimension dimension : getIndexedDimensions(variable))
    // Temporaries get their sizes when all statements are there.
    if (auto type = dyn_cast<MemRefType>(dimension.array.getType());
        type && dimension.dimension < type.getRank() &&
        !type.isDynamicDim(dimension.dimension))
      least = std::min(least.value_or(INT64_MAX),
                       type.getDimSize(dimension.dimension));
  return least ? std::optional(std::max<int64_t>(*least - 1, 0)) : std::nullopt;
}

std::optional<int64_t> ember::cin::getSpread(Value value) {
  auto variable = dyn_cast<BlockArgument>(value);
  auto forall = variable
                    ? dyn_cast<ForallOp>(variable.getOwner()->getParentOp())
                    : nullptr;
  if (!forall)
    return std::nullopt;
  if (!forall.getUpper(variable.getArgNumber()))
    return getSpreadInArrays(variable);
  std::optional<int64_t> lower =
      getLiteral(forall.getLower(variable.getArgNumber()));
  std::optional<int64_t> upper =
      getMost(forall.getUpper(variable.getArgNumber()));
  int64_t spread = 0;
  if (!lower || !upper || llvm::SubOverflow(*upper, *lower, spread))
    return std::nullopt;
  return std::max<int64_t>(spread - 1, 0);
}

bool ember::cin::isSame(Value a, Value b) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  return left && right && !isa<ReduceOp>(left) &&
         OperationEquivalence::isEquivalentTo(
             left, right,
             [](Value x, Value y) { return success(isSame(x, y)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

Value ember::cin::skipConversions(Value value) {
  auto call = value.getDefiningOp<CallOp>();
  bool isWhole = call && call.getFunction().is("convert") &&
                 isa<IntegerType, IndexType>(call.getOperand(0).getType()) &&
                 (call.getType().isIndex() || call.getType().isInteger(64));
  return isWhole ? skipConversions(call.getOperand(0)) : value;
}

LogicalResult ember::cin::addWeights(AffineExpr expr, int64_t factor,
                                     MutableArrayRef<int64_t> weights) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    weights[dim.getPosition()] += factor;
    return success();
  }
  if (isa<AffineConstantExpr>(expr))
    return success();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(addWeights(binary.getLHS(), factor, weights)) &&
                   succeeded(addWeights(binary.getRHS(), factor, weights)));
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !constant)
    return failure();
  return addWeights(binary.getLHS(), factor * constant.getValue(), weights);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

std::optional<Weight> Weight::times(const Weight &other) const {
  Weight product = *this;
  if (llvm::MulOverflow(factor, other.factor, product.factor))
    return std::nullopt;
  llvm::append_range(product.sizes, other.sizes);
  llvm::sort(product.sizes);
  return product;
}

/// A size by what says it: an argument, where an array in a format has one.
static ArrayDimension getSource(ArrayDimension size) {
  auto assembly = size.array.getDefiningOp<AssembleOp>();
  if (!assembly || !assembly.getType().isDynamicDim(size.dimension))
    return size;
  unsigned number = assembly.getType().getDynamicDimIndex(size.dimension);
  return {skipConversions(assembly.getSizes()[number]), 0};
}

/// The size, or the number of the caller's, that `value` is.
static std::optional<ArrayDimension> getSize(Value value) {
  value = skipConversions(value);
  if (auto extent = value.getDefiningOp<ExtentOp>())
    return getSource(
        {extent.getArray(), static_cast<unsigned>(extent.getDimension())});
  auto argument = dyn_cast<BlockArgument>(value);
  bool isNumber = argument &&
                  isa<EvaluateOp>(argument.getOwner()->getParentOp()) &&
                  isa<IntegerType, IndexType>(argument.getType());
  return isNumber ? std::optional(ArrayDimension{argument, 0}) : std::nullopt;
}

/// The size of the dimension that `value`, an element of the coordinates of an
/// array, is a position of.
static std::optional<ArrayDimension> getSizeOfCoordinate(Value value) {
  auto access = value.getDefiningOp<AccessOp>();
  if (!access)
    return std::nullopt;
  for (Operation *user : getUsersInOrder(access.getArray())) {
    auto assembly = dyn_cast<AssembleOp>(user);
    if (!assembly || assembly.getCounting())
      continue;
    FormatAttr format = assembly.getType().getFormat();
    for (auto [number, level] : llvm::enumerate(format.getLevels())) {
      unsigned last =
          assembly.getFirstArrayOf(number) + level.countArrays() - 1;
      if (level.isListed() && assembly.getLevels()[last] == access.getArray())
        return getSource({assembly.getResult(), format.getDimensionOf(number)});
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// What a variable of a range is below, of one that is never negative: where it
/// has a value, that is more than 0.
static std::optional<ArrayDimension> getEnd(ForallOp forall, unsigned number) {
  std::optional<int64_t> begin = getLiteral(forall.getLower(number));
  return begin && *begin >= 0 ? getSize(forall.getUpper(number)) : std::nullopt;
}

void Digits::addEqual(SmallVector<ArrayDimension> sizes) {
  llvm::erase_if(groups, [&](ArrayRef<ArrayDimension> mine) {
    bool isShared = llvm::any_of(mine, [&](ArrayDimension size) {
      return llvm::is_contained(sizes, size);
    });
    if (isShared)
      llvm::append_range(sizes, mine);
    return isShared;
  });
  groups.push_back(std::move(sizes));
}

void Digits::addReached(ArrayDimension size) {
  addEqual({size});
  reached.push_back(size);
}

/// The dimensions of which a variable without a range has all positions.
static SmallVector<ArrayDimension> getSources(BlockArgument variable) {
  return llvm::map_to_vector(getIndexedDimensions(variable), getSource);
}

void Digits::findGroups() {
  if (variables.empty() || !groups.empty())
    return;
  Operation *around = variables.front().getOwner()->getParentOp();
  auto addAll = [&](auto binding) {
    for (BlockArgument variable : binding.getVariables())
      if (!binding.getUpper(variable.getArgNumber()))
        addEqual(getSources(variable));
  };
  around->getParentOfType<EvaluateOp>().walk([&](Operation *op) {
    if (auto forall = dyn_cast<ForallOp>(op))
      addAll(forall);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      addAll(reduce);
    else if (auto same = dyn_cast<SameSizeOp>(op))
      addEqual({getSource({same.getFirst(),
                           static_cast<unsigned>(same.getFirstDimension())}),
                getSource({same.getSecond(),
                           static_cast<unsigned>(same.getSecondDimension())})});
  });
  for (BlockArgument variable : variables) {
    auto forall = cast<ForallOp>(variable.getOwner()->getParentOp());
    if (!forall.getUpper(variable.getArgNumber()))
      llvm::for_each(getSources(variable),
                     [&](ArrayDimension size) { addReached(size); });
    else if (std::optional<ArrayDimension> end =
                 getEnd(forall, variable.getArgNumber()))
      addReached(*end);
    for (Operation *user : variable.getUsers())
      if (auto access = dyn_cast<AccessOp>(user))
        if (std::optional<ArrayDimension> size = getSizeOfCoordinate(access))
          addReached(*size);
  }
}

std::optional<Weight> Digits::getWeightOf(ArrayDimension size) {
  findGroups();
  for (auto [number, group] : llvm::enumerate(groups)) {
    if (!llvm::is_contained(group, size))
      continue;
    for (ArrayDimension mine : group)
      if (std::optional<int64_t> known = getKnownSize(mine))
        return Weight{*known, {}};
    bool isReached = llvm::any_of(group, [&](ArrayDimension mine) {
      return llvm::is_contained(reached, mine);
    });
    if (isReached)
      return Weight{1, {static_cast<unsigned>(number)}};
  }
  return std::nullopt;
}

std::optional<Weight> Digits::getWeight(Value factor) {
  factor = skipConversions(factor);
  if (std::optional<int64_t> number = getLiteral(factor))
    return Weight{*number, {}};
  if (std::optional<ArrayDimension> size = getSize(factor))
    return getWeightOf(*size);
  auto call = factor.getDefiningOp<CallOp>();
  if (!call || !call.getFunction().is("mul"))
    return std::nullopt;
  std::optional<Weight> left = getWeight(call.getOperand(0));
  std::optional<Weight> right = getWeight(call.getOperand(1));
  return left && right ? left->times(*right) : std::nullopt;
}

std::optional<Weight> Digits::getCount(Value digit) {
  int64_t count = 0;
  if (std::optional<int64_t> spread = getSpread(digit);
      spread && !llvm::AddOverflow<int64_t>(*spread, 1, count))
    return Weight{count, {}};
  std::optional<ArrayDimension> size = getSizeOfCoordinate(digit);
  if (auto variable = dyn_cast<BlockArgument>(digit)) {
    auto forall = dyn_cast<ForallOp>(variable.getOwner()->getParentOp());
    if (!forall)
      return std::nullopt;
    if (forall.getUpper(variable.getArgNumber())) {
      size = getEnd(forall, variable.getArgNumber());
    } else {
      SmallVector<ArrayDimension> sizes = getSources(variable);
      if (!sizes.empty())
        size = sizes.front();
    }
  }
  return size ? getWeightOf(*size) : std::nullopt;
}

LogicalResult Digits::add(Value index, const Weight &weight,
                          llvm::function_ref<bool(Value)> isKnown,
                          SmallVector<Digit> &digits) {
  index = skipConversions(index);
  if (isKnown(index))
    return success();
  auto addTimes = [&](Value part, const Weight &factor) {
    std::optional<Weight> product = weight.times(factor);
    return success(product && succeeded(add(part, *product, isKnown, digits)));
  };
  if (auto apply = index.getDefiningOp<ApplyOp>()) {
    SmallVector<int64_t> factors(apply.getOperands().size());
    if (failed(addWeights(apply.getMap().getResult(0), 1, factors)))
      return failure();
    for (auto [operand, factor] : llvm::zip_equal(apply.getOperands(), factors))
      if (failed(addTimes(operand, Weight{factor, {}})))
        return failure();
    return success();
  }
  auto call = index.getDefiningOp<CallOp>();
  if (call && (call.getFunction().is("add") || call.getFunction().is("sub"))) {
    int64_t sign = call.getFunction().is("add") ? 1 : -1;
    return success(succeeded(addTimes(call.getOperand(0), Weight())) &&
                   succeeded(addTimes(call.getOperand(1), Weight{sign, {}})));
  }
  if (call && call.getFunction().is("mul"))
    for (unsigned side : {0, 1})
      if (std::optional<Weight> factor = getWeight(call.getOperand(1 - side)))
        return addTimes(call.getOperand(side), *factor);
  auto same = llvm::find_if(digits, [&](const Digit &mine) {
    return isSame(mine.value, index) && mine.weight.sizes == weight.sizes;
  });
  if (same == digits.end())
    digits.push_back({index, weight});
  else if (llvm::AddOverflow(same->weight.factor, weight.factor,
                             same->weight.factor))
    return failure();
  return success();
}

std::optional<SmallVector<Digit>>
Digits::split(Value index, llvm::function_ref<bool(Value)> isKnown) {
  SmallVector<Digit> digits;
  if (failed(add(index, Weight(), isKnown, digits)))
    return std::nullopt;
  llvm::erase_if(digits,
                 [](const Digit &digit) { return digit.weight.factor == 0; });
  return digits;
}

bool Digits::isInjective(SmallVector<Digit> digits) {
  for (Digit &digit : digits) {
    // Which has no counterpart that is positive.
    if (digit.weight.factor == INT64_MIN)
      return false;
    digit.weight.factor = std::abs(digit.weight.factor);
  }
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::pair(a.weight.sizes.size(), a.weight.factor) <
           std::pair(b.weight.sizes.size(), b.weight.factor);
  });
  // More than digits so far add up to, by as much as one differs from the next.
  Weight reach;
  for (auto [number, digit] : llvm::enumerate(digits)) {
    const Weight &weight = digit.weight;
    if (weight.factor < reach.factor ||
        !std::includes(weight.sizes.begin(), weight.sizes.end(),
                       reach.sizes.begin(), reach.sizes.end()))
      return false;
    if (number + 1 == digits.size())
      return true;
    std::optional<Weight> count = getCount(digit.value);
    std::optional<Weight> next = count ? weight.times(*count) : std::nullopt;
    if (!next)
      return false;
    // Of numbers alone it is known exactly.
    if (next->sizes.empty() && llvm::AddOverflow(next->factor - weight.factor,
                                                 reach.factor, next->factor))
      return false;
    reach = *next;
  }
  return true;
}
