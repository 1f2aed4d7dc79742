//===- CINFunctions.cpp - Functions that users define ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedAttributes.h"
#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::cin;

//===----------------------------------------------------------------------===//
// Names of functions
//===----------------------------------------------------------------------===//

ParseResult ember::cin::parseCallee(AsmParser &parser, Attribute &callee) {
  StringAttr symbol;
  if (succeeded(parser.parseOptionalSymbolName(symbol))) {
    callee = FlatSymbolRefAttr::get(symbol);
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  const Builtin *builtin = findBuiltin(name);
  if (!builtin)
    return parser.emitError(loc) << "there is no function '" << name << "'";
  callee = BuiltinAttr::get(parser.getContext(), builtin);
  return success();
}

void ember::cin::printCallee(AsmPrinter &printer, Attribute callee) {
  if (auto builtin = dyn_cast<BuiltinAttr>(callee))
    printer << builtin.getBuiltin()->name;
  else
    printer << callee;
}

Attribute BuiltinAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SMLoc loc;
  if (parser.parseLess())
    return {};
  loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name) || parser.parseGreater())
    return {};
  const Builtin *builtin = findBuiltin(name);
  if (!builtin) {
    parser.emitError(loc) << "there is no function '" << name << "'";
    return {};
  }
  return BuiltinAttr::get(parser.getContext(), builtin);
}

void BuiltinAttr::print(AsmPrinter &printer) const {
  printer << "<" << getBuiltin()->name << ">";
}

Attribute SpecialAttr::parse(AsmParser &parser, Type) {
  TypedAttr value, result;
  std::optional<unsigned> position;
  if (parser.parseLess() || parser.parseAttribute(value))
    return {};
  if (succeeded(parser.parseOptionalKeyword("at")))
    if (parser.parseInteger(position.emplace()))
      return {};
  if (succeeded(parser.parseOptionalKeyword("gives")))
    if (parser.parseAttribute(result))
      return {};
  if (parser.parseGreater())
    return {};
  return SpecialAttr::get(parser.getContext(), value, position, result);
}

void SpecialAttr::print(AsmPrinter &printer) const {
  printer << "<" << getValue();
  if (getPosition())
    printer << " at " << *getPosition();
  if (getResult())
    printer << " gives " << getResult();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `case (%x, 0 : i64) { ... }`
static ParseResult parseCase(OpAsmParser &parser, FunctionType type,
                             OperationState &result,
                             SmallVectorImpl<Attribute> &cases) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> key;
  SMLoc loc = parser.getCurrentLocation();
  auto parseOperand = [&]() -> ParseResult {
    if (key.size() == type.getNumInputs())
      return parser.emitError(loc) << "a case says of more operands what they "
                                      "are than the function has";
    OpAsmParser::Argument argument;
    OptionalParseResult named = parser.parseOptionalArgument(argument);
    if (named.has_value()) {
      argument.type = type.getInput(key.size());
      arguments.push_back(argument);
      key.push_back(parser.getBuilder().getUnitAttr());
      return *named;
    }
    return parser.parseAttribute(key.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseOperand) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  cases.push_back(parser.getBuilder().getArrayAttr(key));
  return success();
}

static const StringRef elidedInFunction[] = {"sym_name", "function_type",
                                             "cases"};

ParseResult FunctionOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  Type type;
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseArrow() || parser.parseType(type) ||
      parseAttributes<FunctionOp>(parser, result.attributes,
                                  /*hasKeyword=*/true, elidedInFunction) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &argument) { return argument.type; });
  auto functionType = parser.getBuilder().getFunctionType(types, type);
  properties.function_type = TypeAttr::get(functionType);
  SmallVector<Attribute> cases;
  while (succeeded(parser.parseOptionalKeyword("case")))
    if (parseCase(parser, functionType, result, cases))
      return failure();
  if (!cases.empty())
    properties.cases = parser.getBuilder().getArrayAttr(cases);
  return success();
}

void FunctionOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  printer << "(";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") -> " << getResultType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           elidedInFunction);
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (!getCases())
    return;
  for (auto [key, body] : llvm::zip(*getCases(), getCaseBodies())) {
    printer << " case (";
    auto left = body.getArguments();
    llvm::interleaveComma(cast<ArrayAttr>(key), printer, [&](Attribute value) {
      if (isa<TypedAttr>(value)) {
        printer << value;
        return;
      }
      printer << left.front();
      left = left.drop_front();
    });
    printer << ") ";
    printer.printRegion(body, /*printEntryBlockArgs=*/false);
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) {
  return isa<FloatType, IndexType>(type) || type.isSignlessInteger();
}

TypedAttr FunctionOp::getFill(unsigned operand) {
  if (std::optional<ArrayAttr> fills = getFills())
    return cast<TypedAttr>((*fills)[operand]);
  return getConstant(Constant::zero, getFunctionType().getInput(operand));
}

/// Whether an operation of a body computes, and does nothing else.
static bool isComputation(Operation &op) {
  if (isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          ReturnOp, CallOp>(op))
    return true;
  return isa_and_present<arith::ArithDialect, math::MathDialect>(
             op.getDialect()) &&
         op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// A body of the arguments `types`.
static LogicalResult verifyBody(FunctionOp function, Region &body,
                                TypeRange types, StringRef what) {
  if (body.empty())
    return function.emitOpError() << "has " << what << " that is empty";
  Block &block = body.front();
  if (block.getArgumentTypes() != types)
    return function.emitOpError()
           << "has " << what << " whose arguments are not its operands";
  auto last = block.empty() ? ReturnOp() : dyn_cast<ReturnOp>(block.back());
  if (!last)
    return function.emitOpError()
           << "has " << what << " that does not end with cin.return";
  Type result = function.getResultType();
  if (last.getValue().getType() != result)
    return last.emitOpError()
           << "gives a value of type " << last.getValue().getType()
           << ", and the function is of type " << result;
  WalkResult walk = body.walk([&](Operation *op) {
    if (isComputation(*op))
      return WalkResult::advance();
    op->emitOpError("stands in a cin.function, which computes a scalar of "
                    "scalars by arith, math, scf.if, scf.for, scf.while and "
                    "cin.call alone");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// What makes sense for operands and a result of one type alone.
static LogicalResult verifySameTypes(FunctionOp function, StringRef property) {
  TypeRange types = function.getOperandTypes();
  if (types.size() > 1 && llvm::all_equal(types) &&
      types.front() == function.getResultType())
    return success();
  return function.emitOpError() << "is " << property
                                << ", and has not several operands and a "
                                   "result of one type";
}

static LogicalResult verifySpecial(FunctionOp function, SpecialAttr special,
                                   bool isIdentity) {
  StringRef what = isIdentity ? "an identity" : "an annihilator";
  TypeRange types = function.getOperandTypes();
  std::optional<unsigned> position = special.getPosition();
  if (position && *position >= types.size())
    return function.emitOpError() << "has " << what << " at operand "
                                  << *position << " of " << types.size();
  Type type = special.getValue().getType();
  bool isOfType =
      position ? types[*position] == type
               : llvm::all_of(types, [&](Type mine) { return mine == type; });
  if (!isOfType)
    return function.emitOpError() << "has " << what << " of type " << type
                                  << ", which its operands are not of";
  if (isIdentity && special.getResult())
    return function.emitOpError("has an identity that gives a value, and not "
                                "the other operand");
  if (isIdentity && types.size() != 2)
    return function.emitOpError() << "has an identity and " << types.size()
                                  << " operands: there is not one other";
  if (isIdentity &&
      types[position ? 1 - *position : 0] != function.getResultType())
    return function.emitOpError("has an identity, and the other operand is not "
                                "of the result's type");
  TypedAttr result =
      special.getResult() ? special.getResult() : special.getValue();
  if (!isIdentity && result.getType() != function.getResultType())
    return function.emitOpError() << "has an annihilator that gives a value of "
                                     "type "
                                  << result.getType() << ", and is of type "
                                  << function.getResultType();
  return success();
}

static LogicalResult verifyIteration(FunctionOp function) {
  TypeRange types = function.getOperandTypes();
  auto fills = function.getFills();
  auto elsewhere = function.getElsewhere();
  if (!function.getIteration()) {
    if (fills || elsewhere)
      return function.emitOpError("says what it is outside of an iteration, "
                                  "and has none");
    return success();
  }
  ember::CoordinateSet set = function.getIterationAttr().getSet();
  if (set.support() >> types.size() != 0)
    return function.emitOpError() << "has an iteration of more than its "
                                  << types.size() << " operands";
  if (fills) {
    bool areOfTypes = fills->size() == types.size() &&
                      llvm::all_of(llvm::zip(*fills, types), [](auto pair) {
                        auto value = dyn_cast<TypedAttr>(std::get<0>(pair));
                        return value && value.getType() == std::get<1>(pair);
                      });
    if (!areOfTypes)
      return function.emitOpError("has fills that are not a value of its type "
                                  "for each operand");
  }
  if (elsewhere && elsewhere->getType() != function.getResultType())
    return function.emitOpError("is elsewhere a value of another type than its "
                                "own");
  if (set.contains(0) && !elsewhere)
    return function.emitOpError(
        "has an iteration with what no operand is part of: say what the "
        "function is elsewhere");
  return success();
}

static LogicalResult verifyCases(FunctionOp function) {
  size_t count = function.getCases() ? function.getCases()->size() : 0;
  if (count != function.getCaseBodies().size())
    return function.emitOpError("has not a body for each case");
  TypeRange types = function.getOperandTypes();
  for (size_t number = 0; number < count; ++number) {
    ArrayAttr all = *function.getCases();
    auto key = dyn_cast<ArrayAttr>(all[number]);
    SmallVector<Type> arguments;
    bool isKey = key && key.size() == types.size();
    for (size_t operand = 0; isKey && operand < types.size(); ++operand) {
      auto value = dyn_cast<TypedAttr>(key[operand]);
      if (value)
        isKey = value.getType() == types[operand];
      else if (isa<UnitAttr>(key[operand]))
        arguments.push_back(types[operand]);
      else
        isKey = false;
    }
    if (!isKey)
      return function.emitOpError(
          "has a case that does not say of each operand "
          "that it is an argument or a value of its "
          "type");
    if (arguments.empty() || arguments.size() == types.size())
      return function.emitOpError("has a case in which not some operands are "
                                  "arguments and others values");
    if (llvm::is_contained(all.getValue().take_front(number), all[number]))
      return function.emitOpError("has two cases for the same values");
    if (failed(verifyBody(function, function.getCaseBodies()[number], arguments,
                          "a case")))
      return failure();
  }
  return success();
}

LogicalResult FunctionOp::verify() {
  FunctionType type = getFunctionType();
  if (type.getNumResults() != 1 || type.getNumInputs() == 0)
    return emitOpError("is not one value of some operands");
  if (type.getNumInputs() > ember::CoordinateSet::mostOperands)
    return emitOpError() << "has more than "
                         << ember::CoordinateSet::mostOperands << " operands";
  if (!llvm::all_of(type.getInputs(), isScalar) || !isScalar(getResultType()))
    return emitOpError("has an operand or a result that is no integer, index "
                       "or float");
  if (findBuiltinOfStatements(getNotationName()))
    return emitOpError() << "has the name of a function of statements: '"
                         << getNotationName() << "'";
  if (failed(verifyBody(*this, getBody(), getOperandTypes(), "a body")))
    return failure();
  for (auto [holds, property] : {std::pair(getCommutative(), "commutative"),
                                 std::pair(getAssociative(), "associative"),
                                 std::pair(getIdempotent(), "idempotent")})
    if (holds && failed(verifySameTypes(*this, property)))
      return failure();
  if (getAssociative() && getArity() != 2)
    return emitOpError("is associative, and not of two operands");
  for (auto [declared, isIdentity] : {std::pair(getAnnihilators(), false),
                                      std::pair(getIdentities(), true)}) {
    if (!declared)
      continue;
    for (Attribute special : *declared)
      if (failed(verifySpecial(*this, cast<SpecialAttr>(special), isIdentity)))
        return failure();
  }
  if (failed(verifyIteration(*this)))
    return failure();
  return verifyCases(*this);
}

/// A function does not call itself, nor by way of others.
LogicalResult FunctionOp::verifySymbolUses(SymbolTableCollection &tables) {
  llvm::SetVector<Operation *> called;
  auto addCalls = [&](FunctionOp function) {
    function.walk([&](CallOp call) {
      auto symbol = dyn_cast<FlatSymbolRefAttr>(call.getCallee());
      auto callee =
          symbol ? tables.lookupNearestSymbolFrom<FunctionOp>(*this, symbol)
                 : FunctionOp();
      if (callee)
        called.insert(callee);
    });
  };
  addCalls(*this);
  for (size_t next = 0; next < called.size(); ++next)
    addCalls(cast<FunctionOp>(called[next]));
  if (called.contains(*this))
    return emitOpError("calls itself, or a function that calls it");
  return success();
}

void ember::cin::dropUnusedFunctions(ModuleOp module) {
  SymbolTable functions(module);
  llvm::SetVector<Operation *> used;
  // Statements call functions, and so do operations that are names of some.
  auto addUses = [&](Operation *user) {
    user->walk([&](Operation *op) {
      op->getAttrDictionary().walk([&](FlatSymbolRefAttr symbol) {
        if (auto function = functions.lookup<FunctionOp>(symbol.getAttr()))
          used.insert(function);
      });
    });
  };
  for (Operation &op : *module.getBody())
    if (!isa<FunctionOp>(op))
      addUses(&op);
  for (size_t next = 0; next < used.size(); ++next)
    addUses(used[next]);
  for (auto function : llvm::make_early_inc_range(module.getOps<FunctionOp>()))
    if (!used.contains(function))
      function->erase();
}

FailureOr<Function> ember::cin::findCallee(Operation *op, Attribute callee,
                                           SymbolTableCollection &tables) {
  if (auto builtin = dyn_cast_if_present<BuiltinAttr>(callee))
    return Function(*builtin);
  auto symbol = dyn_cast_if_present<FlatSymbolRefAttr>(callee);
  if (!symbol)
    return Function();
  auto found = tables.lookupNearestSymbolFrom<FunctionOp>(op, symbol);
  if (!found)
    return op->emitOpError() << "calls " << symbol
                             << ", and there is no cin.function of that name";
  return Function(found);
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<Function> function = findCallee(*this, getCallee(), tables);
  if (failed(function) || !*function)
    return LogicalResult(function);
  return function->verifyCall(*this, getOperandTypes(), getType());
}

LogicalResult ReduceOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<Function> function = findCallee(*this, getCallee(), tables);
  if (failed(function) || !*function)
    return LogicalResult(function);
  if (getRest() && !function->getIdentity(getType()))
    return emitOpError("has a rest, and its function no identity");
  return verifyFunction(*function);
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<Function> function = findCallee(*this, getCalleeAttr(), tables);
  if (failed(function) || !*function)
    return LogicalResult(function);
  return verifyFunction(*function);
}

LogicalResult ReduceOp::verifyFunction(Function function) {
  return getOtherwise() ? function.verifyFold(*this, getType())
                        : function.verifyCombination(*this, getType());
}

LogicalResult AssignOp::verifyFunction(Function function) {
  Type type = getValue().getType();
  return getFirst() ? function.verifyFold(*this, type)
                    : function.verifyCombination(*this, type);
}
