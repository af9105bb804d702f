"""From definitions that are not ours to an ``OpSpec``: what op_build read back from C++, and msOpGen's JSON.

Shapes that C++ computes are found by asking its InferShape. What is read goes through the rules of ``spec.check``.
"""
