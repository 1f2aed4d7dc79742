"""Tables and figures of the Sparse Abstract Machine (chapter 4 of Hsu's dissertation).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
