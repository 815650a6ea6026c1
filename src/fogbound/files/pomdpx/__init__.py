"""The factored model files of APPL, `.pomdpx`, version 1.0: XML, with a function for each variable.

The format: https://bigbird.comp.nus.edu.sg/pmwiki/farm/appl/index.php?n=Main.PomdpXDocumentation. Fully observed
state variables follow Ong, Png, Hsu and Lee, "Planning under uncertainty for robotic tasks with mixed
observability" (2010): they are seen before the first action and after every step.
"""
