"""The app: page settings, the pages, the package in hand. `streamlit run app.py -- PATH ... [--archive-dir DIR]`."""

from __future__ import annotations

import streamlit as st

from pages.parts import frame, serving, state


def main() -> None:
    """One run of the script: what Streamlit calls for every visit and every change."""
    st.set_page_config(page_title="Investigation Inspector", page_icon=str(frame.ICON), layout="wide")

    # Every page is one file and one line here, and one line in `state.PAGE_FILES`. docs/pages.md shows how a page is written.
    # No material icons: Streamlit fetches an icon of a page from an outside host.
    pages = {
        "overview": st.Page("pages/overview.py", title="Overview", url_path="overview"),
        "decisions": st.Page("pages/decisions.py", title="Decisions", url_path="decisions"),
        "evidence": st.Page("pages/evidence.py", title="Evidence", url_path="evidence"),
        "compare": st.Page("pages/compare.py", title="Compare", url_path="compare"),
        "what_if": st.Page("pages/what_if.py", title="What if", url_path="what_if"),
        "formats": st.Page("pages/formats.py", title="Formats", url_path="formats"),
        "conflicts": st.Page("pages/conflicts.py", title="Conflicts", url_path="conflicts"),
        "share": st.Page("pages/share.py", title="Share", url_path="share"),
        "archive": st.Page("pages/archive.py", title="Archive", url_path="archive"),
    }

    # The default page answers only at the root, so the overview stands there under another name as well.
    root = st.Page("pages/overview.py", title="Overview", url_path="start", default=True, visibility="hidden")
    page = st.navigation([root, *pages.values()], position="hidden")
    frame.run(page, pages)


if __name__ == "__main__":
    main()
else:  # `streamlit run` imports this file once, to serve it with what stands around every response
    app = st.App(
        __file__,
        routes=serving.pages(state.PAGE_FILES),
        middleware=serving.MIDDLEWARE,
        lifespan=serving.lifespan,
    )
