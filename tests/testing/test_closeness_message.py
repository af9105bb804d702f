"""The message of a comparison in which every element matches, but one is beyond the limit."""

from __future__ import annotations

import pytest
import torch

from opforge.testing.checks.closeness import assert_close


def test_an_element_beyond_the_limit_is_named() -> None:
    golden = torch.full((1000,), 1e6)
    actual = golden.clone()
    actual[500] *= 1 + 2**-14
    with pytest.raises(AssertionError, match="1 of 1000 elements are off, the first at flat index 500"):
        assert_close(actual, golden)
