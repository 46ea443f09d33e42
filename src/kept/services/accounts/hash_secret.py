"""Hash of a secret that was handed to a person; only the hash is stored.

Secrets are long and random, so that sha256 suffices.
"""

import hashlib


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
