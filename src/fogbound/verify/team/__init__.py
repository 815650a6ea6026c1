"""Teams: what plans earn together, and what no plans earn more than."""
