//===- ElementFile.cpp - Text files that list elements --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/ElementFile.h"

#include "ember/Driver/Files.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ember;

/// The line by which MLIR's runtime knows that sizes follow.
static constexpr StringLiteral extendedHeader = "# extended FROSTT format";

bool ember::isElementFile(StringRef path) {
  return path.ends_with_insensitive(".mtx") ||
         path.ends_with_insensitive(".tns");
}

namespace {
/// Reads lines of words, and knows which it is at.
class LineReader {
public:
  LineReader(StringRef path, StringRef text) : path(path), rest(text) {}

  /// The words of the next line that has some and is no comment.
  bool next(char comment) {
    while (!rest.empty()) {
      StringRef line;
      std::tie(line, rest) = rest.split('\n');
      ++number;
      line = line.trim();
      if (line.empty() || line.front() == comment)
        continue;
      words.clear();
      SplitString(line, words);
      return true;
    }
    ++number;
    return false;
  }

  ArrayRef<StringRef> getWords() const { return words; }
  StringRef getRest() const { return rest; }

  Error wrong(const Twine &what) const {
    return makeError("'" + path + "', line " + Twine(number) + ": " + what);
  }

  /// A whole number at a word of the line.
  Error read(size_t word, int64_t least, int64_t &value, StringRef what) const {
    if (word < words.size() && !words[word].getAsInteger(10, value) &&
        value >= least)
      return Error::success();
    return wrong("expected " + what + ", a whole number from " + Twine(least) +
                 (word < words.size() ? ", not '" + words[word] + "'"
                                      : Twine(", and the line ends")));
  }

private:
  StringRef path;
  StringRef rest;
  SmallVector<StringRef, 8> words;
  size_t number = 0;
};

/// What the first line of a .mtx file says.
struct MatrixHeader {
  bool isListed = true;
  bool isPattern = false;
  bool isSymmetric = false;
  bool isSkew = false;
};
} // namespace

/// Appends an element of the line, whose coordinates count from 1.
static Error appendElement(const LineReader &line, ElementList &list,
                           bool hasValue) {
  size_t rank = list.shape.size();
  ElementList::Element element;
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    int64_t coordinate = 0;
    if (Error error = line.read(dimension, 1, coordinate, "a coordinate"))
      return error;
    if (coordinate > list.shape[dimension])
      return line.wrong("coordinate " + Twine(coordinate) + " of dimension " +
                        Twine(dimension) + " is past its size, " +
                        Twine(list.shape[dimension]));
    element.coordinates.push_back(coordinate - 1);
  }
  if (line.getWords().size() != rank + hasValue)
    return line.wrong("expected " + Twine(rank) + " coordinates" +
                      (hasValue ? " and a value" : " and no value") +
                      ", and there are " + Twine(line.getWords().size()) +
                      " words");
  element.value = hasValue ? line.getWords().back() : StringRef("1");
  list.elements.push_back(std::move(element));
  return Error::success();
}

static Expected<MatrixHeader> readMatrixHeader(const LineReader &line) {
  ArrayRef<StringRef> words = line.getWords();
  if (words.size() != 5 || !words[0].equals_insensitive("%%MatrixMarket") ||
      !words[1].equals_insensitive("matrix"))
    return line.wrong("expected '%%MatrixMarket matrix ...'");
  auto is = [&](size_t word, StringRef text) {
    return words[word].equals_insensitive(text);
  };
  MatrixHeader header;
  header.isListed = is(2, "coordinate");
  header.isPattern = is(3, "pattern");
  header.isSkew = is(4, "skew-symmetric");
  header.isSymmetric = header.isSkew || is(4, "symmetric");
  if (!header.isListed && !is(2, "array"))
    return line.wrong("'" + words[2] + "' is neither coordinate nor array");
  if (!header.isPattern && !is(3, "real") && !is(3, "integer") &&
      !is(3, "double"))
    return line.wrong("elements that are '" + words[3] +
                      "' are not read: real, integer and pattern are");
  if (!header.isSymmetric && !is(4, "general"))
    return line.wrong(
        "a matrix that is '" + words[4] +
        "' is not read: general, symmetric and skew-symmetric ones are");
  if (!header.isListed && (header.isPattern || header.isSymmetric))
    return line.wrong("an array with all elements has values, and is general");
  return header;
}

/// The elements of a matrix that has all of them, column by column.
static Error readColumns(LineReader &line, ElementList &list) {
  for (int64_t column = 0; column < list.shape[1]; ++column)
    for (int64_t row = 0; row < list.shape[0]; ++row) {
      if (!line.next('%') || line.getWords().size() != 1)
        return line.wrong("expected the element at row " + Twine(row + 1) +
                          " and column " + Twine(column + 1));
      list.elements.push_back({{row, column}, line.getWords().front(), false});
    }
  return Error::success();
}

static Error readMatrix(LineReader &line, ElementList &list) {
  if (!line.next('\0'))
    return line.wrong("the file is empty");
  Expected<MatrixHeader> header = readMatrixHeader(line);
  if (!header)
    return header.takeError();
  if (!line.next('%'))
    return line.wrong("expected the sizes");
  int64_t rows = 0, columns = 0, count = 0;
  if (Error error = line.read(0, 0, rows, "the number of rows"))
    return error;
  if (Error error = line.read(1, 0, columns, "the number of columns"))
    return error;
  list.shape = {rows, columns};
  if (!header->isListed) {
    if (Error error = readColumns(line, list))
      return error;
  } else {
    if (Error error = line.read(2, 0, count, "the number of elements"))
      return error;
    for (int64_t element = 0; element < count; ++element) {
      if (!line.next('%'))
        return line.wrong("the file ends, and has " + Twine(element) + " of " +
                          Twine(count) + " elements");
      if (Error error = appendElement(line, list, !header->isPattern))
        return error;
    }
  }
  if (line.next('%'))
    return line.wrong("there are more elements than the file says");
  if (!header->isSymmetric)
    return Error::success();
  for (size_t number = 0, end = list.elements.size(); number < end; ++number) {
    ElementList::Element mirrored = list.elements[number];
    if (mirrored.coordinates[0] == mirrored.coordinates[1])
      continue;
    std::swap(mirrored.coordinates[0], mirrored.coordinates[1]);
    mirrored.isNegated = header->isSkew;
    list.elements.push_back(std::move(mirrored));
  }
  return Error::success();
}

/// Sizes that the file has, behind the line that announces them.
static Error readSizes(LineReader &line, ElementList &list, int64_t &count) {
  int64_t rank = 0;
  if (!line.next('#'))
    return line.wrong("expected the number of dimensions and of elements");
  if (Error error = line.read(0, 1, rank, "the number of dimensions"))
    return error;
  if (Error error = line.read(1, 0, count, "the number of elements"))
    return error;
  if (!line.next('#') || int64_t(line.getWords().size()) != rank)
    return line.wrong("expected " + Twine(rank) + " sizes");
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    int64_t size = 0;
    if (Error error = line.read(dimension, 0, size, "a size"))
      return error;
    list.shape.push_back(size);
  }
  return Error::success();
}

static Error readTensor(LineReader &line, ElementList &list) {
  if (line.getRest().starts_with(extendedHeader)) {
    int64_t count = 0;
    if (Error error = readSizes(line, list, count))
      return error;
    while (line.next('#'))
      if (Error error = appendElement(line, list, /*hasValue=*/true))
        return error;
    if (int64_t(list.elements.size()) != count)
      return line.wrong("the file has " + Twine(list.elements.size()) + " of " +
                        Twine(count) + " elements");
    return Error::success();
  }
  // Without sizes, dimensions are as long as the coordinates need.
  SmallVector<int64_t> longest;
  while (line.next('#')) {
    if (list.shape.empty()) {
      size_t rank = line.getWords().size() - 1;
      list.shape.assign(rank, std::numeric_limits<int64_t>::max());
      longest.assign(rank, 0);
    }
    if (Error error = appendElement(line, list, /*hasValue=*/true))
      return error;
    for (auto [size, coordinate] :
         zip(longest, list.elements.back().coordinates))
      size = std::max(size, coordinate + 1);
  }
  if (longest.empty())
    return line.wrong("there is no element with coordinates, and nothing says "
                      "how large the tensor is");
  list.shape = longest;
  return Error::success();
}

Expected<ElementList> ember::readElementFile(StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  ElementList list;
  list.buffer = std::move(*buffer);
  LineReader line(path, list.buffer->getBuffer());
  Error error = path.ends_with_insensitive(".mtx") ? readMatrix(line, list)
                                                   : readTensor(line, list);
  if (error)
    return std::move(error);
  return list;
}

Error ember::writeElementFile(StringRef path, ArrayRef<int64_t> shape,
                              size_t count,
                              function_ref<void(ElementPrinter)> list) {
  bool isMatrix = path.ends_with_insensitive(".mtx");
  if (isMatrix && shape.size() != 2)
    return makeError("'" + path + "' would hold a matrix, and there are " +
                     Twine(shape.size()) + " dimensions: .tns holds them");
  if (shape.empty())
    return makeError("'" + path +
                     "' would list elements by coordinates, and a number has "
                     "none: .npy holds it");
  return writeFile(path, [&](raw_ostream &os) {
    if (isMatrix)
      os << "%%MatrixMarket matrix coordinate real general\n";
    else
      os << extendedHeader << "\n" << shape.size() << " " << count << "\n";
    interleave(shape, os, " ");
    if (isMatrix)
      os << " " << count;
    os << "\n";
    list([&](ArrayRef<int64_t> coordinates, StringRef value) {
      for (int64_t coordinate : coordinates)
        os << coordinate + 1 << " ";
      os << value << "\n";
    });
  });
}
