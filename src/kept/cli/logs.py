"""What commands log: warnings, on standard error. `serve` and `worker` go on to log as configured."""


def log_warnings() -> None:
    """Left alone, structlog prints every line on standard output, among a command's data.

    Its import takes a tenth of a short command's time, so that this is called once something else has imported it.
    """
    from kept.observability import set_up_logging

    set_up_logging("warning", "auto")
