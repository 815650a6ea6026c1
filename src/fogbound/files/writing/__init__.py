"""What the writers of model files share: full menus, T and O apart, and names that a file can hold."""
