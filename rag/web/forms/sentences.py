"""Sentences about mistakes in forms that several forms share."""


def at_most(what: str, longest: int) -> dict[str, str]:
    """For a field whose ``max_length`` is ``longest``: "A folder has at most 200 characters."."""
    return {"max_length": f"{what} has at most {longest:,} characters."}
