//===- Arguments.cpp - Memory that kernels are called with ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Runtime/Runtime.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace ember::fuzz {

// A descriptor: allocated pointer, aligned pointer, offset, sizes, strides.
constexpr size_t kAligned = 1, kOffset = 2, kSizes = 3;

static uint64_t readElement(const char *from, Scalar type) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, byteSize(type));
  return truncateBits(type, bits);
}

char *Arguments::place(const Input &input) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t element = byteSize(input.element);
  size_t bytes = input.bits.size() * element;
  size_t pages = (bytes + page - 1) / page;
  Mapping mapping{nullptr, (pages + 1) * page};
  mapping.base = mmap(nullptr, mapping.size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto *base = static_cast<char *>(mapping.base);
  mprotect(base + pages * page, page, PROT_NONE);
  mappings.push_back(mapping);
  char *begin = base + pages * page - bytes;
  for (size_t i = 0; i < input.bits.size(); ++i)
    std::memcpy(begin + i * element, &input.bits[i], element);
  return begin;
}

static std::vector<int64_t> describe(const Input &input, char *begin) {
  size_t rank = input.shape.size();
  auto address = reinterpret_cast<int64_t>(begin);
  std::vector<int64_t> descriptor = {address, address, 0};
  descriptor.insert(descriptor.end(), input.shape.begin(), input.shape.end());
  descriptor.resize(kSizes + 2 * rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= input.shape[i])
    descriptor[kSizes + rank + i] = stride;
  return descriptor;
}

Arguments::Arguments(const Program &program) : program(program) {
  for (const Input &input : program.inputs) {
    if (input.sharedWith)
      words.push_back(words[*input.sharedWith]);
    else if (input.isMemRef)
      words.push_back(describe(input, place(input)));
    else
      words.push_back({static_cast<int64_t>(input.bits[0])});
  }
  for (size_t position : returnedResults(program.entry()))
    results.push_back(program.entry().results[position]);
  for (const Type &type : results)
    words.emplace_back(kSizes + 2 * type.shape.size() + 1);
  for (std::vector<int64_t> &word : words)
    slots.push_back(word.data());
}

std::vector<GuestValue> Arguments::guestValues() {
  ownsResults = false;
  std::vector<GuestValue> values(words.size());
  for (size_t i = 0; i < values.size(); ++i) {
    GuestValue &value = values[i];
    value.words = words[i];
    value.isResult = i >= program.inputs.size();
    value.isMemRef = value.isResult
                         ? results[i - program.inputs.size()].isMemRef
                         : program.inputs[i].isMemRef;
    value.name = (value.isResult ? "result " : "argument ") + std::to_string(i);
    if (!value.isResult)
      value.bytes =
          program.inputs[i].bits.size() * byteSize(program.inputs[i].element);
  }
  return values;
}

Arguments::~Arguments() {
  for (const Mapping &mapping : mappings)
    munmap(mapping.base, mapping.size);
}

/// The elements that `descriptor` describes.
static Input read(const std::vector<int64_t> &descriptor, Scalar element,
                  size_t rank) {
  Input input;
  input.element = element;
  input.isMemRef = true;
  input.shape.assign(descriptor.begin() + kSizes,
                     descriptor.begin() + kSizes + static_cast<long>(rank));
  const auto *base = reinterpret_cast<const char *>(descriptor[kAligned]);
  for (int64_t k = 0; k < elementCount(input.shape); ++k) {
    int64_t rest = k, position = descriptor[kOffset];
    for (size_t i = rank; i-- > 0; rest /= input.shape[i])
      position += rest % input.shape[i] * descriptor[kSizes + rank + i];
    input.bits.push_back(
        readElement(base + position * byteSize(element), element));
  }
  return input;
}

Input Arguments::argument(size_t position) const {
  const Input &input = program.inputs[position];
  return input.isMemRef
             ? read(words[position], input.element, input.shape.size())
             : input;
}

Input Arguments::takeResult(size_t position) {
  const Type &type = results[position];
  const std::vector<int64_t> &word = words[program.inputs.size() + position];
  if (!type.isMemRef) {
    const auto *bytes = reinterpret_cast<const char *>(word.data());
    Input result;
    result.element = type.element;
    result.bits = {readElement(bytes, type.element)};
    return result;
  }
  Input result = read(word, type.element, type.shape.size());
  if (ownsResults)
    ember_free(reinterpret_cast<void *>(word[0]));
  return result;
}

} // namespace ember::fuzz
