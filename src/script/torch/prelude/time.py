# time: a clock that goes on by a microsecond with each statement, so that a program does the same whenever it runs.
import time as _time


def time():
    return _time._steps() / 1e6


perf_counter = monotonic = process_time = time


def sleep(secs):
    pass
