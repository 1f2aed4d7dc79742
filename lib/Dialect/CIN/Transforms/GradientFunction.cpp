//===- GradientFunction.cpp - The gradient of a function ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements are differentiated from the last one to the first: what is read
// of an array has the gradient of all that is computed from it by then. An
// assignment to a whole array ends what was computed from it before.
//
//===----------------------------------------------------------------------===//

#include "GradientFunction.h"
#include "ArrayVersions.h"
#include "Derivatives.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

GradientFunction::GradientFunction(func::FuncOp function, EvaluateOp evaluate,
                                   StringRef name, StringRef suffix,
                                   bool isOfGradient)
    : function(function), evaluate(evaluate), name(name), suffix(suffix),
      isOfGradient(isOfGradient), builder(function.getContext()) {
  numberStatements();
}

void GradientFunction::numberStatements() {
  statements.clear();
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    numbers[statement] = statements.size();
    statements.push_back(statement);
  }
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

TemporaryOp GradientFunction::makeLike(Value array, const Twine &name) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(marker);
  MemRefType type = getGradientArray(array);
  SmallVector<Value> sizes;
  if (auto temporary = array.getDefiningOp<TemporaryOp>()) {
    auto mine = getForward(temporary, nullptr).getDefiningOp<TemporaryOp>();
    llvm::append_range(sizes, mine.getSizes());
  } else {
    // What the caller gives is as large, and the array itself may be no
    // operand.
    Value given = adjoints.lookup(array).array;
    Value sized = given ? given : getForward(array, nullptr);
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
      if (type.isDynamicDim(dimension))
        sizes.push_back(ExtentOp::create(
            builder, array.getLoc(), builder.getIndexType(), sized, dimension));
  }
  return TemporaryOp::create(builder, array.getLoc(), type, sizes, TypedAttr(),
                             builder.getStringAttr(name));
}

Value GradientFunction::getForward(Value array, Operation *reader) {
  // What an access reads has to be what the array holds in the end.
  auto access = dyn_cast_if_present<AccessOp>(reader);
  if (access && access.getArray() == array)
    for (Operation *user : array.getUsers()) {
      auto assign = dyn_cast<AssignOp>(user);
      if (!assign || getNumber(assign) < getNumber(access))
        continue;
      access.emitError() << getName(array)
                         << " is assigned to after it is read here, and the "
                            "gradient needs what it was: assign to another "
                            "array";
      return {};
    }
  auto temporary = array.getDefiningOp<TemporaryOp>();
  if (auto scan = array.getDefiningOp<ScanOp>();
      scan && !forward.contains(array)) {
    scan.emitError("sums lengths that a statement assigns to: there is no "
                   "gradient of what is in segments of such lengths");
    return {};
  }
  if (!temporary)
    return forward.lookup(array);
  if (access)
    needed.insert(array);
  if (Value known = forward.lookupOrNull(array))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(marker);
  for (Value size : temporary.getSizes()) {
    auto build = [&](auto &self, Value value) -> void {
      Operation *op = value.getDefiningOp();
      if (!op || forward.contains(value))
        return;
      for (Value operand : op->getOperands())
        if (isNamedArray(operand))
          forward.map(operand, getForward(operand, nullptr));
        else
          self(self, operand);
      builder.clone(*op, forward);
    };
    build(build, size);
  }
  builder.clone(*temporary, forward);
  return forward.lookup(array);
}

Value GradientFunction::getAssigned(AssignOp assign) {
  Value array = assign.getArray();
  if (isa<ArrayType>(array.getType()))
    return {};
  for (Operation *user : array.getUsers())
    if (auto other = dyn_cast<AssignOp>(user);
        other && other != assign && getNumber(other) >= getNumber(assign))
      return {};
  if (array.getDefiningOp<TemporaryOp>())
    needed.insert(array);
  return getForward(array, nullptr);
}

Value GradientFunction::getLocating(AssembleOp array) {
  auto mine = getForward(array, nullptr).getDefiningOp<AssembleOp>();
  for (Operation *user : mine.getValues().getUsers())
    if (auto made = dyn_cast<AssembleOp>(user);
        made && made.getLocating() &&
        llvm::equal(made.getOperands(), mine.getOperands()))
      return made;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(mine);
  return makeLocating(builder, mine,
                      mine.getType().getFormat().getLevels().size());
}

Value GradientFunction::getWhole(Value array) {
  for (Value whole : wrt)
    if (auto assemble = whole.getDefiningOp<AssembleOp>();
        assemble && assemble.getValues() == array)
      return whole;
  return array;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void GradientFunction::findActive() {
  active.insert(wrt.begin(), wrt.end());
  // Gradients read values of arrays in formats where they are stored.
  for (Value array : wrt)
    if (auto assemble = array.getDefiningOp<AssembleOp>())
      active.insert(assemble.getValues());
  for (bool changed = true; changed;) {
    changed = false;
    for (ForallOp statement : statements) {
      if (findLeaves(statement).empty())
        continue;
      SmallVector<ForallOp> loops;
      changed |=
          active.insert(getAssignment(statement, loops).getArray()).second;
    }
  }
}

/// Whether a gradient may come to a value from where it is used.
static bool hasGradient(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    auto call = dyn_cast<CallOp>(user);
    if (call && call.getFunction().is("detach"))
      return false;
    return !call || hasGradient(call.getResult());
  });
}

llvm::SetVector<Value> GradientFunction::findLeaves(ForallOp statement) {
  llvm::SetVector<Value> leaves;
  statement.walk([&](Operation *op) {
    auto access = dyn_cast<AccessOp>(op);
    if (access && active.contains(access.getArray()) &&
        isa<FloatType>(access.getType()) && hasGradient(access))
      leaves.insert(access);
    for (Value operand : op->getOperands())
      if (isa<FloatType>(operand.getType()) && active.contains(operand))
        leaves.insert(operand);
  });
  return leaves;
}

GradientFunction::Adjoint &GradientFunction::own(Value array) {
  Adjoint &adjoint = adjoints[array];
  if (adjoint.isOwn)
    return adjoint;
  Value given = adjoint.array;
  Value mine = makeLike(array, getGradientName(array));
  adjoint.array = mine;
  adjoint.isOwn = true;
  if (!given)
    return adjoint;
  // What the caller gives is added to in a copy.
  int64_t rank = cast<ShapedType>(mine.getType()).getRank();
  auto copy = ForallOp::create(builder, array.getLoc(), ValueRange(),
                               ValueRange(), SmallVector<bool>(rank, false),
                               ArrayAttr(), IterationAttr());
  Block &block = copy.getRegion().emplaceBlock();
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    block.addArgument(builder.getIndexType(), array.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  Value element =
      AccessOp::create(builder, array.getLoc(), given, block.getArguments());
  AssignOp::create(builder, array.getLoc(), Attribute(), element, mine,
                   block.getArguments(), /*condition=*/Value(),
                   /*first=*/Value(), TypedAttr());
  return adjoint;
}

/// The constant that an index is; nothing if it is another one.
static std::optional<int64_t> getConstant(Value index) {
  auto apply = index ? index.getDefiningOp<ApplyOp>() : ApplyOp();
  auto constant = apply ? dyn_cast<AffineConstantExpr>(
                              AffineExpr(apply.getMap().getResult(0)))
                        : AffineConstantExpr();
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// The begin and the end of the values of an index, a variable of known range
/// that a number may be added to; nothing if it is another one.
static std::optional<std::pair<int64_t, int64_t>> getKnownRange(Value index) {
  int64_t offset = 0;
  if (auto apply = index.getDefiningOp<ApplyOp>();
      apply && apply.getOperands().size() == 1) {
    AffineExpr added = simplifyAffineExpr(
        apply.getMap().getResult(0) - getAffineDimExpr(0, apply.getContext()),
        /*numDims=*/1, /*numSymbols=*/0);
    auto constant = dyn_cast<AffineConstantExpr>(added);
    if (!constant)
      return std::nullopt;
    offset = constant.getValue();
    index = apply.getOperands().front();
  }
  auto variable = dyn_cast<BlockArgument>(index);
  if (!variable)
    return std::nullopt;
  auto [lower, upper] = getRange(variable);
  std::optional<int64_t> begin = getConstant(lower), end = getConstant(upper);
  if (!begin || !end)
    return std::nullopt;
  return std::pair(*begin + offset, *end + offset);
}

/// Whether assignments to an array surely have no element in common.
static bool areApart(AssignOp one, AssignOp other) {
  return llvm::any_of(
      llvm::zip_equal(one.getIndices(), other.getIndices()), [](auto indices) {
        auto [left, right] = indices;
        auto mine = getKnownRange(left), others = getKnownRange(right);
        return mine && others &&
               (mine->second <= others->first || others->second <= mine->first);
      });
}

LogicalResult GradientFunction::differentiate(ForallOp statement) {
  SmallVector<ForallOp> loops;
  AssignOp assign = getAssignment(statement, loops);
  Value array = assign.getArray();
  auto found = adjoints.find(array);
  if (found == adjoints.end() || !found->second.isStarted)
    return success();
  bool isWhole = assignsAll(assign);
  bool isPlain = !assign.isCombining();
  unsigned number = getNumber(statement);
  bool hasEarlier = llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto earlier = dyn_cast<AssignOp>(user);
    return earlier && getNumber(user) < number && !areApart(earlier, assign);
  });
  bool readsItself = false;
  statement.walk(
      [&](AccessOp access) { readsItself |= access.getArray() == array; });
  bool isCleared = isPlain && !isWhole && (hasEarlier || readsItself);
  if (isCleared || (!isPlain && readsItself))
    own(array);
  Value seed = adjoints[array].array;
  // What was there before has no part in it any more.
  if (isPlain && isWhole)
    adjoints[array] = {};
  llvm::SetVector<Value> leaves = findLeaves(statement);
  Function function = assign.getFunction();
  bool changesEarlier = llvm::any_of(array.getUsers(), [&](Operation *user) {
    return isa<AssignOp>(user) && getNumber(user) < number &&
           !findLeaves(cast<ForallOp>(getStatement(user))).empty();
  });
  bool chooses = function.is("max") || function.is("min");
  if (chooses && leaves.empty() && !changesEarlier)
    return success();
  if (chooses && hasEarlier)
    return assign.emitError()
           << "chooses among what is here and what another statement "
              "assigned: there is no gradient of that; assign a reduction";
  StatementGradient::Combination combination;
  if (chooses && failed(choose(statement, assign, combination)))
    return failure();
  bool multiplies = function.is("mul") && !leaves.empty() && !hasEarlier;
  if (multiplies && failed(multiply(statement, assign, combination)))
    return failure();
  StatementGradient gradient(builder, *this, functions, statement, seed,
                             combination);
  // Into what it is computed from last: it is read until then.
  auto isOfItself = [&](Value leaf) {
    auto access = leaf.getDefiningOp<AccessOp>();
    return access && access.getArray() == array;
  };
  SmallVector<Value> ordered;
  for (bool isLast : {false, true})
    for (Value leaf : leaves)
      if (isOfItself(leaf) == isLast)
        ordered.push_back(leaf);
  bool contributes = false;
  for (Value leaf : ordered) {
    auto access = leaf.getDefiningOp<AccessOp>();
    Value of = access ? getWhole(access.getArray()) : leaf;
    if (of.getDefiningOp<AssembleOp>() && isAssigned(of))
      return access.emitError()
             << getName(of)
             << " is in a format and is assigned to: there is "
                "no gradient through it";
    Adjoint &target = own(of);
    FailureOr<StatementGradient::Contribution> done =
        gradient.addTo(leaf, target.array, !target.isStarted);
    if (failed(done))
      return failure();
    using Contribution = StatementGradient::Contribution;
    if (*done == Contribution::none)
      continue;
    contributes = true;
    auto temporary = target.array.getDefiningOp<TemporaryOp>();
    if (*done == Contribution::added && !target.isStarted) {
      TypedAttr zero = getConstant(
          Constant::zero, getElementTypeOrSelf(target.array.getType()));
      if (temporary)
        temporary.setInitialAttr(zero);
      else
        made.setArgAttr(inputCount + *target.result, initialAttr, zero);
    }
    target.isStarted = true;
  }
  if (isPlain)
    return isCleared ? gradient.clear(adjoints[array].array) : success();
  // It changes what was assigned before, whatever it is computed from.
  if (contributes || !changesEarlier || function.is("add"))
    return success();
  if (function.is("mul"))
    return gradient.scale(own(array).array);
  return assign.emitError()
         << "what is combined by '" << function.getName()
         << "' has no derivative: " << getAlternative(function);
}

LogicalResult GradientFunction::recompute() {
  // Statements that assign to what is needed, and what these need.
  llvm::SetVector<Operation *> again;
  for (size_t known = 0; known != needed.size();) {
    known = needed.size();
    for (ForallOp statement : statements) {
      SmallVector<ForallOp> loops;
      AssignOp assign = getAssignment(statement, loops);
      if (!needed.contains(assign.getArray()) || !again.insert(statement))
        continue;
      bool isThere = true;
      statement.walk([&](AccessOp access) {
        // Its own elements are those of the same evaluation.
        bool isOwn = access.getArray() == assign.getArray();
        isThere &= isOwn || getForward(access.getArray(), access);
      });
      if (!isThere)
        return failure();
    }
  }
  builder.setInsertionPoint(marker);
  for (ForallOp statement : statements) {
    if (!again.contains(statement))
      continue;
    statement.walk([&](ExtentOp extent) {
      forward.map(extent.getArray(), getForward(extent.getArray(), nullptr));
    });
    IRMapping mapping = forward;
    builder.clone(*statement, mapping);
  }
  return success();
}

void GradientFunction::complete() {
  builder.setInsertionPointToEnd(gradients.getBody());
  for (Value array : wrt) {
    Adjoint &adjoint = adjoints[array];
    if (adjoint.isStarted)
      continue;
    int64_t rank = cast<ShapedType>(adjoint.array.getType()).getRank();
    auto clear = ForallOp::create(builder, array.getLoc(), ValueRange(),
                                  ValueRange(), SmallVector<bool>(rank, false),
                                  ArrayAttr(), IterationAttr());
    Block &block = clear.getRegion().emplaceBlock();
    for (int64_t dimension = 0; dimension < rank; ++dimension)
      block.addArgument(builder.getIndexType(), array.getLoc());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    TypedAttr zero = getConstant(Constant::zero,
                                 getElementTypeOrSelf(adjoint.array.getType()));
    Value value =
        LiteralOp::create(builder, array.getLoc(), zero.getType(), zero);
    AssignOp::create(builder, array.getLoc(), Attribute(), value, adjoint.array,
                     block.getArguments(), /*condition=*/Value(),
                     /*first=*/Value(), TypedAttr());
  }
}

FailureOr<func::FuncOp>
GradientFunction::build(ArrayRef<std::string> ofNames,
                        ArrayRef<std::string> wrtNames) {
  if (failed(readNames(ofNames, wrtNames)))
    return failure();
  findActive();
  for (ForallOp statement : llvm::reverse(statements))
    if (!findLeaves(statement).empty())
      splitProduct(function, evaluate, statement);
  numberStatements();
  findActive();
  createFunction();
  builder.setInsertionPointToEnd(gradients.getBody());
  for (ForallOp statement : llvm::reverse(statements))
    if (failed(differentiate(statement)))
      return failure();
  complete();
  if (failed(recompute()))
    return failure();
  if (failed(finish()))
    return failure();
  if (failed(verify(made)))
    return failure();
  for (auto statement : gradients.getRegion().getOps<ForallOp>())
    if (failed(verifyOwnReads(statement)))
      return failure();
  func::FuncOp result = made;
  made = {};
  return result;
}
