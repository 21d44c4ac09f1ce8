"""One line of a text, read from left to right in columns; tabs stop at multiples of four."""

_BLANKS = " \t"
_TAB = 4


class Line:
    """What is left of ``text[start:end]``, a line without its newline.

    ``pos`` is the next character, ``first`` the next one that is no blank, ``indent`` the columns
    between them. ``spare`` columns belong to a tab just before ``pos`` that was taken in part.
    """

    __slots__ = ("blank", "column", "end", "first", "indent", "pos", "spare", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.pos = start
        self.end = end
        self.column = 0
        self.spare = 0
        self._look()

    def _look(self) -> None:
        rest = self.text[self.pos : self.end]
        blanks = len(rest) - len(rest.lstrip(_BLANKS))
        self.first = self.pos + blanks
        self.blank = self.first == self.end
        if "\t" in rest[:blanks]:
            column = self.column + self.spare
            for character in rest[:blanks]:
                column += _TAB - column % _TAB if character == "\t" else 1
            self.indent = column - self.column
        else:
            self.indent = self.spare + blanks

    def advance(self, columns: int) -> None:
        """Take up to so many columns of blanks; the rest of a tab that is wider becomes spare."""
        columns = min(columns, self.indent)
        self.indent -= columns
        while columns:
            if not self.spare:
                tab = self.text[self.pos] == "\t"
                self.spare = _TAB - self.column % _TAB if tab else 1
                self.pos += 1
            taken = min(self.spare, columns)
            self.spare -= taken
            self.column += taken
            columns -= taken

    def consume(self, characters: int) -> None:
        """Take the blanks and so many characters after them: a marker, one column each."""
        self.column += self.indent + characters
        self.pos = self.first + characters
        self.spare = 0
        self._look()
