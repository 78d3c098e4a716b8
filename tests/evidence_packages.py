"""Packages for the tests of Evidence, Compare and What if: many fragments, and a run without limits."""

from core.canonical import sha256
from core.excerpt import excerpt
from core.model import SourceRange
from core.package import PackageWriter


def many_fragments(path, count=300):
    """A run of `count` reads over seven files; each prompt carries the last five results, without any limit recorded."""
    with PackageWriter(
        path, title="Many reads", replies="scripted", created="2026-11-30T12:00:00Z", sync=False
    ) as package:
        results = []
        for number in range(1, count + 1):
            name, start = f"src/file{number % 7}.js", 10 * (number // 7) + 1
            source = SourceRange(name, sha256(name.encode()), start, start + 9)
            lookup = {"kind": "read", "arguments": {"path": name, "start": start, "end": start + 9}}
            body = excerpt(source, [f"const value_{line} = '{name}';" for line in range(start, start + 10)])
            prompt = [{"role": "system", "text": "Read on."}]
            prompt += [
                {"role": "tool", "parts": [{"type": "tool_result", "id": f"c{at}", "text": text}]}
                for at, text in results[-5:]
            ]
            package.append_decision(prompt, reply={"lookups": [lookup]}, outcome={"kind": "continued"})
            place = {"path": name, "hash": source.hash, "start": start, "end": start + 9}
            package.append_fragment(
                f"f{number}", lookup=lookup, body=body, requested_by=number, sources=[place], call_id=f"c{number}"
            )
            results.append((number, body))
    return path
