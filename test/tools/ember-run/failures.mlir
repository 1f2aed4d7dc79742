// What goes wrong inside a kernel is an error of the tool, and nothing is saved.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/table.npy f32 "np.zeros((3, 4))"
// RUN: %npy make %t/indices.npy index "[0, 1, 7]"
// RUN: %npy make %t/negative.npy index "[0, -1, 2]"
// RUN: %npy make %t/offsets.npy index "[0, 2, 3]"
// RUN: %npy make %t/down.npy index "[2, 1, 3]"
// RUN: %npy make %t/past.npy index "[0, 2, 4]"
// RUN: %npy make %t/out.npy f32 "np.zeros((2, 4))"
// RUN: not ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy \
// RUN:   --save=3:%t/saved.npy 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not ls %t/saved.npy
// RUN: not ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/negative.npy @%t/offsets.npy @%t/out.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// RUN: not ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/indices.npy @%t/down.npy @%t/out.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DOWN
// RUN: not ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/offsets.npy @%t/past.npy @%t/out.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PAST
// INDEX: error: index 7 at position 2 of 'indices' is out of range for dimension 0 of 'weight' of size 3
// NEGATIVE: error: index -1 at position 1 of 'indices' is out of range for dimension 0 of 'weight' of size 3
// DOWN: error: offsets decrease: 'offsets'[0] is 2 but 'offsets'[1] is 1
// PAST: error: {{.*}}'indices'

// RUN: not ember-run %s --entry=assert 0 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: error: the condition does not hold
func.func @assert(%a: i1) {
  cf.assert %a, "the condition does not hold"
  return
}
