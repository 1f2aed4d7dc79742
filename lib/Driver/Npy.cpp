//===- Npy.cpp - Arrays in NumPy's .npy files -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npy file is a magic string, a version, a header that is a Python dict
// literal of three known keys, and the elements. The header is parsed by hand:
// it is small, and every way it can be wrong gets its own message.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Npy.h"
#include "ember/Driver/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <unistd.h>

using namespace llvm;
using namespace ember;

namespace {

struct NpyTypeRow {
  NpyType type;
  StringRef descriptor;
  StringRef name;
  unsigned bytes;
};

constexpr NpyTypeRow typeTable[] = {
    {NpyType::Bool, "|b1", "bool", 1},
    {NpyType::Int8, "|i1", "int8", 1},
    {NpyType::Int16, "<i2", "int16", 2},
    {NpyType::Int32, "<i4", "int32", 4},
    {NpyType::Int64, "<i8", "int64", 8},
    {NpyType::UInt8, "|u1", "uint8", 1},
    {NpyType::UInt16, "<u2", "uint16", 2},
    {NpyType::UInt32, "<u4", "uint32", 4},
    {NpyType::UInt64, "<u8", "uint64", 8},
    {NpyType::Float16, "<f2", "float16", 2},
    {NpyType::Float32, "<f4", "float32", 4},
    {NpyType::Float64, "<f8", "float64", 8},
    {NpyType::Raw8, "|V1", "1 raw byte", 1},
    {NpyType::Raw16, "<V2", "2 raw bytes", 2},
    {NpyType::Float8, "<f1", "float8", 1},
};

const NpyTypeRow &lookup(NpyType type) {
  return typeTable[static_cast<unsigned>(type)];
}

constexpr StringLiteral magic("\x93NUMPY");
constexpr size_t dataAlignment = 64;
constexpr unsigned maxRank = 64;

struct Header {
  NpyType type = NpyType::Bool;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

/// Parses the Python dict literal of a header.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  Expected<Header> parse();

private:
  Error parseEntry(StringRef key);
  Error parseDescriptor();
  Error parseOrder();
  Error parseShape();
  Expected<StringRef> parseString();

  bool consume(char c) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&c, 1));
  }

  StringRef rest;
  std::optional<NpyType> type;
  std::optional<bool> fortranOrder;
  std::optional<SmallVector<int64_t>> shape;
};

} // namespace

StringRef ember::getNpyDescriptor(NpyType type) {
  return lookup(type).descriptor;
}
StringRef ember::getNpyName(NpyType type) { return lookup(type).name; }
unsigned ember::getNpyBytes(NpyType type) { return lookup(type).bytes; }

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The number of elements of `shape`, unless their bytes overflow.
static std::optional<int64_t> countElements(ArrayRef<int64_t> shape,
                                            unsigned bytes) {
  // An extent of zero makes the product zero whatever the others are, but the
  // strides of the others still have to be representable.
  int64_t dense = bytes;
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (MulOverflow(dense, std::max<int64_t>(extent, 1), dense))
      return std::nullopt;
    elements *= extent;
  }
  return elements;
}

SmallVector<int64_t> ember::getDenseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

Expected<NpyArray> NpyArray::allocate(NpyType type, ArrayRef<int64_t> shape) {
  std::optional<int64_t> elements = countElements(shape, getNpyBytes(type));
  if (!elements)
    return makeError("its size overflows 64 bits");
  NpyArray array;
  array.type = type;
  array.shape.assign(shape.begin(), shape.end());
  array.numElements = *elements;
  // Never empty: a kernel may compare the addresses of empty arrays.
  size_t bytes =
      alignTo(std::max<int64_t>(array.getNumBytes(), 1), dataAlignment);
  array.data.reset(
      static_cast<char *>(std::aligned_alloc(dataAlignment, bytes)));
  if (!array.data)
    return makeError("not enough memory for its " + Twine(array.getNumBytes()) +
                     " bytes");
  return array;
}

/// Visits the elements of a strided array in C order as runs of consecutive
/// elements: run(offset of the first one, number of elements).
static void forEachRun(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                       llvm::function_ref<void(int64_t, int64_t)> run,
                       int64_t offset = 0) {
  if (is_contained(shape, 0))
    return;
  if (shape.empty())
    return run(offset, 1);
  if (shape.size() == 1 && strides.front() == 1)
    return run(offset, shape.front());
  for (int64_t i = 0; i < shape.front(); ++i)
    forEachRun(shape.drop_front(), strides.drop_front(), run,
               offset + i * strides.front());
}

/// `source` holds the elements of `target` in Fortran order.
static void copyFromFortranOrder(const NpyArray &target, const char *source) {
  SmallVector<int64_t> reversed(llvm::reverse(target.getShape()));
  SmallVector<int64_t> strides(llvm::reverse(getDenseStrides(reversed)));
  unsigned bytes = getNpyBytes(target.getType());
  char *out = target.getData();
  forEachRun(target.getShape(), strides, [&](int64_t offset, int64_t count) {
    std::memcpy(out, source + offset * bytes, count * bytes);
    out += count * bytes;
  });
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

Expected<StringRef> HeaderParser::parseString() {
  rest = rest.ltrim();
  if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
    return makeError("its header is not a Python dict of descr, fortran_order "
                     "and shape");
  size_t end = rest.find(rest.front(), 1);
  if (end == StringRef::npos)
    return makeError("its header holds an unterminated string");
  StringRef text = rest.slice(1, end);
  rest = rest.drop_front(end + 1);
  return text;
}

Error HeaderParser::parseDescriptor() {
  rest = rest.ltrim();
  if (rest.starts_with("["))
    return makeError("its elements are structures, which kernels do not take");
  Expected<StringRef> descriptor = parseString();
  if (!descriptor)
    return descriptor.takeError();
  if (descriptor->starts_with(">"))
    return makeError("its elements ('" + *descriptor +
                     "') are big-endian; save it as little-endian");
  // Byte order does not matter for single bytes, nor for raw ones.
  for (const NpyTypeRow &row : typeTable)
    if (descriptor->size() == row.descriptor.size() &&
        descriptor->drop_front() == row.descriptor.drop_front() &&
        StringRef("<|=").contains(descriptor->front()))
      type = row.type;
  if (!type)
    return makeError("its element type '" + *descriptor +
                     "' is not one that kernels take");
  return Error::success();
}

Error HeaderParser::parseOrder() {
  rest = rest.ltrim();
  if (rest.consume_front("True"))
    fortranOrder = true;
  else if (rest.consume_front("False"))
    fortranOrder = false;
  else
    return makeError("fortran_order in its header is neither True nor False");
  return Error::success();
}

Error HeaderParser::parseShape() {
  if (!consume('('))
    return makeError("shape in its header is not a tuple");
  shape.emplace();
  while (!consume(')')) {
    StringRef digits = rest.take_while(isDigit);
    int64_t extent;
    if (digits.empty())
      return makeError("shape in its header is not a tuple of extents");
    if (digits.getAsInteger(10, extent))
      return makeError("the extent " + digits +
                       " in its header overflows 64 bits");
    rest = rest.drop_front(digits.size());
    rest.consume_front("L"); // Python 2 wrote long integers so.
    shape->push_back(extent);
    if (shape->size() > maxRank)
      return makeError("its rank exceeds " + Twine(maxRank) +
                       ", which is NumPy's limit");
    if (!consume(',') && !rest.starts_with(")"))
      return makeError("shape in its header is not a tuple of extents");
  }
  return Error::success();
}

Error HeaderParser::parseEntry(StringRef key) {
  bool known = key == "descr" || key == "fortran_order" || key == "shape";
  if (!known)
    return makeError("its header has an unknown key '" + key + "'");
  if ((key == "descr" && type) || (key == "fortran_order" && fortranOrder) ||
      (key == "shape" && shape))
    return makeError("its header has the key '" + key + "' twice");
  if (!consume(':'))
    return makeError("its header lacks a ':' after '" + key + "'");
  if (key == "descr")
    return parseDescriptor();
  if (key == "fortran_order")
    return parseOrder();
  return parseShape();
}

Expected<Header> HeaderParser::parse() {
  if (!consume('{'))
    return makeError("its header is not a Python dict of descr, fortran_order "
                     "and shape");
  while (!consume('}')) {
    Expected<StringRef> key = parseString();
    if (!key)
      return key.takeError();
    if (Error error = parseEntry(*key))
      return std::move(error);
    if (!consume(',') && !rest.starts_with("}"))
      return makeError("its header lacks a ',' after '" + *key + "'");
  }
  if (!rest.trim().empty())
    return makeError("its header goes on after the dict");
  if (!type || !fortranOrder || !shape)
    return makeError("its header lacks '" +
                     Twine(!type           ? "descr"
                           : !fortranOrder ? "fortran_order"
                                           : "shape") +
                     "'");
  return Header{*type, *fortranOrder, std::move(*shape)};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Reads exactly `bytes` bytes, however the system portions them.
static Error readExactly(sys::fs::file_t file, char *buffer, int64_t bytes,
                         const Twine &what) {
  int64_t done = 0;
  while (done < bytes) {
    Expected<size_t> count = sys::fs::readNativeFile(
        file, MutableArrayRef<char>(buffer + done, bytes - done));
    if (!count)
      return count.takeError();
    if (*count == 0)
      return makeError("the file is truncated: " + what + " needs " +
                       Twine(bytes) + " bytes, " + Twine(done) + " are there");
    done += *count;
  }
  return Error::success();
}

/// Reads everything up to the elements. `size` is the file's, -1 for a pipe.
static Expected<Header> readHeader(sys::fs::file_t file, int64_t size,
                                   int64_t &position) {
  char prefix[12];
  if (size == 0)
    return makeError("the file is empty");
  if (Error error = readExactly(file, prefix, 8, "the start of a .npy file"))
    return std::move(error);
  if (!StringRef(prefix, 8).starts_with(magic))
    return makeError("not a .npy file");
  unsigned major = static_cast<unsigned char>(prefix[6]);
  unsigned minor = static_cast<unsigned char>(prefix[7]);
  if (major < 1 || major > 3 || minor != 0)
    return makeError("version " + Twine(major) + "." + Twine(minor) +
                     " of the .npy format is not known (1.0, 2.0, 3.0 are)");
  unsigned lengthBytes = major == 1 ? 2 : 4;
  if (Error error =
          readExactly(file, prefix + 8, lengthBytes, "the header's length"))
    return std::move(error);
  uint32_t length = major == 1 ? support::endian::read16le(prefix + 8)
                               : support::endian::read32le(prefix + 8);
  // NumPy's own headers take some hundred bytes; no allocation on a wild size.
  constexpr uint32_t maxLength = 1 << 20;
  if (length > maxLength)
    return makeError("its header claims " + Twine(length) + " bytes");
  std::string text(length, '\0');
  if (Error error = readExactly(file, text.data(), length, "the header"))
    return std::move(error);
  position = 8 + lengthBytes + length;
  return HeaderParser(text).parse();
}

/// A bool of another value than 0 and 1 is undefined behaviour in a kernel.
static Error checkBools(const NpyArray &array) {
  if (array.getType() != NpyType::Bool)
    return Error::success();
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    if (static_cast<unsigned char>(array.getData()[i]) > 1)
      return makeError("element " + Twine(i) + " is neither True nor False");
  return Error::success();
}

static Expected<NpyArray> readArray(sys::fs::file_t file) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(file, status))
    return errorCodeToError(code);
  if (sys::fs::is_directory(status))
    return errorCodeToError(make_error_code(std::errc::is_a_directory));
  int64_t size = sys::fs::is_regular_file(status)
                     ? static_cast<int64_t>(status.getSize())
                     : -1;
  int64_t position = 0;
  Expected<Header> header = readHeader(file, size, position);
  if (!header)
    return header.takeError();

  std::optional<int64_t> elements =
      countElements(header->shape, getNpyBytes(header->type));
  if (!elements)
    return makeError("its size overflows 64 bits");
  int64_t bytes = *elements * getNpyBytes(header->type);
  // Before the allocation, which a wrong shape could make enormous.
  if (size >= 0 && size - position != bytes)
    return makeError((size - position < bytes
                          ? "the file is truncated: its shape needs "
                          : "the file is too long: its shape needs ") +
                     Twine(bytes) + " bytes of elements, " +
                     Twine(size - position) + " are there");

  Expected<NpyArray> array = NpyArray::allocate(header->type, header->shape);
  if (!array)
    return array;
  if (Error error = readExactly(file, array->getData(), bytes, "its shape"))
    return std::move(error);
  if (Error error = checkBools(*array))
    return std::move(error);
  if (!header->fortranOrder || header->shape.size() < 2)
    return array;
  Expected<NpyArray> reordered =
      NpyArray::allocate(header->type, header->shape);
  if (reordered)
    copyFromFortranOrder(*reordered, array->getData());
  return reordered;
}

Expected<NpyArray> ember::readNpy(StringRef path) {
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  Expected<NpyArray> array =
      file ? readArray(*file) : Expected<NpyArray>(file.takeError());
  if (file)
    sys::fs::closeFile(*file);
  if (!array)
    return makeError("cannot read '" + path +
                     "': " + toString(array.takeError()));
  return array;
}

/// The header of an array in C order, padded so that the elements are aligned.
static std::string getHeader(NpyType type, ArrayRef<int64_t> shape) {
  std::string text;
  raw_string_ostream os(text);
  os << "{'descr': '" << getNpyDescriptor(type)
     << "', 'fortran_order': False, 'shape': (";
  interleave(shape, os, ", ");
  os << (shape.size() == 1 ? ",), }" : "), }");
  // Version 1 has two bytes for the length, the later ones four.
  bool isLong = text.size() > 0xff00;
  size_t prefix = magic.size() + 2 + (isLong ? 4 : 2);
  size_t padded = alignTo(prefix + text.size() + 1, dataAlignment);
  text.append(padded - prefix - text.size() - 1, ' ');
  text.push_back('\n');
  std::string header = (magic + StringRef(isLong ? "\2\0" : "\1\0", 2)).str();
  for (unsigned byte = 0; byte < (isLong ? 4u : 2u); ++byte)
    header.push_back(static_cast<char>(text.size() >> (8 * byte)));
  return header + text;
}

Error ember::writeNpy(StringRef path, const NpyView &array) {
  unsigned bytes = getNpyBytes(array.type);
  bool isDense = array.strides == ArrayRef(getDenseStrides(array.shape));
  return writeFile(path, [&](raw_ostream &os) {
    os << getHeader(array.type, array.shape);
    if (isDense) {
      int64_t elements = *countElements(array.shape, bytes);
      os.write(array.data, elements * bytes);
      return;
    }
    forEachRun(array.shape, array.strides, [&](int64_t offset, int64_t count) {
      os.write(array.data + offset * bytes, count * bytes);
    });
  });
}
