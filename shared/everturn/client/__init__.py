"""The HTTP client of Everturn, for threads and for asyncio."""

from everturn.client.async_everturn import AsyncEverturn
from everturn.client.calls.call import ABSENT, MAX_PAGE, UNSET
from everturn.client.everturn import Everturn

__all__ = ["ABSENT", "MAX_PAGE", "UNSET", "AsyncEverturn", "Everturn"]
