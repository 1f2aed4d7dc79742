//===- DLCProgram.cpp - Access and compute in one operation ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLCVerify.h"

#include "ember/Dialect/SLC/IR/CaptureSyntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::dlc;

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange results) {
  OpBuilder::InsertionGuard guard(builder);
  state.addTypes(results);
  Region *access = state.addRegion();
  builder.createBlock(access);
  ensureTerminator(*access, builder, state.location);
  builder.createBlock(state.addRegion());
}

ComputeLoopOp ProgramOp::getComputeLoop() {
  auto loops = getComputeBody()->getOps<ComputeLoopOp>();
  return loops.empty() ? ComputeLoopOp() : *loops.begin();
}

Value ember::dlc::getCaptured(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto program = argument
                     ? dyn_cast<ProgramOp>(argument.getOwner()->getParentOp())
                     : ProgramOp();
  return program ? program.getCaptures()[argument.getArgNumber()] : Value();
}

Value ProgramOp::getInCompute(OpBuilder &builder, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getComputeBody()->getArgument(argument.getArgNumber());
  return builder.clone(*value.getDefiningOp())->getResult(0);
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// A copy of the constant `outside` at the beginning of `region`.
static Value copyConstant(OpBuilder &builder, Value outside, Region &region) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&region.front());
  return builder.clone(*outside.getDefiningOp())->getResult(0);
}

void ProgramOp::captureUsedAbove() {
  OpBuilder builder(getContext());
  llvm::SetVector<Value> captured;
  for (Region &region : (*this)->getRegions()) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(region, used);
    for (Value value : used) {
      if (isConstant(value))
        replaceAllUsesInRegionWith(value, copyConstant(builder, value, region),
                                   region);
      else
        captured.insert(value);
    }
  }
  for (Region &region : (*this)->getRegions())
    for (Value value : captured)
      replaceAllUsesInRegionWith(
          value, region.addArgument(value.getType(), value.getLoc()), region);
  getCapturesMutable().append(captured.getArrayRef());
}

/// Replaces `op` by one of fewer `operands`, and without the results `dropped`.
static void replaceWithout(Operation *op, ValueRange operands,
                           const BitVector &dropped,
                           PatternRewriter &rewriter) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  SmallVector<Value> read;
  for (OpResult result : op->getResults())
    if (!dropped[result.getResultNumber()])
      read.push_back(result);
  state.addTypes(ValueRange(read).getTypes());
  for (unsigned i = 0, e = op->getNumRegions(); i != e; ++i)
    state.addRegion();
  Operation *fewer = rewriter.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), fewer->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.begin());
  for (auto [before, after] : llvm::zip_equal(read, fewer->getResults()))
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(op);
}

static BitVector getUnread(Operation *op) {
  BitVector unread(op->getNumResults());
  for (OpResult result : op->getResults())
    unread[result.getResultNumber()] = result.use_empty();
  return unread;
}

/// Drops registers that cases only hand on, if nothing reads what is left of
/// them.
LogicalResult ComputeLoopOp::canonicalize(ComputeLoopOp loop,
                                          PatternRewriter &rewriter) {
  BitVector dropped = getUnread(loop);
  for (Region &region : loop.getCaseRegions())
    for (BlockArgument argument : region.getArguments())
      for (OpOperand &use : argument.getUses())
        if (use.getOwner() != region.front().getTerminator() ||
            use.getOperandNumber() != argument.getArgNumber())
          dropped.reset(argument.getArgNumber());
  if (dropped.none())
    return failure();
  SmallVector<Value> inits;
  for (auto [number, init] : llvm::enumerate(loop.getIterArgs()))
    if (!dropped[number])
      inits.push_back(init);
  for (Region &region : loop.getCaseRegions()) {
    Operation *yield = region.front().getTerminator();
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(dropped); });
    rewriter.modifyOpInPlace(loop,
                             [&] { region.front().eraseArguments(dropped); });
  }
  replaceWithout(loop, inits, dropped, rewriter);
  return success();
}

LogicalResult ProgramOp::canonicalize(ProgramOp program,
                                      PatternRewriter &rewriter) {
  if (BitVector unread = getUnread(program); unread.any()) {
    Operation *yield = program.getComputeBody()->getTerminator();
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unread); });
    replaceWithout(program, program.getCaptures(), unread, rewriter);
    return success();
  }
  BitVector dropped(program.getCaptures().size());
  llvm::SmallDenseMap<Value, unsigned> first;
  for (auto [number, captured] : llvm::enumerate(program.getCaptures())) {
    auto [earlier, isFirst] = first.insert({captured, number});
    bool isUsed = false;
    for (Region &region : program->getRegions()) {
      Value inside = region.getArgument(number);
      if (!inside.use_empty() && isConstant(captured))
        rewriter.replaceAllUsesWith(inside,
                                    copyConstant(rewriter, captured, region));
      else if (!isFirst)
        rewriter.replaceAllUsesWith(inside,
                                    region.getArgument(earlier->second));
      isUsed |= !inside.use_empty();
    }
    dropped[number] = !isUsed;
  }
  if (dropped.none())
    return failure();
  rewriter.modifyOpInPlace(program, [&] {
    for (Region &region : program->getRegions())
      region.front().eraseArguments(dropped);
    program->eraseOperands(dropped);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

void ProgramOp::print(OpAsmPrinter &printer) {
  slc::printCaptures(printer, getAccess(), getCaptures());
  printer.shadowRegionArgs(getCompute(), getAccess().getArguments());
  if (getNumResults())
    printer << " -> (" << getResultTypes() << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "access ";
  printer.printRegion(getAccess(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
  printer.printNewline();
  printer << "compute ";
  printer.printRegion(getCompute(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> inside;
  if (slc::parseCaptures(parser, inside, result.operands) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (StringRef keyword : {"access", "compute"}) {
    Region *region = result.addRegion();
    if (parser.parseKeyword(keyword) ||
        parser.parseRegion(*region, inside, /*enableNameShadowing=*/true))
      return failure();
    ensureTerminator(*region, parser.getBuilder(), result.location);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

OperandRange ProgramOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getCaptures();
}

/// Both regions begin with the captures; behind the compute program come the
/// results.
void ProgramOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    for (Region &region : (*this)->getRegions())
      successors.emplace_back(&region, region.getArguments());
  else if (point.getTerminatorPredecessorOrNull()->getParentRegion() ==
           &getCompute())
    successors.emplace_back(getOperation(), getResults());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyArguments(ProgramOp program, Region &region,
                                     StringRef name) {
  if (region.getArgumentTypes() == program.getCaptures().getTypes())
    return success();
  return program.emitOpError("captures (")
         << program.getCaptures().getTypes() << "), but its " << name
         << " region takes (" << region.getArgumentTypes() << ")";
}

/// That there is an end at all is verified with the regions.
static Operation *getYield(Block *body) {
  return body->empty() ? nullptr : dyn_cast<YieldOp>(body->back());
}

/// What does not fit together is called by its name here, before interfaces ask
/// what flows where.
LogicalResult ProgramOp::verify() {
  if (failed(verifyArguments(*this, getAccess(), "access")) ||
      failed(verifyArguments(*this, getCompute(), "compute")))
    return failure();
  Operation *accessEnd = getYield(getAccessBody());
  if (accessEnd && accessEnd->getNumOperands())
    return accessEnd->emitOpError("yields a value of the access program; "
                                  "results come from the compute program");
  Operation *computeEnd = getYield(getComputeBody());
  if (!computeEnd || computeEnd->getOperandTypes() == getResultTypes())
    return success();
  return emitOpError("returns (")
         << getResultTypes() << ") but its compute region yields ("
         << computeEnd->getOperandTypes() << ")";
}

/// True for a constant that is no stream or unit, which have definitions.
static bool isPlainConstant(Operation &op) {
  return op.hasTrait<OpTrait::ConstantLike>() &&
         llvm::none_of(op.getResultTypes(),
                       llvm::IsaPred<TUType, ember::slc::StreamType>);
}

static LogicalResult verifyAccessRegion(ProgramOp program) {
  for (Operation &op : program.getAccessBody()->without_terminator())
    if (!op.hasTrait<OfAccessProgram>() && !isPlainConstant(op))
      return op.emitOpError("cannot stand in the access region of a program, "
                            "which holds traversal units, streams, "
                            "registrations and constants");
  return success();
}

static LogicalResult verifyComputeRegion(ProgramOp program) {
  auto loops =
      llvm::to_vector(program.getComputeBody()->getOps<ComputeLoopOp>());
  if (loops.empty())
    return program.emitOpError("needs a 'dlc.compute_loop' in its compute "
                               "region");
  if (loops.size() > 1)
    return loops[1].emitOpError("is the second one in its program");
  for (Operation &op : *program.getComputeBody())
    if (op.hasTrait<OfAccessProgram>())
      return op.emitOpError("cannot stand in the compute region of a program");
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  if (failed(verifyAccessRegion(*this)) || failed(verifyComputeRegion(*this)) ||
      failed(verifyAccess(*this)))
    return failure();
  return verifyCases(*this);
}

SmallVector<ProgramOp> ember::dlc::getNumberedPrograms(Operation *root) {
  SmallVector<ProgramOp> programs;
  root->walk<WalkOrder::PostOrder>(
      [&](ProgramOp program) { programs.push_back(program); });
  return programs;
}
