"""Makes an ``OpSpec`` from foreign definitions: C++ that op_build reads back, and msOpGen's JSON.

Shapes that C++ computes are found by calls of its InferShape. The result is checked by the rules of ``spec.check``.
"""
