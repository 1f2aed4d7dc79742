//===- TokenText.cpp - Streams as text and as lists -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/IR/TokenText.h"

#include "ember/Dialect/SAM/IR/SAM.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::sam;

//===----------------------------------------------------------------------===//
// From text
//===----------------------------------------------------------------------===//

/// A number of a type; null if it is none.
static TypedAttr parseValue(llvm::StringRef text, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    llvm::APFloat number(type.getFloatSemantics());
    auto status =
        number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return {};
    }
    return FloatAttr::get(type, number);
  }
  int64_t number;
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (text.getAsInteger(10, number) ||
      (width < 64 && !llvm::APInt(64, number, true).isSignedIntN(width) &&
       !llvm::APInt(64, number, true).isIntN(width)))
    return {};
  return IntegerAttr::get(element,
                          llvm::APInt(64, number, true).sextOrTrunc(width));
}

namespace {
/// Reads tokens one by one.
class TokenReader {
public:
  TokenReader(Type type, std::string &reason) : type(type), reason(reason) {
    lists.segments.assign(*getDepth(type), {0});
    lists.hasValues = isa<ValuesType>(type);
    lists.hasWords = isa<BitVectorsType>(type);
  }

  bool take(llvm::StringRef token) {
    if (isDone)
      return fail("'" + token.str() + "' follows D");
    if (isComplete() && token != "D")
      return fail("'" + token.str() +
                  "' follows the end of the outermost list");
    if (token == "D") {
      isDone = true;
      return isComplete() || fail("D comes before the end of the lists");
    }
    if (token == "N")
      return addNothing();
    if (token.starts_with("S"))
      return takeStop(token);
    return takeData(token);
  }

  std::optional<StreamLists> finish() {
    if (!isDone) {
      fail("D is missing at the end");
      return std::nullopt;
    }
    return std::move(lists);
  }

private:
  bool fail(const std::string &message) {
    reason = message;
    return false;
  }

  bool isComplete() const {
    return lists.depth() ? lists.count(0) == 1 : lists.size() == 1;
  }

  bool addNothing() {
    if (isa<CoordinatesType>(type))
      return fail("a coordinate is never N");
    if (lists.hasWords)
      return fail("a word of bits is never N");
    if (lists.hasValues)
      lists.values.emplace_back();
    else
      lists.numbers.push_back(StreamLists::nothing);
    return true;
  }

  bool takeData(llvm::StringRef token) {
    if (lists.hasValues) {
      TypedAttr value = parseValue(token, cast<ValuesType>(type).getElement());
      if (!value)
        return fail("'" + token.str() + "' is no value");
      lists.values.push_back(value);
      return true;
    }
    if (auto words = dyn_cast<BitVectorsType>(type)) {
      uint64_t word;
      if (token.getAsInteger(10, word) ||
          !llvm::isUIntN(words.getWidth(), word))
        return fail("'" + token.str() + "' is no word of " +
                    std::to_string(words.getWidth()) + " bits");
      lists.numbers.push_back(static_cast<int64_t>(word));
      return true;
    }
    int64_t number;
    if (token.getAsInteger(10, number) || number < 0)
      return fail("'" + token.str() + "' is neither a number, N, S nor D");
    bool continues = lists.size() > lists.segments.back().back();
    if (isa<CoordinatesType>(type) && continues &&
        number <= lists.numbers.back())
      return fail("the coordinate " + token.str() + " follows " +
                  std::to_string(lists.numbers.back()));
    lists.numbers.push_back(number);
    return true;
  }

  /// Ends an innermost list, and as many around it as the stop says.
  bool takeStop(llvm::StringRef token) {
    unsigned level;
    if (token.drop_front().getAsInteger(10, level))
      return fail("'" + token.str() + "' is neither a number, N, S nor D");
    if (level >= lists.depth())
      return fail(token.str() + " ends more lists than the " +
                  std::to_string(lists.depth()) + " that there are");
    for (unsigned ended = 0; ended <= level; ++ended) {
      unsigned at = lists.depth() - 1 - ended;
      lists.segments[at].push_back(lists.count(at + 1));
    }
    return true;
  }

  Type type;
  std::string &reason;
  StreamLists lists;
  bool isDone = false;
};
} // namespace

std::optional<StreamLists>
ember::sam::parseTokens(llvm::StringRef text, Type type, std::string &reason) {
  TokenReader reader(type, reason);
  SmallVector<llvm::StringRef> tokens;
  llvm::SplitString(text, tokens);
  for (llvm::StringRef token : tokens)
    if (!reader.take(token))
      return std::nullopt;
  return reader.finish();
}

//===----------------------------------------------------------------------===//
// To text
//===----------------------------------------------------------------------===//

static std::string printValue(TypedAttr value) {
  if (!value)
    return "N";
  if (auto number = dyn_cast<FloatAttr>(value)) {
    llvm::SmallString<16> text;
    number.getValue().toString(text);
    return text.str().str();
  }
  return llvm::toString(cast<IntegerAttr>(value).getValue(), 10,
                        !value.getType().isInteger(1));
}

namespace {
struct TokenWriter {
  const StreamLists &stream;
  std::vector<std::string> tokens = {};
  /// The level of the stop that was written last; none behind data.
  std::optional<unsigned> stop = std::nullopt;

  void writeData(int64_t number) {
    writeStop();
    if (stream.hasValues)
      tokens.push_back(printValue(stream.values[number]));
    else if (stream.hasWords)
      tokens.push_back(
          std::to_string(static_cast<uint64_t>(stream.numbers[number])));
    else if (stream.numbers[number] == StreamLists::nothing)
      tokens.push_back("N");
    else
      tokens.push_back(std::to_string(stream.numbers[number]));
  }

  void writeStop() {
    if (stop)
      tokens.push_back("S" + std::to_string(*stop));
    stop.reset();
  }

  void writeList(unsigned level, int64_t list) {
    int64_t begin = stream.segments[level][list];
    int64_t end = stream.segments[level][list + 1];
    bool isInnermost = level + 1 == stream.depth();
    for (int64_t element = begin; element < end; ++element)
      if (isInnermost)
        writeData(element);
      else
        writeList(level + 1, element);
    // The stop of what ended last in it is that of both.
    if (isInnermost || begin == end)
      writeStop();
    stop = stream.depth() - 1 - level;
  }
};
} // namespace

std::string ember::sam::printTokens(const StreamLists &stream) {
  TokenWriter writer{stream};
  if (stream.depth() == 0)
    writer.writeData(0);
  else
    writer.writeList(0, 0);
  writer.writeStop();
  writer.tokens.push_back("D");
  return llvm::join(writer.tokens, " ");
}
