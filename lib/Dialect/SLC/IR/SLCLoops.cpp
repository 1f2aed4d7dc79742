//===- SLCLoops.cpp - Loop nests of the slc dialect -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/LoopSyntax.h"
#include "ember/Dialect/SLC/IR/NestDialect.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LoopOpInterface ember::slc::getNestRoot(Operation *op) {
  LoopOpInterface root;
  for (; op; op = op->getParentOp())
    if (auto loop = dyn_cast<LoopOpInterface>(op))
      root = loop;
  return root;
}

LoopOpInterface ember::slc::getNestedLoop(LoopOpInterface loop) {
  for (Operation &op : *loop.getBody())
    if (auto nested = dyn_cast<LoopOpInterface>(op))
      return nested;
  return nullptr;
}

SmallVector<LoopOpInterface> ember::slc::getNestRoots(Operation *op) {
  SmallVector<LoopOpInterface> roots;
  op->walk<WalkOrder::PreOrder>([&](LoopOpInterface loop) {
    roots.push_back(loop);
    return WalkResult::skip();
  });
  return roots;
}

bool ember::slc::isFixedDuringNest(Value value, Operation *op) {
  LoopOpInterface root = getNestRoot(op);
  // A use before the definition may have none yet while the parser verifies.
  Region *region = value.getParentRegion();
  return !root || !region || !root->isAncestor(region->getParentOp());
}

LogicalResult ember::slc::verifyAccessOperands(Operation *op) {
  unsigned carried = 0;
  if (auto loop = dyn_cast<LoopOpInterface>(op))
    carried = loop.getIterArgs().size();
  for (OpOperand &operand : op->getOpOperands().drop_back(carried)) {
    Value value = operand.get();
    bool isStream = isa<StreamType, BufferType>(value.getType());
    if (isFixedDuringNest(value, op) != isStream)
      continue;
    if (isStream)
      return op->emitOpError("operand #")
             << operand.getOperandNumber()
             << " is a stream from outside of the nest";
    InFlightDiagnostic diagnostic =
        op->emitOpError("operand #")
        << operand.getOperandNumber()
        << " is a value of the execute unit, which the access unit cannot "
           "read; it must be a stream or be defined outside the nest";
    diagnostic.attachNote(value.getLoc()) << "defined here";
    return diagnostic;
  }
  return success();
}

static bool isNestElement(Operation &op) {
  Dialect *dialect = op.getDialect();
  return dialect && dialect->getRegisteredInterface<NestDialectInterface>();
}

LogicalResult ember::slc::verifyLoop(LoopOpInterface loop) {
  if (failed(verifyAccessOperands(loop)))
    return failure();
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return loop->emitOpError("step must be positive, but is ")
           << step.getSExtValue();

  SmallVector<Type> control = loop.getControlTypes();
  TypeRange arguments = loop.getBody()->getArgumentTypes();
  if (arguments.size() < control.size() ||
      arguments.take_front(control.size()) != TypeRange(control))
    return loop->emitOpError("has a body that takes (")
           << arguments << ") and not, first of all, (" << TypeRange(control)
           << ")";

  OperandRange inits = loop.getIterArgs();
  Operation *yield = loop.getYield();
  size_t count = inits.size();
  if (loop.getRegionIterArgs().size() != count ||
      loop->getNumResults() != count || yield->getNumOperands() != count)
    return loop->emitOpError("has ")
           << count << " iter_args, " << loop.getRegionIterArgs().size()
           << " loop-carried block arguments, " << yield->getNumOperands()
           << " yielded values and " << loop->getNumResults()
           << " results; all must be as many";
  for (auto [i, init, argument, yielded, result] :
       llvm::enumerate(inits, loop.getRegionIterArgs(), yield->getOperands(),
                       loop->getResults())) {
    Type type = init.getType();
    if (isa<StreamType, BufferType>(type))
      return loop->emitOpError("iter_arg #")
             << i << " is a stream; loop-carried values belong to the execute "
             << "unit";
    if (argument.getType() != type || yielded.getType() != type ||
        result.getType() != type)
      return loop->emitOpError("iter_arg #")
             << i << " of type " << type << " is carried as "
             << argument.getType() << ", yielded as " << yielded.getType()
             << " and returned as " << result.getType();
  }

  LoopOpInterface nested;
  for (Operation &op : *loop.getBody()) {
    if (!isNestElement(op)) {
      InFlightDiagnostic diagnostic = op.emitOpError(
          "cannot stand in the body of a loop of the access unit; compute "
          "code belongs in an 'slc.callback', values that do not change "
          "during the nest before it");
      diagnostic.attachNote(loop->getLoc()) << "the loop";
      return diagnostic;
    }
    auto inner = dyn_cast<LoopOpInterface>(op);
    if (!inner)
      continue;
    if (nested) {
      InFlightDiagnostic diagnostic = inner->emitOpError(
          "is the second loop at this level; a nest has one loop a level");
      diagnostic.attachNote(nested->getLoc()) << "the first";
      return diagnostic;
    }
    nested = inner;
  }
  return success();
}

void ember::slc::nameControl(LoopOpInterface loop, Region &region,
                             OpAsmSetValueNameFn setName) {
  constexpr StringLiteral names[] = {"s", "n", "mask"};
  auto control =
      region.getArguments().take_front(loop.getControlTypes().size());
  for (auto [argument, name] : llvm::zip(control, names))
    setName(argument, name);
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, Value lowerBound,
                  Value upperBound, Value step, ValueRange iterArgs) {
  state.addOperands({lowerBound, upperBound, step});
  auto indexStream = StreamType::get(builder.getIndexType());
  buildBody(builder, state, {indexStream, indexStream}, iterArgs);
}

SmallVector<Type> ForOp::getControlTypes() {
  Type stream = StreamType::get(Builder(getContext()).getIndexType());
  return {stream, stream};
}

/// Prints `%iv` or, where the iteration count is used, `(%iv, %count)`.
void ForOp::print(OpAsmPrinter &printer) {
  printer << " ";
  if (getIterationCount().use_empty()) {
    printer << getInductionVar();
  } else {
    printer << "(" << getInductionVar() << ", " << getIterationCount() << ")";
  }
  printer << " = ";
  printRange(printer, getLowerBound(), getUpperBound(), getStep());
  printIterArgs(printer, *this);
  printRangeTypes(printer, getLowerBound(), getUpperBound());
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getIterArgs().empty());
  printer.printOptionalAttrDict((*this)->getAttrs());
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type indexStream = StreamType::get(builder.getIndexType());
  OpAsmParser::Argument iv, count;
  bool named = succeeded(parser.parseOptionalLParen());
  if (parser.parseArgument(iv))
    return failure();
  if (named && (parser.parseComma() || parser.parseArgument(count) ||
                parser.parseRParen()))
    return failure();
  iv.type = count.type = indexStream;
  if (!named)
    count.ssaName.location = iv.ssaName.location;

  RangeSyntax range;
  IterArgsSyntax iterArgs;
  if (parser.parseEqual() || range.parseRange(parser) ||
      iterArgs.parseOptional(parser, result) ||
      range.parseOptionalTypes(parser) ||
      range.resolveRange(parser, result.operands) ||
      iterArgs.resolve(parser, result))
    return failure();

  return iterArgs.parseBody(parser, result, {iv, count}, /*isCounted=*/named);
}

namespace {
/// Removes loop-carried values that come back unchanged or that nobody reads.
struct DropInvariantIterArgs : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForOp loop,
                                PatternRewriter &rewriter) const override {
    Operation *yield = loop.getYield();
    SmallVector<unsigned> kept;
    llvm::BitVector dropped(loop->getNumOperands());
    for (unsigned i = 0, e = loop.getIterArgs().size(); i != e; ++i) {
      Value carried = loop.getRegionIterArgs()[i];
      bool unchanged = yield->getOperand(i) == carried;
      bool unread = carried.use_empty() && loop->getResult(i).use_empty();
      if (unchanged || unread)
        dropped.set(i);
      else
        kept.push_back(i);
    }
    if (dropped.none())
      return failure();

    SmallVector<Value> inits, yielded;
    for (unsigned i : kept) {
      inits.push_back(loop.getIterArgs()[i]);
      yielded.push_back(yield->getOperand(i));
    }
    auto shorter = ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
    shorter->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    SmallVector<Value> arguments(
        shorter.getBody()->getArguments().take_front(2));
    SmallVector<Value> results;
    for (unsigned i = 0, next = 0, e = loop.getIterArgs().size(); i != e; ++i) {
      bool drop = dropped.test(i);
      arguments.push_back(drop ? loop.getIterArgs()[i]
                               : shorter.getRegionIterArgs()[next]);
      results.push_back(drop ? loop.getIterArgs()[i]
                             : shorter->getResult(next));
      next += !drop;
    }
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    if (inits.empty())
      rewriter.eraseOp(shorter.getYield());
    rewriter.mergeBlocks(loop.getBody(), shorter.getBody(), arguments);
    rewriter.replaceOp(loop, results);
    return success();
  }
};
} // namespace

void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropInvariantIterArgs>(context);
}

LogicalResult YieldOp::verify() {
  if (isa<CallbackOp, LoopOpInterface>((*this)->getParentOp()))
    return success();
  return emitOpError("ends a loop of the access unit or an 'slc.callback'");
}
