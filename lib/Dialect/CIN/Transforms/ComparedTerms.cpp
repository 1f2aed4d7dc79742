//===- ComparedTerms.cpp - Terms that a gradient compares -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a largest value looks for the terms that are equal to it.
//
//   y[i] = max[p in pos[i]:pos[i+1]](sum[d](X[i,d] * Y[p,d]))
//
// becomes
//
//   let t[p] = sum[d](X[i,d] * Y[p,d]) for i, p in pos[i]:pos[i+1]
//   y[i] = max[p in pos[i]:pos[i+1]](t[p])
//
// because sums of other loops are in another order, and products that are added
// may go into them unrounded.
//
//===----------------------------------------------------------------------===//

#include "ComparedTerms.h"
#include "ExpressionBuilder.h"
#include "Statement.h"
#include "StatementNest.h"

#include "ember/Dialect/CIN/Transforms/Shapes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ember::cin;

SmallVector<ReduceOp> ember::cin::findNest(ReduceOp reduce) {
  SmallVector<ReduceOp> nest = {reduce};
  while (auto outer = dyn_cast<ReduceOp>(nest.back()->getParentOp())) {
    ReduceOp inner = nest.back();
    if (!inner.getContinued() ||
        outer.getYield().getValue() != inner.getResult() ||
        outer.getCallee() != inner.getCallee() || outer.getOtherwise() ||
        inner.getOtherwise())
      break;
    nest.push_back(outer);
  }
  return nest;
}

static TemporaryOp getTemporary(Value element) {
  auto access = element.getDefiningOp<AccessOp>();
  return access ? access.getArray().getDefiningOp<TemporaryOp>()
                : TemporaryOp();
}

bool ember::cin::isKept(Value value) {
  TemporaryOp temporary = getTemporary(value);
  return temporary && temporary.getKept();
}

//===----------------------------------------------------------------------===//
// What is rounded in one way
//===----------------------------------------------------------------------===//

namespace {
class Repeatability {
public:
  bool of(Value value) {
    auto [place, isNew] = known.insert({value, true});
    if (isNew)
      known[value] = find(value);
    return known.lookup(value);
  }

private:
  bool find(Value value);
  bool ofCall(CallOp call);
  /// What statements assign to it: there is none of its elements elsewhere.
  bool ofTemporary(TemporaryOp temporary);
  bool ofReduction(ReduceOp reduce) {
    YieldOp yield = reduce.getYield();
    return of(yield.getValue()) &&
           (!yield.getCondition() || of(yield.getCondition()));
  }

  llvm::DenseMap<Value, bool> known;
};
} // namespace

static bool isProduct(Value value) {
  auto call = value.getDefiningOp<CallOp>();
  return call && call.getFunction().is("mul") &&
         isa<FloatType>(value.getType());
}

/// Whether any order of terms gives the same bits.
static bool isExact(Function function, Type type) {
  return !isa<FloatType>(type) || function.is("max") || function.is("min");
}

bool Repeatability::ofCall(CallOp call) {
  Function function = call.getFunction();
  // What users define may be made of anything.
  const Builtin *row = function.getBuiltin();
  bool isFloat = isa<FloatType>(call.getType());
  // In a sum around it, one instruction may do both.
  bool addsProduct = (function.is("add") || function.is("sub")) &&
                     llvm::any_of(call.getOperands(), isProduct);
  return row && (row->isRoundedOnce || !isFloat) && !addsProduct &&
         llvm::all_of(call.getOperands(),
                      [&](Value operand) { return of(operand); });
}

bool Repeatability::ofTemporary(TemporaryOp temporary) {
  return llvm::all_of(temporary->getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<AssignOp>(user);
    if (!assign || assign.getArray() != temporary)
      return true;
    bool isSum = assign.isCombining() &&
                 !isExact(assign.getFunction(), assign.getValue().getType());
    return !isSum && of(assign.getValue());
  });
}

bool Repeatability::find(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (TemporaryOp temporary = getTemporary(value))
    return ofTemporary(temporary);
  if (auto call = dyn_cast<CallOp>(op))
    return ofCall(call);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isExact(reduce.getFunction(), reduce.getType()) &&
           ofReduction(reduce);
  return true;
}

/// Whether evaluating `value` again, in other loops or in another kernel,
/// surely gives the same bits: nothing in it is added up, nor rounded as loops
/// see fit.
static bool isRepeatable(Value value) { return Repeatability().of(value); }

LogicalResult ember::cin::verifyCompared(Location location, Function function,
                                         Value term) {
  if (isKept(term) || isRepeatable(term))
    return success();
  StringRef reason =
      mayBeMissing(term)
          ? "some of them may be missing: 'coalesce' says what they are then"
          : "nothing says how many there are: assign them to a temporary "
            "first, 'let s[...] = ...'";
  return emitError(location)
         << "the gradient of '" << function.getName()
         << "' keeps the terms that it compares, and " << reason;
}

//===----------------------------------------------------------------------===//
// Temporaries
//===----------------------------------------------------------------------===//

namespace {
/// Puts one value of a statement in a temporary.
class KeptTerm {
public:
  /// `reader` is the operation that the value is the first operand of.
  KeptTerm(EvaluateOp evaluate, ForallOp statement, Operation *reader)
      : evaluate(evaluate), statement(statement), reader(reader),
        term(reader->getOperand(0)), builder(statement) {
    assign = getAssignment(statement, loops);
  }

  void keep();

private:
  /// The variables that the term, its conditions and their ranges depend on,
  /// each behind those that its range depends on.
  void findVariables();
  /// Makes `value` at the insertion point, of new variables.
  Value copy(Value value);
  /// A statement that assigns the term; its array has an index for each of the
  /// variables that indices have to tell.
  void buildStatement();
  void bind(BlockArgument variable);
  /// Gives a variable all positions of a dimension as its range.
  void setWholeRange(BlockArgument variable, ArrayDimension like);
  /// Gives their ranges to variables that index nothing any more.
  void setRanges();
  void dropIndices();
  /// Reads what is kept in place of the term.
  void replaceTerm();

  EvaluateOp evaluate;
  ForallOp statement;
  Operation *reader;
  Value term;
  OpBuilder builder;
  AssignOp assign;
  SmallVector<ForallOp> loops;
  SmallVector<Value> conditions;
  SmallVector<BlockArgument> variables, indices;
  IRMapping mapping;
  ForallOp made;
  AssignOp kept;
  TemporaryOp temporary;
};
} // namespace

void KeptTerm::findVariables() {
  SmallVector<BlockArgument> scope;
  for (ForallOp loop : loops)
    llvm::append_range(scope, loop.getVariables());
  SmallVector<ReduceOp> around;
  for (Operation *op = reader->getParentOp(); op != statement;
       op = op->getParentOp())
    if (auto reduce = dyn_cast<ReduceOp>(op))
      around.push_back(reduce);
  for (ReduceOp reduce : llvm::reverse(around))
    llvm::append_range(scope, reduce.getVariables());
  VariableUses uses;
  llvm::SmallPtrSet<Value, 8> needed;
  auto add = [&](Value value) {
    if (value)
      needed.insert(uses.of(value).begin(), uses.of(value).end());
  };
  add(term);
  llvm::for_each(conditions, add);
  // Ranges depend on variables in front.
  for (BlockArgument variable : llvm::reverse(scope)) {
    if (!needed.contains(variable))
      continue;
    auto [lower, upper] = getRange(variable);
    add(lower);
    add(upper);
    variables.push_back(variable);
  }
  std::reverse(variables.begin(), variables.end());
}

Value KeptTerm::copy(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !statement->isProperAncestor(op) || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  op->walk([&](Operation *part) {
    for (Value operand : part->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        (void)copy(operand);
  });
  return builder.clone(*op, mapping)->getResult(0);
}

void KeptTerm::bind(BlockArgument variable) {
  auto [lower, upper] = getRange(variable);
  SmallVector<Value> lowers, uppers;
  if (lower) {
    lowers.push_back(copy(lower));
    uppers.push_back(copy(upper));
  }
  auto forall = ForallOp::create(
      builder, term.getLoc(), lowers, uppers, ArrayRef<bool>{!!lower},
      builder.getStrArrayAttr(StringRef(getNameOf(variable))), IterationAttr());
  Block &block = forall.getRegion().emplaceBlock();
  mapping.map(variable,
              block.addArgument(variable.getType(), variable.getLoc()));
  indices.push_back(block.getArgument(0));
  builder.setInsertionPointToEnd(&block);
}

void KeptTerm::buildStatement() {
  made = ForallOp::create(builder, term.getLoc(), ValueRange(), ValueRange(),
                          ArrayRef<bool>(), ArrayAttr(), IterationAttr());
  builder.setInsertionPointToEnd(&made.getRegion().emplaceBlock());
  llvm::for_each(variables, [&](BlockArgument variable) { bind(variable); });
  Value condition;
  for (Value mine : conditions)
    condition =
        ExpressionBuilder(builder, term.getLoc()).both(condition, copy(mine));
  kept = AssignOp::create(builder, term.getLoc(), Attribute(), copy(term),
                          temporary, llvm::to_vector_of<Value>(indices),
                          condition, /*first=*/Value(), TypedAttr());
}

void KeptTerm::setWholeRange(BlockArgument variable, ArrayDimension like) {
  Location location = temporary.getLoc();
  builder.setInsertionPoint(variable.getOwner()->getParentOp());
  Value size = ExtentOp::create(builder, location, builder.getIndexType(),
                                like.array, like.dimension);
  Value zero =
      ExpressionBuilder(builder, location).number(0, builder.getIndexType());
  setRange(variable, zero, size);
}

void KeptTerm::setRanges() {
  for (auto [mine, theirs] : llvm::zip_equal(indices, variables)) {
    bool isIndex =
        llvm::any_of(getIndexedDimensions(mine), [&](ArrayDimension dimension) {
          return dimension.array != temporary;
        });
    if (getRange(mine).first || isIndex)
      continue;
    setWholeRange(mine, getIndexedDimensions(theirs).front());
  }
}

void KeptTerm::dropIndices() {
  ScopedDiagnosticHandler silent(evaluate.getContext(),
                                 [](Diagnostic &) { return success(); });
  for (size_t number = 0; number < indices.size();) {
    SmallVector<Value> others = llvm::to_vector_of<Value>(indices);
    others.erase(others.begin() + number);
    kept.getIndicesMutable().assign(others);
    if (failed(verifyDistinct(kept, ""))) {
      ++number;
      continue;
    }
    indices.erase(indices.begin() + number);
    variables.erase(variables.begin() + number);
  }
  kept.getIndicesMutable().assign(llvm::to_vector_of<Value>(indices));
}

void KeptTerm::replaceTerm() {
  // In reductions, the term may be all that says how many values they have.
  SmallVector<std::pair<BlockArgument, ArrayDimension>> reduced;
  for (auto reduce = dyn_cast<ReduceOp>(reader->getParentOp()); reduce;
       reduce = dyn_cast<ReduceOp>(reduce->getParentOp()))
    for (BlockArgument variable : reduce.getVariables())
      if (!getRange(variable).first)
        reduced.push_back({variable, getIndexedDimensions(variable).front()});
  builder.setInsertionPoint(reader);
  reader->setOperand(0, AccessOp::create(builder, term.getLoc(), temporary,
                                         llvm::to_vector_of<Value>(variables)));
  simplifyStatement(statement);
  for (auto [variable, like] : reduced)
    if (getIndexedDimensions(variable).empty())
      setWholeRange(variable, like);
}

void KeptTerm::keep() {
  conditions = getConditions(reader, assign);
  findVariables();
  OpBuilder declaration(statement);
  auto typeOf = [&] {
    SmallVector<int64_t> shape(indices.size(), ShapedType::kDynamic);
    return MemRefType::get(shape, term.getType());
  };
  temporary = TemporaryOp::create(
      declaration, term.getLoc(), typeOf(), ValueRange(), TypedAttr(),
      builder.getStringAttr(evaluate.getNameOf(assign.getArray()) + "_terms"),
      /*kept=*/true);
  buildStatement();
  setRanges();
  dropIndices();
  temporary.getResult().setType(typeOf());
  Room room = findRoom(evaluate, temporary);
  if (!llvm::all_of(room.largest,
                    [](auto &size) { return size.has_value(); })) {
    made->erase();
    temporary->erase();
    return;
  }
  declaration.setInsertionPoint(temporary);
  SmallVector<Value> sizes;
  for (std::optional<LinearSize> &largest : room.largest)
    sizes.push_back(makeSize(declaration, term.getLoc(), *largest));
  temporary.getSizesMutable().assign(sizes);
  if (room.initial)
    temporary.setInitialAttr(room.initial);
  replaceTerm();
  simplifyStatement(made);
  // Bounds of the outermost loop stand in the statement, too.
  Block &body = *made.getBody();
  if (llvm::hasSingleElement(body) && isa<ForallOp>(body.front())) {
    body.front().moveBefore(made);
    made->erase();
  }
}

void ember::cin::keepComparedTerms(EvaluateOp evaluate) {
  auto statements = llvm::to_vector(evaluate.getRegion().getOps<ForallOp>());
  for (ForallOp statement : statements) {
    SmallVector<ForallOp> loops;
    AssignOp assign = getAssignment(statement, loops);
    auto isCompared = [&](Operation *op, Function function) {
      Value term = op->getOperand(0);
      return (function.is("max") || function.is("min")) &&
             isa<FloatType>(term.getType()) && !isKept(term) &&
             !isRepeatable(term) && !mayBeMissing(term);
    };
    SmallVector<Operation *> readers;
    statement.walk([&](ReduceOp reduce) {
      YieldOp yield = reduce.getYield();
      auto inner = yield.getValue().getDefiningOp<ReduceOp>();
      bool isInNest = inner && findNest(inner).size() > 1;
      if (!isInNest && isCompared(yield, reduce.getFunction()))
        readers.push_back(yield);
    });
    if (isCompared(assign, assign.getFunction()))
      readers.push_back(assign);
    for (Operation *reader : readers) {
      if (TemporaryOp temporary = getTemporary(reader->getOperand(0)))
        temporary.setKept(true);
      else
        KeptTerm(evaluate, statement, reader).keep();
    }
  }
}
