"""pass^k: the chance that k runs of one scenario all pass. Not pass@k, which asks for one of them."""

from collections.abc import Sequence
from math import comb


def pass_hat(scenarios: Sequence[tuple[int, int]], k: int) -> float | None:
    """The unbiased estimate C(passed, k) / C(runs, k), averaged over scenarios with at least k runs; None without any.

    S. Yao et al., "τ-bench", 2024, section 4. Raises ValueError for k below 1.
    """
    if k < 1:
        raise ValueError(f"pass^{k} asks for no run")
    shares = [comb(passed, k) / comb(runs, k) for passed, runs in scenarios if runs >= k]
    return sum(shares) / len(shares) if shares else None
