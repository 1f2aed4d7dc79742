//===- TMUProgram.cpp - A configuration and what runs beside it -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Dialect/SLC/IR/CaptureSyntax.h"
#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace ember;
using namespace ember::tmu;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

void ProgramOp::print(OpAsmPrinter &printer) {
  ember::slc::printCaptures(printer, getConfiguration(), getCaptures());
  printer << " compute " << getComputeAttr() << "(";
  if (!getComputeArgs().empty())
    printer << getComputeArgs() << " : " << getComputeArgs().getTypes();
  printer << ")";
  if (getNumResults())
    printer << " -> (" << getResultTypes() << ")";
  if (MachineAttr machine = getMachineAttr()) {
    printer << " machine ";
    printer.printStrippedAttrOrType(machine);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"compute", "machine", "operandSegmentSizes"});
  printer << " ";
  printer.printRegion(getConfiguration(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> computeArgs;
  SmallVector<Type> types;
  if (ember::slc::parseCaptures(parser, arguments, result.operands))
    return failure();
  auto captures = static_cast<int32_t>(result.operands.size());
  SMLoc location;
  if (parser.parseKeyword("compute") ||
      parser.parseCustomAttributeWithFallback(
          properties.compute, NoneType::get(parser.getContext())) ||
      parser.parseLParen() || parser.getCurrentLocation(&location) ||
      parser.parseOperandList(computeArgs) ||
      (!computeArgs.empty() && parser.parseColonTypeList(types)) ||
      parser.parseRParen() || parser.parseOptionalArrowTypeList(result.types) ||
      (succeeded(parser.parseOptionalKeyword("machine")) &&
       parser.parseCustomAttributeWithFallback(
           properties.machine, NoneType::get(parser.getContext()))) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(computeArgs, types, location, result.operands))
    return failure();
  properties.operandSegmentSizes = {captures,
                                    static_cast<int32_t>(computeArgs.size())};
  Region *region = result.addRegion();
  if (parser.parseRegion(*region, arguments, /*enableNameShadowing=*/true))
    return failure();
  ensureTerminator(*region, parser.getBuilder(), result.location);
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult ProgramOp::verify() {
  if (getConfiguration().getArgumentTypes() == getCaptures().getTypes())
    return success();
  return emitOpError("captures (")
         << getCaptures().getTypes() << "), but its configuration takes ("
         << getConfiguration().getArgumentTypes() << ")";
}

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getConfiguration().front().without_terminator()) {
    bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
    if (!op.hasTrait<OfProgram>() && !isConstant)
      return op.emitOpError("cannot stand in a configuration, which holds "
                            "units, streams, layers, what is pushed, and "
                            "constants");
  }
  if (failed(verifyStructure(*this)))
    return failure();
  return verifyMapping(*this);
}

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getComputeAttr());
  if (!function)
    return emitOpError("runs ") << getComputeAttr() << ", which is no function";
  // The rings come last: they are the unit's output queue.
  ArrayRef<Type> arguments = function.getArgumentTypes();
  bool hasRings = arguments.size() >= 2 &&
                  isa<ring::DataType>(arguments.drop_back().back()) &&
                  isa<ring::TokensType>(arguments.back());
  if (!hasRings)
    return emitOpError("runs ")
           << getComputeAttr()
           << ", whose last arguments are no rings of operands and of tokens";
  if (TypeRange(arguments.drop_back(2)) ==
          TypeRange(getComputeArgs().getTypes()) &&
      function.getResultTypes() == getResultTypes())
    return success();
  return emitOpError("calls ")
         << getComputeAttr() << " with (" << getComputeArgs().getTypes()
         << ") and the rings -> (" << getResultTypes() << "), but it takes ("
         << arguments << ") -> (" << function.getResultTypes() << ")";
}
