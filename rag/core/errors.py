"""One tree of errors. ``str(error)`` is the sentence to show; ``code`` is for machines.

HTTP statuses and exit codes are decided by the web layer and the commands, not here.
"""

from typing import ClassVar, Final

REBUILD: Final = "Run: manage.py rebuild"


class RagError(Exception):
    """Base of every refusal and failure that this application explains to a person."""

    code: ClassVar[str] = "error"


class InvalidFile(RagError):
    """A file that cannot be imported; the rest of an import goes on."""

    code = "invalid_file"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class InvalidText(RagError):
    """Bytes that are not text, or a text that has nothing to quote."""

    code = "invalid_text"


class InvalidOption(RagError):
    """A setting or request option outside its range."""

    code = "invalid_option"

    def __init__(self, name: str, value: object, hint: str) -> None:
        super().__init__(f"{name} {value!r} is not usable: {hint}.")
        self.name = name
        self.value = value


class InvalidCase(RagError):
    """A case of an evaluation that cannot be read."""

    code = "invalid_case"

    def __init__(self, case_id: str, field: str, needed: str) -> None:
        super().__init__(f"Case {case_id!r}: {field!r} must be {needed}.")


class OneSided(RagError):
    """Cases that cannot tell a gate what to refuse, or what to answer."""

    code = "one_sided"

    def __init__(self, answerable: int, unanswerable: int) -> None:
        super().__init__(
            f"A gate cannot be fitted to {answerable} answerable and {unanswerable} unanswerable "
            "cases with something found: it needs some of both."
        )


class InvalidWindow(RagError):
    """A validity window that ends before it begins."""

    code = "invalid_window"


class NotFound(RagError):
    """Missing, or not readable by who asks: the two are told apart nowhere."""

    code = "not_found"

    def __init__(self, kind: str, identifier: str) -> None:
        super().__init__(f"There is no {kind} {identifier!r}.")
        self.kind = kind
        self.identifier = identifier


class NotAllowed(RagError):
    """A governed change that its rule forbids."""

    code = "not_allowed"


class Busy(RagError):
    """Somebody else holds the lock."""

    code = "busy"


class Cancelled(RagError):
    """Stopped by a signal or by the caller; nothing was published."""

    code = "cancelled"


class StorageError(RagError):
    """The database cannot be read or written (full disk, read-only file, damaged file)."""

    code = "storage"


class ProviderError(RagError):
    """A model provider that failed: named, with the operation and the cause, never replaced."""

    code = "provider"

    def __init__(self, provider: str, operation: str, cause: str) -> None:
        super().__init__(f"{provider}: {operation} failed: {cause}.")
        self.provider = provider
        self.operation = operation

    @property
    def for_readers(self) -> str:
        """Without the cause, which may be the server's words or hold an address of the site."""
        return (
            f"A service that this site needs failed ({self.provider}: {self.operation}), and "
            "nothing takes its place. Try again in a few minutes; if it goes on, tell an admin of "
            "this site."
        )


class InvalidVector(RagError):
    """A vector that breaks the contract: wrong count or dimension, not finite, or zero."""

    code = "invalid_vector"


class InvalidEmbedding(InvalidVector, ProviderError):
    """The same, as the answer of a provider that is named."""


class Unusable(RagError):
    """The site cannot be asked as its index or its settings are.

    ``str`` ends with what an operator does about it, ``for_readers`` with whom everybody else
    asks: a reader has no commands, and is told neither settings nor what the index was made from.
    """

    request: ClassVar[str] = "Ask an admin of this site to rebuild it."

    def __init__(self, fault: str, advice: str = REBUILD, *, for_readers: str = "") -> None:
        super().__init__(f"{fault} {advice}")
        self.for_readers = f"{for_readers or fault} {self.request}"


class IndexMissing(Unusable):
    """Nothing was ever indexed."""

    code = "index_missing"
    request = "Ask an admin of this site to build it."

    def __init__(self) -> None:
        super().__init__("There is no index yet.")


class IndexMismatch(Unusable):
    """The index was made by something else than what is configured now."""

    code = "index_mismatch"

    def __init__(self, field: str, indexed: object, configured: object) -> None:
        super().__init__(
            f"The index was made with {field} {indexed!r}, but {configured!r} is configured.",
            for_readers="The index does not fit the models and settings of the site any more.",
        )
        self.field = field


class GateMismatch(Unusable):
    """An answer gate was fitted to figures of something else than what is configured now."""

    code = "gate_mismatch"
    request = "Ask an admin of this site to calibrate it."

    def __init__(self, gate: str, fitted: str, configured: str) -> None:
        super().__init__(
            f"The gate {gate!r} was fitted to {fitted!r}, but {configured!r} is configured.",
            "Run: manage.py calibrate",
            for_readers="The rule that decides what is answered does not fit the site's models.",
        )


class Misconfigured(Unusable):
    """The settings of a model provider do not name a model that can be asked."""

    code = "misconfigured"
    request = "Ask an admin of this site to set them up."

    def __init__(self, profile: str, fault: str) -> None:
        super().__init__(
            f"The profile {profile!r} cannot be used: {fault}",
            "Change the setting and start the site again.",
            for_readers="The models of this site are not set up.",
        )


class IndexDamaged(Unusable):
    """The stored index contradicts its own manifest; nothing is answered from it.

    The sentence names no source, since whoever searches may not be allowed to know it; ``detail``
    does, for operators.
    """

    code = "index_damaged"

    def __init__(self, what: str, where: str = "", advice: str = REBUILD) -> None:
        super().__init__(f"The index is damaged: {what}.", advice)
        place = f" ({where})" if where else ""
        self.detail = f"The index is damaged: {what}{place}. {advice}"


class SourceDamaged(IndexDamaged):
    """A stored text was changed behind the site's back; no rebuild can bring it back."""

    request = "Tell an admin of this site."

    def __init__(self, source: str) -> None:
        super().__init__(
            "the text of a source does not match its SHA-256",
            source,
            "Restore the database from a backup, or erase the source and import it again as a "
            "new version; rebuild --check names it.",
        )


class IndexBehind(Unusable):
    """Imported sources wait for a rebuild, and the site is set to refuse meanwhile."""

    code = "index_behind"

    def __init__(self) -> None:
        super().__init__("The index is older than the imported sources of your scopes.")


class CitationError(RagError):
    """Base of the ways in which a claim's citations, or a quotation, can be wrong."""

    code = "citation"


class UnknownCitation(CitationError):
    """A claim cites an id that was not retrieved."""

    code = "unknown_citation"

    def __init__(self, identifier: str) -> None:
        super().__init__(f"The claim cites {identifier!r}, which is an unknown citation.")


class MissingCitation(CitationError):
    """A claim without any citation."""

    code = "missing_citation"

    def __init__(self) -> None:
        super().__init__("Every claim requires at least one citation.")


class DuplicateCitation(CitationError):
    """A claim cites the same id twice."""

    code = "duplicate_citation"

    def __init__(self, identifier: str) -> None:
        super().__init__(f"The claim has a duplicate citation of {identifier!r}.")


class InexactQuotation(CitationError):
    """A quotation that is not a slice of the passage it names, or too short to be one."""

    code = "inexact_quotation"

    def __init__(self, identifier: str, fault: str) -> None:
        super().__init__(f"The quotation of {identifier!r} is {fault}.")


class UnreadableReply(RagError):
    """A chat model's reply that is no proposal; the sentence goes back to the model, once."""

    code = "unreadable_reply"

    def __init__(self, fault: str) -> None:
        super().__init__(f"The reply cannot be read: {fault}.")
