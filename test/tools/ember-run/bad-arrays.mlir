// Every array that does not fit is one error that names argument, file, what
// was expected and what is there.
// RUN: rm -rf %t && mkdir -p %t/folder.npy
// RUN: %npy make %t/f64.npy f64 "np.zeros((2, 4))"
// RUN: %npy make %t/flat.npy f32 "np.zeros(8)"
// RUN: %npy make %t/narrow.npy f32 "np.zeros((2, 3))"
// RUN: %npy make %t/good.npy f32 "np.zeros((2, 4))"
// RUN: %npy make %t/i32.npy i32 "np.zeros(8)"
// RUN: %npy make %t/index.npy index "np.zeros(8)"
// RUN: %python -c "open(r'%t/cut.npy', 'wb').write(open(r'%t/good.npy', 'rb').read()[:-1])"
// RUN: %python -c "open(r'%t/empty.npy', 'wb')"
// RUN: %python -c "open(r'%t/text.npy', 'w').write('1, 2, 3, 4')"

// RUN: not ember-run %s @%t/f64.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not ember-run %s @%t/flat.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not ember-run %s @%t/narrow.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not ember-run %s @%t/good.npy @%t/i32.npy 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not ember-run %s @%t/cut.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not ember-run %s @%t/empty.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not ember-run %s @%t/text.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not ember-run %s @%t/none.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not ember-run %s @%t/folder.npy @%t/index.npy 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not ember-run %s 1.5 @%t/index.npy 2>&1 | FileCheck %s --check-prefix=LITERAL

// DTYPE: error: argument 0 'weight': expected elements of type float32 for memref<?x4xf32>, '{{.*}}f64.npy' holds float64
// RANK: error: argument 0 'weight': expected rank 2 for memref<?x4xf32>, '{{.*}}flat.npy' has shape [8]
// DIM: error: argument 0 'weight': expected 4 in dimension 1 of memref<?x4xf32>, '{{.*}}narrow.npy' has shape [2, 3]
// INDEX: error: argument 1: expected elements of type int64 for memref<?xindex>, '{{.*}}i32.npy' holds int32
// CUT: error: argument 0 'weight': cannot read '{{.*}}cut.npy': the file is truncated: its shape needs 32 bytes of elements, 31 are there
// EMPTY: error: argument 0 'weight': cannot read '{{.*}}empty.npy': the file is empty
// TEXT: error: argument 0 'weight': cannot read '{{.*}}text.npy': not a .npy file
// MISSING: error: argument 0 'weight': cannot read '{{.*}}none.npy': No such file or directory
// FOLDER: error: argument 0 'weight': cannot read '{{.*}}folder.npy': Is a directory
// LITERAL: error: argument 0 'weight': expected @FILE.npy for memref<?x4xf32>, got '1.5'

func.func @f(%a: memref<?x4xf32> {ember.name = "weight"}, %b: memref<?xindex>) {
  return
}
