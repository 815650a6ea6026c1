"""From what people write to objects: games, policies and profiles by spec, file, class of one's own or value."""
