//===- RowSums.cpp - Biases of rows that are added up ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// forall p: forall e: out[e] += w * (scale * x[e] + bias)
//   becomes
// shift = 0
// forall p: shift += w * bias; forall e: out[e] += (w * scale) * x[e]
// forall e: out[e] += shift
// A choice of adding nothing, the same for a row, is one of its scale and bias.
// Where a byte holds two elements, the loops over e are over bytes, and sums of
// even and of odd elements stand apart until the end. A loop right behind that
// alone reads the sums, such as that which divides them, takes sum and shift.
//
//===----------------------------------------------------------------------===//

#include "EncodedAccesses.h"
#include "ember/Dialect/CIN/Transforms/FunctionCode.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// What elements are multiplied by, or the condition under which they are
/// added.
struct RowFactor {
  Value value;
  bool isCondition;
};

/// Rows that are added up in an array.
struct RowSum {
  AssignOp assign;
  /// The loop over the elements of a row.
  ForallOp elements;
  /// What is done with all elements of a row, in order.
  SmallVector<RowFactor> factors;
  /// The outermost loop of those that the sum is complete behind.
  Operation *outer = nullptr;
  /// The loop that sets the elements to 0 in front; null if there is none.
  ForallOp initial;
  /// The access behind that alone reads the sums, in a loop over the elements;
  /// null if there is none.
  AccessOp reader;
  /// Of a workspace that `outer` fills, and that this access is of; null if
  /// what is added up in is none.
  WhereOp around;

  ForallOp getReadingLoop() {
    return reader ? cast<ForallOp>(reader->getParentOp()) : ForallOp();
  }
};

/// Rewrites one sum.
class SumFactoring {
public:
  SumFactoring(EncodedAccesses &accesses, EncodedAccess access, RowSum sum)
      : builder(accesses.getBuilder()), accesses(accesses),
        access(std::move(access)), decoder(*this->access.decoder),
        sum(std::move(sum)) {}

  void run();

private:
  /// A workspace with what produces and what uses it; `sizes` as those of
  /// cin.where.
  WhereOp makeWorkspace(ArrayRef<int64_t> shape, ValueRange sizes);
  ForallOp makeLoop(Value lower, Value upper);
  /// As long as the row of what is added up in.
  WhereOp makeRow();
  /// Assigns zero to all of a row.
  void clear(WhereOp where);
  void add(Value value, Value array, ValueRange indices, bool combines = true);
  /// Value times all factors of the sum.
  Value weighted(Value value);
  SmallVector<Value> placeOf(Value element);

  void addElements(Value scale);
  void addPairs(Value scale, Value even, Value odd);
  /// What is in a workspace's regions beside the loops of the sum stands in
  /// front of it.
  void takeOut(WhereOp where);
  /// What is left of the product with factors.
  void eraseProduct();
  void finish(Value shift);
  void finishPairs(Value shift, Value even, Value odd);

  RowExpressionBuilder &builder;
  EncodedAccesses &accesses;
  EncodedAccess access;
  RowDecoder &decoder;
  RowSum sum;
  Value first, pairs, wholePairs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which sums
//===----------------------------------------------------------------------===//

/// Whether a value is computed in `op`.
static bool isInside(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

/// The calls that make `value` of `element`, inner ones first: products with
/// what is the same for all of a loop, and choices, the same for all of it, of
/// adding nothing instead.
static std::optional<SmallVector<RowFactor>>
findFactors(Value value, Value element, Operation *loop) {
  SmallVector<RowFactor> factors;
  while (value != element) {
    auto call = value.getDefiningOp<CallOp>();
    if (!call || !value.hasOneUse())
      return std::nullopt;
    OperandRange operands = call.getOperands();
    if (call.getFunction().is("select") && !isInside(operands[0], loop) &&
        addsNothing(operands[2])) {
      factors.push_back({operands[0], /*isCondition=*/true});
      value = operands[1];
      continue;
    }
    if (!call.getFunction().is("mul"))
      return std::nullopt;
    bool isLeft = isInside(operands[0], loop);
    if (isLeft == isInside(operands[1], loop))
      return std::nullopt;
    factors.push_back({operands[isLeft ? 1 : 0], /*isCondition=*/false});
    value = operands[isLeft ? 0 : 1];
  }
  if (!value.hasOneUse())
    return std::nullopt;
  std::reverse(factors.begin(), factors.end());
  return factors;
}

/// The outermost loop that adds to the same elements again and again; null if
/// none does.
static Operation *findOuter(ForallOp elements, AssignOp assign,
                            ForallOp around) {
  Operation *outer = elements, *found = nullptr;
  while (true) {
    Operation *parent = outer->getParentOp();
    if (!isa<ForallOp, IfOp>(parent) || parent == around)
      return found;
    bool isSame =
        !isInside(assign.getArray(), parent) &&
        llvm::none_of(assign.getIndices().drop_back(),
                      [&](Value index) { return isInside(index, parent); });
    if (!isSame)
      return found;
    outer = parent;
    if (isa<ForallOp>(parent))
      found = outer;
  }
}

/// The loop in front of `outer` that sets what is added to to 0, with nothing
/// but expressions in between.
static ForallOp findInitial(Operation *outer, AssignOp assign) {
  for (Operation *op = outer->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto access = dyn_cast<AccessOp>(op);
        access && access.getArray() == assign.getArray())
      return nullptr;
    if (isa<AccessOp, ApplyOp, CallOp, ExtentOp, LiteralOp>(op))
      continue;
    auto loop = dyn_cast<ForallOp>(op);
    if (!loop || loop.getVariables().size() != 1 || loop.getBody()->empty())
      return nullptr;
    Block &body = *loop.getBody();
    auto zero = dyn_cast<AssignOp>(body.back());
    bool isAlone = llvm::all_of(
        llvm::drop_end(body), [](Operation &op) { return isa<LiteralOp>(op); });
    auto literal =
        zero ? zero.getValue().getDefiningOp<LiteralOp>() : LiteralOp();
    bool isZero = literal && isAlone && !zero.isCombining() &&
                  !zero.getCondition() &&
                  zero.getArray() == assign.getArray() &&
                  areSame(literal.getValue(),
                          getConstant(Constant::zero, literal.getType())) &&
                  zero.getIndices().back() == loop.getVariables().front() &&
                  llvm::equal(zero.getIndices().drop_back(),
                              assign.getIndices().drop_back());
    // Of all elements, by the same rule.
    return isZero && !loop.getRanged().front() ? loop : ForallOp();
  }
  return nullptr;
}

/// Whether `loop` is one over the elements of a row that, of `array` at
/// `row`, reads its own element alone; the access that does.
static AccessOp findRead(ForallOp loop, Value array, ValueRange row) {
  if (loop.getVariables().size() != 1 || loop.getIteration() ||
      loop.getRanged().front() || loop.getBody()->empty())
    return nullptr;
  auto store = dyn_cast<AssignOp>(loop.getBody()->back());
  if (!store || store.isCombining() || store.getCondition())
    return nullptr;
  auto isOfElement = [&](OperandRange indices) {
    return indices.back() == loop.getVariables().front() &&
           llvm::equal(indices.drop_back(), row);
  };
  if (store.getArray() == array && !isOfElement(store.getIndices()))
    return nullptr;
  AccessOp reader;
  for (Operation &op : llvm::drop_end(*loop.getBody())) {
    if (!isa<AccessOp, ApplyOp, CallOp, LiteralOp>(op))
      return nullptr;
    auto access = dyn_cast<AccessOp>(op);
    // Other rows of bytes are decoded where they are read: the loop stays.
    if (access && isa<ArrayType>(access.getArray().getType()))
      return nullptr;
    if (!access || access.getArray() != array)
      continue;
    if (reader || !isOfElement(access.getIndices()))
      return nullptr;
    reader = access;
  }
  return reader;
}

static bool isAssignedIn(Operation *loop, Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<AssignOp>(user);
    return assign && assign.getArray() == array && loop->isAncestor(assign);
  });
}

/// Finds the loop behind the sum that alone reads it, and after which the array
/// does not hold it, or nobody looks.
static void findReader(RowSum &sum) {
  Value array = sum.assign.getArray();
  Operation *next = sum.outer->getNextNode();
  auto where = dyn_cast<WhereOp>(sum.outer->getParentOp());
  bool isWorkspace =
      !next && where && array.getParentRegion() == &where.getProducers();
  if (isWorkspace) {
    next = &where.getConsumers().front().front();
    array = where.getConsumers().getArgument(0);
  }
  while (
      isa_and_nonnull<AccessOp, ApplyOp, CallOp, ExtentOp, LiteralOp>(next)) {
    // What the sum's loops assign to is known behind them alone.
    if (auto access = dyn_cast<AccessOp>(next);
        access && (access.getArray() == array ||
                   isAssignedIn(sum.outer, access.getArray())))
      return;
    next = next->getNextNode();
  }
  auto loop = dyn_cast_or_null<ForallOp>(next);
  AccessOp reader =
      loop ? findRead(loop, array, sum.assign.getIndices().drop_back())
           : AccessOp();
  if (!reader)
    return;
  if (!isWorkspace) {
    if (cast<AssignOp>(loop.getBody()->back()).getArray() == array)
      sum.reader = reader;
    return;
  }
  // Of the workspace, nothing else is left.
  auto isMine = [&](Operation *user) {
    return user == sum.assign || sum.initial->isAncestor(user);
  };
  if (!array.hasOneUse() || loop->getNextNode() ||
      !llvm::all_of(sum.assign.getArray().getUsers(), isMine))
    return;
  sum.reader = reader;
  sum.around = where;
}

static std::optional<RowSum> findSum(const EncodedAccess &mine,
                                     ForallOp around) {
  if (!mine.variable || !mine.decoder->isScaled())
    return std::nullopt;
  RowSum sum;
  sum.elements = dyn_cast<ForallOp>(mine.variable.getOwner()->getParentOp());
  if (!sum.elements || sum.elements.getVariables().size() != 1 ||
      sum.elements.getIteration() || isInside(mine.row, sum.elements))
    return std::nullopt;
  sum.assign = dyn_cast<AssignOp>(sum.elements.getBody()->back());
  AccessOp access = mine.access;
  bool isAddition = sum.assign && sum.assign.getFunction().is("add") &&
                    !sum.assign.getCondition() &&
                    !isa<ArrayType>(sum.assign.getArray().getType()) &&
                    access->getBlock() == sum.elements.getBody();
  if (!isAddition || sum.assign.getIndices().empty() ||
      sum.assign.getIndices().back() != mine.variable)
    return std::nullopt;
  // Nothing but what is added.
  for (Operation &op : *sum.elements.getBody())
    if (!isa<AccessOp, CallOp, LiteralOp, AssignOp>(op) ||
        (isa<AssignOp>(op) && &op != sum.assign))
      return std::nullopt;
  std::optional<SmallVector<RowFactor>> factors =
      findFactors(sum.assign.getValue(), access, sum.elements);
  if (!factors)
    return std::nullopt;
  sum.factors = *factors;
  sum.outer = findOuter(sum.elements, sum.assign, around);
  if (!sum.outer)
    return std::nullopt;
  for (Operation *user : sum.assign.getArray().getUsers())
    if (user != sum.assign && sum.outer->isAncestor(user))
      return std::nullopt;
  bool isBoundInside =
      llvm::any_of(sum.elements->getOperands(),
                   [&](Value bound) { return isInside(bound, sum.outer); });
  if (isBoundInside)
    return std::nullopt;
  sum.initial = findInitial(sum.outer, sum.assign);
  if (sum.initial)
    findReader(sum);
  return sum;
}

//===----------------------------------------------------------------------===//
// What they become
//===----------------------------------------------------------------------===//

WhereOp SumFactoring::makeWorkspace(ArrayRef<int64_t> shape, ValueRange sizes) {
  bool onTensors = isa<TensorType>(sum.assign.getArray().getType());
  Type element = decoder.getType();
  Type type = onTensors ? Type(RankedTensorType::get(shape, element))
                        : MemRefType::get(shape, element);
  auto where = WhereOp::create(builder, sizes);
  for (Region *region : {&where.getConsumers(), &where.getProducers()})
    region->emplaceBlock().addArgument(type, builder.getLoc());
  return where;
}

WhereOp SumFactoring::makeRow() {
  Value array = sum.assign.getArray();
  auto type = cast<ShapedType>(array.getType());
  unsigned last = type.getRank() - 1;
  int64_t size = type.getDimSize(last);
  if (!ShapedType::isDynamic(size))
    return makeWorkspace(size, ValueRange());
  // A workspace is as long as what it was made for.
  Operation *owner = array.getParentBlock()->getParentOp();
  if (auto where = dyn_cast<WhereOp>(owner))
    return makeWorkspace(size, where.getSizes().back());
  return makeWorkspace(size, builder.extent(array, last));
}

ForallOp SumFactoring::makeLoop(Value lower, Value upper) {
  auto loop = ForallOp::create(
      builder, lower ? ValueRange(lower) : sum.elements.getLowers(),
      upper ? ValueRange(upper) : sum.elements.getUppers(),
      lower ? builder.getDenseBoolArrayAttr({true})
            : sum.elements.getRangedAttr(),
      sum.elements.getNamesAttr(), IterationAttr());
  Block &body = loop.getRegion().emplaceBlock();
  body.addArgument(builder.getIndexType(), builder.getLoc());
  builder.setInsertionPointToStart(&body);
  return loop;
}

void SumFactoring::add(Value value, Value array, ValueRange indices,
                       bool combines) {
  Attribute function;
  if (combines)
    function = sum.assign.getCalleeAttr();
  AssignOp::create(builder, function, value, array, indices,
                   /*condition=*/Value(), /*first=*/Value(), TypedAttr());
}

void SumFactoring::clear(WhereOp where) {
  OpBuilder::InsertionGuard guard(builder);
  Block &body = where.getProducers().front();
  builder.setInsertionPointToStart(&body);
  ForallOp loop = makeLoop(first, pairs);
  add(builder.zero(decoder.getType()), body.getArgument(0),
      loop.getVariables().front(), /*combines=*/false);
}

Value SumFactoring::weighted(Value value) {
  FloatType type = decoder.getType();
  for (auto [factor, isCondition] : sum.factors) {
    if (!isCondition) {
      value = builder.call("mul", {value, factor}, type);
      continue;
    }
    Value nothing =
        LiteralOp::create(builder, type, builder.getFloatAttr(type, -0.0));
    value = builder.call("select", {factor, value, nothing}, type);
  }
  return value;
}

SmallVector<Value> SumFactoring::placeOf(Value element) {
  SmallVector<Value> place(sum.assign.getIndices());
  place.back() = element;
  return place;
}

void SumFactoring::addElements(Value scale) {
  builder.setInsertionPoint(access.access);
  Value integer = decoder.integer(access.row, access.column);
  builder.setInsertionPoint(sum.assign);
  Value term = builder.call("mul", {integer, scale}, decoder.getType());
  sum.assign.getValueMutable().assign(term);
}

void SumFactoring::addPairs(Value scale, Value even, Value odd) {
  ForallOp loop = makeLoop(first, pairs);
  Value pair = loop.getVariables().front();
  auto [low, high] = decoder.integers(access.row, pair);
  Type type = decoder.getType();
  add(builder.call("mul", {low, scale}, type), even, pair);
  add(builder.call("mul", {high, scale}, type), odd, pair);
}

void SumFactoring::finish(Value shift) {
  if (ForallOp reading = sum.getReadingLoop()) {
    if (!sum.around)
      reading->moveBefore(builder.getBlock(), builder.getBlock()->end());
    builder.setInsertionPointAfter(sum.reader);
    Value total =
        builder.call("add", {sum.reader.getResult(), shift}, decoder.getType());
    sum.reader.getResult().replaceAllUsesExcept(total, total.getDefiningOp());
    return;
  }
  ForallOp loop = makeLoop({}, {});
  add(shift, sum.assign.getArray(), placeOf(loop.getVariables().front()));
}

void SumFactoring::finishPairs(Value shift, Value even, Value odd) {
  Type type = decoder.getType();
  auto store = [&](Value pair, Value sums, int64_t isOdd) {
    Value total = AccessOp::create(builder, sums, pair);
    total = builder.call("add", {total, shift}, type);
    Value element = builder.apply(builder.dim(0) * 2 + isOdd, pair);
    if (ForallOp reading = sum.getReadingLoop()) {
      IRMapping mapping;
      mapping.map(reading.getVariables().front(), element);
      mapping.map(sum.reader.getResult(), total);
      for (Operation &op : *reading.getBody())
        if (&op != sum.reader)
          builder.clone(op, mapping);
      return;
    }
    add(total, sum.assign.getArray(), placeOf(element),
        /*combines=*/!sum.initial);
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    Value pair = makeLoop(first, wholePairs).getVariables().front();
    store(pair, even, 0);
    store(pair, odd, 1);
  }
  // The last element of a row of odd length.
  std::optional<int64_t> fixed = EncodedAccesses::getFixedLength(access);
  if (fixed && *fixed % 2 == 0)
    return;
  store(makeLoop(wholePairs, pairs).getVariables().front(), even, 0);
}

void SumFactoring::run() {
  builder.setLoc(sum.assign.getLoc());
  bool hasPairs = decoder.hasPairs();
  accesses.enterAround();
  first = builder.index(0);
  if (hasPairs) {
    std::optional<int64_t> fixed = EncodedAccesses::getFixedLength(access);
    Value length = accesses.getLength(access);
    pairs =
        fixed
            ? builder.index((*fixed + 1) / 2)
            : builder.shiftRight(builder.apply(builder.dim(0) + 1, length), 1);
    wholePairs =
        fixed ? builder.index(*fixed / 2) : builder.shiftRight(length, 1);
  }
  // What stands in front of the loop that reads the sums does not look at them.
  ForallOp reading = sum.getReadingLoop();
  Operation *place = reading ? reading.getOperation() : sum.outer;
  if (sum.around)
    place = sum.around;
  builder.setInsertionPoint(place);
  Value even, odd;
  if (hasPairs) {
    if (sum.around)
      takeOut(sum.around);
    for (Value *row : {&even, &odd}) {
      WhereOp where = makeRow();
      clear(where);
      *row = where.getConsumers().getArgument(0);
      builder.setInsertionPointToEnd(&where.getConsumers().front());
    }
  }
  WhereOp shifts = makeWorkspace(1, ValueRange());
  Block &producers = shifts.getProducers().front();
  Block &consumers = shifts.getConsumers().front();
  builder.setInsertionPointToStart(&producers);
  add(builder.zero(decoder.getType()), producers.getArgument(0), first,
      /*combines=*/false);
  // A workspace is filled where it is used.
  bool staysInside = sum.around && !hasPairs;
  if (staysInside)
    sum.around->moveBefore(&consumers, consumers.end());
  else
    sum.outer->moveBefore(&producers, producers.end());

  builder.setInsertionPoint(sum.elements);
  Value scale = weighted(decoder.scale(access.row));
  add(weighted(decoder.bias(access.row)),
      (staysInside ? consumers : producers).getArgument(0), first);
  if (hasPairs)
    addPairs(scale, even, odd);
  else
    addElements(scale);

  // Looked up once.
  if (staysInside) {
    builder.setInsertionPoint(reading);
  } else {
    builder.setInsertionPointToStart(&consumers);
    auto holder =
        ForallOp::create(builder, ValueRange(), ValueRange(), ArrayRef<bool>(),
                         ArrayAttr(), IterationAttr());
    builder.setInsertionPointToStart(&holder.getRegion().emplaceBlock());
  }
  Value shift = AccessOp::create(builder, consumers.getArgument(0), first);
  if (!hasPairs) {
    finish(shift);
    eraseProduct();
    return;
  }
  finishPairs(shift, even, odd);
  sum.elements.erase();
  if (sum.initial)
    sum.initial.erase();
  if (reading)
    reading.erase();
  if (sum.around)
    sum.around.erase();
}

void SumFactoring::takeOut(WhereOp where) {
  ForallOp reading = sum.getReadingLoop();
  for (Region *region : {&where.getProducers(), &where.getConsumers()})
    for (Operation &op : llvm::make_early_inc_range(region->front()))
      if (&op != sum.outer && &op != sum.initial && &op != reading)
        op.moveBefore(where);
}

void SumFactoring::eraseProduct() {
  SmallVector<Operation *> dead;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*sum.elements.getBody())))
    if (isa<CallOp, AccessOp>(op) && op.use_empty())
      op.erase();
}

void ember::cin::factorRowSums(EncodedAccesses &accesses) {
  std::vector<EncodedAccess> &all = accesses.getAll();
  std::vector<EncodedAccess> left;
  for (const EncodedAccess &mine : all) {
    std::optional<RowSum> sum = findSum(mine, accesses.getAround());
    if (sum)
      SumFactoring(accesses, mine, std::move(*sum)).run();
    else
      left.push_back(mine);
  }
  all = std::move(left);
}
