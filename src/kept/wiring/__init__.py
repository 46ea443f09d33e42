"""The wiring builds adapters from Settings. Entry points call it; nothing below knows of it."""
