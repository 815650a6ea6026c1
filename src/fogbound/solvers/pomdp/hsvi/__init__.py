"""The search between two bounds over beliefs that `sarsop` and `hsvi` share."""
