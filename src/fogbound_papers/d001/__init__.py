"""Document 001: best responses in 8-card poker (Oliehoek, Spaan and Vlassis 2005)."""
