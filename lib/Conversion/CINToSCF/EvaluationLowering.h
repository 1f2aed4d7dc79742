//===- EvaluationLowering.h - The loops of one evaluation -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_EVALUATIONLOWERING_H
#define EMBER_LIB_CONVERSION_CINTOSCF_EVALUATIONLOWERING_H

#include "AppendCode.h"
#include "IterationCode.h"
#include "WorkspaceCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace ember::cin {

/// Whether there are no loops in a loop.
bool isInnermost(mlir::Operation *loop);
/// Whether loops in a loop walk what several arrays store: such code is too
/// long to stand there several times.
bool mergesInside(mlir::Operation *loop);
/// Whether nothing that a loop over `fibers` computes at a coordinate can fail,
/// or look at anything else than an element of these: it may be done where it
/// is not needed.
bool isHarmless(mlir::Operation *loop, llvm::ArrayRef<Fiber> fibers);

/// Whether an operation may be emitted before any workspace is filled.
bool isKnownBefore(mlir::Operation &op);
/// Whether it is known how often `block` stores at most: what its loops range
/// over, and what they look up for it, is known before.
bool hasStoreBound(mlir::Block &block);

/// The loop that is all there is in `statement`, but for what is computed in
/// front of it; null if there is none.
ForallOp findOutermostLoop(ForallOp statement);

/// Emits the loops of one evaluation, in front of it.
class EvaluationLowering {
public:
  /// With `countsRows`, results may be counted before they are filled, where
  /// several threads do it; of these there are `mostThreads`, or any number
  /// if that is 0.
  EvaluationLowering(EvaluateOp evaluate, bool countsRows, int64_t mostThreads)
      : evaluate(evaluate), countsRows(countsRows), mostThreads(mostThreads),
        builder(evaluate.getLoc(), evaluate),
        levels(builder, [this](mlir::Value value) { return index(value); }) {}

  mlir::LogicalResult run();

private:
  /// Whether the evaluation assigns to an array: to one of the function's, or
  /// to a temporary.
  bool isResult(mlir::Value array);
  /// Compares the sizes of all dimensions that a variable is the index of.
  void checkExtents();
  /// `message` says what is wrong if two sizes differ, or that these are of
  /// `variable`, which is an index of the other one at `place`.
  void checkSizes(ArrayDimension first, ArrayDimension other,
                  llvm::function_ref<std::string()> message);
  void checkSizes(ArrayDimension first, ArrayDimension other,
                  llvm::StringRef variable, mlir::Location place);
  /// Compares what an array has stored below its outermost dense levels with
  /// what these need.
  void checkStorage(AssembleOp assemble);
  /// Has messages of the run name the arrays that store one as what they are,
  /// and rows that are looked up in them as rows of it.
  void nameParts(AssembleOp assemble);
  /// Of encoded values: that rows are as long as their elements need.
  void checkRows(AssembleOp assemble);
  /// The dimension of the function's that `dimension` is as long as.
  std::string describe(ArrayDimension dimension);
  mlir::Value size(ArrayDimension dimension);

  /// An error if a loop has to walk what has no order.
  mlir::LogicalResult checkOrder();
  void emit(mlir::Operation &op);
  void emit(AssembleOp assemble);
  /// How much a statement needs, where that is known without its loops; false
  /// if it is not, or nothing is counted.
  bool emitCounts(ForallOp statement);
  /// The loop in which a statement that counts appends to rows of its result,
  /// if how much it appends at most follows from how long what it walks is;
  /// null otherwise.
  ForallOp findRows(ForallOp statement);
  /// Adds up how much all rows need at most, and counts what they need if that
  /// is very much.
  void emitRowBounds(ForallOp statement, ForallOp rows);
  /// How often `block` stores to a workspace at most.
  mlir::Value emitStoreBound(mlir::Block &block);
  mlir::Value emitStoreBound(ForallOp forall);
  /// How many coordinates a loop comes to at most.
  mlir::Value emitVisitBound(ForallOp forall);
  /// The loops of a statement, with what arrays in a format are appended by.
  void emitStatement(ForallOp statement);
  /// Puts workspaces of what follows where loops of it stand.
  void beginLoops();
  /// Goes to where they are put.
  void goOutside();
  /// The loop over rows of what a statement appends to, if these can be filled
  /// at the same time; null otherwise.
  ForallOp findRowsApart(ForallOp statement);
  /// A statement around `rows`: loops that count each row and fill it, for
  /// several threads, and those that append; the run chooses.
  void emitRowsApart(ForallOp statement, ForallOp rows);
  /// Of a workspace, nothing but how large it is.
  void setExtents(WhereOp where);
  /// What fills and reads the workspace of a row, if that may be a table of
  /// the elements that the row has; null otherwise.
  WhereOp findHashed(ForallOp rows);
  /// Whether rows are so long, and have so few elements, that a table of these
  /// takes less than a place for each; and how often a row stores at most.
  /// `hasThreads`: whether several threads take rows with places.
  std::pair<mlir::Value, mlir::Value>
  emitHashChoice(ForallOp rows, WhereOp where, mlir::Value hasThreads);
  /// Emits loops with such tables where `condition` holds.
  void emitHashed(mlir::Value condition, mlir::Value most,
                  llvm::function_ref<void()> emitLoops);
  /// How large a workspace is that has a place for each element, by dimension.
  llvm::SmallVector<mlir::Value> roomOf(WhereOp where);
  /// Whether there are threads enough to count rows, and then to fill them.
  mlir::Value emitIsApart(ForallOp rows);
  /// One of these loops, from `lower` to `upper`.
  void emitRows(ForallOp rows, mlir::Value lower, mlir::Value upper,
                AppendCode::Mode mode);
  /// Counts what a workspace would have, for the loop that appends all of it;
  /// false if more is done with it.
  bool emitRowCount(WhereOp where);
  /// Memory for a temporary, with what it holds at first.
  void emit(TemporaryOp temporary);
  void emit(ScanOp scan);
  /// Fills the arrays that store a copy.
  void emit(RegroupOp regroup);
  /// Makes room for what was counted.
  void emit(ReserveOp reserve);
  /// The sizes of an array, and what messages call it.
  Storage describeStorage(AssembleOp assemble);
  /// How large a workspace is, by dimension.
  llvm::SmallVector<mlir::Value> sizesOf(WhereOp where);
  /// What messages call its dimensions: those that it is as large as, where it
  /// is as large as one.
  llvm::SmallVector<std::string> describeSizes(WhereOp where);
  mlir::Value allocate(mlir::MemRefType type, mlir::ValueRange sizes,
                       bool isScratch);
  void emit(ForallOp forall, unsigned variable);
  /// What a loop does at a value of a variable.
  void emitValue(ForallOp forall, unsigned variable, mlir::Value value);
  /// A loop over what arrays store.
  void emitWalk(ForallOp forall);
  /// What a loop appends one element of a list to, if that is all it assigns
  /// to; null otherwise.
  AppendCode *findOnlyAppend(ForallOp forall);
  /// Has `code`, the loops over the variable of `loop`, tell apart where
  /// functions that it calls have bodies of their own.
  void splitByCases(mlir::Operation *loop, IterationCode &code);
  /// What of the lists of an innermost merge is searched in place of merged.
  void chooseSearches(IterationCode &code);
  void emit(ApplyOp apply);
  /// Notes what a statement stores without gaps, if it does: nothing so far.
  void beginCompacted(ForallOp statement);
  /// A loop over the positions of what is stored without gaps.
  void emitCompacted(ForallOp forall);
  /// What such a loop does at a position; gives the place of the next one.
  mlir::Value emitCompacted(mlir::Block &block);
  /// The same where `condition` holds: with a branch only where it has to be.
  mlir::Value emitCompacted(mlir::Value condition, mlir::Operation &guarded,
                            llvm::function_ref<mlir::Value()> body);
  mlir::Value emitNextPlace();
  /// An error if what is stored without gaps is not in loops of that kind.
  mlir::LogicalResult checkCompacted();
  void emit(CallOp call);
  void emit(IfOp branch);
  void emit(WhereOp where);
  /// Outside of the loops that are emitted.
  void makeWorkspace(WhereOp where);
  void emit(AssignOp assign);
  /// What it does where its condition holds.
  void emitStored(AssignOp assign);
  /// The value itself where it is the first, and else what a function of users
  /// makes of it and of what was there before.
  mlir::Value emitUnlessFirst(AssignOp assign, Function function,
                              mlir::Value before, mlir::Value given);
  mlir::Value choose(mlir::Value isFirst, mlir::Value given,
                     mlir::Value combined);
  /// Of an array in a format.
  void emitStore(AssignOp assign, mlir::Value value);
  void emit(ReduceOp reduce);
  /// What terms are combined with: the value of those before and, of a function
  /// without an identity, whether there are any.
  using Combined = llvm::SmallVector<mlir::Value>;
  /// The loops of a reduction from `variable` on; what they begin with and
  /// what comes out.
  Combined emitReduction(ReduceOp reduce, unsigned variable,
                         const Combined &before);
  /// One over what arrays store.
  Combined emitWalk(ReduceOp reduce, const Combined &before);
  /// A sum with that of coordinates that are not visited; of each loop, how
  /// many, of which every combination counts.
  mlir::Value emitRest(ReduceOp reduce, mlir::Value sum,
                       llvm::ArrayRef<mlir::Value> counts);
  /// A product times `factor` to the power of all counts together.
  mlir::Value emitPower(mlir::Value product, mlir::TypedAttr factor,
                        llvm::ArrayRef<mlir::Value> counts);
  /// A term of a reduction, combined with what was there before.
  Combined emitTerm(ReduceOp reduce, const Combined &before);
  /// The same where `conditions` hold, one after the other.
  Combined emitTermWhere(ReduceOp reduce, const Combined &before,
                         llvm::ArrayRef<mlir::Value> conditions,
                         llvm::DenseSet<mlir::Operation *> &emitted);
  Combined combine(ReduceOp reduce, const Combined &before, mlir::Value term);
  /// Checks that a function without an identity has anything to combine.
  void checkAny(ReduceOp reduce, mlir::Value isAny);
  /// The coordinates by which an assignment appends.
  llvm::SmallVector<mlir::Value> getPlace(AssignOp assign) {
    auto type = llvm::cast<ArrayType>(assign.getArray().getType());
    return getCoordinates(type, assign.getIndices());
  }
  /// Those of them that a loop has bound.
  llvm::SmallVector<mlir::Value>
  getBound(llvm::ArrayRef<mlir::Value> coordinates);
  void emitAll(mlir::Block &block) {
    for (mlir::Operation &op : block)
      emit(op);
  }

  mlir::Value get(mlir::Value value) { return values.lookup(value); }
  mlir::Value index(mlir::Value value);
  llvm::SmallVector<mlir::Value> indices(mlir::OperandRange given) {
    return llvm::map_to_vector(given,
                               [&](mlir::Value value) { return index(value); });
  }
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, value);
  }
  template <typename OpT>
  std::pair<mlir::Value, mlir::Value> bounds(OpT op, unsigned variable) {
    return bounds(op.getLower(variable), op.getUpper(variable),
                  op.getVariables()[variable]);
  }
  /// The bounds of a variable with a range, and with none if these are null.
  std::pair<mlir::Value, mlir::Value>
  bounds(mlir::Value lower, mlir::Value upper, mlir::BlockArgument variable);

  EvaluateOp evaluate;
  bool countsRows;
  int64_t mostThreads;
  mlir::ImplicitLocOpBuilder builder;
  mlir::IRMapping values;
  /// Dimensions that are known to be of one size: those that were compared, and
  /// what follows from that.
  llvm::EquivalenceClasses<std::pair<mlir::Value, unsigned>> compared;
  /// Values as indices.
  llvm::DenseMap<mlir::Value, mlir::Value> casts;
  LevelCode levels;
  /// By array that is appended to.
  llvm::MapVector<mlir::Value, std::unique_ptr<AppendCode>> appended;
  /// By the name that producers have for them.
  llvm::DenseMap<mlir::Value, std::unique_ptr<WorkspaceCode>> workspaces;
  /// What has its workspace outside of the loops that are emitted.
  llvm::DenseSet<mlir::Operation *> ready;
  /// The memory of temporaries.
  llvm::SmallVector<mlir::Value> temporaries;
  /// The operation in front of the loops of a statement; null if there is none.
  mlir::Operation *before = nullptr;
  /// In front of what memory of workspaces is given back; null for behind the
  /// evaluation.
  mlir::Operation *lifetimeEnd = nullptr;
  /// What loops do with what is appended to.
  AppendCode::Mode mode = AppendCode::Mode::append;
  /// Where tables are used: how often a row stores at most; null elsewhere.
  mlir::Value hashedStores;
  /// Whether loops with tables have taken the place of those that follow; null
  /// if there are none.
  mlir::Value isHashed;
  /// What is stored without gaps by the loops that are emitted, and where its
  /// next position is.
  CompactOp compacted;
  mlir::Value nextPlace;
  /// The loop of which nothing but a bound is wanted.
  ForallOp bounded;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_EVALUATIONLOWERING_H
