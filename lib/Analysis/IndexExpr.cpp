//===- IndexExpr.cpp - Index values as sums -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IndexExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ember {

/// Longer sums and deeper chains of operations than these are taken as they
/// are: nothing is proven about them anyway.
static constexpr size_t maxTerms = 8;
static constexpr unsigned maxDepth = 48;

static int64_t wrappingAdd(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}

static int64_t wrappingMul(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

IndexExpr IndexExpr::operator+(const IndexExpr &other) const {
  IndexExpr sum = *this;
  sum.constant = wrappingAdd(constant, other.constant);
  for (const Term &term : other.terms) {
    auto *place = llvm::find_if(
        sum.terms, [&](const Term &t) { return t.first == term.first; });
    if (place == sum.terms.end())
      sum.terms.push_back(term);
    else
      place->second = wrappingAdd(place->second, term.second);
  }
  llvm::erase_if(sum.terms, [](const Term &term) { return term.second == 0; });
  return sum;
}

bool IndexExpr::operator==(const IndexExpr &other) const {
  return constant == other.constant && terms.size() == other.terms.size() &&
         llvm::all_of(terms, [&](const Term &term) {
           return other.coefficient(term.first) == term.second;
         });
}

IndexExpr IndexExpr::operator-(const IndexExpr &other) const {
  return *this + other.scaled(-1);
}

IndexExpr IndexExpr::scaled(int64_t factor) const {
  IndexExpr product;
  product.constant = wrappingMul(constant, factor);
  for (const auto &[value, coefficient] : terms)
    if (int64_t scaled = wrappingMul(coefficient, factor))
      product.terms.push_back({value, scaled});
  return product;
}

IndexExpr IndexExpr::substituted(Value value, const IndexExpr &by) const {
  int64_t factor = coefficient(value);
  if (factor == 0)
    return *this;
  return *this - IndexExpr(value).scaled(factor) + by.scaled(factor);
}

int64_t IndexExpr::coefficient(Value value) const {
  for (const auto &[term, factor] : terms)
    if (term == value)
      return factor;
  return 0;
}

Value IndexExpr::asValue() const {
  if (constant != 0 || terms.size() != 1 || terms.front().second != 1)
    return Value();
  return terms.front().first;
}

/// Whether `a` is defined in front of `b`, where both are known at one place.
static bool isDefinedBefore(Value a, Value b) {
  Block *blockOfA = a.getParentBlock(), *blockOfB = b.getParentBlock();
  if (blockOfA->getParent() != blockOfB->getParent())
    return blockOfA->getParent()->isProperAncestor(blockOfB->getParent());
  if (blockOfA != blockOfB)
    return blockOfA->computeBlockNumber() < blockOfB->computeBlockNumber();
  Operation *definitionOfA = a.getDefiningOp();
  Operation *definitionOfB = b.getDefiningOp();
  if (definitionOfA && definitionOfB && definitionOfA != definitionOfB)
    return definitionOfA->isBeforeInBlock(definitionOfB);
  if (definitionOfA != definitionOfB)
    return !definitionOfA;
  auto numberOf = [](Value value) {
    auto result = dyn_cast<OpResult>(value);
    return result ? result.getResultNumber()
                  : cast<BlockArgument>(value).getArgNumber();
  };
  return numberOf(a) < numberOf(b);
}

Value IndexExpr::materialize(OpBuilder &builder, Location loc) const {
  // In the order of the program: equal sums become the same code, of which one
  // is left, and become the same in every run of the compiler.
  SmallVector<Term, 2> ordered = terms;
  llvm::sort(ordered, [](const Term &a, const Term &b) {
    return isDefinedBefore(a.first, b.first);
  });
  Value sum;
  for (auto [value, factor] : ordered) {
    Value term = value;
    if (!term.getType().isIndex())
      term = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        term);
    if (factor != 1)
      term = arith::MulIOp::create(
          builder, loc, term,
          arith::ConstantIndexOp::create(builder, loc, factor));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term) : term;
  }
  if (sum && constant == 0)
    return sum;
  Value offset = arith::ConstantIndexOp::create(builder, loc, constant);
  return sum ? arith::AddIOp::create(builder, loc, sum, offset) : offset;
}

/// Whether arithmetic on `type` wraps like that on indices.
static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

IndexExpr IndexExprs::decompose(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return IndexExpr(*constant);
  if (depth == 0)
    return IndexExpr(value);
  Operation *op = value.getDefiningOp();
  if (!op)
    return carried(cast<BlockArgument>(value), depth - 1)
        .value_or(IndexExpr(value));
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    ArrayRef<int64_t> position = extract.getStaticPosition();
    if (position.size() != 1 || ShapedType::isDynamic(position.front()))
      return IndexExpr(value);
    return lane(extract.getSource(), position.front(), depth - 1)
        .value_or(IndexExpr(value));
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (type && index && *index >= 0 && *index < type.getRank())
      return sizeOf(dim.getSource(), *index, depth - 1);
    return IndexExpr(value);
  }
  if (isa<arith::IndexCastOp>(op) && isWide(op->getOperand(0).getType()) &&
      isWide(value.getType()))
    return of(op->getOperand(0), depth - 1);
  if (isa<arith::AddIOp>(op))
    return of(op->getOperand(0), depth - 1) + of(op->getOperand(1), depth - 1);
  if (isa<arith::SubIOp>(op))
    return of(op->getOperand(0), depth - 1) - of(op->getOperand(1), depth - 1);
  if (isa<arith::MulIOp>(op)) {
    IndexExpr left = of(op->getOperand(0), depth - 1);
    IndexExpr right = of(op->getOperand(1), depth - 1);
    if (std::optional<int64_t> factor = right.asConstant())
      return left.scaled(*factor);
    if (std::optional<int64_t> factor = left.asConstant())
      return right.scaled(*factor);
  }
  return IndexExpr(value);
}

/// A value that a loop carries and adds a constant to in every iteration is
/// where it started, plus that constant for each iteration so far.
std::optional<IndexExpr> IndexExprs::carried(BlockArgument argument,
                                             unsigned depth) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar() || loop.getUnsignedCmp() ||
      !isWide(loop.getInductionVar().getType()))
    return std::nullopt;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  std::optional<int64_t> increment;
  if (auto add = next.getDefiningOp<arith::AddIOp>())
    if (add.getLhs() == argument)
      increment = getConstantIntValue(add.getRhs());
  if (!step || *step <= 0 || !increment || *increment % *step != 0)
    return std::nullopt;
  IndexExpr start = of(loop.getTiedLoopInit(argument)->get(), depth);
  IndexExpr count =
      IndexExpr(loop.getInductionVar()) - of(loop.getLowerBound(), depth);
  return start + count.scaled(*increment / *step);
}

/// One lane of a vector of indices.
std::optional<IndexExpr> IndexExprs::lane(Value vector, int64_t position,
                                          unsigned depth) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type || type.getRank() != 1 || type.isScalable() || depth == 0 ||
      !isWide(type.getElementType()) || position >= type.getNumElements())
    return std::nullopt;
  DenseIntElementsAttr elements;
  if (matchPattern(vector, m_Constant(&elements)))
    return IndexExpr(
        (*(elements.value_begin<APInt>() + position)).getSExtValue());
  Operation *op = vector.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<vector::StepOp>(op))
    return IndexExpr(position);
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isWide(broadcast.getSource().getType()))
      return of(broadcast.getSource(), depth - 1);
    return std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto left = lane(op->getOperand(0), position, depth - 1);
  auto right = lane(op->getOperand(1), position, depth - 1);
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  if (std::optional<int64_t> factor = right->asConstant())
    return left->scaled(*factor);
  if (std::optional<int64_t> factor = left->asConstant())
    return right->scaled(*factor);
  return std::nullopt;
}

IndexExpr IndexExprs::of(Value value, unsigned depth) {
  if (!isWide(value.getType()))
    return IndexExpr(value);
  if (auto place = known.find(value); place != known.end())
    return place->second;
  IndexExpr expr = decompose(value, depth);
  if (expr.getTerms().size() > maxTerms)
    expr = IndexExpr(value);
  known[value] = expr;
  return expr;
}

IndexExpr IndexExprs::of(OpFoldResult value, unsigned depth) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return IndexExpr(cast<IntegerAttr>(attribute).getInt());
  return of(cast<Value>(value), depth);
}

IndexExpr IndexExprs::of(Value value) { return of(value, maxDepth); }

IndexExpr IndexExprs::size(Value memref, int64_t dim) {
  return sizeOf(memref, dim, maxDepth);
}

/// The memref.dim of a memref, beside its definition, so that it can be used
/// wherever the memref can.
static Value createDim(Value memref, int64_t dim) {
  OpBuilder builder(memref.getContext());
  builder.setInsertionPointAfterValue(memref);
  return memref::DimOp::create(builder, memref.getLoc(), memref, dim);
}

IndexExpr IndexExprs::sizeOf(Value memref, int64_t dim, unsigned depth) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return IndexExpr(type.getDimSize(dim));
  Operation *op = memref.getDefiningOp();
  if (depth > 0) {
    if (auto alloc = dyn_cast_if_present<memref::AllocOp>(op))
      return of(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)],
                depth - 1);
    if (auto view = dyn_cast_if_present<memref::ReinterpretCastOp>(op))
      return of(view.getMixedSizes()[dim], depth - 1);
    if (auto view = dyn_cast_if_present<memref::CastOp>(op))
      if (isa<MemRefType>(view.getSource().getType()))
        return sizeOf(view.getSource(), dim, depth - 1);
    if (auto view = dyn_cast_if_present<memref::SubViewOp>(op))
      if (view.getSourceType().getRank() == type.getRank())
        return of(view.getMixedSizes()[dim], depth - 1);
  }
  Value &size = dims[{memref, dim}];
  if (!size) {
    size = createDim(memref, dim);
    sizes.insert(size);
  }
  return IndexExpr(size);
}

/// The outermost operation around `loop`, or `loop` itself, in front of which
/// all values in `expr` are there.
static Operation *outermostPlace(scf::ForOp loop, const IndexExpr &expr) {
  Operation *place = loop;
  while (auto outer = dyn_cast<scf::ForOp>(place->getParentOp())) {
    bool invariant = llvm::all_of(expr.getTerms(), [&](const auto &term) {
      return outer.isDefinedOutsideOfLoop(term.first);
    });
    if (!invariant)
      break;
    place = outer;
  }
  return place;
}

IndexExpr IndexExprs::lastIteration(scf::ForOp loop) {
  auto [place, isNew] = lastIterations.try_emplace(loop);
  if (!isNew)
    return place->second;
  int64_t step = *getConstantIntValue(loop.getStep());
  IndexExpr lower = of(loop.getLowerBound());
  IndexExpr upper = of(loop.getUpperBound());
  IndexExpr &last = place->second;
  last = upper + (-1);
  if (step == 1)
    return last;
  std::optional<int64_t> first = lower.asConstant();
  std::optional<int64_t> end = upper.asConstant();
  if (first && end && *end > *first) {
    uint64_t span = uint64_t(*end) - uint64_t(*first) - 1;
    last = IndexExpr(int64_t(uint64_t(*first) + span / step * step));
    return last;
  }
  IndexExpr span = upper - lower + (-1);
  OpBuilder builder(outermostPlace(loop, span));
  Location loc = loop.getLoc();
  last = last - IndexExpr(arith::RemUIOp::create(
                    builder, loc, span.materialize(builder, loc),
                    arith::ConstantIndexOp::create(builder, loc, step)));
  return last;
}

bool IndexExprs::isSize(const IndexExpr &expr) const {
  Value value = expr.asValue();
  return value && sizes.contains(value);
}

} // namespace ember
