"""Progress of a rebuild: a bar on a terminal, plain lines elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import Progress

Report = Callable[[str, int, int], None]


@contextmanager
def reporter(stream: TextIO) -> Iterator[Report]:
    """A callback that takes (stage, done, total)."""
    if stream.isatty():
        with Progress(console=Console(file=stream), transient=True) as bar:
            yield _Bar(bar)
    else:
        yield _Lines(stream)


class _Bar:
    def __init__(self, bar: Progress) -> None:
        self.bar, self.task = bar, bar.add_task("rebuild", total=None)

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.bar.update(self.task, description=stage, completed=done, total=total or None)


class _Lines:
    """A line a stage, and one whenever another tenth is done."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.last = stream, ("", -1)

    def __call__(self, stage: str, done: int, total: int) -> None:
        tenth = (stage, done * 10 // total if total else 0)
        if tenth != self.last:
            self.last = tenth
            self.stream.write(f"{stage} {done}/{total}\n" if total else f"{stage}\n")
            self.stream.flush()
