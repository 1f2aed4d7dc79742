//===- graph_optimizer.cpp - Columns of graphs that TensorFlow runs -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin of Grappler through its C interface. Graphs with operators that
// columns consist of are given to a function of the process, which starts the
// compiler; what it gives back takes their place. All others stay as they are.
//
//===----------------------------------------------------------------------===//

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/tf_status.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Takes the bytes of a graph and the names of nodes, each on a line: those
/// that are fetched, and those that have to stay. Returns 1 after it has given
/// another graph, 0 to leave it.
using Compiler = int (*)(const char *graph, size_t size, const char *fetched,
                         const char *kept, void *result);

std::atomic<Compiler> compiler{nullptr};

/// What graphs of columns have, in which rows of tables are combined.
constexpr std::string_view combining = "SparseSegment";

using GetSize = void (*)(const TF_GrapplerItem *, int *, size_t *, TF_Status *);
using GetNames = void (*)(const TF_GrapplerItem *, char **, size_t *, int,
                          void *, size_t, TF_Status *);

/// Names of nodes, each on a line.
std::string getNames(const TF_GrapplerItem *item, GetSize getSize,
                     GetNames getNames, TF_Status *status) {
  int count = 0;
  size_t bytes = 0;
  getSize(item, &count, &bytes, status);
  if (TF_GetCode(status) != TF_OK || count == 0)
    return "";
  std::vector<char *> names(count);
  std::vector<size_t> lengths(count);
  std::vector<char> storage(bytes);
  getNames(item, names.data(), lengths.data(), count, storage.data(), bytes,
           status);
  std::string text;
  for (int place = 0; place < count; ++place)
    text.append(names[place], lengths[place]).push_back('\n');
  return text;
}

void setBytes(TF_Buffer *buffer, const void *data, size_t size) {
  void *copy = std::malloc(size ? size : 1);
  std::memcpy(copy, data, size);
  buffer->data = copy;
  buffer->length = size;
  buffer->data_deallocator = [](void *data, size_t) { std::free(data); };
}

void optimize(void *, const TF_Buffer *graph, const TF_GrapplerItem *item,
              TF_Buffer *result, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  std::string_view bytes(static_cast<const char *>(graph->data), graph->length);
  Compiler compile = compiler;
  if (compile && bytes.find(combining) != std::string_view::npos) {
    std::string fetched =
        getNames(item, TF_GetFetchNodesListSize, TF_GetFetchNodesList, status);
    std::string kept = getNames(item, TF_GetNodesToPreserveListSize,
                                TF_GetNodesToPreserveList, status);
    bool isKnown = TF_GetCode(status) == TF_OK;
    TF_SetStatus(status, TF_OK, "");
    if (isKnown && compile(bytes.data(), bytes.size(), fetched.c_str(),
                           kept.c_str(), result))
      return;
  }
  setBytes(result, graph->data, graph->length);
}

} // namespace

extern "C" {

void ember_set_compiler(Compiler chosen) { compiler = chosen; }

/// For the compiler: the graph that takes the place of the one it was given.
void ember_give_graph(void *result, const void *data, size_t size) {
  setBytes(static_cast<TF_Buffer *>(result), data, size);
}

void TF_InitGraph(TP_OptimizerRegistrationParams *params, TF_Status *status) {
  params->struct_size = TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE;
  params->optimizer_configs->struct_size = TP_OPTIMIZER_CONFIGS_STRUCT_SIZE;
  params->optimizer->struct_size = TP_OPTIMIZER_STRUCT_SIZE;
  // Optimizers of TensorFlow run before plugins, and these would take the
  // nodes of columns apart.
  TP_OptimizerConfigs &others = *params->optimizer_configs;
  others.arithmetic_optimization = TF_TriState_Off;
  others.common_subgraph_elimination = TF_TriState_Off;
  others.constant_folding = TF_TriState_Off;
  others.dependency_optimization = TF_TriState_Off;
  others.remapping = TF_TriState_Off;
  others.shape_optimization = TF_TriState_Off;
  params->device_type = "CPU";
  params->optimizer->create_func = []() -> void * { return &compiler; };
  params->optimizer->optimize_func = optimize;
  params->optimizer->destroy_func = [](void *) {};
  TF_SetStatus(status, TF_OK, "");
}
}
