"""What `kept doctor` checks, one module for each part of the machine. Each check returns a `Finding`."""
