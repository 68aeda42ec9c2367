"""What SUNDIALS prints by itself is kept for messages, what functions of users print is passed on."""

from __future__ import annotations

import sys
import threading
from typing import Any


class Overheard:
    """Stands in for stdout while runs go on: keeps what SUNDIALS prints by itself, passes on what user functions print.

    Runs in several threads share it; each hears its own troubles. The last one to leave puts stdout back.
    """

    def __init__(self) -> None:
        self.lock, self.runs, self.out = threading.Lock(), 0, sys.stdout
        self.troubles: dict[int, list[str]] = {}
        self.dropping: set[int] = set()

    def __enter__(self) -> list[str]:
        with self.lock:
            if not self.runs:
                self.out, sys.stdout = sys.stdout, self
            self.runs += 1
            return self.troubles.setdefault(threading.get_ident(), [])

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.runs -= 1
            self.troubles.pop(threading.get_ident(), None)
            if not self.runs and sys.stdout is self:
                sys.stdout = self.out

    def write(self, text: str) -> int:
        """Keep a line of SUNDIALS, or pass the text on."""
        me = threading.get_ident()
        if text.startswith("\n[") and ", Error: " in text:
            self.troubles.setdefault(me, []).append(" ".join(text.split()))
            self.dropping.add(me)
        elif me in self.dropping and text == "\n":
            self.dropping.discard(me)
        else:
            self.out.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.out, name)


OVERHEARD = Overheard()
