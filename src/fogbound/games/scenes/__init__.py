"""How games look that have a drawing of their own: one file a game, and the pieces that several share.

A scene is a function of plain values (heaps, cards, cells) and of what the player who looks believes; the game picks
them from its state, so that nothing hidden gets here. Scenes are `WIDTH` wide with letters of at least `SMALL`, so
that they can be read on a phone.
"""
