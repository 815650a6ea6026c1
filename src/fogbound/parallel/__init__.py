"""One ordered map over engines: here, or in processes."""
