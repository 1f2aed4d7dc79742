//===- GraphResults.cpp - What writers of a simulated graph took ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/Evaluation/StoredElements.h"
#include "ember/Sim/SAM/GraphFile.h"
#include "ember/Simulation/SAM/GraphSimulation.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace ember;
using llvm::formatv;
using sim::sam::Elements;
using sim::sam::noIndex;
using sim::sam::Token;

/// Values at references to elements of dense levels, the last one at a place.
static llvm::Expected<Elements> scatter(llvm::ArrayRef<Token> references,
                                        llvm::ArrayRef<Token> values,
                                        llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Elements elements;
  size_t tokens = std::max(references.size(), values.size());
  for (size_t number = 0; number < tokens; ++number) {
    bool areBoth = number < std::min(references.size(), values.size());
    bool isValue =
        areBoth && !values[number].isStop() && !values[number].isDone();
    bool isReference =
        areBoth && !references[number].isStop() && !references[number].isDone();
    if (!areBoth || isValue != isReference ||
        (!isValue && values[number] != references[number]))
      return llvm::createStringError(
          formatv("values and the references to store them at are out of step "
                  "at token {0}",
                  number)
              .str());
    if (!references[number].isData())
      continue;
    int64_t place = references[number].integer();
    if (place < 0 || place >= count)
      return llvm::createStringError(
          formatv("a value is stored at {0}, and there are {1}", place, count)
              .str());
    std::vector<int64_t> coordinates(sizes.size());
    for (size_t level = sizes.size(); level-- > 0;) {
      coordinates[level] = place % sizes[level];
      place /= sizes[level];
    }
    elements[coordinates] =
        values[number].isData() ? values[number].number() : 0;
  }
  return elements;
}

/// Elements by levels, stored in a format. `all`: one that is not written is 0,
/// whatever the format does not store.
static llvm::Expected<sam::StoredTensor>
storeWritten(const Elements &elements, const sam::TensorFormat &format,
             llvm::ArrayRef<int64_t> shape, bool all) {
  auto type = cast<FloatType>(format.fill.getType());
  std::vector<sam::ListedElement> list;
  for (const auto &[coordinates, value] : elements) {
    sam::ListedElement element;
    element.coordinates.resize(shape.size());
    if (coordinates.size() != shape.size())
      return llvm::createStringError(
          formatv("{0} levels are written, and there are {1}",
                  coordinates.size(), shape.size())
              .str());
    for (auto [level, coordinate] : llvm::enumerate(coordinates)) {
      int64_t size = shape[format.order[level]];
      if (coordinate < 0 || coordinate >= size)
        return llvm::createStringError(
            formatv("coordinate {0} is written to level {1}, which has {2}",
                    coordinate, level, size)
                .str());
      element.coordinates[format.order[level]] = coordinate;
    }
    element.value = FloatAttr::get(type, value);
    list.push_back(std::move(element));
  }
  if (!all && !shape.empty()) {
    // Elements of a map have coordinates of their own.
    SmallVector<int64_t> twice;
    return *sam::storeElements(format, shape, std::move(list), twice);
  }
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<TypedAttr> expanded(count, all ? FloatAttr::get(type, 0.0)
                                             : format.fill);
  for (const sam::ListedElement &element : list) {
    int64_t at = 0;
    for (auto [coordinate, size] : llvm::zip(element.coordinates, shape))
      at = at * size + coordinate;
    expanded[at] = element.value;
  }
  return sam::store(format, shape, expanded);
}

static llvm::Expected<sam::StoredTensor>
collect(const SimulatedGraph &simulated, const SimulatedResult &result,
        const sim::sam::Run &run, sim::sam::Quirks quirks,
        const sam::TensorFormat &format, llvm::ArrayRef<int64_t> shape) {
  if (result.name.empty())
    return storeWritten({}, format, shape, /*all=*/false);
  bool isStored = result.references != noIndex;
  auto elements = [&]() -> llvm::Expected<Elements> {
    if (!isStored)
      return sim::sam::resultOf(simulated.graph, run, result.name, quirks);
    SmallVector<int64_t> sizes;
    for (unsigned dimension : format.order)
      sizes.push_back(shape[dimension]);
    return scatter(run.written.at(result.references),
                   run.written.at(result.values), sizes);
  }();
  if (!elements)
    return elements.takeError();
  return storeWritten(*elements, format, shape, isStored);
}

FailureOr<std::vector<sam::StoredTensor>>
ember::collectResults(sam::GraphOp graph, const SimulatedGraph &simulated,
                      const sim::sam::Run &run, sim::sam::Quirks quirks,
                      llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes) {
  std::vector<sam::StoredTensor> tensors;
  for (auto [number, result] : llvm::enumerate(simulated.results)) {
    Value tensor =
        graph.getBody()->getArgument(graph.getInputs().size() + number);
    std::string reason;
    // The verifier has seen that there is one.
    sam::TensorFormat format = *sam::TensorFormat::of(tensor.getType(), reason);
    auto stored =
        collect(simulated, result, run, quirks, format, shapes[number]);
    if (!stored)
      return graph.emitOpError("writes no tensor '")
             << sam::getTensorName(tensor)
             << "': " << llvm::toString(stored.takeError());
    tensors.push_back(std::move(*stored));
  }
  return tensors;
}
