"""Encodings of the working view: pairs of pure functions that invert each other, and instructions that explain them."""

from .aliases import resolve_path
from .base import V4, V5, V6, Codec, Encoded
from .bodies import evidence_bodies
from .freeze import Frozen, freeze, request_hash, view_of
from .places import EvidencePlace, evidence_places
from .registry import CODECS, codec, encode, lineage, restore, restore_view

__all__ = [
    "CODECS",
    "V4",
    "V5",
    "V6",
    "Codec",
    "Encoded",
    "EvidencePlace",
    "Frozen",
    "codec",
    "encode",
    "evidence_bodies",
    "evidence_places",
    "freeze",
    "lineage",
    "request_hash",
    "resolve_path",
    "restore",
    "restore_view",
    "view_of",
]
