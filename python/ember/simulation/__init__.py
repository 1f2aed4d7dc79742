"""Runs Ember's kernels on simulated machines: see ember.simulation.simulate.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
