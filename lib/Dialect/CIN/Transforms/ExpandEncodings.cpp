//===- ExpandEncodings.cpp - Encoded elements as functions of bytes -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EncodedAccesses.h"
#include "Statement.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_EXPANDENCODINGS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// The encoded array that an access is of; null for any other.
static AssembleOp getEncoded(AccessOp access) {
  auto array = access.getArray().getDefiningOp<AssembleOp>();
  return array && array.getEncoding() ? array : AssembleOp();
}

/// The loop that binds a variable; null for what is none.
static Operation *getLoop(Value value) {
  auto variable = dyn_cast<BlockArgument>(value);
  Operation *loop = variable ? variable.getOwner()->getParentOp() : nullptr;
  return isa_and_present<ForallOp, ReduceOp>(loop) ? loop : nullptr;
}

static bool isRanged(BlockArgument variable) {
  Operation *loop = variable.getOwner()->getParentOp();
  ArrayRef<bool> ranged = isa<ForallOp>(loop)
                              ? cast<ForallOp>(loop).getRanged()
                              : cast<ReduceOp>(loop).getRanged();
  return ranged[variable.getArgNumber()];
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

EncodedAccesses::EncodedAccesses(ForallOp statement)
    : builder(statement.getLoc(), statement.getContext()) {
  builder.setInsertionPoint(statement);
  around = ForallOp::create(builder, ValueRange(), ValueRange(),
                            ArrayRef<bool>(), ArrayAttr(), IterationAttr());
  Block &body = around.getRegion().emplaceBlock();
  statement->moveBefore(&body, body.end());
}

void EncodedAccesses::enterAround() {
  auto isExpression = [](Operation &op) {
    return isa<AccessOp, ApplyOp, CallOp, ExtentOp, LiteralOp>(op);
  };
  Block &body = *around.getBody();
  builder.setInsertionPoint(&body, llvm::find_if_not(body, isExpression));
}

RowDecoder &EncodedAccesses::getDecoder(AssembleOp array) {
  std::unique_ptr<RowDecoder> &decoder = decoders[array];
  if (!decoder) {
    decoder = std::make_unique<RowDecoder>(builder, array);
    OpBuilder::InsertionGuard guard(builder);
    enterAround();
    ArrayType type = array.getType();
    unsigned last = type.getRank() - 1;
    bool isListed = !type.getFormat().isDense() && !type.getFormat().hasRows();
    Value length =
        isListed ? builder.extent(array.getLevels().back(), 0)
                 : builder.extent(array, type.getFormat().getDimensionOf(last));
    lengths[array] = length;
    decoder->enter(length);
  }
  return *decoder;
}

Value EncodedAccesses::getLength(const EncodedAccess &access) {
  return lengths.lookup(AccessOp(access.access).getArray());
}

std::optional<int64_t>
EncodedAccesses::getFixedLength(const EncodedAccess &access) {
  auto type = cast<ArrayType>(AccessOp(access.access).getArray().getType());
  unsigned last = type.getRank() - 1;
  int64_t length = type.getDimSize(type.getFormat().getDimensionOf(last));
  if (ShapedType::isDynamic(length))
    return std::nullopt;
  return length;
}

Operation *EncodedAccesses::findPoint(Operation *access, ValueRange operands) {
  Operation *point = access;
  while (true) {
    Operation *loop = point->getParentOp();
    // What a condition guards is looked up only where it holds.
    auto reduce = dyn_cast<ReduceOp>(loop);
    bool isGuarded = reduce && reduce.getYield().getCondition();
    if (!isa<ForallOp, ReduceOp>(loop) || isGuarded || loop == around)
      return point;
    bool isKnown = llvm::none_of(operands, [&](Value operand) {
      return loop->isAncestor(operand.getParentBlock()->getParentOp());
    });
    if (!isKnown)
      return point;
    point = loop;
  }
}

bool EncodedAccesses::isPlain(AccessOp access, unsigned dimension,
                              Value coordinate) {
  return getLoop(coordinate) && !isRanged(cast<BlockArgument>(coordinate)) &&
         llvm::is_contained(
             getIndexedDimensions(cast<BlockArgument>(coordinate)),
             ArrayDimension{access.getArray(), dimension});
}

Value EncodedAccesses::checkCoordinate(AccessOp access, unsigned dimension,
                                       Value coordinate) {
  if (isPlain(access, dimension, coordinate))
    return coordinate;
  // Where element i of an array of one dense level is: at i, if there is one.
  auto array = access.getArray().getDefiningOp<AssembleOp>();
  ArrayType type = array.getType();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(array);
  Type index = builder.getIndexType();
  auto format = FormatAttr::get(builder.getContext(), ArrayRef<Level>(Level()),
                                ArrayRef<unsigned>(0), builder.getIndexAttr(-1),
                                /*storesFill=*/true);
  auto places = ArrayType::get(builder.getContext(), type.getDimSize(dimension),
                               index, format);
  SmallVector<Value> sizes;
  if (type.isDynamicDim(dimension))
    sizes.push_back(array.getSizeOf(dimension));
  // Its only dimension is the last one of the array: messages count from here.
  auto name = builder.getStringAttr(
      "a row of " + around->getParentOfType<EvaluateOp>().getNameOf(array));
  Value locating =
      AssembleOp::create(builder, places, array.getValues(), ValueRange(),
                         sizes, name, /*counting=*/false, /*locating=*/true);
  builder.setInsertionPoint(findPoint(access, coordinate));
  // Not a variable itself: what it is an index of has as many elements.
  if (isa<BlockArgument>(coordinate))
    coordinate = builder.apply(builder.dim(0), coordinate);
  return AccessOp::create(builder, locating, coordinate);
}

void EncodedAccesses::normalize(AccessOp access) {
  AssembleOp array = getEncoded(access);
  ArrayType type = array.getType();
  FormatAttr format = type.getFormat();
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  EncodedAccess mine{access, &getDecoder(array), {}, {}, {}};
  unsigned last = coordinates.size() - 1;
  unsigned dimension = format.getDimensionOf(last);
  if (isPlain(access, dimension, coordinates[last]))
    mine.variable = cast<BlockArgument>(coordinates[last]);
  for (unsigned level = 1; level <= last; ++level)
    coordinates[level] = checkCoordinate(access, format.getDimensionOf(level),
                                         coordinates[level]);
  if (last == 0)
    coordinates[0] = checkCoordinate(access, 0, coordinates[0]);
  mine.column = coordinates[last];
  builder.setLoc(access.getLoc());
  if (!format.hasRows()) {
    enterAround();
    mine.row = builder.index(0);
  } else {
    mine.row = coordinates[0];
    ArrayRef<Value> above = ArrayRef(coordinates).drop_back();
    Operation *point = findPoint(access, above);
    for (unsigned level = 1; level < last; ++level) {
      enterAround();
      Value size = builder.extent(array, format.getDimensionOf(level));
      builder.setInsertionPoint(point);
      Type index = builder.getIndexType();
      Value begin =
          builder.call("mul", {builder.asIndex(mine.row), size}, index);
      mine.row = builder.call(
          "add", {begin, builder.asIndex(coordinates[level])}, index);
    }
  }
  all.push_back(mine);
}

//===----------------------------------------------------------------------===//
// Arrays of which coordinates are stored
//===----------------------------------------------------------------------===//

AssembleOp EncodedAccesses::getLocating(AssembleOp array) {
  AssembleOp &made = locating[array];
  if (made)
    return made;
  FormatAttr format = array.getType().getFormat();
  unsigned depth = format.getLevels().size() - (format.hasRows() ? 1 : 0);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(array);
  return made = makeLocating(builder, array, depth);
}

/// Whether the loops over an array's coordinates visit what it stores alone.
static bool isSurelyStored(AccessOp access) {
  auto type = cast<ArrayType>(access.getArray().getType());
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
    if (level.kind == LevelKind::dense)
      continue;
    Operation *loop = getLoop(coordinates[number]);
    std::optional<Fiber> walked = loop ? getLoneWalk(loop) : std::nullopt;
    if (!walked || walked->depth() != number + 1 || !walked->contains(access))
      return false;
  }
  return true;
}

void EncodedAccesses::guard(AccessOp access, Value isStored) {
  Type type = access.getType();
  auto array = cast<ArrayType>(access.getArray().getType());
  TypedAttr fill = array.getUnstored();
  builder.setInsertionPoint(access);
  auto add = BuiltinAttr::get(builder.getContext(), findBuiltin("add"));
  auto reduce = ReduceOp::create(
      builder, type, ValueRange(), ValueRange(), ArrayRef<bool>(), ArrayAttr(),
      IterationAttr(), add, /*rest=*/TypedAttr(), /*otherwise=*/TypedAttr());
  Value element = reduce;
  if (!areSame(fill, getConstant(Constant::zero, type))) {
    Value absent = LiteralOp::create(builder, type, fill);
    element = builder.call("select", {isStored, element, absent}, type);
  }
  access.getResult().replaceAllUsesWith(element);
  Block &body = reduce.getRegion().emplaceBlock();
  access->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, access, isStored);
}

void EncodedAccesses::normalizeQuestion(AccessOp access) {
  AssembleOp array = getEncoded(access);
  FormatAttr format = array.getType().getFormat();
  builder.setLoc(access.getLoc());
  builder.setInsertionPoint(access);
  Value answer;
  if (format.isDense()) {
    answer = LiteralOp::create(builder, builder.getI1Type(),
                               builder.getBoolAttr(true));
  } else {
    SmallVector<Value> indices(access.getIndices());
    if (format.hasRows())
      indices.erase(indices.begin() +
                    format.getDimensionOf(format.getLevels().size() - 1));
    answer = AccessOp::create(builder, getLocating(array), indices,
                              /*stored=*/true);
  }
  access.getResult().replaceAllUsesWith(answer);
  access.erase();
}

void EncodedAccesses::normalizeListed(AccessOp access) {
  AssembleOp array = getEncoded(access);
  FormatAttr format = array.getType().getFormat();
  unsigned last = format.getLevels().size() - 1;
  unsigned dimension = format.getDimensionOf(last);
  builder.setLoc(access.getLoc());
  EncodedAccess mine{access, &getDecoder(array), {}, {}, {}};
  SmallVector<Value> indices(access.getIndices());
  bool isStored = isSurelyStored(access);
  if (format.hasRows()) {
    if (isStored && isPlain(access, dimension, indices[dimension]))
      mine.variable = cast<BlockArgument>(indices[dimension]);
    mine.column = checkCoordinate(access, dimension, indices[dimension]);
    indices.erase(indices.begin() + dimension);
  }
  // Operands of loops are numbered as accesses stand in them.
  builder.setInsertionPoint(isStored ? findPoint(access, indices)
                                     : access.getOperation());
  Value position = AccessOp::create(builder, getLocating(array), indices);
  if (!isStored) {
    Value isHere =
        builder.call("ge", {position, builder.index(0)}, builder.getI1Type());
    guard(access, isHere);
  }
  if (format.hasRows()) {
    mine.row = position;
  } else {
    enterAround();
    mine.row = builder.index(0);
    mine.column = position;
  }
  all.push_back(mine);
}

/// Asks for what a variable asks of the sizes of dimensions, and gives it a
/// range where those that remain do not say it.
void EncodedAccesses::keepSizes(BlockArgument variable) {
  if (isRanged(variable))
    return;
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  Operation *loop = variable.getOwner()->getParentOp();
  // Workspaces are as long as what they are made for.
  llvm::erase_if(dimensions, [&](ArrayDimension dimension) {
    return isa<WhereOp>(dimension.array.getParentBlock()->getParentOp());
  });
  auto isOfEncoded = [](ArrayDimension dimension) {
    auto array = dimension.array.getDefiningOp<AssembleOp>();
    return array && array.getEncoding();
  };
  const auto *encoded = llvm::find_if(dimensions, isOfEncoded);
  if (encoded == dimensions.end())
    return;
  ArrayDimension mine = *encoded;
  builder.setInsertionPoint(around);
  for (ArrayDimension other : dimensions)
    if (!(other == mine))
      requireSameSize(builder, variable, mine, other);
  bool isSaid = !llvm::all_of(dimensions, isOfEncoded);
  int64_t size =
      cast<ArrayType>(mine.array.getType()).getDimSize(mine.dimension);
  bool isFixed = !ShapedType::isDynamic(size);
  bool isWalk = loop->hasAttr("iteration");
  // A level knows that its variables are within it, unless they have a range.
  bool isOfLevel = llvm::any_of(dimensions, [&](ArrayDimension dimension) {
    return isa<ArrayType>(dimension.array.getType()) && !isOfEncoded(dimension);
  });
  if (isWalk || isOfLevel || (isSaid && !isFixed))
    return;
  enterAround();
  Value lower = builder.index(0);
  Value upper = isFixed ? builder.index(size)
                        : builder.extent(mine.array, mine.dimension);
  setRange(variable, lower, upper);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void EncodedAccesses::decode(EncodedAccess &mine) {
  RowDecoder &decoder = *mine.decoder;
  AccessOp access = mine.access;
  builder.setLoc(access.getLoc());
  auto replaceBy = [&](Value element) {
    access.getResult().replaceAllUsesWith(element);
    access.erase();
  };
  if (decoder.isScaled()) {
    Operation *point = findPoint(access, mine.row);
    auto &[scale, bias] = parameters[{access.getArray().getAsOpaquePointer(),
                                      mine.row.getAsOpaquePointer(), point}];
    if (!scale) {
      builder.setInsertionPoint(point);
      scale = decoder.scale(mine.row);
      bias = decoder.bias(mine.row);
    }
    builder.setInsertionPoint(access);
    Value integer = decoder.integer(mine.row, builder.asIndex(mine.column));
    replaceBy(builder.call("fma", {integer, scale, bias}, decoder.getType()));
    return;
  }
  builder.setInsertionPoint(access);
  Value column = builder.asIndex(mine.column);
  Value number = decoder.number(mine.row, column);
  if (decoder.hasBlockScales()) {
    Value block =
        builder.shiftRight(column, llvm::Log2_64(decoder.getBlockLength()));
    number = builder.call("mul", {number, decoder.blockScale(mine.row, block)},
                          decoder.getType());
  }
  replaceBy(number);
}

/// Whether `op` is an access of an encoded array of which coordinates are
/// stored, or of one that is dense.
static bool isEncoded(Operation *op, bool isListed) {
  auto access = dyn_cast<AccessOp>(op);
  AssembleOp array = access ? getEncoded(access) : AssembleOp();
  return array && array.getType().getFormat().isDense() != isListed;
}

void EncodedAccesses::run(bool areListed) {
  SmallVector<AccessOp> accesses;
  SmallVector<BlockArgument> variables;
  around.walk([&](Operation *op) {
    if (isEncoded(op, areListed))
      accesses.push_back(cast<AccessOp>(op));
    if (isa<ForallOp, ReduceOp>(op))
      llvm::append_range(variables, op->getRegion(0).getArguments());
  });
  for (AccessOp access : accesses) {
    if (access.getStored())
      normalizeQuestion(access);
    else if (areListed)
      normalizeListed(access);
    else
      normalize(access);
  }
  for (BlockArgument variable : variables)
    keepSizes(variable);
  factorRowSums(*this);
  splitIntoBlocks(*this);
  for (EncodedAccess &access : all)
    decode(access);
}

namespace {
struct ExpandEncodings
    : public ember::cin::impl::ExpandEncodingsBase<ExpandEncodings> {
  using ExpandEncodingsBase::ExpandEncodingsBase;

  void runOnOperation() override {
    SmallVector<ForallOp> statements;
    getOperation()->walk([&](EvaluateOp evaluate) {
      llvm::append_range(statements, evaluate.getRegion().getOps<ForallOp>());
    });
    for (ForallOp statement : statements) {
      for (bool areListed : {true, false}) {
        bool isRead = statement
                          .walk([&](Operation *op) {
                            return isEncoded(op, areListed)
                                       ? WalkResult::interrupt()
                                       : WalkResult::advance();
                          })
                          .wasInterrupted();
        if (isRead && (areListed || !listsOnly))
          EncodedAccesses(statement).run(areListed);
      }
    }
  }
};
} // namespace
