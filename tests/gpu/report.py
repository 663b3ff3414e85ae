"""The results of all checks, as rows of a table."""


class Report:
    def __init__(self):
        self._rows = []
        self._failed = 0

    def check(self, name, passed, result):
        """Adds a check; prints it at once, since a run takes minutes."""
        self._failed += not passed
        self._add("ok" if passed else "FAILED", name, result)

    def skip(self, name, reason):
        self._add("not run", name, reason)

    def note(self, name, result):
        """Adds a measurement that nothing is expected of."""
        self._add("", name, result)

    def _add(self, verdict, name, result):
        self._rows.append(verdict)
        print(f"{verdict:8}{name:56} {result}", flush=True)

    def finish(self):
        """Prints the counts. Returns the exit status: 0 if checks ran and none failed."""
        print(f"{self._rows.count('ok')} passed, {self._failed} failed, {self._rows.count('not run')} not run")
        return 0 if self._rows.count("ok") and not self._failed else 1
