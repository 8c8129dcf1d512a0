"""The HTTP client of Everturn, for threads and for asyncio."""

from everturn.client.calls.call import ABSENT, MAX_PAGE, UNSET
from everturn.client.everturn import AsyncEverturn, Everturn

__all__ = ["ABSENT", "MAX_PAGE", "UNSET", "AsyncEverturn", "Everturn"]
