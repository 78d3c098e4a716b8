"""The domain of Investigation Inspector: no Streamlit, plotly or pandas in here (a lint rule enforces it)."""
