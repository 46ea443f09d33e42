"""What `kept doctor` looks at, one module for each part of the machine. Each check returns a `Finding`."""
