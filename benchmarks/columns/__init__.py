"""Columns of TensorFlow's models beside the sessions of TensorFlow: './run bench columns'.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
