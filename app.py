"""The app: page settings, the pages, the package in hand. `streamlit run app.py -- PATH ... [--archive-dir DIR]`."""

from __future__ import annotations

import streamlit as st

from pages.parts import frame

st.set_page_config(page_title="Investigation Inspector", page_icon=str(frame.ICON), layout="wide")

# Every page is one file and one line here, and one line in `state.PAGE_FILES`. docs/pages.md shows how a page is written.
# No material icons: Streamlit fetches an icon of a page from an outside host.
PAGES = {
    "overview": st.Page("pages/overview.py", title="Overview", url_path="overview", default=True),
    "decisions": st.Page("pages/decisions.py", title="Decisions", url_path="decisions"),
}

page = st.navigation(list(PAGES.values()), position="hidden")
frame.run(page, PAGES)
