"""Why a document is not taken: which element, what stands there, and what to do."""

from deskworld_kit.problems import Problem


class DocumentRefused(Exception):
    """`element`: its path in the document, `value`: what stands there, None where nothing does."""

    def __init__(self, element: str, value: str | None, why: str, next_step: str) -> None:
        super().__init__(f"{element}: {why}")
        self.element = element
        self.value = value
        self.why = why
        self.next_step = next_step

    def problem(self) -> Problem:
        return Problem(
            400,
            "INVALID_REQUEST",
            f"{self.element}: {self.why}. {self.next_step}",
            element=self.element,
            value=None if self.value is None else self.value[:200],
            next=self.next_step,
        )
