"""The three precision standards of opforge.testing: by numbers worked out by hand, and by what must not pass."""

from __future__ import annotations

from dataclasses import astuple
from types import ModuleType

import pytest

pytestmark = pytest.mark.torch

INF, NAN = float("inf"), float("nan")


@pytest.fixture(scope="module")
def standards() -> ModuleType:
    from opforge.testing.measuring import standards

    return standards


def pair(standards: ModuleType, actual: list[float], golden: list[float], dtype: str = "float32"):
    import torch

    return standards.paired(
        torch.tensor(actual, dtype=getattr(torch, dtype)), torch.tensor(golden, dtype=torch.float64)
    )


def altered(standards: ModuleType, wrong: dict[int, float], value: float = 1.0, count: int = 1000, dtype="float32"):
    """``count`` times ``value``, of which some are wrong."""
    actual = [value] * count
    for place, number in wrong.items():
        actual[place] = number
    return pair(standards, actual, [value] * count, dtype)


@pytest.mark.parametrize(
    ("dtype", "a", "b"),
    [
        ("float16", (1.953125e-3, 1.953125e-3, 0.1), (9.765625e-4, 4.8828125e-4, 1.52587890625e-5, 0.03125)),
        ("bfloat16", (1.5625e-2, 1.5625e-2, 1.0), (7.8125e-3, 3.90625e-3, 1.52587890625e-5, 0.125)),
        (
            "float32",
            (9.765625e-4, 1.52587890625e-5, 0.01),
            (1.220703125e-4, 6.103515625e-5, 9.31322574615e-10, 3.90625e-3),
        ),
    ],
)
def test_the_tables_are_those_of_the_documents(
    dtype: str, a: tuple[float, ...], b: tuple[float, ...], standards: ModuleType
) -> None:
    import torch

    assert astuple(standards.TOLERANCES[getattr(torch, dtype)]) == a
    assert astuple(standards.RELATIVES[getattr(torch, dtype)]) == pytest.approx(b, rel=1e-9)
    assert standards.LEVELS == {"L2": (2, 1.2, 1.2), "L1": (5, 1.5, 1.5), "L0": (10, 2, 2)}


def test_dtypes_without_a_rule(standards: ModuleType) -> None:
    import torch

    given = [torch.float16, torch.float64, torch.int8, torch.bool, torch.float8_e4m3fn, torch.float64]
    assert standards.without_rule(given) == ["float64", "float8_e4m3fn"]


def test_equal_results_pass_everything(standards: ModuleType) -> None:
    same = pair(standards, [0.0, -0.0, 1.5, -3.0, INF, -INF, NAN], [0.0, -0.0, 1.5, -3.0, INF, -INF, NAN])
    assert standards.mixed_tolerance(same) == standards.ToleranceVerdict(True, 1.0, 0.0, 0.0)
    verdict = standards.relative_errors(same, None)
    assert (verdict.passed, verdict.mere, verdict.mare) == (True, 0.0, 0.0)
    assert standards.error_ratios(same, same) == standards.RatioVerdict(True, "L2", 1.0, 1.0, 1.0)


def test_nothing_is_no_error(standards: ModuleType) -> None:
    empty = pair(standards, [], [])
    assert standards.mixed_tolerance(empty) == standards.ToleranceVerdict(True, 1.0, 0.0, 0.0)
    assert standards.relative_errors(empty, empty).passed
    assert standards.error_ratios(empty, empty).level == "L2"


def test_a_shape_that_differs_is_no_pair(standards: ModuleType) -> None:
    import torch

    with pytest.raises(ValueError, match=r"the result has shape \[3\], and the golden one \[3, 1\]"):
        standards.paired(torch.zeros(3), torch.zeros(3, 1))


def test_units_in_the_last_place(standards: ModuleType) -> None:
    import torch

    golden = torch.tensor([1.0, 1.99, 2.0, -4.5, 0.75, 0.0, 65504.0, INF], dtype=torch.float64)
    expected = [2**-10, 2**-10, 2**-9, 2**-8, 2**-11, 2**-24, 32.0, 32.0]
    assert standards.units(golden, torch.float16).tolist() == expected
    assert standards.units(torch.tensor([3.0], dtype=torch.float64), torch.float32).tolist() == [2**-22]
    assert standards.units(torch.tensor([3.0], dtype=torch.float64), torch.bfloat16).tolist() == [2**-6]


class TestMixedTolerance:
    def test_an_error_at_the_tolerance_matches_and_beyond_it_does_not(self, standards: ModuleType) -> None:
        # For 4 in float32 it is 0.003921509, the sum of 2^-16 and four times 2^-10.
        assert standards.mixed_tolerance(pair(standards, [4.00392150], [4.0])).matched == 1.0
        verdict = standards.mixed_tolerance(pair(standards, [4.00392247], [4.0]))
        assert (verdict.passed, verdict.matched) == (False, 0.0)

    def test_one_in_a_hundred_may_be_off_by_the_limit(self, standards: ModuleType) -> None:
        verdict = standards.mixed_tolerance(altered(standards, dict.fromkeys(range(10), 1.009)))
        assert (verdict.passed, verdict.matched) == (True, 0.99)
        assert verdict.max_abs_error == pytest.approx(0.009, rel=1e-4)
        assert verdict.max_ulp == pytest.approx(0.009 * 2**23, rel=1e-4)
        assert not standards.mixed_tolerance(altered(standards, dict.fromkeys(range(11), 1.009))).passed

    def test_one_wrong_element_of_a_thousand_is_over_the_limit(self, standards: ModuleType) -> None:
        for wrong in (1.011, 0.0, 2.0, NAN, INF, -INF):
            verdict = standards.mixed_tolerance(altered(standards, {500: wrong}))
            assert (verdict.passed, verdict.matched) == (False, 0.999)

    def test_the_limit_of_large_numbers_is_in_units(self, standards: ModuleType) -> None:
        # At 1024 a float16 unit is 1: 32 of them are allowed, though the limit is 0.1, and 33 are not.
        assert standards.mixed_tolerance(altered(standards, {3: 1056.0}, 1024.0, dtype="float16")).passed
        verdict = standards.mixed_tolerance(altered(standards, {3: 1057.0}, 1024.0, dtype="float16"))
        assert (verdict.passed, verdict.max_abs_error, verdict.max_ulp) == (False, 33.0, 33.0)

    def test_all_slightly_wrong_passes_within_the_tolerance_alone(self, standards: ModuleType) -> None:
        assert standards.mixed_tolerance(pair(standards, [1.0009] * 1000, [1.0] * 1000)).passed
        assert not standards.mixed_tolerance(pair(standards, [1.0011] * 1000, [1.0] * 1000)).passed

    def test_zero_is_near_what_is_smaller_than_atol(self, standards: ModuleType) -> None:
        assert standards.mixed_tolerance(pair(standards, [1.5e-5], [0.0])).passed
        assert not standards.mixed_tolerance(pair(standards, [1.6e-5], [0.0])).passed


class TestSpecialValues:
    @pytest.mark.parametrize(
        ("actual", "golden"),
        [(NAN, 1.0), (1.0, NAN), (NAN, INF), (INF, NAN), (INF, -INF), (INF, 1.0), (1.0, INF), (-INF, 65504.0)],
    )
    def test_those_that_differ_fail_every_standard(self, actual: float, golden: float, standards: ModuleType) -> None:
        wrong = pair(standards, [actual] + [1.0] * 1999, [golden] + [1.0] * 1999, "float16")
        native = pair(standards, [1.001] * 2000, [1.0] * 2000, "float16")
        assert not standards.mixed_tolerance(wrong).passed
        assert not standards.relative_errors(wrong, native).passed
        assert not standards.error_ratios(wrong, native).passed

    @pytest.mark.parametrize(("actual", "golden"), [(INF, 65504.0), (65504.0, 65520.0), (INF, 1e9), (-INF, -7e4)])
    def test_what_overflows_is_as_far_off_as_the_largest_number(
        self, actual: float, golden: float, standards: ModuleType
    ) -> None:
        near = pair(standards, [actual], [golden], "float16")
        assert standards.mixed_tolerance(near) == standards.ToleranceVerdict(True, 1.0, 0.0, 0.0)
        assert standards.relative_errors(near, None).passed


class TestRelativeErrors:
    def test_mean_and_largest(self, standards: ModuleType) -> None:
        verdict = standards.relative_errors(pair(standards, [1.0, 2.002, 4.0, 8.0], [1.0, 2.0, 4.0, 8.0]), None)
        assert verdict.mare == pytest.approx(0.001, rel=1e-4)
        assert verdict.mere == pytest.approx(0.00025, rel=1e-4)
        assert (verdict.passed, verdict.threshold) == (False, 2**-13)  # the mean is over 1.22e-4, the largest is not

    def test_one_wrong_element_of_a_thousand_fails_by_the_largest(self, standards: ModuleType) -> None:
        verdict = standards.relative_errors(altered(standards, {17: 1.00123}), None)
        assert verdict.mere < verdict.threshold
        assert not verdict.passed
        assert standards.relative_errors(altered(standards, {17: 1.00121}), None).passed

    def test_all_slightly_wrong_fails_by_the_mean(self, standards: ModuleType) -> None:
        verdict = standards.relative_errors(pair(standards, [1.0002] * 1000, [1.0] * 1000), None)
        assert verdict.mare < 10 * verdict.threshold
        assert not verdict.passed

    def test_small_results_are_counted(self, standards: ModuleType) -> None:
        # Below 2^-14 an error of 2^-30, 9.3e-10, counts; relative errors do not.
        golden = [1e-5] * 10 + [0.0] * 10
        off = [1e-5 + 2e-9] * 3 + [1e-5] * 7 + [8e-10] * 10
        exact = pair(standards, golden, golden)
        worse = standards.relative_errors(pair(standards, off, golden), exact)
        assert worse.small == standards.Counts(20, 3, 0)
        assert (worse.passed, worse.mere, worse.mare) == (False, 0.0, 0.0)
        assert standards.relative_errors(pair(standards, off, golden), pair(standards, off, golden)).passed
        two = [1e-5 + 2e-9] * 2 + [1e-5] * 8 + [0.0] * 10
        assert standards.relative_errors(pair(standards, two, golden), exact).passed

    def test_cancelled_results_are_counted(self, standards: ModuleType) -> None:
        # The document's own cases (section 9.2): 0 for 1e-3, which the CPU gives, too, or does not.
        golden, lost = [1e-3] * 5, [0.0] * 5
        both = standards.relative_errors(pair(standards, lost, golden), pair(standards, lost, golden))
        assert (both.passed, both.cancelled) == (True, standards.Counts(5, 5, 5))
        own = standards.relative_errors(pair(standards, lost, golden), pair(standards, golden, golden))
        assert (own.passed, own.cancelled) == (False, standards.Counts(5, 5, 0))
        large = standards.relative_errors(pair(standards, [0.0], [0.1]), pair(standards, [0.0], [0.1]))
        assert (large.passed, large.cancelled.count) == (False, 0)

    def test_a_golden_zero_divides_by_epsilon(self, standards: ModuleType) -> None:
        assert float(pair(standards, [1e-7], [0.0]).relative_errors) == pytest.approx(1.0)


class TestErrorRatios:
    def test_ratios_by_hand(self, standards: ModuleType) -> None:
        golden = [1.0, 1.0, 1.0, 1.0]
        own, other = pair(standards, [1.03, 1.0, 1.0, 1.0], golden), pair(standards, [1.01, 1.01, 1.0, 1.0], golden)
        verdict = standards.error_ratios(own, other)
        assert verdict.mare == pytest.approx(3.0, rel=1e-4)
        assert verdict.mere == pytest.approx(1.5, rel=1e-4)
        assert verdict.rmse == pytest.approx(3 / 2**0.5, rel=1e-4)
        assert (verdict.passed, verdict.level) == (False, None)  # L0 allows 2 for the last

    @pytest.mark.parametrize(
        ("factor", "level"), [(1.0, "L2"), (1.19, "L2"), (1.21, "L1"), (1.49, "L1"), (1.9, "L0"), (2.1, None)]
    )
    def test_levels(self, factor: float, level: str | None, standards: ModuleType) -> None:
        own, other = pair(standards, [1 + 0.01 * factor], [1.0]), pair(standards, [1.01], [1.0])
        verdict = standards.error_ratios(own, other)
        assert (verdict.level, verdict.passed) == (level, level is not None)

    def test_no_error_of_the_other_device(self, standards: ModuleType) -> None:
        exact, off = pair(standards, [1.0, 2.0], [1.0, 2.0]), pair(standards, [1.0, 2.000001], [1.0, 2.0])
        assert standards.error_ratios(exact, exact).level == "L2"
        assert standards.error_ratios(off, exact) == standards.RatioVerdict(False, None, INF, INF, INF)
        assert standards.error_ratios(exact, off) == standards.RatioVerdict(True, "L2", 0.0, 0.0, 0.0)

    def test_what_is_no_number_on_either_device_is_no_difference(self, standards: ModuleType) -> None:
        golden = [1e9] + [1.0] * 9
        both = pair(standards, [NAN] + [1.001] * 9, golden, "float16")
        assert standards.error_ratios(both, both).level == "L2"
        assert not standards.mixed_tolerance(both).passed
        native = pair(standards, [INF] + [1.001] * 9, golden, "float16")
        assert standards.error_ratios(both, native).level is None

    def test_a_second_look_goes_by_medians(self, standards: ModuleType) -> None:
        def verdict(mare: float, mere: float = 1.0, rmse: float = 1.0, *, differ: bool = False):
            return standards.RatioVerdict(False, None, mare, mere, rmse, differ)

        once = verdict(40.0)
        assert standards.passes_again(once, [verdict(0.9)] * 150 + [verdict(30.0)] * 50)
        assert not standards.passes_again(once, [verdict(0.9)] * 50 + [verdict(1.5)] * 150)
        assert standards.passes_again(once, [verdict(0.9, 1.3)] * 200)  # the first time, the mean was not too large
        assert not standards.passes_again(verdict(40.0, 2.1), [verdict(0.9, 1.3)] * 200)
        assert not standards.passes_again(once, [verdict(INF)] * 200)
        assert not standards.passes_again(once, [verdict(0.9)] * 199 + [verdict(0.9, differ=True)])
        with pytest.raises(ValueError, match="199 retries are too few: the standard takes 200"):
            standards.passes_again(once, [verdict(0.9)] * 199)


class TestExactness:
    def test_integers_are_equal(self, standards: ModuleType) -> None:
        import torch

        golden = torch.arange(2000, dtype=torch.int32)
        wrong = golden.clone()
        wrong[7] += 1
        assert standards.exactness(golden, golden, from_floats=False).passed
        assert not standards.exactness(wrong, golden, from_floats=False).passed
        assert standards.exactness(wrong, golden, from_floats=True).passed
        wrong[7] += 1
        assert standards.exactness(wrong, golden, from_floats=True) == standards.ExactVerdict(False, 0.9995, 2.0)

    def test_at_ties_the_integer_of_float32_is_right_too(self, standards: ModuleType) -> None:
        import torch

        golden = torch.tensor([64, 64, 64, 64], dtype=torch.int8)
        single = torch.tensor([63, 63, 62, 64], dtype=torch.int8)
        actual = torch.tensor([63, 65, 62, 63], dtype=torch.int8)
        assert standards.at_ties(actual, golden, single).tolist() == [63, 64, 64, 64]
        assert standards.at_ties(actual, golden, None) is golden

    def test_truth_values(self, standards: ModuleType) -> None:
        import torch

        golden = torch.ones(1000, dtype=torch.bool)
        wrong = golden.clone()
        wrong[0] = False
        assert standards.exactness(wrong, golden, from_floats=True).passed
        wrong[1] = False
        assert not standards.exactness(wrong, golden, from_floats=True).passed
