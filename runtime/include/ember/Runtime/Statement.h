//===- Statement.h - Statements of C++ as kernels ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ember/Notation.h makes of expressions, the text of a statement with its
// arrays, is compiled by emberc, once in a process, and run.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_STATEMENT_H
#define EMBER_RUNTIME_STATEMENT_H

#include "ember/Runtime/KernelLibrary.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

namespace ember {

/// A statement that the compiler refuses, with the column that it names.
class StatementError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace notation {

/// What has to live as long as a kernel runs.
using CallStorage = std::vector<std::shared_ptr<void>>;

/// What a statement knows of an array.
struct ArrayState {
  virtual ~ArrayState() = default;
  /// The argument for a parameter of a kernel: the array, or a part of it, such
  /// as `A_positions1`, which may be a copy in `storage`.
  virtual Argument getArgument(const Parameter &parameter,
                               CallStorage &storage) = 0;
  std::string name, type, format, fill;
};

/// "1 dimension", "2 dimensions".
inline std::string getAmount(size_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// `numbers` as a kernel takes them that has them of a narrower type.
template <typename Narrow>
Argument narrow(const char *type, const std::vector<int64_t> &numbers,
                const Parameter &parameter, CallStorage &storage) {
  auto copy = std::make_shared<std::vector<Narrow>>();
  copy->reserve(numbers.size());
  for (int64_t number : numbers) {
    copy->push_back(static_cast<Narrow>(number));
    if (static_cast<int64_t>(copy->back()) != number)
      throw ArgumentError("'" + parameter.name + "' must be " + type +
                          ", which " + std::to_string(number) + " is not");
  }
  storage.push_back(copy);
  return Argument(type, copy->data(), {static_cast<int64_t>(copy->size())});
}

using ArrayStates = std::map<std::string, std::shared_ptr<ArrayState>>;

/// A part of a statement: its text, the arrays that it names, and the file of
/// the functions of users that it calls, if there is one.
struct Term {
  std::string text;
  ArrayStates arrays;
  std::string functions = {};

  void add(const ArrayStates &more) {
    for (const auto &[name, state] : more)
      if (arrays.try_emplace(name, state).first->second != state)
        throw ArgumentError("two arrays of a statement are called '" + name +
                            "'");
  }
  void add(const Term &more) {
    add(more.arrays);
    if (functions.empty())
      functions = more.functions;
    else if (!more.functions.empty() && more.functions != functions)
      throw ArgumentError("a statement calls functions of one file, not of '" +
                          functions + "' and '" + more.functions + "'");
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

/// A folder of this process's own, which goes with it. A process that is forked
/// off has a copy of the object, but not the folder.
class KernelFolder {
public:
  KernelFolder() : process(getpid()) {
    std::string name =
        (std::filesystem::temp_directory_path() / "ember-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw LibraryError("cannot make a folder for kernels: " + name);
    folder = name;
  }
  ~KernelFolder() {
    std::error_code ignored;
    if (isOurs())
      std::filesystem::remove_all(folder, ignored);
  }
  KernelFolder(const KernelFolder &) = delete;
  KernelFolder &operator=(const KernelFolder &) = delete;

  bool isOurs() const { return process == getpid(); }

  /// The name of a file that there has not been yet: a library that was loaded
  /// under a name would be loaded again instead of a new one.
  std::filesystem::path makeFile() {
    return folder / ("libkernel" + std::to_string(files++) + ".so");
  }

private:
  pid_t process;
  uint64_t files = 0;
  std::filesystem::path folder;
};

/// The kernel library that the compiler makes of these options.
inline KernelLibrary compile(const std::vector<std::string> &options,
                             const std::filesystem::path &file) {
  const char *given = std::getenv("EMBER_COMPILER");
  std::string compiler = given && *given ? given : "emberc";
  std::vector<std::string> words = {compiler};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-o", file.string()});
  auto [status, messages] = runProgram(words);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && messages.empty())
    throw LibraryError("there is no compiler '" + compiler +
                       "': set EMBER_COMPILER to where emberc is");
  if (status != 0)
    throw StatementError(messages);
  return KernelLibrary(file);
}

/// The kernel of a statement, which is compiled once.
inline const Entry &getKernel(const std::vector<std::string> &options) {
  static std::mutex lock;
  static std::unique_ptr<KernelFolder> place;
  static std::map<std::vector<std::string>, KernelLibrary> kernels;
  std::lock_guard<std::mutex> guard(lock);
  auto found = kernels.find(options);
  if (found == kernels.end()) {
    if (!place || !place->isOurs())
      place = std::make_unique<KernelFolder>();
    KernelLibrary kernel = compile(options, place->makeFile());
    found = kernels.emplace(options, std::move(kernel)).first;
  }
  return found->second.entry("kernel");
}

/// Around the number of a variable without a name, in texts that have not been
/// compiled yet.
constexpr char mark = '\1';

/// The mark of a variable that has no name.
inline std::string makeMark() {
  static std::atomic<uint64_t> count{0};
  return mark + std::to_string(count++) + mark;
}

/// Names variables that have no name by where they appear first, so that equal
/// statements have equal texts wherever their variables come from. No name is
/// given that the texts have already.
inline void nameVariables(std::vector<std::string> &texts) {
  auto isNamePart = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '_';
  };
  std::set<std::string> taken;
  for (const std::string &text : texts)
    for (auto begin = text.begin(); begin != text.end();) {
      begin = std::find_if(begin, text.end(), isNamePart);
      auto end = std::find_if_not(begin, text.end(), isNamePart);
      taken.emplace(begin, end);
      begin = end;
    }
  std::map<std::string, std::string> names;
  size_t number = 0;
  for (std::string &text : texts)
    for (size_t begin; (begin = text.find(mark)) != std::string::npos;) {
      size_t size = text.find(mark, begin + 1) + 1 - begin;
      std::string &name = names[text.substr(begin, size)];
      while (name.empty() || taken.count(name))
        name = "i" + std::to_string(number++);
      text.replace(begin, size, name);
    }
}

/// Evaluates `statement`, compiled with these further options.
inline void run(const Term &statement, std::vector<std::string> options) {
  options.insert(options.begin(), "--notation=" + statement.text);
  if (!statement.functions.empty())
    options.push_back("--functions=" + statement.functions);
  for (const auto &[name, state] : statement.arrays) {
    options.push_back("--type=" + name + ":" + state->type);
    if (!state->format.empty())
      options.push_back("--format=" + name + ":" + state->format);
    if (!state->fill.empty())
      options.push_back("--fill=" + name + ":" + state->fill);
  }
  nameVariables(options);
  const Entry &kernel = getKernel(options);
  std::vector<Argument> arguments;
  CallStorage storage;
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
    arguments.push_back(found->getArgument(parameter, storage));
  }
  kernel(arguments);
}

} // namespace notation

} // namespace ember

#endif // EMBER_RUNTIME_STATEMENT_H
