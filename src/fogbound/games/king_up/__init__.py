"""Document 004's King Up: candidates are pushed up to a throne, and all vote on who stays there.

The rules are in `game`. They follow document 004's section 2.2, table 4.1 and appendix A, which leave some open.
Decided so:

- The throne is level `height` and scores `top`, the level below it `height - 1`: section 4.1's maximum of 22 points is
  one piece on the throne and three on level 4. `width` holds on that level, too.
- Pieces are set on the levels 0 to `height - 2`. What is left unset stays off the board, scores nothing and cannot
  move (`ground=set`). In the box's rules nobody sets on level 0, where all that is left begins (`ground=rest`).
- Every "no" costs a card, even beside another "no". Votes and how many cards are left are seen by all: section 2.2
  calls the votes public, and section 3.1.1 counts `VoteCard` among what a player knows.
- After a rejection the turn goes to the player after the one who pushed; the first player begins both stages.
- `bonus` is for a score of 0: section 2.2 says both "0 credits" and "no piece on the board", and figure 4.8 pays it to
  a player who has a piece on level 0 (its 0.3 is 15 points of 50).
- "No other action to take" is an empty board: otherwise the highest piece can be pushed.
- Lists are windows of the alphabet closed to a ring, as all of the appendix are; `lists=any` deals from all lists.
- One round is played. The document's three, each begun by the loser of the last, are three games.

The setting `small` is table 4.1. `full` is the game as it is sold, "Viva il Re!" ("King Me!", "King Up!"; Luperto
2003): 13 candidates of whom a list names 6, the floors 0 to 5 and the throne, at most 4 on a floor, set on the floors 1
to 4, and fewer "no" cards the more players there are. Document 004, section 4.1, gives this board the height 7, which
is how many floors it has (`height=7` makes one more), and names 15 and 20 as scores of the throne in other versions.
Which 26 lists are sold it does not say: ours are windows there, too.

Turning or mirroring the ring of letters leaves the game as it is, and with `lists=any` so does every renaming; but
what is done and seen has other names then, so such states are not merged (there is no `canonical`).
"""
