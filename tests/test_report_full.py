"""The full report: self-contained, inert, with what matters in it, and secrets masked as chosen."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from stories import BODY, bounded, lines, search, story

from core.commands.report import report_command
from core.delivery import deliver
from core.diagnosis import diagnose
from core.model import Limits
from core.package import investigation_to_package, open_package
from core.report import Mask, Secret, full_html, likely_secrets
from core.report.secrets import secrets_in

SAMPLES = Path(__file__).parents[1] / "sample_archives"
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)> ![i](http://evil.example/x) &amp; \x00\u202e \r\n \ud800 </pre>"


def made(run, masked=()):
    deliveries = deliver(run)
    return full_html(run, deliveries, diagnose(run, deliveries), masked)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.attributes, self.text = set(), set(), []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.text.append(data)


def read_page(page):
    parser = _Tags()
    parser.feed(page)
    return parser


def test_it_holds_verdict_matrix_chart_and_the_decisions_that_matter():
    """The sentence, a row for each fragment, a bar chart with the limit, and the exact text of decisions 2 and 3."""
    run = open_package(SAMPLES / "video_start_overwritten")
    parser = read_page(made(run))
    text = "".join(parser.text)
    assert diagnose(run).verdict.sentence in text
    for decision in tuple(run.decisions)[1:]:
        for message in decision.messages:
            assert message.text in text
    assert "Decision 3: rejected, sent" in text
    assert "svg" in parser.seen
    assert "prompt limit: 42,000 B" in text
    assert text.count("marker only") >= 1


def test_it_opens_offline_and_asks_nothing_of_any_host():
    """No script, style sheet, image, font, frame or link; and a policy that forbids them."""
    parser = read_page(made(open_package(SAMPLES / "overlapping_reads")))
    assert parser.seen.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "a", "form", "base", "video"})
    assert parser.attributes.isdisjoint(
        {"src", "href", "srcset", "action", "background", "poster", "onclick", "style"} - {"style"}
    )


def test_package_text_is_inert_wherever_it_stands():
    """Script tags, image links, Markdown, control characters and surrogates are exactly those characters, visible."""
    run = (
        story()
        .say("user", EVIL)
        .decide(search(EVIL))
        .result(search(EVIL), EVIL * 2, carried=EVIL * 2)
        .decide(search(EVIL))
    )
    told = replace(run.tell(), title=EVIL, decisions=(run.decisions[0], replace(run.decisions[1], status=EVIL)))
    page = made(told)
    page.encode()
    parser = read_page(page)
    assert parser.seen.isdisjoint({"script", "img"})
    assert "<script>alert(1)</script>" in "".join(parser.text)
    for odd in ("\\u0000", "\\u202e", "\\u000d", "\\ud800"):
        assert odd in page
    assert not re.search("[\x00\u202e\ud800]", page)


@pytest.mark.parametrize(
    ("text", "kind", "secret"),
    [
        ("key sk-ant-api03-abcdefghijklmnop1234 end", "key", "sk-ant-api03-abcdefghijklmnop1234"),
        ("AKIAIOSFODNN7EXAMPLE", "key", "AKIAIOSFODNN7EXAMPLE"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "key", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
        ("Authorization: Bearer abcdefghijklmnop.qrst", "bearer token", "Bearer abcdefghijklmnop.qrst"),
        ('{"password": "hunter2hunter2"}', "named secret", "hunter2hunter2"),
        ('{\\"api_key\\": \\"hunter2hunter2\\"}', "named secret", "hunter2hunter2"),
        ("DB_PASSWORD=s3cretvalue", "named secret", "s3cretvalue"),
        ("postgres://bob:pw12345@db.internal/x", "address with a password", "postgres://bob:pw12345@db.internal"),
        ("write to ann.lee@mail.example.org.", "e-mail address", "ann.lee@mail.example.org"),
        ("host 10.1.22.233:80", "network address", "10.1.22.233"),
        ("cd /home/annlee/work", "home folder", "annlee"),
        (
            "a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk b",
            "token",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk",
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "private key",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        ),
    ],
)
def test_what_looks_like_a_secret_is_listed(text, kind, secret):
    """Keys, tokens, passwords and addresses, by shape."""
    assert (kind, secret) in list(secrets_in(text))


def test_ordinary_text_is_not_listed():
    """Hashes, versions, code and the samples hold nothing that looks like a secret."""
    for text in (
        "sha256:9f1c" + "a" * 60,
        "version 1.2.3.4.5",
        "http://127.0.0.1:8501",
        "const token = next();",
        "a@b",
    ):
        assert list(secrets_in(text)) == []
    assert likely_secrets(open_package(SAMPLES / "video_start_overwritten")) == ()


def secret_story():
    key = "sk-ant-api03-abcdefghijklmnop1234"
    body = f'const key = "{key}";\n' + lines(1, 5)
    ask = search(f"where is {key} used")
    run = story().decide(ask).result(ask, body, carried=body).decide(ask)
    return replace(run.tell(), title=f"run with {key}", limits=Limits(context_bytes=9)), key


def test_masked_secrets_stand_nowhere_in_the_report():
    """Title, prompt, lookup, verdict: each is replaced by the same mask, which names its hash."""
    run, key = secret_story()
    found = likely_secrets(run)
    assert [(each.kind, each.text) for each in found] == [("key", key)]
    page = made(run, found)
    assert key not in page
    assert page.count(found[0].mask) >= 4
    assert found[0].hash.startswith("sha256:")
    assert key in made(run)


def test_a_secret_is_masked_where_it_is_escaped_shortened_or_flattened():
    """Inside JSON strings, before an ellipsis that cut it, and on one line where it had several."""
    secret = Secret("key", 'ab"cdé\nfghij', 1)
    mask = Mask([secret])
    assert mask('x ab"cdé\nfghij y') == f"x {secret.mask} y"
    assert mask('{"k":"ab\\"cd\\u00e9\\nfghij"}') == f'{{"k":"{secret.mask}"}}'
    assert mask('ab"cdé fghij') == secret.mask
    assert mask('query ab"cd… and more') == f"query {secret.mask}… and more"
    assert mask("abc… unrelated") == "abc… unrelated"
    assert Mask()("anything") == "anything"


def test_a_secret_across_two_parts_of_a_prompt_is_masked_too():
    """Marking parts must not cut a secret in two halves that nobody masks."""
    run = bounded([[(search("a"), BODY)], [search("a")]])
    text = run.messages[3].text
    across = text[text.index("export") - 5 : text.index("export") + 6]
    page = made(run, [Secret("key", across, 1)])
    assert across.split("\n")[1] not in "".join(read_page(page).text).split("Decision 2")[1].split("Lookup ledger")[1]


def test_long_prompts_and_long_runs_are_bounded_and_say_so(monkeypatch):
    """What is left out is counted."""
    monkeypatch.setattr("core.report.full.MAX_PROMPT_BYTES", 100)
    run = open_package(SAMPLES / "video_start_overwritten")
    text = "".join(read_page(made(run)).text)
    assert re.search(r"The first 100 of [\d,]+ B are shown\.", text)
    assert "2 of 2 fragments, 3 of 3 decisions." in text


def test_the_command_lists_masks_and_writes(tmp_path):
    """Structural by default; a full report lists likely secrets on standard error, shortened, and masks them."""
    run, key = secret_story()
    investigation_to_package(run, tmp_path / "package")
    runner = CliRunner()
    structural = runner.invoke(report_command, [str(tmp_path / "package")])
    assert structural.exit_code == 0
    assert "No content: counts, sizes, states" in structural.stdout
    full = runner.invoke(
        report_command, [str(tmp_path / "package"), "--kind", "full", "--out", str(tmp_path / "r.html")]
    )
    assert full.exit_code == 0
    assert key not in (tmp_path / "r.html").read_text()
    assert "key: sk-a… (33 characters, " in full.stderr
    assert key not in full.stderr
    plain = runner.invoke(report_command, [str(tmp_path / "package"), "--kind", "full", "--mask", "none"])
    assert key in plain.stdout
    assert (
        runner.invoke(report_command, [str(tmp_path / "package"), "--kind", "full", "--mask", "nothing"]).exit_code == 2
    )
    assert (
        runner.invoke(report_command, [str(tmp_path / "package"), "--kind", "full", "--format", "json"]).exit_code == 2
    )
