"""Games of several players in the text formats of the Dec-POMDP community: `.dpomdp`, `.posg`, `.zsposg`.

`.dpomdp` is that of the MADP toolbox (Oliehoek, Spaan, Terwijn, Robbel and Messias, "The MADP toolbox", JMLR 18, 2017):
Cassandra's format with joint actions and joint observations, and one reward for all. SDMStudio writes its words in
quotes, leaves out what a reward does not depend on, and has two endings more: `.posg`, a reward for each player, and
`.zsposg`, one reward that the second player pays to the first. All are read in either dialect.
"""
