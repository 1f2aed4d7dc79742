//===- CacheWarming.cpp - What accesses leave in private caches -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without time there are no MSHRs, ports and buffers: an access asks the level
// below at once. Prefetches come at once, too, and none is dropped.
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/Cache.h"

using namespace ember::sim;

void Cache::beginWarming() {
  warming = true;
  counted = counters;
}

void Cache::endWarming() {
  warming = false;
  counters = counted;
}

Request Cache::warm(const Request &request) {
  Request answered = warmOne(request);
  while (!prefetchQueue.empty()) {
    Request prefetch;
    prefetch.line = prefetchQueue.front();
    prefetch.prefetch = true;
    prefetchQueue.pop();
    if (isWanted(prefetch.line))
      warmOne(prefetch);
  }
  return answered;
}

Request Cache::warmOne(const Request &request) {
  uint32_t entry = tags.find(request.line);
  if (entry == none && !uppers.empty())
    entry = adopt(request.line);
  bool hit = canServe(request, entry);
  bool firstUse = false;
  if (hit) {
    tags.touch(entry);
    firstUse = tags[entry].prefetched && !request.prefetch;
    if (firstUse)
      tags[entry].prefetched = false;
  } else {
    Request asked;
    asked.line = request.line;
    asked.access = request.access;
    asked.prefetch = request.prefetch;
    asked.instruction = request.instruction;
    asked.requester = this;
    entry = install(request.line, stateOf(below->warm(asked), asked.access));
    tags[entry].prefetched = request.prefetch;
    if (prefetcher)
      prefetcher->filled(request.line, request.prefetch);
  }
  Request answered = serve(request, entry);
  observe(request, hit, firstUse);
  return answered;
}

void Cache::warmVictim(uint64_t line, LineState state) {
  uint32_t entry = tags.find(line);
  if (entry == none) {
    if (!give(line, state))
      install(line, state);
  } else if (isDirty(state)) {
    tags[entry].state =
        isWritable(tags[entry].state) ? LineState::modified : LineState::owned;
  }
}
