"""Two sites, the same commands, byte for byte."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.sites.site import Result, Site


def run_both(
    left: Site, right: Site, commands: Sequence[Sequence[str]], fault: str = ""
) -> tuple[list[Result], list[Result]]:
    """The commands on both sites, side by side."""
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda site: site.run_all(commands, fault), (left, right)))
    return results[0], results[1]


def differences(
    left: Site, right: Site, commands: Sequence[Sequence[str]], fault: str = ""
) -> list[str]:
    """Each command whose exit code, output or errors differ, with what the second site shows."""
    results = run_both(left, right, commands, fault)
    # Two sites that both fail would be equal, too.
    assert sum(result.returncode == 0 for result in results[0]) > len(commands) / 2, results[0][0]
    pairs = zip(commands, *results, strict=True)
    return [f"{c}: {b.stdout.decode()}" for c, a, b in pairs if a.shown() != b.shown()]
