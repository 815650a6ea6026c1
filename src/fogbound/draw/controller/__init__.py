"""Pictures of finite-state controllers."""
