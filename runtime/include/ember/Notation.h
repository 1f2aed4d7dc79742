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

#include "ember/Runtime/KernelLibrary.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

namespace ember {

/// A statement that the compiler refuses, with the column that it names.
class StatementError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace notation {

/// What a statement knows of an array.
struct ArrayState {
  virtual ~ArrayState() = default;
  /// The argument for a parameter of a kernel: the array, or a part of it that
  /// `suffix` names, such as `_positions1`.
  virtual Argument getArgument(const std::string &suffix) = 0;
  std::string name, type, format, fill;
};

using ArrayStates = std::map<std::string, std::shared_ptr<ArrayState>>;

/// A part of a statement: its text, and the arrays that it names.
struct Term {
  std::string text;
  ArrayStates arrays;

  void add(const ArrayStates &more) {
    for (const auto &[name, state] : more)
      if (arrays.try_emplace(name, state).first->second != state)
        throw ArgumentError("two arrays of a statement are called '" + name +
                            "'");
  }
};

/// Runs a program with these words; what it wrote as errors.
inline std::pair<int, std::string>
runProgram(const std::vector<std::string> &words) {
  int ends[2];
  if (pipe(ends))
    throw LibraryError("cannot open a pipe to the compiler");
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw LibraryError("cannot start the compiler " + words.front());
  }
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments.front(), arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string messages;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (count > 0)
      messages.append(buffer, static_cast<size_t>(count));
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  return {status, messages};
}

/// A folder of this process's own, which goes with it.
class KernelFolder {
public:
  KernelFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "ember-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw LibraryError("cannot make a folder for kernels: " + name);
    folder = name;
  }
  ~KernelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::filesystem::path folder;
};

/// The kernel of a statement, which is compiled once.
inline const Entry &getKernel(const std::vector<std::string> &options) {
  static std::mutex lock;
  static KernelFolder place;
  static std::map<std::vector<std::string>, std::unique_ptr<KernelLibrary>>
      kernels;
  std::lock_guard<std::mutex> guard(lock);
  std::unique_ptr<KernelLibrary> &kernel = kernels[options];
  if (!kernel) {
    const char *given = std::getenv("EMBER_COMPILER");
    std::string compiler = given && *given ? given : "emberc";
    std::filesystem::path file =
        place.folder / ("libkernel" + std::to_string(kernels.size()) + ".so");
    std::vector<std::string> words = {compiler};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"-o", file.string()});
    auto [status, messages] = runProgram(words);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && messages.empty())
      throw LibraryError("there is no compiler '" + compiler +
                         "': set EMBER_COMPILER to where emberc is");
    if (status != 0)
      throw StatementError(messages);
    kernel = std::make_unique<KernelLibrary>(file);
  }
  return kernel->entry("kernel");
}

/// Evaluates `statement`, compiled with these further options.
inline void run(const Term &statement, std::vector<std::string> options) {
  options.push_back("--notation=" + statement.text);
  for (const auto &[name, state] : statement.arrays) {
    options.push_back("--type=" + name + ":" + state->type);
    if (!state->format.empty())
      options.push_back("--format=" + name + ":" + state->format);
    if (!state->fill.empty())
      options.push_back("--fill=" + name + ":" + state->fill);
  }
  const Entry &kernel = getKernel(options);
  std::vector<Argument> arguments;
  for (const Parameter &parameter : kernel.getParameters()) {
    // The array of that name, or the one that it is a part of.
    ArrayState *found = nullptr;
    for (const auto &[name, state] : statement.arrays) {
      bool isPart = !state->format.empty() &&
                    parameter.name.compare(0, name.size() + 1, name + "_") == 0;
      bool isLonger = !found || name.size() > found->name.size();
      if ((parameter.name == name || isPart) && isLonger)
        found = state.get();
    }
    if (!found)
      throw ArgumentError("the kernel takes '" + parameter.name +
                          "', which is no array of the statement");
    arguments.push_back(
        found->getArgument(parameter.name.substr(found->name.size())));
  }
  kernel(arguments);
}

/// A name that no other has in this program.
inline std::string makeName(const char *prefix) {
  static std::atomic<int> count{0};
  return prefix + std::to_string(count++);
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

/// A variable of statements.
class IndexVar {
public:
  IndexVar() : name(notation::makeName("i")) {}
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
    term.add(end.term.arrays);
    term.text = variable.name + " in " + begin.term.text + ":" + end.term.text;
  }
  notation::Term term;
};

/// What a function, by its name in the notation, makes of values.
template <typename... Values>
Expression call(const std::string &function, const Values &...values) {
  notation::Term term{function + "(", {}};
  bool isFirst = true;
  auto add = [&](const Expression &value) {
    term.text += (isFirst ? "" : ", ") + value.term.text;
    term.add(value.term.arrays);
    isFirst = false;
  };
  (add(Expression(values)), ...);
  term.text += ")";
  return term;
}

/// What a function makes of a value for all values of variables.
inline Expression reduce(const std::string &function,
                         const std::vector<Range> &ranges,
                         const Expression &value) {
  notation::Term term{function + "[", {}};
  for (size_t number = 0; number < ranges.size(); ++number) {
    term.text += (number ? ", " : "") + ranges[number].term.text;
    term.add(ranges[number].term.arrays);
  }
  term.text += "](" + value.term.text + ")";
  term.add(value.term.arrays);
  return term;
}

inline Expression sum(const Range &range, const Expression &value) {
  return reduce("sum", {range}, value);
}
inline Expression sum(const std::vector<Range> &ranges,
                      const Expression &value) {
  return reduce("sum", ranges, value);
}

namespace notation {
inline Expression combine(const Expression &left, const char *symbol,
                          const Expression &right) {
  Term term{"(" + left.term.text + " " + symbol + " " + right.term.text + ")",
            left.term.arrays};
  term.add(right.term.arrays);
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
  explicit Access(notation::Term term) : Expression(std::move(term)) {}

  /// Evaluates the statement, now; `options` are emberc's, such as
  /// `--functions=gcd.mlir`.
  void assign(const char *function, const Expression &value,
              std::vector<std::string> options = {}) const {
    notation::Term statement = term;
    statement.text += std::string(" ") + function + "= " + value.term.text;
    statement.add(value.term.arrays);
    notation::run(statement, std::move(options));
  }
  void operator=(const Expression &value) const { assign("", value); }
  void operator=(const Access &value) const { assign("", value); }
  void operator+=(const Expression &value) const { assign("+", value); }
  void operator-=(const Expression &value) const { assign("-", value); }
  void operator*=(const Expression &value) const { assign("*", value); }
  Access(const Access &) = default;
};

/// An array with memory of its own. In a format, it is read alone: what it
/// stores is in `getPart`.
template <typename T> class Array {
public:
  Array(std::string name, std::vector<int64_t> sizes, std::string format = "",
        std::string fill = "")
      : state(std::make_shared<State>()) {
    state->name = std::move(name);
    state->type = getElementType<T>();
    state->format = std::move(format);
    state->fill = std::move(fill);
    int64_t count = 1;
    for (int64_t size : sizes) {
      if (size < 0)
        throw ArgumentError("an array has the size " + std::to_string(size));
      count *= size;
    }
    state->sizes = std::move(sizes);
    if (state->format.empty())
      state->values.resize(static_cast<size_t>(count));
  }

  template <typename... Indices>
  Access operator()(const Indices &...indices) const {
    if (sizeof...(indices) != state->sizes.size())
      throw ArgumentError("array '" + state->name + "' has " +
                          std::to_string(state->sizes.size()) +
                          " dimensions, not " +
                          std::to_string(sizeof...(indices)));
    notation::Term term = call(state->name, indices...).term;
    term.text[state->name.size()] = '[';
    term.text.back() = ']';
    if (sizeof...(indices) == 0)
      term.text = state->name;
    term.add({{state->name, state}});
    return Access(std::move(term));
  }

  /// The elements, row by row; of an array in a format those that it stores.
  std::vector<T> &values() const { return state->values; }
  /// Positions or coordinates of an array in a format: "positions1".
  std::vector<int64_t> &getPart(const std::string &part) const {
    return state->parts[part];
  }

private:
  struct State : notation::ArrayState {
    Argument getArgument(const std::string &suffix) override {
      if (suffix.empty())
        return Argument(values.data(), sizes);
      std::string part = suffix.substr(1);
      if (part.compare(0, 4, "size") == 0)
        return Argument(sizes.at(std::stoul(part.substr(4))));
      if (part == "values")
        return Argument(values);
      auto found = parts.find(part);
      if (found == parts.end())
        throw ArgumentError("array '" + name + "' needs " + part +
                            ", which were not given by getPart");
      return Argument(found->second);
    }
    std::vector<int64_t> sizes;
    std::vector<T> values;
    std::map<std::string, std::vector<int64_t>> parts;
  };
  std::shared_ptr<State> state;
};

} // namespace ember

#endif // EMBER_NOTATION_H
