"""What each prompt of a recorded run would have carried under another policy or budget, and what reproduces the record.

A replay reads the transmitted texts: base context, ledger and statuses come from each prompt's rendering, bodies from
the fragments, limits from the manifest; `decision.memory` is not used. It answers delivery only. Gates are never
switched off: what was asked stays what was asked, a repeated request still meets the repetition gate, and where a
replayed prompt would have been over a limit, what came after it in that attempt was never reached.
"""

from .fingerprints import Fingerprint, Reproduces, fingerprint
from .history import History, history
from .replaying import replay
from .results import Replay, ReplayedBody, ReplayedPrompt

__all__ = [
    "Fingerprint",
    "History",
    "Replay",
    "ReplayedBody",
    "ReplayedPrompt",
    "Reproduces",
    "fingerprint",
    "history",
    "replay",
]
