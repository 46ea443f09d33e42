"""The only wiring: builds adapters from Settings. Entry points call this; nothing below knows of it."""
