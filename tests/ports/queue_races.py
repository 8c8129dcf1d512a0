"""What every queue of jobs promises to many callers at once."""

import threading
from collections import Counter

from everturn.ports.queue import Depth, JobQueue
from ports.object_store_races import in_threads
from ports.queue_contract import LEASE_S, Elapse, job

WORKERS, EACH = 4, 10


class QueueRaces:
    def test_of_jobs_offered_claimed_and_given_back_at_once_none_is_lost(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        """Each is done once: no lease of this test ends by itself."""
        done: Counter[str] = Counter()
        lock = threading.Lock()

        def work(number: int) -> None:
            for place in range(EACH):
                queue.offer(job(f"{number}.{place}"), delay_s=0, even_if_full=True)
                for lease in queue.claim(2, lease_s=LEASE_S):
                    name = lease.job.conversation_id
                    # Every third is given back the first time.
                    if lease.receives == 1 and int(name[-1]) % 3 == 0:
                        queue.give_back(lease, delay_s=0)
                    else:
                        with lock:
                            done[name] += 1
                        queue.done(lease)

        in_threads(WORKERS, work)
        elapse(0.1)
        while leases := queue.claim(10, lease_s=LEASE_S):
            for lease in leases:
                done[lease.job.conversation_id] += 1
                queue.done(lease)
        assert done == Counter({f"{n}.{p}": 1 for n in range(WORKERS) for p in range(EACH)})
        assert (queue.depth(), queue.count_dead()) == (Depth(0, 0), 0)
