//===- Variables.cpp - What binds the variables of a statement ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionEmitter.h"
#include "Parser.h"
#include "ember/Dialect/CIN/Transforms/Shapes.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

LogicalResult ExpressionEmitter::emitSums(const Bindings &bindings) {
  for (const Binding &binding : bindings.variables) {
    if (!binding.length || scans.contains(binding.length->name))
      continue;
    const Expression &length = *binding.length;
    Value lengths = getArray(length.name);
    if (isa<ArrayType>(lengths.getType()))
      return emitErrorAt(builder.getContext(), length.position)
             << "'" << length.name
             << "' has lengths of segments, and is in a format: lengths are "
                "added up in a dense array";
    int64_t count = cast<ShapedType>(lengths.getType()).getDimSize(0);
    if (!ShapedType::isDynamic(count))
      ++count;
    auto type = MemRefType::get({count}, builder.getI64Type());
    scans[length.name] =
        ScanOp::create(builder, at(length.position), type, lengths,
                       /*within=*/Value());
  }
  return success();
}

LogicalResult ExpressionEmitter::prepare(const Statement &statement) {
  if (failed(emitSums(statement.bindings)))
    return failure();
  LogicalResult result = success();
  walkStatement(statement, [&](const Expression &part, bool) {
    if (succeeded(result))
      result = emitSums(part.bindings);
  });
  if (failed(result))
    return failure();
  slices.clear();
  return success(succeeded(addSlices(*statement.target)) &&
                 succeeded(addSlices(*statement.value)));
}

/// Calls `visit` for each access in `expression`, with the variables that are
/// bound around it in there.
static void walkAccesses(const Expression &expression,
                         SmallVectorImpl<StringRef> &around,
                         llvm::function_ref<void(const Expression &)> visit) {
  size_t outside = around.size();
  // Bounds know the variables beside theirs, too.
  for (const Binding &binding : expression.bindings.variables)
    around.push_back(binding.variable);
  if (expression.kind == Kind::access)
    visit(expression);
  for (const ExpressionPtr &operand : expression.operands)
    if (operand)
      walkAccesses(*operand, around, visit);
  for (const Binding &binding : expression.bindings.variables)
    binding.visit(
        [&](const Expression &part) { walkAccesses(part, around, visit); });
  if (expression.bindings.condition)
    walkAccesses(*expression.bindings.condition, around, visit);
  around.truncate(outside);
}

std::optional<int64_t> ExpressionEmitter::getLength(const Expression &slice) {
  const Expression *parts[] = {slice.operands[0].get(),
                               slice.operands[2].get()};
  std::optional<int64_t> lower = parts[0] ? getInteger(parts[0]) : 0;
  std::optional<int64_t> upper = getInteger(slice.operands[1].get());
  std::optional<int64_t> step = parts[1] ? getInteger(parts[1]) : 1;
  if (!lower || !upper || !step || *lower < 0 || *step <= 0)
    return std::nullopt;
  return *upper <= *lower ? 0 : llvm::divideCeil(*upper - *lower, *step);
}

LogicalResult ExpressionEmitter::addSlices(const Expression &expression,
                                           const Bindings *mine) {
  auto isMine = [&](StringRef variable) {
    return !mine || llvm::any_of(mine->variables, [&](const Binding &binding) {
      return binding.variable == variable;
    });
  };
  LogicalResult result = success();
  SmallVector<StringRef> around;
  walkAccesses(expression, around, [&](const Expression &access) {
    for (auto [dimension, index] : llvm::enumerate(access.operands)) {
      if (index->kind != Kind::slice || !isMine(index->name) ||
          llvm::is_contained(around, index->name))
        continue;
      Slice slice{index.get(), &access, static_cast<unsigned>(dimension)};
      const Expression &first =
          *slices.try_emplace(index->name, slice).first->second.slice;
      std::optional<int64_t> length = getLength(*index);
      std::optional<int64_t> known = getLength(first);
      if (failed(result) || !length || !known || *length == *known)
        continue;
      InFlightDiagnostic error =
          emitErrorAt(builder.getContext(), index->position)
          << "'" << index->name << "' has " << *length
          << (*length == 1 ? " position" : " positions")
          << " in this slice, and " << *known << " in another one";
      error.attachNote(at(first.position)) << "the other";
      result = error;
    }
  });
  return result;
}

FailureOr<Operand>
ExpressionEmitter::emitWrittenReduction(const Expression &reduction) {
  const Bindings &mine = reduction.bindings;
  llvm::StringMap<Slice> outside = slices;
  auto leave = llvm::scope_exit([&] { slices = std::move(outside); });
  SmallVector<const Binding *> bindings;
  for (const Binding &binding : mine.variables) {
    bindings.push_back(&binding);
    slices.erase(binding.variable);
  }
  const Expression &value = *reduction.operands.front();
  if (failed(addSlices(value, &mine)) ||
      (mine.condition && failed(addSlices(*mine.condition, &mine))))
    return failure();
  return emitReduction(reduction.function, bindings, mine.condition.get(),
                       value, reduction.position);
}

FailureOr<Value> ExpressionEmitter::emitLength(const Expression &slice,
                                               const Expression &access,
                                               unsigned dimension) {
  MLIRContext *context = builder.getContext();
  const Expression *stepGiven = slice.operands[2].get();
  std::optional<int64_t> step = getInteger(stepGiven);
  if (stepGiven && (!step || *step <= 0)) {
    emitErrorAt(context, stepGiven->position)
        << "the step of a slice is a positive number";
    return failure();
  }
  SmallVector<Value> operands;
  FailureOr<AffineExpr> lower = getAffineConstantExpr(0, context);
  FailureOr<AffineExpr> upper = failure();
  if (slice.operands[0])
    lower = makeAffine(*slice.operands[0], operands);
  if (slice.operands[1]) {
    upper = makeAffine(*slice.operands[1], operands);
  } else {
    Value extent =
        ExtentOp::create(builder, at(slice.position), builder.getIndexType(),
                         getArray(access.name), dimension);
    operands.push_back(extent);
    upper = getAffineDimExpr(operands.size() - 1, context);
  }
  if (failed(lower) || failed(upper))
    return failure();
  if (!*lower || !*upper) {
    emitErrorAt(context, slice.position)
        << "the bounds of a slice are affine expressions";
    return failure();
  }
  for (AffineExpr bound : {*lower, *upper}) {
    auto number = dyn_cast<AffineConstantExpr>(bound);
    if (number && number.getValue() < 0) {
      emitErrorAt(context, slice.position)
          << "the bounds of a slice count from the beginning, and "
          << number.getValue() << " is before it";
      return failure();
    }
  }
  AffineExpr length = (*upper - *lower).ceilDiv(step.value_or(1));
  return ApplyOp::create(builder, at(slice.position), builder.getIndexType(),
                         AffineMap::get(operands.size(), 0, length), operands)
      .getResult();
}

Value ExpressionEmitter::makeIndex(Position position, int64_t number) {
  return LiteralOp::create(builder, at(position), builder.getIndexType(),
                           builder.getIndexAttr(number));
}

FailureOr<std::pair<Value, Value>>
ExpressionEmitter::emitSegment(const Expression &length) {
  FailureOr<Value> number = emitIndex(*length.operands.front());
  if (failed(number))
    return failure();
  Value sums = scans.lookup(length.name);
  AffineExpr first = getAffineDimExpr(0, builder.getContext());
  Value next =
      ApplyOp::create(builder, at(length.position), builder.getIndexType(),
                      AffineMap::get(1, 0, first + 1), *number);
  auto access = [&](Value place) -> Value {
    return AccessOp::create(builder, at(length.position), sums, place);
  };
  return std::pair(access(*number), access(next));
}

FailureOr<ExpressionEmitter::Ranges>
ExpressionEmitter::emitRanges(ArrayRef<const Binding *> bindings) {
  Ranges ranges;
  for (const Binding *binding : bindings) {
    ranges.names.push_back(binding->variable);
    auto slice = slices.find(binding->variable);
    FailureOr<Value> lower = failure(), upper = failure();
    auto extent = extents.find(binding->variable);
    if (binding->length) {
      FailureOr<std::pair<Value, Value>> segment =
          emitSegment(*binding->length);
      if (failed(segment))
        return failure();
      std::tie(lower, upper) = *segment;
    } else if (binding->lower) {
      lower = emitIndex(*binding->lower);
      upper = failed(lower) ? lower : emitIndex(*binding->upper);
    } else if (slice != slices.end()) {
      lower = makeIndex(binding->position, 0);
      const Slice &given = slice->second;
      upper = emitLength(*given.slice, *given.access, given.dimension);
    } else if (extent != extents.end()) {
      lower = makeIndex(binding->position, 0);
      upper = ExtentOp::create(builder, at(binding->position),
                               builder.getIndexType(), extent->second.array,
                               extent->second.dimension)
                  .getResult();
    } else {
      ranges.ranged.push_back(false);
      continue;
    }
    if (failed(lower) || failed(upper))
      return failure();
    ranges.ranged.push_back(true);
    ranges.lowers.push_back(*lower);
    ranges.uppers.push_back(*upper);
  }
  return std::move(ranges);
}

void ExpressionEmitter::bind(ArrayRef<const Binding *> bindings, Block &block) {
  for (const Binding *binding : bindings)
    bound[binding->variable].push_back(
        block.addArgument(builder.getIndexType(), at(binding->position)));
}

void ExpressionEmitter::unbind(ArrayRef<const Binding *> bindings) {
  for (const Binding *binding : bindings)
    bound[binding->variable].pop_back();
}

LogicalResult
ExpressionEmitter::emitForall(ArrayRef<const Binding *> bindings,
                              Position position,
                              llvm::function_ref<LogicalResult()> body) {
  // Bounds are expressions, which stand in a statement.
  bool hasRanges = llvm::any_of(bindings, [&](const Binding *binding) {
    return binding->hasRange() || slices.contains(binding->variable) ||
           extents.contains(binding->variable);
  });
  bool isOutermost = isa<EvaluateOp>(builder.getBlock()->getParentOp());
  OpBuilder::InsertionGuard guard(builder);
  if (hasRanges && isOutermost) {
    auto around =
        ForallOp::create(builder, at(position), ValueRange(), ValueRange(),
                         ArrayRef<bool>(), ArrayAttr(), IterationAttr());
    builder.setInsertionPointToEnd(&around.getRegion().emplaceBlock());
  }
  FailureOr<Ranges> ranges = emitRanges(bindings);
  if (failed(ranges))
    return failure();
  auto forall = ForallOp::create(
      builder, at(position), ranges->lowers, ranges->uppers, ranges->ranged,
      builder.getStrArrayAttr(ranges->names), IterationAttr());
  Block &block = forall.getRegion().emplaceBlock();
  bind(bindings, block);
  builder.setInsertionPointToEnd(&block);
  LogicalResult result = body();
  unbind(bindings);
  return result;
}

bool ExpressionEmitter::depends(const Binding &binding,
                                StringRef variable) const {
  bool found = false;
  binding.visit([&](const Expression &part) {
    found |= llvm::is_contained(findFreeVariables(part, variables), variable);
  });
  return found;
}

ReduceOp ExpressionEmitter::rangeShifted(ReduceOp reduce) {
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  bool isChanged = false;
  for (BlockArgument variable : reduce.getVariables()) {
    unsigned number = variable.getArgNumber();
    Value lower = reduce.getLower(number), upper = reduce.getUpper(number);
    if (!upper && getIndexedDimensions(variable).empty())
      if (std::optional<LinearSize> largest = findLargestValue(variable)) {
        lower = makeIndex(Position(), 0);
        upper = makeSize(builder, reduce.getLoc(), *largest);
        isChanged = true;
      }
    ranged.push_back(upper != nullptr);
    if (!upper)
      continue;
    lowers.push_back(lower);
    uppers.push_back(upper);
  }
  if (!isChanged)
    return reduce;
  auto made = ReduceOp::create(builder, reduce.getLoc(), reduce.getType(),
                               lowers, uppers, ranged, reduce.getNamesAttr(),
                               IterationAttr(), reduce.getCallee(),
                               /*rest=*/TypedAttr(), reduce.getOtherwiseAttr());
  made.getRegion().takeBody(reduce.getRegion());
  reduce.erase();
  return made;
}

FailureOr<Operand> ExpressionEmitter::emitReduction(
    Function function, ArrayRef<const Binding *> bindings,
    const Expression *condition, const Expression &value, Position position) {
  // A range may depend on variables before its own: one reduction in the other.
  size_t count = 1;
  auto dependsOnMine = [&](const Binding *later) {
    return llvm::any_of(bindings.take_front(count), [&](const Binding *mine) {
      return depends(*later, mine->variable);
    });
  };
  while (count < bindings.size() && !dependsOnMine(bindings[count]))
    ++count;
  ArrayRef<const Binding *> mine = bindings.take_front(count);
  ArrayRef<const Binding *> others = bindings.drop_front(count);
  if (!others.empty() && isOrdered(function)) {
    emitErrorAt(builder.getContext(), position)
        << "'larger' reduces over variables whose ranges depend on none of "
           "each other";
    return failure();
  }
  FailureOr<Ranges> ranges = emitRanges(mine);
  if (failed(ranges))
    return failure();
  // The result's type follows from the body's.
  Region region;
  Block &block = region.emplaceBlock();
  OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(&block);
  bind(mine, block);
  Value holds;
  FailureOr<Operand> term = failure();
  if (!others.empty()) {
    term = emitReduction(function, others, condition, value, position);
    if (succeeded(term))
      term->value.getDefiningOp<ReduceOp>().setContinued(true);
  } else {
    term = emit(value);
    if (condition && succeeded(term)) {
      FailureOr<Operand> given = emit(*condition);
      if (failed(given))
        term = failure();
      else
        holds = convert(*given, builder.getI1Type());
    }
  }
  unbind(mine);
  if (failed(term)) {
    builder.restoreInsertionPoint(outside);
    return failure();
  }
  TypedFunction typed =
      chooseReduction(function, term->getType(), builder.getContext());
  Type type = typed.result;
  if (!function.getBuiltin() && failed(checkHolds(*term, type, function))) {
    builder.restoreInsertionPoint(outside);
    return failure();
  }
  if (failed(checkFits(*term, type))) {
    builder.restoreInsertionPoint(outside);
    return failure();
  }
  Value converted = convert(*term, type);
  YieldOp::create(builder, at(position), converted, holds);
  builder.restoreInsertionPoint(outside);
  auto reduce = ReduceOp::create(
      builder, at(position), type, ranges->lowers, ranges->uppers,
      ranges->ranged, builder.getStrArrayAttr(ranges->names), IterationAttr(),
      typed.function.getCallee(builder.getContext()), /*rest=*/TypedAttr(),
      isOrdered(function) ? builder.getZeroAttr(type) : TypedAttr());
  reduce.getRegion().takeBody(region);
  return Operand{.value = rangeShifted(reduce), .position = position};
}
