//===- GroupedPlaces.h - By what scatters are grouped -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_GROUPEDPLACES_H
#define EMBER_DIALECT_CIN_TRANSFORMS_GROUPEDPLACES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ember::cin {

/// Places as an option of `--cin-group-scatters` says them.
struct GroupedPlaces {
  std::string array;
  /// The first indices of an array of several dimensions, all but the last one.
  llvm::SmallVector<int64_t> row;
};

/// What `target`, or `edges[1]`, says; none if it is neither.
std::optional<GroupedPlaces> parseGroupedPlaces(llvm::StringRef text);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_GROUPEDPLACES_H
