// RUN: emberc --emit=cin --notation 'let t[i] = a[i] * b[i]; let u[i] = t[i] + c[i]; y[i] = u[i] * u[i]' | ember-opt --cin-fuse | FileCheck %s --check-prefix=CHAIN
// An element that is read twice is computed once.
// CHAIN-NOT: cin.temporary
// CHAIN:      cin.forall (%i)
// CHAIN-DAG:    %[[A:.*]] = cin.access %a[%i]
// CHAIN-DAG:    %[[B:.*]] = cin.access %b[%i]
// CHAIN-DAG:    %[[C:.*]] = cin.access %c[%i]
// CHAIN-DAG:    %[[T:.*]] = cin.call mul(%[[A]], %[[B]])
// CHAIN:        %[[U:.*]] = cin.call add(%[[T]], %[[C]])
// CHAIN-NEXT:   %[[Y:.*]] = cin.call mul(%[[U]], %[[U]])
// CHAIN-NEXT:   cin.assign %[[Y]] to %y[%i]
// CHAIN-NOT:  cin.forall

// RUN: emberc --emit=cin --notation 'let S[p] = sum[d](X[row[p],d] * Y[col[p],d]); out[i,e] = sum[p in pos[i]:pos[i+1]](S[p] * Y[col[p],e])' | ember-opt --cin-fuse | FileCheck %s --check-prefix=FUSEDMM
// A position is in one segment: each score is computed once, in the sum that
// uses it.
// FUSEDMM-NOT: cin.temporary
// FUSEDMM:     cin.reduce add (%p in
// FUSEDMM:       %[[COL:.*]] = cin.access %col[%p]
// FUSEDMM:       %[[S:.*]] = cin.reduce add (%d)
// FUSEDMM:       %[[Y:.*]] = cin.access %Y[%[[COL]], %e]
// FUSEDMM:       cin.call mul(%[[S]], %[[Y]])

// RUN: emberc --emit=cin --notation 'let t[j,e] = 2 * W[j,e]; out[b,e] = sum[p in pos[b]:pos[b+1]](t[I[p],e])' | ember-opt --cin-fuse | FileCheck %s --check-prefix=THROUGH
// Through an index that is an element of an array, as it is cheap.
// THROUGH-NOT: cin.temporary
// THROUGH:     %[[ROW:.*]] = cin.access %I[%p]
// THROUGH:     cin.access %W[%[[ROW]], %e]

// RUN: emberc --emit=cin --notation 'let m[i] = max[j](s[i,j]); let e[i,j] = exp(s[i,j] - m[i]); let z[i] = sum[j](e[i,j]); out[i,j] = e[i,j] / z[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// Powers are read twice, and stay. What is computed of a row is not computed
// for each of its elements.
// SOFTMAX:      remark: e stays in memory: computing an element takes a reduction, and it may be read several times
// SOFTMAX:      %e = cin.temporary
// SOFTMAX-NOT:  cin.temporary
// SOFTMAX:      cin.forall (%i, %j)
// SOFTMAX:        cin.reduce max
// SOFTMAX:        cin.assign %{{.*}} to %e[%i, %j]
// SOFTMAX:      cin.forall (%i, %j)
// SOFTMAX:        cin.reduce add
// SOFTMAX:        cin.assign %{{.*}} to %out[%i, %j]
// SOFTMAX-NOT:  cin.forall

// RUN: emberc --emit=cin --notation 'let m[i] = max[p in pos[i]:pos[i+1]](s[p]); let e[p] = exp(s[p] - m[row[p]]); let z[i] = sum[p in pos[i]:pos[i+1]](e[p]); let a[p] = e[p] / z[row[p]]; out[i,d] = sum[p in pos[i]:pos[i+1]](a[p] * V[col[p],d])' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=EDGES
// Of the softmax of edges, what is left are the reductions and the powers.
// EDGES-DAG:  remark: m stays in memory: computing an element takes a reduction, and it may be read several times
// EDGES-DAG:  remark: e stays in memory: computing an element costs 12, more than 4, and it is read 2 times
// EDGES-DAG:  remark: z stays in memory: computing an element takes a reduction, and it may be read several times
// EDGES:      cin.assign %{{.*}} to %m[%i]
// EDGES:      cin.assign %{{.*}} to %e[%p]
// EDGES:      cin.assign %{{.*}} to %z[%i]
// EDGES:      %[[A:.*]] = cin.call div
// EDGES:      %[[V:.*]] = cin.access %V
// EDGES-NEXT: cin.call mul(%[[A]], %[[V]])
// EDGES:      cin.assign %{{.*}} to %out[%i, %d]

// RUN: emberc --emit=cin --notation 'let mu[i] = sum[j](x[i,j]) / n; let c[i,j] = x[i,j] - mu[i]; let v[i] = sum[j](c[i,j] ** 2) / n; out[i,j] = c[i,j] / sqrt(v[i] + 0.1) * g[j]' | ember-opt --cin-fuse | FileCheck %s --check-prefix=NORM
// A normalisation is one statement: mean and variance of a row are computed
// once.
// NORM-NOT:   cin.temporary
// NORM:       cin.forall (%i, %j)
// NORM:         cin.reduce add
// NORM:         cin.reduce add
// NORM-NOT:     cin.reduce
// NORM:         cin.assign %{{.*}} to %out[%i, %j]
// NORM-NOT:   cin.forall

// RUN: emberc --emit=cin --notation 'let H[j,f] = sum[k](X[j,k] * W[k,f]); out[i,f] = sum[p in pos[i]:pos[i+1]](val[p] * H[col[p],f])' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=GCN
// A linear layer in front of an aggregation is not computed for each edge.
// GCN: remark: H stays in memory: computing an element takes a reduction, and it may be read several times
// GCN: cin.assign %{{.*}} to %H[%j, %f]
// GCN: cin.access %H

// RUN: emberc --emit=cin --notation 'y[i] = a[i]; y[i] += b[i]; y[i] += sum[j](A[i,j])' | ember-opt --cin-fuse | FileCheck %s --check-prefix=UPDATES
// Updates of a whole array, behind an assignment to all of it.
// UPDATES:     cin.forall (%i)
// UPDATES:       cin.reduce add
// UPDATES:       %[[AB:.*]] = cin.call add
// UPDATES-NEXT:  %[[SUM:.*]] = cin.call add(%[[AB]], %{{.*}})
// UPDATES-NEXT:  cin.assign %[[SUM]] to %y[%i]
// UPDATES-NOT: cin.forall

// RUN: emberc --emit=cin --notation 'let s[p] = sum[d](Q[seg[p],d] * K[H[p],d]) if H[p] != -1; m[b] = max[p in off[b]:off[b+1] if H[p] != -1](s[p])' | ember-opt --cin-fuse | FileCheck %s --check-prefix=PADDING
// What is assigned under a condition is read under it.
// PADDING-NOT: cin.temporary
// PADDING:     cin.reduce max
// PADDING:       cin.reduce add (%d)
// PADDING:       cin.yield %{{.*}} where

// RUN: emberc --emit=cin --notation 'let e[p] = exp(s[p] - m[i]) for p in pos[i]:pos[i+1]; z[i] = sum[p in pos[i]:pos[i+1]](e[p])' | ember-opt --cin-fuse | FileCheck %s --check-prefix=SEGMENTS
// The same range tells the segment, which no index does.
// SEGMENTS-NOT: cin.temporary
// SEGMENTS:     %[[M:.*]] = cin.access %m[%i]
// SEGMENTS:     cin.call sub(%{{.*}}, %[[M]])

// RUN: emberc --emit=cin --notation 'let t[i] = x[i] + y[i]; x[i] = t[i] * t[i]; y[i] = t[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: remark: t stays in memory: x, which it is computed from, is assigned to before it is read

// RUN: emberc --emit=cin --notation 'let t[i] = x[i] + 1; x[i] = t[i] * 2' | ember-opt --cin-fuse | FileCheck %s --check-prefix=INPLACE
// Each element of what is assigned to is read by its own assignment alone.
// INPLACE-NOT: cin.temporary
// INPLACE: cin.access %x[%i]

// RUN: emberc --emit=cin --notation 'let t[i] = x[i] + 1; x[p] = t[I[p]] * 2' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: remark: t stays in memory: what reads it would read what it assigns to

// RUN: emberc --emit=cin --notation 'let t[i] = x[i] if x[i] > 0; y[i] = t[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=CONDITION
// CONDITION: remark: t stays in memory: it is assigned to under a condition that does not guard what reads it

// RUN: emberc --emit=cin --notation 'let t[i] = x[i] for i in 0:3; y[i] = t[i] + x[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: remark: t stays in memory: it is assigned to for a range of i that is not the one it is read for

// RUN: emberc --emit=cin --notation 'let t[4*j+k] = x[j,k] for k in 0:4; y[i] = t[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=DIGITS
// DIGITS: remark: t stays in memory: it is read at indices that do not tell which of its variables' values assigned there

// RUN: emberc --emit=cin --notation 'let t[I[p]] += x[p]; y[i] = t[i] + z[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=SCATTER
// A sum of what is scattered is complete when all of it is.
// SCATTER: %t = cin.temporary sizes(%{{.*}}) initial 0.000000e+00 : f32
// SCATTER: cin.assign add

// RUN: emberc --emit=cin --notation 'let t[i] = x[i] * x[i]; t[I[p]] += x[p]; y[i] = t[i]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: remark: t stays in memory: another statement assigns to some of its elements before they are read

// RUN: emberc --emit=cin --notation 'let t[j] = exp(x[j]); y[i,j] = a[i] * t[j]' | ember-opt --cin-fuse 2>&1 | FileCheck %s --check-prefix=OUTER
// In the inner loop it would be computed for each row.
// OUTER: remark: t stays in memory: computing an element costs 9, more than 4, and it may be read several times

// RUN: emberc --emit=cin --notation 'let t[j] = exp(x[j]); y[i,j] = a[i] * t[j]' | ember-opt --cin-fuse=cheap=9 | FileCheck %s --check-prefix=CHEAP
// CHEAP-NOT: cin.temporary

// RUN: emberc --emit=cin --notation 'let t[i] = exp(x[i]); y[i] = t[i]; z[i] = t[i] + 1' | ember-opt --cin-fuse=recompute=2 | FileCheck %s --check-prefix=TWICE
// TWICE-NOT: cin.temporary

// RUN: emberc --emit=cin --notation 'y[i] = exp(x[i]); z[i] = y[i] + 1' | ember-opt --cin-fuse | FileCheck %s --check-prefix=OUTS
// What the caller gets is read from there.
// OUTS: cin.access %y[%i]
