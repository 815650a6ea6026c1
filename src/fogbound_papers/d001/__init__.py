"""Document 001: best responses in 8-card poker (Oliehoek, Spaan and Vlassis 2005)."""

from __future__ import annotations

TITLE = '001  Frans Oliehoek, Matthijs Spaan and Nikos Vlassis, "Best-response play in partially observable card games"'
