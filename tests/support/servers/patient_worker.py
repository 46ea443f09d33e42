"""A program: what `kept worker` runs, with limits for a busy machine."""

from kept.config import Limits, load_settings
from kept.worker.main import choose_slots, run_worker

if __name__ == "__main__":
    settings = load_settings(limits=Limits(extract_seconds=60, job_seconds=150, fetch_read_seconds=100))
    run_worker(settings, choose_slots(settings))
