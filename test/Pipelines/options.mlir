// A value an option cannot have is an error, not a default.

// RUN: not ember-opt %s --optimize=opt-level=5 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not ember-opt %s --slc-to-dlc=opt-level=5 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: for the --opt-level option: expected 0, 1, 2, 3 or 4, not '5'
// RUN: not ember-opt %s --lower-to-native=opt-level=5 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: for the --opt-level option: expected an integer from 0 to 4, not '5'
// RUN: not ember-opt %s --lower-to-native=opt-level=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: for the --opt-level option: expected an integer from 0 to 4, not '-1'
// RUN: not ember-opt %s --slc-to-dlc=token-values=some 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: for the --token-values option: expected none, auto or any, not 'some'
// RUN: not ember-opt %s --optimize=vector-length=-3 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: error: slc-vectorize: vector-length must be in [0, 1024], not -3
// RUN: not ember-opt %s --optimize=alignment=fancy 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// ALIGNMENT: for the --alignment option: expected auto, counters, pad or addresses, not 'fancy'
// RUN: not ember-opt %s --align-queues=strategy=fancy 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: for the --strategy option: expected auto, counters, pad or addresses, not 'fancy'
// RUN: not ember-opt %s --choose-cache-hints=lookup-level=l4 2>&1 | FileCheck %s --check-prefix=CACHE
// CACHE: for the --lookup-level option: expected auto, l1, l2, llc or none, not 'l4'

func.func @empty() {
  return
}
