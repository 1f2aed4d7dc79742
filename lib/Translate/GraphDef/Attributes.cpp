//===- Attributes.cpp - Attributes of nodes -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "DataTypes.h"

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

/// The sizes of `shape` as MLIR has them.
static FailureOr<SmallVector<int64_t>> getSizes(const TensorShape &shape,
                                                EmitError emit) {
  SmallVector<int64_t> sizes;
  for (const TensorShape::Dim &dim : shape.dim()) {
    if (dim.size() < -1)
      return emit() << "has a dimension of size " << dim.size(), failure();
    sizes.push_back(dim.size() == -1 ? ShapedType::kDynamic : dim.size());
  }
  return sizes;
}

FailureOr<TensorType> graphdef::makeTensorType(const TensorShape &shape,
                                               Type element, EmitError emit) {
  if (shape.unknown_rank())
    return TensorType(UnrankedTensorType::get(element));
  FailureOr<SmallVector<int64_t>> sizes = getSizes(shape, emit);
  if (failed(sizes))
    return failure();
  return TensorType(RankedTensorType::get(*sizes, element));
}

static FailureOr<Type> makeElementType(MLIRContext *context, DataType number,
                                       EmitError emit) {
  if (Type type = getElementType(context, number))
    return type;
  return emit() << "has the type of elements number " << number
                << ", which is not known",
         failure();
}

static FailureOr<Attribute>
makeShape(MLIRContext *context, const TensorShape &shape, EmitError emit) {
  if (shape.unknown_rank())
    return Attribute(UnitAttr::get(context));
  FailureOr<SmallVector<int64_t>> sizes = getSizes(shape, emit);
  if (failed(sizes))
    return failure();
  for (int64_t &size : *sizes)
    size = ShapedType::isDynamic(size) ? -1 : size;
  return Attribute(DenseI64ArrayAttr::get(context, *sizes));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// Takes the elements of a tensor, which are bytes as memory has them, or a
/// list of numbers, of which the last one stands for all that are not there.
class ElementReader {
public:
  ElementReader(const Tensor &tensor, RankedTensorType type, EmitError emit)
      : tensor(tensor), type(type), count(type.getNumElements()), emit(emit) {}

  FailureOr<Attribute> read();

private:
  FailureOr<Attribute> readTexts();
  FailureOr<Attribute> readContent();
  /// Elements whose bits are `bitsOf` the numbers of `list`.
  template <typename ListT, typename BitsOf>
  FailureOr<Attribute> readList(const ListT &list, BitsOf bitsOf);
  FailureOr<Attribute> makeElements(ArrayRef<APInt> bits);
  InFlightDiagnostic emitCount(size_t there, StringRef what);

  const Tensor &tensor;
  RankedTensorType type;
  int64_t count;
  EmitError emit;
};
} // namespace

InFlightDiagnostic ElementReader::emitCount(size_t there, StringRef what) {
  return emit() << "has a tensor of " << count << " elements with " << there
                << " " << what;
}

FailureOr<Attribute> ElementReader::makeElements(ArrayRef<APInt> bits) {
  auto number = dyn_cast<FloatType>(type.getElementType());
  if (!number)
    return Attribute(DenseElementsAttr::get(type, bits));
  SmallVector<APFloat> values;
  for (const APInt &element : bits)
    values.emplace_back(number.getFloatSemantics(), element);
  return Attribute(DenseElementsAttr::get(type, values));
}

FailureOr<Attribute> ElementReader::readTexts() {
  size_t there = tensor.string_val_size();
  if (there > size_t(count))
    return emitCount(there, "texts"), failure();
  SmallVector<StringRef> texts(tensor.string_val().begin(),
                               tensor.string_val().end());
  texts.resize(count, texts.empty() ? StringRef() : texts.back());
  return Attribute(DenseStringElementsAttr::get(type, texts));
}

FailureOr<Attribute> ElementReader::readContent() {
  StringRef bytes = tensor.tensor_content();
  unsigned width = type.getElementTypeBitWidth();
  unsigned step = llvm::divideCeil(width, 8);
  if (bytes.size() != size_t(count) * step)
    return emitCount(bytes.size(), "bytes"), failure();
  SmallVector<APInt> bits;
  for (; !bytes.empty(); bytes = bytes.drop_front(step)) {
    uint64_t word = 0;
    for (unsigned byte = 0; byte < step; ++byte)
      word |= uint64_t(uint8_t(bytes[byte])) << (8 * byte);
    bits.emplace_back(width, word, /*isSigned=*/false, /*implicitTrunc=*/true);
  }
  return makeElements(bits);
}

template <typename ListT, typename BitsOf>
FailureOr<Attribute> ElementReader::readList(const ListT &list, BitsOf bitsOf) {
  if (size_t(list.size()) > size_t(count))
    return emitCount(list.size(), "numbers"), failure();
  SmallVector<APInt> bits;
  for (auto number : list)
    bits.emplace_back(type.getElementTypeBitWidth(), bitsOf(number),
                      /*isSigned=*/false, /*implicitTrunc=*/true);
  APInt last =
      bits.empty() ? APInt(type.getElementTypeBitWidth(), 0) : bits.back();
  bits.resize(count, last);
  return makeElements(bits);
}

FailureOr<Attribute> ElementReader::read() {
  Type element = type.getElementType();
  if (isa<col::TextType>(element))
    return readTexts();
  if (!element.isIntOrFloat())
    return Attribute();
  if (!tensor.tensor_content().empty())
    return readContent();
  // Extended by the sign, which the type cuts off again.
  auto plain = [](auto number) { return uint64_t(number); };
  if (element.isF32())
    return readList(tensor.float_val(), llvm::bit_cast<uint32_t, float>);
  if (element.isF64())
    return readList(tensor.double_val(), llvm::bit_cast<uint64_t, double>);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16)
    return readList(tensor.half_val(), plain);
  if (isa<FloatType>(element))
    return readList(tensor.float8_val(), plain);
  if (element.isInteger(1))
    return readList(tensor.bool_val(), plain);
  if (element.isUnsignedInteger(32))
    return readList(tensor.uint32_val(), plain);
  if (element.isUnsignedInteger(64))
    return readList(tensor.uint64_val(), plain);
  if (element.isInteger(64))
    return readList(tensor.int64_val(), plain);
  return readList(tensor.int_val(), plain);
}

/// Whether a tensor has no more than `most` elements; their number may be one
/// that 64 bits do not count.
static bool hasAtMost(ArrayRef<int64_t> sizes, int64_t most) {
  if (llvm::is_contained(sizes, 0))
    return true;
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size > most / count)
      return false;
    count *= size;
  }
  return count <= most;
}

static FailureOr<Attribute> makeTensor(MLIRContext *context,
                                       const Tensor &tensor,
                                       int64_t mostElements, EmitError emit) {
  FailureOr<Type> element = makeElementType(context, tensor.dtype(), emit);
  if (failed(element))
    return failure();
  FailureOr<TensorType> type =
      makeTensorType(tensor.tensor_shape(), *element, emit);
  if (failed(type))
    return failure();
  auto ranked = dyn_cast<RankedTensorType>(*type);
  if (!ranked || !ranked.hasStaticShape())
    return emit() << "has a tensor whose shape is not known", failure();
  if (!hasAtMost(ranked.getShape(), mostElements))
    return Attribute();
  return ElementReader(tensor, ranked, emit).read();
}

//===----------------------------------------------------------------------===//
// Values of any kind
//===----------------------------------------------------------------------===//

static FailureOr<Attribute> makeType(MLIRContext *context, DataType number,
                                     EmitError emit) {
  FailureOr<Type> type = makeElementType(context, number, emit);
  if (failed(type))
    return failure();
  return Attribute(TypeAttr::get(*type));
}

static FailureOr<Attribute> makeList(MLIRContext *context,
                                     const AttrValue::List &list,
                                     int64_t mostElements, EmitError emit) {
  Builder builder(context);
  SmallVector<Attribute> values;
  for (const std::string &text : list.s())
    values.push_back(builder.getStringAttr(text));
  for (int64_t number : list.i())
    values.push_back(builder.getI64IntegerAttr(number));
  for (float number : list.f())
    values.push_back(builder.getF32FloatAttr(number));
  for (bool flag : list.b())
    values.push_back(builder.getBoolAttr(flag));
  for (const Callee &callee : list.func())
    values.push_back(FlatSymbolRefAttr::get(context, callee.name()));
  bool isWhole = true;
  auto add = [&](FailureOr<Attribute> value) {
    if (failed(value))
      return failure();
    isWhole &= bool(*value);
    values.push_back(*value);
    return success();
  };
  for (DataType number : list.type())
    if (failed(add(::makeType(context, number, emit))))
      return failure();
  for (const TensorShape &shape : list.shape())
    if (failed(add(makeShape(context, shape, emit))))
      return failure();
  for (const Tensor &tensor : list.tensor())
    if (failed(add(makeTensor(context, tensor, mostElements, emit))))
      return failure();
  return isWhole ? Attribute(builder.getArrayAttr(values)) : Attribute();
}

FailureOr<Attribute> graphdef::makeAttribute(MLIRContext *context,
                                             const AttrValue &value,
                                             int64_t mostElements,
                                             EmitError emit) {
  Builder builder(context);
  switch (value.value_case()) {
  case AttrValue::kS:
    return Attribute(builder.getStringAttr(value.s()));
  case AttrValue::kI:
    return Attribute(builder.getI64IntegerAttr(value.i()));
  case AttrValue::kF:
    return Attribute(builder.getF32FloatAttr(value.f()));
  case AttrValue::kB:
    return Attribute(builder.getBoolAttr(value.b()));
  case AttrValue::kType:
    return ::makeType(context, value.type(), emit);
  case AttrValue::kShape:
    return makeShape(context, value.shape(), emit);
  case AttrValue::kTensor:
    return makeTensor(context, value.tensor(), mostElements, emit);
  case AttrValue::kFunc:
    return Attribute(FlatSymbolRefAttr::get(context, value.func().name()));
  case AttrValue::kList:
    return makeList(context, value.list(), mostElements, emit);
  case AttrValue::kPlaceholder:
    return emit() << "has an attribute that stands for '" << value.placeholder()
                  << "', which the call does not say",
           failure();
  case AttrValue::VALUE_NOT_SET:
    break;
  }
  return Attribute();
}
