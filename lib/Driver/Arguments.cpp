//===- Arguments.cpp - Kernel arguments from files and literals -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loader for each way to pass a value: memref, scalar, structure of sizes.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Arguments.h"
#include "ember/ABI/ScalarTypes.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Driver/Files.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The file types of integers, and of the floats that NumPy knows, by the
/// logarithm of their bytes.
static constexpr NpyType signedTypes[] = {NpyType::Int8, NpyType::Int16,
                                          NpyType::Int32, NpyType::Int64};
static constexpr NpyType unsignedTypes[] = {NpyType::UInt8, NpyType::UInt16,
                                            NpyType::UInt32, NpyType::UInt64};
static constexpr NpyType floatTypes[] = {NpyType::Float8, NpyType::Float16,
                                         NpyType::Float32, NpyType::Float64};

/// The file types that may hold elements of `type`, the usual one first. A
/// signless integer is what its operations make of it: either signedness fits.
static SmallVector<NpyType, 3> getNpyTypes(mlir::Type type) {
  const ScalarType *scalar = findScalarType(type);
  if (!scalar)
    return {};
  unsigned size = Log2_32(scalar->bytes());
  if (scalar->isBoolean())
    return {NpyType::Bool};
  if (scalar->isIndex())
    return {NpyType::Int64};
  if (scalar->isInterchangeFloat())
    return {floatTypes[size]};
  if (scalar->isFloat() && scalar->bytes() == 1)
    return {NpyType::Raw8, NpyType::UInt8, NpyType::Float8};
  if (scalar->isFloat())
    return {NpyType::Raw16, NpyType::UInt16};
  if (type.isUnsignedInteger())
    return {unsignedTypes[size]};
  if (type.isSignedInteger())
    return {signedTypes[size]};
  return {signedTypes[size], unsignedTypes[size]};
}

/// The number of 64-bit words of a structure of sizes, nested as it may be.
static std::optional<int64_t> countWords(mlir::Type type) {
  if (type.isInteger(64))
    return 1;
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    std::optional<int64_t> words = countWords(array.getElementType());
    int64_t all;
    if (!words || array.getNumElements() > INT32_MAX ||
        MulOverflow(*words, static_cast<int64_t>(array.getNumElements()), all))
      return std::nullopt;
    return all;
  }
  if (auto specifier = dyn_cast<sparse_tensor::StorageSpecifierType>(type)) {
    // The fields that --sparse-storage-specifier-to-llvm makes of it.
    sparse_tensor::SparseTensorEncodingAttr encoding = specifier.getEncoding();
    int64_t levels = encoding.getLvlRank();
    return levels * (encoding.isSlice() ? 3 : 1) +
           sparse_tensor::getNumDataFieldsFromEncoding(encoding);
  }
  auto structure = dyn_cast<LLVM::LLVMStructType>(type);
  if (!structure || structure.isOpaque())
    return std::nullopt;
  int64_t sum = 0;
  for (mlir::Type field : structure.getBody()) {
    std::optional<int64_t> words = countWords(field);
    if (!words)
      return std::nullopt;
    if (AddOverflow(sum, *words, sum))
      return std::nullopt;
  }
  return sum;
}

static bool isStructure(mlir::Type type) {
  return isa<LLVM::LLVMStructType, sparse_tensor::StorageSpecifierType>(type);
}

static std::string toText(mlir::Type type) {
  std::string text;
  raw_string_ostream(text) << type;
  return text;
}

static std::string toText(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(
             llvm::map_range(
                 shape, [](int64_t extent) { return std::to_string(extent); }),
             ", ") +
         "]";
}

/// Sets `value` up for its type: sizes its storage, fails on types that cannot
/// be passed.
static Error prepare(KernelValue &value) {
  if (isStructure(value.type)) {
    std::optional<int64_t> words = countWords(value.type);
    if (!words)
      return makeError(value.label + ": structure " + toText(value.type) +
                       " holds more than 64-bit integers");
    value.words.assign(*words, 0);
    return Error::success();
  }
  auto memref = dyn_cast<MemRefType>(value.type);
  SmallVector<NpyType, 3> types =
      getNpyTypes(memref ? memref.getElementType() : value.type);
  if (types.empty())
    return makeError(value.label + ": values of type " + toText(value.type) +
                     " cannot be passed");
  value.npyType = types.front();
  value.words.assign(memref ? 3 + 2 * memref.getRank() : 1, 0);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

namespace {
/// An integer literal, which may need the 64 bits of either signedness.
struct IntegerLiteral {
  bool isNumber = false;
  bool fits = false;
  bool negative = false;
  uint64_t bits = 0;
};
} // namespace

static IntegerLiteral parseInteger(StringRef text) {
  IntegerLiteral literal;
  literal.negative = text.consume_front("-");
  if (!literal.negative)
    text.consume_front("+");
  bool isHexadecimal = text.consume_front_insensitive("0x");
  literal.isNumber = !text.empty() && all_of(text, [&](char digit) {
    return isHexadecimal ? isHexDigit(digit) : isDigit(digit);
  });
  literal.fits = literal.isNumber &&
                 !text.getAsInteger(isHexadecimal ? 16 : 10, literal.bits) &&
                 (!literal.negative || literal.bits <= uint64_t(1) << 63);
  if (literal.negative)
    literal.bits = -literal.bits;
  return literal;
}

/// Whether an integer literal is a value of `type`.
static bool isInRange(mlir::Type type, const IntegerLiteral &literal) {
  auto integer = dyn_cast<mlir::IntegerType>(type);
  unsigned width = integer ? integer.getWidth() : 64;
  bool allowsNegative = !integer || !integer.isUnsigned();
  bool allowsUpperHalf = integer && !integer.isSigned();
  if (!literal.fits)
    return false;
  if (literal.negative)
    return allowsNegative && isIntN(width, static_cast<int64_t>(literal.bits));
  return isUIntN(allowsUpperHalf ? width : width - 1, literal.bits);
}

static Error parseIntegerScalar(KernelValue &value, StringRef text) {
  text = text.trim();
  if (value.type.isInteger(1)) {
    if (text != "true" && text != "false" && text != "0" && text != "1")
      return makeError(value.label + ": expected true or false, got '" + text +
                       "'");
    value.words[0] = text == "true" || text == "1";
    return Error::success();
  }
  IntegerLiteral literal = parseInteger(text);
  if (!literal.isNumber)
    return makeError(value.label + ": expected an integer (" +
                     toText(value.type) + "), got '" + text + "'");
  if (!isInRange(value.type, literal))
    return makeError(value.label + ": " + text + " is out of the range of " +
                     toText(value.type));
  value.words[0] = static_cast<int64_t>(literal.bits);
  return Error::success();
}

static Error parseFloatScalar(KernelValue &value, StringRef text) {
  APFloat number(cast<FloatType>(value.type).getFloatSemantics());
  auto status =
      number.convertFromString(text.trim(), APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return makeError(value.label + ": expected a number (" +
                     toText(value.type) + "), got '" + text.trim() + "'");
  }
  if (*status & APFloat::opOverflow)
    return makeError(value.label + ": " + text.trim() +
                     " is out of the range of " + toText(value.type));
  value.words[0] = static_cast<int64_t>(number.bitcastToAPInt().getZExtValue());
  return Error::success();
}

/// '[4, 8, 2]'
static Error parseSizes(KernelValue &value, StringRef text) {
  StringRef list = text.trim();
  std::string expected = "expected [" + std::to_string(value.words.size()) +
                         " integers] or @FILE.npy with them";
  if (!list.consume_front("[") || !list.consume_back("]"))
    return makeError(value.label + ": " + expected + ", got '" + text.trim() +
                     "'");
  SmallVector<StringRef> fields;
  if (!list.trim().empty())
    list.split(fields, ',');
  if (fields.size() != value.words.size())
    return makeError(value.label + ": " + expected + ", got " +
                     Twine(fields.size()) + " of them");
  for (auto [word, field] : llvm::zip_equal(value.words, fields))
    if (field.trim().getAsInteger(10, word))
      return makeError(value.label + ": '" + field.trim() +
                       "' is not a 64-bit integer");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// What elements that were read so are written as: NumPy does not read what
/// ml_dtypes.float8_e5m2 saves as.
static NpyType writtenType(NpyType read) {
  return read == NpyType::Float8 ? NpyType::Raw8 : read;
}

/// Reads the file and checks its element type and rank.
static Expected<NpyArray> loadArray(KernelValue &value, StringRef path,
                                    ArrayRef<NpyType> types, int64_t rank) {
  Expected<NpyArray> array = readNpy(path);
  if (!array)
    return makeError(value.label + ": " + toString(array.takeError()));
  if (!is_contained(types, array->getType())) {
    std::string names = join(map_range(types, getNpyName), " or ");
    return makeError(value.label + ": expected elements of type " + names +
                     " for " + toText(value.type) + ", '" + path + "' holds " +
                     getNpyName(array->getType()));
  }
  if (static_cast<int64_t>(array->getShape().size()) != rank)
    return makeError(value.label + ": expected rank " + Twine(rank) + " for " +
                     toText(value.type) + ", '" + path + "' has shape " +
                     toText(array->getShape()));
  return array;
}

/// Checks that dense elements can be seen through the layout of `type`. An
/// extent of one, or an empty array, fits any stride.
static Error checkLayout(const KernelValue &value, MemRefType type,
                         StringRef path, ArrayRef<int64_t> shape,
                         MutableArrayRef<int64_t> strides) {
  SmallVector<int64_t> expected;
  int64_t offset;
  if (failed(type.getStridesAndOffset(expected, offset)))
    return makeError(value.label + ": the layout of " + toText(value.type) +
                     " is neither the identity nor strided");
  if (!ShapedType::isDynamic(offset) && offset != 0)
    return makeError(value.label + ": " + toText(value.type) +
                     " starts at offset " + Twine(offset) + ", '" + path +
                     "' at 0");
  bool isEmpty = is_contained(shape, 0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (ShapedType::isDynamic(expected[dim]) || strides[dim] == expected[dim])
      continue;
    if (!isEmpty && shape[dim] != 1)
      return makeError(value.label + ": expected stride " +
                       Twine(expected[dim]) + " in dimension " + Twine(dim) +
                       " of " + toText(value.type) + ", '" + path + "' has " +
                       Twine(strides[dim]));
    strides[dim] = expected[dim];
  }
  return Error::success();
}

static Error loadMemRef(KernelValue &value, StringRef path) {
  auto type = cast<MemRefType>(value.type);
  Expected<NpyArray> array = loadArray(
      value, path, getNpyTypes(type.getElementType()), type.getRank());
  if (!array)
    return array.takeError();
  ArrayRef<int64_t> shape = array->getShape();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != shape[dim])
      return makeError(value.label + ": expected " +
                       Twine(type.getDimSize(dim)) + " in dimension " +
                       Twine(dim) + " of " + toText(value.type) + ", '" + path +
                       "' has shape " + toText(shape));
  SmallVector<int64_t> strides = getDenseStrides(shape);
  if (Error error = checkLayout(value, type, path, shape, strides))
    return error;

  value.npyType = writtenType(array->getType());
  value.words[0] = value.words[1] =
      reinterpret_cast<intptr_t>(array->getData());
  value.words[2] = 0;
  llvm::copy(shape, value.words.begin() + 3);
  llvm::copy(strides, value.words.begin() + 3 + type.getRank());
  value.array = std::move(*array);
  return Error::success();
}

static Error loadSizes(KernelValue &value, StringRef path) {
  Expected<NpyArray> array = loadArray(value, path, {NpyType::Int64}, 1);
  if (!array)
    return array.takeError();
  if (array->getNumElements() != static_cast<int64_t>(value.words.size()))
    return makeError(value.label + ": expected " + Twine(value.words.size()) +
                     " sizes for " + toText(value.type) + ", '" + path +
                     "' holds " + Twine(array->getNumElements()));
  std::memcpy(value.words.data(), array->getData(), array->getNumBytes());
  return Error::success();
}

static Error loadScalar(KernelValue &value, StringRef path) {
  Expected<NpyArray> array =
      loadArray(value, path, getNpyTypes(value.type), /*rank=*/0);
  if (!array)
    return array.takeError();
  value.npyType = writtenType(array->getType());
  std::memcpy(value.words.data(), array->getData(), array->getNumBytes());
  return Error::success();
}

/// Fills `value` from what the command line says.
static Error load(KernelValue &value, StringRef text) {
  StringRef path = text.trim();
  if (path.consume_front("@")) {
    if (path.empty())
      return makeError(value.label + ": '@' needs the name of a .npy file");
    if (value.isMemRef())
      return loadMemRef(value, path);
    return isStructure(value.type) ? loadSizes(value, path)
                                   : loadScalar(value, path);
  }
  if (value.isMemRef())
    return makeError(value.label + ": expected @FILE.npy for " +
                     toText(value.type) + ", got '" + text + "'");
  if (isStructure(value.type))
    return parseSizes(value, text);
  return isa<FloatType>(value.type) ? parseFloatScalar(value, text)
                                    : parseIntegerScalar(value, text);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> KernelValue::getShape() const {
  auto memref = dyn_cast<MemRefType>(type);
  if (memref)
    return ArrayRef(words).slice(3, memref.getRank());
  return {};
}

ArrayRef<int64_t> KernelValue::getStrides() const {
  auto memref = dyn_cast<MemRefType>(type);
  if (memref)
    return ArrayRef(words).slice(3 + memref.getRank(), memref.getRank());
  return {};
}

const char *KernelValue::getElements() const {
  if (!isMemRef())
    return reinterpret_cast<const char *>(words.data());
  return reinterpret_cast<const char *>(words[1]) +
         words[2] * getNpyBytes(npyType);
}

/// How messages call parameter `index`.
static std::string getLabel(func::FuncOp function, unsigned index) {
  std::string label = "argument " + std::to_string(index);
  if (StringAttr name = givenName(function, index))
    label += " '" + name.getValue().str() + "'";
  return label;
}

Expected<KernelArguments> KernelArguments::create(func::FuncOp function,
                                                  ArrayRef<std::string> texts) {
  KernelArguments arguments;
  mlir::FunctionType type = function.getFunctionType();
  arguments.numParameters = type.getNumInputs();
  if (texts.size() != type.getNumInputs())
    return makeError("'" + function.getSymName() + "' takes " +
                     Twine(type.getNumInputs()) + " arguments, got " +
                     Twine(texts.size()));
  for (auto [index, input] : llvm::enumerate(type.getInputs())) {
    KernelValue &value = arguments.values.emplace_back();
    value.label = getLabel(function, index);
    value.type = input;
    if (Error error = prepare(value))
      return std::move(error);
  }
  for (auto [index, result] : llvm::enumerate(type.getResults())) {
    KernelValue &value = arguments.values.emplace_back();
    value.label = "result " + std::to_string(index);
    value.type = result;
    if (Error error = prepare(value))
      return std::move(error);
  }
  for (auto [value, text] : llvm::zip(arguments.values, texts))
    if (Error error = load(value, text))
      return std::move(error);
  return arguments;
}

SmallVector<void *> KernelArguments::getPointers() {
  SmallVector<void *> pointers;
  for (KernelValue &value : values)
    pointers.push_back(value.words.data());
  return pointers;
}

Error ember::saveValue(const KernelValue &value, StringRef path) {
  if (isStructure(value.type)) {
    int64_t extent = value.words.size();
    int64_t stride = 1;
    return writeNpy(path,
                    {NpyType::Int64, extent, stride, value.getElements()});
  }
  return writeNpy(path, {value.npyType, value.getShape(), value.getStrides(),
                         value.getElements()});
}
