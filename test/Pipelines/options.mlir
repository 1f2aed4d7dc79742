// A value an option cannot have is an error, not a default.

// RUN: not ember-opt %s --optimize=opt-level=5 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not ember-opt %s --slc-to-dlc=opt-level=5 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not ember-opt %s --lower-to-native=opt-level=5 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: for the --opt-level option: expected an integer from 0 to 4, not '5'
// RUN: not ember-opt %s --lower-to-native=opt-level=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: for the --opt-level option: expected an integer from 0 to 4, not '-1'
// RUN: not ember-opt %s --slc-to-dlc=token-values=some 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: for the --token-values option: Cannot find option named 'some'!
// RUN: not ember-opt %s --optimize=vector-length=-3 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: error: slc-vectorize: vector-length must be in [0, 1024], not -3
// RUN: not ember-opt %s --optimize=alignment=fancy 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// ALIGNMENT: for the --alignment option: Cannot find option named 'fancy'!

func.func @empty() {
  return
}
