//===- WriteAttributes.cpp - Attributes of nodes in graphs ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriteAttributes.h"
#include "DataTypes.h"

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

FailureOr<int32_t> graphdef::writeElementType(Type type, EmitError emit) {
  if (DataType number = getDataType(type))
    return number;
  return emit() << "has elements of " << type << ", which TensorFlow lacks",
         failure();
}

static TensorShape writeSizes(ArrayRef<int64_t> sizes) {
  TensorShape shape;
  for (int64_t size : sizes)
    shape.add_dim()->set_size(ShapedType::isDynamic(size) ? -1 : size);
  return shape;
}

TensorShape graphdef::writeShape(TensorType type) {
  if (type.hasRank())
    return writeSizes(type.getShape());
  TensorShape shape;
  shape.set_unknown_rank(true);
  return shape;
}

/// The bytes of `bits`, the least first.
static void writeBytes(const APInt &bits, std::string &bytes) {
  for (unsigned first = 0; first < bits.getBitWidth(); first += 8) {
    unsigned width = std::min(8U, bits.getBitWidth() - first);
    bytes.push_back(char(bits.extractBitsAsZExtValue(width, first)));
  }
}

static FailureOr<AttrValue> writeTensor(ElementsAttr elements, EmitError emit) {
  AttrValue value;
  Tensor &tensor = *value.mutable_tensor();
  auto type = cast<TensorType>(elements.getShapedType());
  FailureOr<int32_t> number = writeElementType(type.getElementType(), emit);
  if (failed(number))
    return failure();
  tensor.set_dtype(*number);
  *tensor.mutable_tensor_shape() = writeShape(type);
  if (auto texts = dyn_cast<DenseStringElementsAttr>(elements)) {
    for (StringRef text : texts.getValues<StringRef>())
      tensor.add_string_val(text.str());
    return value;
  }
  auto numbers = dyn_cast<DenseElementsAttr>(elements);
  if (!numbers || !type.getElementType().isIntOrFloat())
    return emit() << "has a tensor that is not written here", failure();
  std::string &bytes = *tensor.mutable_tensor_content();
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &element : numbers.getValues<APFloat>())
      writeBytes(element.bitcastToAPInt(), bytes);
  else
    for (const APInt &element : numbers.getValues<APInt>())
      writeBytes(element, bytes);
  return value;
}

/// Adds what is written as `element` to a list.
static LogicalResult addToList(const AttrValue &element, AttrValue::List &list,
                               EmitError emit) {
  switch (element.value_case()) {
  case AttrValue::kS:
    list.add_s(element.s());
    return success();
  case AttrValue::kI:
    list.add_i(element.i());
    return success();
  case AttrValue::kF:
    list.add_f(element.f());
    return success();
  case AttrValue::kB:
    list.add_b(element.b());
    return success();
  case AttrValue::kType:
    list.add_type(element.type());
    return success();
  case AttrValue::kShape:
    *list.add_shape() = element.shape();
    return success();
  case AttrValue::kTensor:
    *list.add_tensor() = element.tensor();
    return success();
  case AttrValue::kFunc:
    *list.add_func() = element.func();
    return success();
  case AttrValue::kList:
  case AttrValue::kPlaceholder:
  case AttrValue::VALUE_NOT_SET:
    break;
  }
  return emit() << "has a list of lists, which no graph has";
}

static FailureOr<AttrValue> writeList(ArrayAttr elements, EmitError emit) {
  AttrValue value;
  value.mutable_list();
  for (Attribute element : elements) {
    FailureOr<AttrValue> written = writeAttribute(element, emit);
    if (failed(written) ||
        failed(addToList(*written, *value.mutable_list(), emit)))
      return failure();
  }
  return value;
}

FailureOr<AttrValue> graphdef::writeAttribute(Attribute setting,
                                              EmitError emit) {
  AttrValue value;
  if (auto text = dyn_cast<StringAttr>(setting)) {
    value.set_s(text.str());
  } else if (auto flag = dyn_cast<BoolAttr>(setting)) {
    value.set_b(flag.getValue());
  } else if (auto number = dyn_cast<IntegerAttr>(setting);
             number && number.getType().isSignlessInteger(64)) {
    value.set_i(number.getInt());
  } else if (auto number = dyn_cast<FloatAttr>(setting);
             number && number.getType().isF32()) {
    value.set_f(number.getValue().convertToFloat());
  } else if (auto type = dyn_cast<TypeAttr>(setting)) {
    FailureOr<int32_t> number = writeElementType(type.getValue(), emit);
    if (failed(number))
      return failure();
    value.set_type(*number);
  } else if (isa<UnitAttr>(setting)) {
    value.mutable_shape()->set_unknown_rank(true);
  } else if (auto sizes = dyn_cast<DenseI64ArrayAttr>(setting)) {
    *value.mutable_shape() = writeSizes(sizes);
  } else if (auto callee = dyn_cast<FlatSymbolRefAttr>(setting)) {
    value.mutable_func()->set_name(callee.getValue().str());
  } else if (auto elements = dyn_cast<ElementsAttr>(setting)) {
    return writeTensor(elements, emit);
  } else if (auto list = dyn_cast<ArrayAttr>(setting)) {
    return writeList(list, emit);
  } else {
    return emit() << "has the setting " << setting << ", which no graph has",
           failure();
  }
  return value;
}
