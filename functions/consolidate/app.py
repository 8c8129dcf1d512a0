"""Jobs of the queue: make memories of what is new in a conversation, and index a long one."""

from everturn.consolidation.consolidate_conversation import run_job
from everturn.edge.job_function import JobEdge
from everturn.storage.budget import Budget
from everturn.values.job import Job

EDGE = JobEdge()


def work(job: Job, left_s: float) -> None:
    """Do one job within so many seconds, count what it did, and tell what it could not offer."""
    parts = EDGE.backends
    done = run_job(
        job,
        store=parts.data,
        derived=parts.derived,
        clock=parts.clock,
        entropy=parts.entropy,
        extractor=EDGE.extractor,
        offers=EDGE.offers,
        budget=Budget(clock=parts.clock, seconds=left_s),
        daily_tokens=EDGE.daily_tokens,
        index=EDGE.index,
    )
    EDGE.tell(done.fault)
    EDGE.count(
        jobs_done=1,
        windows=done.windows,
        consolidated=done.turns,
        memories_created=done.created,
        memories_reinforced=done.reinforced,
        findings_dropped=done.dropped,
        lag=done.lag,
        quarantined=done.quarantined,
        capped=int(done.reason is not None),
        behind=int(done.behind),
        jobs_unsent=int(done.fault is not None),
        dirty_age_s=EDGE.dirty_age_s,
    )


# A window that has begun may ask models about one turn twice, for 60 s, and for 15 s more whether
# they answer anything; and store what it found.
handler = EDGE.job_handler(work, margin_s=150.0)
