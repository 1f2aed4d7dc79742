//===- Program.cpp - Tensor operations and their loop ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Program.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace ember::einsum;

Error ember::einsum::makeProgramError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

StringRef ember::einsum::nameOf(OperationKind kind) {
  switch (kind) {
  case OperationKind::einsum:
    return "einsum";
  case OperationKind::elementwise:
    return "elementwise";
  case OperationKind::whole:
    return "whole";
  }
  llvm_unreachable("all kinds have names");
}

int64_t Tensor::words() const {
  if (storage == Storage::csr)
    return 2 * nonzeros + shape.front();
  int64_t product = 1;
  for (int64_t size : shape)
    product = SaturatingMultiply<uint64_t>(product, size);
  return product;
}

bool Access::hasRank(unsigned rank) const { return is_contained(ranks, rank); }

bool Access::isWindow(unsigned dimension) const {
  return is_contained(windows, dimension);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

unsigned Program::addTensor(StringRef name, ArrayRef<int64_t> shape) {
  tensors.push_back({name.str(), SmallVector<int64_t, 2>(shape)});
  return tensors.size() - 1;
}

unsigned Program::addMatrix(StringRef name, int64_t rows, int64_t columns,
                            int64_t nonzeros) {
  unsigned matrix = addTensor(name, {rows, columns});
  tensors[matrix].storage = Storage::csr;
  tensors[matrix].nonzeros = nonzeros;
  return matrix;
}

std::optional<unsigned> Program::findTensor(StringRef name) const {
  auto place = find_if(
      tensors, [&](const Tensor &tensor) { return tensor.name == name; });
  if (place == tensors.end())
    return std::nullopt;
  return place - tensors.begin();
}

/// The most elements a tensor may have, so that no sum of words overflows.
static constexpr int64_t mostElements = int64_t(1) << 50;

static Error verifySizes(const Tensor &tensor) {
  for (auto [dimension, size] : enumerate(tensor.shape))
    if (size <= 0)
      return makeProgramError("dimension " + Twine(dimension) + " of tensor '" +
                              tensor.name + "' has size " + Twine(size) +
                              ", which has to be positive");
  uint64_t elements = 1;
  for (int64_t size : tensor.shape)
    elements = SaturatingMultiply<uint64_t>(elements, size);
  bool isMatrix = tensor.storage == Storage::csr;
  // Positions and coordinates of a large sparse matrix are few.
  if (isMatrix
          ? tensor.nonzeros > mostElements || tensor.shape[0] > mostElements
          : elements > uint64_t(mostElements))
    return makeProgramError("tensor '" + tensor.name +
                            "' has more than 2^50 elements");
  if (isMatrix &&
      (tensor.nonzeros <= 0 || uint64_t(tensor.nonzeros) > elements))
    return makeProgramError("tensor '" + tensor.name + "' stores " +
                            Twine(tensor.nonzeros) +
                            " elements, which has to be between 1 and its "
                            "size");
  return Error::success();
}

Error Program::resolveRanks(Operation &operation) const {
  // Where each rank has its size from.
  SmallVector<const Tensor *> sizedBy(operation.ranks.size());
  for (Rank &rank : operation.ranks)
    rank.isContracted = true;
  auto resolve = [&](const Access &access) -> Error {
    const Tensor &tensor = tensors[access.tensor];
    if (Error error = verifySizes(tensor))
      return error;
    if (access.ranks.size() != tensor.shape.size())
      return makeProgramError("operation '" + operation.name + "' has " +
                              Twine(access.ranks.size()) + " indices of '" +
                              tensor.name + "', which has " +
                              Twine(tensor.shape.size()) + " dimensions");
    for (auto [dimension, number] : enumerate(access.ranks)) {
      if (!number || access.isWindow(dimension))
        continue;
      Rank &rank = operation.ranks[*number];
      double size = tensor.shape[dimension];
      if (sizedBy[*number] && rank.extent != size)
        return makeProgramError(
            "rank '" + rank.name + "' of operation '" + operation.name +
            "' has size " + Twine(int64_t(rank.extent)) + " in '" +
            sizedBy[*number]->name + "' and " + Twine(tensor.shape[dimension]) +
            " in '" + tensor.name + "'");
      rank.extent = size;
      sizedBy[*number] = &tensor;
    }
    return Error::success();
  };
  if (Error error = resolve(operation.write))
    return error;
  for (const Access &read : operation.reads)
    if (Error error = resolve(read))
      return error;
  for (std::optional<unsigned> rank : operation.write.ranks)
    if (rank)
      operation.ranks[*rank].isContracted = false;
  // Only now, as all sizes of a rank have to be the same first.
  for (const Access &read : operation.reads) {
    const Tensor &tensor = tensors[read.tensor];
    if (tensor.storage != Storage::csr || !read.ranks[1] || read.isWindow(1))
      continue;
    double occupancy = double(tensor.nonzeros) / double(tensor.shape[0]);
    Rank &rank = operation.ranks[*read.ranks[1]];
    rank.extent = std::min(rank.extent, std::max(occupancy, 1.0));
  }
  for (Rank &rank : operation.ranks) {
    if (rank.occupancy)
      rank.extent = std::max(1.0, *rank.occupancy);
    if (rank.extent == 0)
      return makeProgramError("rank '" + rank.name + "' of operation '" +
                              operation.name +
                              "' has no size: it is no index "
                              "of a tensor by itself");
  }
  return Error::success();
}

/// The size that a rank has in some tensor, if it is known.
static std::optional<int64_t>
findSize(const Program &program, ArrayRef<Access> accesses, unsigned rank) {
  for (const Access &access : accesses) {
    ArrayRef<int64_t> shape = program.tensors[access.tensor].shape;
    for (auto [dimension, index] : enumerate(access.ranks))
      if (index == rank && !access.isWindow(dimension) &&
          !mlir::ShapedType::isDynamic(shape[dimension]))
        return shape[dimension];
  }
  return std::nullopt;
}

Error Program::inferShapes() {
  bool hasChanged = true;
  auto infer = [&](int64_t &size, std::optional<int64_t> known) {
    if (!mlir::ShapedType::isDynamic(size) || !known ||
        mlir::ShapedType::isDynamic(*known))
      return;
    size = *known;
    hasChanged = true;
  };
  auto inferFromRanks = [&](const Operation &operation) {
    std::vector<Access> accesses(operation.reads);
    accesses.push_back(operation.write);
    for (const Access &access : accesses)
      for (auto [dimension, rank] : enumerate(access.ranks))
        if (rank && !access.isWindow(dimension))
          infer(tensors[access.tensor].shape[dimension],
                findSize(*this, accesses, *rank));
  };
  auto inferFromPair = [&](const Carried &pair) {
    MutableArrayRef<int64_t> current = tensors[pair.current].shape;
    MutableArrayRef<int64_t> next = tensors[pair.next].shape;
    for (auto [here, there] : zip(current, next)) {
      infer(here, there);
      infer(there, here);
    }
  };
  while (hasChanged) {
    hasChanged = false;
    for (const std::vector<Operation> *part : {&before, &body, &after})
      for_each(*part, inferFromRanks);
    for_each(carried, inferFromPair);
    for_each(initial, inferFromPair);
  }
  DenseSet<unsigned> used;
  for (const std::vector<Operation> *part : {&before, &body, &after})
    for (const Operation &operation : *part) {
      used.insert(operation.write.tensor);
      for (const Access &read : operation.reads)
        used.insert(read.tensor);
    }
  for (unsigned number = 0; number < tensors.size(); ++number)
    for (auto [dimension, size] : enumerate(tensors[number].shape)) {
      const Tensor &tensor = tensors[number];
      if (!mlir::ShapedType::isDynamic(size))
        continue;
      if (used.contains(number))
        return makeProgramError("the size of dimension " + Twine(dimension) +
                                " of '" + tensor.name +
                                "' is not known: say it in a type, in "
                                "cin.hints or by --shape");
      // Of what no operation names, nobody asks.
      size = 1;
    }
  for (std::vector<Operation> *part : {&before, &body, &after})
    for (Operation &operation : *part)
      if (Error error = resolveRanks(operation))
        return error;
  return Error::success();
}

/// A name and what is in brackets behind it.
static bool takeOperand(StringRef &text, StringRef &name, StringRef &indices) {
  auto isName = [](char c) { return isAlnum(c) || c == '_'; };
  text = text.drop_until(isName);
  name = text.take_while(isName);
  text = text.drop_front(name.size()).ltrim();
  indices = {};
  if (text.consume_front("[")) {
    indices = text.take_until([](char c) { return c == ']'; });
    text = text.drop_front(indices.size());
    if (!text.consume_front("]"))
      return false;
  }
  return true;
}

Expected<Operation> Program::parseOperation(StringRef name, StringRef text,
                                            OperationKind kind) const {
  Operation operation;
  operation.name = name.str();
  operation.kind = kind;
  operation.text = text.str();
  auto getRank = [&](StringRef rank) -> unsigned {
    auto known =
        find_if(operation.ranks, [&](const Rank &r) { return r.name == rank; });
    if (known != operation.ranks.end())
      return known - operation.ranks.begin();
    operation.ranks.push_back({rank.str()});
    return operation.ranks.size() - 1;
  };
  auto parse = [&](StringRef &rest) -> Expected<Access> {
    StringRef operand, indices;
    if (!takeOperand(rest, operand, indices))
      return makeProgramError("operation '" + name + "' has a '[' without ']'");
    std::optional<unsigned> tensor = findTensor(operand);
    if (!tensor)
      return makeProgramError("operation '" + name + "' names '" + operand +
                              "', which is no tensor");
    Access access;
    access.tensor = *tensor;
    if (!indices.trim().empty())
      for (StringRef index : split(indices, ',')) {
        index = index.trim();
        if (index.empty() || !all_of(index, [](char c) {
              return isAlnum(c) || c == '_' || c == '\'';
            }))
          return makeProgramError("operation '" + name + "' has '" + index +
                                  "' as an index of '" + operand +
                                  "', which is no rank");
        access.ranks.push_back(getRank(index));
      }
    return access;
  };
  auto [left, right] = text.split('=');
  auto write = parse(left);
  if (!write)
    return write.takeError();
  if (!left.trim().empty() || right.trim().empty())
    return makeProgramError("operation '" + name +
                            "' is no 'T[i,j] = U[i,k] V[k,j]': '" + text + "'");
  operation.write = *write;
  auto hasMore = [&] {
    return any_of(right, [](char c) { return isAlnum(c) || c == '_'; });
  };
  while (hasMore()) {
    auto read = parse(right);
    if (!read)
      return read.takeError();
    operation.reads.push_back(*read);
  }
  if (Error error = resolveRanks(operation))
    return error;
  return operation;
}

Error Program::add(StringRef name, StringRef text, OperationKind kind) {
  auto operation = parseOperation(name, text, kind);
  if (!operation)
    return operation.takeError();
  body.push_back(std::move(*operation));
  return Error::success();
}

Error Program::verify() const {
  for (const Tensor &tensor : tensors)
    if (Error error = verifySizes(tensor))
      return error;
  if (body.empty())
    return makeProgramError("there is no operation on tensors");
  DenseSet<unsigned> written;
  for (auto [number, tensor] : enumerate(tensors))
    if (tensor.isInput)
      written.insert(number);
  for (const Carried &pair : initial)
    written.insert(pair.current);
  auto writerBehind = [&](unsigned tensor) -> const Operation * {
    for (const Operation &operation : body)
      if (operation.write.tensor == tensor)
        return &operation;
    return nullptr;
  };
  for (ArrayRef<Operation> part :
       {ArrayRef(before), ArrayRef(body), ArrayRef(after)})
    for (const Operation &operation : part) {
      for (const Access &read : operation.reads) {
        if (written.contains(read.tensor))
          continue;
        const Operation *writer = writerBehind(read.tensor);
        if (!writer)
          return makeProgramError(Twine("operation '") + operation.name +
                                  "' reads '" + tensors[read.tensor].name +
                                  "', which nothing writes and which is no "
                                  "input");
        return makeProgramError(
            Twine("operation '") + operation.name + "' reads '" +
            tensors[read.tensor].name + "', which operation '" + writer->name +
            (isLoop ? "' writes behind it, and which has no value in the "
                      "first iteration"
                    : "' writes behind it: that is a cycle without a loop"));
      }
      written.insert(operation.write.tensor);
    }
  for (const Carried &pair : carried)
    if (!written.contains(pair.next))
      return makeProgramError("the loop carries '" + tensors[pair.next].name +
                              "', which nothing writes");
  return Error::success();
}
