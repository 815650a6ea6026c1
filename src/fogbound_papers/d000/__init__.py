"""Document 000: fully-nested I-POMDPs, partially observable nim and levels of reasoning."""
