//===- CoreTranslator.h - A core's translation buffers ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a core asks for translations, by its first translation buffer. Where
// that takes no time, what it knows costs no event.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_CORETRANSLATOR_H
#define EMBER_SIM_MACHINE_CORETRANSLATOR_H

#include "ember/Sim/Cache/Tlb.h"
#include "ember/Sim/Core/OutOfOrderCore.h"

namespace ember::sim {

class CoreTranslator final : public Translator, public Translated {
public:
  explicit CoreTranslator(Tlb &tlb) : tlb(tlb) {}

  bool known(uint64_t address) override {
    return tlb.known(tlb.pageOf(address));
  }
  bool translate(uint64_t address, TranslationRequester &from,
                 uint64_t id) override {
    requester = &from;
    tlb.translate({tlb.pageOf(address), this, id});
    return true;
  }
  void translated(const Translation &translation) override {
    requester->translated(translation.id);
  }

private:
  Tlb &tlb;
  TranslationRequester *requester = nullptr;
};

} // namespace ember::sim

#endif
