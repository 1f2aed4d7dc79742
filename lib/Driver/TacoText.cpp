//===- TacoText.cpp - Statements in TACO's syntax -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/TacoText.h"

#include "ember/Driver/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace ember;

namespace {

/// One word of an expression: a name, a number or a character.
struct Token {
  StringRef text;
  size_t column;

  bool isName() const { return !text.empty() && isAlpha(text.front()); }
  bool is(StringRef other) const { return text == other; }
};

/// Rewrites expressions: `A(i,j)` is `A[i,j]`, and a name means one thing.
class ExpressionRewriter {
public:
  /// Finds the names of tensors and variables.
  Error read(StringRef text);

  /// The expression or statement in index notation.
  Expected<std::string> rewrite(StringRef text) const;

  std::string getVariable(StringRef name) const {
    auto known = variables.find(name);
    return known == variables.end() ? name.str() : known->second;
  }

  /// What a tensor is called; nothing if the statement has none of that name.
  std::optional<std::string> getTensor(StringRef name) const {
    auto known = tensors.find(name);
    if (known == tensors.end())
      return std::nullopt;
    return known->second;
  }

  /// How many variables a tensor of the statement has.
  size_t getRank(StringRef name) const { return ranks.lookup(name); }

  ArrayRef<std::string> getTensorNames() const { return tensorNames; }

  /// A name for the result where it is not the tensor of that name, which the
  /// statement reads.
  std::string makeResultName();

private:
  static Expected<std::vector<Token>> split(StringRef text);

  /// Calls `onTensor` with names of tensors and their variables, and `onOther`
  /// with all other tokens.
  static Error
  visit(StringRef text,
        llvm::function_ref<void(StringRef, ArrayRef<StringRef>)> onTensor,
        llvm::function_ref<void(StringRef)> onOther);

  std::string makeName(StringRef name, llvm::StringSet<> &taken) const;

  /// What TACO's names are in the statement.
  llvm::StringMap<std::string> tensors, variables;
  /// How many variables tensors have, by TACO's names.
  llvm::StringMap<size_t> ranks;
  /// TACO's names of tensors, in the order in which they stand.
  std::vector<std::string> tensorNames;
};

} // namespace

static Error makeExpressionError(size_t column, const Twine &message) {
  return makeError("--taco: column " + Twine(column + 1) +
                   " of the expression: " + message);
}

Expected<std::vector<Token>> ExpressionRewriter::split(StringRef text) {
  std::vector<Token> tokens;
  for (size_t place = 0; place < text.size();) {
    StringRef rest = text.drop_front(place);
    size_t length = 1;
    if (isAlpha(rest.front())) {
      length = rest.take_while([](char c) { return isAlnum(c); }).size();
    } else if (isDigit(rest.front()) || rest.front() == '.') {
      length =
          rest.take_while([](char c) { return isDigit(c) || c == '.'; }).size();
      double number;
      if (!to_float(rest.take_front(length), number))
        return makeExpressionError(place, "'" + rest.take_front(length) +
                                              "' is no number");
    } else if (rest.front() == '_') {
      return makeExpressionError(
          place, "subscripts are in parentheses: A(i,j) for A_ij");
    } else if (rest.starts_with("+=")) {
      length = 2;
    } else if (!isSpace(rest.front()) &&
               !StringRef("+-*/=(),").contains(rest.front())) {
      return makeExpressionError(
          place, "'" + rest.take_front() +
                     "' has no meaning there; there are names, numbers and "
                     "+ - * / = ( ) ,");
    }
    if (!isSpace(rest.front()))
      tokens.push_back({rest.take_front(length), place});
    place += length;
  }
  return tokens;
}

Error ExpressionRewriter::visit(
    StringRef text,
    llvm::function_ref<void(StringRef, ArrayRef<StringRef>)> onTensor,
    llvm::function_ref<void(StringRef)> onOther) {
  Expected<std::vector<Token>> split = ExpressionRewriter::split(text);
  if (!split)
    return split.takeError();
  ArrayRef<Token> rest = *split;
  while (!rest.empty()) {
    Token token = rest.consume_front();
    if (!token.isName()) {
      onOther(token.text);
      continue;
    }
    SmallVector<StringRef> indices;
    if (!rest.empty() && rest.front().is("(")) {
      rest = rest.drop_front();
      bool isEnd = !rest.empty() && rest.front().is(")");
      while (!isEnd) {
        if (rest.size() < 2 || !rest[0].isName() ||
            !(rest[1].is(",") || rest[1].is(")")))
          return makeExpressionError(
              rest.empty() ? text.size() : rest.front().column,
              "expected the variables of '" + token.text +
                  "', such as i,j, and then ')'");
        indices.push_back(rest[0].text);
        isEnd = rest[1].is(")");
        rest = rest.drop_front(isEnd ? 1 : 2);
      }
      rest = rest.drop_front();
    }
    onTensor(token.text, indices);
  }
  return Error::success();
}

std::string ExpressionRewriter::makeResultName() {
  llvm::StringSet<> taken;
  for (const auto *names : {&tensors, &variables})
    for (const auto &entry : *names)
      taken.insert(entry.second);
  return makeName("new_" + tensors.lookup(tensorNames.front()), taken);
}

/// A name that is nothing else in the statement, and no word of index notation.
std::string ExpressionRewriter::makeName(StringRef name,
                                         llvm::StringSet<> &taken) const {
  static constexpr StringRef words[] = {"for", "in",  "if",  "else", "and",
                                        "or",  "not", "inf", "nan",  "over"};
  std::string made = name.str();
  while (is_contained(words, made) || taken.contains(made))
    made += "_";
  taken.insert(made);
  return made;
}

Error ExpressionRewriter::read(StringRef text) {
  std::vector<std::string> found;
  if (Error error = visit(
          text,
          [&](StringRef name, ArrayRef<StringRef> indices) {
            tensorNames.push_back(name.str());
            ranks.try_emplace(name, indices.size());
            for (StringRef index : indices)
              found.push_back(index.str());
          },
          [](StringRef) {}))
    return error;
  llvm::StringSet<> taken;
  std::vector<std::string> different;
  for (const std::string &name : tensorNames)
    if (!tensors.contains(name)) {
      tensors[name] = makeName(name, taken);
      different.push_back(name);
    }
  tensorNames = std::move(different);
  for (const std::string &name : found)
    if (!variables.contains(name))
      variables[name] = makeName(name, taken);
  return Error::success();
}

Expected<std::string> ExpressionRewriter::rewrite(StringRef text) const {
  std::string made;
  raw_string_ostream os(made);
  if (Error error = visit(
          text,
          [&](StringRef name, ArrayRef<StringRef> indices) {
            os << getTensor(name).value_or(name.str());
            if (!indices.empty())
              os << '['
                 << join(map_range(indices,
                                   [&](StringRef index) {
                                     return getVariable(index);
                                   }),
                         ",")
                 << ']';
          },
          [&](StringRef other) {
            bool isApart =
                other == "=" || other == "+=" || other == "+" || other == "-";
            os << (isApart ? " " : "") << other << (isApart ? " " : "");
          }))
    return std::move(error);
  return StringRef(made).trim().str();
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Takes coordinates for different ones that need not be, where no level below
/// tells them apart: graphs store tensors themselves, each coordinate once.
static void makeUnique(MutableArrayRef<std::string> levels) {
  for (size_t level = 0; level < levels.size(); ++level) {
    bool isTold = level + 1 < levels.size() &&
                  StringRef(levels[level + 1]).starts_with("singleton");
    bool isBelow =
        level > 0 && StringRef(levels[level - 1]).ends_with("(nonunique)");
    if (!isTold && levels[level] == "compressed(nonunique)")
      levels[level] = "compressed";
    else if (!isTold && isBelow && levels[level] == "singleton(nonunique)")
      levels[level] = "singleton";
  }
}

/// `B:ss:1,0` as the levels of index notation; nothing for a tensor that is
/// dense in the order of its dimensions, as tensors without a format are.
static Expected<std::optional<std::string>>
readFormat(StringRef given, const ExpressionRewriter &names, bool forGraphs) {
  SmallVector<StringRef> parts;
  given.split(parts, ':');
  if (parts.size() < 2 || parts.size() > 3)
    return makeError("--taco: -f=" + given +
                     ": expected NAME:LEVELS or NAME:LEVELS:ORDER, such as "
                     "B:ds:0,1");
  std::optional<std::string> tensor = names.getTensor(parts[0]);
  if (!tensor)
    return makeError("--taco: -f=" + given +
                     ": the expression has no tensor '" + parts[0] + "'");
  std::vector<std::string> levels;
  for (char letter : parts[1]) {
    StringRef level = llvm::StringSwitch<StringRef>(StringRef(&letter, 1))
                          .Case("d", "dense")
                          .Case("s", "compressed")
                          .Case("u", "compressed(nonunique)")
                          .Case("q", "singleton")
                          .Case("c", "singleton(nonunique)")
                          .Default("");
    if (level.empty())
      return makeError("--taco: -f=" + given + ": '" + StringRef(&letter, 1) +
                       "' is no level; there are d (dense), s (compressed), u "
                       "(compressed, not unique), q (singleton) and c "
                       "(singleton, not unique)");
    levels.push_back(level.str());
  }
  if (size_t rank = names.getRank(parts[0]); levels.size() != rank)
    return makeError("--taco: -f=" + given + ": has " + Twine(levels.size()) +
                     " levels, and '" + parts[0] + "' has " + Twine(rank) +
                     " dimensions");
  std::vector<unsigned> order;
  if (parts.size() == 3 && !parts[2].empty())
    for (StringRef dimension : llvm::split(parts[2], ','))
      if (dimension.getAsInteger(10, order.emplace_back()) ||
          order.back() >= levels.size() ||
          is_contained(ArrayRef(order).drop_back(), order.back()))
        return makeError("--taco: -f=" + given +
                         ": expected the dimensions from 0 to " +
                         Twine(int64_t(levels.size()) - 1) +
                         " in the order of levels, each once");
  if (!order.empty() && order.size() != levels.size())
    return makeError("--taco: -f=" + given + ": has " + Twine(levels.size()) +
                     " levels, and " + Twine(order.size()) +
                     " dimensions in their order");
  if (forGraphs)
    makeUnique(levels);
  bool isDense =
      all_of(levels, [](StringRef level) { return level == "dense"; });
  if (isDense && is_sorted(order))
    return std::nullopt;
  std::string text = *tensor + ":" + join(levels, ",");
  if (!order.empty())
    text += "@" + parts[2].str();
  return text;
}

/// `B:float` as a type of index notation.
static Expected<std::string> readType(StringRef given,
                                      const ExpressionRewriter &names) {
  auto [name, type] = given.split(':');
  StringRef element = llvm::StringSwitch<StringRef>(type)
                          .Case("double", "f64")
                          .Case("float", "f32")
                          .Case("int8", "i8")
                          .Case("int16", "i16")
                          .Cases({"int", "int32"}, "i32")
                          .Cases({"long", "int64"}, "i64")
                          .Default("");
  if (element.empty())
    return makeError("--taco: -t=" + given +
                     ": expected NAME:TYPE of float, double, int8, int16, "
                     "int32 and int64");
  std::optional<std::string> tensor = names.getTensor(name);
  if (!tensor)
    return makeError("--taco: -t=" + given +
                     ": the expression has no tensor '" + name + "'");
  return *tensor + ":" + element.str();
}

/// The operands of a relation: separated by commas outside of parentheses.
static std::vector<StringRef> splitOperands(StringRef text) {
  std::vector<StringRef> operands;
  unsigned depth = 0;
  size_t start = 0;
  for (size_t place = 0; place <= text.size(); ++place) {
    if (place == text.size() || (text[place] == ',' && depth == 0)) {
      operands.push_back(text.slice(start, place).trim());
      start = place + 1;
    } else if (text[place] == '(') {
      ++depth;
    } else if (text[place] == ')' && depth > 0) {
      --depth;
    }
  }
  return operands;
}

/// A relation of a schedule in index notation.
static Expected<std::string> readRelation(StringRef given,
                                          const ExpressionRewriter &names) {
  auto [kind, inside] = given.split('(');
  if (!inside.consume_back(")"))
    return makeError("--taco: -s=" + given +
                     ": expected a relation, such as reorder(j,i)");
  std::vector<StringRef> operands = splitOperands(inside);
  auto expect = [&](size_t count, StringRef form) -> Error {
    if (operands.size() == count)
      return Error::success();
    return makeError("--taco: -s=" + given + ": expected " + form);
  };
  if (kind == "reorder" || kind == "split" || kind == "fuse") {
    Error error = kind == "split"  ? expect(4, "split(i,i0,i1,SIZE)")
                  : kind == "fuse" ? expect(3, "fuse(i,j,f)")
                                   : Error::success();
    if (error)
      return std::move(error);
    return kind.str() + "(" +
           join(map_range(
                    operands,
                    [&](StringRef name) { return names.getVariable(name); }),
                ", ") +
           ")";
  }
  if (kind == "parallelize") {
    if (Error error = expect(3, "parallelize(i,UNIT,RACES)"))
      return std::move(error);
    if (operands[1] != "CPUThread")
      return makeError("--taco: -s=" + given + ": '" + operands[1] +
                       "' is no unit that loops are spread over; there is "
                       "CPUThread");
    return "parallelize(" + names.getVariable(operands[0]) + ")";
  }
  if (kind == "precompute") {
    if (Error error = expect(3, "precompute(EXPRESSION,i,iw)"))
      return std::move(error);
    Expected<std::string> expression = names.rewrite(operands[0]);
    if (!expression)
      return expression.takeError();
    return "precompute(" + *expression + " over " +
           names.getVariable(operands[1]) + ")";
  }
  return makeError("--taco: -s=" + given + ": there is no relation '" + kind +
                   "'; there are reorder, split, fuse, precompute and "
                   "parallelize");
}

/// Gives the result a name of its own, of the same format and type, where the
/// statement reads a tensor of that name.
static Error renameResult(StringRef expression, ExpressionRewriter &names,
                          std::string &statement, NotationArrays &arrays) {
  auto [left, right] = expression.split('=');
  std::string result = names.getTensorNames().front();
  ExpressionRewriter read;
  if (Error error = read.read(right))
    return error;
  if (left.ends_with("+") || !read.getTensor(result))
    return Error::success();
  std::string old = *names.getTensor(result);
  std::string made = names.makeResultName();
  statement = made + statement.substr(old.size());
  for (auto *given : {&arrays.formats, &arrays.types})
    for (size_t number = 0, count = given->size(); number < count; ++number)
      if (auto [name, said] = StringRef((*given)[number]).split(':');
          name == old)
        given->push_back(made + ":" + said.str());
  return Error::success();
}

Expected<std::string> ember::readTacoCommand(StringRef command,
                                             NotationArrays &arrays,
                                             bool forGraphs) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(command, saver, words);
  if (words.empty() || StringRef(words.front()).starts_with("-"))
    return makeError("--taco: expected an expression and then options, such "
                     "as '\"x(i)=B(i,j)*c(j)\" -f=B:ss'");
  StringRef expression = words.front();
  ExpressionRewriter names;
  if (Error error = names.read(expression))
    return std::move(error);
  Expected<std::string> statement = names.rewrite(expression);
  if (!statement)
    return statement.takeError();
  std::vector<std::string> relations;
  llvm::StringSet<> typed;
  for (StringRef given : arrays.types)
    typed.insert(given.split(':').first);
  for (StringRef word : drop_begin(words)) {
    StringRef value = word;
    if (value.consume_front("-f=")) {
      Expected<std::optional<std::string>> format =
          readFormat(value, names, forGraphs);
      if (!format)
        return format.takeError();
      if (*format)
        arrays.formats.push_back(**format);
    } else if (value.consume_front("-t=")) {
      Expected<std::string> type = readType(value, names);
      if (!type)
        return type.takeError();
      typed.insert(StringRef(*type).split(':').first);
      arrays.types.push_back(*type);
    } else if (value.consume_front("-s=")) {
      if (value.empty())
        continue;
      Expected<std::string> relation = readRelation(value, names);
      if (!relation)
        return relation.takeError();
      relations.push_back(*relation);
    } else if (!value.starts_with("-prefix=")) {
      return makeError("--taco: '" + word +
                       "' is not known; there are -f=NAME:LEVELS:ORDER, "
                       "-t=NAME:TYPE, -s=RELATION and -prefix=NAME");
    }
  }
  for (const std::string &name : names.getTensorNames())
    if (std::string tensor = *names.getTensor(name); !typed.contains(tensor))
      arrays.types.push_back(tensor + ":f64");
  if (forGraphs)
    if (Error error = renameResult(expression, names, *statement, arrays))
      return std::move(error);
  if (!relations.empty()) {
    if (!arrays.schedule.empty())
      return makeError("--taco: -s=" + relations.front() +
                       ": --schedule says how statements are computed: leave "
                       "one of them out");
    arrays.schedule = join(relations, ", ");
  }
  return *statement;
}
