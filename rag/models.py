"""Tables. No ranking, no prompts, no rules: rules are in ``core``, writes are in ``actions``."""

import hashlib
import uuid

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from rag.core.sources import State, Status


def choices(kind: type[Status] | type[State]) -> list[tuple[str, str]]:
    """The values of an enumeration as Django wants them."""
    return [(item.value, item.value) for item in kind]


class Scope(models.Model):
    """A named area of access."""

    name = models.CharField(max_length=100, unique=True)

    def __str__(self) -> str:
        return self.name


class Grant(models.Model):
    """A scope granted to one user or to one group."""

    scope = models.ForeignKey(Scope, models.CASCADE, related_name="grants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True)
    group = models.ForeignKey(Group, models.CASCADE, null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="grant_to_user_or_group",
                condition=Q(user__isnull=True, group__isnull=False)
                | Q(user__isnull=False, group__isnull=True),
            ),
            models.UniqueConstraint(fields=("scope", "user"), name="one_grant_per_user"),
            models.UniqueConstraint(fields=("scope", "group"), name="one_grant_per_group"),
        )


class Identity(models.Model):
    """Who a person is at an OpenID Connect provider: ``subject`` never changes, names may."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=255)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("issuer", "subject"), name="one_person_per_subject"),
        )


class Source(models.Model):
    """A governed document. Its revisions carry the content."""

    source_id = models.CharField(max_length=500, unique=True)
    scope = models.ForeignKey(Scope, models.PROTECT, related_name="sources")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.source_id


class Revision(models.Model):
    """One content of a source, with all that an import brought; approval belongs to it.

    ``text`` is the decoded file with LF line ends; every offset of the site counts its code
    points. An erased revision keeps its hashes and loses its text.
    """

    class Kind(models.TextChoices):
        TEXT = "text"
        FACTS = "facts"

    class Format(models.TextChoices):
        MARKDOWN = "md"
        PLAIN = "txt"

    source = models.ForeignKey(Source, models.PROTECT, related_name="revisions")
    document_id = models.CharField(max_length=64, unique=True)
    version = models.CharField(max_length=200)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TEXT)
    # How the text is shown; what is indexed and quoted does not depend on it.
    format = models.CharField(max_length=10, choices=Format.choices, default=Format.MARKDOWN)
    title = models.TextField()
    owner = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    text_sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(max_length=64)
    encoding = models.CharField(max_length=40)
    language = models.CharField(max_length=20)
    product = models.CharField(max_length=100, blank=True)
    canonical = models.BooleanField(default=True)
    status = models.CharField(max_length=20, choices=choices(Status), default=Status.CURRENT)
    state = models.CharField(max_length=20, choices=choices(State), default=State.PENDING)
    valid_from = models.DateField(null=True, blank=True)
    valid_until = models.DateField(null=True, blank=True)
    imported_at = models.DateTimeField(auto_now_add=True)
    imported_by = models.CharField(max_length=150)
    approval_requested_by = models.CharField(max_length=150, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_by = models.CharField(max_length=150, blank=True)
    reason = models.TextField(blank=True)  # why it was rejected, withdrawn or erased
    indexed = models.BooleanField(default=False)
    # Over its chunks as they are indexed; empty while it is not.
    chunks_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("source", "version"), name="one_text_per_version"),
        )
        indexes = (
            # Covers the eligibility query and the lists of filters: without the last columns SQLite
            # walks past the text of every row (5,000 texts: 25 ms instead of 5).
            models.Index(
                fields=(
                    *("state", "valid_from", "valid_until", "status", "canonical", "source"),
                    *("product", "language", "kind", "approved_at"),
                ),
                name="revision_eligibility",
            ),
            models.Index(fields=("indexed", "chunks_sha256"), name="revision_chunks"),
        )
        permissions = (
            ("search_revision", "Can search and read what is served"),
            ("upload_revision", "Can upload sources"),
            ("review_revision", "Can read what is pending and what is no longer served"),
            ("approve_revision", "Can approve, reject and withdraw"),
        )

    def __str__(self) -> str:
        return f"{self.source.source_id} version {self.version}"


class Attribute(models.Model):
    """One metadata value of a revision, to filter by."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="attributes")
    key = models.CharField(max_length=100)
    value = models.CharField(max_length=500)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("revision", "key", "value"), name="attribute_once"),
        )


class Passage(models.Model):
    """Content-addressed input of the embedder with its vector (float32, little-endian) and terms.

    ``key`` covers everything that the row follows from; ``vector_key`` what the vector alone does,
    so that a new analyser does not pay for vectors again.
    """

    key = models.CharField(max_length=64, primary_key=True)
    vector_key = models.CharField(max_length=64, db_index=True)
    text = models.TextField()
    vector = models.BinaryField()
    vector_sha256 = models.CharField(max_length=64)
    terms = models.BinaryField()
    terms_sha256 = models.CharField(max_length=64)

    def has_sound_vector(self, text: str, dimension: int) -> bool:
        """Whether the row holds an undamaged vector of that dimension for that text."""
        vector = bytes(self.vector)
        same = hashlib.sha256(vector).hexdigest() == self.vector_sha256
        return same and len(vector) == 4 * dimension and self.text == text

    def is_sound(self, text: str, dimension: int) -> bool:
        """Whether the whole row is undamaged, its terms included."""
        terms = hashlib.sha256(bytes(self.terms)).hexdigest()
        return terms == self.terms_sha256 and self.has_sound_vector(text, dimension)


class Chunk(models.Model):
    """An indexed slice of a revision."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="chunks")
    part = models.PositiveIntegerField()
    start_char = models.PositiveIntegerField()
    end_char = models.PositiveIntegerField()
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    section = models.TextField(blank=True)
    context = models.TextField(blank=True)
    passage = models.ForeignKey(Passage, models.PROTECT, related_name="chunks")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("revision", "part"), name="one_chunk_per_part"),
            models.CheckConstraint(
                name="chunk_is_not_empty", condition=Q(start_char__lt=F("end_char"))
            ),
        )


class ProductFact(models.Model):
    """One fact of a product, governed by the revision of the facts file that states it."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="facts")
    product = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    value = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("revision", "product", "name"), name="one_value_per_fact"
            ),
        )


class Manifest(models.Model):
    """The one row that says what the index was made from. ``generation`` changes with the index."""

    content = models.JSONField()
    generation = models.CharField(max_length=32)
    written_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.CheckConstraint(name="one_manifest", condition=Q(pk=1)),)


class RebuildRun(models.Model):
    """One rebuild, its progress and how it ended."""

    class Outcome(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"
        INTERRUPTED = "interrupted"

    outcome = models.CharField(max_length=20, choices=Outcome.choices, default=Outcome.RUNNING)
    stage = models.CharField(max_length=40, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    report = models.JSONField(default=dict)
    started_at = models.DateTimeField(auto_now_add=True)
    heartbeat = models.DateTimeField(auto_now=True)

    class Meta:
        permissions = (("operate_rebuildrun", "Can see the index and rebuild it"),)


class AskedQuestion(models.Model):
    """What somebody asked, how it was searched for, and what was found: places, no texts."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    asked_at = models.DateTimeField(default=timezone.now)
    scopes = models.JSONField()
    question = models.TextField()
    as_of = models.DateField()
    options = models.JSONField()
    hits = models.JSONField()

    class Meta:
        abstract = True


class Answer(AskedQuestion):
    """A recorded answer or refusal, with everything needed to check it again later."""

    asker = models.CharField(max_length=200)
    # Whose history it stands in: a name may one day belong to somebody else.
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="answers"
    )
    policy = models.CharField(max_length=100)
    proposer = models.CharField(max_length=300)
    gate = models.CharField(max_length=100)
    manifest = models.CharField(max_length=64)
    status = models.CharField(max_length=20)
    text = models.TextField()
    reason_code = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    # How often the excerpts were fetched for a chat model, and how often one was asked.
    retrieval_calls = models.PositiveIntegerField(default=0)
    chat_calls = models.PositiveIntegerField(default=0)

    class Meta:
        permissions = (("ask_answer", "Can ask"),)


class PendingAnswer(AskedQuestion):
    """A question whose chat model is still reading, or that never got its answer.

    An answer that comes is recorded under the same id, and this row goes in the same transaction.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        CANCELLED = "cancelled"
        FAILED = "failed"

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="pending")
    mode = models.CharField(max_length=20)
    state = models.CharField(max_length=20, choices=State.choices, default=State.RUNNING)
    heartbeat = models.DateTimeField(default=timezone.now)


class Citation(models.Model):
    """One quotation of an answer: the slice of ``revision`` from ``start_char`` to ``end_char``."""

    answer = models.ForeignKey(Answer, models.PROTECT, related_name="citations")
    position = models.PositiveIntegerField()
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="citations")
    chunk_id = models.CharField(max_length=40)
    label = models.CharField(max_length=520)
    start_char = models.PositiveIntegerField()
    end_char = models.PositiveIntegerField()
    quote = models.TextField()
    quote_sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(max_length=64)
    warnings = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("answer", "position"), name="one_citation_per_place"),
        )


class FactCitation(models.Model):
    """One product fact of an answer, as the facts file of ``revision`` stated it."""

    answer = models.ForeignKey(Answer, models.PROTECT, related_name="facts")
    position = models.PositiveIntegerField()
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="fact_citations")
    label = models.CharField(max_length=500)
    product = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    value = models.TextField()
    fact_sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(max_length=64)
    warnings = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("answer", "position"), name="one_fact_per_place"),
        )


class EvaluationRun(models.Model):
    """The figures of one evaluation: what the cases brought, without any text."""

    at = models.DateTimeField(auto_now_add=True)
    name = models.CharField(max_length=200)
    cases_sha256 = models.CharField(max_length=64)
    mode = models.CharField(max_length=20)
    policy = models.CharField(max_length=100)
    k = models.PositiveIntegerField()
    gate = models.CharField(max_length=100, blank=True)
    proposer = models.CharField(max_length=300, blank=True)
    made_with = models.JSONField()
    manifest = models.CharField(max_length=64)
    figures = models.JSONField()
    outcomes = models.JSONField()


class AuditEvent(models.Model):
    """Append-only: ids and hashes, no texts; each event carries the SHA-256 of the one before."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=600)
    details = models.JSONField(default=dict)
    previous_sha256 = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, unique=True)
