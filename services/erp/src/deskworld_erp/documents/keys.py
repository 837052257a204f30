"""Documents are posted once per key: the same request again gets the stored answer, and posts nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from deskworld_erp.documents.tables import posted_keys
from deskworld_erp.erp import Erp, acting
from deskworld_erp.invoicing.idempotency import KEPT, IdempotencyKey
from deskworld_erp.posting import Posting
from deskworld_kit import clock
from deskworld_kit.answers import to_bytes
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

PostingKey = IdempotencyKey


@dataclass(frozen=True, slots=True)
class Keyed:
    """A request to post something: whose, under which key, and what it says."""

    who: Principal
    key: str
    route: str
    body: bytes

    @property
    def digest(self) -> str:
        return sha256(self.route.encode() + b"\n" + self.body).hexdigest()


async def once(erp: Erp, keyed: Keyed, work: Callable[[Posting], Awaitable[object]]) -> bytes:
    """The answer of `work`, or the one that was stored under the key. What is refused is not stored.

    Raises Problem: IDEMPOTENCY_KEY_REUSED, and whatever `work` raises.
    """
    mine = {"caller": keyed.who.subject, "key": keyed.key}
    where = [posted_keys.c.caller == keyed.who.subject, posted_keys.c.key == keyed.key]
    async with erp.posting(acting(keyed.who)) as posting:
        now = clock.now()
        fresh = {"request": keyed.digest, "at": now, "body": None}
        claim = insert(posted_keys).values(mine | fresh)
        claim = claim.on_conflict_do_update(
            index_elements=[posted_keys.c.caller, posted_keys.c.key], set_=fresh, where=posted_keys.c.at < now - KEPT
        )
        claimed = (await posting.connection.execute(claim.returning(posted_keys.c.key))).first()
        if claimed is None:
            row = (await posting.connection.execute(select(posted_keys).where(*where))).one()
            if row.request != keyed.digest:
                raise Problem(422, "IDEMPOTENCY_KEY_REUSED", "Another request was sent under this key.", key=keyed.key)
            return bytes(row.body)
        body = to_bytes(await work(posting))
        await posting.connection.execute(posted_keys.update().where(*where).values(body=body))
    return body
