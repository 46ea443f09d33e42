"""Celery's entry point: `celery -A kept.worker.celery_app worker -Q ingest,render`."""

from kept.config import load_settings
from kept.wiring.worker import create_celery_worker


def __getattr__(name: str) -> object:
    """Make `app` when `celery -A` asks for it; importing this module must not read the configuration."""
    if name != "app":
        raise AttributeError(name)
    app = create_celery_worker(load_settings())
    globals()["app"] = app
    return app
