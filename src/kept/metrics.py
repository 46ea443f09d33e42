"""Every metric. They are made here and nowhere else, so that this file is their list."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

HTTP_REQUESTS: Final = Counter("kept_http_requests_total", "Requests answered.", ["method", "route", "status"])
HTTP_SECONDS: Final = Histogram("kept_http_request_seconds", "Time to answer a request.", ["method", "route"])
EGRESS: Final = Counter(
    "kept_egress_total", "Fetches through the gate; the reason is why there is no page.", ["outcome", "reason"]
)

ENRICHMENTS: Final = Counter("kept_enrichments_total", "Cards filled while a save waited.", ["outcome"])
ENRICHMENT_SECONDS: Final = Histogram(
    "kept_enrichment_seconds",
    "Time to fill a card while a save waited.",
    buckets=(0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5),
)
INGESTS: Final = Counter("kept_ingests_total", "Attempts to turn a page into an article.", ["outcome"])
INGEST_SECONDS: Final = Histogram("kept_ingest_seconds", "Time of one such attempt.")
RENDERS: Final = Counter("kept_renders_total", "Visits of a browser to a page.", ["outcome"])
RENDER_SECONDS: Final = Histogram(
    "kept_render_seconds", "Time of one such visit.", buckets=(0.5, 1, 2, 3, 5, 8, 13, 20, 30, 40)
)
CAPTURES: Final = Counter("kept_captures_total", "Jobs that keep a whole page.", ["outcome"])
IMAGES: Final = Counter(
    "kept_images_total", "Images fetched to be stored; the outcome is why one was not.", ["outcome"]
)


JOBS_CLAIMED: Final = Counter("kept_jobs_claimed_total", "Jobs taken by this worker.", ["kind"])
JOBS_ENDED: Final = Counter("kept_jobs_ended_total", "Jobs this worker let go of, and how.", ["kind", "outcome"])
JOB_SECONDS: Final = Histogram(
    "kept_job_seconds",
    "Time a job was in a worker's hands.",
    ["kind"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
)
# These are counted in the database at each scrape: see api/routes/health.py.
QUEUE_DEPTH: Final = Gauge("kept_queue_depth", "Jobs in the queue.", ["queue", "kind", "state"])
QUEUE_OLDEST_SECONDS: Final = Gauge("kept_queue_oldest_due_seconds", "How long the oldest due job waits.", ["queue"])
WAKEUPS_LOST: Final = Counter(
    "kept_job_wakeups_lost_total", "Wakeups of workers the broker did not take; the sweep makes up for them."
)
