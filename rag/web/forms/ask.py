"""What a question may say, and what it is narrowed to."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from django import forms
from django.http import QueryDict

from rag.core.chat import AnswerMode
from rag.core.errors import InvalidOption
from rag.core.retrieval import LONGEST_QUESTION, check_question
from rag.core.sources import Access, Selection

_LABELS: Final = {"scope": "Scope", "product": "Product"}
_ANY: Final = {"scope": "all", "product": "any"}
_MODES: Final = {
    AnswerMode.EXTRACTIVE: "rules, no model",
    AnswerMode.BASELINE: "model (baseline)",
    AnswerMode.TOOL: "model (tool)",
    AnswerMode.PROVIDER: "model (provider)",
}


class QuestionField(forms.CharField):
    """A text of some lines. A browser sends a line end as two characters and counts it as one."""

    widget = forms.Textarea(
        attrs={"rows": 3, "autofocus": True, "dir": "auto", "placeholder": "Your question"}
    )

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return text.replace("\r\n", "\n").replace("\r", "\n").strip()


class AskForm(forms.Form):
    """A question, the day asked for, and what is searched for it."""

    q = QuestionField(
        label="Your question",
        max_length=LONGEST_QUESTION,
        error_messages={
            "required": "Ask a question first.",
            "max_length": f"A question has at most {LONGEST_QUESTION:,} characters; "
            "this one has %(show_value)d.",
        },
    )
    as_of = forms.DateField(
        label="In force on",
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={"invalid": "Give a day such as 2026-11-30."},
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        scopes: Sequence[str],
        products: Sequence[str],
        modes: Sequence[AnswerMode],
        initial: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=initial, label_suffix="")
        self.has_scopes = bool(scopes)
        chooses = len(modes) > 1
        self._choosable = {"scope": len(scopes) > 1, "product": bool(products), "mode": chooses}
        for name, values in (("scope", scopes), ("product", products)):
            choices = [("", _ANY[name]), *((value, value) for value in values)]
            self.fields[name] = _choice(_LABELS[name], choices, f"Choose a {name} from the list.")
        who = [(mode.value, _MODES[mode]) for mode in modes]
        self.fields["mode"] = _choice("Picked by", who, "Choose who picks from the list.")

    @property
    def narrowing(self) -> list[forms.BoundField]:
        """The day, and the lists that leave a choice or hold a mistake."""
        lists = [self[name] for name, more in self._choosable.items() if more or self[name].errors]
        return [self["as_of"], *lists]

    def clean_q(self) -> str:
        question: str = self.cleaned_data["q"]
        try:
            check_question(question)
        except InvalidOption:
            raise forms.ValidationError("A question needs at least one word.") from None
        return question

    def day(self, today: date) -> date:
        """The day asked for; none means today."""
        day: date | None = self.cleaned_data["as_of"]
        return day or today

    def mode(self) -> AnswerMode | None:
        """Who proposes quotations, of those that the site allows; None for the site's own."""
        mode = self.cleaned_data["mode"]
        return AnswerMode(mode) if mode else None

    def selection(self) -> Selection:
        """The narrowing of a valid form."""
        return Selection(product=self.cleaned_data["product"])

    def narrowed(self, access: Access) -> Access:
        """The access with the chosen scope alone, or as it is."""
        scope = self.cleaned_data["scope"]
        return replace(access, scopes=access.scopes & {scope}) if scope else access


def _choice(label: str, choices: Iterable[tuple[str, str]], wrong: str) -> forms.ChoiceField:
    """A list of what the person may choose; nothing chosen is what stands first."""
    return forms.ChoiceField(
        label=label,
        choices=list(choices),
        required=False,
        error_messages={"invalid_choice": wrong},
    )
