"""`celery -A support.servers.celery_worker worker`: Kept's own Celery application, with the handlers for tests."""

from kept.config import load_settings
from kept.jobs.celery import create_worker_app
from support.builders.jobs import open_test_handlers

app = create_worker_app(load_settings(), open_test_handlers)
