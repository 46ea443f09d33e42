"""The Celery executor: its application, and the worker processes that run jobs for it."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, Final

import structlog
from celery import Celery, signals

from kept.config import ConfigError, Settings
from kept.domain.errors import first_line, is_outage
from kept.domain.job import QUEUE_OF, JobKind, Queue
from kept.jobs.broker import RUN_TASK, create_celery
from kept.jobs.running import JobRunner, OpenHandlers, RunRules
from kept.jobs.sweeper import Sweeper
from kept.logs import set_up_logging
from kept.storage.database.engine import Database
from kept.storage.queue.claiming import Claiming

# The time beyond a job's own limit, which the child enforces: for a child that no longer does.
HARD_LIMIT_MARGIN_SECONDS: Final = 30
MAX_JOBS_PER_CHILD: Final = 200
# A wakeup whose worker died comes again; the sweep is quicker, so this only keeps Redis tidy.
VISIBILITY_SECONDS: Final = 300
log = structlog.get_logger("kept.worker")
TEND_EVERY_SECONDS: Final = 5.0
# The longest that a job may wait for its turn.
MOMENT_SECONDS: Final = 0.1


class PreforkChild:
    """One of Celery's child processes: an event loop, a database and the handlers, made after the fork.

    The loop runs while a job does: a child runs one job at a time, so that nothing is gained by a loop in a second
    thread, and much lost should the thread die alone. Between jobs a thread lets it run for a moment now and then:
    browsers and extractors that are idle too long are stopped by the loop's clock.
    """

    def __init__(
        self, settings: Settings, handlers: OpenHandlers, *, tend_every_seconds: float = TEND_EVERY_SECONDS
    ) -> None:
        self.settings, self.handlers = settings, handlers
        self.rules = Claiming.from_settings(settings)
        self._tend_every_seconds = tend_every_seconds
        self._stack = AsyncExitStack()

    def open(self) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._open())
        self._turn, self._is_closing = threading.Lock(), threading.Event()
        threading.Thread(target=self._tend, name="between jobs", daemon=True).start()

    def close(self) -> None:
        self._is_closing.set()
        with self._turn:
            self.loop.run_until_complete(self._stack.aclose())
            self.loop.close()

    def run_one(self, queue: Queue) -> None:
        with self._turn:
            self.loop.run_until_complete(self._run_one(queue))

    def _tend(self) -> None:
        """Run the loop for a moment now and then while no job does."""
        while not self._is_closing.wait(self._tend_every_seconds):
            if self._turn.acquire(blocking=False):
                try:
                    self.loop.run_until_complete(asyncio.sleep(MOMENT_SECONDS))
                finally:
                    self._turn.release()

    async def _open(self) -> None:
        self.database = Database(self.settings.sqlalchemy_url, durability="normal")
        self._stack.push_async_callback(self.database.close)
        handlers = await self._stack.enter_async_context(self.handlers(self.settings, self.database))
        self.runner = JobRunner(self.database, handlers, RunRules.from_settings(self.settings))

    async def _run_one(self, queue: Queue) -> None:
        try:
            job = await self.runner.claim(queue, self.rules)
        except Exception as error:
            if not is_outage(error):
                raise
            log.warning("jobs.database_away", error=first_line(error))
            return
        if job is not None:
            await self.runner.run(job)


def create_worker_app(settings: Settings, handlers: OpenHandlers) -> Celery:
    """Create the Celery executor's application: Celery carries wakeups and keeps processes alive.

    Which job to run, when, and how often is decided by the database. So there is no beat, no retry and no countdown
    here, and a message may be lost or come twice.
    """
    if settings.broker_url is None:
        raise ConfigError("Celery needs KEPT_BROKER_URL")
    app = create_celery(settings.broker_url.get_secret_value())
    app.conf.update(
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=MAX_JOBS_PER_CHILD,
        task_time_limit=settings.limits.job_seconds + HARD_LIMIT_MARGIN_SECONDS,
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
