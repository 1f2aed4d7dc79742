//===- DotText.cpp - Graphviz's language, as far as it is used ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace ember::sam;
using llvm::StringRef;

const DotNode *DotText::findNode(StringRef name) const {
  auto found = llvm::find_if(
      nodes, [&](const DotNode &node) { return node.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

namespace {
class DotReader {
public:
  DotReader(StringRef text, std::string &reason) : text(text), reason(reason) {}

  std::optional<DotText> read() {
    next();
    if (token == "strict")
      next();
    if (token != "digraph")
      return fail("a graph begins with 'digraph'");
    next();
    if (token != "{")
      next();
    if (token != "{")
      return fail("expected '{'");
    next();
    while (token != "}") {
      if (isAtEnd)
        return fail("'}' is missing at the end");
      if (token == ";" || token == ",") {
        next();
        continue;
      }
      if (!readStatement())
        return std::nullopt;
    }
    return std::move(graph);
  }

private:
  std::nullopt_t fail(const std::string &message) {
    if (reason.empty())
      reason = "line " + std::to_string(line) + ": " + message;
    return std::nullopt;
  }

  void skipSpace() {
    while (!text.empty()) {
      if (text.starts_with("#") || text.starts_with("//")) {
        text = text.drop_until([](char c) { return c == '\n'; });
        continue;
      }
      if (!llvm::isSpace(text.front()))
        return;
      line += text.front() == '\n';
      text = text.drop_front();
    }
  }

  /// A word, a text in quotes, an arrow or a sign.
  void next() {
    skipSpace();
    token.clear();
    isAtEnd = text.empty();
    if (isAtEnd)
      return;
    if (text.consume_front("->")) {
      token = "->";
      return;
    }
    if (text.consume_front("\"")) {
      while (!text.empty() && text.front() != '"') {
        line += text.front() == '\n';
        if (text.front() == '\\' && text.size() > 1) {
          token += text.front();
          text = text.drop_front();
        }
        token += text.front();
        text = text.drop_front();
      }
      text = text.drop_front(text.empty() ? 0 : 1);
      return;
    }
    StringRef word = text.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    token = word.empty() ? text.take_front().str() : word.str();
    text = text.drop_front(token.size());
  }

  /// `[key=value key=value]`
  bool readAttributes(llvm::StringMap<std::string> &attributes) {
    if (token != "[")
      return true;
    next();
    while (token != "]") {
      if (isAtEnd) {
        fail("']' is missing");
        return false;
      }
      if (token == "," || token == ";") {
        next();
        continue;
      }
      std::string key = token;
      next();
      if (token != "=") {
        fail("expected '=' behind '" + key + "'");
        return false;
      }
      next();
      attributes[key] = token;
      next();
    }
    next();
    return true;
  }

  bool readStatement() {
    std::string name = token;
    next();
    if (token == "=") {
      next();
      if (name == "comment")
        graph.comment = token;
      next();
      return true;
    }
    llvm::StringMap<std::string> attributes;
    if (token != "->") {
      if (!readAttributes(attributes))
        return false;
      if (name == "node" || name == "edge" || name == "graph")
        return true;
      DotNode node{name, {}};
      for (StringRef part : llvm::split(attributes["comment"], ',')) {
        auto [key, value] = part.split('=');
        node.attributes[key] = value.str();
      }
      if (graph.findNode(name)) {
        fail("there are two blocks " + name);
        return false;
      }
      graph.nodes.push_back(std::move(node));
      return true;
    }
    next();
    DotEdge edge{name, token, {}, {}};
    next();
    if (!readAttributes(attributes))
      return false;
    edge.kind = attributes["type"];
    edge.comment = attributes["comment"];
    graph.edges.push_back(std::move(edge));
    return true;
  }

  StringRef text;
  std::string &reason;
  unsigned line = 1;
  std::string token;
  bool isAtEnd = false;
  DotText graph;
};
} // namespace

std::optional<DotText> ember::sam::parseDot(StringRef text,
                                            std::string &reason) {
  return DotReader(text, reason).read();
}
