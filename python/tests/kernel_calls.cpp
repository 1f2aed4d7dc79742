//===- kernel_calls.cpp - Calls of kernels by KernelLibrary.h -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: kernel_calls LIBRARY CASE
//
// Calls the entry "scaled" of a library, which test_export_cpp.py compiles:
// out[i] = factor * table[indices[i]], added `shift` places further on. Prints
// the result, or the kind and the message of the exception.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/KernelLibrary.h"

#include <functional>
#include <iostream>
#include <thread>

using ember::Argument;

namespace {

/// The arguments of a call; a case changes one of them.
struct Call {
  std::vector<float> table{1, 2, 3, 4};
  std::vector<int32_t> indices{3, 0};
  std::vector<float> out{0, 0, 0};
  std::vector<Argument> arguments{table, indices, 0.5, 1, out};
};

} // namespace

static const std::map<std::string, std::function<void(Call &)>> cases = {
    {"plain", [](Call &) {}},
    {"whole number for a real one", [](Call &c) { c.arguments[2] = 2; }},
    {"strided",
     [](Call &c) {
       c.arguments[0] = Argument(c.table.data(), {2}, {2});
       c.indices = {1, 0};
     }},
    {"const",
     [](Call &c) {
       c.arguments[0] = Argument(std::as_const(c.table));
       c.arguments[1] = Argument(std::as_const(c.indices));
     }},
    {"const output",
     [](Call &c) { c.arguments[4] = Argument(std::as_const(c.out)); }},
    {"few arguments", [](Call &c) { c.arguments.pop_back(); }},
    {"other type",
     [](Call &c) {
       static std::vector<int64_t> wide{3, 0};
       c.arguments[1] = wide;
     }},
    {"named type",
     [](Call &c) { c.arguments[0] = Argument("bf16", c.table.data(), {4}); }},
    {"other rank",
     [](Call &c) { c.arguments[0] = Argument(c.table.data(), {2, 2}); }},
    {"other size",
     [](Call &c) { c.arguments[4] = Argument(c.out.data(), {2}); }},
    {"not contiguous",
     [](Call &c) { c.arguments[1] = Argument(c.indices.data(), {1}, {2}); }},
    {"number for an array", [](Call &c) { c.arguments[0] = 7; }},
    {"array for a number", [](Call &c) { c.arguments[3] = c.out; }},
    {"fraction", [](Call &c) { c.arguments[3] = 1.5; }},
    {"large number", [](Call &c) { c.arguments[3] = int64_t(1) << 40; }},
    {"negative size",
     [](Call &c) { c.arguments[0] = Argument(c.table.data(), {-4}); }},
    {"strides of another rank",
     [](Call &c) { c.arguments[0] = Argument(c.table.data(), {4}, {1, 1}); }},
    {"overlap",
     [](Call &c) { c.arguments[4] = Argument(c.table.data() + 1, {3}); }},
    {"bad index", [](Call &c) { c.indices[1] = 4; }},
};

static void call(const ember::KernelLibrary &library, const std::string &name) {
  Call made;
  cases.at(name)(made);
  library.entry("scaled")(made.arguments);
  for (float value : made.out)
    std::cout << value << " ";
  std::cout << "\n";
}

/// Calls from several threads at once; each has arrays of its own.
static void callAtOnce(const ember::KernelLibrary &library) {
  library.configure({0, EMBER_SCHEDULE_THREADS, 2, 0});
  std::vector<Call> made(8);
  std::vector<std::thread> threads;
  for (Call &one : made)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 100; ++turn)
        library.entry("scaled")({one.table, one.indices, 2.0, 0, one.out});
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Call &one : made)
    if (one.out != std::vector<float>{8, 2, 0})
      throw std::logic_error("a call has another result");
  std::cout << "same\n";
}

/// Calls that may run on threads of the program, two for each region.
static void callOnATeam(const ember::KernelLibrary &library) {
  static int regions = 0;
  library.configure({0, EMBER_SCHEDULE_THREADS, 2, /*workOfThread=*/1});
  library.useTeam(
      {[](void (*member)(void *), void *argument, unsigned, unsigned) {
         ++regions;
         std::thread other(member, argument);
         member(argument);
         other.join();
       },
       [] { return 2; }});
  Call made;
  for (int turn = 0; turn < 100; ++turn) {
    made.out = {0, 0, 0};
    library.entry("scaled")({made.table, made.indices, 2.0, 0, made.out});
    if (made.out != std::vector<float>{8, 2, 0})
      throw std::logic_error("a call has another result");
  }
  std::cout << (regions > 0 ? "same\n" : "no region\n");
}

static void callForResults(const ember::KernelLibrary &library) {
  std::vector<float> table{0.5, 1, 1.5, 2};
  const char *separator = "";
  for (const ember::Result &result :
       library.entry("returned").call({3, table})) {
    std::cout << separator << result.getType() << " ";
    separator = " | ";
    int64_t count = 1;
    const char *times = "";
    for (int64_t size : result.getSizes()) {
      std::cout << times << size;
      times = "x";
      count *= size;
    }
    const char *between = "/";
    for (int64_t stride : result.getStrides()) {
      std::cout << between << stride;
      between = ",";
    }
    std::cout << ":";
    for (int64_t place = 0; place < count; ++place)
      std::cout << " " << result.getData<float>()[place];
  }
  std::cout << "\n";
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::string name = argv[2];
  try {
    ember::KernelLibrary library(argv[1]);
    if (name == "at once")
      callAtOnce(library);
    else if (name == "on a team")
      callOnATeam(library);
    else if (name == "other entry")
      library.entry("none");
    else if (name == "results")
      library.entry("returned")({3, 1});
    else if (name == "numbers")
      library.entry("made").call({});
    else if (name == "returned")
      callForResults(library);
    else
      call(library, name);
  } catch (const ember::ArgumentError &error) {
    std::cout << "ArgumentError: " << error.what() << "\n";
  } catch (const ember::KernelError &error) {
    std::cout << "KernelError " << error.code << ": " << error.what() << "\n";
  } catch (const ember::LibraryError &error) {
    std::cout << "LibraryError: " << error.what() << "\n";
  }
  return 0;
}
