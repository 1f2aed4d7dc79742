//===- Choice.h - Options that are one of a few names -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_TRANSFORMS_CHOICE_H
#define EMBER_DIALECT_EMBER_TRANSFORMS_CHOICE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace ember {

/// A value of an enumeration, as the type of an option of passes and pipelines:
/// where the option is given another value, the error names those it takes,
/// which upstream's does not.
template <typename EnumT> class Choice {
public:
  Choice(EnumT value = EnumT()) : value(value) {}
  operator EnumT() const { return value; }

private:
  EnumT value;
};

} // namespace ember

template <typename EnumT>
class llvm::cl::parser<ember::Choice<EnumT>> : public llvm::cl::parser<EnumT> {
public:
  using parser_data_type = ember::Choice<EnumT>;
  using llvm::cl::parser<EnumT>::parser;

  bool parse(Option &option, StringRef /*name*/, StringRef text,
             ember::Choice<EnumT> &choice) {
    for (const auto &known : this->Values)
      if (known.Name == text) {
        choice = known.V.getValue();
        return false;
      }
    auto names = llvm::map_to_vector(
        this->Values, [](const auto &known) { return known.Name; });
    return option.error("expected " + llvm::join(llvm::drop_end(names), ", ") +
                        " or " + names.back() + ", not '" + text + "'");
  }
};

#endif // EMBER_DIALECT_EMBER_TRANSFORMS_CHOICE_H
