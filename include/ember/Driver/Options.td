//===- Options.td - Options that every tool has ------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_OPTIONS
#define EMBER_DRIVER_OPTIONS

include "llvm/Option/OptParser.td"

/// Spelled --name=VALUE or --name VALUE.
multiclass Value<string name, string help, string meta> {
  def NAME : Joined<["--"], name # "=">, HelpText<help>, MetaVarName<meta>;
  def NAME # "_separate" : Separate<["--"], name>,
                           Alias<!cast<Option>(NAME)>;
}

def help : Flag<["--"], "help">, HelpText<"Show this text">;
def help_short : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Show the version">;

def may_alias : Flag<["--"], "may-alias">,
    HelpText<"Arguments may overlap each other">;
def remarks : Flag<["--"], "remarks">,
    HelpText<"Show what was not optimised, and why">;

#endif // EMBER_DRIVER_OPTIONS
