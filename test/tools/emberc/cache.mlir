// The second compilation of a program takes the kernel out of the cache.
// RUN: rm -rf %t && mkdir -p %t
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path > %t/first
// RUN: FileCheck %s --check-prefix=PATH --input-file=%t/first
// RUN: %python -c "import os, sys; os.utime(open(sys.argv[1]).read().strip(), (1, 1))" %t/first
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path > %t/second
// RUN: cmp %t/first %t/second
// RUN: %python -c "import os, sys; assert os.stat(open(sys.argv[1]).read().strip()).st_mtime == 1" %t/first
// RUN: env EMBER_CACHE_DIR=%t/cache emberc %s --print-cache-path | cmp - %t/first
// RUN: env -u EMBER_CACHE_DIR XDG_CACHE_HOME=%t/xdg emberc %s --print-cache-path | FileCheck %s --check-prefix=XDG
// RUN: env -u EMBER_CACHE_DIR -u XDG_CACHE_HOME HOME=%t/home emberc %s --print-cache-path | FileCheck %s --check-prefix=HOME
// PATH: {{.*}}/cache/{{[0-9a-f]+}}/kernel.so
// XDG: {{.*}}/xdg/ember/{{[0-9a-f]+}}/kernel.so
// HOME: {{.*}}/home/.cache/ember/{{[0-9a-f]+}}/kernel.so

// Any option that matters makes another kernel.
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path -O1 >> %t/others
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --target=dae-threads >> %t/others
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --vector-length=2 >> %t/others
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --may-alias >> %t/others
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --queue-capacity=3 >> %t/others
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --mcpu=x86-64 >> %t/others
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --target=dae-threads -O4 >> %t/others
// RUN: echo '{"control_queue": {"by_program": {}}}' > %t/profile.json
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --target=dae-threads -O4 --profile=%t/profile.json >> %t/others
// RUN: cp %t/profile.json %t/copy.json
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --target=dae-threads -O4 --profile=%t/copy.json >> %t/others
// RUN: echo '{"control_queue": {"by_program": {"g.0": {}}}}' > %t/profile.json
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --target=dae-threads -O4 --profile=%t/profile.json >> %t/others
// RUN: cat %t/first >> %t/others
// RUN: sort -u %t/others | count 10

// What a program says of its target is part of it, as an option that says the same; what is said about it in
// comments is not.
// RUN: ember-opt %s --set-target=mcpu=x86-64 --mlir-print-debuginfo > %t/named.mlir
// RUN: emberc %t/named.mlir --cache-dir=%t/cache --print-cache-path > %t/named
// RUN: emberc %s --cache-dir=%t/cache --print-cache-path --mcpu=x86-64 | cmp - %t/named
// RUN: ember-opt %s --set-target=mcpu=native --mlir-print-debuginfo > %t/here.mlir
// RUN: emberc %t/here.mlir --cache-dir=%t/cache --print-cache-path | cmp - %t/first
// RUN: not cmp %t/first %t/named
// RUN: sed 's,^// PATH:.*,// Another comment.,' %s > %t/cache.mlir && cd %t && emberc - --cache-dir=%t/cache --print-cache-path < %t/cache.mlir > %t/from-text
// RUN: emberc - --cache-dir=%t/cache --print-cache-path < %s | cmp - %t/from-text

// A damaged entry is made anew.
// RUN: %python -c "import os, sys; os.truncate(open(sys.argv[1]).read().strip(), 100)" %t/first
// RUN: emberc %s --cache-dir=%t/cache -o %t/libk.so
// RUN: %python -c "import ctypes, sys; ctypes.CDLL(sys.argv[1]).ember_kernel_f" %t/libk.so
// RUN: %python -c "import os, sys; os.remove(open(sys.argv[1]).read().strip()[:-2] + 'json')" %t/first
// RUN: emberc %s --cache-dir=%t/cache -o %t/libk.so
// RUN: ls %t/libk.json

// With --no-cache nothing is read or written, and --print-cache-path needs -o.
// RUN: emberc %s --no-cache -o %t/libn.so
// RUN: emberc %s --no-cache -o %t/libn.so --print-cache-path | FileCheck %s --check-prefix=ASIDE
// RUN: not emberc %s --no-cache --print-cache-path 2>&1 | FileCheck %s --check-prefix=NOWHERE
// ASIDE: {{.*}}libn.so
// NOWHERE: error: there is no usable cache to keep the library in: give -o FILE

// A cache that cannot be written to costs a warning, and works.
// RUN: emberc %s --cache-dir=/proc/ember -o %t/libp.so 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// RUN: emberc %s --cache-dir=%s/below-a-file -o %t/libq.so --print-cache-path 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: %python -c "import ctypes, sys; ctypes.CDLL(sys.argv[1]).ember_kernel_f" %t/libp.so
// UNWRITABLE: warning: cannot write to the kernel cache '/proc/ember': {{.*}}; compiling without it
// UNWRITABLE-NOT: {{warning|error}}
// FILE: warning: cannot write to the kernel cache '{{.*}}below-a-file': Not a directory; compiling without it
// FILE-NEXT: libq.so

// A folder that others may write to is not used, unless it is shared on purpose.
// RUN: mkdir %t/open && chmod 777 %t/open
// RUN: env -u EMBER_CACHE_SHARED emberc %s --cache-dir=%t/open -o %t/libo.so --print-cache-path 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: ls -A %t/open | count 0
// RUN: env EMBER_CACHE_SHARED=1 emberc %s --cache-dir=%t/open --print-cache-path 2>&1 | FileCheck %s --check-prefix=SHARED
// OPEN: warning: the kernel cache '{{.*}}open' is not used: {{.*}} (make it yours alone, name another folder in EMBER_CACHE_DIR, or set EMBER_CACHE_SHARED=1 if it is shared on purpose); compiling without it
// OPEN-NEXT: libo.so
// SHARED-NOT: warning
// SHARED: {{.*}}/open/{{[0-9a-f]+}}/kernel.so

func.func @f(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<?xf32>
  return %v : f32
}
