//===- FunctionDerivatives.cpp - Derivatives of cin.functions -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is declared of a function says where it does not change: there its
// derivatives are 0, and so they are where the gradient by its result is.
//
//===----------------------------------------------------------------------===//

#include "FunctionDerivatives.h"
#include "BodyTangent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

Type ember::cin::getGradientType(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() < 32 ? Float32Type::get(type.getContext())
                                          : type;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// Values of other operands that make a constant of a function.
static ArrayAttr getAnnihilators(FunctionOp function, unsigned operand,
                                 TypedAttr zero) {
  SmallVector<Attribute> annihilators;
  if (!function.getAnnihilators())
    return {};
  for (auto special : function.getAnnihilators()->getAsRange<SpecialAttr>())
    for (unsigned other = 0; other < function.getArity(); ++other)
      if (other != operand && special.getPosition().value_or(other) == other)
        annihilators.push_back(SpecialAttr::get(
            function.getContext(), special.getValue(), other, zero));
  return annihilators.empty()
             ? ArrayAttr()
             : ArrayAttr::get(function.getContext(), annihilators);
}

/// Where other operands are such that a function changes with one, and the
/// gradient by its result, behind its operands, is not 0.
static CoordinateSet getIteration(FunctionOp function, unsigned operand) {
  CoordinateSet gradient = CoordinateSet::operand(function.getArity());
  if (!function.getIteration())
    return gradient;
  auto given = [&](const CoordinateSet &mine) {
    return function.getIterationAttr().getSet().evaluate<CoordinateSet>(
        CoordinateSet::none(), CoordinateSet::all(),
        [&](unsigned number) {
          return number == operand ? mine : CoordinateSet::operand(number);
        },
        [](CoordinateSet a, CoordinateSet b) { return a | b; },
        [](CoordinateSet a, CoordinateSet b) { return a & b; },
        [](CoordinateSet set) { return ~set; });
  };
  CoordinateSet changing =
      given(CoordinateSet::all()) | given(CoordinateSet::none());
  return (changing & gradient).simplified();
}

static ArrayAttr getFills(FunctionOp function, TypedAttr zero) {
  SmallVector<Attribute> fills;
  for (unsigned number = 0; number < function.getArity(); ++number)
    fills.push_back(function.getFill(number));
  fills.push_back(zero);
  return ArrayAttr::get(function.getContext(), fills);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Drops what nothing needs.
static void simplify(Region &body) {
  body.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

/// The body of a derivative: of the arguments of `body`, and the gradient.
/// Whether it is not 0.
static FailureOr<bool> buildBody(FunctionDerivatives &functions, Region &body,
                                 BlockArgument argument, Region &made,
                                 Location caller) {
  OpBuilder builder(body.getContext());
  Location location = body.getLoc();
  Block *block = builder.createBlock(&made);
  for (Type type : body.getArgumentTypes())
    block->addArgument(type, location);
  Value gradient =
      block->addArgument(getGradientType(argument.getType()), location);
  FailureOr<Value> change =
      BodyTangent(builder, functions, caller)
          .build(body, argument, block->getArguments().drop_back(), gradient);
  if (failed(change))
    return failure();
  ExpressionBuilder make(builder, location, /*isOfFunction=*/true);
  Value value = *change ? make.convert(*change, gradient.getType())
                        : make.number(0, gradient.getType());
  ReturnOp::create(builder, location, value);
  simplify(made);
  return *change != nullptr;
}

/// The cases that say nothing of an operand, as those of its derivative.
static SmallVector<std::pair<ArrayAttr, Region *>> getCases(FunctionOp function,
                                                            unsigned operand) {
  SmallVector<std::pair<ArrayAttr, Region *>> cases;
  Builder builder(function.getContext());
  if (!function.getCases())
    return cases;
  for (auto [key, body] :
       llvm::zip_equal(function.getCases()->getAsRange<ArrayAttr>(),
                       function.getCaseBodies())) {
    if (!isa<UnitAttr>(key[operand]))
      continue;
    SmallVector<Attribute> values(key.begin(), key.end());
    values.push_back(builder.getUnitAttr());
    cases.push_back({builder.getArrayAttr(values), &body});
  }
  return cases;
}

FailureOr<FunctionOp> FunctionDerivatives::get(FunctionOp function,
                                               unsigned operand,
                                               Location caller) {
  auto found = known.find({function, operand});
  if (found != known.end())
    return found->second;
  auto fail = [&](const Twine &reason) {
    return emitError(caller) << "'" << function.getNotationName()
                             << "' has no derivative by its operand " << operand
                             << ": " << reason;
  };
  if (function.getArity() == CoordinateSet::mostOperands)
    return fail("it has " + Twine(function.getArity()) +
                " operands, and its derivative would have one more");
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  SmallVector<Type> types(function.getOperandTypes());
  Type type = getGradientType(types[operand]);
  types.push_back(type);
  TypedAttr zero = getConstant(Constant::zero, type);
  auto cases = getCases(function, operand);
  SmallVector<Attribute> keys(llvm::make_first_range(cases));
  std::string name = (function.getSymName() + "_by_" + Twine(operand)).str();
  // Users may have such a name, and gradients of gradients have made some.
  while (SymbolTable::lookupNearestSymbolFrom(function,
                                              builder.getStringAttr(name)))
    name += "_";
  auto made = FunctionOp::create(
      builder, function.getLoc(), name, builder.getFunctionType(types, type),
      /*commutative=*/false,
      /*associative=*/false, /*idempotent=*/false,
      getAnnihilators(function, operand, zero), /*identities=*/ArrayAttr(),
      IterationAttr::get(builder.getContext(),
                         ::getIteration(function, operand)),
      getFills(function, zero), /*elsewhere=*/zero,
      keys.empty() ? ArrayAttr() : builder.getArrayAttr(keys),
      /*overload=*/StringAttr(), keys.size());
  bool isZero = true;
  auto add = [&](Region &body, Region &into, unsigned number) {
    FailureOr<bool> isChanging =
        buildBody(*this, body, body.getArgument(number), into, caller);
    isZero &= succeeded(isChanging) && !*isChanging;
    return LogicalResult(isChanging);
  };
  LogicalResult result = add(function.getBody(), made.getBody(), operand);
  for (auto [given, into] : llvm::zip_equal(cases, made.getCaseBodies())) {
    if (failed(result))
      break;
    auto [key, body] = given;
    unsigned number =
        llvm::count_if(key.getValue().take_front(operand),
                       [](Attribute value) { return isa<UnitAttr>(value); });
    result = add(*body, into, number);
  }
  if (failed(result) || isZero) {
    made->erase();
    made = {};
  }
  if (failed(result))
    return failure();
  known[{function, operand}] = made;
  return made;
}
