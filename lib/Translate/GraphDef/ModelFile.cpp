//===- ModelFile.cpp - Graphs in files of TensorFlow ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir;
using namespace ember::graphdef;

static LogicalResult parse(llvm::MemoryBufferRef file, StringRef what,
                           google::protobuf::MessageLite &message,
                           Location location) {
  constexpr size_t mostBytes = INT32_MAX;
  if (file.getBufferSize() > mostBytes)
    return emitError(location) << "more than 2 GiB, which no " << what << " is";
  // It would write to the standard error what the result says.
  auto *handler = google::protobuf::SetLogHandler(nullptr);
  bool isParsed =
      message.ParseFromArray(file.getBufferStart(), file.getBufferSize());
  google::protobuf::SetLogHandler(handler);
  if (isParsed)
    return success();
  return emitError(location)
         << "no " << what << ", or one that is damaged or cut off";
}

/// Finds the graph of a model that is meant to be used, and not to be trained.
LogicalResult ModelFile::findServed(Location location) {
  for (const MetaGraph &meta : model.meta_graphs())
    if (llvm::is_contained(meta.meta_info_def().tags(), "serve")) {
      served = &meta;
      return success();
    }
  if (model.meta_graphs_size() != 1)
    return emitError(location) << "no model with a graph for 'serve'";
  served = &model.meta_graphs(0);
  return success();
}

LogicalResult ModelFile::findEntry(StringRef wanted, Location location) {
  const auto &signatures = served->signature_def();
  name = wanted.empty() ? "serving_default" : wanted.str();
  auto found = signatures.find(name);
  if (found == signatures.end() && wanted.empty() && signatures.size() == 1) {
    found = signatures.begin();
    name = found->first;
  }
  if (found != signatures.end()) {
    entry = &found->second;
    return success();
  }
  std::map<StringRef, const Entry *> sorted;
  for (const auto &[name, entry] : signatures)
    sorted[name] = &entry;
  InFlightDiagnostic error = emitError(location);
  error << "the model has no signature '" << name << "'";
  StringRef separator = "; it has ";
  for (const auto &[name, entry] : sorted) {
    error << separator << "'" << name << "'";
    separator = ", ";
  }
  return failure();
}

std::unique_ptr<ModelFile> ModelFile::read(llvm::MemoryBufferRef file,
                                           FileKind kind, StringRef signature,
                                           Location location) {
  auto read = std::make_unique<ModelFile>();
  if (kind == FileKind::graph) {
    read->graph = &read->alone;
    if (failed(parse(file, "GraphDef", read->alone, location)))
      return nullptr;
    return read;
  }
  if (failed(parse(file, "SavedModel", read->model, location)) ||
      failed(read->findServed(location)) ||
      failed(read->findEntry(signature, location)))
    return nullptr;
  read->graph = &read->served->graph_def();
  return read;
}
