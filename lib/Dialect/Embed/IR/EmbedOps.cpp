//===- EmbedOps.cpp - Verification of embedding operations ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes that types fix must agree. Sizes known only at run time are checked by
// the code that operations are converted to.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Embed/IR/Embed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::embed;
using ember::cin::RowFormatAttr;

//===----------------------------------------------------------------------===//
// Functions in assembly
//===----------------------------------------------------------------------===//

static ParseResult parseCallee(OpAsmParser &parser, Attribute &callee) {
  return ember::cin::parseCallee(parser, callee);
}

static void printCallee(OpAsmPrinter &printer, Operation *, Attribute callee) {
  ember::cin::printCallee(printer, callee);
}

/// `mean`, which is no function, is a reduction without one.
static ParseResult parseCalleeOrMean(OpAsmParser &parser, Attribute &callee) {
  if (succeeded(parser.parseOptionalKeyword("mean")))
    return success();
  return ember::cin::parseCallee(parser, callee);
}

static void printCalleeOrMean(OpAsmPrinter &printer, Operation *,
                              Attribute callee) {
  if (callee)
    ember::cin::printCallee(printer, callee);
  else
    printer << "mean";
}

#define GET_OP_CLASSES
#include "ember/Dialect/Embed/IR/EmbedOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Rules of several operations
//===----------------------------------------------------------------------===//

/// Operands are where loops can load them: neither sparse nor laid out by a
/// map, and not where the result is written.
static LogicalResult verifyStorage(DestinationStyleOpInterface op) {
  Value init = op.getDpsInitOperand(0)->get();
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    if (tensor && tensor.getEncoding())
      return op->emitOpError()
             << "operand #" << number << " of type " << tensor
             << " is not dense; convert it to a tensor without encoding first";
    auto memref = dyn_cast<MemRefType>(operand.getType());
    if (memref && !memref.isStrided())
      return op->emitOpError()
             << "operand #" << number << " of type " << memref
             << " has a layout without strides; copy it to one with strides";
    if (memref && operand == init && number + 1 < op->getNumOperands())
      return op->emitOpError() << "operand #" << number
                               << " is also outs, which would be overwritten "
                                  "while it is read";
  }
  return success();
}

/// All on tensors, with results, or all on memrefs, without.
static LogicalResult verifyKinds(DestinationStyleOpInterface op) {
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return op->emitOpError("mixes tensors and memrefs; all must be the one or "
                           "the other");
  if (op->getNumResults() != (op.hasPureTensorSemantics() ? 1 : 0))
    return op->emitOpError(op->getNumResults() == 0
                               ? "on tensors has a result, of the type of outs"
                               : "on memrefs has no result");
  return verifyStorage(op);
}

static int64_t getSize(Value shaped, int64_t dim) {
  return cast<ShapedType>(shaped.getType()).getDimSize(dim);
}

/// Compares two sizes that types may fix.
static LogicalResult verifySizes(Operation *op, const Twine &what,
                                 int64_t actual, const Twine &expectedIs,
                                 int64_t expected) {
  if (ShapedType::isDynamic(actual) || ShapedType::isDynamic(expected) ||
      actual == expected)
    return success();
  return op->emitOpError() << what << " is " << actual << " but " << expectedIs
                           << " is " << expected;
}

/// Bytes need a format, values must not have one.
static LogicalResult verifyStoredRows(Operation *op, Value table,
                                      RowFormatAttr format) {
  bool isBytes =
      cast<ShapedType>(table.getType()).getElementType().isInteger(8);
  if (isBytes && !format)
    return op->emitOpError("has rows of bytes but no format that says what "
                           "they encode, such as #cin.row_format<int8, f32>");
  if (!isBytes && format)
    return op->emitOpError("has a format, so the table's elements must be "
                           "bytes (i8), not ")
           << cast<ShapedType>(table.getType()).getElementType();
  int64_t bytes = getSize(table, 1);
  if (format && ShapedType::isStatic(bytes) &&
      bytes < format.getLayout().parameterBytes(0))
    return op->emitOpError()
           << "has rows of " << bytes << " bytes, but scale and bias take "
           << format.getLayout().parameterBytes(0);
  return success();
}

/// The elements of a row of `table`; dynamic if unknown.
static int64_t getRowLength(Value table, RowFormatAttr format) {
  int64_t size = getSize(table, 1);
  if (!format || ShapedType::isDynamic(size))
    return size;
  // An odd number of half bytes looks like the next even one.
  return format.getLayout().longestRow(size);
}

/// The row length that `table` stores must be `length`.
static LogicalResult verifyRowLength(Operation *op, Value table,
                                     RowFormatAttr format, int64_t length) {
  int64_t size = getSize(table, 1);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(length))
    return success();
  int64_t expected = format ? format.getLayout().rowBytes(length) : length;
  return verifySizes(op, "the row of the table", size,
                     "what a row of outs needs", expected);
}

/// Edges: as many columns as values, and for coo as rows; for csr one position
/// more than rows of `out`.
static LogicalResult verifyGraph(Operation *op, GraphFormat graph, Value rows,
                                 Value columns, Value values, int64_t numRows) {
  int64_t edges = getSize(columns, 0);
  if (values && failed(verifySizes(op, "the number of values",
                                   getSize(values, 0), "that of edges", edges)))
    return failure();
  if (graph == GraphFormat::coo)
    return verifySizes(op, "the number of rows of edges", getSize(rows, 0),
                       "that of columns", edges);
  if (ShapedType::isDynamic(numRows))
    return success();
  return verifySizes(op, "the number of positions", getSize(rows, 0),
                     "that of rows, plus 1,", numRows + 1);
}

//===----------------------------------------------------------------------===//
// BagOp
//===----------------------------------------------------------------------===//

LogicalResult BagOp::verify() {
  if (failed(verifyKinds(*this)))
    return failure();
  if (getTables().empty())
    return emitOpError("needs at least one table");
  if (getWeights() && getReduction() == Reduction::max)
    return emitOpError("has weights, which scale the terms of a sum or mean, "
                       "but its reduction is max");
  if (!getPaddings().empty() && getPaddings().size() != getTables().size())
    return emitOpError() << "has " << getPaddings().size()
                         << " padding rows for " << getTables().size()
                         << " tables; it takes none or one a table";
  int64_t length = 0;
  for (Value table : getTables()) {
    if (failed(verifyStoredRows(*this, table, getFormatAttr())))
      return failure();
    int64_t size = getRowLength(table, getFormatAttr());
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(length))
      length = ShapedType::kDynamic;
    else if (llvm::AddOverflow(length, size, length))
      return emitOpError("has tables whose rows are more elements together "
                         "than 64 bits count");
    if (ShapedType::isDynamic(size) && getTables().size() > 1)
      return emitOpError("has several tables, so their rows must be of fixed "
                         "length: it says where in a row of outs each begins");
  }
  if (getTables().size() == 1) {
    if (failed(verifyRowLength(*this, getTables().front(), getFormatAttr(),
                               getSize(getInit(), 1))))
      return failure();
  } else if (failed(verifySizes(*this, "the row of outs", getSize(getInit(), 1),
                                "the sum of the tables' rows", length))) {
    return failure();
  }
  if (getWeights() &&
      failed(verifySizes(*this, "the number of weights",
                         getSize(getWeights(), 0), "that of indices",
                         getSize(getIndices(), 0))))
    return failure();
  int64_t bags = getSize(getInit(), 0);
  if (ShapedType::isDynamic(bags))
    return success();
  int64_t segments;
  if (llvm::MulOverflow(bags, static_cast<int64_t>(getTables().size()),
                        segments) ||
      segments == INT64_MAX)
    return emitOpError("has more bags than 64 bits count");
  return verifySizes(
      *this, "the number of " + stringifySegmentKind(getSegmentKind()).str(),
      getSize(getSegments(), 0), "that the bags need",
      segments + (getSegmentKind() == SegmentKind::offsets));
}

//===----------------------------------------------------------------------===//
// Graph operations
//===----------------------------------------------------------------------===//

LogicalResult SpMMOp::verify() {
  if (failed(verifyKinds(*this)) ||
      failed(verifyStoredRows(*this, getDense(), getFormatAttr())) ||
      failed(verifyRowLength(*this, getDense(), getFormatAttr(),
                             getSize(getInit(), 1))))
    return failure();
  return verifyGraph(*this, getGraph(), getRows(), getColumns(), getValues(),
                     getSize(getInit(), 0));
}

/// The two rows of an edge are combined element by element.
static LogicalResult verifyEnds(Operation *op, Value left, Value right) {
  return verifySizes(op, "the length of the left rows", getSize(left, 1),
                     "that of the right rows", getSize(right, 1));
}

/// A step computes in the type that the operation does: an error of `op` if its
/// function, where one is named, is not of so many values of that type.
static LogicalResult verifyStep(Operation *op, Attribute callee,
                                unsigned operands,
                                SymbolTableCollection &tables) {
  FailureOr<ember::cin::Function> function =
      ember::cin::findCallee(op, callee, tables);
  if (failed(function) || !*function)
    return LogicalResult(function);
  Type type = getComputeType(op->getOperandTypes());
  return function->verifyCall(op, SmallVector<Type>(operands, type), type);
}

template <typename OpTy>
static LogicalResult verifyEdgeSteps(OpTy op, SymbolTableCollection &tables) {
  return success(succeeded(verifyStep(op, op.getEdge(), 2, tables)) &&
                 succeeded(verifyStep(op, op.getTotalAttr(), 2, tables)) &&
                 succeeded(verifyStep(op, op.getActivationAttr(), 1, tables)));
}

LogicalResult SDDMMOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyEdgeSteps(*this, tables);
}

LogicalResult MessageOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyEdgeSteps(*this, tables)) ||
      failed(verifyStep(*this, getWeightingAttr(), 2, tables)))
    return failure();
  return verifyStep(*this, getReductionAttr(), 2, tables);
}

LogicalResult SDDMMOp::verify() {
  if (failed(verifyKinds(*this)) ||
      failed(verifyEnds(*this, getLeft(), getRight())) ||
      failed(verifyGraph(*this, getGraph(), getRows(), getColumns(),
                         getValues(), getSize(getLeft(), 0))))
    return failure();
  return verifySizes(*this, "the size of outs", getSize(getInit(), 0),
                     "the number of edges", getSize(getColumns(), 0));
}

LogicalResult MessageOp::verify() {
  if (failed(verifyKinds(*this)) ||
      failed(verifyEnds(*this, getLeft(), getRight())) ||
      failed(verifyGraph(*this, getGraph(), getRows(), getColumns(),
                         getValues(), getSize(getInit(), 0))) ||
      failed(verifySizes(*this, "the number of left rows",
                         getSize(getLeft(), 0), "that of rows of outs",
                         getSize(getInit(), 0))) ||
      failed(verifySizes(*this, "the number of right rows",
                         getSize(getRight(), 0), "that of messages",
                         getSize(getMessages(), 0))))
    return failure();
  if (getVector() && getTotal())
    return emitOpError("has a total of the elements of an edge, which vector "
                       "keeps apart");
  if (getVector() &&
      failed(verifySizes(*this, "the length of the left rows",
                         getSize(getLeft(), 1), "that of the messages",
                         getSize(getMessages(), 1))))
    return failure();
  return verifySizes(*this, "the row of outs", getSize(getInit(), 1),
                     "the row of messages", getSize(getMessages(), 1));
}

//===----------------------------------------------------------------------===//
// ScoreOp
//===----------------------------------------------------------------------===//

LogicalResult ScoreOp::verify() {
  if (failed(verifyKinds(*this)))
    return failure();
  ScoreModel model = getModel();
  bool hasNorm = model == ScoreModel::transe || model == ScoreModel::rotate;
  if (hasNorm != getNorm().has_value())
    return emitOpError() << stringifyScoreModel(model)
                         << (hasNorm ? " needs a norm, 1 or 2"
                                     : " has no norm");
  int64_t length = getSize(getEntities(), 1);
  bool isComplex = model == ScoreModel::complex || model == ScoreModel::rotate;
  if (isComplex && ShapedType::isStatic(length) && length % 2 != 0)
    return emitOpError() << "rows of complex numbers hold real and imaginary "
                            "parts, but have the odd length "
                         << length;
  if (model == ScoreModel::rotate && ShapedType::isStatic(length))
    length /= 2;
  if (failed(verifySizes(*this, "the length of the relations",
                         getSize(getRelations(), 1),
                         "what the entities ask for", length)) ||
      failed(verifySizes(*this, "the number of types", getSize(getTypes(), 0),
                         "that of heads", getSize(getHeads(), 0))) ||
      failed(verifySizes(*this, "the number of scores", getSize(getInit(), 0),
                         "that of heads", getSize(getHeads(), 0))))
    return failure();
  int64_t rank = cast<ShapedType>(getInit().getType()).getRank();
  if (rank != (getTails() ? 1 : 2))
    return emitOpError(getTails()
                           ? "outs must have one dimension, a score a triple"
                           : "without tails, outs must have two dimensions, a "
                             "score a triple and entity");
  if (getTails())
    return verifySizes(*this, "the number of tails", getSize(getTails(), 0),
                       "that of heads", getSize(getHeads(), 0));
  return verifySizes(*this, "the number of columns of outs",
                     getSize(getInit(), 1), "that of entities",
                     getSize(getEntities(), 0));
}

//===----------------------------------------------------------------------===//
// Block operations
//===----------------------------------------------------------------------===//

/// `actual` must be `count` blocks of `blockSize`.
static LogicalResult verifyBlocks(Operation *op, const Twine &what,
                                  int64_t actual, int64_t count,
                                  uint64_t blockSize) {
  if (ShapedType::isDynamic(count))
    return success();
  int64_t rows;
  if (llvm::MulOverflow(count, static_cast<int64_t>(blockSize), rows))
    return op->emitOpError() << "has " << count << " blocks of " << blockSize
                             << " rows, which are more than can be counted";
  return verifySizes(op, what, actual, "the number of rows in its blocks",
                     rows);
}

LogicalResult GatherOp::verify() {
  if (failed(verifyKinds(*this)) ||
      failed(verifyStoredRows(*this, getSource(), getFormatAttr())) ||
      failed(verifyRowLength(*this, getSource(), getFormatAttr(),
                             getSize(getInit(), 2))) ||
      failed(verifySizes(*this, "the first size of outs", getSize(getInit(), 0),
                         "that of blocks", getSize(getBlocks(), 0))))
    return failure();
  return verifyBlocks(*this, "the second size of outs", getSize(getInit(), 1),
                      getSize(getBlocks(), 1), getBlockSize());
}

LogicalResult BlockScoresOp::verify() {
  if (failed(verifyKinds(*this)) ||
      failed(verifySizes(*this, "the length of the queries",
                         getSize(getQueries(), 1), "that of the keys",
                         getSize(getKeys(), 1))) ||
      failed(verifySizes(*this, "the number of rows of outs",
                         getSize(getInit(), 0), "that of queries",
                         getSize(getQueries(), 0))) ||
      failed(verifyBlocks(*this, "the number of queries",
                          getSize(getQueries(), 0), getSize(getBlocks(), 0),
                          getBlockSize())))
    return failure();
  return verifyBlocks(*this, "the row of outs", getSize(getInit(), 1),
                      getSize(getBlocks(), 1), getBlockSize());
}

LogicalResult BlockValuesOp::verify() {
  if (failed(verifyKinds(*this)) ||
      failed(verifySizes(*this, "the row of outs", getSize(getInit(), 1),
                         "the row of values", getSize(getValues(), 1))) ||
      failed(verifySizes(*this, "the number of rows of outs",
                         getSize(getInit(), 0), "that of scores",
                         getSize(getScores(), 0))) ||
      failed(verifyBlocks(*this, "the number of rows of scores",
                          getSize(getScores(), 0), getSize(getBlocks(), 0),
                          getBlockSize())))
    return failure();
  return verifyBlocks(*this, "the row of scores", getSize(getScores(), 1),
                      getSize(getBlocks(), 1), getBlockSize());
}
