"""The table: a game played from one seat, in a browser.

A match room holds a game in progress. Each player in it is a policy that is told what policies are told, and every
page is drawn from that alone (`view`): the hidden state cannot reach a browser before the game is over, because nothing
that draws has it. A journal on disk is written before an answer leaves, so that a killed server loses nothing.
"""
