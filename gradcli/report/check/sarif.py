"""The findings of a check as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json as encoder
from collections.abc import Sequence
from typing import Any

from ... import __version__
from ...errors import Span
from ...text.escape import in_json
from ..codes import CODES
from .outcome import Missing, Outcome, Standing
from .places import file_of, sentence
from .sayings import Said, said

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The document: one run, a result for all that there is to say."""
    found = list(said(outcomes))
    codes = sorted({one.code for one in found})
    broken = any(outcome.checked.failure is not None and not outcome.failed for outcome in outcomes)
    invocation: dict[str, Any] = {"executionSuccessful": not (broken or missing.text)}
    if missing.text:
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": {"text": missing.text}}]
    driver = {
        "name": "gradcli",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": _results(found, codes),
    }
    return in_json(encoder.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)) + "\n"


def _rule(code: str) -> dict[str, Any]:
    entry = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": " ".join(entry.meaning.split())},
        "help": {"text": " ".join(entry.advice.split())},
    }


def _results(found: Sequence[Said], codes: Sequence[str]) -> list[dict[str, Any]]:
    """The results; two of the same place and words are told apart by their number."""
    results = []
    seen: dict[str, int] = {}
    for one in found:
        path = file_of(one.outcome, one.span)
        print_ = _fingerprint(one, path)
        seen[print_] = seen.get(print_, 0) + 1
        text = sentence(one) if path is not None else f"{one.outcome.name}: {sentence(one)}"
        result: dict[str, Any] = {
            "ruleId": one.code,
            "ruleIndex": codes.index(one.code),
            "level": one.standing.level,
            "message": {"text": text},
            "partialFingerprints": {"gradcli/v1": f"{print_}:{seen[print_]}"},
        }
        if path is not None:
            result["locations"] = [{"physicalLocation": _location(path, one.span)}]
        if one.standing is Standing.RIGHT:
            # It passes, and is told all the same.
            result["kind"] = "pass"
        if one.standing is Standing.ALLOWED:
            result["suppressions"] = [{"kind": "inSource"}]
        results.append(result)
    return results


def _location(path: str, span: Span | None) -> dict[str, Any]:
    from urllib.parse import quote

    location: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="surrogatepass")}}
    if span is not None:
        location["region"] = {
            "startLine": span.line,
            "startColumn": span.column + 1,
            "endLine": span.end_line,
            "endColumn": span.end_column + 1,
        }
    return location


def _fingerprint(one: Said, path: str | None) -> str:
    """A fingerprint that stays the same when lines are added above: the place is the text of its line."""
    from hashlib import sha256

    finding = one.finding
    what = [finding.output, finding.input, str(finding.order)] if finding is not None else [one.message]
    line = one.span.source.line(one.span.line).strip() if one.span is not None else ""
    text = "\0".join([path or one.outcome.name, one.code, *what, line])
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
