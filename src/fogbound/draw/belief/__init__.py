"""Pictures of beliefs and of value functions over them."""
