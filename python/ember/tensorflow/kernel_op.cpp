//===- kernel_op.cpp - Kernels as an operator of TensorFlow ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// EmberKernel calls an entry of a kernel library on the memory of tensors. A
// variable is read in place, under the lock that others read it under, which
// those that assign to it wait for. What the kernel returns becomes a tensor
// without a copy. Texts, which are apart in memory, are copied together.
//
// Compiled for one release of TensorFlow, with the headers of its wheel.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/KernelLibrary.h"

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/framework/shape_inference.h"

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>

#include <unistd.h>

namespace {

using tensorflow::DataType;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::TensorShape;

/// A type of elements, and what manifests call it.
struct ElementType {
  DataType type;
  const char *name;
};
constexpr ElementType elementTypes[] = {
    {tensorflow::DT_FLOAT, "f32"}, {tensorflow::DT_DOUBLE, "f64"},
    {tensorflow::DT_HALF, "f16"},  {tensorflow::DT_BFLOAT16, "bf16"},
    {tensorflow::DT_BOOL, "i1"},   {tensorflow::DT_INT8, "i8"},
    {tensorflow::DT_INT16, "i16"}, {tensorflow::DT_INT32, "i32"},
    {tensorflow::DT_INT64, "i64"},
};

/// Null for a type that kernels do not have.
const char *getName(DataType type) {
  for (const ElementType &known : elementTypes)
    if (known.type == type)
      return known.name;
  return nullptr;
}

/// The memory of a kernel's result as that of a tensor.
class ResultBuffer : public tensorflow::TensorBuffer {
public:
  ResultBuffer(ember::Result owned, size_t bytes)
      : TensorBuffer(owned.getData<char>()), owned(std::move(owned)),
        bytes(bytes) {}

  size_t size() const override { return bytes; }
  TensorBuffer *root_buffer() override { return this; }
  void FillAllocationDescription(
      tensorflow::AllocationDescription *proto) const override {
    proto->set_requested_bytes(bytes);
    proto->set_allocator_name("ember");
  }

private:
  ember::Result owned;
  size_t bytes;
};

/// Where a library is: in a file, or in the node, with its manifest.
struct LibraryPlace {
  std::string path, image, manifest;
};

/// Writes a library that a node holds, for as long as it takes to load it.
std::unique_ptr<ember::KernelLibrary> loadImage(const LibraryPlace &place) {
  const char *root = std::getenv("TMPDIR");
  std::string folder = std::string(root ? root : "/tmp") + "/ember-XXXXXX";
  if (!mkdtemp(folder.data()))
    throw ember::LibraryError(
        "cannot make a folder such as " + folder +
        " for a kernel that is in a graph: " + std::strerror(errno));
  struct Removal {
    std::filesystem::path folder;
    ~Removal() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } removal{folder};
  std::filesystem::path library = removal.folder / "libcolumns.so";
  std::filesystem::path beside = removal.folder / "libcolumns.json";
  for (const auto &[file, content] :
       {std::pair(library, &place.image), std::pair(beside, &place.manifest)})
    if (!(std::ofstream(file, std::ios::binary) << *content << std::flush))
      throw ember::LibraryError("cannot write " + file.string());
  return std::make_unique<ember::KernelLibrary>(library);
}

/// Libraries stay loaded, and are loaded once.
const ember::KernelLibrary &loadLibrary(const LibraryPlace &place) {
  static std::mutex lock;
  static std::map<std::string, std::unique_ptr<ember::KernelLibrary>> loaded;
  std::lock_guard<std::mutex> guard(lock);
  bool isFile = place.image.empty();
  std::unique_ptr<ember::KernelLibrary> &library =
      loaded[isFile ? place.path : place.image + place.manifest];
  if (!library)
    library = isFile ? std::make_unique<ember::KernelLibrary>(place.path)
                     : loadImage(place);
  return *library;
}

/// The variables that a call reads, and the locks on them.
class Variables {
public:
  absl::Status find(OpKernelContext *context) {
    for (int place = 0; place < context->num_inputs(); ++place) {
      if (context->input_dtype(place) != tensorflow::DT_RESOURCE)
        continue;
      TF_RETURN_IF_ERROR(tensorflow::LookupResource(
          context, tensorflow::HandleFromInput(context, place), &held[place]));
    }
    return absl::OkStatus();
  }

  /// In the order that operators which change several variables lock them in,
  /// so that nobody waits for each other.
  void lock() {
    std::set<decltype(std::declval<tensorflow::Var>().mu())> inOrder;
    for (const auto &[place, variable] : held)
      inOrder.insert(variable->mu());
    for (auto *mutex : inOrder)
      locks.push_back(std::make_unique<tensorflow::tf_shared_lock>(*mutex));
  }

  /// The value of argument `place`, null for a variable without one.
  const Tensor *get(OpKernelContext *context, int place) const {
    auto found = held.find(place);
    if (found == held.end())
      return &context->input(place);
    return found->second->is_initialized ? found->second->tensor() : nullptr;
  }

private:
  // Locks go first.
  std::map<int, tensorflow::core::RefCountPtr<tensorflow::Var>> held;
  std::vector<std::unique_ptr<tensorflow::tf_shared_lock>> locks;
};

/// The texts of a tensor as kernels take them: all bytes, and where each text
/// begins and ends in them.
class StoredTexts {
public:
  explicit StoredTexts(const Tensor &tensor) {
    auto texts = tensor.flat<tensorflow::tstring>();
    for (int64_t i = 0; i < texts.size(); ++i) {
      places.push_back(bytes.size());
      bytes.append(texts(i).data(), texts(i).size());
      places.push_back(bytes.size());
    }
    auto shape = tensor.shape().dim_sizes();
    sizes.assign(shape.begin(), shape.end());
    sizes.push_back(2);
  }

  void addTo(std::vector<ember::Argument> &arguments) {
    arguments.emplace_back("i8", bytes.data(),
                           std::vector<int64_t>{int64_t(bytes.size())});
    arguments.emplace_back("i64", places.data(), sizes);
  }

private:
  std::string bytes;
  std::vector<int64_t> places, sizes;
};

class EmberKernelOp : public tensorflow::OpKernel {
public:
  explicit EmberKernelOp(tensorflow::OpKernelConstruction *context)
      : OpKernel(context) {
    LibraryPlace place;
    std::string name;
    for (const auto &[attribute, text] :
         {std::pair("library", &place.path), std::pair("image", &place.image),
          std::pair("manifest", &place.manifest), std::pair("entry", &name)})
      OP_REQUIRES_OK(context, context->GetAttr(attribute, text));
    try {
      entry = &loadLibrary(place).entry(name);
    } catch (const ember::LibraryError &error) {
      OP_REQUIRES(context, false, absl::FailedPreconditionError(error.what()));
    }
    OP_REQUIRES_OK(context, checkSignature(context));
  }

  void Compute(OpKernelContext *context) override {
    Variables variables;
    OP_REQUIRES_OK(context, variables.find(context));
    variables.lock();
    std::vector<ember::Argument> arguments;
    std::deque<StoredTexts> texts;
    for (int place = 0; place < context->num_inputs(); ++place) {
      const Tensor *value = variables.get(context, place);
      OP_REQUIRES(
          context, value,
          absl::FailedPreconditionError(absl::StrCat(
              "the variable of argument ", place, " has no value yet")));
      if (value->dtype() == tensorflow::DT_STRING) {
        texts.emplace_back(*value).addTo(arguments);
        continue;
      }
      const char *type = getName(value->dtype());
      OP_REQUIRES(context, type,
                  absl::InvalidArgumentError(
                      absl::StrCat("argument ", place, " has elements of ",
                                   tensorflow::DataTypeString(value->dtype()),
                                   ", which kernels do not have")));
      auto sizes = value->shape().dim_sizes();
      arguments.emplace_back(type, value->data(),
                             std::vector<int64_t>(sizes.begin(), sizes.end()));
    }
    try {
      std::vector<ember::Result> results = entry->call(arguments);
      for (size_t place = 0; place < results.size(); ++place)
        setOutput(context, place, std::move(results[place]));
    } catch (const ember::KernelError &error) {
      OP_REQUIRES(context, error.code != EMBER_MEMORY,
                  absl::ResourceExhaustedError(error.what()));
      OP_REQUIRES(context, false, absl::InvalidArgumentError(error.what()));
    } catch (const ember::ArgumentError &error) {
      OP_REQUIRES(context, false, absl::InvalidArgumentError(error.what()));
    }
  }

private:
  /// Whether the kernel takes and returns as many arrays as the node has; texts
  /// are two.
  absl::Status checkSignature(tensorflow::OpKernelConstruction *context) const {
    size_t takes = entry->getParameters().size(),
           returns = entry->getResults().size();
    size_t given = 0;
    for (int place = 0; place < context->num_inputs(); ++place)
      given += context->input_type(place) == tensorflow::DT_STRING ? 2 : 1;
    if (takes == given && returns == size_t(context->num_outputs()))
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("'", entry->getName(), "' takes ", takes,
                     " arrays and returns ", returns, ", and the node has ",
                     given, " and ", context->num_outputs()));
  }

  void setOutput(OpKernelContext *context, size_t place, ember::Result result) {
    DataType type = context->expected_output_dtype(place);
    OP_REQUIRES(context, getName(type) && result.getType() == getName(type),
                absl::InvalidArgumentError(absl::StrCat(
                    "result ", place, " has elements of ", result.getType(),
                    ", and the node says ", tensorflow::DataTypeString(type))));
    std::vector<int64_t> sizes = result.getSizes();
    int64_t whole = 1;
    for (size_t dim = sizes.size(); dim-- > 0; whole *= sizes[dim])
      OP_REQUIRES(context, sizes[dim] == 1 || result.getStrides()[dim] == whole,
                  absl::InvalidArgumentError(
                      absl::StrCat("result ", place, " is not contiguous")));
    TensorShape shape;
    OP_REQUIRES_OK(context, TensorShape::BuildTensorShape(sizes, &shape));
    size_t bytes = whole * tensorflow::DataTypeSize(type);
    auto *data = result.getData<char>();
    if (reinterpret_cast<uintptr_t>(data) % alignment == 0) {
      tensorflow::core::RefCountPtr<ResultBuffer> buffer(
          new ResultBuffer(std::move(result), bytes));
      return context->set_output(place, Tensor(type, shape, buffer.get()));
    }
    Tensor *output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(place, shape, &output));
    if (bytes)
      std::memcpy(output->data(), data, bytes);
  }

  // Of all tensors' memory: others are not taken.
  static constexpr size_t alignment = EIGEN_MAX_ALIGN_BYTES;
  const ember::Entry *entry = nullptr;
};

} // namespace

// Not merged with another call, as variables may have changed between them.
REGISTER_OP("EmberKernel")
    .Input("arguments: argument_types")
    .Output("results: result_types")
    .Attr("argument_types: list(type) >= 0")
    .Attr("result_types: list(type) >= 1")
    .Attr("result_shapes: list(shape) >= 0 = []")
    .Attr("library: string = ''")
    .Attr("image: string = ''")
    .Attr("manifest: string = ''")
    .Attr("entry: string")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext *context) {
      std::vector<tensorflow::PartialTensorShape> shapes;
      TF_RETURN_IF_ERROR(context->GetAttr("result_shapes", &shapes));
      for (int place = 0; place < context->num_outputs(); ++place) {
        tensorflow::shape_inference::ShapeHandle shape =
            context->UnknownShape();
        if (size_t(place) < shapes.size())
          TF_RETURN_IF_ERROR(
              context->MakeShapeFromPartialTensorShape(shapes[place], &shape));
        context->set_output(place, shape);
      }
      return absl::OkStatus();
    });

REGISTER_KERNEL_BUILDER(Name("EmberKernel").Device(tensorflow::DEVICE_CPU),
                        EmberKernelOp);
