//===- EmbedWords.cpp - Attributes that are a word ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Embed/IR/Embed.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace ember::embed;

/// Parses one of the words up to that of `last`, or says which there are.
template <typename AttrT, typename Enum>
static Attribute parseWord(AsmParser &parser, StringRef what,
                           std::optional<Enum> (*symbolize)(StringRef),
                           unsigned last) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  std::optional<Enum> value;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    value = symbolize(word);
  if (value)
    return AttrT::get(parser.getContext(), *value);
  InFlightDiagnostic error = parser.emitError(loc);
  error << "expected " << what << ":";
  for (unsigned i : llvm::seq_inclusive(0u, last)) {
    error << (i == 0      ? " "
              : i == last ? " or "
                          : ", ")
          << stringifyEnum(static_cast<Enum>(i));
  }
  return {};
}

#define EMBED_WORD(NAME, WHAT)                                                 \
  Attribute NAME##Attr::parse(AsmParser &parser, Type) {                       \
    return parseWord<NAME##Attr, NAME>(parser, WHAT, symbolize##NAME,          \
                                       getMaxEnumValFor##NAME());              \
  }                                                                            \
  void NAME##Attr::print(AsmPrinter &printer) const {                          \
    printer << ' ' << stringify##NAME(getValue());                             \
  }

EMBED_WORD(Reduction, "a reduction")
EMBED_WORD(SegmentKind, "how segments are given")
EMBED_WORD(GraphFormat, "how edges are given")
EMBED_WORD(ScoreModel, "a model")

#undef EMBED_WORD
