//===- Export.h - Exported kernels from C++ ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of a folder that ember.export has written, by their names:
//
//   ember::Export model("recommender");
//   const ember::Entry &bags = model.kernel("bags_0");
//
// What PyTorch computes around the kernels, and the weights, are in the
// folder's program.pt2, which is PyTorch's to read.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_EXPORT_H
#define EMBER_RUNTIME_EXPORT_H

#include "ember/Runtime/KernelLibrary.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include <sys/utsname.h>

namespace ember {

/// An export's kernels.
class Export {
public:
  /// Loads all kernels; throws LibraryError for a folder that is no export, one
  /// for another processor, or, for root, one that others might change.
  explicit Export(const std::filesystem::path &folder) {
    std::filesystem::path path = folder / "export.json";
    std::ifstream file(path);
    if (!file)
      throw LibraryError(folder.string() +
                         " is not an export: there is no export.json in it");
    refuseForRoot(path);
    try {
      nlohmann::json manifest = nlohmann::json::parse(file);
      if (manifest.at("format") != 1)
        throw LibraryError(path.string() + " has format " +
                           manifest.at("format").dump() +
                           ", and this program reads 1");
      checkProcessor(folder, manifest);
      for (const nlohmann::json &kernel : manifest.at("kernels"))
        libraries.emplace(
            kernel.at("name").get<std::string>(),
            KernelLibrary(folder / kernel.at("library").get<std::string>()));
    } catch (const nlohmann::json::exception &error) {
      throw LibraryError(path.string() + " is damaged: " + error.what());
    }
  }

  /// The libraries by the names of their kernels.
  const std::map<std::string, KernelLibrary> &getLibraries() const {
    return libraries;
  }

  /// The kernel of that name; throws LibraryError with the names there are.
  const Entry &kernel(const std::string &name) const {
    auto found = libraries.find(name);
    if (found != libraries.end() && !found->second.getEntries().empty())
      return found->second.getEntries().begin()->second;
    std::string names;
    for (const auto &[known, library] : libraries)
      names += (names.empty() ? "" : ", ") + known;
    throw LibraryError("no kernel '" + name +
                       "'; there are: " + (names.empty() ? "none" : names));
  }

private:
  /// Throws LibraryError if the kernels' instructions are not this machine's.
  static void checkProcessor(const std::filesystem::path &folder,
                             const nlohmann::json &manifest) {
    utsname system;
    auto machine = manifest.at("machine").get<std::string>();
    if (uname(&system) == 0 && machine != system.machine)
      throw LibraryError("the kernels in " + folder.string() + " are for " +
                         machine + ", and this machine is " + system.machine);
    std::set<std::string> present = getFeatures();
    for (const nlohmann::json &feature : manifest.at("needs"))
      if (!present.empty() && !present.count(feature.get<std::string>()))
        throw LibraryError(
            "the kernels in " + folder.string() +
            " need what this processor has not: " + feature.get<std::string>());
  }

  /// The processor's features as the manifest has them, without separators;
  /// empty where the system does not tell.
  static std::set<std::string> getFeatures() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("flags", 0) != 0 && line.rfind("Features", 0) != 0)
        continue;
      line.erase(std::remove_if(line.begin(), line.end(),
                                [](char c) { return c == '_' || c == '.'; }),
                 line.end());
      std::istringstream words(line);
      return {std::istream_iterator<std::string>(words), {}};
    }
    return {};
  }

  std::map<std::string, KernelLibrary> libraries;
};

} // namespace ember

#endif // EMBER_RUNTIME_EXPORT_H
