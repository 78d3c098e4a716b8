"""What is shared of an investigation: a structural report without any content, and self-contained HTML pages.

- `structural(investigation, ...)`: a JSON object with counts, sizes, salted hashes, states, causes and arithmetic;
- `structural_html(report)`: the same as a page;
- `full_html(investigation, ...)`: verdict, matrix, budget chart and the decisions that matter, with their text;
- `likely_secrets(investigation)`: what a person should look at before a full export, each maskable by its hash.
"""

from __future__ import annotations

from .full import full_html
from .masking import Mask
from .secrets import Secret, likely_secrets
from .structural import structural
from .structural_page import structural_html

__all__ = ["Mask", "Secret", "full_html", "likely_secrets", "structural", "structural_html"]
