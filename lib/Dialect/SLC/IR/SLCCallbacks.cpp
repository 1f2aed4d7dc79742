//===- SLCCallbacks.cpp - Callbacks of the slc dialect --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ember::slc;

void CallbackOp::build(OpBuilder &builder, OperationState &state, Event event,
                       TypeRange resultTypes, Value mask,
                       ValueRange otherwise) {
  OpBuilder::InsertionGuard guard(builder);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.event = EventAttr::get(builder.getContext(), event);
  properties.operandSegmentSizes = {mask ? 1 : 0,
                                    static_cast<int32_t>(otherwise.size())};
  if (mask)
    state.addOperands(mask);
  state.addOperands(otherwise);
  state.addTypes(resultTypes);
  Region *region = state.addRegion();
  builder.createBlock(region);
  if (resultTypes.empty())
    ensureTerminator(*region, builder, state.location);
}

YieldOp CallbackOp::getYield() {
  return cast<YieldOp>(getBody()->getTerminator());
}

void CallbackOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getRegion());
  if (!point.isParent() || getMask())
    successors.emplace_back(getOperation(), getResults());
}

OperandRange CallbackOp::getEntrySuccessorOperands(RegionSuccessor successor) {
  OperandRange otherwise = getOtherwise();
  return successor.isParent() ? otherwise : otherwise.take_front(0);
}

void CallbackOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyEvent(getEvent());
  if (getMask())
    printer << " mask " << getMask() << " : " << getMask().getType();
  if (!getOtherwise().empty())
    printer << " else(" << getOtherwise() << ")";
  if (getNumResults())
    printer.printArrowTypeList(getResultTypes());
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"event", "operandSegmentSizes"});
}

ParseResult CallbackOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Event> event = symbolizeEvent(keyword);
  if (!event)
    return parser.emitError(loc, "expected an event: beg, ite or end, not '")
           << keyword << "'";
  auto &properties = result.getOrAddProperties<Properties>();
  properties.event = EventAttr::get(parser.getContext(), *event);
  bool isMasked = succeeded(parser.parseOptionalKeyword("mask"));
  OpAsmParser::UnresolvedOperand mask;
  StreamType maskType;
  if (isMasked && (parser.parseOperand(mask) || parser.parseColon() ||
                   parser.parseType(maskType) ||
                   parser.resolveOperand(mask, maskType, result.operands)))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> otherwise;
  SMLoc otherwiseLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("else")) &&
      parser.parseOperandList(otherwise, OpAsmParser::Delimiter::Paren))
    return failure();
  if (parser.parseOptionalArrowTypeList(result.types) ||
      (!otherwise.empty() &&
       parser.resolveOperands(otherwise, result.types, otherwiseLoc,
                              result.operands)))
    return failure();
  properties.operandSegmentSizes = {isMasked ? 1 : 0,
                                    static_cast<int32_t>(otherwise.size())};
  Region *region = result.addRegion();
  if (parser.parseRegion(*region) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  CallbackOp::ensureTerminator(*region, parser.getBuilder(), result.location);
  return success();
}

/// Where a callback stands must agree with the event that triggers it.
static LogicalResult verifyPosition(CallbackOp callback) {
  Operation *parent = callback->getParentOp();
  // Between choose-decoupling and convert-scf-to-slc, callbacks stand in
  // scf.for loops that are marked for the access unit.
  bool marked = isa<scf::ForOp>(parent) && parent->hasAttr("slc.decouple");
  if (marked)
    return success();
  auto loop = dyn_cast<LoopOpInterface>(parent);
  if (!loop)
    return callback.emitOpError("must stand in the body of a loop of the "
                                "access unit, not in '")
           << parent->getName() << "'";
  if (callback.getEvent() == Event::ite)
    return success();
  LoopOpInterface nested = getNestedLoop(loop);
  bool wantsBefore = callback.getEvent() == Event::beg;
  if (!nested || callback->isBeforeInBlock(nested) != wantsBefore)
    return callback.emitOpError("with event '")
           << stringifyEvent(callback.getEvent()) << "' must stand "
           << (wantsBefore ? "before" : "after")
           << " the loop nested in the same body";
  return success();
}

/// Where the mask is false, every result has another value, which the access
/// unit has nothing to do with.
static LogicalResult verifyOtherwise(CallbackOp callback) {
  size_t expected = callback.getMask() ? callback.getNumResults() : 0;
  if (callback.getOtherwise().size() != expected)
    return callback.emitOpError("has ")
           << callback.getOtherwise().size() << " values for 'else', but "
           << expected << " results that a mask leaves without one";
  TypeRange results(callback->getResultTypes());
  for (auto [i, value, result] :
       llvm::enumerate(callback.getOtherwise(), results.take_front(expected))) {
    if (value.getType() != result)
      return callback.emitOpError("result #")
             << i << " of type " << result << " is otherwise of type "
             << value.getType();
    if (isa<StreamType, BufferType>(value.getType()))
      return callback.emitOpError("result #")
             << i
             << " is otherwise a stream; results belong to the execute "
                "unit";
  }
  return success();
}

LogicalResult CallbackOp::verify() {
  if (failed(verifyPosition(*this)) || failed(::verifyOtherwise(*this)))
    return failure();
  if (getMask() && isFixedDuringNest(getMask(), *this))
    return emitOpError("has a mask from outside of the nest");
  return success();
}

Value ember::slc::getWhereTrue(Value value, Value mask) {
  while (auto choice = value.getDefiningOp<SelStrOp>()) {
    Value condition = choice.getCondition();
    auto negation = mask ? mask.getDefiningOp<AluStrOp>() : AluStrOp();
    bool isNegated = negation && negation.getOpcode() == AluOp::xor_ &&
                     matchPattern(negation.getRhs(), m_One()) &&
                     negation.getLhs() == condition;
    if (condition != mask && !isNegated)
      break;
    value = isNegated ? choice.getFalseValue() : choice.getTrueValue();
  }
  return value;
}

LoopPredicate ember::slc::getPredicate(LoopOpInterface loop) {
  LoopPredicate predicate{nullptr, true, loop.getUpperBound()};
  auto choice = loop.getUpperBound().getDefiningOp<SelStrOp>();
  if (!choice || lanesOf(choice.getResult().getType()))
    return predicate;
  auto isLower = [&](Value value) {
    std::optional<int64_t> constant = getConstantIntValue(value);
    return value == loop.getLowerBound() ||
           (constant && constant == getConstantIntValue(loop.getLowerBound()));
  };
  predicate.whereTrue = isLower(choice.getFalseValue());
  if (!predicate.whereTrue && !isLower(choice.getTrueValue()))
    return predicate;
  predicate.condition = choice.getCondition();
  predicate.end =
      predicate.whereTrue ? choice.getTrueValue() : choice.getFalseValue();
  return predicate;
}

bool ember::slc::isEmptyWithout(LoopOpInterface loop, Value mask) {
  LoopPredicate predicate = getPredicate(loop);
  return predicate.condition && predicate.end != loop.getUpperBound() &&
         getWhereTrue(loop.getUpperBound(), mask) == predicate.end;
}

/// `true`, in front of the nest around `op`.
static Value createTrue(OpBuilder &builder, Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(getNestRoot(op));
  return arith::ConstantOp::create(builder, op->getLoc(),
                                   builder.getBoolAttr(true));
}

Value ember::slc::createNegation(OpBuilder &builder, Value flag) {
  Block *block = flag.getParentBlock();
  for (Operation *user : flag.getUsers()) {
    auto alu = dyn_cast<AluStrOp>(user);
    if (alu && alu->getBlock() == block && alu.getOpcode() == AluOp::xor_ &&
        alu.getLhs() == flag && matchPattern(alu.getRhs(), m_One()))
      return alu;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(flag);
  return AluStrOp::create(builder, flag.getLoc(), flag.getType(), AluOp::xor_,
                          flag, createTrue(builder, block->getParentOp()));
}

void ember::slc::dropMask(CallbackOp callback) {
  if (!callback.getMask())
    return;
  Location loc = callback.getLoc();
  auto builder = OpBuilder::atBlockBegin(callback.getBody());
  Value flag = StrToValOp::create(builder, loc, callback.getMask());
  if (auto lanes = dyn_cast<VectorType>(flag.getType()))
    flag = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                       flag);
  // What reads streams stays in front of the branch.
  Operation *first = flag.getDefiningOp();
  for (auto read :
       llvm::make_early_inc_range(callback.getBody()->getOps<StrToValOp>()))
    if (read.getValue() != flag) {
      read->moveAfter(first);
      first = read;
    }
  YieldOp yield = callback.getYield();
  SmallVector<Value> results(yield.getOperands());
  auto branch = scf::IfOp::create(builder, loc, yield.getOperandTypes(), flag,
                                  /*withElseRegion=*/!results.empty());
  branch->moveAfter(first);
  Block *then = branch.thenBlock();
  then->getOperations().splice(
      then->begin(), callback.getBody()->getOperations(),
      std::next(branch->getIterator()), yield->getIterator());
  if (!results.empty()) {
    builder.setInsertionPointToEnd(then);
    scf::YieldOp::create(builder, loc, results);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, callback.getOtherwise());
    yield->setOperands(branch.getResults());
  }
  callback.getMaskMutable().clear();
  callback.getOtherwiseMutable().clear();
}

LogicalResult CallbackOp::verifyRegions() {
  WalkResult walk = getRegion().walk([&](Operation *op) {
    if (op->hasTrait<OfAccessUnit>() ||
        isa<LoopOpInterface, CallbackOp, SegmentStrOp>(op)) {
      op->emitOpError("belongs to the access unit and cannot stand in an "
                      "'slc.callback'");
      return WalkResult::interrupt();
    }
    if (isa<StrToValOp>(op))
      return WalkResult::advance();
    for (Value operand : op->getOperands())
      if (isa<StreamType, BufferType>(operand.getType())) {
        op->emitOpError("in an 'slc.callback' reads a stream; take its "
                        "element with 'slc.str_to_val' first");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

namespace {
/// A callback that neither acts nor produces anything costs a token for
/// nothing.
struct EraseEmptyCallback : OpRewritePattern<CallbackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CallbackOp callback,
                                PatternRewriter &rewriter) const override {
    if (!callback->use_empty() || !isMemoryEffectFree(callback))
      return failure();
    rewriter.eraseOp(callback);
    return success();
  }
};

/// Drops results nobody reads, so that they need no register in the execute
/// unit.
struct DropUnusedResults : OpRewritePattern<CallbackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CallbackOp callback,
                                PatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<Value> yielded, used, otherwise;
    for (auto [i, result, value] : llvm::enumerate(
             callback.getResults(), callback.getYield().getOperands())) {
      if (result.use_empty())
        continue;
      if (callback.getMask())
        otherwise.push_back(callback.getOtherwise()[i]);
      types.push_back(result.getType());
      yielded.push_back(value);
      used.push_back(result);
    }
    if (used.size() == callback.getNumResults())
      return failure();
    auto fewer =
        CallbackOp::create(rewriter, callback.getLoc(), callback.getEvent(),
                           types, callback.getMask(), otherwise);
    fewer->setDiscardableAttrs(callback->getDiscardableAttrDictionary());
    if (types.empty())
      rewriter.eraseOp(fewer.getYield());
    YieldOp yield = callback.getYield();
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    rewriter.mergeBlocks(callback.getBody(), fewer.getBody());
    for (auto [before, after] : llvm::zip_equal(used, fewer.getResults()))
      rewriter.replaceAllUsesWith(before, after);
    rewriter.eraseOp(callback);
    return success();
  }
};

/// Where the nested loop is gone, since it did nothing, what stood before and
/// after it is done in each iteration.
struct LoseNestedLoop : OpRewritePattern<CallbackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CallbackOp callback,
                                PatternRewriter &rewriter) const override {
    auto loop = dyn_cast<LoopOpInterface>(callback->getParentOp());
    if (!loop || callback.getEvent() == Event::ite || getNestedLoop(loop))
      return failure();
    rewriter.modifyOpInPlace(callback, [&] { callback.setEvent(Event::ite); });
    return success();
  }
};
} // namespace

void CallbackOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<EraseEmptyCallback, DropUnusedResults, LoseNestedLoop>(context);
}
