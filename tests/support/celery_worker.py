"""`celery -A support.celery_worker worker`: Kept's own Celery application, with the handlers of `support.jobs`."""

from kept.config import load_settings
from kept.jobs.celery import create_worker_app
from support.jobs import open_test_handlers

app = create_worker_app(load_settings(), open_test_handlers)
