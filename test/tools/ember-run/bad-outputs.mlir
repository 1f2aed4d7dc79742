// Files that cannot be written are reported before the run where that can be
// known, and after it where it cannot; nothing is left half-written.
// RUN: rm -rf %t && mkdir -p %t/folder
// RUN: not ember-run %s 3 --stats=%t/none/stats.json 2>&1 | FileCheck %s --check-prefix=MISSING --implicit-check-not=result
// RUN: not ember-run %s 3 --trace-queues=%t/none/trace 2>&1 | FileCheck %s --check-prefix=MISSING --implicit-check-not=result
// RUN: not ember-run %s 3 --save-result=0:%t/none/r.npy 2>&1 | FileCheck %s --check-prefix=MISSING --implicit-check-not=result
// RUN: not ember-run %s 3 --save=0:%t/folder 2>&1 | FileCheck %s --check-prefix=FOLDER --implicit-check-not=result
// MISSING: error: cannot write '{{.*}}none/{{.*}}': No such file or directory
// FOLDER: error: cannot write '{{.*}}folder': Is a directory

// RUN: not ember-run %s 3 --save-result=0:/dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not ember-run %s 3 --stats=/dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write '/dev/full': No space left on device
// RUN: %python -c "import subprocess as s, sys; sys.exit(s.call(sys.argv[1:], stdout=open('/dev/full', 'w')) != 1)" \
// RUN:   ember-run %s 3 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT: error: cannot write 'standard output': No space left on device

// A limit on the size of files, as a full disk is one, keeps the old file.
// RUN: echo old > %t/r.npy
// RUN: not bash -c "ulimit -f 0; trap '' XFSZ; ember-run %s 3 --save-result=0:%t/r.npy" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LIMIT
// RUN: grep old %t/r.npy
// RUN: ls %t | FileCheck %s --check-prefix=LEFT --implicit-check-not=tmp
// LIMIT: error: cannot write '{{.*}}r.npy': File too large
// LEFT: r.npy

func.func @f(%a: index) -> index {
  return %a : index
}
