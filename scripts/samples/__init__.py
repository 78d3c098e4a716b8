"""Builders of the sample archives: each module makes packages from scripted runs over a source tree of its own."""
