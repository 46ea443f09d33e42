"""Files that people bring from other tools, one module for each format. Pure: from a stream to `ImportedEntry` values.

`registry.READERS` lists them; adding a format is one module and one line there.
"""
