"""`python -m support.servers.job_worker`: a real worker process with the handlers of `support.builders.jobs`."""

from kept.config import load_settings
from kept.worker.main import choose_slots, run_worker
from support.builders.jobs import open_test_handlers

if __name__ == "__main__":
    settings = load_settings()
    run_worker(settings, choose_slots(settings), open_test_handlers)
