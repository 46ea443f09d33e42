"""A worker program for tests of the process pool: it does what the request says, and echoes its body."""

import os
import subprocess
import sys
import time

from kept.subprocesses.child import arm, serve
from kept.subprocesses.frames import Frame

worn_out = False


def answer(request: Frame) -> Frame:
    global worn_out
    match request.header["do"]:
        case "print":
            print("a library has something to say", flush=True)
        case "complain and die":
            sys.exit("it hurts")
        case "hang":
            time.sleep(600)
        case "start another":
            command = [sys.executable, "-c", f"held = b'x' * {request.header['bytes']}; input()"]
            other = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
            if request.header["bytes"]:
                other.wait()  # and answer when it is killed
        case "wear out":
            worn_out = True
        case "take memory":
            return Frame({"taken": len(bytearray(request.header["bytes"]))})
    return Frame({"pid": os.getpid(), "environment": sorted(os.environ)}, request.body)


if __name__ == "__main__":
    serve(arm(), answer, lambda: worn_out)
