//===- OptionTable.h - The options of the tool around it --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the one file of a tool with its main: defines the OPT_ ids of its
// Options.inc and the class ToolOptions, which parses them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_OPTIONTABLE_H
#define EMBER_DRIVER_OPTIONTABLE_H

#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"

namespace {

// What LLVM's generated tables name without saying where it is.
using llvm::opt::DefaultVis;

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr llvm::opt::OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class ToolOptions : public llvm::opt::GenericOptTable {
public:
  ToolOptions()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {
    setDashDashParsing(true);
  }
};

} // namespace

#endif // EMBER_DRIVER_OPTIONTABLE_H
