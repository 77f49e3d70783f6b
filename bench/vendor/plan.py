"""Which cases a run takes, in what order, and whether there is time for one more."""
from collections import deque
from dataclasses import dataclass, field

from cases import Case

# Seconds beside the tuning, until a case of the kind has been seen: of PyTorch with its compiler, and of the others.
FIRST_GUESS = {"torch": 7.0, "other": 5.0}


def tuning_of(case: Case) -> tuple[str, str]:
    """Cases with the same one are one tuning, and differ in what its winner is held against."""
    return case.templates, case.problem


def seconds_of(case: Case, scale: float, most: float) -> float:
    """Of tuning. A case that says what it needs at least is not cut below that by `most`."""
    return min(scale * case.seconds, max(most, case.least))


def late_tunings(cases: list[Case], known: set[str]) -> set[tuple[str, str]]:
    """Those of which every case has a result somewhere: they can wait."""
    return {tuning_of(case) for case in cases} - {tuning_of(case) for case in cases if case.name not in known}


def ordered(cases: list[Case], known: set[str]) -> list[Case]:
    """What has no result anywhere first. Then cases of a template are neighbours, so that its earlier sessions help the
    later ones, and cases of a tuning are."""
    first: dict[object, int] = {}
    for place, case in enumerate(cases):
        first.setdefault(case.templates, place)
        first.setdefault(tuning_of(case), place)
    late = late_tunings(cases, known)
    return sorted(cases, key=lambda case: (tuning_of(case) in late, first[case.templates], first[tuning_of(case)]))


@dataclass
class Pace:
    """How long cases take here."""
    scale: float
    most: float
    before: dict[str, float] = field(default_factory=dict)  # seconds that a case was tuned for and that count, by name
    seen: dict[str, deque] = field(default_factory=lambda: {kind: deque(maxlen=4) for kind in FIRST_GUESS})

    @staticmethod
    def kind(case: Case) -> str:
        return "torch" if case.vendor.startswith("torch_") else "other"

    def tuning(self, case: Case) -> float:
        seconds = seconds_of(case, self.scale, self.most)
        return max(min(seconds, case.least), seconds - self.before.get(case.name, 0))

    def expected(self, case: Case, tuned: bool) -> float:
        """The longest of the last ones counts, so that an end that was asked for is kept."""
        kind = self.kind(case)
        beside = max(self.seen[kind], default=FIRST_GUESS[kind])
        return beside + (0 if tuned else self.tuning(case))

    def took(self, case: Case, tuned: bool, seconds: float) -> None:
        """A case without a tuning of its own is shorter than the others of its kind, and says nothing of them."""
        if not tuned:
            self.seen[self.kind(case)].append(max(0.0, seconds - self.tuning(case)))


def owners(cases: list[Case], parts: int, pace: Pace) -> dict[tuple[str, str], int]:
    """The part of each tuning, from 0: pieces of the row of cases that take equally long."""
    costs, seen = [], set()
    for case in cases:
        costs.append(pace.expected(case, tuning_of(case) in seen))
        seen.add(tuning_of(case))
    before, found = 0.0, {}
    for case, cost in zip(cases, costs):
        found.setdefault(tuning_of(case), int(parts * (before + cost / 2) / sum(costs)))
        before += cost
    return found


def part_of(cases: list[Case], known: set[str], share: tuple[int, int], pace: Pace) -> list[Case]:
    """The I-th of N parts that take equally long, of cases in order. What can wait is dealt out apart, so that every
    part begins with what cannot."""
    part, parts = share
    late, mine = late_tunings(cases, known), []
    for waits in (False, True):
        chosen = [case for case in cases if (tuning_of(case) in late) == waits]
        owner = owners(chosen, parts, pace)
        mine += [case for case in chosen if owner[tuning_of(case)] == part - 1]
    return mine
