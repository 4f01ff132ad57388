"""The page of one finding as a screen; its checks can be copied, and those that only read be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.findingpage import check_command, chosen_check, finding_page, pid_of, probes_here, the_finding

if TYPE_CHECKING:
    from perfconsole.model.finding import Finding, FindingCheck
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture


class FindingPage(PageScreen):
    """One finding, condition by condition."""

    def __init__(self, rule: str, entity: str) -> None:
        super().__init__()
        self.key = (rule, entity)
        self._seen_t: float | None = None
        """When the finding was last in the list."""

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """Evidence, rivals, cause, checks, remedies."""
        if the_finding(picture, self.key):
            self._seen_t = picture.snapshot.t
        return finding_page(picture, self.key, self.cursor, width, height, gone_since=self._seen_t)

    def keys(self) -> Keys:
        """Copying is what every check offers; running is offered behind it."""
        return (("esc", "back"), ("enter", "copy or run the check"), *EVERYWHERE)

    def opens(self, target: Target) -> None:
        """Copy the command of the chosen check, the first one where no check is chosen; follow anything else."""
        finding = the_finding(self.app.picture, self.key) if self.app.picture else None
        number = chosen_check(finding, target) if finding else None
        if target[0] in ("finding", "indicator", "layer"):
            super().opens(target)
        elif finding is None or number is None:
            self.app.word.say("there is no check to copy here")
        else:
            self._open_check(finding, number)

    def _open_check(self, finding: Finding, number: int) -> None:
        command = check_command(finding, number)
        if command is None:
            self.app.word.say("this check has no command to copy")
            return
        self.app.word.copy(command)
        check = finding.checks[number]
        if check.kind in ("flame", "dump"):
            self._open_stacks(finding, check)
        elif probes_here(check):
            self._open_probe(finding, check)
        elif check.kind == "run":
            from perfconsole.tui.errand import ErrandPage  # noqa: PLC0415 - not before the first command

            self.app.push_screen(ErrandPage(check, command))

    def _open_probe(self, finding: Finding, check: FindingCheck) -> None:
        """The console sends this load itself, after it has asked."""
        from perfconsole.tui.probe import ProbePage  # noqa: PLC0415 - not before the first one
        from perfconsole.tui.probewish import Wish  # noqa: PLC0415 - as above

        why = f"{finding.title}: confirmed by {check.confirms}"
        self.app.push_screen(ProbePage(Wish(check.argv or (), finding.entity, why)))

    def _open_stacks(self, finding: Finding, check: FindingCheck) -> None:
        """The console does these itself, on the process that the check names; what they show counts for the finding."""
        from perfconsole.tui.dump import DumpPage  # noqa: PLC0415 - not before the first one
        from perfconsole.tui.flame import FlamePage  # noqa: PLC0415 - as above

        why = f"{finding.title}: confirmed by {check.confirms}"
        page = FlamePage if check.kind == "flame" else DumpPage
        self.app.push_screen(page(pid_of(check), finding.entity, why))
