"""The Celery executor: Celery carries wakeups and keeps processes alive.

Which job to run, when, and how often is decided by the database. So there is no beat, no retry and no countdown here,
and a message may be lost or come twice.
"""

from collections.abc import Callable
from typing import Any, Final

from celery import Celery, signals

from kept.config import ConfigError, Settings
from kept.domain.job import QUEUE_OF, JobKind
from kept.jobs.broker import RUN_TASK, create_celery
from kept.jobs.celery_child import PreforkChild
from kept.jobs.running import OpenHandlers
from kept.jobs.sweeper import Sweeper
from kept.observability import set_up_logging

# Beyond a job's own limit, which is kept inside the child: for a child that no longer heeds it.
HARD_LIMIT_MARGIN_SECONDS: Final = 30
MAX_JOBS_PER_CHILD: Final = 200
# A wakeup whose worker died comes again; the sweep is quicker, so this only keeps Redis tidy.
VISIBILITY_SECONDS: Final = 300


def create_worker_app(settings: Settings, handlers: OpenHandlers) -> Celery:
    if settings.broker_url is None:
        raise ConfigError("Celery needs KEPT_BROKER_URL")
    app = create_celery(settings.broker_url.get_secret_value())
    app.conf.update(
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=MAX_JOBS_PER_CHILD,
        task_time_limit=settings.job_seconds + HARD_LIMIT_MARGIN_SECONDS,
        broker_transport_options={"visibility_timeout": VISIBILITY_SECONDS},
        broker_connection_max_retries=None,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_send_task_events=False,
    )
    child, sweeper = PreforkChild(settings, handlers), Sweeper(settings)

    @app.task(name=RUN_TASK, max_retries=0)  # type: ignore[untyped-decorator]
    def run(kind: str, subject_id: str) -> None:
        child.run_one(QUEUE_OF[JobKind(kind)])

    connect(signals.setup_logging, lambda: set_up_logging(settings.log_level, settings.log_format))
    connect(signals.worker_process_init, child.open)
    connect(signals.worker_process_shutdown, child.close)
    connect(signals.worker_ready, sweeper.start)
    connect(signals.worker_shutting_down, sweeper.stop)
    return app


def connect(signal: Any, act: Callable[[], object]) -> None:
    signal.connect(lambda **_: act(), weak=False)
