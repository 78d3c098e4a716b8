"""Every bound on untrusted input, in one place. Error messages name the constant's meaning and the figure found.

A limit on a *record* (line length, depth, digits) loses that record alone and is reported; a limit on the *container*
(size, members, ratio) refuses the whole package.
"""

from __future__ import annotations

KIB, MIB, GIB = 1024, 1024**2, 1024**3

# --- records
MAX_DEPTH = 64
"""Levels of nesting in one JSON value; the deepest real recording that we know has 16. orjson 3.11.6 claims to write 254, but
makes no room for closing brackets: from 104 in a row on it writes behind its buffer, which ended the process or worse."""

MAX_INTEGER_DIGITS = 4300
"""Digits of one integer: CPython's own bound on converting text to int and back (CVE-2020-10735)."""

MAX_LINE_BYTES = 64 * MIB
"""Bytes of one line of a .jsonl file."""

MAX_VALUES = 6_000_000
"""Brackets, commas and colons outside of texts in one JSON text, which bound its values; one costs up to 90 bytes decoded, so
that 64 MiB of `{},{},` would take gigabytes. Recordings have one for 50 bytes of text, working views one for 10 (50 MB: 5
million); the densest line of a real recording that we know has 14,338."""

MAX_SLOW_ESCAPES = 1_000_000
"""`\\u` escapes in a JSON text that holds a lone surrogate: CPython's reader, which alone takes it, is slow with them."""

MAX_COUNT = 2**53 - 1
"""The largest count, size or offset in a record: what every JSON reader and every table on a page holds exactly."""

MAX_PROMPT_MESSAGES = 1_000_000
"""Messages of one prompt: a decision names them by runs, so that a short line can ask for any number."""

NAMED_MESSAGES, NAMED_MESSAGES_EACH = 10_000_000, 5_000
"""Messages that all prompts together may name while a package is checked: so many, and so many more for each decision."""

HASHED_MESSAGES, HASHED_MESSAGES_EACH = 1_000_000, 200
"""Messages that are read for request hashes in one check. What a prompt shares with the one before it is not read again, so
that these are new ones; without a bound, a file of some megabytes could keep a check busy for days."""

# --- containers
MAX_MANIFEST_BYTES = 4 * MIB
MAX_UNPACKED_BYTES = 8 * GIB
MAX_MEMBERS = 10_000
"""Files in one folder or zip."""

MAX_DIRECTORY_BYTES = 512 * MAX_MEMBERS
"""Bytes of a zip's directory, which lists its members: read only below this, so that a million members cost nothing."""

MAX_EXPANSION_RATIO = 200
"""Unpacked bytes per packed byte of one zip member. Text that repeats itself reaches about 100; bombs start at 1,000."""

RATIO_FLOOR_BYTES = 1 * MIB
"""Below this a member may expand as it likes: the ratio of a few hundred bytes says nothing."""

CHECK_AT_OPEN_BYTES = 16 * MIB
"""A package up to this size is verified while it is opened; a larger one opens as *not yet checked*."""

CACHE_FROM_BYTES = 1 * MIB
"""An index of a smaller file is made anew faster than it is looked up."""

MAX_CACHED_INDEXES = 200
"""Files in the cache folder; the oldest go first."""

MAX_PROBLEMS = 10_000
"""Problems that are listed one by one; of more only the number is told."""

MAX_RECORDS = 5_000_000
"""Lines in one .jsonl file."""

MAX_RECORDING_BYTES = 1 * GIB
"""Bytes of one foreign recording (a transcript, a cassette)."""

MAX_RECORDING_VALUES = 50_000_000
"""Brackets, commas and colons in all lines of one foreign recording, whose records are kept in memory: those of 1 GiB of a
real transcript, which has one for 26 bytes."""

MAX_UPLOAD_BYTES = 200 * MIB
"""Bytes of one upload; the same figure stands in .streamlit/config.toml as megabytes."""

# --- comparing two runs
MAX_ALIGNED_DECISIONS = 20_000
"""Decisions (or lookups) of one side that are aligned by a longest common subsequence: 20,000 take 50 MB."""

MAX_LISTED_DIFFERENCES = 50
"""Shared lookups of one pair of decisions that are listed as delivered differently; of more only the number is told."""

# --- evidence
MAX_BODY_PARTS = 400
"""Parts in which a body is told apart by what different prompts received of it."""

# --- the app
MAX_ARCHIVE_ENTRIES = 5_000
"""Files found in one archive folder; the folder is never walked further."""

MAX_LISTED_FILES = 10_000
"""Files of archive folders whose rows are kept, so that each is read again only when it has changed."""

MAX_UPLOADS = 20
"""Uploads of one session; each may take `MAX_UPLOAD_BYTES` on disk."""

# --- foreign recordings
MAX_SHOWN_LINES = 200_000
"""Numbered lines that are looked at in one tool result; the rest of its body is kept but gives no source ranges."""

# --- the source tree of a scripted run
MAX_TREE_FILES = 2_000
MAX_TREE_BYTES = 64 * MIB
"""Files of a source tree, and their bytes together."""

MAX_EXCERPTS = 8
"""Excerpts in the result of one search; the result says how many matches it does not show."""

MAX_READ_LINES = 2_000
"""Lines that one range read gives; the result says that there are more."""

# --- a run
DEFAULT_PROMPT_BYTES = 42_000
"""UTF-8 bytes of all messages of one prompt, system included, where nothing else is said (seed)."""

MAX_YAML_BYTES = 64 * MIB
"""Bytes of one YAML cassette: PyYAML takes about a second for each megabyte."""

MAX_YAML_DEPTH = 64
"""Levels of nesting in a YAML cassette; its bodies are texts, so real ones reach about ten."""

MAX_YAML_VALUES = 1_000_000
"""Maps, lists and texts in a YAML cassette; each takes about half a kilobyte while it is read. A megabyte of a real one has 15,000."""

MAX_YAML_ALIASES = 10_000
"""Aliases in a YAML cassette."""

# --- many packages at once
MAX_SEARCHED_FILES = 100_000
"""Files that a search of folders finds; it says where it ends."""

MAX_SEARCHED_DEPTH = 64
"""Levels of folders that a search goes down."""

MAX_PACKAGE_SECONDS = 900
"""Seconds that the work on one package of many may take; `--timeout` sets another bound."""

MAX_TIMEOUT_SECONDS = 604_800
"""The longest `--timeout`, a week: systems wait in milliseconds of 32 bits, which end at 24 days."""

# --- working views
MAX_RESTORED_BYTES = 512 * MIB
"""Bytes of canonical text that the references of one encoded view may stand for: a small text can name a large entry often."""

MAX_RESTORED_ITEMS = 10_000_000
"""Items of source captures that the slices of one encoded view may stand for."""

# --- conflicts
MAX_MARKED_TEXTS = 12
"""Different records at one line whose differing characters are marked; each is compared with each other one."""

MAX_MARKED_CHARACTERS = 20_000
"""Characters of two texts, between what they share at both ends, that are compared character by character."""
