"""Child: search again and again while others rebuild; print what was found, and every error.

``python -m tests.sites.crash_reader AT_LEAST STOP_FILE QUESTION…``: stops when it has searched
often enough and STOP_FILE is there. Says ``ready`` once the index is loaded.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from tests.sites.crash_child import ready
from tests.sites.crash_steps import digest


def read(at_least: int, stop: Path, questions: list[str]) -> dict[str, object]:
    found: Counter[str] = Counter()
    errors: list[str] = []
    searched = 0
    while searched < at_least or not stop.exists():
        number = searched % len(questions)
        try:
            found[digest(number, questions[number])] += 1
        except Exception as error:  # every kind of failure counts
            errors.append(repr(error))
        searched += 1
        if searched == len(questions):
            print("ready", flush=True)
    return {"searched": searched, "found": found, "errors": errors}


if __name__ == "__main__":
    ready()
    print(json.dumps(read(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])))
