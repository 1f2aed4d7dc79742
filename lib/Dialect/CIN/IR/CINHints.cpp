//===- CINHints.cpp - What to expect of arrays ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/IR/Reuse.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace ember::cin;

LogicalResult HintAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               FloatAttr density, ArrayRef<int64_t> sizes) {
  if (density &&
      !(density.getValueAsDouble() > 0 && density.getValueAsDouble() <= 1))
    return emitError() << "a density is more than 0, and at most 1";
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return emitError() << "has a size below 0";
  return success();
}

LogicalResult CINDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == reuseAttr || attribute.getName() == sweepAttr)
    return verifyReuse(op, attribute);
  if (attribute.getName() != hintsAttr)
    return op->emitOpError() << "has an attribute " << attribute.getName()
                             << ", which there is not";
  auto hints = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!hints || !isa<EvaluateOp>(op))
    return op->emitOpError() << attribute.getName()
                             << " is a dictionary of hints of a cin.evaluate";
  for (NamedAttribute hint : hints)
    if (!isa<HintAttr>(hint.getValue()))
      return op->emitOpError()
             << "says of " << hint.getName() << " what is no #cin.hint";
  return success();
}

/// Null if nothing is said of an array.
static HintAttr getHint(Value array) {
  auto evaluate = dyn_cast<EvaluateOp>(array.getParentBlock()->getParentOp());
  auto hints =
      evaluate ? evaluate->getAttrOfType<DictionaryAttr>(CINDialect::hintsAttr)
               : DictionaryAttr();
  return hints ? hints.getAs<HintAttr>(evaluate.getNameOf(array)) : HintAttr();
}

std::optional<double> ember::cin::getHintedDensity(Value array) {
  HintAttr hint = getHint(array);
  if (!hint || !hint.getDensity())
    return std::nullopt;
  return hint.getDensity().getValueAsDouble();
}

std::optional<int64_t> ember::cin::getHintedSize(ArrayDimension dimension) {
  HintAttr hint = getHint(dimension.array);
  // A temporary is as long as another array.
  auto temporary = dimension.array.getDefiningOp<TemporaryOp>();
  auto assemble = dimension.array.getDefiningOp<AssembleOp>();
  auto type = cast<ShapedType>(dimension.array.getType());
  if (!hint && type.isDynamicDim(dimension.dimension)) {
    unsigned number = type.getDynamicDimIndex(dimension.dimension);
    Value size = temporary  ? temporary.getSizes()[number]
                 : assemble ? assemble.getSizes()[number]
                            : Value();
    if (auto extent = size ? size.getDefiningOp<ExtentOp>() : ExtentOp())
      return getHintedSize(
          {extent.getArray(), static_cast<unsigned>(extent.getDimension())});
  }
  if (!hint || hint.getSizes().size() <= dimension.dimension)
    return std::nullopt;
  return hint.getSizes()[dimension.dimension];
}
