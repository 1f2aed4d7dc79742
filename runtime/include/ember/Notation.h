//===- Notation.h - Index notation in C++ -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements on arrays, which are compiled when they are run first:
//
//   ember::IndexVar i, j;
//   ember::Array<float> A("A", {rows, columns}, "csr"), x("x", {columns});
//   ember::Array<float> y("y", {rows});
//   y(i) = sum(j, A(i, j) * x(j));
//
// The compiler, emberc, is found by $EMBER_COMPILER or on PATH. Errors are
// exceptions, those of KernelLibrary.h and StatementError. For C++17.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_NOTATION_H
#define EMBER_NOTATION_H

#include "ember/Runtime/Statement.h"

#include <algorithm>
#include <initializer_list>
#include <locale>
#include <sstream>

namespace ember {

/// A boolean in an array. Elements of `std::vector<bool>` have no addresses, so
/// that kernels could not read them.
class Boolean {
public:
  Boolean(bool value = false) : value(value) {}
  operator bool() const { return value; }

private:
  bool value;
};
static_assert(sizeof(Boolean) == 1, "kernels take booleans of one byte");

namespace notation {

/// The name of a function where a name is: `and` and `or` are operators alone.
inline std::string getFunctionName(const std::string &function) {
  return function == "and" ? "all" : function == "or" ? "any" : function;
}

} // namespace notation

/// A value in a statement. Numbers and variables are values, too.
class Expression {
public:
  Expression(notation::Term term) : term(std::move(term)) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Expression(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      term.text = number ? "True" : "False";
    } else {
      std::ostringstream text;
      // The program's locale may have another point, or group digits.
      text.imbue(std::locale::classic());
      text.precision(std::numeric_limits<T>::max_digits10);
      text << +number;
      term.text = text.str();
      bool isWhole = term.text.find_first_of(".en") == std::string::npos;
      if (std::is_floating_point_v<T> && isWhole)
        term.text += ".0";
      if (term.text.front() == '-')
        term.text = "(" + term.text + ")";
    }
  }
  notation::Term term;
};

/// A variable of statements. Without a name, a statement gives it one that
/// nothing else in it has; `name` then stands for that in the statement and in
/// options of it.
class IndexVar {
public:
  IndexVar() : name(notation::makeMark()) {}
  explicit IndexVar(std::string name) : name(std::move(name)) {}
  operator Expression() const { return Expression(notation::Term{name, {}}); }
  std::string name;
};

/// A variable with a range, from `begin` to before `end`, in a reduction.
struct Range {
  Range(const IndexVar &variable) : term{variable.name, {}} {}
  Range(const IndexVar &variable, const Expression &begin,
        const Expression &end)
      : term(begin.term) {
    term.add(end.term);
    term.text = variable.name + " in " + begin.term.text + ":" + end.term.text;
  }
  notation::Term term;
};

/// What a function, by its name in the notation, makes of values.
template <typename... Values>
Expression call(const std::string &function, const Values &...values) {
  notation::Term term{notation::getFunctionName(function) + "(", {}};
  bool isFirst = true;
  [[maybe_unused]] auto add = [&](const Expression &value) {
    term.text += (isFirst ? "" : ", ") + value.term.text;
    term.add(value.term);
    isFirst = false;
  };
  (add(Expression(values)), ...);
  term.text += ")";
  // An operator, which binds less than those around it.
  if (function == "not")
    term.text = "(" + term.text + ")";
  return term;
}

/// A function by its name, of the notation or of a file that defines it:
/// `Function gcd("gcd", "gcd.mlir"); a(i) = gcd(b(i), c(i));`
class Function {
public:
  explicit Function(std::string name, std::string file = "")
      : name(std::move(name)), file(std::move(file)) {}

  template <typename... Values>
  Expression operator()(const Values &...values) const {
    notation::Term term = call(name, values...).term;
    term.add(notation::Term{"", {}, file});
    return term;
  }

private:
  std::string name, file;
};

/// What a function makes of a value for all values of variables.
inline Expression reduce(const std::string &function,
                         const std::vector<Range> &ranges,
                         const Expression &value) {
  notation::Term term{notation::getFunctionName(function) + "[", {}};
  for (size_t number = 0; number < ranges.size(); ++number) {
    term.text += (number ? ", " : "") + ranges[number].term.text;
    term.add(ranges[number].term);
  }
  term.text += "](" + value.term.text + ")";
  term.add(value.term);
  return term;
}

inline Expression sum(const Range &range, const Expression &value) {
  return reduce("sum", {range}, value);
}
// A list of three variables could be a variable with its range, too.
inline Expression sum(std::initializer_list<Range> ranges,
                      const Expression &value) {
  return reduce("sum", ranges, value);
}
inline Expression sum(const std::vector<Range> &ranges,
                      const Expression &value) {
  return reduce("sum", ranges, value);
}

namespace notation {
inline Expression combine(const Expression &left, const char *symbol,
                          const Expression &right) {
  Term term{"(" + left.term.text + " " + symbol + " " + right.term.text + ")",
            {}};
  term.add(left.term);
  term.add(right.term);
  return term;
}

/// Whether an operator of `L` and `R` is one of a statement.
template <typename T>
constexpr bool isPart = std::is_base_of_v<Expression, std::decay_t<T>> ||
                        std::is_same_v<IndexVar, std::decay_t<T>>;
template <typename L, typename R>
using IfPart = std::enable_if_t<(isPart<L> || isPart<R>) &&
                                std::is_convertible_v<L, Expression> &&
                                std::is_convertible_v<R, Expression>>;
} // namespace notation

#define EMBER_NOTATION_OPERATOR(symbol, text)                                  \
  template <typename L, typename R, typename = notation::IfPart<L, R>>         \
  Expression operator symbol(const L &left, const R &right) {                  \
    return notation::combine(left, text, right);                               \
  }
EMBER_NOTATION_OPERATOR(+, "+")
EMBER_NOTATION_OPERATOR(-, "-")
EMBER_NOTATION_OPERATOR(*, "*")
EMBER_NOTATION_OPERATOR(/, "/")
EMBER_NOTATION_OPERATOR(%, "%")
EMBER_NOTATION_OPERATOR(&, "&")
EMBER_NOTATION_OPERATOR(|, "|")
EMBER_NOTATION_OPERATOR(^, "^")
EMBER_NOTATION_OPERATOR(<, "<")
EMBER_NOTATION_OPERATOR(<=, "<=")
EMBER_NOTATION_OPERATOR(>, ">")
EMBER_NOTATION_OPERATOR(>=, ">=")
EMBER_NOTATION_OPERATOR(==, "==")
EMBER_NOTATION_OPERATOR(!=, "!=")
#undef EMBER_NOTATION_OPERATOR

template <typename T, typename = notation::IfPart<T, T>>
Expression operator-(const T &value) {
  Expression negated = value;
  negated.term.text = "(-" + negated.term.text + ")";
  return negated;
}

/// An element of an array: a value, or what a statement assigns to.
class Access : public Expression {
public:
  Access(notation::Term term, std::shared_ptr<notation::ArrayState> array)
      : Expression(std::move(term)), array(std::move(array)) {}

  /// Evaluates the statement, now; `options` are emberc's, such as
  /// `--functions=gcd.mlir`. Throws ArgumentError, before anything is compiled,
  /// if the array is in a format.
  void assign(const char *function, const Expression &value,
              std::vector<std::string> options = {}) const {
    if (!array->format.empty())
      throw ArgumentError("array '" + array->name + "' is in the format '" +
                          array->format +
                          "', in which arrays are read alone here: what is "
                          "assigned to has no format");
    notation::Term statement = term;
    statement.text +=
        " " + notation::getFunctionName(function) + "= " + value.term.text;
    statement.add(value.term);
    notation::run(statement, std::move(options));
  }
  void operator=(const Expression &value) const { assign("", value); }
  void operator=(const Access &value) const { assign("", value); }
  void operator+=(const Expression &value) const { assign("+", value); }
  void operator-=(const Expression &value) const { assign("-", value); }
  void operator*=(const Expression &value) const { assign("*", value); }
  Access(const Access &) = default;

private:
  std::shared_ptr<notation::ArrayState> array;
};

/// An array with memory of its own. In a format, it is read alone: what it
/// stores is in `getPart` and `values`.
template <typename T> class Array {
  static_assert(std::is_same_v<T, bool> || std::is_signed_v<T>,
                "elements are bool, signed integers or floats: statements have "
                "no unsigned integers");

public:
  using Element = std::conditional_t<std::is_same_v<T, bool>, Boolean, T>;

  /// Throws ArgumentError for negative sizes, and for more elements than memory
  /// may have.
  Array(std::string name, std::vector<int64_t> sizes, std::string format = "",
        std::string fill = "")
      : state(std::make_shared<State>()) {
    state->name = std::move(name);
    state->type = getElementType<T>();
    state->format = std::move(format);
    state->fill = std::move(fill);
    for (int64_t size : sizes)
      if (size < 0)
        throw ArgumentError("an array has the size " + std::to_string(size));
    state->sizes = std::move(sizes);
    if (state->format.empty())
      state->values.resize(state->countElements());
  }

  template <typename... Indices>
  Access operator()(const Indices &...indices) const {
    if (sizeof...(indices) != state->sizes.size())
      throw ArgumentError(
          "array '" + state->name + "' has " +
          notation::getAmount(state->sizes.size(), "dimension") + ", not " +
          std::to_string(sizeof...(indices)));
    notation::Term term = call(state->name, indices...).term;
    term.text[state->name.size()] = '[';
    term.text.back() = ']';
    if (sizeof...(indices) == 0)
      term.text = state->name;
    term.add({{state->name, state}});
    return Access(std::move(term), state);
  }

  /// The elements, row by row; of an array in a format those that it stores.
  /// An array without a format has to have all of them when a statement runs.
  std::vector<Element> &values() const { return state->values; }
  /// Positions, coordinates or a mask of an array in a format: "positions1".
  /// Where the format has them of another type than i64, each statement copies
  /// them.
  std::vector<int64_t> &getPart(const std::string &part) const {
    return state->parts[part];
  }

private:
  struct State : notation::ArrayState {
    Argument getArgument(const Parameter &parameter,
                         notation::CallStorage &storage) override {
      if (parameter.name == name)
        return getElements();
      std::string part = parameter.name.substr(name.size() + 1);
      if (part.compare(0, 4, "size") == 0)
        return Argument(sizes.at(std::stoul(part.substr(4))));
      if (part == "values")
        return getStored(parameter);
      auto found = parts.find(part);
      if (found == parts.end())
        throw ArgumentError("array '" + name + "' needs " + part +
                            ", which were not given by getPart");
      if (parameter.type == "i1")
        return notation::narrow<Boolean>("i1", found->second, parameter,
                                         storage);
      if (parameter.type == "i32")
        return notation::narrow<int32_t>("i32", found->second, parameter,
                                         storage);
      return Argument(found->second);
    }

    Argument getElements() {
      size_t count = countElements();
      if (values.size() != count)
        throw ArgumentError("values() of array '" + name + "' has " +
                            notation::getAmount(values.size(), "element") +
                            ", but must have " + std::to_string(count));
      return Argument(getElementType<T>(), values.data(), sizes);
    }

    Argument getStored(const Parameter &parameter) {
      if (parameter.type != type)
        throw ArgumentError("array '" + name + "' is in the format '" + format +
                            "', whose elements are encoded: statements in C++ "
                            "take none, but ember_notation_kernel does");
      return Argument(getElementType<T>(), values.data(),
                      {static_cast<int64_t>(values.size())});
    }

    /// The elements of an array without a format.
    size_t countElements() const {
      // What memory may have, even where another size is 0: strides are
      // products of sizes, too.
      int64_t count = 1;
      const int64_t most = std::numeric_limits<int64_t>::max() / sizeof(T);
      for (int64_t size : sizes) {
        if (size > most / count)
          throw ArgumentError("array '" + name +
                              "' has more elements than memory may have");
        count *= std::max<int64_t>(size, 1);
      }
      bool isEmpty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
      return isEmpty ? 0 : static_cast<size_t>(count);
    }

    std::vector<int64_t> sizes;
    std::vector<Element> values;
    std::map<std::string, std::vector<int64_t>> parts;
  };
  std::shared_ptr<State> state;
};

} // namespace ember

#endif // EMBER_NOTATION_H
