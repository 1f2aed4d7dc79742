//===- SAMGraph.cpp - Graphs of blocks ------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/IR/SAM.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

RegionKind GraphOp::getRegionKind(unsigned) { return RegionKind::Graph; }

/// What `names` say, as far as they are words of assembly.
void GraphOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  auto names = (*this)->getAttrOfType<ArrayAttr>("names");
  if (!names)
    return;
  for (auto [argument, name] :
       llvm::zip(region.getArguments(), names.getAsRange<Attribute>()))
    if (auto text = dyn_cast<StringAttr>(name))
      setName(argument, text.getValue());
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `ins(%x = %a, %y = %b : T, U)`
static ParseResult parseNamed(OpAsmParser &parser, StringRef keyword,
                              SmallVectorImpl<OpAsmParser::Argument> &arguments,
                              OperationState &state, int32_t &count) {
  count = 0;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  size_t first = arguments.size();
  auto parseName = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseCommaSeparatedList(parseName) ||
      parser.parseColonTypeList(types) || parser.parseRParen() ||
      parser.resolveOperands(operands, types, loc, state.operands))
    return failure();
  for (auto [argument, type] :
       llvm::zip(llvm::drop_begin(arguments, first), types))
    argument.type = type;
  count = operands.size();
  return success();
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  int32_t inputs = 0, inits = 0;
  SmallVector<Type> results;
  if (parseNamed(parser, "ins", arguments, state, inputs) ||
      parseNamed(parser, "outs", arguments, state, inits) ||
      parser.parseOptionalArrowTypeList(results) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  if (state.regions.front()->empty()) {
    Block &block = state.regions.front()->emplaceBlock();
    for (const OpAsmParser::Argument &argument : arguments)
      block.addArgument(argument.type, state.location);
  }
  state.addTypes(results);
  state.addAttribute(getOperandSegmentSizesAttrName(state.name),
                     parser.getBuilder().getDenseI32ArrayAttr({inputs, inits}));
  return success();
}

static void printNamed(OpAsmPrinter &printer, StringRef keyword,
                       ValueRange arguments, OperandRange operands) {
  if (operands.empty())
    return;
  printer << " " << keyword << "(";
  llvm::interleaveComma(
      llvm::zip(arguments, operands), printer, [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << " : " << operands.getTypes() << ")";
}

void GraphOp::print(OpAsmPrinter &printer) {
  Block::BlockArgListType arguments = getBody()->getArguments();
  printNamed(printer, "ins", arguments.take_front(getInputs().size()),
             getInputs());
  printNamed(printer, "outs", arguments.drop_front(getInputs().size()),
             getInits());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizesAttrName()});
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult GraphOp::verify() {
  if (!llvm::equal(getResultTypes(), getInits().getTypes()))
    return emitOpError("has results of other types than its outs");
  Block *body = getBody();
  if (body->getNumArguments() != getNumOperands() ||
      !llvm::equal(body->getArgumentTypes(), getOperandTypes()))
    return emitOpError("has names of other types than its operands");
  for (BlockArgument argument : body->getArguments()) {
    std::string reason;
    if (!TensorFormat::of(argument.getType(), reason))
      return emitOpError() << "has the operand '" << getTensorName(argument)
                           << "', which " << reason;
  }
  return success();
}

LogicalResult ConvertOp::verify() {
  if (isa_and_nonnull<GraphOp>((*this)->getParentOp()))
    return emitOpError("stands within a graph, of which tensors are converted "
                       "before and behind it");
  if (getSource().getType().getShape() != getResult().getType().getShape() ||
      getSource().getType().getElementType() !=
          getResult().getType().getElementType())
    return emitOpError("changes more than the format of a tensor");
  for (Type type : {getSource().getType(), getResult().getType()}) {
    std::string reason;
    if (!TensorFormat::of(type, reason))
      return emitOpError() << "is of " << type << ", which " << reason;
  }
  return success();
}

namespace {
/// Blocks behind those that they take streams from.
class BlockOrder {
public:
  /// False if there is a cycle, which is then in `path`.
  bool visit(Operation *op) {
    auto [entry, isNew] = state.try_emplace(op, State::open);
    if (!isNew) {
      if (entry->second == State::closed)
        return true;
      path.erase(path.begin(), llvm::find(path, op));
      return false;
    }
    path.push_back(op);
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && !isa<SkipType>(operand.getType()) && !visit(producer))
        return false;
    }
    path.pop_back();
    state[op] = State::closed;
    order.push_back(op);
    return true;
  }

  SmallVector<Operation *> order, path;

private:
  enum class State : uint8_t { open, closed };
  llvm::DenseMap<Operation *, State> state;
};
} // namespace

LogicalResult GraphOp::verifyRegions() {
  for (Operation &op : *getBody())
    if (!isa<SAMDialect>(op.getDialect()))
      return op.emitOpError("is no block of a sam.graph");
  BlockOrder order;
  for (Operation &op : *getBody()) {
    if (order.visit(&op))
      continue;
    std::string names;
    for (Operation *block : llvm::reverse(order.path))
      names += block->getName().stripDialect().str() + ", ";
    names += order.path.back()->getName().stripDialect();
    return order.path.back()->emitOpError()
           << "waits for itself: a cycle without a stream that skips "
              "coordinates, ["
           << names << "]";
  }
  return success();
}

SmallVector<Operation *> GraphOp::getBlocksInOrder() {
  BlockOrder order;
  for (Operation &op : *getBody())
    order.visit(&op);
  return order.order;
}
