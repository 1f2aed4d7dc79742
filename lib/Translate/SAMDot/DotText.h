//===- DotText.h - Graphviz's language, as far as it is used ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_SAMDOT_DOTTEXT_H
#define EMBER_LIB_TRANSLATE_SAMDOT_DOTTEXT_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace ember::sam {

struct DotNode {
  std::string name;
  /// What its comment says.
  llvm::StringMap<std::string> attributes;

  /// Empty if it says nothing of that.
  llvm::StringRef get(llvm::StringRef key) const {
    auto found = attributes.find(key);
    return found == attributes.end() ? llvm::StringRef()
                                     : llvm::StringRef(found->second);
  }
};

struct DotEdge {
  std::string from, to;
  /// `crd`, `ref`, `val` or `repsig`.
  std::string kind;
  std::string comment;
};

struct DotText {
  std::string comment;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;

  const DotNode *findNode(llvm::StringRef name) const;
};

/// Nodes and edges of a digraph; none, and why, if the text is not one.
std::optional<DotText> parseDot(llvm::StringRef text, std::string &reason);

} // namespace ember::sam

#endif // EMBER_LIB_TRANSLATE_SAMDOT_DOTTEXT_H
