//===- KernelLibrary.h - Kernels called from C++ ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads kernel libraries (libNAME.so with its manifest libNAME.json) and calls
// their entries on arrays and numbers:
//
//   ember::KernelLibrary library("libbags.so");
//   const ember::Entry &bags = library.entry("embedding_bag");
//   std::vector<int64_t> indices{3, 1, 2}, offsets{0, 2};
//   bags({{table, {rows, 64}}, indices, offsets, {out, {2, 64}}});
//
// Arguments are checked against the manifest before the call. What does not fit
// and what a kernel reports are exceptions. Root is refused files that other
// users might change, unless EMBER_LOAD_ANY_OWNER=1. For C++17; needs
// nlohmann/json, and dlopen (-ldl with older C libraries).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_KERNELLIBRARY_H
#define EMBER_RUNTIME_KERNELLIBRARY_H

#include "ember/Runtime/Ownership.h"
#include "ember/Runtime/Runtime.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

namespace ember {

/// A library or manifest that cannot be used.
class LibraryError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Throws LibraryError for root if other users might change a file that holds
/// code or says where code is; they would run it as root.
inline void refuseForRoot(const std::filesystem::path &path) {
  if (geteuid() != 0 || isSwitchedOn("EMBER_LOAD_ANY_OWNER"))
    return;
  if (std::string reason = whyNotOurs(path.string()); !reason.empty())
    throw LibraryError(
        path.string() + " is not loaded: " + reason +
        ", and root would run its code: give it to root alone (chown -R root, "
        "chmod -R go-w), load it as its user, or set EMBER_LOAD_ANY_OWNER=1 if "
        "it is trusted");
}

/// Arguments that do not fit an entry's parameters; nothing has run.
class ArgumentError : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

/// What a kernel stopped with; outputs may be partly written.
class KernelError : public std::runtime_error {
public:
  KernelError(int32_t code, const std::string &message)
      : std::runtime_error(message), code(code) {}

  /// EMBER_INDEX, EMBER_SEGMENT, ...: see Runtime.h.
  int32_t code;
};

/// A type of elements, by its name in manifests: "f32", "i64", ...
///
/// Each is the type of a C++ type of elements; f16 and bf16, which C++17 has
/// none for, are named where an argument is made.
template <typename T> constexpr const char *getElementType() {
  using Element = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<Element, bool>)
    return "i1";
  else if constexpr (std::is_integral_v<Element>)
    return sizeof(T) == 8   ? "i64"
           : sizeof(T) == 4 ? "i32"
           : sizeof(T) == 2 ? "i16"
                            : "i8";
  else if constexpr (std::is_floating_point_v<Element> && sizeof(T) <= 8)
    return sizeof(T) == 8 ? "f64" : "f32";
  else
    static_assert(!sizeof(T), "kernels have no such type of elements");
}

/// A parameter of an entry.
struct Parameter {
  std::string name;
  /// "memref" for an array, "scalar" for a number.
  std::string kind;
  std::string type;
  /// Sizes of an array; none for one that each call chooses.
  std::vector<std::optional<int64_t>> shape;
  /// Whether the kernel stores to the array.
  bool writable = false;
  /// Whether the elements of the array need not be next to each other.
  bool strided = false;
};

/// What an entry is called with: an array in the caller's memory, or a number.
class Argument {
public:
  /// A number.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(T number) {
    if constexpr (std::is_floating_point_v<T>)
      real = number;
    else
      integer = static_cast<int64_t>(number);
  }

  /// An array of these sizes whose elements are next to each other, the last
  /// dimension innermost.
  template <typename T>
  Argument(T *data, std::vector<int64_t> sizes)
      : Argument(getElementType<T>(), data, std::move(sizes)) {}

  /// An array with its strides, in elements.
  template <typename T>
  Argument(T *data, std::vector<int64_t> sizes, std::vector<int64_t> strides)
      : Argument(getElementType<T>(), data, std::move(sizes),
                 std::move(strides)) {}

  /// A one-dimensional array.
  template <typename T>
  Argument(std::vector<T> &elements)
      : Argument(elements.data(), {static_cast<int64_t>(elements.size())}) {}
  template <typename T>
  Argument(const std::vector<T> &elements)
      : Argument(elements.data(), {static_cast<int64_t>(elements.size())}) {}

  /// An array of a type that is named: "f16", "bf16".
  template <typename T>
  Argument(const char *type, T *data, std::vector<int64_t> sizes,
           std::optional<std::vector<int64_t>> strides = std::nullopt)
      : type(type), isConst(std::is_const_v<T>),
        data(const_cast<std::remove_cv_t<T> *>(data)), sizes(std::move(sizes)),
        strides(getWholeStrides(this->sizes)) {
    if (strides)
      this->strides = *std::move(strides);
    if (this->strides.size() != this->sizes.size())
      throw ArgumentError("an array has " + std::to_string(this->sizes.size()) +
                          " sizes but " + std::to_string(this->strides.size()) +
                          " strides");
    for (int64_t size : this->sizes)
      if (size < 0)
        throw ArgumentError("an array has the size " + std::to_string(size));
  }

  /// The words that describe the argument in a call; throws ArgumentError if it
  /// does not fit the parameter.
  void describe(const Parameter &parameter, std::vector<int64_t> &words) const {
    if (parameter.kind == "memref")
      return describeArray(parameter, words);
    if (!type.empty())
      throw ArgumentError("'" + parameter.name + "' must be a number");
    words.push_back(getNumber(parameter));
  }

private:
  static std::vector<int64_t>
  getWholeStrides(const std::vector<int64_t> &sizes) {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t dim = sizes.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * sizes[dim];
    return strides;
  }

  void describeArray(const Parameter &parameter,
                     std::vector<int64_t> &words) const {
    checkArray(parameter);
    auto address = reinterpret_cast<intptr_t>(data);
    words.insert(words.end(), {address, address, 0});
    words.insert(words.end(), sizes.begin(), sizes.end());
    words.insert(words.end(), strides.begin(), strides.end());
  }

  void checkArray(const Parameter &parameter) const {
    std::string name = "'" + parameter.name + "'";
    if (type.empty())
      throw ArgumentError(name + " must be an array");
    // Sizes and positions have 64 bits.
    if (type != (parameter.type == "index" ? "i64" : parameter.type))
      throw ArgumentError(name + " must be " + parameter.type + ", not " +
                          type);
    if (sizes.size() != parameter.shape.size())
      throw ArgumentError(name + " must have " +
                          std::to_string(parameter.shape.size()) +
                          " dimensions, not " + std::to_string(sizes.size()));
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (parameter.shape[dim] && *parameter.shape[dim] != sizes[dim])
        throw ArgumentError(name + " must have " +
                            std::to_string(*parameter.shape[dim]) +
                            " elements in dimension " + std::to_string(dim) +
                            ", not " + std::to_string(sizes[dim]));
    if (!parameter.strided && strides != getWholeStrides(sizes))
      throw ArgumentError(name + " must be contiguous");
    if (parameter.writable && isConst)
      throw ArgumentError(name + " is written to but is const");
  }

  /// A number in the parameter's type, as the bits of a word.
  int64_t getNumber(const Parameter &parameter) const {
    const std::string &wanted = parameter.type;
    if (wanted == "f64")
      return getBits(getReal());
    if (wanted == "f32")
      return getBits(static_cast<float>(getReal()));
    int bits = wanted == "index" || wanted == "i64" ? 64
               : wanted == "i32"                    ? 32
               : wanted == "i16"                    ? 16
               : wanted == "i8"                     ? 8
               : wanted == "i1"                     ? 1
                                                    : 0;
    if (!bits)
      throw ArgumentError("'" + parameter.name + "' is a number of type " +
                          wanted + ", which C++ has none of");
    if (!integer)
      throw ArgumentError("'" + parameter.name + "' must be a whole number");
    int64_t most = bits == 64  ? std::numeric_limits<int64_t>::max()
                   : bits == 1 ? 1
                               : (int64_t(1) << (bits - 1)) - 1;
    if (*integer > most || *integer < (bits == 1 ? 0 : -most - 1))
      throw ArgumentError("'" + parameter.name + "' must be " + wanted +
                          ", which " + std::to_string(*integer) + " is not");
    return *integer;
  }

  double getReal() const {
    return real ? *real : static_cast<double>(*integer);
  }

  template <typename T> static int64_t getBits(T value) {
    int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    return bits;
  }

  // Empty for a number.
  std::string type;
  bool isConst = false;
  void *data = nullptr;
  std::vector<int64_t> sizes, strides;
  std::optional<int64_t> integer;
  std::optional<double> real;
};

/// An array that a kernel returned, which lives as long as this does.
class Result {
public:
  Result(const Parameter &described, std::vector<int64_t> words,
         void (*free)(void *))
      : type(described.type), words(std::move(words)),
        rank(described.shape.size()), free(free) {}
  Result(Result &&other) noexcept
      : type(std::move(other.type)), words(std::move(other.words)),
        rank(other.rank), free(std::exchange(other.free, nullptr)) {}
  Result &operator=(Result &&) = delete;
  ~Result() {
    if (free)
      free(reinterpret_cast<void *>(words[0]));
  }

  /// Of the elements, as manifests call it.
  const std::string &getType() const { return type; }
  std::vector<int64_t> getSizes() const {
    return {words.begin() + 3, words.begin() + 3 + rank};
  }
  /// In elements.
  std::vector<int64_t> getStrides() const {
    return {words.begin() + 3 + rank, words.end()};
  }
  /// The first element of an array. The caller knows that its type is T.
  template <typename T> T *getData() const {
    return reinterpret_cast<T *>(words[1]) + words[2];
  }

private:
  std::string type;
  /// The descriptor.
  std::vector<int64_t> words;
  size_t rank;
  void (*free)(void *);
};

/// A function of a library. Callable from several threads at once.
class Entry {
public:
  using Function = int32_t (*)(void **args, ember_error *error);
  using Free = void (*)(void *);

  Entry(std::string name, std::vector<Parameter> parameters,
        std::vector<Parameter> results, Function function, Free free)
      : name(std::move(name)), parameters(std::move(parameters)),
        results(std::move(results)), function(function), free(free) {}

  const std::string &getName() const { return name; }
  const std::vector<Parameter> &getParameters() const { return parameters; }
  /// Results have no names, and nothing is stored to them.
  const std::vector<Parameter> &getResults() const { return results; }

  /// Runs the function; arrays that it stores to are updated in place. Throws
  /// ArgumentError before the run, or KernelError.
  void operator()(const std::vector<Argument> &arguments) const {
    if (!results.empty())
      throw ArgumentError(name + " returns what the kernel allocates: use "
                                 "call(), or give it an argument to store to");
    call(arguments);
  }

  /// The same, for a function that returns arrays. Throws ArgumentError for one
  /// that returns a number, which no result is here.
  std::vector<Result> call(const std::vector<Argument> &arguments) const {
    if (arguments.size() != parameters.size())
      throw ArgumentError(name + " takes " + std::to_string(parameters.size()) +
                          " arguments, not " +
                          std::to_string(arguments.size()));
    std::vector<int64_t> words;
    std::vector<size_t> starts;
    for (size_t place = 0; place < arguments.size(); ++place) {
      starts.push_back(words.size());
      arguments[place].describe(parameters[place], words);
    }
    std::vector<void *> pointers;
    for (size_t start : starts)
      pointers.push_back(words.data() + start);
    std::vector<std::vector<int64_t>> returned;
    for (const Parameter &result : results) {
      if (result.kind != "memref")
        throw ArgumentError(name + " returns a number, and not arrays alone");
      returned.emplace_back(3 + 2 * result.shape.size());
    }
    for (std::vector<int64_t> &descriptor : returned)
      pointers.push_back(descriptor.data());
    ember_error error;
    if (function(pointers.data(), &error) != EMBER_OK)
      throw KernelError(error.code, error.message);
    std::vector<Result> made;
    for (size_t place = 0; place < results.size(); ++place)
      made.emplace_back(results[place], std::move(returned[place]), free);
    return made;
  }

private:
  std::string name;
  std::vector<Parameter> parameters, results;
  Function function;
  Free free;
};

/// A kernel library in this process.
///
/// It stays loaded until the process ends: threads of its own may wait in it.
class KernelLibrary {
public:
  /// Loads libNAME.so, with libNAME.json beside it; throws LibraryError.
  explicit KernelLibrary(const std::filesystem::path &path) : path(path) {
    std::filesystem::path beside = path;
    beside.replace_extension(".json");
    for (const std::filesystem::path &file : {path, beside})
      if (std::filesystem::exists(file))
        refuseForRoot(file);
    // An absolute name is looked for nowhere else.
    handle =
        dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw LibraryError("cannot load " + path.string() + ": " + dlerror());
    std::ifstream file(beside);
    if (!file)
      throw LibraryError("cannot read the manifest " + beside.string());
    try {
      readEntries(nlohmann::json::parse(file));
    } catch (const nlohmann::json::exception &error) {
      throw LibraryError(beside.string() + " is damaged: " + error.what());
    }
  }

  /// The entries by name.
  const std::map<std::string, Entry> &getEntries() const { return entries; }

  /// The entry of that name; throws LibraryError with the names there are.
  const Entry &entry(const std::string &name) const {
    auto found = entries.find(name);
    if (found != entries.end())
      return found->second;
    std::string names;
    for (const auto &[known, entry] : entries)
      names += (names.empty() ? "" : ", ") + known;
    throw LibraryError("no entry '" + name + "' in " + path.string() +
                       "; there are: " + (names.empty() ? "none" : names));
  }

  /// Sets threads, queue capacity and schedule: see Runtime.h.
  void configure(const ember_config &config) const {
    using Configure = void (*)(const ember_config *);
    reinterpret_cast<Configure>(find("ember_configure"))(&config);
  }

  /// Lets loops run on OpenMP threads of the program while these are awake:
  /// `{GOMP_parallel, omp_get_max_threads}`; see Runtime.h.
  void useTeam(const ember_team &team) const {
    using UseTeam = void (*)(const ember_team *);
    reinterpret_cast<UseTeam>(find("ember_use_team"))(&team);
  }

private:
  void readEntries(const nlohmann::json &manifest) {
    for (const nlohmann::json &fields : manifest.at("entries")) {
      auto name = fields.at("name").get<std::string>();
      std::vector<Parameter> parameters;
      for (const nlohmann::json &argument : fields.at("arguments"))
        parameters.push_back(readParameter(argument, parameters.size()));
      std::vector<Parameter> results;
      for (const nlohmann::json &result : fields.at("results"))
        results.push_back(readParameter(result, results.size()));
      void *symbol = find(fields.at("symbol").get<std::string>());
      entries.emplace(name,
                      Entry(name, std::move(parameters), std::move(results),
                            reinterpret_cast<Entry::Function>(symbol),
                            reinterpret_cast<Entry::Free>(find("ember_free"))));
    }
  }

  static Parameter readParameter(const nlohmann::json &fields, size_t place) {
    Parameter parameter;
    parameter.name = fields.value("name", "argument " + std::to_string(place));
    parameter.kind = fields.at("kind").get<std::string>();
    parameter.type = fields.at("dtype").get<std::string>();
    if (fields.contains("shape"))
      for (const nlohmann::json &size : fields.at("shape"))
        parameter.shape.push_back(
            size.is_null() ? std::nullopt : std::optional(size.get<int64_t>()));
    parameter.writable = fields.value("writable", false);
    parameter.strided = fields.contains("strides");
    return parameter;
  }

  void *find(const std::string &symbol) const {
    if (void *found = dlsym(handle, symbol.c_str()))
      return found;
    throw LibraryError(path.string() + " has no symbol " + symbol);
  }

  std::filesystem::path path;
  void *handle = nullptr;
  std::map<std::string, Entry> entries;
};

} // namespace ember

#endif // EMBER_RUNTIME_KERNELLIBRARY_H
