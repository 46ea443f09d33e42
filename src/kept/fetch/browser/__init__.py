"""The browser. Services use `pool.BrowserPool` and `rendered.Rendered`.

Nothing is imported here: the child process that drives Chromium passes through, and must stay small.
"""
